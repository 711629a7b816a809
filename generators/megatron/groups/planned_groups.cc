#include "generators/megatron/groups/planned_groups.h"

#include <fmt/format.h>

namespace npunet::generators::megatron {

namespace {

/// The original multiplies tp, ep, pp and cp. Where that is not the number of ranks of a replica,
/// ours has the factors that are.
std::string full_model_of(const Parallelism& p, std::int64_t ranks, GroupsDialect dialect) {
    const std::int64_t product = p.tp * p.ep * p.pp * p.cp;
    if (dialect == GroupsDialect::TraceViz || product == ranks) {
        return fmt::format("TP{} x EP{} x PP{} x CP{} = {} ranks", p.tp, p.ep, p.pp, p.cp, product);
    }
    if (p.tp * p.cp * p.pp == ranks) {
        return fmt::format("TP{} x PP{} x CP{} = {} ranks", p.tp, p.pp, p.cp, ranks);
    }
    return fmt::format("ETP{} x EP{} x PP{} = {} ranks", p.expert_tensor(), p.ep, p.pp, ranks);
}

}  // namespace

ParallelGroupsFile parallel_groups(const ProcessGroups& groups, GroupsDialect dialect) {
    const Parallelism& p = groups.parallelism();
    ParallelGroupsFile file;
    file.tp = p.tp;
    file.pp = p.pp;
    file.cp = p.cp;
    file.ep = p.ep;
    file.dp = p.dp;
    file.world = p.world();
    file.total_ranks = p.world();
    file.valid_ranks = p.world();
    file.error_ranks = 0;
    file.tensor = groups.all(GroupRole::Tensor);
    file.pipeline = groups.all(GroupRole::Pipeline);
    file.data = groups.all(GroupRole::Data);
    if (p.ep > 1) {
        file.expert = groups.all(GroupRole::Expert);
    }
    file.replicas =
        dialect == GroupsDialect::TraceViz ? traceviz_replicas(p) : full_replicas(groups);
    file.full_model =
        full_model_of(p, static_cast<std::int64_t>(file.replicas->front().size()), dialect);
    return file;
}

std::string parallel_groups_name(const PythonDatetime& time) {
    return fmt::format("unique_parallel_groups_{}.txt", time.compact());
}

}  // namespace npunet::generators::megatron
