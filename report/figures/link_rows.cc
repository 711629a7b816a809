#include "report/figures/link_rows.h"

#include <algorithm>

namespace npunet::report {

LinkRows::LinkRows(const analysis::LinkLoad& load, std::size_t most_rows, std::size_t most_bins) {
    std::size_t joined = 1;
    while ((load.bins + joined - 1) / joined > most_bins) {
        joined *= 2;
    }
    bins_ = std::max<std::size_t>(1, (load.bins + joined - 1) / joined);
    bin_ = static_cast<std::int64_t>(joined) * load.bin;
    divide(load, most_rows);
    add_up(load, joined);
}

void LinkRows::divide(const analysis::LinkLoad& load, std::size_t most_rows) {
    std::vector<std::vector<std::size_t>> of_kind(std::max<std::size_t>(1, load.kinds.size()));
    for (std::size_t link = 0; link < load.links.size(); ++link) {
        of_kind[load.links[link].kind].push_back(link);
    }
    const std::size_t quota = std::max<std::size_t>(1, most_rows / of_kind.size());
    for (std::size_t number = 0; number < of_kind.size(); ++number) {
        const std::vector<std::size_t>& links = of_kind[number];
        if (links.empty()) {
            continue;
        }
        Kind kind{load.kinds.empty() ? "links" : load.kinds[number], links.size(), 1, links_.size(),
                  0};
        while ((links.size() + kind.per_row - 1) / kind.per_row > quota) {
            kind.per_row *= 2;
        }
        for (std::size_t from = 0; from < links.size(); from += kind.per_row) {
            const std::size_t to = std::min(links.size(), from + kind.per_row);
            links_.emplace_back(links.begin() + static_cast<std::ptrdiff_t>(from),
                                links.begin() + static_cast<std::ptrdiff_t>(to));
        }
        kind.rows = links_.size() - kind.first;
        kinds_.push_back(std::move(kind));
    }
}

void LinkRows::add_up(const analysis::LinkLoad& load, std::size_t joined) {
    mean_.assign(links_.size() * bins_, 0);
    most_.assign(links_.size() * bins_, 0);
    for (std::size_t row = 0; row < links_.size(); ++row) {
        for (std::size_t bin = 0; bin < bins_; ++bin) {
            const std::size_t from = bin * joined;
            const std::size_t to = std::min(load.bins, from + joined);
            double all = 0;
            for (const std::size_t link : links_[row]) {
                double sum = 0;
                for (std::size_t i = from; i < to; ++i) {
                    sum += static_cast<double>(load.share(link, i));
                }
                const double share = to > from ? sum / static_cast<double>(to - from) : 0;
                all += share;
                most_[row * bins_ + bin] = std::max(most_[row * bins_ + bin], share);
            }
            mean_[row * bins_ + bin] = all / static_cast<double>(links_[row].size());
        }
    }
}

}  // namespace npunet::report
