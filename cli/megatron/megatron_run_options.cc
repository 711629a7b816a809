#include "cli/megatron/megatron_run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "base/suggest.h"
#include "cli/command/option_values.h"
#include "generators/megatron/groups/python_datetime.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/plan_names.h"

namespace npunet::cli {

namespace {

using generators::megatron::DataType;
using generators::megatron::TrainingRun;

/// The default, of zeros, says that there is no time.
CLI::Validator timestamp() {
    return {[](const std::string& text) -> std::string {
                const std::string expected =
                    "expected YYYYmmdd_HHMMSS, such as 20250810_184348: a day of the calendar and "
                    "a time of 24 hours";
                if (text == TrainingRun{}.timestamp) {
                    return "";
                }
                try {
                    const bool fits =
                        generators::megatron::python_datetime(text, "").compact() == text;
                    return fits ? "" : fmt::format("found '{}'; {}", text, expected);
                } catch (const InputError&) {
                    return fmt::format("found '{}'; {}", text, expected);
                }
            },
            ""};
}

/// Names of the tracer's table and of the shipped models; files are looked at when they are read.
void check_model_name(const std::string& name) {
    if (generators::is_model_file(name)) {
        return;
    }
    std::vector<std::string> names = generators::megatron::genstack_models();
    const std::vector<std::string> shipped = generators::known_models();
    names.insert(names.end(), shipped.begin(), shipped.end());
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(
            {"--model", "", fmt::format("'{}'", name),
             fmt::format("a model file (.yml), a config.json or one of {}", fmt::join(names, ", ")),
             did_you_mean(name, names)});
    }
}

}  // namespace

void MegatronRunOptions::add_to(CLI::App& command) {
    add_run_options(command);
    add_degrees(command);
    add_switches(command);
    add_pipeline_switches(command);
}

HelpSection MegatronRunOptions::short_help() {
    return {
        "Run",
        {{"--model", "NAME|FILE", "small ... 175b, a shipped model, a model file or config.json"},
         {"--batch", "N", ""},
         {"--micro-batches", "N", "Micro-batches of a replica"},
         {"--dp,--tp,--pp", "N", "Degrees: replicas; parts of every matrix; pipeline stages"},
         {"--cp,--ep", "N", "Degrees: parts of every sequence; parts of the set of experts"},
         {"--vpp", "N", ""},
         {"--sequence-parallel", "", ""},
         {"--distributed-optimizer", "", ""},
         {"--overlap-grad-reduce", "", ""},
         {"--overlap-param-gather", "", ""},
         {"--dtype", "NAME", "bf16 (default), fp16 or fp32"},
         {"--dialect", "NAME", "npunet, or genstack: the tracer's log, byte for byte"},
         {"--timestamp", "TIME", "YYYYmmdd_HHMMSS, in the folder's name and config.json"}}};
}

void MegatronRunOptions::add_run_options(CLI::App& command) {
    command
        .add_option("--dialect", dialect_,
                    "What current Megatron-LM says (npunet), or what the tracer Genstack logs of "
                    "the Megatron-LM of 2025, byte for byte (genstack)")
        ->check(one_of({"npunet", "genstack"}))
        ->group(run_group)
        ->capture_default_str();
    command
        .add_option("--model,--model-size", model_size_,
                    "small, medium, large, xl, 2b, 6b, 13b, 30b or 175b; npunet also a model of "
                    "configs/models or a model file")
        ->group(run_group)
        ->capture_default_str();
    command
        .add_option("--micro-batches", given_.micro_batches,
                    "Micro-batches of a replica; their size is the global batch / (this x dp)")
        ->check(whole_number(1, generators::most_sequences))
        ->group(run_group)
        ->capture_default_str();
    command
        .add_option("--batch,--global-batch-size", given_.global_batch_size,
                    "Sequences of a step over all replicas")
        ->check(whole_number(1, generators::most_sequences))
        ->group(run_group)
        ->capture_default_str();
    command.add_option("--seed", given_.seed, "Stands in config.json; nothing is drawn")
        ->check(whole_number(0))
        ->group(run_group)
        ->capture_default_str();
    command
        .add_option("--timestamp", given_.timestamp,
                    "YYYYmmdd_HHMMSS, in the folder's name and config.json")
        ->check(timestamp())
        ->group(run_group)
        ->capture_default_str();
}

void MegatronRunOptions::add_degrees(CLI::App& command) {
    const auto degree = whole_number(1, generators::most_ranks);
    generators::megatron::Parallelism& p = given_.parallelism;
    command.add_option("--dp", p.dp, "Data parallel: replicas")
        ->check(degree)
        ->group(run_group)
        ->capture_default_str();
    command.add_option("--tp", p.tp, "Tensor parallel: parts of every matrix")
        ->check(degree)
        ->group(run_group)
        ->capture_default_str();
    command.add_option("--pp", p.pp, "Pipeline stages")
        ->check(degree)
        ->group(run_group)
        ->capture_default_str();
    command
        .add_option("--cp", cp_,
                    "Context parallel: parts of every sequence (default: 1; in genstack --cp 1 "
                    "writes context_parallel_size, as an older revision did)")
        ->check(degree)
        ->group(run_group);
    command.add_option("--ep", p.ep, "Expert parallel: parts of the set of experts; adds no ranks")
        ->check(degree)
        ->group(run_group)
        ->capture_default_str();
    command.add_option("--etp", etp_, "Tensor parallel inside an expert (default: --tp)")
        ->check(degree)
        ->group(run_group);
    command
        .add_option("--rank-order", rank_order_,
                    "Which dimension numbers ranks the fastest, and so on: tp, cp, ep, dp and pp "
                    "in any order")
        ->group(run_group)
        ->capture_default_str();
}

