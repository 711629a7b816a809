// How busy every link was over time, in bins that widen as the run goes on.
//
//     LinkLoadRecorder recorder(description.graph.links());
//     network.record_load(&recorder);
//     simulation.run();
//     const LinkLoad load = recorder.load(results.finish);
//     load.shares[link * load.bins + bin]       // 0 to 1
//
// How long a run will take is not known beforehand: a link that comes to the end of its bins joins
// them two by two, so that it always has most_bins at most. The sums are exact integers, whatever
// was joined when.
//
// Threads may record at the same time, of different links.
//
// C++17-clean: used in the ns-3 module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/quantities.h"

namespace npunet::engine {

/// The share of each bin during which a link was sending.
struct LinkLoad {
    Time bin;  ///< width; bin b is [b, b + 1) times it
    std::size_t bins = 0;
    std::vector<float> shares = {};  ///< 0 to 1: of link l in bin b at l * bins + b
};

class LinkLoadRecorder {
public:
    static constexpr std::size_t most_bins = 256;

    /// `only_notes`: there is no load(), but notes.
    explicit LinkLoadRecorder(std::size_t links, bool only_notes = false)
        : rows_(links), only_notes_(only_notes) {}

    /// What add() was told.
    struct Interval {
        std::uint32_t link = 0;
        std::int64_t from = 0;  ///< ps
        std::int64_t to = 0;    ///< ps
        std::int64_t busy = 0;  ///< ps
    };
    /// Takes notes of what add() is told, link by link; what follows at once is one interval.
    [[nodiscard]] std::vector<Interval> take_notes(std::size_t link) {
        return std::exchange(rows_[link].notes, {});
    }

    /// Links are as busy as the ones that stand for them, `representatives` by link.
    void fold(const std::vector<std::uint32_t>& representatives) {
        representatives_ = representatives;
    }

    /// A link has been, or will be, sending from `from` to `to` (ps). Links beyond those of the
    /// constructor are ignored.
    void add(std::size_t link, std::int64_t from, std::int64_t to) {
        add(link, from, to, to - from);
    }
    /// The same, for `busy` picoseconds of that time, evenly spread.
    void add(std::size_t link, std::int64_t from, std::int64_t to, std::int64_t busy);

    /// add() of several intervals of one link, each later by `shift` ps. `all` reaches from the
    /// first to the last of them, and is busy as long as they are together.
    void add_later(const Interval& all, const Interval* begin, const Interval* end,
                   std::int64_t shift);

    /// What has been recorded of a link, for add_since().
    struct Recorded {
        unsigned doublings = 0;
        std::vector<std::int64_t> busy;
    };
    [[nodiscard]] Recorded recorded(std::size_t link) const {
        const Row row = link < rows_.size() ? complete(rows_[link]) : Row();
        return {row.doublings, row.busy};
    }
    /// Adds to `link` what has been recorded of the link `like` since `before`.
    void add_since(const Recorded& before, std::size_t like, std::size_t link);

    /// Of a run that took so long; what was sent later is left out. 129 to 256 bins, fewer where
    /// the run was shorter than that many nanoseconds.
    [[nodiscard]] LinkLoad load(Time finish) const;

private:
    struct Row {
        unsigned doublings = 0;  ///< a bin is 2^doublings ns wide
        std::vector<std::int64_t> busy;
        // Time, in ps, in which the link was sending all the time and that is not in the bins yet:
        // packets often follow one another.
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::vector<Interval> notes;
    };
    [[nodiscard]] static std::int64_t width(unsigned doublings) {
        return std::int64_t{1000} << doublings;
    }
    /// time / width(doublings), without a division by a variable.
    [[nodiscard]] static std::int64_t bin_of(std::int64_t time, unsigned doublings) {
        return time / 1000 >> doublings;
    }
    static void widen(Row& row);
    static void put(Row& row, std::int64_t from, std::int64_t to, std::int64_t busy);
    /// With all its time in the bins.
    [[nodiscard]] static Row complete(Row row);
    /// Makes the bins wide enough for something that ends there. False beyond what any run takes.
    static bool make_room(Row& row, std::int64_t to);
    static void note(std::vector<Interval>& notes, const Interval& interval);

    std::vector<Row> rows_;
    bool only_notes_;
    std::vector<std::uint32_t> representatives_;  ///< empty: every link stands for itself
};

}  // namespace npunet::engine
