// For whom an NPU waits in a collective: a member whose data it needs and that has not begun.
//
//     LateMembers late(workload, fold, records, partial);
//     for (const LateMember& last : late.of(rank)) { last.operation; last.begun; last.rank; }
//
// Members need the data of all others; in a broadcast or scatter those of the root; in a reduce or
// gather the root needs those of all, and the others wait for none. C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/npu/rank_record.h"
#include "engine/program/fold.h"
#include "engine/program/workload.h"

namespace npunet::engine {

/// Of the members that one collective of a rank waits for, the one that begins last; of equals the
/// first of the group.
struct LateMember {
    std::uint32_t operation = 0;  ///< of the waiting rank
    Rank rank;                    ///< the late member
    Time begun;                   ///< Time::max(): not in this run, which was broken off
};

class LateMembers {
public:
    /// Records by rank, of those that stand for others. The references must outlive this.
    LateMembers(const Workload& workload, const Fold& fold, const std::vector<RankRecord>& records,
                bool partial);

    /// Of the collectives of a rank that begin before another of their members does, ascending.
    /// Time: proportional to those collectives, and once per communicator to those of its members.
    [[nodiscard]] std::vector<LateMember> of(Rank rank);

private:
    struct Begin {
        Rank rank;  ///< invalid: there is none
        Time at;
    };

    [[nodiscard]] Time begin_of(Rank rank, std::uint32_t operation) const;
    /// Of the last member of each collective of a communicator.
    [[nodiscard]] const std::vector<Begin>& last_of(std::int32_t group);
    /// Of the last member whose data a rank needs in a collective.
    [[nodiscard]] Begin awaited(Rank rank, std::int32_t group, std::size_t number,
                                const ProgramOperation& collective);

    const Workload& workload_;
    const Fold& fold_;
    const std::vector<RankRecord>& records_;
    bool partial_;
    std::vector<std::vector<Begin>> last_;  ///< by communicator; empty: not looked at
};

}  // namespace npunet::engine
