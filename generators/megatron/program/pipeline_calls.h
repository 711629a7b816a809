// Which micro-batch a pipeline stage works on when, and what it sends and receives around it.
//
// Megatron-LM's forward_backward_pipelining_without_interleaving (1F1B, every exchange one
// batch_isend_irecv) and ..._with_interleaving (chunks of layers in groups of micro-batches;
// exchanges as batches, or as sends and receives of their own, which between warm-up and cool-down
// run beside the computation).
//
//     PipelineCalls pipeline(run, stage, builder, shape, {forward, backward});
//     pipeline.run();
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "generators/megatron/program/program_builder.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

/// The work between exchanges.
struct ChunkWork {
    std::function<void(std::int64_t micro_batch, std::int64_t chunk)> forward;
    std::function<void(std::int64_t micro_batch, std::int64_t chunk)> backward;
};

/// A micro-batch on its way through a chunk.
struct VirtualMicroBatch {
    std::int64_t micro_batch = 0;
    std::int64_t chunk = 0;
};

/// The order of the forward passes of a stage: micro-batches in groups of `group` (the last one may
/// be shorter), in a group chunk after chunk.
[[nodiscard]] std::vector<VirtualMicroBatch> interleaved_order(std::int64_t micro_batches,
                                                               std::int64_t chunks,
                                                               std::int64_t group);

class PipelineCalls {
public:
    /// `passed_on` is the tensor between stages. `builder` has to outlive this.
    PipelineCalls(const TrainingRun& run, std::int64_t stage, ProgramBuilder& builder,
                  const Shape& passed_on, ChunkWork work);

    void run();

private:
    /// Which of the four messages there are: a send has what a pass made, a receive is for a pass.
    /// Activations come from the previous stage, gradients from the next.
    struct Exchange {
        std::optional<VirtualMicroBatch> send_previous{};
        std::optional<VirtualMicroBatch> receive_previous{};
        std::optional<VirtualMicroBatch> send_next{};
        std::optional<VirtualMicroBatch> receive_next{};
    };

    [[nodiscard]] bool first() const { return stage_ == 0; }
    [[nodiscard]] bool last() const { return stage_ == stages_ - 1; }

    void run_alone();
    void run_1f1b();
    void run_interleaved();

    void forward(const VirtualMicroBatch& pass);
    void backward(const VirtualMicroBatch& pass);
    /// In one batch, which waits.
    void batch(const Exchange& exchange);
    /// Begins an exchange: what comes is waited for before the next pass of the same direction,
    /// what goes before the next that goes there.
    void begin(const Exchange& exchange);
    void exchange(const Exchange& exchange);
    void wait_for_all();
    std::uint32_t message(Operation operation, PeerRole peer, const VirtualMicroBatch& pass);

    // Of the interleaved schedule, by steps in the order of forward passes.
    [[nodiscard]] VirtualMicroBatch forward_pass(std::int64_t step) const;
    [[nodiscard]] VirtualMicroBatch backward_pass(std::int64_t step) const;
    [[nodiscard]] std::optional<VirtualMicroBatch> activations_of(std::int64_t step) const;
    [[nodiscard]] std::optional<VirtualMicroBatch> gradients_of(std::int64_t step) const;
    [[nodiscard]] std::optional<VirtualMicroBatch> activations_after(std::int64_t step) const;
    [[nodiscard]] std::optional<VirtualMicroBatch> gradients_after(std::int64_t step) const;

    const TrainingRun& run_;
    std::int64_t stage_;
    std::int64_t stages_;
    ProgramBuilder& builder_;
    Shape passed_on_;
    ChunkWork work_;
    std::vector<VirtualMicroBatch> order_;
    bool overlapped_ = false;
    Requests from_previous_;
    Requests from_next_;
    Requests to_previous_;
    Requests to_next_;
};

}  // namespace npunet::generators::megatron
