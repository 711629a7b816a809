#include "generators/profiler/rank_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "generators/profiler/host_segments.h"
#include "generators/profiler/stream_order.h"

namespace npunet::generators::profiler {

namespace {

class GraphBuilder {
public:
    GraphBuilder(RankActivity activity, CpuModel model)
        : activity_(std::move(activity)), order_(activity_) {
        if (model == CpuModel::Gap) {
            segments_ = host_segments(activity_, order_);
        } else {
            segments_.of_launch.assign(activity_.operations.size(), -1);
        }
    }

    RankGraph build() {
        describe();
        collect_nodes();
        collect_dependencies();
        sort();
        return std::move(graph_);
    }

private:
    using Node = std::uint32_t;

    void describe() {
        graph_.file = activity_.file;
        graph_.rank = activity_.rank;
        graph_.world_size = activity_.world_size;
        graph_.span = activity_.span;
        graph_.streams = activity_.streams;
        graph_.kernels = activity_.kernels;
        graph_.operations = static_cast<std::int64_t>(activity_.operations.size());
        graph_.without_launch = activity_.without_launch;
        graph_.joined = activity_.joined;
        graph_.join_refusal = activity_.join_refusal;
        graph_.damage = activity_.damage;
        for (const HostThread& thread : activity_.threads) {
            graph_.threads.push_back(thread.name);
        }
    }

    std::uint32_t name(std::string_view text) {
        const auto [entry, is_new] =
            names_.try_emplace(std::string(text), static_cast<std::uint32_t>(graph_.names.size()));
        if (is_new) {
            graph_.names.emplace_back(text);
        }
        return entry->second;
    }

    void collect_nodes() {
        for (const HostSegment& segment : segments_.segments) {
            GraphNode node;
            node.kind = GraphNode::Kind::Host;
            node.span = segment.span;
            node.place = segment.thread;
            node.name = name(fmt::format("cpu thread {}",
                                         graph_.threads[static_cast<std::size_t>(segment.thread)]));
            nodes_.push_back(node);
        }
        for (DeviceOperation& operation : activity_.operations) {
            first_.push_back(static_cast<Node>(nodes_.size()));
            GraphNode node;
            node.span = operation.span;
            node.place = operation.stream;
            node.launched = operation.launch >= 0;
            node.name = name(operation.name);
            node.kernel = operation.kernel;
            if (!operation.communication) {
                nodes_.push_back(node);
            }
            node.kind = GraphNode::Kind::Communication;
            for (CommunicationCall& call : operation.calls) {
                node.call = static_cast<std::int32_t>(graph_.calls.size());
                graph_.calls.push_back(std::move(call));
                nodes_.push_back(node);
            }
        }
        first_.push_back(static_cast<Node>(nodes_.size()));
    }

    /// Of every node of one operation on every node of another.
    void follow(std::uint32_t earlier, std::uint32_t later) {
        for (Node before = first_[earlier]; before < first_[earlier + 1]; ++before) {
            for (Node node = first_[later]; node < first_[later + 1]; ++node) {
                dependencies_.emplace_back(node, before);
            }
        }
    }

    void collect_dependencies() {
        for (const auto& [earlier, later] : order_.dependencies()) {
            follow(earlier, later);
        }
        for (std::uint32_t i = 0; i < activity_.operations.size(); ++i) {
            for (Node node = first_[i]; segments_.of_launch[i] >= 0 && node < first_[i + 1];
                 ++node) {
                dependencies_.emplace_back(node, static_cast<Node>(segments_.of_launch[i]));
            }
        }
        for (Node segment = 0; segment < segments_.segments.size(); ++segment) {
            for (const std::uint32_t before : segments_.segments[segment].after_segments) {
                dependencies_.emplace_back(segment, before);
            }
            for (const std::uint32_t operation : segments_.segments[segment].after_operations) {
                for (Node before = first_[operation]; before < first_[operation + 1]; ++before) {
                    dependencies_.emplace_back(segment, before);
                }
            }
        }
    }

    /// CPU segments stand where they end, operations where they start: nothing then follows what
    /// stands behind it, unless the profile's clocks contradict themselves.
    void sort() {
        const auto key = [&](Node node) {
            const GraphNode& one = nodes_[node];
            const bool host = one.kind == GraphNode::Kind::Host;
            return std::tuple(host ? one.span.end_ns : one.span.begin_ns, !host, node);
        };
        std::vector<Node> sorted(nodes_.size());
        for (Node node = 0; node < sorted.size(); ++node) {
            sorted[node] = node;
        }
        std::sort(sorted.begin(), sorted.end(), [&](Node a, Node b) { return key(a) < key(b); });
        std::vector<Node> place(nodes_.size());
        for (Node i = 0; i < sorted.size(); ++i) {
            place[sorted[i]] = i;
        }
        for (auto& [node, before] : dependencies_) {
            node = place[node];
            before = place[before];
        }
        std::sort(dependencies_.begin(), dependencies_.end());
        dependencies_.erase(std::unique(dependencies_.begin(), dependencies_.end()),
                            dependencies_.end());
        auto dependency = dependencies_.begin();
        for (Node i = 0; i < sorted.size(); ++i) {
            GraphNode node = nodes_[sorted[i]];
            node.first = static_cast<std::uint32_t>(graph_.dependencies.size());
            for (; dependency != dependencies_.end() && dependency->first == i; ++dependency) {
                if (dependency->second < i) {
                    graph_.dependencies.push_back(dependency->second);
                } else {
                    ++graph_.dropped;
                }
            }
            graph_.nodes.push_back(node);
        }
    }

    RankActivity activity_;
    StreamOrder order_;
    HostSegments segments_;
    RankGraph graph_;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::vector<GraphNode> nodes_;                     ///< segments, then operations
    std::vector<Node> first_;                          ///< by operation: its first node
    std::vector<std::pair<Node, Node>> dependencies_;  ///< node and what it follows
};

}  // namespace

RankGraph rank_graph(RankActivity activity, CpuModel model) {
    return GraphBuilder(std::move(activity), model).build();
}

}  // namespace npunet::generators::profiler
