// One communication call of a rank, as Megatron-LM makes it through torch.distributed.
//
//     Call call;
//     call.operation = Operation::AllReduce;
//     call.group = 3;                       // which ranks: number 3 of a GroupTable
//     call.dtype = DataType::BFloat16;
//     call.shape = Shape{2048, 1, 12288};
//     payload_bytes(call);                  // 50'331'648
//
// Shapes count elements; a tensor without dimensions has one element. What each operation logs is
// in docs/megatron.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/ids.h"

namespace npunet::generators::megatron {

enum class Operation : std::uint8_t {
    InitProcessGroup,
    NewGroup,
    Barrier,
    AllReduce,
    Broadcast,
    BatchSend,     ///< batch_isend: one of a batch_isend_irecv
    BatchReceive,  ///< batch_irecv
    Send,
    AsyncSend,  ///< isend
    Receive,
    AsyncReceive,         ///< irecv
    AllGather,            ///< into a list of tensors
    AllGatherBase,        ///< _all_gather_base: into one tensor
    AllGatherIntoTensor,  ///< all_gather_into_tensor
    ReduceScatter,        ///< from a list of tensors
    ReduceScatterBase,    ///< reduce_scatter_base
    ReduceScatterTensor,  ///< reduce_scatter_tensor
    Scatter,
    Gather,
    AllToAll,       ///< of lists of tensors
    AllToAllSingle  ///< all_to_all_single
};
constexpr std::size_t operations = 21;

/// "all_reduce", "batch_isend", ...: the name of torch.distributed, as logs have it.
[[nodiscard]] std::string_view name_of(Operation operation);
[[nodiscard]] std::optional<Operation> operation_named(std::string_view name);

/// Between two ranks: the six sends and receives.
[[nodiscard]] bool is_send(Operation operation);
[[nodiscard]] bool is_receive(Operation operation);
[[nodiscard]] bool is_message(Operation operation);
/// An all-reduce or a reduce-scatter of any form.
[[nodiscard]] bool reduces(Operation operation);
/// Every member of the group makes it: all others but init_process_group and new_group.
[[nodiscard]] bool is_collective(Operation operation);

enum class DataType : std::uint8_t {
    Float64,
    Float32,
    Float16,
    BFloat16,
    Int64,
    Int32,
    Int16,
    Int8,
    UInt8,
    Bool
};

/// "torch.float32", ...
[[nodiscard]] std::string_view name_of(DataType dtype);
[[nodiscard]] std::optional<DataType> data_type_named(std::string_view name);
/// Bytes of an element.
[[nodiscard]] std::int64_t size_of(DataType dtype);

enum class ReduceOp : std::uint8_t { Sum, Max, Min, Product, Average };

/// "SUM", "MAX", "MIN", "PRODUCT", "AVG".
[[nodiscard]] std::string_view name_of(ReduceOp reduce_op);
/// "SUM", or with what is before the last dot: "RedOpType.SUM", "ReduceOp.SUM"; also as Python
/// prints the object: "<RedOpType.SUM: 0>".
[[nodiscard]] std::optional<ReduceOp> reduce_op_named(std::string_view name);

/// The sizes of a tensor along its dimensions, each 0 or more.
class Shape {
public:
    static constexpr std::size_t most_dimensions = 8;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> sizes);

    /// At most most_dimensions times.
    void append(std::int64_t size) { sizes_[dimensions_++] = size; }

    [[nodiscard]] std::size_t dimensions() const { return dimensions_; }
    [[nodiscard]] const std::int64_t* begin() const { return sizes_.data(); }
    [[nodiscard]] const std::int64_t* end() const { return sizes_.data() + dimensions_; }
    /// The product of the sizes; nothing where it exceeds 2^62.
    [[nodiscard]] std::optional<std::int64_t> elements() const;

    friend bool operator==(const Shape& a, const Shape& b);
    friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

private:
    std::array<std::int64_t, most_dimensions> sizes_{};
    std::uint8_t dimensions_ = 0;
};

/// Which fields mean something depends on the operation.
struct Call {
    Operation operation = Operation::Barrier;
    DataType dtype = DataType::Float32;
    ReduceOp reduce_op = ReduceOp::Sum;
    bool asynchronous = false;  ///< the caller goes on and waits later
    /// Whether the call has one shape: the key `shape` of logs. Otherwise input and output.
    bool has_shape = false;
    std::int32_t group = -1;  ///< a number of a GroupTable; -1: none is given
    Rank peer;  ///< the other rank of a message; the root of a collective that has one
    std::int32_t batch_index = 0;  ///< of a batch of sends and receives, from 0
    std::int32_t batch_size = 0;   ///< 0: no batch
    std::int64_t tag = 0;
    Shape shape;   ///< what every member contributes and gets; what a message carries
    Shape input;   ///< what the rank contributes
    Shape output;  ///< what it gets
    /// Tensors in a list, each of that shape: of all_gather the output, of reduce_scatter the
    /// input, of all_to_all both. Lists of unequal tensors have one dimension: their elements
    /// together.
    std::int64_t inputs = 1;
    std::int64_t outputs = 1;
};

/// What the rank hands over, as comm_size of a Chakra node counts it: the tensor of an all-reduce,
/// broadcast or message, the rank's own part of an all-gather, all of its input to a
/// reduce-scatter or all-to-all; 0 for a barrier. Needs shapes whose elements() are known.
[[nodiscard]] std::int64_t payload_bytes(const Call& call);

}  // namespace npunet::generators::megatron
