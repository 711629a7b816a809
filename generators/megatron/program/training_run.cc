#include "generators/megatron/program/training_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.h"
#include "base/suggest.h"
#include "generators/option_checks.h"

namespace npunet::generators::megatron {

namespace {

/// A row of the tracer's table of models.
struct GenstackModel {
    const char* name;
    GenstackSizes sizes;
};

constexpr std::array<GenstackModel, 9> models{{{"small", {768, 12, 12, 1024}},
                                               {"medium", {1024, 24, 16, 1024}},
                                               {"large", {1280, 36, 20, 1024}},
                                               {"xl", {1600, 48, 25, 1024}},
                                               {"2b", {2048, 36, 32, 1024}},
                                               {"6b", {4096, 32, 32, 2048}},
                                               {"13b", {5120, 40, 40, 2048}},
                                               {"30b", {6656, 32, 52, 2048}},
                                               {"175b", {12288, 96, 96, 2048}}}};

ModelSpec model_of(const std::string& name, const GenstackSizes& sizes) {
    ModelSpec model = gpt_model({.hidden = sizes.hidden,
                                 .layers = sizes.layers,
                                 .heads = sizes.heads,
                                 .vocab = 1,
                                 .seq = sizes.seq});
    model.name = name;
    model.tied_embeddings = true;
    // Full precision needs no master weights: two moments of Adam.
    model.dtypes = {fp32, fp32, fp32, 2 * fp32};
    return model;
}

void check_divisions(const TrainingRun& run) {
    const std::int64_t pp = run.parallelism.pp;
    check_divides("--tp", run.parallelism.tp, "heads", run.model.heads);
    check_divides("--pp", pp, "layers", run.model.layers);
    check_divides("--pp x --vpp", pp * run.vpp, "layers", run.model.layers);
}

/// Micro-batch and steps.
void divide_batch(TrainingRun& run) {
    const std::int64_t batch = run.global_batch_size;
    const std::int64_t dp = run.parallelism.dp;
    const std::string option = fmt::format("--batch {}", batch);
    run.micro_batch = batch / run.micro_batches / dp;
    if (run.micro_batch < 1) {
        throw InputError(
            {option, "", fmt::format("--micro-batches {} on dp {} replicas", run.micro_batches, dp),
             "one sequence or more in every micro-batch of every replica",
             fmt::format("Give --batch {} or fewer --micro-batches", run.micro_batches * dp)});
    }
    check_range("sequences of a micro-batch", run.micro_batch, 1, most_sequences_of_micro_batch);
    if (batch % (run.micro_batch * dp) != 0) {
        throw InputError(
            {option, "",
             fmt::format("micro-batches of {} sequences (of {} // (--micro-batches {} "
                         "x dp {})) on {} replicas",
                         run.micro_batch, batch, run.micro_batches, dp, dp),
             fmt::format("a multiple of {}", run.micro_batch * dp),
             fmt::format("--batch {} is one", run.micro_batch * run.micro_batches * dp)});
    }
    run.steps = batch / (run.micro_batch * dp);
}

/// The largest counts, of FLOPs and of parameters, stay below 2^62; calls and computations of a
/// rank number below 2^31.
void check_size(const TrainingRun& run) {
    const ModelSpec& model = run.model;
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    const double tokens = real(run.micro_batch) * real(model.seq);
    const double width = real(std::max(
        {model.hidden, model.qkv_width(), model.up_width(), model.seq, run.local_vocab()}));
    const double flops = 16.0 * tokens * width * width;
    const double parameters = real(model.layers + 2) * 8.0 * width * width;
    const double items = 64.0 * real(run.steps) * real(model.layers / run.parallelism.pp + 4);
    if (flops > 0x1p62 || parameters > 0x1p62) {
        throw InputError(
            {"--model", "",
             fmt::format("{} with micro-batches of {} sequences", run.model_size, run.micro_batch),
             "counts of FLOPs and parameters below 2^62", "Make one of them smaller"});
    }
    if (items > 0x1p28) {
        throw InputError(
            {"--micro-batches", "",
             fmt::format("{} steps of {} layers", run.steps, model.layers / run.parallelism.pp),
             "at most a few million calls of a rank", "Give fewer micro-batches"});
    }
}

void refuse_in_genstack(bool given, const std::string& option) {
    if (given) {
        throw InputError({"--dialect", "", fmt::format("genstack with {}", option),
                          "options that the tracer has: it traces dp, tp and pp alone",
                          "Leave it out, or say --dialect npunet"});
    }
}

void check_genstack(const TrainingRun& run) {
    const Parallelism& p = run.parallelism;
    const TrainingRun plain;
    refuse_in_genstack(p.cp != 1, fmt::format("--cp {}", p.cp));
    refuse_in_genstack(p.ep != 1, fmt::format("--ep {}", p.ep));
    refuse_in_genstack(p.expert_tensor() != p.tp, fmt::format("--etp {}", p.etp));
    refuse_in_genstack(p.rank_order != plain.parallelism.rank_order, "--rank-order");
    refuse_in_genstack(run.vpp != 1, fmt::format("--vpp {}", run.vpp));
    refuse_in_genstack(run.micro_batch_group != 0, "--microbatch-group-size-per-vp-stage");
    refuse_in_genstack(run.sequence_parallel, "--sequence-parallel");
    refuse_in_genstack(run.distributed_optimizer, "--distributed-optimizer");
    refuse_in_genstack(run.overlap_grad_reduce, "--overlap-grad-reduce");
    refuse_in_genstack(run.overlap_param_gather, "--overlap-param-gather");
    refuse_in_genstack(!run.overlap_p2p, "--no-overlap-p2p");
    refuse_in_genstack(run.fused_cross_entropy, "--cross-entropy-loss-fusion");
    refuse_in_genstack(run.context_comm != plain.context_comm, "--cp-comm");
    refuse_in_genstack(run.dtype != DataType::Float32, "--dtype other than fp32");
    if (run.global_batch_size % run.micro_batches != 0) {
        throw InputError({"--batch", "", fmt::format("{}", run.global_batch_size),
                          fmt::format("a multiple of --micro-batches {}, in the genstack dialect",
                                      run.micro_batches),
                          ""});
    }
}

}  // namespace

std::int64_t TrainingRun::local_vocab() const {
    const std::int64_t unit = std::max<std::int64_t>(vocab_divisible_by, 1);
    const std::int64_t padded_to = unit * parallelism.tp;
    return (model.vocab + padded_to - 1) / padded_to * unit;
}

const std::vector<std::string>& genstack_models() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const GenstackModel& model : models) {
            all.emplace_back(model.name);
        }
        return all;
    }();
    return names;
}

