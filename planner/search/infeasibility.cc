#include "planner/search/infeasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/search/plan_cost.h"

namespace npunet::planner {

namespace {

std::optional<Plan> plan_with_memory(const Problem& problem, const FindPlan& find, double factor) {
    Cluster cluster = problem.cluster();
    for (Node& node : cluster.nodes) {
        node.memory_mib *= factor;
    }
    const Problem larger(std::move(cluster), problem.profiles(), problem.model(),
                         problem.profile_folder());
    return find(larger);
}

/// The plan for the least multiple of the memory that has one, within a percent; none when even
/// a thousand times is not enough: then it is not the memory.
std::optional<Plan> plan_with_least_memory(const Problem& problem, const FindPlan& find) {
    constexpr double most = 1024;
    double high = 2;
    std::optional<Plan> plan = plan_with_memory(problem, find, high);
    while (!plan && high < most) {
        high *= 2;
        plan = plan_with_memory(problem, find, high);
    }
    double low = high / 2;
    while (plan && high / low > 1.01) {
        const double middle = (low + high) / 2;
        std::optional<Plan> smaller = plan_with_memory(problem, find, middle);
        (smaller ? high : low) = middle;
        if (smaller) {
            plan = std::move(smaller);
        }
    }
    return plan;
}

/// What a plan needs of each type's device at most, in MiB.
std::map<std::size_t, double> needs_of(const Problem& problem, const Plan& plan) {
    std::map<std::size_t, double> needs;
    const auto stages = static_cast<std::int64_t>(plan.stages.size());
    for (std::int64_t s = 0; s < stages; ++s) {
        const PlanStage& stage = plan.stages[static_cast<std::size_t>(s)];
        const std::int64_t in_flight = chunks_in_flight(plan.micro_batches, plan.chunks, stages, s);
        for (const NodeShare& share : stage.shares) {
            const std::size_t type = problem.cluster().nodes[share.node].type;
            double& need = needs[type];
            need =
                std::max(need, memory_of(problem, *problem.sums(type, stage.tp, stage.batch),
                                         plan.chunks, stage.first_layer, stage.layers, in_flight));
        }
    }
    return needs;
}

constexpr double mib_per_gib = 1024;

InputError too_little_memory(const Problem& problem, const Plan& plan) {
    std::string has;
    std::string needs;
    for (const auto& [type, mib] : needs_of(problem, plan)) {
        double least = 0;
        for (const Node& node : problem.cluster().nodes) {
            if (node.type == type) {
                least = least == 0 ? node.memory_mib : std::min(least, node.memory_mib);
            }
        }
        const std::string& name = problem.cluster().types[type];
        has +=
            fmt::format("{}{} with {:.4g} GiB", has.empty() ? "" : ", ", name, least / mib_per_gib);
        // Rounded up, so that what the message asks for is enough.
        const double enough = std::ceil(mib / mib_per_gib * 1000) / 1000;
        needs +=
            fmt::format("{}{:.3f} GiB for each {}", needs.empty() ? "" : " and ", enough, name);
    }
    return InputError({"--clusterfile", "memory", fmt::format("{}: no plan fits", has),
                       fmt::format("for example {}", needs),
                       "Use larger or more devices, smaller profiled micro-batches, or a lower "
                       "--memory-factor"});
}

/// The first three, and how many more there are.
std::string describe_all(const Problem& problem, const std::set<MissingProfile>& missing) {
    std::string list;
    std::size_t count = 0;
    for (const MissingProfile& profile : missing) {
        if (++count <= 3) {
            list += fmt::format("{}{}", list.empty() ? "" : ", ", describe(problem, profile));
        }
    }
    return count > 3 ? fmt::format("{} and {} more", list, count - 3) : list;
}

}  // namespace

std::string describe(const Problem& problem, const MissingProfile& missing) {
    const auto& [type, tp, batch] = missing;
    const std::string& name = problem.cluster().types[type];
    return fmt::format("{} tp {} batch {} (DeviceType.{}_tp{}_bs{}.json)", name, tp, batch, name,
                       tp, batch);
}

std::optional<InputError> missing_among_others(const Problem& problem,
                                               const std::set<MissingProfile>& missing) {
    std::set<MissingProfile> holes;
    for (const MissingProfile& profile : missing) {
        if (problem.is_profiled(std::get<1>(profile), std::get<2>(profile))) {
            holes.insert(profile);
        }
    }
    if (holes.empty()) {
        return std::nullopt;
    }
    return InputError({problem.profile_folder(), "",
                       fmt::format("no profile of {}", describe_all(problem, holes)),
                       "profiles of every type for each profiled tp and batch that plans need",
                       "Add them, or leave such plans out with --skip-missing-profiles"});
}

InputError infeasible(const Problem& problem, const std::set<MissingProfile>& missing,
                      const FindPlan& find) {
    if (const std::optional<Plan> plan = plan_with_least_memory(problem, find)) {
        return too_little_memory(problem, *plan);
    }
    if (!missing.empty()) {
        return InputError({problem.profile_folder(), "",
                           fmt::format("no profiles of {}", describe_all(problem, missing)),
                           "profiles with which every device gets a place in some plan",
                           "Add some of them (npunet plan profiles makes synthetic ones)"});
    }
    return InputError({"--batch", "", fmt::format("{} samples", problem.model().global_batch),
                       fmt::format("a batch and {} layers that stages of the cluster's {} devices "
                                   "can divide: (dp, tp) with dp x tp = devices and dp dividing it",
                                   problem.model().layers, problem.cluster().devices()),
                       "Change --batch, for example to a multiple of the number of devices"});
}

}  // namespace npunet::planner
