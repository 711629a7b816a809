// The Chakra nodes of one rank's graph.
//
//     TraceNodes nodes(graph, run.calls[rank], begin_ns);
//     nodes.visit([&](const chakra::Node& node) { writer.write(node); });
//
// Ids are 1, 2, ... in the order of the graph. Durations are exact in duration_ns; duration_micros
// is rounded so that the sums of a thread and of a stream are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chakra/trace/node.h"
#include "generators/profiler/communication_matching.h"
#include "generators/profiler/rank_graph.h"

namespace npunet::generators::profiler {

class TraceNodes {
public:
    /// `begin_ns` is when the rank begins, from 0: a CPU node of its own where it is later. All
    /// must outlive this.
    TraceNodes(const RankGraph& graph, const std::vector<MatchedCall>& calls,
               std::int64_t begin_ns);

    void visit(const std::function<void(const chakra::Node&)>& visitor);

private:
    [[nodiscard]] chakra::Node begin_node();
    [[nodiscard]] chakra::Node node(std::uint32_t index);
    void add_compute(chakra::Node& node, const GraphNode& one);
    void add_call(chakra::Node& node, const GraphNode& one);
    void set_duration(chakra::Node& node, std::int64_t ns, std::int64_t& sum_ns) const;

    const RankGraph& graph_;
    const std::vector<MatchedCall>& calls_;
    std::int64_t begin_ns_;
    std::uint64_t first_id_;
    std::vector<std::int64_t> thread_ns_;  ///< so far, by thread
    std::vector<std::int64_t> stream_ns_;  ///< by stream
};

}  // namespace npunet::generators::profiler
