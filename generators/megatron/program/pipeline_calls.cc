#include "generators/megatron/program/pipeline_calls.h"

#include <algorithm>
#include <utility>

namespace npunet::generators::megatron {

std::vector<VirtualMicroBatch> interleaved_order(std::int64_t micro_batches, std::int64_t chunks,
                                                 std::int64_t group) {
    std::vector<VirtualMicroBatch> order;
    for (std::int64_t first = 0; first < micro_batches; first += group) {
        const std::int64_t end = std::min(first + group, micro_batches);
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            for (std::int64_t micro_batch = first; micro_batch < end; ++micro_batch) {
                order.push_back({micro_batch, chunk});
            }
        }
    }
    return order;
}

PipelineCalls::PipelineCalls(const TrainingRun& run, std::int64_t stage, ProgramBuilder& builder,
                             const Shape& passed_on, ChunkWork work)
    : run_(run),
      stage_(stage),
      stages_(run.parallelism.pp),
      builder_(builder),
      passed_on_(passed_on),
      work_(std::move(work)) {
    const std::int64_t group = run.micro_batch_group > 0 ? run.micro_batch_group : stages_;
    order_ = interleaved_order(run.steps, run.vpp, group);
    overlapped_ = run.vpp > 1 && run.overlap_p2p;
}

void PipelineCalls::run() {
    if (stages_ == 1) {
        run_alone();
    } else if (run_.vpp == 1) {
        run_1f1b();
    } else {
        run_interleaved();
    }
}

void PipelineCalls::run_alone() {
    for (std::int64_t micro_batch = 0; micro_batch < run_.steps; ++micro_batch) {
        work_.forward(micro_batch, 0);
        work_.backward(micro_batch, 0);
    }
}

void PipelineCalls::run_1f1b() {
    const std::int64_t warm_up = std::min(stages_ - 1 - stage_, run_.steps);
    const std::int64_t steady = run_.steps - warm_up;
    using Pass = std::optional<VirtualMicroBatch>;
    const auto with_previous = [&](std::int64_t i) {
        return first() || i >= run_.steps ? Pass() : Pass({i, 0});
    };
    const auto with_next = [&](std::int64_t i) { return last() ? Pass() : Pass({i, 0}); };
    for (std::int64_t i = 0; i < warm_up; ++i) {
        batch({.receive_previous = with_previous(i)});
        forward({i, 0});
        batch({.send_next = with_next(i)});
    }
    if (steady > 0) {
        batch({.receive_previous = with_previous(warm_up)});
    }
    for (std::int64_t i = 0; i < steady; ++i) {
        forward({warm_up + i, 0});
        batch({.send_next = with_next(warm_up + i), .receive_next = with_next(i)});
        backward({i, 0});
        batch({.send_previous = with_previous(i),
               .receive_previous = with_previous(warm_up + i + 1)});
    }
    for (std::int64_t i = steady; i < run_.steps; ++i) {
        batch({.receive_next = with_next(i)});
        backward({i, 0});
        batch({.send_previous = with_previous(i)});
    }
}

VirtualMicroBatch PipelineCalls::forward_pass(std::int64_t step) const {
    return order_[static_cast<std::size_t>(step)];
}

VirtualMicroBatch PipelineCalls::backward_pass(std::int64_t step) const {
    const VirtualMicroBatch forward = forward_pass(step);
    return {forward.micro_batch, run_.vpp - 1 - forward.chunk};
}

/// What a forward pass makes for the next stage.
std::optional<VirtualMicroBatch> PipelineCalls::activations_of(std::int64_t step) const {
    const VirtualMicroBatch pass = forward_pass(step);
    const bool end = last() && pass.chunk == run_.vpp - 1;
    return end ? std::nullopt : std::optional(pass);
}

std::optional<VirtualMicroBatch> PipelineCalls::gradients_of(std::int64_t step) const {
    const VirtualMicroBatch pass = backward_pass(step);
    const bool end = first() && pass.chunk == 0;
    return end ? std::nullopt : std::optional(pass);
}

/// What comes from the previous stage after a forward pass: the input of the next one. The first
/// stage gets for its next chunk what the last one made of step - (stages - 1), unless that was the
/// end.
std::optional<VirtualMicroBatch> PipelineCalls::activations_after(std::int64_t step) const {
    if (step + 1 >= static_cast<std::int64_t>(order_.size())) {
        return std::nullopt;
    }
    if (!first()) {
        return forward_pass(step + 1);
    }
    const std::int64_t source = step - (stages_ - 1);
    if (source < 0 || forward_pass(source).chunk == run_.vpp - 1) {
        return std::nullopt;
    }
    return VirtualMicroBatch{forward_pass(source).micro_batch, forward_pass(source).chunk + 1};
}

std::optional<VirtualMicroBatch> PipelineCalls::gradients_after(std::int64_t step) const {
    if (step + 1 >= static_cast<std::int64_t>(order_.size())) {
        return std::nullopt;
    }
    if (!last()) {
        return backward_pass(step + 1);
    }
    const std::int64_t source = step - (stages_ - 1);
    if (source < 0 || backward_pass(source).chunk == 0) {
        return std::nullopt;
    }
    return VirtualMicroBatch{backward_pass(source).micro_batch, backward_pass(source).chunk - 1};
}