TrainingRun genstack_run(const std::string& model_size) {
    const auto* const row =
        std::find_if(models.begin(), models.end(),
                     [&](const GenstackModel& model) { return model.name == model_size; });
    if (row == models.end()) {
        throw InputError({"--model", "", fmt::format("'{}'", model_size),
                          fmt::format("one of {}", fmt::join(genstack_models(), ", ")),
                          did_you_mean(model_size, genstack_models())});
    }
    return genstack_run(model_size, row->sizes);
}

TrainingRun genstack_run(const std::string& model_size, const GenstackSizes& sizes) {
    TrainingRun run;
    run.dialect = Dialect::Genstack;
    run.model_size = model_size;
    run.model = model_of(model_size, sizes);
    run.vocab_divisible_by = 50257;
    run.attention_mask = true;
    return run;
}

TrainingRun resolve_run(TrainingRun run) {
    check_parallelism(run.parallelism);
    check_range("--vpp", run.vpp, 1, std::max<std::int64_t>(run.model.layers, 1));
    check_range("--make-vocab-size-divisible-by", std::max<std::int64_t>(run.vocab_divisible_by, 1),
                1, std::int64_t{1} << 32);
    check_range("--batch", run.global_batch_size, 1, most_sequences);
    check_range("--micro-batches", run.micro_batches, 1, most_sequences);
    check_divisions(run);
    if (run.dialect == Dialect::Genstack) {
        check_genstack(run);
    }
    divide_batch(run);
    check_size(run);
    return run.dialect == Dialect::Genstack ? run : resolve_npunet(std::move(run));
}

}  // namespace npunet::generators::megatron
