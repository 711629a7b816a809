#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/units.h"
#include "cli/command/commands.h"
#include "cli/command/option_values.h"
#include "cli/generate/generate_output.h"
#include "generators/collective_benchmark.h"

namespace npunet::cli {

namespace {

struct CollectiveOptions {
    std::string type;
    std::string size;
    std::int32_t npus = 0;
    std::vector<std::string> group;  ///< lists of ranks
    std::int32_t repeat = 1;
    GenerateOutput output;

    [[nodiscard]] generators::CollectiveBenchmark benchmark() const {
        generators::CollectiveBenchmark benchmark;
        for (const auto& [name, value] : generators::benchmark_types()) {
            benchmark.type = name == type ? value : benchmark.type;
        }
        const bool barrier = benchmark.type == generators::BenchmarkType::Barrier;
        if (barrier != size.empty()) {
            throw InputError({"--size", "", barrier ? size : "no value",
                              barrier ? "none: a barrier carries no bytes"
                                      : "the bytes of a rank, such as 64MiB",
                              barrier ? "Leave it out" : ""});
        }
        benchmark.size = barrier ? Bytes() : parse_bytes(size, "--size");
        benchmark.npus = npus;
        for (const std::string& rank : list_items(group)) {
            benchmark.group.push_back(rank_named(rank));
        }
        benchmark.repeat = repeat;
        return benchmark;
    }

private:
    [[nodiscard]] Rank rank_named(const std::string& text) const {
        const std::string refusal = whole_number(0, npus - 1)(text);
        if (!refusal.empty()) {
            throw InputError({"--group: " + refusal, "", "", "",
                              "Ranks are separated by commas: --group 0,2,4"});
        }
        return Rank(static_cast<std::int32_t>(std::stol(text)));
    }
};

void add_options(CLI::App& command, CollectiveOptions& options) {
    std::vector<std::string> names;
    for (const auto& [name, value] : generators::benchmark_types()) {
        names.push_back(name);
    }
    command.add_option("--type", options.type, "What the members do")
        ->required()
        ->check(one_of(names));
    command.add_option("--size", options.size,
                       "Bytes of a rank: the buffer; all_gather and gather its own part; "
                       "reduce_scatter the whole input; scatter the root's whole buffer; send_recv "
                       "the message (64MiB, 1GB, ...). Required but for barrier, which has none");
    command.add_option("--npus", options.npus, "Ranks of the workload")
        ->check(whole_number(2, generators::CollectiveBenchmark::most_npus))
        ->required();
    command.add_option("--group", options.group,
                       "Who takes part, in ring order (default: all); in send_recv each member "
                       "sends to the next, and the last only receives; the first is the root of "
                       "broadcast, reduce, gather and scatter");
    command.add_option("--repeat", options.repeat, "How often, one after the other")
        ->check(whole_number(1, generators::CollectiveBenchmark::most_repetitions))
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
        options->output.write(
            generators::generate(benchmark),
            fmt::format("{}{}, {} times\n", options->type,
                        options->size.empty() ? "" : " of " + format_bytes(benchmark.size),
                        benchmark.repeat),
            {{"type", options->type},
             {"size", benchmark.size.value()},
             {"repeat", benchmark.repeat}},
            context.out);
    });
}

}  // namespace npunet::cli
