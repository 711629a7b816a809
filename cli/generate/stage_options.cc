#include "cli/generate/stage_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/errors.h"
#include "cli/command/option_values.h"

namespace npunet::cli {

namespace {

constexpr std::array<const char*, 10> shared_names{"--dp",    "--tp",        "--cp",  "--pp",
                                                   "--batch", "--dmodel",    "--dff", "--head",
                                                   "--seq",   "--num-stacks"};

}  // namespace

bool is_on(std::string text) {
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    constexpr std::array<const char*, 5> on{"true", "t", "1", "yes", "y"};
    return std::find(on.begin(), on.end(), text) != on.end();
}

void StageOptions::add_to(CLI::App& command, const char* dialect) {
    command_ = &command;
    dialect_name_ = std::string(dialect).substr(0, std::string(dialect).find(','));
    command
        .add_option(dialect, dialect_,
                    "What Megatron-LM runs (npunet), or what STAGE generates, errors included "
                    "(stage); default: stage with --din or --dout, else npunet")
        ->check(one_of({"npunet", "stage"}))
        ->group(group);
    command.add_option("--din", din_, "Width of the input (default: 51200)")
        ->check(whole_number(1, generators::StageArguments::largest_size))
        ->group(group);
    command.add_option("--dout", dout_, "Width of the output (default: 25600)")
        ->check(whole_number(1, generators::StageArguments::largest_size))
        ->group(group);
    command
        .add_option("--weight-sharded", weight_sharded_,
                    "Split weights over dp and sp: true, t, 1, yes, y; anything else is off")
        ->group(group)
        ->capture_default_str();
    command
        .add_option("--activation-recompute", activation_recompute_,
                    "Compute attention and the first half of the MLP again in the backward pass")
        ->group(group)
        ->capture_default_str();
}

bool StageOptions::selected() const {
    return dialect_.empty() ? din_ || dout_ : dialect_ == "stage";
}

void StageOptions::refuse_others(const std::vector<std::string>& step_groups) const {
    for (const CLI::Option* option : command_->get_options()) {
        const bool of_step = std::find(step_groups.begin(), step_groups.end(),
                                       option->get_group()) != step_groups.end();
        const bool shared =
            std::any_of(shared_names.begin(), shared_names.end(),
                        [option](const char* name) { return option->check_name(name); });
        if (of_step && !shared && option->count() > 0) {
            throw InputError({option->get_name(), "", "beside the stage dialect",
                              "options that STAGE's branch recomp has",
                              fmt::format("Leave it out, or say {} npunet", dialect_name_)});
        }
    }
}

void StageOptions::refuse_weight_sharding() const {
    if (is_on(weight_sharded_)) {
        throw InputError(
            {"--weight-sharded", "", fmt::format("'{}' in the npunet dialect", weight_sharded_),
             "false",
             fmt::format("--zero 3 shards weights there; or say {} stage", dialect_name_)});
    }
}

generators::StageArguments StageOptions::arguments(generators::StageArguments shared) const {
    shared.din = din_.value_or(shared.din);
    shared.dout = dout_.value_or(shared.dout);
    shared.weight_sharded = is_on(weight_sharded_);
    shared.activation_recompute = is_on(activation_recompute_);
    return shared;
}

std::optional<std::int64_t> StageOptions::vocabulary() const {
    if (din_ != dout_) {
        throw InputError({"--din, --dout", "",
                          fmt::format("{} and {}", din_ ? fmt::format("{}", *din_) : "none",
                                      dout_ ? fmt::format("{}", *dout_) : "none"),
                          "the same width twice, the vocabulary, in the npunet dialect",
                          fmt::format("Give --vocab, or say {} stage", dialect_name_)});
    }
    return din_;
}

}  // namespace npunet::cli