void PipelineCalls::run_interleaved() {
    const auto total = static_cast<std::int64_t>(order_.size());
    const std::int64_t group = run_.micro_batch_group > 0 ? run_.micro_batch_group : stages_;
    const std::int64_t warm_up =
        std::min(total, 2 * (stages_ - 1 - stage_) + (run_.vpp - 1) * group);
    const std::int64_t steady = total - warm_up;
    if (!first()) {
        exchange({.receive_previous = forward_pass(0)});
    }
    for (std::int64_t k = 0; k < warm_up; ++k) {
        forward(forward_pass(k));
        Exchange onward{.receive_previous = activations_after(k), .send_next = activations_of(k)};
        Exchange back;
        if (k == warm_up - 1 && steady > 0 && !last()) {
            back.receive_next = backward_pass(0);
        }
        if (overlapped_) {
            exchange(onward);
            begin(back);
        } else {
            onward.receive_next = back.receive_next;
            exchange(onward);
        }
    }
    for (std::int64_t k = 0; k < steady; ++k) {
        forward(forward_pass(warm_up + k));
        const Exchange onward{.receive_previous = activations_after(warm_up + k),
                              .send_next = activations_of(warm_up + k)};
        const Exchange back{.send_previous = gradients_of(k), .receive_next = gradients_after(k)};
        if (overlapped_) {
            begin(onward);
            backward(backward_pass(k));
            begin(back);
        } else {
            backward(backward_pass(k));
            batch(
                {back.send_previous, onward.receive_previous, onward.send_next, back.receive_next});
        }
    }
    if (steady == 0 && !last()) {
        exchange({.receive_next = backward_pass(0)});
    }
    for (std::int64_t k = steady; k < total; ++k) {
        backward(backward_pass(k));
        exchange({.send_previous = gradients_of(k), .receive_next = gradients_after(k)});
    }
    wait_for_all();
}

void PipelineCalls::forward(const VirtualMicroBatch& pass) {
    builder_.begin(Phase::Forward, pass.micro_batch, pass.chunk);
    builder_.wait(from_previous_);
    work_.forward(pass.micro_batch, pass.chunk);
}

void PipelineCalls::backward(const VirtualMicroBatch& pass) {
    builder_.begin(Phase::Backward, pass.micro_batch, pass.chunk);
    builder_.wait(from_next_);
    work_.backward(pass.micro_batch, pass.chunk);
}

void PipelineCalls::wait_for_all() {
    for (Requests* requests : {&to_next_, &from_previous_, &to_previous_, &from_next_}) {
        builder_.wait(*requests);
    }
}

/// Of the warm-up and the cool-down: waits.
void PipelineCalls::exchange(const Exchange& exchange) {
    if (overlapped_) {
        begin(exchange);
        wait_for_all();
    } else {
        batch(exchange);
    }
}

/// Activations go to the next stage, gradients to the previous one.
std::uint32_t PipelineCalls::message(Operation operation, PeerRole peer,
                                     const VirtualMicroBatch& pass) {
    const bool activations = is_send(operation) == (peer == PeerRole::NextStage);
    builder_.begin(activations ? Phase::Forward : Phase::Backward, pass.micro_batch, pass.chunk);
    if (operation == Operation::BatchSend || operation == Operation::BatchReceive) {
        return builder_.message(operation, peer, passed_on_, "pipeline");
    }
    // With two stages what goes back and forth between them needs two communicators.
    const bool from_even_stage = is_send(operation) == (stage_ % 2 == 0);
    const GroupRole group =
        stages_ == 2 && !from_even_stage ? GroupRole::World : GroupRole::Pipeline;
    return builder_.message(operation, group, peer, passed_on_, "pipeline");
}

void PipelineCalls::batch(const Exchange& exchange) {
    Requests calls;
    const auto add = [&](const std::optional<VirtualMicroBatch>& pass, Operation operation,
                         PeerRole peer) {
        if (pass) {
            calls.push_back(message(operation, peer, *pass));
        }
    };
    add(exchange.send_previous, Operation::BatchSend, PeerRole::PreviousStage);
    add(exchange.receive_previous, Operation::BatchReceive, PeerRole::PreviousStage);
    add(exchange.send_next, Operation::BatchSend, PeerRole::NextStage);
    add(exchange.receive_next, Operation::BatchReceive, PeerRole::NextStage);
    builder_.end_batch(calls);
}

/// Even and odd stages take turns, so that each send meets its receive.
void PipelineCalls::begin(const Exchange& exchange) {
    const auto send = [&](const std::optional<VirtualMicroBatch>& pass, PeerRole peer,
                          Requests& requests) {
        if (pass) {
            builder_.wait(requests);
            requests.push_back(message(Operation::AsyncSend, peer, *pass));
        }
    };
    const auto receive = [&](const std::optional<VirtualMicroBatch>& pass, PeerRole peer,
                             Requests& requests) {
        if (pass) {
            requests.push_back(message(Operation::AsyncReceive, peer, *pass));
        }
    };
    if (stage_ % 2 == 0) {
        send(exchange.send_next, PeerRole::NextStage, to_next_);
        receive(exchange.receive_previous, PeerRole::PreviousStage, from_previous_);
        send(exchange.send_previous, PeerRole::PreviousStage, to_previous_);
        receive(exchange.receive_next, PeerRole::NextStage, from_next_);
    } else {
        receive(exchange.receive_previous, PeerRole::PreviousStage, from_previous_);
        send(exchange.send_next, PeerRole::NextStage, to_next_);
        receive(exchange.receive_next, PeerRole::NextStage, from_next_);
        send(exchange.send_previous, PeerRole::PreviousStage, to_previous_);
    }
}

}  // namespace npunet::generators::megatron
