// One rank's activity as the nodes of a trace to be: what runs, for how long, and behind what.
//
//     const RankGraph graph = rank_graph(activity, CpuModel::Gap);
//     for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
//         for (const std::uint32_t before : graph.after(i)) { ... }      // before < i
//     }
//
// Nodes stand in an order in which they can run. A batch of sends and receives is a node for each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generators/profiler/rank_activity.h"

namespace npunet::generators::profiler {

/// What happens between launches.
enum class CpuModel : std::uint8_t {
    Gap,  ///< the CPU's time, as recorded
    None  ///< nothing: streams alone
};

struct GraphNode {
    enum class Kind : std::uint8_t { Host, Compute, Communication };
    Kind kind = Kind::Compute;
    Span span;                 ///< as measured
    std::uint32_t name = 0;    ///< index into RankGraph::names
    std::int32_t place = 0;    ///< thread or stream
    std::int32_t call = -1;    ///< index into RankGraph::calls
    std::int32_t kernel = -1;  ///< index into RankGraph::kernels; -1: not known
    bool launched = false;     ///< by a CPU call of the profile
    std::uint32_t first = 0;   ///< of RankGraph::dependencies
};

struct RankGraph {
    std::string file;
    Rank rank;
    std::int32_t world_size = 0;  ///< 0: not told
    Span span;
    std::vector<Stream> streams;
    std::vector<std::string> threads;
    std::vector<std::string> names;
    std::vector<GraphNode> nodes;
    std::vector<std::uint32_t> dependencies;  ///< indices of nodes, by node
    std::vector<CommunicationCall> calls;
    std::vector<OperatorKernel> kernels;
    std::int64_t operations = 0;      ///< of the GPU
    std::int64_t without_launch = 0;  ///< of those, launched outside of the profile
    std::int64_t dropped = 0;         ///< dependencies that the times contradict
    std::int64_t joined = 0;          ///< communications that the execution trace knew
    std::string join_refusal;
    profiles::Damage damage;

    [[nodiscard]] std::span<const std::uint32_t> after(std::size_t node) const {
        const std::size_t end =
            node + 1 < nodes.size() ? nodes[node + 1].first : dependencies.size();
        return {dependencies.data() + nodes[node].first, dependencies.data() + end};
    }
};

/// The table of the activity is not needed afterwards.
[[nodiscard]] RankGraph rank_graph(RankActivity activity, CpuModel model);

}  // namespace npunet::generators::profiler
