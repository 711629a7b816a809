#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "base/errors.h"
#include "base/units.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/generate/generate_output.h"
#include "generators/pipeline/pipeline_benchmark.h"
#include "generators/pipeline/timeline.h"

namespace npunet::cli {

namespace {

constexpr std::int64_t widest_picture = 2000;

struct PipelineOptions {
    generators::PipelineShape shape;
    std::string schedule = "1f1b";
    std::string forward;
    std::string backward;
    std::string weight = "0ns";
    std::string activations = "0";
    std::string weight_activations = "0";
    std::string message = "0";
    bool picture = false;
    GenerateOutput output;

    [[nodiscard]] generators::PipelineBenchmark benchmark() const {
        generators::PipelineBenchmark benchmark;
        benchmark.shape = shape;
        benchmark.shape.schedule = generators::schedule_named(schedule);
        benchmark.forward = parse_time(forward, "--forward");
        benchmark.backward = parse_time(backward, "--backward");
        benchmark.weight = parse_time(weight, "--weight");
        benchmark.activations = parse_bytes(activations, "--activation-bytes");
        benchmark.weight_activations = parse_bytes(weight_activations, "--weight-activation-bytes");
        benchmark.message = parse_bytes(message, "--message-bytes");
        return benchmark;
    }
};

void add_options(CLI::App& command, PipelineOptions& options) {
    command.add_option("--pp", options.shape.stages, "Stages; the workload has as many ranks")
        ->check(whole_number(1))
        ->required();
    command.add_option("--micro-batches", options.shape.micro_batches, "Micro-batches of the step")
        ->check(whole_number(1))
        ->required();
    command
        .add_option("--vpp", options.shape.chunks,
                    "Chunks of layers a stage, for the interleaved schedule")
        ->check(whole_number(1))
        ->capture_default_str();
    command.add_option("--schedule", options.schedule, "Order of the passes")
        ->check(one_of(generators::schedule_names()))
        ->capture_default_str();
    command
        .add_option("--forward", options.forward,
                    "Time of a forward pass of one micro-batch and chunk (250us, 1ms, ...), whole "
                    "nanoseconds")
        ->required();
    command
        .add_option("--backward", options.backward, "Time of a pass for the gradient of its input")
        ->required();
    command
        .add_option("--weight", options.weight, "Time of a pass for the gradients of its weights")
        ->capture_default_str();
    command
        .add_option("--activation-bytes", options.activations,
                    "What a forward pass keeps for the gradient of its input (64MiB, ...)")
        ->capture_default_str();
    command
        .add_option("--weight-activation-bytes", options.weight_activations,
                    "What it keeps in addition, for the gradients of its weights")
        ->capture_default_str();
    command
        .add_option("--message-bytes", options.message,
                    "What a stage sends to the next or the previous one")
        ->capture_default_str();
    command.add_flag("--picture", options.picture,
                     "Print when each pass runs on a network without cost");
}

/// In units of the greatest common divisor of the times.
std::string picture_of(const generators::PipelineBenchmark& benchmark) {
    const std::int64_t unit =
        std::gcd(std::gcd(benchmark.forward.ps(), benchmark.backward.ps()), benchmark.weight.ps());
    if (unit == 0) {
        throw InputError({"--picture", "", "passes that take no time", "a time above 0", ""});
    }
    const generators::PassTimes times{benchmark.forward.ps() / unit, benchmark.backward.ps() / unit,
                                      benchmark.weight.ps() / unit};
    const generators::PipelineShape& shape = benchmark.shape;
    const double columns = static_cast<double>(times.forward + times.backward + times.weight) *
                           static_cast<double>(shape.micro_batches * shape.chunks + shape.stages);
    if (columns > static_cast<double>(widest_picture)) {
        throw InputError({"--picture", "", fmt::format("about {:.0f} columns", columns),
                          fmt::format("at most {}", widest_picture),
                          "Take fewer micro-batches, or times with a larger common divisor"});
    }
    return fmt::format("a column is {}\n", format_time(Time::ps(unit))) +
           generators::pipeline_picture(shape, times);
}

}  // namespace

void add_generate_pipeline_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command = generate.add_subcommand(
        "pipeline", "A pipeline whose passes take given times, to study schedules");
    auto options = std::make_shared<PipelineOptions>();
    add_options(*command, *options);
    options->output.add_to(*command);
    command->footer(
        "Example:\n"
        "  npunet generate pipeline --pp 4 --micro-batches 8 --schedule zero-bubble \\\n"
        "      --forward 1ms --backward 1ms --weight 1ms --output-dir traces");
    command->callback([options, &context] {
        const generators::PipelineBenchmark benchmark = options->benchmark();
        const generators::GeneratedWorkload workload = generators::generate(benchmark);
        const generators::PipelineShape& shape = benchmark.shape;
        std::string headline = fmt::format(
            "{}: {} through {} of {}\n", options->schedule,
            counted(shape.micro_batches, "micro-batch", "micro-batches"),
            counted(shape.stages, "stage", "stages"), counted(shape.chunks, "chunk", "chunks"));
        if (options->picture) {
            headline += picture_of(benchmark);
        }
        options->output.write(workload, headline,
                              {{"schedule", options->schedule},
                               {"pp", shape.stages},
                               {"vpp", shape.chunks},
                               {"micro_batches", shape.micro_batches},
                               {"forward_ns", benchmark.forward.ps() / 1000},
                               {"backward_ns", benchmark.backward.ps() / 1000},
                               {"weight_ns", benchmark.weight.ps() / 1000},
                               {"activation_bytes", benchmark.activations.value()},
                               {"weight_activation_bytes", benchmark.weight_activations.value()},
                               {"message_bytes", benchmark.message.value()}},
                              context.out);
    });
}

}  // namespace npunet::cli
