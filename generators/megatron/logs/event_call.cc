// complete_event: which keys an operation has, and what they mean.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "generators/megatron/logs/event_values.h"

namespace npunet::generators::megatron {

namespace {

constexpr const char* keys_of_operations =
    "Correct the event; docs/megatron.md lists the keys of each operation";

/// One event being completed.
class Completion {
public:
    Completion(const EventValues& values, LoggedCall& event) : values_(values), event_(event) {}

    void run() {
        event_ = LoggedCall{};
        call().operation = static_cast<Operation>(required(EventKey::Op));
        event_.call_id = required(EventKey::CallId);
        event_.owner = Rank(static_cast<std::int32_t>(optional(EventKey::SrcRank, -1)));
        take_where_it_is();
        take_operation();
        check_size();
    }

private:
    Call& call() { return event_.call; }

    [[noreturn]] void missing(const std::string& what) const {
        const std::string name =
            values_.has(EventKey::Op)
                ? std::string(name_of(static_cast<Operation>(values_.integer(EventKey::Op))))
                : std::string("an event");
        throw EventError{fmt::format("{} without {}", name, what), what, keys_of_operations};
    }
    void need(EventKey key) const {
        if (!values_.has(key)) {
            missing(std::string(name_of(key)));
        }
    }
    [[nodiscard]] std::int64_t required(EventKey key) const {
        need(key);
        return values_.integer(key);
    }
    [[nodiscard]] std::int64_t optional(EventKey key, std::int64_t otherwise) const {
        return values_.has(key) ? values_.integer(key) : otherwise;
    }
    [[nodiscard]] std::int32_t place(EventKey key) const {
        return static_cast<std::int32_t>(optional(key, -1));
    }

    /// The keys that tell where in the step an event is.
    void take_where_it_is() {
        call().asynchronous = optional(EventKey::Async, 0) != 0;
        if (values_.has(EventKey::Group)) {
            event_.group_name = values_.group();
        }
        if (values_.has(EventKey::Phase)) {
            event_.phase = static_cast<Phase>(values_.integer(EventKey::Phase));
        }
        event_.micro_batch = place(EventKey::MicroBatch);
        event_.chunk = place(EventKey::Chunk);
        event_.layer = place(EventKey::Layer);
    }

    void take_operation();
    void take_message();
    void take_one_shape() {
        need(EventKey::Shape);
        call().has_shape = true;
        call().shape = values_.shape(EventKey::Shape);
    }
    void take_peer(EventKey key) { call().peer = Rank(static_cast<std::int32_t>(required(key))); }
    void take_backend() {
        if (!values_.stands(EventKey::Backend)) {
            missing("backend");
        }
        event_.backend = values_.has(EventKey::Backend) ? values_.backend() : "";
    }

    /// One side of a call, from the first of the two keys that stands there.
    void take_side(EventKey first, EventKey second, Shape& shape, std::int64_t& tensors) const {
        if (!values_.has(first) && !values_.has(second)) {
            missing(fmt::format("{} or {}", name_of(first), name_of(second)));
        }
        const EventKey key = values_.has(first) ? first : second;
        const ShapeList& list = values_.shapes(key);
        const bool one_by_one = list.equal && list.count > 0;
        shape = one_by_one ? list.first : Shape{list.elements};
        tensors = one_by_one ? list.count : 1;
    }
    void take_sides(EventKey input, EventKey other_input, EventKey output, EventKey other_output) {
        take_side(input, other_input, call().input, call().inputs);
        take_side(output, other_output, call().output, call().outputs);
    }
    /// Of scatter and gather: only the root has the list, the others null.
    void take_root_list(EventKey key, Shape& whole, std::int64_t& tensors) const {
        need(EventKey::TensorShape);
        if (values_.has(key)) {
            take_side(key, key, whole, tensors);
        } else {
            whole = values_.shape(EventKey::TensorShape);
            tensors = 0;
        }
    }
    void check_size() const;

