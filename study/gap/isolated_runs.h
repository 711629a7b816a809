// Isolated runs: how long a collective or message takes when it has the network to itself.
//
//     IsolatedRuns isolated(workload, machine, levels, 2000);
//     std::vector<Time> ends = isolated.ends(EffectLevel::SharedLinks, communication, starts);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/program/workload.h"
#include "study/gap/effect_level.h"
#include "study/gap/joint_operations.h"

namespace npunet::study {

class IsolatedRuns {
public:
    /// The references must outlive this. At most `most` simulations are made.
    IsolatedRuns(const engine::Workload& workload, const Machine& machine, EffectLevels& levels,
                 std::size_t most);

    /// When each part ends if every part begins at its start, ignoring dependencies, and nothing
    /// else is sent. Empty if unknown: no simulations are left, or the run stalls. Starts shifted
    /// by a constant give the same ends with that shift, unless links have faults.
    [[nodiscard]] std::vector<Time> ends(EffectLevel level, const JointOperation& communication,
                                         const std::vector<Time>& starts);

private:
    /// Effect level, what is communicated between which ranks, and the starts.
    using Key = std::vector<std::int64_t>;

    [[nodiscard]] Key key_of(EffectLevel level, const JointOperation& communication,
                             const std::vector<Time>& starts) const;
    [[nodiscard]] std::vector<Time> simulate(EffectLevel level, const JointOperation& communication,
                                             const std::vector<Time>& starts);
    void put_in_programs(const JointOperation& communication);

    const engine::Workload& workload_;
    EffectLevels& levels_;
    bool shifts_;                ///< no faults: shifted starts give shifted ends
    std::size_t left_;           ///< simulations that may still be made
    engine::Workload isolated_;  ///< all ranks idle except in the communication simulated last
    std::map<Key, std::vector<Time>> known_;
};

}  // namespace npunet::study
