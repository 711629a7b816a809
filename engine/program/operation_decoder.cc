#include "engine/program/operation_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "chakra/trace/comm_groups.h"

namespace npunet::engine {

namespace {

constexpr std::int64_t largest_bytes = chakra::largest_comm_size;

}  // namespace

void refuse_node(const ProgramContext& context, const chakra::Node& node, std::string found,
                 std::string expected, std::string remedy) {
    throw InputError({context.file, fmt::format("node {} ('{}')", node.id, node.name),
                      std::move(found), std::move(expected), std::move(remedy)});
}

std::int64_t OperationDecoder::required(const chakra::Node& node, const char* attribute) const {
    const auto value = node.integer(attribute);
    if (!value) {
        refuse_node(context_, node, fmt::format("no integer attribute '{}'", attribute),
                    fmt::format("'{}' on every {} node", attribute, chakra::name_of(node.type)));
    }
    return *value;
}

std::int64_t OperationDecoder::optional(const chakra::Node& node, const char* attribute,
                                        std::int64_t fallback) const {
    const chakra::Attribute* found = node.find(attribute);
    if (found == nullptr || std::holds_alternative<std::monostate>(found->value)) {
        return fallback;
    }
    const auto value = node.integer(attribute);
    if (!value) {
        refuse_node(context_, node,
                    fmt::format("attribute '{}' that is no integer below 2^63", attribute),
                    "an integer, or no such attribute", "Generate the trace again");
    }
    return *value;
}

Bytes OperationDecoder::bytes_of(const chakra::Node& node, const char* attribute) const {
    const std::int64_t value = required(node, attribute);
    if (value < 0 || value > largest_bytes) {
        refuse_node(context_, node, fmt::format("{} {}", attribute, value),
                    fmt::format("0 to {} bytes", largest_bytes));
    }
    return Bytes(value);
}

Bytes OperationDecoder::size_of(const chakra::Node& node) const {
    return bytes_of(node, "comm_size");
}

std::int32_t OperationDecoder::priority_of(const chakra::Node& node) const {
    const std::int64_t value = optional(node, "comm_priority", 0);
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max()) {
        refuse_node(context_, node, fmt::format("comm_priority {}", value),
                    "a 32-bit number; the higher starts first");
    }
    return static_cast<std::int32_t>(value);
}

Rank OperationDecoder::peer_of(const chakra::Node& node, const char* attribute,
                               const char* own) const {
    const std::int64_t peer = required(node, attribute);
    if (peer < 0 || peer >= static_cast<std::int64_t>(context_.ranks)) {
        refuse_node(context_, node, fmt::format("{} {}", attribute, peer),
                    fmt::format("a rank of the workload, 0 to {}", context_.ranks - 1));
    }
    if (peer == context_.rank.value()) {
        refuse_node(context_, node, fmt::format("{} {}, the rank itself", attribute, peer),
                    "another rank");
    }
    const auto self = node.integer(own);
    if (self && *self != context_.rank.value()) {
        refuse_node(context_, node, fmt::format("{} {}", own, *self),
                    fmt::format("{}, the rank of this file", context_.rank.value()),
                    "Is the file named after the right rank?");
    }
    return Rank(static_cast<std::int32_t>(peer));
}

std::int32_t OperationDecoder::group_of(const chakra::Node& node) const {
    std::string name(node.text("pg_name").value_or(""));
    if (name.empty()) {
        if (const auto number = node.integer("pg_name")) {
            name = std::to_string(*number);
        }
    }
    if (context_.group_names_are_numbers) {
        name = chakra::leading_number(name);
    }
    if (name.empty() || (name == "0" && context_.group_zero_is_all)) {
        return context_.world_group;
    }
    const auto found = std::lower_bound(
        context_.groups->begin(), context_.groups->end(), name,
        [](const auto& entry, const std::string& text) { return entry.first < text; });
    if (found != context_.groups->end() && found->first == name) {
        return found->second;
    }
    if (name == "0") {
        return context_.world_group;
    }
    refuse_node(context_, node, fmt::format("communicator group '{}'", name),
                "a group of the communicator-group file",
                "Give the group file that belongs to these traces with --comm-group");
}

