#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/units.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/generate/generate_output.h"
#include "generators/flows/flow_workload.h"

namespace npunet::cli {

namespace {

constexpr std::int64_t largest_seed = std::int64_t{1} << 53;

struct FlowOptions {
    std::int32_t npus = 0;
    std::string sizes;
    double load = 0;
    std::string rate;
    std::string duration;
    std::string pattern = "uniform";
    std::int64_t seed = 1;
    GenerateOutput output;

    [[nodiscard]] FlowTraffic traffic() const {
        FlowTraffic traffic{npus, load_sizes(sizes, "--sizes")};
        traffic.load = load;
        traffic.rate = parse_rate(rate, "--rate");
        traffic.duration = parse_time(duration, "--duration");
        for (const auto& [name, value] : flow_patterns()) {
            traffic.pattern = name == pattern ? value : traffic.pattern;
        }
        traffic.seed = static_cast<std::uint64_t>(seed);
        return traffic;
    }
};

void add_options(CLI::App& command, FlowOptions& options) {
    std::vector<std::string> patterns;
    for (const auto& [name, value] : flow_patterns()) {
        patterns.push_back(name);
    }
    command.add_option("--npus", options.npus, "Ranks of the workload")
        ->check(whole_number(2, FlowTraffic::most_npus))
        ->required();
    command
        .add_option("--sizes", options.sizes,
                    fmt::format("How large flows are: {}, or a file (.txt) with lines of bytes and "
                                "the percentage of flows of at most as many",
                                fmt::join(names_of_sizes(), ", ")))
        ->required();
    command
        .add_option("--load", options.load,
                    "Bytes that an NPU offers, without headers, over what its links carry")
        ->check(number(1e-6, 10))
        ->required();
    command
        .add_option("--rate", options.rate,
                    "Rate of the links of an NPU together (400Gbps, 50GB/s, ...)")
        ->required();
    command.add_option("--duration", options.duration, "Flows begin before (10ms, ...)")
        ->required();
    command
        .add_option("--pattern", options.pattern,
                    "Where flows go: each to another NPU at random, or all of an NPU to one")
        ->check(one_of(patterns))
        ->capture_default_str();
    command.add_option("--seed", options.seed, "Of what is random")
        ->check(whole_number(0, largest_seed))
        ->capture_default_str();
}

}  // namespace

void add_generate_flows_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command = generate.add_subcommand(
        "flows", "Flows that begin at random, by a distribution of sizes and a load");
    auto options = std::make_shared<FlowOptions>();
    add_options(*command, *options);
    options->output.add_to(*command);
    command->footer(
        "Example:\n"
        "  npunet generate flows --npus 64 --sizes web-search --load 0.5 --rate 100Gbps \\\n"
        "      --duration 10ms --output-dir traces");
    command->callback([options, &context] {
        const FlowTraffic traffic = options->traffic();
        const std::vector<RandomFlow> flows = flows_of(traffic, "--");
        std::int64_t bytes = 0;
        for (const RandomFlow& flow : flows) {
            bytes += flow.bytes;
        }
        const double offered = static_cast<double>(bytes) / traffic.npus /
                               static_cast<double>(traffic.rate.bytes_per_second()) /
                               (static_cast<double>(traffic.duration.ps()) * 1e-12);
        const auto count = static_cast<std::int64_t>(flows.size());
        options->output.write(
            generators::workload_of(flows, traffic.npus),
            fmt::format("{} of {} in {}: {:.3g} of what the links of the NPUs carry\n",
                        counted(count, "flow", "flows"), format_bytes(Bytes(bytes / count)),
                        format_time(traffic.duration), offered),
            {{"sizes", options->sizes},
             {"load", traffic.load},
             {"rate_bytes_per_s", traffic.rate.bytes_per_second()},
             {"duration_ns", static_cast<double>(traffic.duration.ps()) / 1000},
             {"pattern", options->pattern},
             {"seed", traffic.seed},
             {"flows", count},
             {"flow_bytes", bytes},
             {"mean_bytes", traffic.sizes.mean()},
             {"offered_load", offered}},
            context.out);
    });
}

}  // namespace npunet::cli
