#include "generators/profiler/trace_nodes.h"

#include <algorithm>
#include <string>

namespace npunet::generators::profiler {

namespace {

std::uint64_t micros_of(std::int64_t ns) {
    return static_cast<std::uint64_t>((ns + 500) / 1000);
}

}  // namespace

TraceNodes::TraceNodes(const RankGraph& graph, const std::vector<MatchedCall>& calls,
                       std::int64_t begin_ns)
    : graph_(graph),
      calls_(calls),
      begin_ns_(begin_ns),
      first_id_(begin_ns > 0 ? 2 : 1),
      thread_ns_(graph.threads.size(), 0),
      stream_ns_(graph.streams.size(), 0) {}

void TraceNodes::visit(const std::function<void(const chakra::Node&)>& visitor) {
    if (begin_ns_ > 0) {
        visitor(begin_node());
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
        visitor(node(i));
    }
}

void TraceNodes::set_duration(chakra::Node& node, std::int64_t ns, std::int64_t& sum_ns) const {
    node.duration_micros = micros_of(sum_ns + ns) - micros_of(sum_ns);
    sum_ns += ns;
    node.set_integer("duration_ns", ns);
}

chakra::Node TraceNodes::begin_node() {
    chakra::Node node;
    node.id = 1;
    node.name = "begin of the rank";
    node.type = chakra::NodeType::Compute;
    node.set_bool("is_cpu_op", true);
    std::int64_t sum_ns = 0;
    set_duration(node, begin_ns_, sum_ns);
    return node;
}

chakra::Node TraceNodes::node(std::uint32_t index) {
    const GraphNode& one = graph_.nodes[index];
    chakra::Node node;
    node.id = first_id_ + index;
    node.name = graph_.names[one.name];
    node.start_time_micros =
        micros_of(begin_ns_ + std::max<std::int64_t>(one.span.begin_ns - graph_.span.begin_ns, 0));
    for (const std::uint32_t before : graph_.after(index)) {
        node.data_deps.push_back(first_id_ + before);
    }
    if (node.data_deps.empty() && begin_ns_ > 0) {
        node.data_deps.push_back(1);
    }
    if (one.kind == GraphNode::Kind::Communication) {
        add_call(node, one);
    } else {
        add_compute(node, one);
    }
    if (one.kind != GraphNode::Kind::Host) {
        const Stream& stream = graph_.streams[static_cast<std::size_t>(one.place)];
        node.set_integer("device", stream.device);
        node.set_integer("stream", stream.number);
    }
    return node;
}

void TraceNodes::add_compute(chakra::Node& node, const GraphNode& one) {
    const bool host = one.kind == GraphNode::Kind::Host;
    node.type = chakra::NodeType::Compute;
    node.set_bool("is_cpu_op", host);
    set_duration(node, one.span.end_ns - one.span.begin_ns,
                 (host ? thread_ns_ : stream_ns_)[static_cast<std::size_t>(one.place)]);
    if (one.kernel >= 0) {
        const OperatorKernel& known = graph_.kernels[static_cast<std::size_t>(one.kernel)];
        if (known.bytes > 0) {
            node.set_integer("tensor_size", known.bytes);
        }
        add_kernel(node, known.kernel);
    }
}

void TraceNodes::add_call(chakra::Node& node, const GraphNode& one) {
    const MatchedCall& matched = calls_[static_cast<std::size_t>(one.call)];
    const CommunicationCall& call = graph_.calls[static_cast<std::size_t>(one.call)];
    if (matched.kind == MatchedCall::Kind::Compute) {
        add_compute(node, one);
        return;
    }
    node.set_bool("is_cpu_op", false);
    switch (matched.kind) {
        case MatchedCall::Kind::Collective:
            node.type = chakra::NodeType::CommCollective;
            node.set_integer("comm_type", static_cast<std::int64_t>(call.collective));
            node.set_integer("comm_size", matched.comm_size);
            if (!matched.comm_sizes.empty()) {
                node.set("comm_sizes", matched.comm_sizes);
            }
            if (matched.root.valid()) {
                node.set_int32("comm_root", matched.root.value());
            }
            node.set_text("pg_name", matched.group);
            if (call.element != chakra::DataType::None) {
                node.set_text("dtype", name_of(call.element));
            }
            break;
        case MatchedCall::Kind::Send:
        case MatchedCall::Kind::Receive:
            node.type = matched.kind == MatchedCall::Kind::Send ? chakra::NodeType::CommSend
                                                                : chakra::NodeType::CommReceive;
            node.set_integer("comm_size", matched.comm_size);
            node.set_int32("comm_tag", matched.tag);
            node.set_int32("comm_src", matched.source.value());
            node.set_int32("comm_dst", matched.destination.value());
            break;
        default:
            node.type = chakra::NodeType::Compute;
            node.set_integer("duration_ns", 0);
            break;
    }
    if (matched.before >= 0) {
        const std::uint64_t before = first_id_ + static_cast<std::uint64_t>(matched.before);
        if (std::find(node.data_deps.begin(), node.data_deps.end(), before) ==
            node.data_deps.end()) {
            node.data_deps.push_back(before);
        }
    }
    node.set_integer("measured_ns", one.span.end_ns - one.span.begin_ns);
    if (call.in_bytes >= 0) {
        node.set_integer("in_bytes", call.in_bytes);
    }
    if (call.out_bytes >= 0) {
        node.set_integer("out_bytes", call.out_bytes);
    }
}

}  // namespace npunet::generators::profiler
