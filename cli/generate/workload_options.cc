#include "cli/generate/workload_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "cli/command/option_values.h"
#include "generators/stage/stage_workload.h"
#include "generators/transformer/layer_split.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/plan.h"
#include "generators/transformer/training_step.h"

namespace npunet::cli {

namespace {

constexpr const char* plan_group = "Plan";
constexpr const char* custom_options = "--hidden, --ffn, --heads, --layers, --vocab and --seq";

std::int64_t required(const std::optional<std::int64_t>& value, const char* option) {
    if (!value) {
        throw InputError({option, "", "no value", "a model",
                          fmt::format("Give --model NAME, or all of {}", custom_options)});
    }
    return *value;
}

}  // namespace

void WorkloadOptions::add_to(CLI::App& command, const char* dialect) {
    command_ = &command;
    add_model_options(command);
    add_plan_options(command);
    add_kernel_options(command);
    stage_.add_to(command, dialect);
}

void WorkloadOptions::add_seed_to(CLI::App& command) {
    parallel_.add_seed_to(command, plan_group);
}

void WorkloadOptions::add_model_options(CLI::App& command) {
    const auto size = [&command](const char* name, std::optional<std::int64_t>& value,
                                 const char* help) {
        command.add_option(name, value, help)
            ->check(whole_number(1, generators::StageArguments::largest_size))
            ->group(model_group);
    };
    command
        .add_option(
            "--model", model_,
            "A shipped model by its name, a model file (.yml), or the config.json of a model on "
            "the Hugging Face hub")
        ->group(model_group);
    size("--hidden,--dmodel", hidden_,
         "Without --model, a plain decoder (two-matrix MLP, RMS norm, no biases, no position "
         "parameters, untied embeddings): width of the residual stream");
    size("--ffn,--dff", ffn_, "Inner width of the MLP");
    size("--heads,--head", heads_, "Query heads");
    size("--kv-heads,--kvhead", kv_heads_, "Key and value heads (default: --heads)");
    size("--experts", experts_,
         "Experts of every layer, each with two matrices of --ffn (default: none)");
    size("--top-k,--kexperts", top_k_, "Experts of a token, with --experts");
    size("--layers,--num-stacks", layers_, "Decoder layers");
    size("--vocab,--dvocal", vocab_, "Tokens in the vocabulary");
    size("--seq", sequence_, "Tokens of a sequence (default: the model's)");
    command
        .add_option("--make-vocab-size-divisible-by", vocab_divisible_by_,
                    "Pad a vocabulary that --tp does not divide to a multiple of this x tp "
                    "(default: the model's; 0 refuses)")
        ->check(whole_number(0))
        ->group(model_group);
}

void WorkloadOptions::add_plan_options(CLI::App& command) {
    const auto degree = [&command](const char* names, std::int64_t& value, const char* help) {
        return command.add_option(names, value, help)
            ->check(whole_number(1, generators::most_ranks))
            ->group(plan_group)
            ->capture_default_str();
    };
    degree("--dp", plan_.dp, "Data parallel: replicas of the model");
    degree("--tp", plan_.tp, "Tensor parallel: parts of every matrix");
    CLI::Option* const context =
        degree("--cp", plan_.cp, "Context parallel: parts of every sequence");
    command
        .add_option("--sp", plan_.cp,
                    "STAGE's name for --cp: parts of every sequence. Megatron-LM's sequence "
                    "parallelism is --sequence-parallel")
        ->check(whole_number(1, generators::most_ranks))
        ->group(StageOptions::group)
        ->excludes(context);
    degree("--pp", plan_.pp, "Pipeline parallel: stages");
    plan_.micro_batch = 0;
    command
        .add_option("--micro-batch", plan_.micro_batch,
                    "Sequences of a micro-batch (default: 1; without a pipeline a replica's whole "
                    "share of the batch)")
        ->check(whole_number(1, generators::most_sequences_of_micro_batch))
        ->group(plan_group);
    degree("--vpp", plan_.vpp, "Chunks of layers a stage, for the interleaved schedule");
    add_layer_options(command);
    command
        .add_option("--batch", batch_,
                    "Sequences of a step over all replicas (default: dp x micro-batch x pp)")
        ->check(whole_number(1, generators::most_sequences))
        ->group(plan_group);
    command
        .add_option("--schedule", schedule_, "Order of forward and backward passes in a pipeline")
        ->check(one_of(generators::schedule_names()))
        ->group(plan_group)
        ->capture_default_str();
    command
        .add_flag("--sequence-parallel", plan_.sequence_parallel,
                  "Split norms and residuals over tp, as Megatron-LM does")
        ->group(plan_group);
    parallel_.add_to(command, plan_group);
}

void WorkloadOptions::add_layer_options(CLI::App& command) {
    command
        .add_option("--pp-layers", pp_layers_,
                    "Layers of every pipeline stage, with --vpp of every virtual stage, separated "
                    "by commas; N*K stands for K stages of N (default: equal shares)")
        ->group(plan_group);
    const auto end = [&command](const char* name, std::int64_t& value, const char* help) {
        command.add_option(name, value, help)
            ->check(whole_number(1, generators::StageArguments::largest_size))
            ->group(plan_group);
    };
    end("--first-stage-layers", plan_.first_stage_layers,
        "Layers of the first pipeline stage, with --vpp of the first virtual stage; the others "
        "share the rest equally");
    end("--last-stage-layers", plan_.last_stage_layers, "The same of the last one");
}

void WorkloadOptions::add_kernel_options(CLI::App& command) {
    const auto word = [&command](const char* name, std::string& value,
                                 std::vector<std::string> words, const char* help) {
        command.add_option(name, value, help)
            ->check(one_of(std::move(words)))
            ->group(plan_group)
            ->capture_default_str();
    };
    word("--recompute", recompute_, {"none", "selective", "full"},
         "What a layer's backward pass computes again instead of keeping it: nothing, the "
         "attention core, the whole layer");
    word("--causal-flops", causal_flops_, {"auto", "full", "half"},
         "Scores of causal attention that are computed: all, or those that the mask leaves; auto: "
         "half in a fused kernel");
    word("--attention-backward", attention_backward_, {"kernel", "model"},
         "Products of a fused attention kernel's backward pass that count: the five that it "
         "computes, or the model's four");
    word("--attention-kernel", attention_kernel_, {"auto", "fused", "unfused"},
         "Whether attention scores reach memory; auto: unfused for models with dropout");
    word("--step-ops", step_ops_, {"full", "core"},
         "Nodes of a training step: core has products, attention and element-wise kernels, full "
         "also what goes with gradients (accumulation, norm, clipping, zeroing), dropout masks and "
         "FP8 casts");
    word("--precision", precision_, {"bf16", "fp8"},
         "Data type of the inputs of decoder layers' linear products: the model's, or FP8");
    command
        .add_option("--tp-comm-overlap", plan_.tp_comm_overlap,
                    "Share of tensor-parallel communication that runs beside the product next to "
                    "it, from 0 to 1")
        ->check(number(0.0, 1.0))
        ->group(plan_group)
        ->capture_default_str();
    word("--mode", mode_, {"train", "prefill", "decode"},
         "A training step, or inference: the pass over the prompts, or over one new token of each "
         "sequence");
    command
        .add_option("--context", context_,
                    "Decode: tokens of a sequence in the cache, the new one among them (default: "
                    "the model's seq). Prefill: the same as --seq")
        ->check(whole_number(1, generators::longest_sequence))
        ->group(plan_group);
}

HelpSection WorkloadOptions::short_help() {
    return {"Model and plan",
            {{"--model", "NAME|FILE",
              "A shipped model, a model file (.yml) or a Hugging Face config.json"},
             {"--hidden,--ffn,--heads,--layers,--vocab", "N",
              "Without --model: sizes of a plain decoder, with --seq"},
             {"--batch", "N", "Sequences of a step over all replicas"},
             {"--micro-batch", "N", "Sequences of a micro-batch"},
             {"--seq", "N", ""},
             {"--dp,--tp,--pp", "N", "Degrees: replicas; parts of every matrix; pipeline stages"},
             {"--cp,--ep", "N", "Degrees: parts of every sequence; parts of the set of experts"},
             {"--sequence-parallel", "", ""},
             {"--zero", "0|1|2|3", "Shards optimizer states (1), gradients (2), weights (3)"},
             {"--overlap-grad-reduce", "", "Reduce gradients beside the backward pass"},
             {"--schedule", "NAME", "1f1b (default), gpipe, interleaved (with --vpp), zero-bubble"},
             {"--recompute", "NAME", "none (default), selective or full"}}};
}

std::string WorkloadOptions::note_on_sp() const {
    if (stage() || command_->count("--sp") == 0) {
        return "";
    }
    return fmt::format(
        "--sp {0} is taken as --cp {0}, context parallelism, which STAGE calls sp: say --cp. "
        "Megatron-LM's sequence parallelism, inside tp, is --sequence-parallel",
        plan_.cp);
}

std::string WorkloadOptions::first_given() const {
    for (const CLI::Option* option : command_->get_options()) {
        const std::string& group = option->get_group();
        if (option->count() > 0 &&
            (group == model_group || group == plan_group || group == StageOptions::group)) {
            return option->get_name();
        }
    }
    return "";
}

bool WorkloadOptions::given() const {
    return model_ || hidden_ || ffn_ || heads_ || kv_heads_ || experts_ || top_k_ || layers_ ||
           vocab_ || stage_.given();
}

void WorkloadOptions::refuse_sizes_beside_model() const {
    for (const auto& [option, value] :
         {std::pair{"--hidden", hidden_}, std::pair{"--ffn", ffn_}, std::pair{"--heads", heads_},
          std::pair{"--kv-heads", kv_heads_}, std::pair{"--experts", experts_},
          std::pair{"--top-k", top_k_}, std::pair{"--layers", layers_},
          std::pair{"--vocab", vocab_}, std::pair{"--din, --dout", stage_.vocabulary()}}) {
        if (value) {
            throw InputError({option, "", fmt::format("{} beside --model {}", *value, *model_),
                              "either a model or its sizes",
                              "Copy the model's file, change it and give its path"});
        }
    }
}

std::optional<std::int64_t> WorkloadOptions::vocabulary() const {
    const std::optional<std::int64_t> stages = stage_.vocabulary();
    if (vocab_ && stages && vocab_ != stages) {
        throw InputError({"--vocab", "",
                          fmt::format("{} beside --din and --dout {}", *vocab_, *stages),
                          "one vocabulary", "Leave --din and --dout out"});
    }
    return vocab_ ? vocab_ : stages;
}

generators::MixtureOfExperts WorkloadOptions::custom_experts() const {
    generators::MixtureOfExperts moe;
    if (experts_.has_value() != top_k_.has_value()) {
        throw InputError({experts_ ? "--experts" : "--top-k", "",
                          experts_ ? "no --top-k beside it" : "no --experts beside it",
                          "both: experts of a layer, and of them those of a token",
                          "Give both, or neither for a model without experts"});
    }
    if (experts_) {
        moe.experts = *experts_;
        moe.top_k = *top_k_;
        moe.ffn = required(ffn_, "--ffn");
    }
    return moe;
}

generators::ModelSpec WorkloadOptions::custom_model() const {
    generators::DenseSizes sizes;
    sizes.hidden = required(hidden_, "--hidden");
    sizes.ffn = required(ffn_, "--ffn");
    sizes.heads = required(heads_, "--heads");
    sizes.kv_heads = kv_heads_;
    sizes.layers = required(layers_, "--layers");
    sizes.vocab = required(vocabulary(), "--vocab");
    sizes.seq = required(sequence_, "--seq");
    const generators::MixtureOfExperts experts = custom_experts();
    if (sizes.hidden % sizes.heads != 0) {
        throw InputError({"--heads", "", fmt::format("{}", sizes.heads),
                          fmt::format("a divisor of --hidden {}", sizes.hidden), ""});
    }
    generators::ModelSpec model = generators::dense_model(sizes);
    model.moe = experts;
    model.gated = false;
    model.positions = generators::Positions::None;
    generators::check_model(model,
                            "--hidden (hidden), --ffn (ffn), --heads (heads), --layers "
                            "(layers), --vocab (vocab), --experts (moe.experts), --top-k "
                            "(moe.top_k)");
    return model;
}

generators::ModelSpec WorkloadOptions::model() const {
    if (!model_) {
        return custom_model();
    }
    refuse_sizes_beside_model();
    return generators::load_model(*model_);
}

void WorkloadOptions::apply_words(generators::Plan& plan) const {
    using generators::AttentionKernel;
    using generators::Mode;
    using generators::Recompute;
    plan.recompute = recompute_ == "full"        ? Recompute::Full
                     : recompute_ == "selective" ? Recompute::Selective
                                                 : Recompute::None;
    if (is_on(stage_.activation_recompute())) {
        if (command_->count("--recompute") > 0 && plan.recompute != Recompute::Full) {
            throw InputError({"--activation-recompute", "",
                              fmt::format("'{}' beside --recompute {}",
                                          stage_.activation_recompute(), recompute_),
                              "one of them", "It means --recompute full"});
        }
        plan.recompute = Recompute::Full;
    }
    plan.causal_flops = causal_flops_ == "half"   ? generators::CausalFlops::Half
                        : causal_flops_ == "full" ? generators::CausalFlops::Full
                                                  : generators::CausalFlops::Auto;
    plan.attention_backward = attention_backward_ == "model"
                                  ? generators::AttentionBackward::Model
                                  : generators::AttentionBackward::Kernel;
    plan.attention_kernel = attention_kernel_ == "fused"     ? AttentionKernel::Fused
                            : attention_kernel_ == "unfused" ? AttentionKernel::Unfused
                                                             : AttentionKernel::Auto;
    plan.step_ops = step_ops_ == "full" ? generators::StepOps::Full : generators::StepOps::Core;
    plan.precision = precision_ == "fp8" ? generators::Precision::Fp8 : generators::Precision::Bf16;
    plan.mode = mode_ == "prefill" ? Mode::Prefill : mode_ == "decode" ? Mode::Decode : Mode::Train;
    plan.context = context_.value_or(0);
}

TrainingStep WorkloadOptions::resolve() const {
    stage_.refuse_weight_sharding();
    TrainingStep step{model(), plan_};
    if (vocab_divisible_by_) {
        step.model.vocab_divisible_by = *vocab_divisible_by_;
    }
    step.plan.sequence = sequence_.value_or(0);
    step.plan.batch = batch_.value_or(0);
    apply_words(step.plan);
    step.plan.schedule = generators::schedule_named(schedule_);
    if (pp_layers_) {
        step.plan.pp_layers = generators::layer_counts(*pp_layers_, "--pp-layers");
    }
    parallel_.apply(step.model, step.plan);
    step.plan = generators::resolve_plan(step.model, step.plan);
    return step;
}

generators::StageArguments WorkloadOptions::stage_arguments() const {
    stage_.refuse_others({model_group, plan_group});
    generators::StageArguments shared;
    shared.dp = plan_.dp;
    shared.tp = plan_.tp;
    shared.sp = plan_.cp;
    shared.pp = plan_.pp;
    shared.dmodel = hidden_.value_or(shared.dmodel);
    shared.dff = ffn_.value_or(shared.dff);
    shared.batch = batch_.value_or(shared.batch);
    shared.seq = sequence_.value_or(shared.seq);
    shared.head = heads_.value_or(shared.head);
    shared.num_stacks = layers_.value_or(shared.num_stacks);
    const generators::StageArguments arguments = stage_.arguments(shared);
    generators::check(arguments);
    return arguments;
}

generators::GeneratedWorkload WorkloadOptions::generate() const {
    if (stage()) {
        return generators::generate(stage_arguments());
    }
    const TrainingStep step = resolve();
    return generators::generate(step.model, step.plan);
}

std::vector<std::string> WorkloadOptions::idle_options() const {
    if (stage()) {
        return {};
    }
    const TrainingStep step = resolve();
    return generators::notes_on_parameters_without_effect(step.model, step.plan);
}

}  // namespace npunet::cli
