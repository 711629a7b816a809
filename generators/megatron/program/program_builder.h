// Puts a program together, item by item.
//
//     ProgramBuilder builder(run);
//     builder.begin(Phase::Forward, micro_batch, chunk);
//     const Request sum = builder.all_reduce(GroupRole::Tensor, shape, "attention projection");
//
// A collective in a group of one rank is left out, where nothing else is asked for: nothing is said
// to anyone.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/megatron/program/call.h"
#include "generators/megatron/program/program.h"
#include "generators/megatron/program/segment_costs.h"

namespace npunet::generators::megatron {

/// Calls under way; empty when nothing was called.
using Requests = std::vector<std::uint32_t>;

enum class Blocking : std::uint8_t { Waits, GoesOn };
/// Collectives in groups of one rank.
enum class LoneCalls : std::uint8_t { LeftOut, Made };

class ProgramBuilder {
public:
    /// `run` has to outlive this.
    explicit ProgramBuilder(const TrainingRun& run, LoneCalls lone_calls = LoneCalls::LeftOut)
        : run_(run), lone_calls_(lone_calls) {}

    /// What follows belongs to this; -1 for none.
    void begin(Phase phase, std::int64_t micro_batch = -1, std::int64_t chunk = -1);
    void at_layer(std::int64_t layer) { layer_ = static_cast<std::int32_t>(layer); }

    /// Returns the item, or null where it was left out.
    ProgramItem* barrier(const char* what);
    Requests all_reduce(GroupRole group, const Shape& shape, DataType dtype, const char* what,
                        ReduceOp reduce_op = ReduceOp::Sum, Blocking blocking = Blocking::Waits);
    void broadcast(GroupRole group, PeerRole root, const Shape& shape, DataType dtype,
                   const char* what);
    /// `shard` is the rank's part, stacked along the first dimension to the whole.
    Requests all_gather(GroupRole group, const Shape& shard, DataType dtype, const char* what,
                        Blocking blocking = Blocking::Waits);
    /// `shard` is what the rank keeps of the sum.
    Requests reduce_scatter(GroupRole group, const Shape& shard, DataType dtype, const char* what,
                            Blocking blocking = Blocking::Waits);
    /// Equal parts to all members; `shape` is what the rank gives and what it gets.
    void all_to_all(GroupRole group, const Shape& shape, DataType dtype, const char* what);

    /// A send or receive; those of a batch are given their places by end_batch().
    std::uint32_t message(Operation operation, PeerRole peer, const Shape& shape, const char* what);
    /// Isend or irecv in a group that the log names.
    std::uint32_t message(Operation operation, GroupRole group, PeerRole peer, const Shape& shape,
                          const char* what);
    /// The calls are one batch_isend_irecv, which waits for all of them.
    void end_batch(const Requests& calls);

    void wait(Requests& requests);
    /// One of `parts` equal parts of a segment.
    void compute(const char* segment, const SegmentCost& cost, std::int32_t parts = 1);

    [[nodiscard]] Program take() { return std::move(program_); }

private:
    [[nodiscard]] bool alone(GroupRole group) const;
    ProgramItem& add(ProgramItem::Kind kind, const char* what);
    Requests add_collective(Operation operation, GroupRole group, Call call, const char* what,
                            Blocking blocking);

    const TrainingRun& run_;
    LoneCalls lone_calls_;
    Phase phase_ = Phase::SetUp;
    std::int32_t micro_batch_ = -1;
    std::int32_t chunk_ = -1;
    std::int32_t layer_ = -1;
    Program program_;
};

}  // namespace npunet::generators::megatron