void MegatronRunOptions::add_switches(CLI::App& command) {
    command
        .add_option("--make-vocab-size-divisible-by", vocab_divisible_by_,
                    "Pads the vocabulary to a multiple of this x tp (default: 128; genstack, "
                    "whose vocabulary is one token: 50257)")
        ->check(whole_number(1, std::int64_t{1} << 32))
        ->group(switches_group);
    command
        .add_option("--dtype", dtype_, "Of weights and activations (default: bf16; genstack: fp32)")
        ->check(one_of({"bf16", "fp16", "fp32"}))
        ->group(switches_group);
    command
        .add_flag("--sequence-parallel", given_.sequence_parallel,
                  "Norms and residuals split over tp")
        ->group(switches_group);
    command
        .add_flag("--distributed-optimizer,--use-distributed-optimizer",
                  given_.distributed_optimizer, "Replicas shard the optimizer's states")
        ->group(switches_group);
    command
        .add_flag("--overlap-grad-reduce", given_.overlap_grad_reduce,
                  "Sum gradients bucket by bucket beside the backward pass")
        ->group(switches_group);
    command
        .add_flag("--overlap-param-gather", given_.overlap_param_gather,
                  "Gather weights bucket by bucket beside the forward pass")
        ->group(switches_group);
    command
        .add_flag("--cross-entropy-loss-fusion", given_.fused_cross_entropy,
                  "One sum instead of two in the cross-entropy")
        ->group(switches_group);
    command
        .add_flag("--create-attention-mask", attention_mask_,
                  "The data loader makes and broadcasts attention masks (default in genstack)")
        ->group(switches_group);
    command
        .add_flag("--no-create-attention-mask-in-dataloader", no_attention_mask_,
                  "It does not (default in npunet)")
        ->group(switches_group);
}

void MegatronRunOptions::add_pipeline_switches(CLI::App& command) {
    command
        .add_option("--cp-comm", cp_comm_,
                    "Context-parallel attention: ring exchange of K/V (p2p), all-gather of K/V, or "
                    "all-to-all (Ulysses)")
        ->check(one_of(generators::context_comm_names()))
        ->group(switches_group)
        ->capture_default_str();
    command
        .add_option("--vpp", given_.vpp,
                    "Chunks of layers a stage; above 1 the interleaved schedule")
        ->check(whole_number(1))
        ->group(switches_group)
        ->capture_default_str();
    command
        .add_option("--microbatch-group-size-per-vp-stage", given_.micro_batch_group,
                    "Micro-batches that go through a chunk before the next chunk's turn; 0: --pp")
        ->check(whole_number(0))
        ->group(switches_group)
        ->capture_default_str();
    command
        .add_flag("--no-overlap-p2p", no_overlap_p2p_, "Messages of the interleaved schedule block")
        ->group(switches_group);
}

void MegatronRunOptions::set_data_type(TrainingRun& run) const {
    if (dtype_.empty()) {
        return;
    }
    run.dtype = dtype_ == "bf16"   ? DataType::BFloat16
                : dtype_ == "fp16" ? DataType::Float16
                                   : DataType::Float32;
    // Full precision needs no master weights: two moments of Adam.
    run.model.dtypes = run.dtype == DataType::Float32
                           ? generators::DataTypes{generators::fp32, generators::fp32,
                                                   generators::fp32, 2 * generators::fp32}
                           : generators::DataTypes{};
}

void MegatronRunOptions::set_switches(TrainingRun& run) const {
    run.sequence_parallel = given_.sequence_parallel;
    run.distributed_optimizer = given_.distributed_optimizer;
    run.overlap_grad_reduce = given_.overlap_grad_reduce;
    run.overlap_param_gather = given_.overlap_param_gather;
    run.overlap_p2p = !no_overlap_p2p_;
    run.fused_cross_entropy = given_.fused_cross_entropy;
    run.vpp = given_.vpp;
    run.micro_batch_group = given_.micro_batch_group;
    run.context_comm = generators::context_comm_named(cp_comm_);
    run.attention_mask = attention_mask_ || (run.attention_mask && !no_attention_mask_);
}

TrainingRun MegatronRunOptions::run() const {
    const bool genstack = dialect_ == "genstack";
    if (attention_mask_ && no_attention_mask_) {
        throw InputError({"--create-attention-mask", "",
                          "--no-create-attention-mask-in-dataloader beside it", "one of the two",
                          "Leave one out"});
    }
    if (!genstack) {
        check_model_name(model_size_);
    }
    TrainingRun run = genstack ? generators::megatron::genstack_run(model_size_)
                               : generators::megatron::npunet_run(model_size_);
    run.parallelism = given_.parallelism;
    run.parallelism.cp = cp_.value_or(1);
    run.parallelism.etp = etp_.value_or(0);
    run.parallelism.rank_order = generators::rank_order_named(rank_order_, "--rank-order");
    run.writes_context_size = genstack && cp_.has_value();
    run.micro_batches = given_.micro_batches;
    run.global_batch_size = given_.global_batch_size;
    run.seed = given_.seed;
    run.timestamp = given_.timestamp;
    run.vocab_divisible_by = vocab_divisible_by_.value_or(run.vocab_divisible_by);
    set_data_type(run);
    set_switches(run);
    return generators::megatron::resolve_run(run);
}

}  // namespace npunet::cli
