// Options for a workload that STAGE would generate, beside those of a training step.
//
//     StageOptions stage;
//     stage.add_to(command, "--dialect");
//     if (stage.selected()) { ... stage.arguments(shared) ... }
//
// STAGE's names that both dialects have (--dp, --dmodel, --batch, ...) belong to WorkloadOptions,
// which passes their values on.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "generators/stage/stage_arguments.h"

namespace npunet::cli {

/// The reading of STAGE: true, t, 1, yes and y in any case are on, anything else is off.
[[nodiscard]] bool is_on(std::string text);

class StageOptions {
public:
    /// The heading in the help.
    static constexpr const char* group = "STAGE's own names";

    /// Declares the options. `dialect`: the names of the one that chooses the dialect. This object
    /// must outlive `command`.
    void add_to(CLI::App& command, const char* dialect);

    /// Whether the stage dialect is asked for: by name, or by --din or --dout without a name.
    [[nodiscard]] bool selected() const;
    /// Whether one of the options that no other dialect has stands on the command line.
    [[nodiscard]] bool given() const { return din_ || dout_ || dialect_ == "stage"; }

    /// Throws InputError for options on the command line that STAGE does not have. `step_groups`:
    /// the headings of the options that describe a training step.
    void refuse_others(const std::vector<std::string>& step_groups) const;

    /// `shared` holds the values of the options that both dialects have.
    [[nodiscard]] generators::StageArguments arguments(generators::StageArguments shared) const;

    /// For the npunet dialect: the vocabulary that --din and --dout agree on; empty for neither.
    /// Throws InputError for one alone and for different ones.
    [[nodiscard]] std::optional<std::int64_t> vocabulary() const;

    /// For the npunet dialect, which has other words for it. Throws InputError.
    void refuse_weight_sharding() const;
    [[nodiscard]] const std::string& activation_recompute() const { return activation_recompute_; }

private:
    const CLI::App* command_ = nullptr;
    std::string dialect_name_;
    std::string dialect_;
    std::optional<std::int64_t> din_;
    std::optional<std::int64_t> dout_;
    std::string weight_sharded_ = "false";
    std::string activation_recompute_ = "false";
};

}  // namespace npunet::cli
