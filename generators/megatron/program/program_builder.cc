#include "generators/megatron/program/program_builder.h"

#include <utility>

namespace npunet::generators::megatron {

namespace {

/// The shape with its first dimension `times` as large.
Shape stacked(const Shape& shape, std::int64_t times) {
    Shape whole;
    for (const std::int64_t size : shape) {
        whole.append(whole.dimensions() == 0 ? size * times : size);
    }
    return whole;
}

}  // namespace

void ProgramBuilder::begin(Phase phase, std::int64_t micro_batch, std::int64_t chunk) {
    phase_ = phase;
    micro_batch_ = static_cast<std::int32_t>(micro_batch);
    chunk_ = static_cast<std::int32_t>(chunk);
    layer_ = -1;
}

bool ProgramBuilder::alone(GroupRole group) const {
    return lone_calls_ == LoneCalls::LeftOut && group_size(run_.parallelism, group) == 1;
}

ProgramItem& ProgramBuilder::add(ProgramItem::Kind kind, const char* what) {
    ProgramItem item;
    item.kind = kind;
    item.phase = phase_;
    item.micro_batch = micro_batch_;
    item.chunk = chunk_;
    item.layer = layer_;
    item.what = what;
    program_.items.push_back(item);
    return program_.items.back();
}

Requests ProgramBuilder::add_collective(Operation operation, GroupRole group, Call call,
                                        const char* what, Blocking blocking) {
    if (alone(group)) {
        return {};
    }
    call.operation = operation;
    call.asynchronous = blocking == Blocking::GoesOn;
    ProgramItem& item = add(ProgramItem::Kind::Call, what);
    item.group = group;
    item.call = call;
    return {static_cast<std::uint32_t>(program_.items.size() - 1)};
}

ProgramItem* ProgramBuilder::barrier(const char* what) {
    const bool made =
        !add_collective(Operation::Barrier, GroupRole::World, {}, what, Blocking::Waits).empty();
    return made ? &program_.items.back() : nullptr;
}

Requests ProgramBuilder::all_reduce(GroupRole group, const Shape& shape, DataType dtype,
                                    const char* what, ReduceOp reduce_op, Blocking blocking) {
    Call call;
    call.has_shape = true;
    call.shape = shape;
    call.dtype = dtype;
    call.reduce_op = reduce_op;
    return add_collective(Operation::AllReduce, group, call, what, blocking);
}

void ProgramBuilder::broadcast(GroupRole group, PeerRole root, const Shape& shape, DataType dtype,
                               const char* what) {
    Call call;
    call.has_shape = true;
    call.shape = shape;
    call.dtype = dtype;
    if (!add_collective(Operation::Broadcast, group, call, what, Blocking::Waits).empty()) {
        program_.items.back().peer = root;
    }
}

Requests ProgramBuilder::all_gather(GroupRole group, const Shape& shard, DataType dtype,
                                    const char* what, Blocking blocking) {
    Call call;
    call.input = shard;
    call.output = stacked(shard, group_size(run_.parallelism, group));
    call.dtype = dtype;
    return add_collective(Operation::AllGatherIntoTensor, group, call, what, blocking);
}

Requests ProgramBuilder::reduce_scatter(GroupRole group, const Shape& shard, DataType dtype,
                                        const char* what, Blocking blocking) {
    Call call;
    call.input = stacked(shard, group_size(run_.parallelism, group));
    call.output = shard;
    call.dtype = dtype;
    return add_collective(Operation::ReduceScatterTensor, group, call, what, blocking);
}

void ProgramBuilder::all_to_all(GroupRole group, const Shape& shape, DataType dtype,
                                const char* what) {
    Call call;
    call.input = shape;
    call.output = shape;
    call.dtype = dtype;
    add_collective(Operation::AllToAllSingle, group, call, what, Blocking::Waits);
}

std::uint32_t ProgramBuilder::message(Operation operation, PeerRole peer, const Shape& shape,
                                      const char* what) {
    ProgramItem& item = add(ProgramItem::Kind::Call, what);
    item.has_group = false;
    item.peer = peer;
    item.call.operation = operation;
    item.call.has_shape = true;
    item.call.shape = shape;
    item.call.dtype = run_.dtype;
    item.call.asynchronous =
        operation == Operation::AsyncSend || operation == Operation::AsyncReceive;
    return static_cast<std::uint32_t>(program_.items.size() - 1);
}

std::uint32_t ProgramBuilder::message(Operation operation, GroupRole group, PeerRole peer,
                                      const Shape& shape, const char* what) {
    const std::uint32_t call = message(operation, peer, shape, what);
    program_.items.back().group = group;
    program_.items.back().has_group = true;
    return call;
}

void ProgramBuilder::end_batch(const Requests& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        Call& call = program_.items[calls[i]].call;
        call.batch_index = static_cast<std::int32_t>(i);
        call.batch_size = static_cast<std::int32_t>(calls.size());
    }
}

void ProgramBuilder::wait(Requests& requests) {
    for (const std::uint32_t request : requests) {
        ProgramItem& item = add(ProgramItem::Kind::Wait, program_.items[request].what);
        item.waited = request;
    }
    requests.clear();
}

void ProgramBuilder::compute(const char* segment, const SegmentCost& cost, std::int32_t parts) {
    ProgramItem& item = add(ProgramItem::Kind::Compute, segment);
    item.flops = cost.flops / parts;
    item.bytes = cost.bytes / parts;
    item.parts = parts;
}

}  // namespace npunet::generators::megatron
