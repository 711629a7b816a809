// Command-line options for a generated workload: the model and the plan of its training step.
//
// Every subcommand that takes `--model ...` instead of traces declares them in the same way:
//
//     auto options = std::make_shared<WorkloadOptions>();
//     options->add_to(command, "--workload-dialect");
//     command.callback([options] { use(options->generate()); });
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/help_text.h"
#include "cli/generate/parallel_options.h"
#include "cli/generate/stage_options.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::cli {

/// A model and a resolved plan for it; the plan may be one of inference.
struct TrainingStep {
    generators::ModelSpec model;
    generators::Plan plan;
};

class WorkloadOptions {
public:
    /// Declares the options in the groups "Model", "Plan" and "STAGE's own names";
    /// `dialect` names the option that chooses the generator. This object must outlive `command`.
    void add_to(CLI::App& command, const char* dialect);

    /// For commands that draw nothing else: --seed (ParallelOptions::add_seed_to).
    void add_seed_to(CLI::App& command);
    void set_seed(std::uint64_t seed) { parallel_.set_seed(seed); }

    /// Whether the command line describes a model at all.
    [[nodiscard]] bool given() const;

    /// The first option of the model or the plan that stands on the command line; empty for none.
    [[nodiscard]] std::string first_given() const;

    /// Throws InputError for an unknown or incomplete model, and for a plan that does not fit it.
    [[nodiscard]] TrainingStep resolve() const;

    /// Whether it is STAGE's workload that is asked for; resolve() is not for that.
    [[nodiscard]] bool stage() const { return stage_.selected(); }
    /// Checked. Throws InputError for plans that do not work out and for options of the other
    /// dialect.
    [[nodiscard]] generators::StageArguments stage_arguments() const;

    /// The workload of either dialect.
    [[nodiscard]] generators::GeneratedWorkload generate() const;
    /// That --sp is STAGE's word for --cp, where it stands outside of the stage dialect; else
    /// empty.
    [[nodiscard]] std::string note_on_sp() const;
    /// The model and the plan as --help shows them.
    [[nodiscard]] static HelpSection short_help();

    /// What of the options has no effect on it (generators/transformer/plan.h).
    [[nodiscard]] std::vector<std::string> idle_options() const;

private:
    const CLI::App* command_ = nullptr;

    void add_model_options(CLI::App& command);
    void add_plan_options(CLI::App& command);
    void add_layer_options(CLI::App& command);
    void add_kernel_options(CLI::App& command);
    void apply_words(generators::Plan& plan) const;
    [[nodiscard]] generators::ModelSpec model() const;
    [[nodiscard]] generators::ModelSpec custom_model() const;
    [[nodiscard]] generators::MixtureOfExperts custom_experts() const;
    /// Of --vocab, or of --din and --dout.
    [[nodiscard]] std::optional<std::int64_t> vocabulary() const;
    void refuse_sizes_beside_model() const;

    std::optional<std::string> model_;
    std::optional<std::int64_t> hidden_;
    std::optional<std::int64_t> ffn_;
    std::optional<std::int64_t> heads_;
    std::optional<std::int64_t> kv_heads_;
    std::optional<std::int64_t> experts_;
    std::optional<std::int64_t> top_k_;
    std::optional<std::int64_t> layers_;
    std::optional<std::int64_t> vocab_;
    std::optional<std::int64_t> sequence_;
    std::optional<std::int64_t> batch_;
    std::optional<std::int64_t> vocab_divisible_by_;
    std::optional<std::string> pp_layers_;
    std::string schedule_ = "1f1b";
    std::string recompute_ = "none";
    std::string causal_flops_ = "auto";
    std::string attention_backward_ = "kernel";
    std::string step_ops_ = "full";
    std::string precision_ = "bf16";
    std::string attention_kernel_ = "auto";
    std::string mode_ = "train";
    std::optional<std::int64_t> context_;
    ParallelOptions parallel_;
    StageOptions stage_;
    generators::Plan plan_;
};

}  // namespace npunet::cli
