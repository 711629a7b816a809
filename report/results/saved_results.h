// The results of a run as timeline.pb keeps them: what its page shows besides the timeline.
//
//     save_results(results, *message.mutable_results());
//     const engine::Results results = restored_results(message.results());
#pragma once

#include "engine/results/results.h"

namespace npunet::timeline {
class Results;
}

namespace npunet::report {

/// NPUs, collectives, links and rates of the step; neither the timeline nor flows nor notes.
void save_results(const engine::Results& results, timeline::Results& message);

/// Ranks below 0 or from 2^22 on are left out.
[[nodiscard]] engine::Results restored_results(const timeline::Results& message);

}  // namespace npunet::report
