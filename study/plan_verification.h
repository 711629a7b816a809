// A plan's predicted step beside a simulated one.
//
//     VerifiedPlan verified = verify(problem, plan, network, Fidelity::CongestionAware);
#pragma once

#include <string>

#include "base/quantities.h"
#include "generators/workload.h"
#include "planner/search/plan.h"
#include "planner/search/problem.h"
#include "study/simulation_run.h"
#include "topology/network_description.h"

namespace npunet::study {

struct VerifiedPlan {
    double predicted_ms = 0;
    Time simulated;    ///< when the last device has finished
    Time link_bound;   ///< engine::Results::link_bound
    std::string note;  ///< that it finishes before link_bound; else empty

    /// Simulated by predicted.
    [[nodiscard]] double ratio() const;
};

/// Makes the plan's traces (study/plan_workload.h) and simulates a step of them. `network`: rank r
/// of it is the r-th device of the cluster. Throws InputError as simulate() does.
[[nodiscard]] VerifiedPlan verify(const planner::Problem& problem, const planner::Plan& plan,
                                  const topology::NetworkDescription& network, Fidelity fidelity);

}  // namespace npunet::study
