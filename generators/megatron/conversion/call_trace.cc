#include "generators/megatron/conversion/call_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "chakra/trace/kernel.h"

namespace npunet::generators::megatron {

namespace {

chakra::CollectiveType collective_of(Operation operation) {
    switch (operation) {
        case Operation::AllReduce:
            return chakra::CollectiveType::AllReduce;
        case Operation::Broadcast:
            return chakra::CollectiveType::Broadcast;
        case Operation::AllGather:
        case Operation::AllGatherBase:
        case Operation::AllGatherIntoTensor:
            return chakra::CollectiveType::AllGather;
        case Operation::ReduceScatter:
        case Operation::ReduceScatterBase:
        case Operation::ReduceScatterTensor:
            return chakra::CollectiveType::ReduceScatter;
        case Operation::Scatter:
            return chakra::CollectiveType::Scatter;
        case Operation::Gather:
            return chakra::CollectiveType::Gather;
        case Operation::AllToAll:
        case Operation::AllToAllSingle:
            return chakra::CollectiveType::AllToAll;
        default:
            return chakra::CollectiveType::Barrier;
    }
}

void add_unless_there(std::vector<std::uint64_t>& ids, std::uint64_t id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
        ids.push_back(id);
    }
}

}  // namespace

CallTrace::CallTrace(Rank owner, double scale, NodeVisitor visitor)
    : owner_(owner), scale_(scale), visitor_(std::move(visitor)) {}

std::int64_t CallTrace::scaled(std::int64_t amount) const {
    const double product = std::ceil(static_cast<double>(amount) * scale_);
    if (scale_ > 1.0 && product >= 0x1p62) {
        throw InputError({"--scale", "", fmt::format("{} times {}", amount, scale_),
                          "bytes, FLOPs and times below 2^62", "Choose a smaller one"});
    }
    return scale_ == 1.0 ? amount : static_cast<std::int64_t>(product);
}

std::int64_t CallTrace::comm_size(const Call& call) const {
    const std::int64_t bytes = scaled(payload_bytes(call));
    if (bytes > chakra::largest_comm_size) {
        throw InputError({"--scale", "", fmt::format("{} bytes in a call", bytes),
                          fmt::format("at most {}", chakra::largest_comm_size),
                          "Choose a smaller one"});
    }
    return bytes;
}

void CallTrace::compute(const std::string& name, const ComputeCost& cost) {
    chakra::Node node;
    node.id = next_id_++;
    node.name = name;
    node.type = chakra::NodeType::Compute;
    node.data_deps = before_;
    if (cost.ns >= 0) {
        const std::int64_t ns = scaled(cost.ns);
        node.duration_micros = static_cast<std::uint64_t>((ns + 999) / 1000);
        node.set_integer("duration_ns", ns);
    } else {
        node.set_integer("num_ops", scaled(cost.flops));
        node.set("tensor_size", static_cast<std::uint64_t>(scaled(cost.bytes)));
    }
    node.set_bool("is_cpu_op", false);
    before_ = {node.id};
    visitor_(node);
}

std::uint64_t CallTrace::call(const Call& call, const std::string& group, const std::string& name) {
    chakra::Node node;
    node.id = next_id_++;
    node.name = name;
    if (is_collective(call.operation)) {
        add_collective(node, call, group);
        place(node, call);
        const auto [last, is_first] = last_of_group_.try_emplace(group, node.id);
        if (!is_first) {
            add_unless_there(node.data_deps, last->second);
            last->second = node.id;
        }
    } else {
        add_message(node, call);
        place(node, call);
    }
    node.set_bool("is_cpu_op", false);
    visitor_(node);
    return node.id;
}

void CallTrace::wait(std::uint64_t call) {
    add_unless_there(before_, call);
}

void CallTrace::add_collective(chakra::Node& node, const Call& call, const std::string& group) {
    const chakra::CollectiveType type = collective_of(call.operation);
    node.type = chakra::NodeType::CommCollective;
    node.set_integer("comm_type", static_cast<std::int64_t>(type));
    node.set_integer("comm_size", comm_size(call));
    if (call.peer.valid()) {
        node.set_integer("comm_root", call.peer.value());
    }
    node.set_text("pg_name", group);
    const chakra::DataType element = chakra::data_type_of_torch(name_of(call.dtype));
    if (comm_size(call) > 0 && element != chakra::DataType::None) {
        node.set_text("dtype", name_of(element));
    }
}

void CallTrace::add_message(chakra::Node& node, const Call& call) {
    const bool sends = is_send(call.operation);
    const Rank source = sends ? owner_ : call.peer;
    const Rank destination = sends ? call.peer : owner_;
    node.type = sends ? chakra::NodeType::CommSend : chakra::NodeType::CommReceive;
    node.set_integer("comm_size", comm_size(call));
    node.set_int32("comm_tag", messages_[{source, destination}]++);
    node.set_int32("comm_src", source.value());
    node.set_int32("comm_dst", destination.value());
}

void CallTrace::place(chakra::Node& node, const Call& call) {
    node.data_deps = before_;
    if (call.asynchronous) {
        return;
    }
    if (call.batch_size <= 1) {
        before_ = {node.id};
        return;
    }
    if (call.batch_index == 0) {
        batch_.clear();
    }
    batch_.push_back(node.id);
    if (call.batch_index + 1 == call.batch_size) {
        before_ = std::exchange(batch_, {});
    }
}

}  // namespace npunet::generators::megatron
