#include "generators/megatron/program/layer_calls.h"

namespace npunet::generators::megatron {

LayerCalls::LayerCalls(const TrainingRun& run, ProgramBuilder& builder)
    : run_(run), builder_(builder), costs_(run) {
    const ModelSpec& model = run.model;
    const std::int64_t tp = run.parallelism.tp;
    const std::int64_t tokens = model.seq / run.parallelism.cp;
    const std::int64_t part = run.sequence_parallel ? tokens / tp : tokens;
    full_ = {tokens, run.micro_batch, model.hidden};
    part_ = {part, run.micro_batch, model.hidden};
    key_value_ = {2, tokens, run.micro_batch, model.kv_heads / tp, model.head_dim};
    tokens_ = part * run.micro_batch;
}

void LayerCalls::gather_input(const char* what) {
    if (run_.sequence_parallel) {
        builder_.all_gather(GroupRole::Tensor, part_, run_.dtype, what);
    }
}

void LayerCalls::sum_output(const char* what) {
    if (run_.sequence_parallel) {
        builder_.reduce_scatter(GroupRole::Tensor, part_, run_.dtype, what);
    } else {
        builder_.all_reduce(GroupRole::Tensor, full_, run_.dtype, what);
    }
}

void LayerCalls::gather_output_gradient(const char* what) {
    if (run_.sequence_parallel) {
        builder_.all_gather(GroupRole::Tensor, part_, run_.dtype, what);
    }
}

Requests LayerCalls::gather_saved_input(const char* what) {
    if (!run_.sequence_parallel) {
        return {};
    }
    return builder_.all_gather(GroupRole::Tensor, part_, run_.dtype, what, Blocking::GoesOn);
}

Requests LayerCalls::sum_input_gradient(const char* what) {
    if (run_.sequence_parallel) {
        return builder_.reduce_scatter(GroupRole::Tensor, part_, run_.dtype, what,
                                       Blocking::GoesOn);
    }
    return builder_.all_reduce(GroupRole::Tensor, full_, run_.dtype, what, ReduceOp::Sum,
                               Blocking::GoesOn);
}

void LayerCalls::embedding_forward() {
    builder_.compute("embedding_forward", costs_.embedding_forward());
    // Learned positions are added before the sequence is divided.
    if (run_.sequence_parallel && run_.model.positions != Positions::Learned) {
        builder_.reduce_scatter(GroupRole::Tensor, part_, run_.dtype, "embedding");
    } else {
        const std::int64_t tokens = *full_.begin();
        builder_.all_reduce(GroupRole::Tensor, {run_.micro_batch, tokens, run_.model.hidden},
                            run_.dtype, "embedding");
    }
}

void LayerCalls::embedding_backward() {
    gather_output_gradient("embedding output gradient");
    builder_.compute("embedding_backward", costs_.embedding_backward());
}

void LayerCalls::layer_forward(std::int64_t layer) {
    builder_.at_layer(layer);
    attention_forward();
    if (run_.model.is_moe_layer(layer)) {
        experts_forward();
    } else {
        mlp_forward();
    }
    builder_.at_layer(-1);
}

void LayerCalls::layer_backward(std::int64_t layer) {
    builder_.at_layer(layer);
    if (run_.model.is_moe_layer(layer)) {
        experts_backward();
    } else {
        mlp_backward();
    }
    attention_backward();
    builder_.at_layer(-1);
}

void LayerCalls::attention_forward() {
    gather_input("attention input");
    attention_core("attention_forward", costs_.attention_forward(), true);
    sum_output("attention projection");
}

void LayerCalls::attention_backward() {
    gather_output_gradient("attention output gradient");
    Requests input = gather_saved_input("attention saved input");
    attention_core("attention_dgrad", costs_.attention_dgrad(), false);
    builder_.wait(input);
    Requests sum = sum_input_gradient("attention input gradient");
    builder_.compute("attention_wgrad", costs_.attention_wgrad());
    builder_.wait(sum);
}

/// Keys and values come from all parts of a sequence.
void LayerCalls::attention_core(const char* segment, const SegmentCost& cost, bool forward) {
    const std::int64_t cp = run_.parallelism.cp;
    if (cp == 1) {
        builder_.compute(segment, cost);
        return;
    }
    const ModelSpec& model = run_.model;
    const std::int64_t tp = run_.parallelism.tp;
    const std::int64_t tokens = *full_.begin();
    const Shape qkv{tokens, run_.micro_batch, model.qkv_width() / tp};
    const Shape result{tokens, run_.micro_batch, model.value_width() / tp};
    switch (run_.context_comm) {
        case ContextComm::PointToPoint:
            ring(segment, cost, forward);
            return;
        case ContextComm::AllGather:
            builder_.compute(segment, cost, 2);
            if (forward) {
                builder_.all_gather(GroupRole::Context, key_value_, run_.dtype, "keys and values");
            } else {
                builder_.reduce_scatter(GroupRole::Context, key_value_, run_.dtype,
                                        "gradients of keys and values");
            }
            builder_.compute(segment, cost, 2);
            return;
        case ContextComm::AllToAll:
            break;
    }
    builder_.compute(segment, cost, 3);
    builder_.all_to_all(GroupRole::Context, forward ? qkv : result, run_.dtype,
                        "sequence to heads");
    builder_.compute(segment, cost, 3);
    builder_.all_to_all(GroupRole::Context, forward ? result : qkv, run_.dtype,
                        "heads to sequence");
    builder_.compute(segment, cost, 3);
}

/// cp steps of attention with one block of keys and values each; while one is at work the next
/// comes. Backward the gradients of the blocks follow a step behind.
void LayerCalls::ring(const char* segment, const SegmentCost& cost, bool forward) {
    const auto cp = static_cast<std::int32_t>(run_.parallelism.cp);
    const auto pass_on = [&](Requests& requests, const char* what) {
        requests.push_back(builder_.message(Operation::AsyncSend, GroupRole::Context,
                                            PeerRole::NextInRing, key_value_, what));
        requests.push_back(builder_.message(Operation::AsyncReceive, GroupRole::Context,
                                            PeerRole::PreviousInRing, key_value_, what));
    };
    for (std::int32_t step = 0; step < cp; ++step) {
        Requests requests;
        if (step < cp - 1) {
            pass_on(requests, "keys and values");
        }
        if (!forward && step > 0) {
            pass_on(requests, "gradients of keys and values");
        }
        builder_.compute(segment, cost, cp);
        builder_.wait(requests);
    }
}

void LayerCalls::mlp_forward() {
    gather_input("mlp input");
    builder_.compute("mlp_forward", costs_.mlp_forward());
    sum_output("mlp output");
}

void LayerCalls::mlp_backward() {
    gather_output_gradient("mlp output gradient");
    Requests input = gather_saved_input("mlp saved input");
    builder_.compute("mlp_dgrad", costs_.mlp_dgrad());
    builder_.wait(input);
    Requests sum = sum_input_gradient("mlp input gradient");
    builder_.compute("mlp_wgrad", costs_.mlp_wgrad());
    builder_.wait(sum);
}

void LayerCalls::head_forward() {
    const Shape rows{*full_.begin(), run_.micro_batch};
    gather_input("head input");
    builder_.compute("head_forward", costs_.head_forward());
    builder_.all_reduce(GroupRole::Tensor, rows, DataType::Float32, "largest logits",
                        ReduceOp::Max);
    builder_.compute("loss_forward", costs_.loss_forward());
    if (run_.fused_cross_entropy) {
        builder_.all_reduce(GroupRole::Tensor, {2 * *full_.begin(), run_.micro_batch},
                            DataType::Float32, "target logits and sums of exponentials");
    } else {
        builder_.all_reduce(GroupRole::Tensor, rows, DataType::Float32, "target logits");
        builder_.all_reduce(GroupRole::Tensor, rows, DataType::Float32, "sums of exponentials");
    }
}

void LayerCalls::head_backward() {
    builder_.compute("loss_backward", costs_.loss_backward());
    Requests input = gather_saved_input("head saved input");
    builder_.compute("head_dgrad", costs_.head_dgrad());
    builder_.wait(input);
    Requests sum = sum_input_gradient("head input gradient");
    builder_.compute("head_wgrad", costs_.head_wgrad());
    builder_.wait(sum);
}

}  // namespace npunet::generators::megatron
