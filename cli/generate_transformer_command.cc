#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/generate_command.h"
#include "cli/generate_output.h"
#include "cli/memory_report.h"
#include "cli/workload_options.h"
#include "generators/transformer/training_step.h"

namespace npunet::cli {

namespace {

struct TransformerOptions {
    WorkloadOptions workload;
    GenerateOutput output;
    bool print_memory = false;
};

std::string headline(const TrainingStep& step) {
    const generators::Plan& plan = step.plan;
    std::string text =
        fmt::format("{}: {} parameters", step.model.name, generators::parameter_count(step.model));
    const std::int64_t active = generators::active_parameter_count(step.model);
    text += step.model.moe.experts > 0 ? fmt::format(", {} active\n", active) : "\n";
    const std::int64_t vocab = generators::padded_vocab(step.model, plan.tp);
    if (vocab != step.model.vocab) {
        text += fmt::format("vocabulary padded from {} to {} for tp {}\n", step.model.vocab, vocab,
                            plan.tp);
    }
    text += fmt::format("{} ranks: dp {} x tp {} x cp {} x pp {}\n", plan.world(), plan.dp, plan.tp,
                        plan.cp, plan.pp);
    return text + fmt::format("{} micro-batches a replica, each {} sequences of {} tokens\n",
                              plan.micro_batches(), plan.micro_batch, plan.sequence);
}

const char* name_of(generators::Recompute recompute) {
    switch (recompute) {
        case generators::Recompute::None:
            return "none";
        case generators::Recompute::Selective:
            return "selective";
        case generators::Recompute::Full:
            break;
    }
    return "full";
}

const char* name_of(generators::Mode mode) {
    switch (mode) {
        case generators::Mode::Train:
            return "train";
        case generators::Mode::Prefill:
            return "prefill";
        case generators::Mode::Decode:
            break;
    }
    return "decode";
}

nlohmann::ordered_json description(const TrainingStep& step) {
    const generators::Plan& plan = step.plan;
    return {
        {"model", step.model.name},
        {"parameters", generators::parameter_count(step.model)},
        {"active_parameters", generators::active_parameter_count(step.model)},
        {"multiplying_weights", generators::multiplying_weights(step.model)},
        {"padded_vocab", generators::padded_vocab(step.model, plan.tp)},
        {"plan",
         {{"dp", plan.dp},
          {"tp", plan.tp},
          {"cp", plan.cp},
          {"pp", plan.pp},
          {"batch", plan.batch},
          {"micro_batch", plan.micro_batch},
          {"micro_batches", plan.micro_batches()},
          {"sequence", plan.sequence},
          {"sequence_parallel", plan.sequence_parallel},
          {"schedule", plan.schedule == generators::Schedule::GPipe ? "gpipe" : "1f1b"},
          {"overlap_grad_reduce", plan.overlap_grad_reduce},
          {"recompute", name_of(plan.recompute)},
          {"causal_flops", plan.causal_flops == generators::CausalFlops::Half ? "half" : "full"},
          {"attention_kernel",
           plan.attention_kernel == generators::AttentionKernel::Fused ? "fused" : "unfused"},
          {"mode", name_of(plan.mode)},
          {"context", plan.context}}}};
}

}  // namespace

void add_generate_transformer_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command = generate.add_subcommand(
        "transformer", "A training step of a decoder-only transformer, as Megatron-LM runs it");
    auto options = std::make_shared<TransformerOptions>();
    options->workload.add_to(*command);
    options->output.add_to(*command, false);
    command->add_flag("--print-memory", options->print_memory,
                      "Print what an NPU of each pipeline stage needs of memory; without "
                      "--output-dir nothing else is done");
    command->footer(
        "Ranks count tp fastest, then cp, dp, pp.\n"
        "Example:\n"
        "  npunet generate transformer --model llama2-4layer --dp 2 --tp 2 --batch 4 "
        "--output-dir traces");
    command->callback([options, &context] {
        const TrainingStep step = options->workload.resolve();
        std::string text = headline(step);
        nlohmann::ordered_json document = description(step);
        if (options->print_memory) {
            text += memory_table(step);
            document["memory"] = memory_document(step);
            if (!options->output.writes()) {
                options->output.print(text, document, context.out);
                return;
            }
        } else if (!options->output.writes()) {
            throw InputError({"--output-dir", "", "nothing", "a folder for the traces",
                              "Give --output-dir, or --print-memory for the memory alone"});
        }
        options->output.write(generators::generate(step.model, step.plan), text,
                              std::move(document), context.out);
    });
}

}  // namespace npunet::cli