CollectiveKind OperationDecoder::collective_of(const chakra::Node& node) const {
    const std::int64_t type = required(node, "comm_type");
    switch (static_cast<chakra::CollectiveType>(type)) {
        case chakra::CollectiveType::AllReduce:
            return CollectiveKind::AllReduce;
        case chakra::CollectiveType::AllGather:
            return CollectiveKind::AllGather;
        case chakra::CollectiveType::ReduceScatter:
        case chakra::CollectiveType::ReduceScatterBlock:
            return CollectiveKind::ReduceScatter;
        case chakra::CollectiveType::AllToAll:
            return CollectiveKind::AllToAll;
        case chakra::CollectiveType::Broadcast:
            return CollectiveKind::Broadcast;
        case chakra::CollectiveType::Reduce:
            return CollectiveKind::Reduce;
        case chakra::CollectiveType::Gather:
            return CollectiveKind::Gather;
        case chakra::CollectiveType::Scatter:
            return CollectiveKind::Scatter;
        case chakra::CollectiveType::Barrier:
            return CollectiveKind::Barrier;
    }
    refuse_node(context_, node, fmt::format("comm_type {}", type),
                "a collective of the schema, 0 (ALL_REDUCE) to 9 (BARRIER)");
}

std::int32_t OperationDecoder::group_of_dimensions(const chakra::Node& node,
                                                   const chakra::Attribute& involved) const {
    const auto* flags = std::get_if<std::vector<bool>>(&involved.value);
    const std::int32_t group = flags != nullptr && context_.group_of_dimensions
                                   ? context_.group_of_dimensions(context_.rank, *flags)
                                   : -1;
    if (group < 0) {
        refuse_node(context_, node,
                    flags == nullptr
                        ? std::string("attribute 'involve_dims' that is no list of booleans")
                        : fmt::format("attribute 'involve_dims' with {} entries", flags->size()),
                    "one true or false for each dimension of the network, one of them true",
                    "Name the communicator in pg_name instead");
    }
    return group;
}

std::vector<std::int64_t> OperationDecoder::sizes_of(const chakra::Node& node,
                                                     const ProgramOperation& operation) const {
    const chakra::Attribute* found = node.find("comm_sizes");
    if (found == nullptr) {
        return {};
    }
    const auto* sizes = std::get_if<std::vector<std::int64_t>>(&found->value);
    if (sizes == nullptr || operation.collective != CollectiveKind::AllToAll) {
        refuse_node(context_, node, "attribute 'comm_sizes'",
                    "on an ALL_TO_ALL: a list of integers, the bytes to each rank of the group");
    }
    std::int64_t sum = 0;
    for (const std::int64_t size : *sizes) {
        if (size < 0 || size > operation.bytes.value() - sum) {
            sum = -1;
            break;
        }
        sum += size;
    }
    if (sum != operation.bytes.value()) {
        refuse_node(context_, node, "comm_sizes that do not sum to comm_size",
                    fmt::format("sizes from 0 with the sum {}", operation.bytes.value()));
    }
    return *sizes;
}

Time OperationDecoder::recorded_duration(const chakra::Node& node) const {
    constexpr std::uint64_t most = 9'000'000'000'000;  // microseconds; 104 days
    const std::int64_t ns = optional(node, "duration_ns", 0);
    if (ns < 0 || ns > static_cast<std::int64_t>(most) * 1000 || node.duration_micros > most) {
        refuse_node(context_, node, "a duration beyond 104 days or below 0", "a duration in range");
    }
    return ns != 0 ? Time::ns(ns)
                   : Time::ns(1000 * static_cast<std::int64_t>(node.duration_micros));
}

void OperationDecoder::point_to_point(const chakra::Node& node, DecodedOperation& decoded) const {
    ProgramOperation& result = decoded.operation;
    const bool send = node.type == chakra::NodeType::CommSend;
    result.kind = send ? OperationKind::Send : OperationKind::Receive;
    result.bytes = size_of(node);
    decoded.peer =
        send ? peer_of(node, "comm_dst", "comm_src") : peer_of(node, "comm_src", "comm_dst");
    result.tag = optional(node, "comm_tag", 0);
    result.priority = priority_of(node);
}

void OperationDecoder::collective(const chakra::Node& node, bool cpu,
                                  DecodedOperation& decoded) const {
    ProgramOperation& result = decoded.operation;
    // Host-side calls in profiler traces carry the type of a collective but none of its attributes:
    // the kernel that they launch is the collective.
    if (cpu && !node.integer("comm_type")) {
        compute(node, true, result);
        return;
    }
    result.kind = OperationKind::Collective;
    result.priority = priority_of(node);
    result.collective = collective_of(node);
    result.replayed = context_.broadcasts_replay && result.collective == CollectiveKind::Broadcast;
    result.bytes = result.collective == CollectiveKind::Barrier ? Bytes(0) : size_of(node);
    // The reference's attribute comes before a communicator's name.
    const chakra::Attribute* involved = node.find("involve_dims");
    decoded.group = involved != nullptr ? group_of_dimensions(node, *involved) : group_of(node);
    result.sizes = sizes_of(node, result);
    // Names of other tools say nothing.
    result.type = chakra::data_type_named(node.text("dtype").value_or("")).value_or(DataType::None);
    if (has_root(result.collective)) {
        decoded.root = Rank(static_cast<std::int32_t>(root_of(node)));
    }
}

