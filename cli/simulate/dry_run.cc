#include "cli/simulate/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/json_writer.h"
#include "base/units.h"
#include "cli/console/progress_line.h"
#include "cli/console/time_left.h"
#include "engine/program/bytes_sent.h"
#include "report/results/results_json.h"

namespace npunet::cli {

namespace {

constexpr std::chrono::duration<double> usual_cut{10};

/// Of the workload, and of a run that may have been broken off.
struct RunCost {
    std::string fidelity;
    std::uint64_t npus = 0;
    std::uint64_t collectives = 0;
    std::uint64_t messages = 0;  ///< point to point
    double bytes = 0;            ///< that are sent, about: by the usual algorithms
    double seconds = 0;          ///< that the run took
    double share = 0;            ///< of the whole, 0 to 1
    bool whole = false;          ///< it came to its end
    Time at;                     ///< of the step: how far it came
    std::uint64_t packet_hops = 0;
    Bytes memory;                        ///< of the process, at most so far
    std::optional<double> seconds_left;  ///< nothing: it cannot be told
};

void count_operations(const engine::Workload& workload, RunCost& cost) {
    for (std::size_t number = 0; number < workload.ranks(); ++number) {
        const Rank rank(number);
        for (const engine::ProgramOperation& operation : workload.program(rank).operations) {
            std::size_t members = 0;
            if (engine::exchanges_messages(operation)) {
                const engine::Group& group = workload.groups[workload.group_of(rank, operation)];
                members = group.ranks.size();
                cost.collectives += members > 1 && group.ranks.front() == rank ? 1 : 0;
            }
            cost.messages += operation.kind == engine::OperationKind::Send ? 1 : 0;
            cost.bytes += engine::bytes_sent(operation, members);
        }
    }
}

std::optional<double> packet_hops_in_all(const RunCost& cost) {
    if (cost.whole) {
        return static_cast<double>(cost.packet_hops);
    }
    return cost.share > 0 ? std::optional(static_cast<double>(cost.packet_hops) / cost.share)
                          : std::nullopt;
}

/// "3.94 G"
std::string about(double number) {
    for (const auto& [unit, size] : {std::pair{" G", 1e9}, {" M", 1e6}, {" k", 1e3}}) {
        if (number >= size) {
            return fmt::format("{:.3g}{}", number / size, unit);
        }
    }
    return fmt::format("{:.0f}", number);
}

std::string bytes_text(double bytes) {
    return format_bytes(Bytes(static_cast<std::int64_t>(std::min(bytes, 9e18))));
}

std::string text_of(const RunCost& cost) {
    std::string text = fmt::format(
        "dry run, {}: NPUs {}, collectives {}, point-to-point messages {}, about {} to send\n",
        cost.fidelity, cost.npus, cost.collectives, cost.messages, bytes_text(cost.bytes));
    const std::string hops =
        cost.packet_hops > 0
            ? fmt::format(", {} packet-hops", about(static_cast<double>(cost.packet_hops)))
            : "";
    const std::string memory = format_bytes(cost.memory);
    if (cost.whole) {
        return text + fmt::format("the whole run: {} of the step in {:.1f} s{}; {} of memory\n",
                                  format_time(cost.at), cost.seconds, hops, memory);
    }
    text += fmt::format("the first {:.1f} s: {:.2g} % of it, {} of the step{}; {} of memory\n",
                        cost.seconds, 100 * cost.share, format_time(cost.at), hops, memory);
    if (!cost.seconds_left) {
        return text + "the whole run: too early to tell; --max-wall-time 60s gives it longer\n";
    }
    return text + fmt::format("the whole run: about {}{}\n",
                              ProgressLine::format_seconds(cost.seconds + *cost.seconds_left),
                              hops.empty() ? ""
                                           : fmt::format(", {} packet-hops",
                                                         about(*packet_hops_in_all(cost))));
}

std::string json_of(const RunCost& cost) {
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::Lines)
        .member("fidelity", cost.fidelity)
        .member("npus", cost.npus)
        .member("collectives", cost.collectives)
        .member("messages", cost.messages)
        .member("bytes_to_send", cost.bytes)
        .member("seconds", cost.seconds)
        .member("share", cost.whole ? 1.0 : cost.share)
        .member("simulated_ns", cost.at)
        .member("packet_hops", cost.packet_hops)
        .member("peak_rss_bytes", cost.memory);
    const auto member = [&](const char* name, std::optional<double> value) {
        json.key(name);
        value ? json.value(*value) : json.null();
    };
    member("whole_seconds", cost.whole          ? std::optional(cost.seconds)
                            : cost.seconds_left ? std::optional(cost.seconds + *cost.seconds_left)
                                                : std::nullopt);
    member("whole_packet_hops", packet_hops_in_all(cost));
    return json.end_object().text() + "\n";
}

}  // namespace

void dry_run(const CommandContext& context, const RunInputs& inputs,
             const engine::Workload& workload, const study::Machine& machine,
             study::Fidelity fidelity, RunLimits limits) {
    using Clock = std::chrono::steady_clock;
    RunCost cost;
    cost.fidelity = study::name_of(fidelity);
    cost.npus = workload.ranks();
    count_operations(workload, cost);
    limits.wall = limits.wall.value_or(usual_cut);
    RunWatch watch(context.log, limits, inputs.quiet);
    const auto goes_on = watch.function();
    const Clock::time_point begin = Clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    TimeLeft left;
    RunInputs watched = inputs;
    watched.run_options.watch = [&](const study::RunProgress& progress) {
        cost.share = progress.share;
        left.at(elapsed(), progress.share);
        return goes_on(progress);
    };
    const engine::Results results = watched.run(context, workload, machine, fidelity);
    cost.seconds = elapsed();
    cost.whole = !results.partial;
    cost.at = results.partial ? results.partial->at : results.finish;
    cost.packet_hops = results.packet_hops;
    cost.memory = report::peak_resident_memory();
    cost.seconds_left = left.seconds();
    if (watch.signal() != 0) {
        watch.check(results);
    }
    context.out << (inputs.json ? json_of(cost) : text_of(cost));
}

}  // namespace npunet::cli
