#include "study/plan_verification.h"

#include <algorithm>

#include "planner/search/plan_cost.h"
#include "study/generated_workload.h"
#include "study/run_notes.h"

namespace npunet::study {

double VerifiedPlan::ratio() const {
    constexpr double ps_per_ms = 1e9;
    return static_cast<double>(simulated.ps()) / ps_per_ms / predicted_ms;
}

VerifiedPlan verify(const planner::Problem& problem, const planner::Plan& plan,
                    const topology::NetworkDescription& network, Fidelity fidelity) {
    const engine::Dialect dialect = engine::Dialect::named("npunet");
    Machine machine{dialect, network, engine::default_system_config(dialect), {}};
    check_fidelity(machine, fidelity);
    const engine::Workload workload =
        workload_from(workload_of(problem, plan), workload_options(machine));
    RunOptions options;
    options.timeline = false;
    const engine::Results results = simulate(workload, machine, fidelity, options);
    VerifiedPlan verified;
    verified.predicted_ms = planner::cost_of(problem, plan).step_ms();
    for (const engine::NpuResult& npu : results.npus) {
        verified.simulated = std::max(verified.simulated, npu.finish);
    }
    verified.link_bound = results.link_bound.time;
    verified.note = link_bound_note(results);
    return verified;
}

}  // namespace npunet::study
