#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/generate/generate_output.h"
#include "cli/generate/workload_options.h"
#include "generators/stage/stage_workload.h"
#include "generators/transformer/layer_split.h"
#include "generators/transformer/moe_routing.h"
#include "generators/transformer/plan.h"
#include "generators/transformer/plan_names.h"
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
    text += fmt::format("{}: dp {} x tp {} x cp {} x pp {}\n",
                        counted(plan.world(), "rank", "ranks"), plan.dp, plan.tp, plan.cp, plan.pp);
    if (!plan.pp_layers.empty()) {
        text += fmt::format("layers of the {}stages: {}\n", plan.vpp > 1 ? "virtual " : "",
                            generators::layer_counts_text(plan.pp_layers));
    }
    if (step.model.moe.experts > 0) {
        text += fmt::format("experts: ep {} x etp {}, {} of each\n", plan.ep, plan.etp,
                            counted(plan.expert_replicas(), "copy", "copies"));
    }
    return text + fmt::format("{} a replica, each {} of {}\n",
                              counted(plan.micro_batches(), "micro-batch", "micro-batches"),
                              counted(plan.micro_batch, "sequence", "sequences"),
                              counted(plan.sequence, "token", "tokens"));
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
    nlohmann::ordered_json document{
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
          {"schedule", generators::name_of(plan.schedule)},
          {"vpp", plan.vpp},
          {"overlap_grad_reduce", plan.overlap_grad_reduce},
          {"overlap_param_gather", plan.overlap_param_gather},
          {"zero", plan.zero},
          {"cp_comm",
           generators::context_comm_names()[static_cast<std::size_t>(plan.context_comm)]},
          {"ep", plan.ep},
          {"etp", plan.etp},
          {"rank_order", generators::rank_order_name(plan.rank_order)},
          {"moe_routing", generators::routing_name(step.model.moe.routing)},
          {"capacity_factor", step.model.moe.capacity_factor},
          {"seed", plan.seed},
          {"recompute", name_of(plan.recompute)},
          {"causal_flops", plan.causal_flops == generators::CausalFlops::Half ? "half" : "full"},
          {"attention_backward",
           plan.attention_backward == generators::AttentionBackward::Kernel ? "kernel" : "model"},
          {"attention_kernel",
           plan.attention_kernel == generators::AttentionKernel::Fused ? "fused" : "unfused"},
          {"step_ops", plan.step_ops == generators::StepOps::Full ? "full" : "core"},
          {"precision", plan.precision == generators::Precision::Fp8 ? "fp8" : "bf16"},
          {"tp_comm_overlap", plan.tp_comm_overlap},
          {"mode", name_of(plan.mode)},
          {"context", plan.context}}}};
    if (!plan.pp_layers.empty()) {
        document["plan"]["pp_layers"] = plan.pp_layers;
    }
    return document;
}

std::string headline(const generators::StageArguments& a) {
    return fmt::format(
        "STAGE's step of {}, width {}, inner width {}, {}, from {} to {}\n"
        "{}: dp {} x tp {} x sp {} x pp {}{}{}\n"
        "{} of {}; bytes are elements, FLOPs multiply-adds, as in STAGE\n",
        counted(a.num_stacks, "layer", "layers"), a.dmodel, a.dff, counted(a.head, "head", "heads"),
        a.din, a.dout, counted(a.world(), "rank", "ranks"), a.dp, a.tp, a.sp, a.pp,
        a.weight_sharded ? ", weights sharded" : "",
        a.activation_recompute ? ", activations computed again" : "",
        counted(a.batch, "sequence", "sequences"), counted(a.seq, "token", "tokens"));
}

nlohmann::ordered_json description(const generators::StageArguments& a) {
    return {{"dialect", "stage"},
            {"model",
             {{"din", a.din},
              {"dout", a.dout},
              {"dmodel", a.dmodel},
              {"dff", a.dff},
              {"head", a.head},
              {"num_stacks", a.num_stacks}}},
            {"plan",
             {{"dp", a.dp},
              {"tp", a.tp},
              {"sp", a.sp},
              {"pp", a.pp},
              {"batch", a.batch},
              {"seq", a.seq},
              {"weight_sharded", a.weight_sharded},
              {"activation_recompute", a.activation_recompute}}}};
}

[[noreturn]] void refuse_missing_folder(const char* remedy) {
    throw InputError({"--output-dir", "", "nothing", "a folder for the traces", remedy});
}

void run_stage(const TransformerOptions& options, std::ostream& out) {
    if (options.print_memory) {
        throw InputError({"--print-memory", "", "beside the stage dialect",
                          "a step of the npunet dialect", "Leave it out"});
    }
    if (!options.output.writes()) {
        refuse_missing_folder("Give --output-dir");
    }
    const generators::StageArguments arguments = options.workload.stage_arguments();
    options.output.write(generators::generate(arguments), headline(arguments),
                         description(arguments), out);
}

void run_step(const TransformerOptions& options, const CommandContext& context) {
    std::ostream& out = context.out;
    const TrainingStep step = options.workload.resolve();
    if (const std::string note = options.workload.note_on_sp(); !note.empty()) {
        log_warning(context.log, note);
    }
    std::string text = headline(step);
    nlohmann::ordered_json document = description(step);
    const std::vector<std::string> notes =
        generators::notes_on_parameters_without_effect(step.model, step.plan);
    for (const std::string& note : notes) {
        text += fmt::format("note: {}\n", note);
    }
    if (!notes.empty()) {
        document["notes"] = notes;
    }
    if (options.print_memory) {
        if (step.model.moe.routing.kind == generators::Routing::Kind::File) {
            static_cast<void>(generators::read_routing_file(step.model));
        }
        text += memory_table(step);
        document["memory"] = memory_document(step);
        if (!options.output.writes()) {
            options.output.print(text, document, out);
            return;
        }
    } else if (!options.output.writes()) {
        refuse_missing_folder("Give --output-dir, or --print-memory for the memory alone");
    }
    options.output.write(generators::generate(step.model, step.plan), text, std::move(document),
                         out);
}

}  // namespace

void add_generate_transformer_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command = generate.add_subcommand(
        "transformer", "A training step of a decoder-only transformer, as Megatron-LM runs it");
    auto options = std::make_shared<TransformerOptions>();
    options->workload.add_to(*command, "--dialect,--workload-dialect");
    options->workload.add_seed_to(*command);
    options->output.add_to(*command, false);
    command->add_flag("--print-memory", options->print_memory,
                      "Print what an NPU of each pipeline stage needs of memory; without "
                      "--output-dir nothing else is done");
    command->footer(
        "Ranks count tp fastest, then cp, dp, pp, unless --rank-order says otherwise.\n"
        "Example:\n"
        "  npunet generate transformer --model llama2-4layer --dp 2 --tp 2 --batch 4 "
        "--output-dir traces");
    add_short_help(*command,
                   {WorkloadOptions::short_help(),
                    {"Inference",
                     {{"--mode", "NAME", "train (default), prefill or decode"},
                      {"--context", "N", "Decode: tokens of a sequence in the cache"}}},
                    {"Output",
                     {{"--output-dir", "DIR", ""},
                      {"--print-memory", "",
                       "Print what an NPU of each stage needs of memory; needs no folder"},
                      {"--json", "", ""}}}});
    command->callback([options, &context] {
        if (options->workload.stage()) {
            run_stage(*options, context.out);
        } else {
            run_step(*options, context);
        }
    });
}

}  // namespace npunet::cli
