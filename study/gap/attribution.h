// One climb from the estimate to a fidelity: what each step adds, measured.
//
// With, for the rungs k - 1 and k below and above a step,
//     F(k), e(k, c), s(k, c)   the finish, the end of c, and the starts of its parts, in the run on
//     k A(k, s, c)               the end of c on k with those starts, alone on the network
// the step is made of four measurements of each collective or message c:
//     alone       A(k, s(k - 1)) - A(k - 1, s(k - 1))                    the effect on c by itself
//     others      [e(k) - A(k, s(k))] - [e(k - 1) - A(k - 1, s(k - 1))]  what others cost, more
//     dependency  A(k, s(k)) - A(k, s(k - 1))                            it starts at other times
// which sum to e(k) - e(k - 1); and of the whole run, P(k) being the finish when every c ends at
// e(k) - dependency, starts at s(k - 1), and what is not communication runs as it can:
//     direct      P(k) - F(k - 1)
//     dependency  F(k) - P(k)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/workload.h"
#include "report/gap.h"
#include "study/gap/alone.h"
#include "study/gap/effect_level.h"
#include "study/gap/joint_operations.h"
#include "study/gap/link_tap.h"

namespace npunet::study {

/// What a climb found.
struct Attribution {
    report::Gap total;
    std::vector<report::Gap> of;      ///< by communication
    std::vector<report::Gap> others;  ///< by communication: of its parts what others cost
    std::vector<bool> measured;       ///< by communication: A() is known
};

/// Runs of all rungs from the estimate to a fidelity.
struct EffectSequence {
    std::vector<Step> steps;      ///< those that could be simulated
    std::vector<RunTimes> times;  ///< that of the estimate, then of each step
    std::vector<Stay> stays;      ///< on the rung whose step is contention
    std::vector<std::string> notes;
};

/// `estimate`: the run on Rung::Estimate. Throws as EffectLevels::run() where the fidelity itself
/// cannot be simulated; other rungs that cannot be are left out, with a note.
[[nodiscard]] EffectSequence run_levels(const engine::Workload& workload, const Machine& machine,
                                        EffectLevels& levels, GapProgress& progress,
                                        Fidelity fidelity, const RunTimes& estimate,
                                        const LinkTap::CommunicationOf& communication_of);

/// `first` lists the communications in the order in which they are measured, while simulations are
/// left.
[[nodiscard]] Attribution attribute(const engine::Workload& workload, const EffectLevels& levels,
                                    GapProgress& progress, AloneRuns& alone,
                                    const EffectSequence& sequence,
                                    const std::vector<JointOperation>& communications,
                                    const std::vector<std::uint32_t>& first);

}  // namespace npunet::study
