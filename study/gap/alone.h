// How long a collective or message takes when it has the network to itself.
//
//     AloneRuns alone(workload, machine, rungs, 2000);
//     const std::vector<Time>* ends = alone.ends(Rung::SharedLinks, communication, starts);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/workload.h"
#include "study/gap/effect_level.h"
#include "study/gap/joint_operations.h"

namespace npunet::study {

class AloneRuns {
public:
    /// The references must outlive this. At most `most` simulations are made.
    AloneRuns(const engine::Workload& workload, const Machine& machine, EffectLevels& levels,
              std::size_t most);

    /// When each part ends where every part begins at its start, whatever it depends on, and
    /// nothing else is sent. Empty where that cannot be told: the simulations are used up, or it
    /// stalls. Starts that differ by a shift alone give the same ends but for the shift, unless
    /// links have faults.
    [[nodiscard]] std::vector<Time> ends(EffectLevel level, const JointOperation& communication,
                                         const std::vector<Time>& starts);

private:
    /// Rung, what is communicated between whom, and the starts.
    using Key = std::vector<std::int64_t>;

    [[nodiscard]] Key key_of(EffectLevel level, const JointOperation& communication,
                             const std::vector<Time>& starts) const;
    [[nodiscard]] std::vector<Time> simulate(EffectLevel level, const JointOperation& communication,
                                             const std::vector<Time>& starts);
    void put_in_programs(const JointOperation& communication);

    const engine::Workload& workload_;
    EffectLevels& levels_;
    bool shifts_;  ///< the network is the same at all times
    std::size_t left_;
    engine::Workload alone_;  ///< everybody idle, but for the communication looked at last
    std::map<Key, std::vector<Time>> known_;
};

}  // namespace npunet::study
