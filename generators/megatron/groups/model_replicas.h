// Full replicas of a model with experts: the ranks divided into sets that can each stand alone.
//
//     full_replicas(ProcessGroups({.tp = 2, .dp = 8, .pp = 2, .ep = 4}));   // 2 lists of 16 ranks
//
// A replica holds each part of the dense model (place t in the tensor, c in the context group,
// stage p: a shard of the parameters at work on a part of the sequence) at least once, and each
// shard of the experts (et, e, p) at least once. There are dp copies of the former and edp of the
// latter, hence at most min(dp, edp) replicas; so many there always are, all of pp x max(tp cp, etp
// ep) ranks, and whatever has as few copies is held exactly once.
//
// Why: let a stage's ranks be edges between the parts (t, c), each with dp edges, and the shards
// (et, e), each with edp. A bipartite multigraph has for every number k of colours a colouring in
// which each vertex has each colour as often as any other, give or take one (D. de Werra, 1971);
// k = min(dp, edp) makes that at least once. Stages are coloured alike: their ranks differ by a
// constant, so a replica is made of whole pipelines.
#pragma once

#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/process_groups.h"

namespace npunet::generators::megatron {

using RankLists = std::vector<std::vector<Rank>>;

/// Ranks of a data-parallel place where these hold all experts, of a place among the copies of the
/// experts where these hold all dense parts, otherwise by colours. Members ascend; the lists are in
/// the order of their first ranks.
[[nodiscard]] RankLists full_replicas(const ProcessGroups& groups);

/// The rule of TraceViz's patch for Megatron-LM, which knows one rank order (tp-cp-ep-dp-pp): with
/// ep 1 the ranks of equal dp, otherwise those of equal edp. In other orders, or where etp ep <
/// tp cp, a list may lack parts of the model.
[[nodiscard]] RankLists traceviz_replicas(const Parallelism& parallelism);

}  // namespace npunet::generators::megatron