    const EventValues& values_;
    LoggedCall& event_;
};

void Completion::take_message() {
    take_one_shape();
    const Operation operation = call().operation;
    if (operation == Operation::BatchSend || operation == Operation::BatchReceive) {
        call().batch_index = static_cast<std::int32_t>(required(EventKey::BatchIndex));
        call().batch_size = static_cast<std::int32_t>(required(EventKey::BatchSize));
        take_peer(EventKey::Peer);
        if (call().batch_index >= call().batch_size) {
            throw EventError{
                fmt::format("batch_idx {} of batch_size {}", call().batch_index, call().batch_size),
                "a place in the batch, counted from 0", keys_of_operations};
        }
    } else if (is_send(operation)) {
        take_peer(EventKey::Dst);
    } else if (values_.has(EventKey::Src)) {
        take_peer(EventKey::Src);
    } else if (!values_.stands(EventKey::Src)) {
        missing("src");
    }
    call().tag = optional(EventKey::Tag, 0);
}

void Completion::take_operation() {
    const Operation operation = call().operation;
    if (is_collective(operation) || is_send(operation) || is_receive(operation)) {
        if (operation != Operation::Barrier) {
            call().dtype = static_cast<DataType>(required(EventKey::DType));
        }
    }
    switch (operation) {
        case Operation::InitProcessGroup:
            take_backend();
            event_.world_size = required(EventKey::WorldSize);
            break;
        case Operation::NewGroup:
            need(EventKey::Ranks);
            take_backend();
            break;
        case Operation::Barrier:
            break;
        case Operation::AllReduce:
            take_one_shape();
            call().reduce_op = static_cast<ReduceOp>(required(EventKey::ReduceOp));
            break;
        case Operation::Broadcast:
            take_one_shape();
            take_peer(EventKey::Src);
            break;
        case Operation::BatchSend:
        case Operation::BatchReceive:
        case Operation::Send:
        case Operation::AsyncSend:
        case Operation::Receive:
        case Operation::AsyncReceive:
            take_message();
            break;
        case Operation::AllGather:
            take_sides(EventKey::TensorShape, EventKey::InputShape, EventKey::OutputShapes,
                       EventKey::OutputShape);
            break;
        case Operation::ReduceScatter:
            take_sides(EventKey::InputShapes, EventKey::InputShape, EventKey::OutputShape,
                       EventKey::OutputShape);
            call().reduce_op = static_cast<ReduceOp>(required(EventKey::ReduceOp));
            break;
        case Operation::ReduceScatterBase:
        case Operation::ReduceScatterTensor:
            call().reduce_op = static_cast<ReduceOp>(required(EventKey::ReduceOp));
            [[fallthrough]];
        case Operation::AllGatherBase:
        case Operation::AllGatherIntoTensor:
        case Operation::AllToAllSingle:
            take_sides(EventKey::InputShape, EventKey::InputShapes, EventKey::OutputShape,
                       EventKey::OutputShapes);
            break;
        case Operation::AllToAll:
            take_sides(EventKey::InputShapes, EventKey::InputShape, EventKey::OutputShapes,
                       EventKey::OutputShape);
            break;
        case Operation::Scatter:
            take_root_list(EventKey::ScatterListShapes, call().input, call().inputs);
            call().output = values_.shape(EventKey::TensorShape);
            take_peer(EventKey::Src);
            break;
        case Operation::Gather:
            take_root_list(EventKey::GatherListShapes, call().output, call().outputs);
            call().input = values_.shape(EventKey::TensorShape);
            take_peer(EventKey::Dst);
            break;
    }
}

void Completion::check_size() const {
    const Call& done = event_.call;
    const auto bytes = [&](const Shape& shape, std::int64_t tensors) {
        // Lists hold at most most_call_bytes elements together, so that only the size multiplies.
        const std::int64_t elements = *shape.elements() * tensors;
        return elements <= most_call_bytes / size_of(done.dtype);
    };
    const bool small = done.has_shape
                           ? bytes(done.shape, 1)
                           : bytes(done.input, done.inputs) && bytes(done.output, done.outputs);
    if (!small) {
        throw EventError{fmt::format("{} of more than 2^60 bytes", name_of(done.operation)),
                         "tensors that fit a machine", keys_of_operations};
    }
}

}  // namespace

void complete_event(const EventValues& values, LoggedCall& event) {
    Completion(values, event).run();
}

}  // namespace npunet::generators::megatron
