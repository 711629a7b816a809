#include "cli/workload_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "generators/transformer/model_library.h"

namespace npunet::cli {

namespace {

constexpr const char* model_group = "Model";
constexpr const char* plan_group = "Plan";
constexpr const char* custom_options = "--dmodel, --dff, --head, --num-stacks, --dvocal and --seq";

std::int64_t required(const std::optional<std::int64_t>& value, const char* option) {
    if (!value) {
        throw InputError({option, "", "no value", "a model",
                          fmt::format("Give --model NAME, or all of {}", custom_options)});
    }
    return *value;
}

/// The option's value; 0, which leaves it to the plan, when it was not given.
std::int64_t given_count(const std::optional<std::int64_t>& value, const char* option) {
    if (value && *value < 1) {
        throw InputError({option, "", fmt::format("{}", *value), "1 or more", ""});
    }
    return value.value_or(0);
}

/// STAGE's reading: true, t, 1, yes and y in any case are on, anything else is off.
bool is_on(std::string text) {
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const std::vector<std::string> on{"true", "t", "1", "yes", "y"};
    return std::find(on.begin(), on.end(), text) != on.end();
}

void refuse_when_on(const char* option, const std::string& text, const char* what) {
    if (is_on(text)) {
        throw InputError({option, "", fmt::format("'{}'", text), "false",
                          fmt::format("{} is not offered by this version", what)});
    }
}

}  // namespace

void WorkloadOptions::add_to(CLI::App& command) {
    command_ = &command;
    add_model_options(command);
    add_plan_options(command);
    add_kernel_options(command);
    add_stage_switches(command);
}

void WorkloadOptions::add_model_options(CLI::App& command) {
    const auto size = [&command](const char* name, std::optional<std::int64_t>& value,
                                 const char* help) {
        command.add_option(name, value, help)->group(model_group);
    };
    command.add_option("--model", model_, "A shipped model by its name, or a model file (.yml)")
        ->group(model_group);
    size("--dmodel", hidden_,
         "Without --model, a plain decoder (two-matrix MLP, RMS norm, no biases, no position "
         "parameters, untied embeddings): width of the residual stream");
    size("--dff", ffn_, "Inner width of the MLP");
    size("--head", heads_, "Query heads");
    size("--kvhead", kv_heads_, "Key and value heads (default: --head)");
    size("--num-stacks", layers_, "Decoder layers");
    size("--dvocal", vocab_, "Tokens in the vocabulary");
    size("--seq", sequence_, "Tokens of a sequence (default: the model's)");
    size("--make-vocab-size-divisible-by", vocab_divisible_by_,
         "Pad a vocabulary that --tp does not divide to a multiple of this x tp (default: the "
         "model's; 0 refuses)");
}

void WorkloadOptions::add_plan_options(CLI::App& command) {
    const auto degree = [&command](const char* names, std::int64_t& value, const char* help) {
        command.add_option(names, value, help)->group(plan_group)->capture_default_str();
    };
    degree("--dp", plan_.dp, "Data parallel: replicas of the model");
    degree("--tp", plan_.tp, "Tensor parallel: parts of every matrix");
    degree("--cp,--sp", plan_.cp, "Context parallel: parts of every sequence");
    degree("--pp", plan_.pp, "Pipeline parallel: stages");
    degree("--micro-batch", plan_.micro_batch, "Sequences of a micro-batch");
    command
        .add_option("--batch", batch_,
                    "Sequences of a step over all replicas (default: dp x micro-batch x pp)")
        ->group(plan_group);
    command
        .add_option("--schedule", schedule_, "Order of forward and backward passes in a pipeline")
        ->check(CLI::IsMember(std::vector<std::string>{"gpipe", "1f1b"}))
        ->group(plan_group)
        ->capture_default_str();
    command
        .add_flag("--sequence-parallel", plan_.sequence_parallel,
                  "Split norms and residuals over tp, as Megatron-LM does")
        ->group(plan_group);
    command
        .add_flag("--overlap-grad-reduce", plan_.overlap_grad_reduce,
                  "Reduce a layer's gradients while earlier layers are still at work")
        ->group(plan_group);
}

void WorkloadOptions::add_kernel_options(CLI::App& command) {
    const auto word = [&command](const char* name, std::string& value,
                                 std::vector<std::string> words, const char* help) {
        command.add_option(name, value, help)
            ->check(CLI::IsMember(std::move(words)))
            ->group(plan_group)
            ->capture_default_str();
    };
    word("--recompute", recompute_, {"none", "selective", "full"},
         "What a layer's backward pass computes again instead of keeping it: nothing, the "
         "attention core, the whole layer");
    word("--causal-flops", causal_flops_, {"full", "half"},
         "Scores of causal attention that are computed: all, or those that the mask leaves");
    word("--attention-kernel", attention_kernel_, {"auto", "fused", "unfused"},
         "Whether attention scores reach memory; auto: unfused for models with dropout");
    command
        .add_option("--grad-dtype", gradient_type_,
                    "Data type of parameter gradients and of their reduction (default: the "
                    "model's)")
        ->check(CLI::IsMember(std::vector<std::string>{"fp32", "bf16"}))
        ->group(plan_group);
    word("--mode", mode_, {"train", "prefill", "decode"},
         "A training step, or inference: the pass over the prompts, or over one new token of each "
         "sequence");
    command
        .add_option("--context", context_,
                    "Decode: tokens of a sequence in the cache, the new one among them (default: "
                    "the model's seq). Prefill: the same as --seq")
        ->group(plan_group);
}

/// STAGE's names. Its scripts pass --weight-sharded switched off; what it switches on does not
/// exist here. Neither is listed by the help.
void WorkloadOptions::add_stage_switches(CLI::App& command) {
    command.add_option("--weight-sharded", weight_sharded_)->group("");
    command.add_option("--activation-recompute", activation_recompute_)->group("");
}

std::string WorkloadOptions::first_given() const {
    for (const CLI::Option* option : command_->get_options()) {
        const std::string& group = option->get_group();
        if (option->count() > 0 && (group == model_group || group == plan_group)) {
            return option->get_name();
        }
    }
    return "";
}

bool WorkloadOptions::given() const {
    return model_ || hidden_ || ffn_ || heads_ || kv_heads_ || layers_ || vocab_;
}

void WorkloadOptions::refuse_sizes_beside_model() const {
    for (const auto& [option, value] :
         {std::pair{"--dmodel", hidden_}, std::pair{"--dff", ffn_}, std::pair{"--head", heads_},
          std::pair{"--kvhead", kv_heads_}, std::pair{"--num-stacks", layers_},
          std::pair{"--dvocal", vocab_}}) {
        if (value) {
            throw InputError({option, "", fmt::format("{} beside --model {}", *value, *model_),
                              "either a model or its sizes",
                              "Copy the model's file, change it and give its path"});
        }
    }
}

generators::ModelSpec WorkloadOptions::custom_model() const {
    generators::ModelSpec model;
    model.hidden = required(hidden_, "--dmodel");
    model.ffn = required(ffn_, "--dff");
    model.heads = required(heads_, "--head");
    model.kv_heads = kv_heads_.value_or(model.heads);
    model.layers = required(layers_, "--num-stacks");
    model.vocab = required(vocab_, "--dvocal");
    model.seq = required(sequence_, "--seq");
    model.gated = false;
    model.positions = generators::Positions::None;
    if (model.heads < 1 || model.hidden % model.heads != 0) {
        throw InputError({fmt::format("--head {}", model.heads), "",
                          fmt::format("--dmodel {}", model.hidden),
                          "a number of heads that divides the width", ""});
    }
    model.head_dim = model.hidden / model.heads;
    generators::check_model(model,
                            "--dmodel (hidden), --dff (ffn), --head (heads), --num-stacks "
                            "(layers), --dvocal (vocab)");
    return model;
}

generators::ModelSpec WorkloadOptions::model() const {
    if (!model_) {
        return custom_model();
    }
    refuse_sizes_beside_model();
    return generators::load_model(*model_);
}

void WorkloadOptions::apply_words(TrainingStep& step) const {
    using generators::AttentionKernel;
    using generators::Mode;
    using generators::Recompute;
    generators::Plan& plan = step.plan;
    plan.recompute = recompute_ == "full"        ? Recompute::Full
                     : recompute_ == "selective" ? Recompute::Selective
                                                 : Recompute::None;
    if (is_on(activation_recompute_)) {
        if (command_->count("--recompute") > 0 && plan.recompute != Recompute::Full) {
            throw InputError(
                {"--activation-recompute", "",
                 fmt::format("'{}' beside --recompute {}", activation_recompute_, recompute_),
                 "one of them", "It means --recompute full"});
        }
        plan.recompute = Recompute::Full;
    }
    plan.causal_flops =
        causal_flops_ == "half" ? generators::CausalFlops::Half : generators::CausalFlops::Full;
    plan.attention_kernel = attention_kernel_ == "fused"     ? AttentionKernel::Fused
                            : attention_kernel_ == "unfused" ? AttentionKernel::Unfused
                                                             : AttentionKernel::Auto;
    plan.mode = mode_ == "prefill" ? Mode::Prefill : mode_ == "decode" ? Mode::Decode : Mode::Train;
    plan.context = given_count(context_, "--context");
    if (gradient_type_) {
        step.model.dtypes.gradients = *gradient_type_ == "bf16" ? 2 : 4;
    }
}

TrainingStep WorkloadOptions::resolve() const {
    refuse_when_on("--weight-sharded", weight_sharded_, "sharding of weights");
    TrainingStep step{model(), plan_};
    if (vocab_divisible_by_) {
        step.model.vocab_divisible_by = *vocab_divisible_by_;
    }
    step.plan.sequence = given_count(sequence_, "--seq");
    step.plan.batch = given_count(batch_, "--batch");
    apply_words(step);
    step.plan.schedule = schedule_ == "gpipe" ? generators::Schedule::GPipe
                                              : generators::Schedule::OneForwardOneBackward;
    step.plan = generators::resolve_plan(step.model, step.plan);
    return step;
}

}  // namespace npunet::cli
