#include "generators/transformer/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "generators/option_checks.h"
#include "generators/transformer/layer_split.h"
#include "generators/transformer/moe_amounts.h"

namespace npunet::generators {

namespace {

void check_heads(const ModelSpec& model, const Plan& plan) {
    check_divides("--tp", plan.tp, "heads", model.heads);
    if (model.latent()) {
        check_divides("--tp", plan.tp, "channels of the low-rank vectors", model.latent_width());
    } else if (model.kv_heads >= plan.tp) {
        check_divides("--tp", plan.tp, "kv_heads", model.kv_heads);
    } else {
        // Several ranks share a head; each computes its part of the fused QKV columns.
        if (plan.tp % model.kv_heads != 0) {
            throw InputError(
                {"--tp", "", fmt::format("{}", plan.tp),
                 fmt::format("a multiple or a divisor of the {} kv_heads", model.kv_heads), ""});
        }
        check_divides("--tp", plan.tp, "columns of the QKV projection", model.qkv_width());
    }
}

void check_tensor_parallel(const ModelSpec& model, const Plan& plan) {
    check_heads(model, plan);
    if (model.moe.experts == 0 || model.moe.dense_layers_first > 0) {
        check_divides("--tp", plan.tp, "ffn channels", model.ffn);
    }
    check_divides("--tp", plan.tp, "tokens in the vocabulary", padded_vocab(model, plan.tp),
                  "Padding is allowed with --make-vocab-size-divisible-by N");
}

void check_sequence(const ModelSpec& model, const Plan& plan) {
    check_divides("--cp", plan.cp, "tokens of a sequence", plan.sequence);
    if (plan.sequence_parallel && plan.mode == Mode::Decode) {
        check_divides("--sequence-parallel with --tp", plan.tp, "tokens of a micro-batch",
                      plan.micro_batch);
    } else if (plan.sequence_parallel) {
        check_divides("--sequence-parallel with --tp", plan.tp, "tokens of a rank's sequence part",
                      plan.sequence / plan.cp);
    }
    const std::int64_t longest = std::max(plan.sequence, plan.context);
    if (model.positions == Positions::Learned && longest > model.seq) {
        throw InputError({"--seq or --context", "", fmt::format("{}", longest),
                          fmt::format("at most the model's {} learned positions", model.seq), ""});
    }
}

/// Tokens of a sequence in the step and in the cache.
void resolve_lengths(const ModelSpec& model, Plan& plan) {
    const auto refuse = [&plan](const char* found, const char* expected, const char* remedy) {
        throw InputError({fmt::format("--context {}", plan.context), "", found, expected, remedy});
    };
    if (plan.context < 0) {
        check_range("--context", plan.context, 1, longest_sequence);
    }
    switch (plan.mode) {
        case Mode::Train:
            if (plan.context != 0) {
                refuse("a training step, which has no cache", "--mode prefill or decode",
                       "--seq gives the tokens of a sequence");
            }
            break;
        case Mode::Prefill:
            if (plan.context != 0 && plan.sequence != 0 && plan.context != plan.sequence) {
                refuse("another --seq beside it", "one length of the prompt", "Leave one out");
            }
            plan.sequence = std::max(plan.sequence, plan.context);
            plan.context = 0;
            break;
        case Mode::Decode:
            if (plan.sequence > 1) {
                throw InputError({fmt::format("--seq {}", plan.sequence), "", "--mode decode",
                                  "one token of each sequence a step",
                                  "--context gives the tokens in the cache"});
            }
            plan.sequence = 1;
            plan.context = plan.context == 0 ? model.seq : plan.context;
            check_range("--context", plan.context, 1, longest_sequence);
            break;
    }
    if (plan.sequence == 0) {
        plan.sequence = model.seq;
    }
}

/// What makes sense in a training step alone.
void check_mode(const Plan& plan) {
    if (plan.trains()) {
        return;
    }
    const char* mode = plan.mode == Mode::Prefill ? "--mode prefill" : "--mode decode";
    const auto refuse_if = [mode](bool given, const std::string& option, const char* why) {
        if (given) {
            throw InputError({option, "", mode, fmt::format("a training step: {}", why),
                              fmt::format("Leave {} out", option.substr(0, option.find(' ')))});
        }
    };
    refuse_if(plan.recompute != Recompute::None, "--recompute", "there is no backward pass");
    refuse_if(plan.zero == 1, "--zero 1 (--distributed-optimizer)", "there is no optimizer");
    refuse_if(plan.zero == 2, "--zero 2", "there are no gradients");
    refuse_if(plan.overlap_grad_reduce, "--overlap-grad-reduce", "there are no gradients");
    refuse_if(plan.overlap_param_gather, "--overlap-param-gather", "there is no optimizer");
    refuse_if(plan.schedule == Schedule::GPipe || plan.schedule == Schedule::ZeroBubble,
              fmt::format("--schedule {}", name_of(plan.schedule)), "there is no backward pass");
    if (plan.cp > 1) {
        throw InputError({fmt::format("--cp {}", plan.cp), "", mode,
                          "--cp 1: splitting the cache by tokens is not offered",
                          "Take --tp, which splits it by heads"});
    }
}

/// Sequences of a step and of a micro-batch.
void resolve_batch(Plan& plan) {
    if (plan.batch != 0) {
        check_range("--batch", plan.batch, 1, most_sequences);
        if (plan.batch % plan.dp != 0) {
            throw InputError(
                {"--batch", "", fmt::format("{}", plan.batch),
                 fmt::format("a multiple of --dp {}: replicas have equal shares", plan.dp), ""});
        }
    }
    if (plan.micro_batch == 0) {
        plan.micro_batch = plan.pp == 1 ? std::max<std::int64_t>(plan.batch / plan.dp, 1) : 1;
        if (plan.micro_batch > most_sequences_of_micro_batch) {
            throw InputError({fmt::format("--batch {}", plan.batch), "",
                              fmt::format("{} sequences in one micro-batch", plan.micro_batch),
                              fmt::format("at most {}", most_sequences_of_micro_batch),
                              "Give --micro-batch"});
        }
    }
    check_range("--micro-batch", plan.micro_batch, 1, most_sequences_of_micro_batch);
    if (plan.batch == 0) {
        plan.batch = plan.dp * plan.micro_batch * plan.pp;
        check_range("--batch (--dp x --micro-batch x --pp)", plan.batch, 1, most_sequences);
    }
    if (plan.batch % (plan.dp * plan.micro_batch) != 0) {
        throw InputError({"--batch", "", fmt::format("{}", plan.batch),
                          fmt::format("a multiple of --dp {} x --micro-batch {} = {}", plan.dp,
                                      plan.micro_batch, plan.dp * plan.micro_batch),
                          ""});
    }
}

/// The largest products that generation forms, in floating point: exact counts are 64-bit.
void check_magnitude(const ModelSpec& model, const Plan& plan) {
    const double tokens =
        static_cast<double>(plan.micro_batch) * static_cast<double>(plan.sequence);
    const double width = static_cast<double>(
        std::max({model.qkv_width(), 2 * model.latent_width(), model.up_width(),
                  2 * padded_vocab(model, plan.tp), plan.sequence, plan.context}));
    const double rows = static_cast<double>(
        std::max({model.hidden, model.query_width(), model.value_width(),
                  model.heads * (model.mla.kv_lora_rank + model.mla.qk_rope_head_dim)}));
    const double state = 512.0 * (static_cast<double>(parameter_count(model)) + 2.0 * width * rows);
    const double experts = model.moe.experts == 0
                               ? 0.0
                               : 64.0 * tokens * static_cast<double>(model.moe.top_k) *
                                     static_cast<double>(plan.ep * plan.etp) *
                                     static_cast<double>(model.moe.ffn) * rows;
    const double works = static_cast<double>(moe_works) * static_cast<double>(model.layers) *
                         static_cast<double>(plan.micro_batches());
    const double per_layer = 120.0 + 18.0 * static_cast<double>(plan.cp) +
                             (plan.step_ops == StepOps::Full ? 60.0 : 0.0) +
                             (plan.tp_comm_overlap > 0 ? 20.0 : 0.0);
    const std::int64_t layers = most_layers_of_a_stage(model, plan);
    const double nodes =
        per_layer * (static_cast<double>(layers) + 2.0) * static_cast<double>(plan.micro_batches());
    const double tags = 2.0 * static_cast<double>(plan.micro_batches()) *
                        static_cast<double>(std::max<std::int64_t>(plan.pp * plan.vpp - 1, 1));
    if (std::max({256.0 * tokens * rows * width, experts, state,
                  static_cast<double>(plan.tokens())}) > 0x1p62) {
        throw InputError({"the workload", "", "more than 2^62 operations or bytes in one node",
                          "a smaller model, sequence or micro-batch", ""});
    }
    if (nodes > 0x1p23 || tags > 0x1p30 || (model.moe.experts > 0 && works > 0x1p30)) {
        throw InputError({"--batch", "", fmt::format("{} micro-batches", plan.micro_batches()),
                          "a trace of at most 2^23 nodes per rank",
                          "Take a smaller --batch or a larger --micro-batch"});
    }
}

}  // namespace

std::int64_t padded_vocab(const ModelSpec& model, std::int64_t tp) {
    if (model.vocab % tp == 0 || model.vocab_divisible_by == 0) {
        return model.vocab;
    }
    const std::int64_t multiple = model.vocab_divisible_by * tp;
    return (model.vocab + multiple - 1) / multiple * multiple;
}

Plan resolve_plan(const ModelSpec& model, Plan plan) {
    check_model(model, model.name);
    check_range("--dp", plan.dp, 1, most_ranks);
    check_range("--tp", plan.tp, 1, most_ranks);
    check_range("--cp", plan.cp, 1, most_ranks);
    check_range("--pp", plan.pp, 1, most_ranks);
    check_range("--vpp", plan.vpp, 1, most_ranks);
    if (static_cast<double>(plan.dp) * static_cast<double>(plan.tp) * static_cast<double>(plan.cp) *
            static_cast<double>(plan.pp) >
        static_cast<double>(most_ranks)) {
        throw InputError({"--dp x --tp x --cp x --pp", "",
                          fmt::format("{} x {} x {} x {}", plan.dp, plan.tp, plan.cp, plan.pp),
                          fmt::format("at most {} ranks", most_ranks), ""});
    }
    if (plan.etp == 0) {
        plan.etp = plan.tp;
    }
    check_range("--ep", plan.ep, 1, most_ranks);
    check_range("--etp", plan.etp, 1, most_ranks);
    check_mode(plan);
    if (!(plan.tp_comm_overlap >= 0 && plan.tp_comm_overlap <= 1)) {
        throw InputError({"--tp-comm-overlap", "", fmt::format("{}", plan.tp_comm_overlap),
                          "a share from 0 to 1", ""});
    }
    resolve_batch(plan);
    resolve_lengths(model, plan);
    check_range("--seq", plan.sequence, 1, longest_sequence);
    check_tensor_parallel(model, plan);
    resolve_layers(model, plan);
    check_sequence(model, plan);
    if (!plan.trains()) {
        plan.step_ops = StepOps::Core;
    }
    if (plan.attention_kernel == AttentionKernel::Auto) {
        plan.attention_kernel = model.dropout ? AttentionKernel::Unfused : AttentionKernel::Fused;
    }
    if (plan.causal_flops == CausalFlops::Auto) {
        plan.causal_flops =
            plan.attention_kernel == AttentionKernel::Fused ? CausalFlops::Half : CausalFlops::Full;
    }
    check_parallel_dimensions(model, plan);
    check_pipeline(plan.pipeline(),
                   "The micro-batches of a replica are --batch / (--dp x --micro-batch)");
    check_magnitude(model, plan);
    return plan;
}

std::vector<std::string> notes_on_parameters_without_effect(const ModelSpec& model,
                                                            const Plan& plan) {
    std::vector<std::string> notes;
    const auto check = [&notes](bool idle, const std::string& option, const char* why) {
        if (idle) {
            notes.push_back(fmt::format("{} has no effect with {}", option, why));
        }
    };
    check(plan.pp == 1 && plan.schedule != Schedule::OneForwardOneBackward,
          fmt::format("--schedule {}", name_of(plan.schedule)), "pp 1");
    check(plan.cp == 1 && plan.context_comm != ContextComm::PointToPoint, "--cp-comm", "cp 1");
    check(plan.tp == 1 && plan.sequence_parallel, "--sequence-parallel", "tp 1");
    check(plan.tp == 1 && plan.tp_comm_overlap > 0, "--tp-comm-overlap", "tp 1");
    const bool alone =
        plan.dp * plan.cp == 1 && (model.moe.experts == 0 || plan.expert_replicas() == 1);
    check(alone && plan.zero > 0, fmt::format("--zero {}", plan.zero), "a single replica");
    check(alone && plan.overlap_grad_reduce, "--overlap-grad-reduce", "a single replica");
    const std::int64_t keys = plan.mode == Mode::Decode ? plan.context : plan.sequence;
    if (model.sliding_window > 0 && keys > model.sliding_window) {
        notes.push_back(fmt::format(
            "the sliding window of {} tokens that layers of {} have is not modelled: each query "
            "attends to all tokens before it",
            model.sliding_window, model.name));
    }
    return notes;
}

}  // namespace npunet::generators
