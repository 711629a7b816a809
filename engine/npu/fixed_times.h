// Operations whose times are given instead of found: what a run would be if they happened then.
//
//     FixedTimes times(workload.ranks());
//     times.set(Rank(3), 7, Time::ns(500));                   // starts then, ends as it does
//     times.set(Rank(3), 8, Time::ns(900), Time::ns(1200));   // starts and ends then
//     simulation.fix_times(times);                            // before start()
//
// Such an operation waits for nothing, needs no place, and starts at its time in Phase::Issue. With
// an end it is not carried out: it sends nothing, and what waits for it starts then. The simulation
// starts at time 0.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::engine {

struct FixedTime {
    Time start;
    /// Time::max(): as the network has it.
    Time end = Time::max();
};

class FixedTimes {
public:
    explicit FixedTimes(std::size_t ranks) : of_rank_(ranks) {}

    /// An operation by its number in the program of its rank; 0 <= start.
    void set(Rank rank, std::uint32_t number, Time start, Time end = Time::max()) {
        of_rank_[rank.index()][number] = {start, end};
    }
    /// Null: found by the simulation.
    [[nodiscard]] const FixedTime* of(Rank rank, std::uint32_t number) const {
        const std::map<std::uint32_t, FixedTime>& times = of_rank_[rank.index()];
        const auto found = times.find(number);
        return found == times.end() ? nullptr : &found->second;
    }
    /// By number.
    [[nodiscard]] const std::map<std::uint32_t, FixedTime>& of(Rank rank) const {
        return of_rank_[rank.index()];
    }

private:
    std::vector<std::map<std::uint32_t, FixedTime>> of_rank_;
};

}  // namespace npunet::engine
