// Attribution of the difference between the estimate and a fidelity to effects: what each effect
// level adds, measured.
//
// For consecutive effect levels k - 1 and k, let
//     F(k), e(k, c), s(k, c)   be the finish, the end of c, and the starts of its parts, in the run
//                              of level k
//     A(k, s, c)               the end of c in the isolated run of level k with those starts
// Then the step is attributed, for each collective or message c, to
//     alone       A(k, s(k - 1)) - A(k - 1, s(k - 1))                    effect on c in isolation
//     others      [e(k) - A(k, s(k))] - [e(k - 1) - A(k - 1, s(k - 1))]  cost added by others
//     dependency  A(k, s(k)) - A(k, s(k - 1))                            other start times
// which sum to e(k) - e(k - 1). For the whole run, with P(k) the finish if every c starts at
// s(k - 1) and ends at e(k) - dependency, and all other operations run as their dependencies allow:
//     direct      P(k) - F(k - 1)
//     dependency  F(k) - P(k)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/program/workload.h"
#include "report/comparison/gap.h"
#include "study/gap/effect_level.h"
#include "study/gap/isolated_runs.h"
#include "study/gap/joint_operations.h"
#include "study/gap/link_tap.h"

namespace npunet::study {

/// Parts of the difference, of the whole run and of each communication.
struct Attribution {
    report::Gap total;
    std::vector<Time> direct;         ///< P(k) - F(k - 1), by step
    std::vector<report::Gap> of;      ///< by communication
    std::vector<report::Gap> others;  ///< by communication: of its parts the cost of other traffic
    std::vector<bool> measured;       ///< by communication: A() is known
};

/// Runs of all effect levels from the estimate to a fidelity.
struct EffectSequence {
    std::vector<Step> steps;                 ///< those that could be simulated
    std::vector<RunTimes> times;             ///< of the estimate, then of each step
    std::vector<LinkOccupancy> occupancies;  ///< in the run that adds contention
    std::vector<std::string> notes;
};

/// `estimate`: the run of EffectLevel::Estimate. Throws as EffectLevels::run() if the fidelity
/// itself cannot be simulated; other levels that cannot be are left out, with a note.
[[nodiscard]] EffectSequence run_levels(const engine::Workload& workload, const Machine& machine,
                                        EffectLevels& levels, GapProgress& progress,
                                        Fidelity fidelity, const RunTimes& estimate,
                                        const LinkTap::CommunicationOf& communication_of);

/// `first`: communications in the order in which they are measured, while simulations are left.
[[nodiscard]] Attribution attribute(const engine::Workload& workload, const EffectLevels& levels,
                                    GapProgress& progress, IsolatedRuns& isolated,
                                    const EffectSequence& sequence,
                                    const std::vector<JointOperation>& communications,
                                    const std::vector<std::uint32_t>& first);

}  // namespace npunet::study