std::int64_t OperationDecoder::root_of(const chakra::Node& node) const {
    const std::int64_t root = optional(node, "comm_root", -1);
    if (root < -1 || root >= static_cast<std::int64_t>(context_.ranks)) {
        refuse_node(context_, node, fmt::format("comm_root {}", root),
                    fmt::format("a rank of the workload, 0 to {}", context_.ranks - 1));
    }
    return root;
}

void OperationDecoder::compute(const chakra::Node& node, bool cpu, ProgramOperation& result) const {
    result.kind = cpu ? OperationKind::Cpu : OperationKind::Compute;
    result.operations = optional(node, "num_ops", -1);
    const std::int64_t bytes = optional(node, "tensor_size", 0);
    if (result.operations < -1 || bytes < 0 || bytes > largest_bytes) {
        refuse_node(context_, node,
                    fmt::format("num_ops {}, tensor_size {}", result.operations, bytes),
                    fmt::format("num_ops from 0, tensor_size from 0 to {}", largest_bytes),
                    "Generate the trace again");
    }
    result.bytes = Bytes(bytes);
    if (!cpu) {
        result.kernel = kernel_of(node);
    }
}

// Attributes of that name with other content are of other tools: they are ignored.
std::shared_ptr<const KernelCall> OperationDecoder::kernel_of(const chakra::Node& node) const {
    const auto kernel = chakra::kernel_named(node.text("kernel").value_or(""));
    if (!kernel) {
        return nullptr;
    }
    KernelCall call;
    call.kernel = *kernel;
    const std::string type(node.text("dtype").value_or(""));
    call.type = chakra::data_type_named(type).value_or(DataType::None);
    if (call.type == DataType::None && !is_memory_bound(call.kernel)) {
        refuse_node(context_, node, fmt::format("dtype '{}'", type),
                    "one of " + chakra::data_type_names(), "Generate the trace again");
    }
    const chakra::Attribute* const shape = node.find("shape");
    const auto* sizes =
        shape != nullptr ? std::get_if<std::vector<std::int64_t>>(&shape->value) : nullptr;
    const std::size_t size = shape_size(call.kernel);
    const auto fits = [](std::int64_t side) { return side >= 1 && side <= largest_bytes; };
    if (sizes != nullptr && sizes->size() == size &&
        std::all_of(sizes->begin(), sizes->end(), fits)) {
        call.shape = *sizes;
    } else if (!is_memory_bound(call.kernel)) {
        refuse_node(context_, node, fmt::format("no shape of a {}", name_of(call.kernel)),
                    fmt::format("'shape': a list of {} whole numbers from 1", size),
                    "Generate the trace again");
    }
    call.causal = node.integer("causal").value_or(0) != 0;
    constexpr std::int64_t most_launches = 1'000'000;
    const std::int64_t launches = optional(node, "launches", 1);
    if (launches < 0 || launches > most_launches) {
        refuse_node(context_, node, fmt::format("launches {}", launches),
                    fmt::format("0 to {}", most_launches), "Generate the trace again");
    }
    call.launches = static_cast<std::int32_t>(launches);
    return std::make_shared<const KernelCall>(std::move(call));
}

DecodedOperation OperationDecoder::decode(const chakra::Node& node) const {
    DecodedOperation decoded;
    ProgramOperation& result = decoded.operation;
    result.recorded = recorded_duration(node);
    const bool cpu = node.integer("is_cpu_op").value_or(0) != 0;
    switch (node.type) {
        case chakra::NodeType::Compute:
            compute(node, cpu, result);
            break;
        case chakra::NodeType::CommSend:
        case chakra::NodeType::CommReceive:
            point_to_point(node, decoded);
            break;
        case chakra::NodeType::CommCollective:
            collective(node, cpu, decoded);
            break;
        case chakra::NodeType::MemoryLoad:
        case chakra::NodeType::MemoryStore:
            result.kind = OperationKind::Memory;
            result.on_cpu = cpu;
            result.bytes = bytes_of(node, "tensor_size");
            break;
        default:
            result.nothing = true;
            result.on_cpu = cpu;
    }
    return decoded;
}

}  // namespace npunet::engine
