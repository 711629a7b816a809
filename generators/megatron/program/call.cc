#include "generators/megatron/program/call.h"

#include <algorithm>

namespace npunet::generators::megatron {

namespace {

constexpr std::array<std::string_view, operations> operation_names = {
    "init_process_group",
    "new_group",
    "barrier",
    "all_reduce",
    "broadcast",
    "batch_isend",
    "batch_irecv",
    "send",
    "isend",
    "recv",
    "irecv",
    "all_gather",
    "_all_gather_base",
    "all_gather_into_tensor",
    "reduce_scatter",
    "reduce_scatter_base",
    "reduce_scatter_tensor",
    "scatter",
    "gather",
    "all_to_all",
    "all_to_all_single",
};

constexpr std::array<std::string_view, 10> data_type_names = {
    "torch.float64", "torch.float32", "torch.float16", "torch.bfloat16", "torch.int64",
    "torch.int32",   "torch.int16",   "torch.int8",    "torch.uint8",    "torch.bool",
};
constexpr std::array<std::int64_t, 10> data_type_sizes = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};

constexpr std::array<std::string_view, 5> reduce_op_names = {"SUM", "MAX", "MIN", "PRODUCT", "AVG"};

/// The value whose name is at its place in the table.
template <class Value, std::size_t count>
std::optional<Value> named(const std::array<std::string_view, count>& names,
                           std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<Value>(found - names.begin());
}

}  // namespace

std::string_view name_of(Operation operation) {
    return operation_names[static_cast<std::size_t>(operation)];
}

std::optional<Operation> operation_named(std::string_view name) {
    return named<Operation>(operation_names, name);
}

bool is_send(Operation operation) {
    return operation == Operation::BatchSend || operation == Operation::Send ||
           operation == Operation::AsyncSend;
}

bool is_receive(Operation operation) {
    return operation == Operation::BatchReceive || operation == Operation::Receive ||
           operation == Operation::AsyncReceive;
}

bool is_message(Operation operation) {
    return is_send(operation) || is_receive(operation);
}

bool reduces(Operation operation) {
    return operation == Operation::AllReduce || operation == Operation::ReduceScatter ||
           operation == Operation::ReduceScatterBase || operation == Operation::ReduceScatterTensor;
}

bool is_collective(Operation operation) {
    return !is_message(operation) && operation != Operation::InitProcessGroup &&
           operation != Operation::NewGroup;
}

std::string_view name_of(DataType dtype) {
    return data_type_names[static_cast<std::size_t>(dtype)];
}

std::optional<DataType> data_type_named(std::string_view name) {
    return named<DataType>(data_type_names, name);
}

std::int64_t size_of(DataType dtype) {
    return data_type_sizes[static_cast<std::size_t>(dtype)];
}

std::string_view name_of(ReduceOp reduce_op) {
    return reduce_op_names[static_cast<std::size_t>(reduce_op)];
}

std::optional<ReduceOp> reduce_op_named(std::string_view name) {
    if (!name.empty() && name.front() == '<' && name.back() == '>') {
        name = name.substr(1, std::min(name.find(':'), name.size() - 1) - 1);
    }
    return named<ReduceOp>(reduce_op_names, name.substr(name.find_last_of('.') + 1));
}

Shape::Shape(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) {
        append(size);
    }
}

std::optional<std::int64_t> Shape::elements() const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    std::int64_t product = 1;
    bool beyond = false;
    for (const std::int64_t size : *this) {
        if (size == 0) {
            return 0;
        }
        beyond = beyond || product > most / size;
        product = beyond ? product : product * size;
    }
    return beyond ? std::nullopt : std::optional(product);
}

bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::int64_t payload_bytes(const Call& call) {
    if (call.operation == Operation::Barrier ||
        !(is_collective(call.operation) || is_send(call.operation) || is_receive(call.operation))) {
        return 0;
    }
    const std::int64_t elements =
        call.has_shape ? *call.shape.elements() : *call.input.elements() * call.inputs;
    return elements * size_of(call.dtype);
}

}  // namespace npunet::generators::megatron
