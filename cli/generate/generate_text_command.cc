#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/generate/generate_output.h"
#include "generators/text/text_conversion.h"
#include "generators/text/text_workload.h"

namespace npunet::cli {

namespace {

using generators::TextCollective;
using generators::TextConversion;
using generators::TextLayer;
using generators::TextWorkload;

struct TextOptions {
    std::string file;
    TextConversion conversion;
    GenerateOutput output;
};

void add_options(CLI::App& command, TextOptions& options) {
    command.add_option("FILE", options.file, "The text workload")->required();
    command
        .add_option("--npus,--num-npus", options.conversion.npus,
                    "Ranks of the workload; required unless the file says all_gpus")
        ->check(whole_number(1, TextConversion::most_npus));
    command
        .add_option("--passes,--num-passes", options.conversion.passes,
                    "Training steps, one after the other")
        ->check(whole_number(1, TextConversion::most_passes))
        ->capture_default_str();
}

void warn_of_changed_collectives(const TextWorkload& workload, std::ostream& log) {
    const auto is_both = [](const generators::TextPhase& phase) {
        return phase.collective == TextCollective::AllReduceAllToAll;
    };
    const auto layers = std::count_if(
        workload.layers.begin(), workload.layers.end(), [&is_both](const TextLayer& layer) {
            return is_both(layer.forward) || is_both(layer.input_gradient) ||
                   is_both(layer.weight_gradient);
        });
    if (layers > 0) {
        log_warning(log, fmt::format("{}: ALLREDUCEALLTOALL of {} becomes an all-reduce",
                                     workload.file, counted(layers, "layer", "layers")));
    }
}

/// The option, or what the file says.
std::int32_t npus_of(const TextWorkload& workload, std::int32_t option) {
    if (option > 0 || workload.plan.npus > 0) {
        return option > 0 ? option : static_cast<std::int32_t>(workload.plan.npus);
    }
    throw InputError({"--npus", "", "nothing",
                      fmt::format("the number of ranks, which {} does not say", workload.file),
                      "For example: --npus 8"});
}

void warn_of_stages(const TextWorkload& workload, std::ostream& log) {
    if (workload.plan.pipeline_parallel > 1) {
        log_warning(log, fmt::format("{}: transfers between its {} pipeline stages (pp_comm, {} "
                                     "bytes) are not sent, as the file does not say when",
                                     workload.file, workload.plan.pipeline_parallel,
                                     workload.plan.stage_bytes));
    }
}

}  // namespace

void add_generate_text_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command = generate.add_subcommand(
        "text",
        "A text workload of ASTRA-sim 1.0, as the converter of Chakra turns it into traces, or of "
        "SimAI and AICB");
    auto options = std::make_shared<TextOptions>();
    add_options(*command, *options);
    options->output.add_to(*command);
    command->footer(
        "Example:\n"
        "  npunet generate text configs/text/mlp-data.txt --npus 8 --passes 2 --output-dir traces");
    command->callback([options, &context] {
        const TextWorkload workload = generators::read_text_workload(options->file);
        options->conversion.npus = npus_of(workload, options->conversion.npus);
        options->output.refuse_replacing(options->file, options->conversion.npus);
        warn_of_stages(workload, context.log);
        warn_of_changed_collectives(workload, context.log);
        const std::string type(name_of(workload.parallelism));
        const auto layers = static_cast<std::int64_t>(workload.layers.size());
        options->output.write(
            generators::convert(workload, options->conversion),
            fmt::format("{}: {}, {}\n", type, counted(layers, "layer", "layers"),
                        counted(options->conversion.passes, "pass", "passes")),
            {{"type", type}, {"layers", layers}, {"passes", options->conversion.passes}},
            context.out);
    });
}

}  // namespace npunet::cli
