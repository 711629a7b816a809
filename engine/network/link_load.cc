#include "engine/network/link_load.h"

#include <algorithm>

namespace npunet::engine {

namespace {

/// ps. Beyond this a bin could not be twice as wide; no run comes there.
constexpr std::int64_t latest_end = std::int64_t{1} << 61;

}  // namespace

void LinkLoadRecorder::widen(Row& row) {
    for (std::size_t bin = 0; bin < row.busy.size(); bin += 2) {
        row.busy[bin / 2] = row.busy[bin] + (bin + 1 < row.busy.size() ? row.busy[bin + 1] : 0);
    }
    row.busy.resize((row.busy.size() + 1) / 2);
    ++row.doublings;
}

void LinkLoadRecorder::note(std::vector<Interval>& notes, const Interval& interval) {
    if (!notes.empty()) {
        Interval& last = notes.back();
        const auto is_full = [](const Interval& each) { return each.busy == each.to - each.from; };
        if (last.to == interval.from && is_full(last) && is_full(interval)) {
            last.to = interval.to;
            last.busy += interval.busy;
            return;
        }
    }
    notes.push_back(interval);
}

bool LinkLoadRecorder::make_room(Row& row, std::int64_t to) {
    while (to <= latest_end &&
           bin_of(to - 1, row.doublings) >= static_cast<std::int64_t>(most_bins)) {
        widen(row);
    }
    return to <= latest_end;
}

void LinkLoadRecorder::add_later(const Interval& all, const Interval* begin, const Interval* end,
                                 std::int64_t shift) {
    if (all.link >= rows_.size() || !make_room(rows_[all.link], shift + all.to)) {
        return;
    }
    const unsigned doublings = rows_[all.link].doublings;
    const std::int64_t wide = width(doublings);
    if (bin_of(shift + all.from, doublings) == bin_of(shift + all.to - 1, doublings)) {
        add(all.link, shift + all.from, shift + all.to, all.busy);
        return;
    }
    // Those that lie in one bin are summed up.
    std::int64_t bin = 0;  ///< beginning of a bin
    std::int64_t sum = 0;  ///< of those in it
    for (const Interval* each = begin; each != end; ++each) {
        const std::int64_t from = shift + each->from;
        const std::int64_t to = shift + each->to;
        if (from < bin || to > bin + wide) {
            add(all.link, bin, bin + wide, sum);
            sum = 0;
            bin = bin_of(from, doublings) * wide;
        }
        if (to > bin + wide) {
            add(all.link, from, to, each->busy);
        } else {
            sum += each->busy;
        }
    }
    add(all.link, bin, bin + wide, sum);
}

void LinkLoadRecorder::add(std::size_t link, std::int64_t from, std::int64_t to,
                           std::int64_t busy) {
    if (link >= rows_.size() || to <= from || busy <= 0 || from < 0) {
        return;
    }
    Row& row = rows_[link];
    if (only_notes_) {
        note(row.notes, {static_cast<std::uint32_t>(link), from, to, busy});
    } else if (to > latest_end) {
        return;
    } else if (busy != to - from) {
        put(row, from, to, busy);
    } else if (from == row.to) {
        row.to = to;
    } else {
        put(row, row.from, row.to, row.to - row.from);
        row.from = from;
        row.to = to;
    }
}

LinkLoadRecorder::Row LinkLoadRecorder::complete(Row row) {
    put(row, row.from, row.to, row.to - row.from);
    row.to = row.from;
    return row;
}

void LinkLoadRecorder::put(Row& row, std::int64_t from, std::int64_t to, std::int64_t busy) {
    if (to <= from || !make_room(row, to)) {
        return;
    }
    const std::int64_t wide = width(row.doublings);
    const auto first = static_cast<std::size_t>(bin_of(from, row.doublings));
    const auto last = static_cast<std::size_t>(bin_of(to - 1, row.doublings));
    if (row.busy.size() <= last) {
        row.busy.resize(last + 1);
    }
    if (first == last) {
        row.busy[last] += busy;
        return;
    }
    __extension__ using Wide = __int128;
    std::int64_t given = 0;
    for (std::size_t bin = first; bin <= last; ++bin) {
        const std::int64_t until = std::min(to, static_cast<std::int64_t>(bin + 1) * wide);
        const std::int64_t sum =
            busy == to - from
                ? until - from
                : static_cast<std::int64_t>(Wide{busy} * (until - from) / (to - from));
        row.busy[bin] += sum - given;
        given = sum;
    }
}

void LinkLoadRecorder::add_since(const Recorded& before, std::size_t like, std::size_t link) {
    if (like >= rows_.size()) {
        return;
    }
    const Recorded now = recorded(like);
    const std::size_t joined = std::size_t{1} << (now.doublings - before.doublings);
    for (std::size_t bin = 0; bin < now.busy.size(); ++bin) {
        std::int64_t busy = now.busy[bin];
        for (std::size_t i = bin * joined; i < std::min((bin + 1) * joined, before.busy.size());
             ++i) {
            busy -= before.busy[i];
        }
        const auto from = static_cast<std::int64_t>(bin) * width(now.doublings);
        add(link, from, from + width(now.doublings), busy);
    }
}

LinkLoad LinkLoadRecorder::load(Time finish) const {
    LinkLoad load;
    if (finish <= Time()) {
        return load;
    }
    unsigned doublings = 0;
    while (bin_of(finish.ps() - 1, doublings) >= static_cast<std::int64_t>(most_bins)) {
        ++doublings;
    }
    for (const Row& row : rows_) {
        doublings = std::max(doublings, complete(row).doublings);
    }
    const std::int64_t wide = width(doublings);
    load.bin = Time::ps(wide);
    load.bins = static_cast<std::size_t>(bin_of(finish.ps() - 1, doublings)) + 1;
    load.shares.assign(load.bins * rows_.size(), 0);
    for (std::size_t link = 0; link < rows_.size(); ++link) {
        Row row = complete(rows_[representatives_.empty() ? link : representatives_[link]]);
        while (row.doublings < doublings) {
            widen(row);
        }
        for (std::size_t bin = 0; bin < std::min(row.busy.size(), load.bins); ++bin) {
            const std::int64_t length =
                std::min(wide, finish.ps() - static_cast<std::int64_t>(bin) * wide);
            load.shares[link * load.bins + bin] = static_cast<float>(
                std::min(1.0, static_cast<double>(row.busy[bin]) / static_cast<double>(length)));
        }
    }
    return load;
}

}  // namespace npunet::engine
