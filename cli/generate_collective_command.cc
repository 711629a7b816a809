#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/units.h"
#include "cli/generate_command.h"
#include "cli/generate_output.h"
#include "generators/collective_benchmark.h"

namespace npunet::cli {

namespace {

struct CollectiveOptions {
    std::string type;
    std::string size;
    std::int32_t npus = 0;
    std::vector<std::int32_t> group;
    std::int32_t repeat = 1;
    GenerateOutput output;

    [[nodiscard]] generators::CollectiveBenchmark benchmark() const {
        generators::CollectiveBenchmark benchmark;
        for (const auto& [name, value] : generators::benchmark_types()) {
            benchmark.type = name == type ? value : benchmark.type;
        }
        benchmark.size = parse_bytes(size, "--size");
        benchmark.npus = npus;
        for (const std::int32_t rank : group) {
            benchmark.group.emplace_back(rank);
        }
        benchmark.repeat = repeat;
        return benchmark;
    }
};

void add_options(CLI::App& command, CollectiveOptions& options) {
    std::vector<std::string> names;
    for (const auto& [name, value] : generators::benchmark_types()) {
        names.push_back(name);
    }
    command.add_option("--type", options.type, "What the members do")
        ->required()
        ->check(CLI::IsMember(names));
    command
        .add_option("--size", options.size,
                    "Bytes of a rank: the buffer; all_gather its own part; reduce_scatter the "
                    "whole input; send_recv the message (64MiB, 1GB, ...)")
        ->required();
    command.add_option("--npus", options.npus, "Ranks of the workload")->required();
    command
        .add_option("--group", options.group,
                    "Who takes part, in ring order (default: all); in send_recv each member "
                    "sends to the next, and the last only receives")
        ->delimiter(',');
    command.add_option("--repeat", options.repeat, "How often, one after the other")
        ->capture_default_str();
}

}  // namespace

void add_generate_collective_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command =
        generate.add_subcommand("collective", "A micro-benchmark of one collective");
    auto options = std::make_shared<CollectiveOptions>();
    add_options(*command, *options);
    options->output.add_to(*command);
    command->footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 64MiB --npus 8 --output-dir traces");
    command->callback([options, &context] {
        const generators::CollectiveBenchmark benchmark = options->benchmark();
        options->output.write(generators::generate(benchmark),
                              fmt::format("{} of {}, {} times\n", options->type,
                                          format_bytes(benchmark.size), benchmark.repeat),
                              {{"type", options->type},
                               {"size", benchmark.size.value()},
                               {"repeat", benchmark.repeat}},
                              context.out);
    });
}

}  // namespace npunet::cli
