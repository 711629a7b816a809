#include "analysis/clock_offsets.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "analysis/time_spans.h"

namespace npunet::analysis {

namespace {

struct Link {
    std::size_t from = 0;
    std::size_t to = 0;
    std::int64_t difference = 0;  ///< clock of `to` less that of `from`
    std::int64_t spread = 0;
    std::uint64_t collectives = 0;
};

/// Of each collective its first rank with every other: enough to link them all.
std::vector<Link> links_of(const std::vector<const RankProfile*>& ranks,
                           const std::vector<MatchedCollective>& matched) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> differences;
    for (const MatchedCollective& one : matched) {
        const auto end_of = [&](const MatchedCollective::Part& part) {
            return ranks[part.rank]->collectives[part.run].span.end;
        };
        for (std::size_t i = 1; i < one.parts.size(); ++i) {
            differences[{one.parts[0].rank, one.parts[i].rank}].push_back(end_of(one.parts[i]) -
                                                                          end_of(one.parts[0]));
        }
    }
    std::vector<Link> links;
    for (auto& [pair, values] : differences) {
        Link link{pair.first, pair.second, median(values), 0, values.size()};
        for (std::int64_t& value : values) {
            value = std::abs(value - link.difference);
        }
        link.spread = median(values);
        links.push_back(link);
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const Link& a, const Link& b) { return a.collectives > b.collectives; });
    return links;
}

}  // namespace

std::vector<ClockOffset> clock_offsets(const std::vector<const RankProfile*>& ranks,
                                       const std::vector<MatchedCollective>& matched) {
    const std::vector<Link> links = links_of(ranks, matched);
    // Prim's algorithm would take the strongest link of the tree each time; so does this, as the
    // links are sorted and the first that leaves the tree is the strongest.
    std::vector<ClockOffset> offsets(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        offsets[i].rank = ranks[i]->rank;
    }
    for (std::size_t root = 0; root < ranks.size(); ++root) {
        bool grown = !offsets[root].known;
        while (grown) {
            grown = false;
            for (const Link& link : links) {
                const bool from = offsets[link.from].known || link.from == root;
                const bool to = offsets[link.to].known || link.to == root;
                if (from == to) {
                    continue;
                }
                ClockOffset& next = offsets[from ? link.to : link.from];
                next.offset_ns = offsets[from ? link.from : link.to].offset_ns +
                                 (from ? link.difference : -link.difference);
                next.spread_ns = link.spread;
                next.collectives = link.collectives;
                next.known = true;
                offsets[root].known = true;
                grown = true;
                break;
            }
        }
    }
    return offsets;
}

std::vector<Straggler> stragglers(const std::vector<const RankProfile*>& ranks,
                                  const std::vector<MatchedCollective>& matched,
                                  const std::vector<std::int64_t>& offsets) {
    std::vector<Straggler> found(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        found[i].rank = ranks[i]->rank;
    }
    for (const MatchedCollective& one : matched) {
        if (one.parts.size() < 2) {
            continue;
        }
        std::vector<std::int64_t> starts;
        std::size_t last = 0;
        for (const auto& part : one.parts) {
            starts.push_back(ranks[part.rank]->collectives[part.run].span.start -
                             offsets[part.rank]);
            last = starts.back() > starts[last] ? starts.size() - 1 : last;
            ++found[part.rank].collectives;
        }
        const std::int64_t latest = starts[last];
        // The lower median, so that of two ranks the earlier is the one that waits.
        const auto middle = starts.begin() + static_cast<std::ptrdiff_t>((starts.size() - 1) / 2);
        std::nth_element(starts.begin(), middle, starts.end());
        if (latest > *middle) {
            Straggler& rank = found[one.parts[last].rank];
            ++rank.last;
            rank.late_ns += latest - *middle;
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Straggler& a, const Straggler& b) { return a.late_ns > b.late_ns; });
    return found;
}

}  // namespace npunet::analysis
