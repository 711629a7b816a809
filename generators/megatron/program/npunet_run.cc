#include "generators/megatron/program/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "generators/transformer/model_library.h"

namespace npunet::generators::megatron {

namespace {

/// `count` of what is divided among `parts` of an option.
void check_division(const char* what, std::int64_t count, const char* option, std::int64_t parts) {
    if (count % parts != 0) {
        refuse_plan(fmt::format("{} {} over {} {}", count, what, option, parts),
                    fmt::format("a number that {} divides", option),
                    fmt::format("Change --{}", option));
    }
}

void check_model(const TrainingRun& run) {
    const ModelSpec& model = run.model;
    const Parallelism& p = run.parallelism;
    if (model.latent()) {
        refuse_plan(fmt::format("{}, a model with latent attention", run.model_size),
                    "heads with keys and values of their own", "Choose another --model");
    }
    if (model.sinks || model.qk_norm || model.biases.router) {
        refuse_plan(fmt::format("{}, a model with {}", run.model_size,
                                model.sinks     ? "sinks"
                                : model.qk_norm ? "norms of queries and keys"
                                                : "trained biases of the router"),
                    "a model without, whose parameters the buckets of gradients hold",
                    "Choose another --model");
    }
    check_division("key and value heads", model.kv_heads, "tp", p.tp);
    check_division("channels of the MLP", model.ffn, "tp", p.tp);
    check_division("tokens of a sequence", model.seq, "cp", p.cp);
    if (p.cp > 1 && run.context_comm == ContextComm::AllToAll) {
        check_division("key and value heads of a rank", model.kv_heads / p.tp, "cp", p.cp);
    }
    if (run.sequence_parallel) {
        check_division("tokens of a rank's part of a sequence", model.seq / p.cp, "tp", p.tp);
    }
}

void check_experts(const TrainingRun& run) {
    const MixtureOfExperts& moe = run.model.moe;
    const Parallelism& p = run.parallelism;
    if (moe.experts == 0) {
        if (p.ep > 1 || (p.etp != 0 && p.etp != p.tp)) {
            refuse_plan(fmt::format("ep {}, etp {} for {}, which has no experts", p.ep,
                                    p.expert_tensor(), run.model_size),
                        "a model with experts", "Choose another --model, or leave out --ep, --etp");
        }
        return;
    }
    if (p.tp > 1 && !run.sequence_parallel) {
        refuse_plan(fmt::format("experts with tp {} without sequence parallelism", p.tp),
                    "what Megatron-LM trains", "Add --sequence-parallel");
    }
    check_division("experts", moe.experts, "ep", p.ep);
    check_division("channels of an expert", moe.ffn, "etp", p.expert_tensor());
    check_division("channels of the shared experts", run.model.shared_width(), "tp", p.tp);
    const std::int64_t part = run.model.seq / p.cp / (run.sequence_parallel ? p.tp : 1);
    check_division("copies of a rank's tokens for experts", part * run.micro_batch * moe.top_k,
                   "ep", p.ep);
}

void check_pipeline(const TrainingRun& run) {
    const std::int64_t pp = run.parallelism.pp;
    if (run.vpp == 1) {
        if (run.micro_batch_group != 0) {
            refuse_plan("a group of micro-batches without the interleaved schedule",
                        "--vpp above 1", "Leave out --microbatch-group-size-per-vp-stage");
        }
        return;
    }
    if (pp < 2) {
        refuse_plan(fmt::format("vpp {} with pp {}", run.vpp, pp), "at least two stages",
                    "Change --pp, or leave out --vpp");
    }
    if (pp == 2 && !run.overlap_p2p) {
        refuse_plan("an interleaved schedule of two stages without overlapped exchanges",
                    "overlap: the messages of two stages in both directions would be one batch",
                    "Leave out --no-overlap-p2p, or change --pp");
    }
    const std::int64_t group = run.micro_batch_group == 0 ? pp : run.micro_batch_group;
    const std::int64_t rest = run.steps % group;
    if (group < pp || group > run.steps || (rest != 0 && rest < pp)) {
        refuse_plan(
            fmt::format("{} micro-batches in groups of {} over {} stages", run.steps, group, pp),
            "groups of at least as many micro-batches as stages, the last one included",
            "Change --micro-batches or --microbatch-group-size-per-vp-stage");
    }
}

}  // namespace

TrainingRun resolve_npunet(TrainingRun run) {
    check_model(run);
    check_experts(run);
    check_pipeline(run);
    if (run.sequence_parallel && run.parallelism.tp == 1) {
        refuse_plan("sequence parallelism with tp 1", "ranks to divide a sequence among",
                    "Change --tp, or leave out --sequence-parallel");
    }
    if (run.overlap_param_gather && !(run.distributed_optimizer && run.overlap_grad_reduce)) {
        refuse_plan("overlap of the gathering of weights alone",
                    "the distributed optimizer and overlap of the gradient sums with it",
                    "Add --distributed-optimizer --overlap-grad-reduce");
    }
    return run;
}

TrainingRun npunet_run(const std::string& model_size) {
    TrainingRun run;
    const std::vector<std::string>& table = genstack_models();
    if (std::find(table.begin(), table.end(), model_size) != table.end()) {
        run = genstack_run(model_size);
        run.model.vocab = 50257;  // GPT-2's byte pairs
    } else {
        run.model_size = model_size;
        run.model = load_model(model_size);
    }
    run.dialect = Dialect::Npunet;
    run.vocab_divisible_by = 128;
    run.dtype = DataType::BFloat16;
    run.model.dtypes = DataTypes{};
    run.attention_mask = false;
    return run;
}

}  // namespace npunet::generators::megatron
