#include "generators/profiler/profile_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/quantities.h"
#include "base/staged_folder.h"
#include "base/thread_pool.h"
#include "base/units.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"
#include "generators/profiler/rank_activity.h"
#include "generators/profiler/trace_nodes.h"
#include "profiles/profile_reader.h"

namespace npunet::generators::profiler {

namespace {

RankGraph read_rank(const std::filesystem::path& file, const ProfileFolder& folder,
                    CpuModel model) {
    const profiles::EventTable table = profiles::read_profile(file);
    const bool only = folder.profiles.size() == 1;
    if (!table.rank && !only) {
        throw InputError({file.string(), "", "a profile that does not say its rank",
                          "the rank in distributedInfo or in the file's name",
                          "Name the file by its rank: rank-3.json"});
    }
    std::optional<profiles::ExecutionTrace> trace;
    if (const auto path = folder.trace_of(table.rank.value_or(0)); !path.empty()) {
        trace = profiles::read_execution_trace(path);
    }
    RankGraph graph = rank_graph(activity_of(table, trace ? &*trace : nullptr), model);
    const bool alone =
        only && table.world_size == 0 &&
        std::all_of(graph.calls.begin(), graph.calls.end(),
                    [](const CommunicationCall& call) { return call.ranks == nullptr; });
    if (!table.rank || alone) {
        graph.rank = Rank(0);
    }
    return graph;
}

std::vector<RankGraph> read_ranks(const ProfileFolder& folder, const ProfileConversion& options,
                                  const std::function<void()>& read) {
    std::vector<RankGraph> graphs(folder.profiles.size());
    std::mutex mutex;
    for_each_in_parallel(
        graphs.size(),
        [&](std::size_t i) {
            graphs[i] = read_rank(folder.profiles[i], folder, options.cpu);
            const std::lock_guard lock(mutex);
            if (read) {
                read();
            }
        },
        options.threads);
    std::stable_sort(graphs.begin(), graphs.end(),
                     [](const RankGraph& a, const RankGraph& b) { return a.rank < b.rank; });
    for (std::size_t i = 1; i < graphs.size(); ++i) {
        if (graphs[i].rank == graphs[i - 1].rank) {
            throw InputError({graphs[i].file, "",
                              fmt::format("a profile of rank {}, as {} is", graphs[i].rank.value(),
                                          graphs[i - 1].file),
                              "one profile of each rank", "Give the folder of one iteration"});
        }
    }
    return graphs;
}

void warn_of_ranks(const std::vector<RankGraph>& graphs, std::vector<std::string>& warnings) {
    for (const RankGraph& graph : graphs) {
        const auto warn = [&](const std::string& what) {
            warnings.push_back(fmt::format("rank {}: {}", graph.rank.value(), what));
        };
        if (graph.damage.any()) {
            warn(fmt::format("the profile is damaged: events repaired {}, skipped {}{}{}",
                             graph.damage.repaired_events, graph.damage.skipped_events,
                             graph.damage.cut_off ? ", and its end is missing" : "",
                             graph.damage.first_text()));
        }
        if (!graph.join_refusal.empty()) {
            warn("the execution trace is not of this profile and is not used: " +
                 graph.join_refusal);
        }
        if (graph.without_launch > 0) {
            warn(
                fmt::format("{} of {} operations follow their streams alone: the profile has not "
                            "their launch",
                            graph.without_launch, graph.operations));
        }
        if (graph.dropped > 0) {
            warn(fmt::format("left out, since the times contradict them: {} dependencies",
                             graph.dropped));
        }
    }
}

std::string time_text(std::int64_t ns) {
    return format_time(Time::ns(ns));
}

/// Warns of time that the traces lose or add, with the operation where that begins.
void warn_of_replay(const std::vector<RankGraph>& graphs, const ReplayTimes& replay, CpuModel cpu,
                    std::vector<std::string>& warnings) {
    const auto percent = [](const ReplayDifference& one) {
        return 100.0 * (static_cast<double>(one.replayed_ns) /
                            static_cast<double>(std::max<std::int64_t>(one.measured_ns, 1)) -
                        1);
    };
    const auto worst = std::max_element(
        replay.differences.begin(), replay.differences.end(),
        [&](const auto& a, const auto& b) { return std::abs(percent(a)) < std::abs(percent(b)); });
    if (worst == replay.differences.end()) {
        return;
    }
    const RankGraph& graph = graphs[worst->node_rank];
    const GraphNode& node = graph.nodes[worst->node];
    const std::string where =
        node.kind == GraphNode::Kind::Host
            ? std::string("CPU")
            : fmt::format("stream {}", graph.streams[static_cast<std::size_t>(node.place)].number);
    std::string text = fmt::format(
        "{} of {} ranks take more than 2 % less or more time in the traces than measured, rank {} "
        "the most: {} instead of {} ({:+.2f} %). ",
        replay.differences.size(), graphs.size(), graphs[worst->rank].rank.value(),
        time_text(worst->replayed_ns), time_text(worst->measured_ns), percent(*worst));
    text += fmt::format("The first operation responsible is '{}' ({} of rank {}): ",
                        graph.names[node.name], where, graph.rank.value());
    const std::string measured = time_text(worst->node_measured_ns);
    const std::string replayed = time_text(worst->node_replayed_ns);
    switch (worst->cause) {
        case ReplayDifference::Cause::Replay:
            text += fmt::format("it ended {} after the profile's begin, in the traces after {}",
                                measured, replayed);
            break;
        case ReplayDifference::Cause::LeftOut:
            text += fmt::format(
                "it ended {} after the profile's begin, and what follows is not in the traces",
                measured);
            break;
        case ReplayDifference::Cause::Overlap:
            text += fmt::format(
                "it began {} after the profile's begin and the previous one ended only after {}; "
                "an NPU runs one computation at a time",
                measured, replayed);
            break;
    }
    text += cpu == CpuModel::None ? ". --cpu none leaves out the time of the CPU" : "";
    warnings.push_back(std::move(text));
}

std::vector<std::int64_t> begins_of(const std::vector<RankGraph>& graphs, BeginModel model) {
    std::vector<std::int64_t> begins(graphs.size(), 0);
    if (model == BeginModel::Measured) {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const RankGraph& graph : graphs) {
            first = std::min(first, graph.span.begin_ns);
        }
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            begins[i] = graphs[i].span.begin_ns - first;
        }
    }
    return begins;
}

void count(const RankGraph& graph, const std::vector<MatchedCall>& calls,
           ConversionSummary& summary) {
    summary.nodes += static_cast<std::int64_t>(graph.nodes.size());
    summary.operations += graph.operations;
    summary.joined += graph.joined;
    for (const GraphNode& node : graph.nodes) {
        const std::int64_t ns = node.span.end_ns - node.span.begin_ns;
        if (node.kind == GraphNode::Kind::Host) {
            summary.cpu_ns += ns;
            continue;
        }
        const MatchedCall* call =
            node.call < 0 ? nullptr : &calls[static_cast<std::size_t>(node.call)];
        if (call == nullptr || call->kind == MatchedCall::Kind::Compute) {
            summary.compute_ns += ns;
        } else if (call->kind != MatchedCall::Kind::LeftOut) {
            const std::string name =
                call->kind == MatchedCall::Kind::Send ? "SEND"
                : call->kind == MatchedCall::Kind::Receive
                    ? "RECV"
                    : std::string(
                          name_of(graph.calls[static_cast<std::size_t>(node.call)].collective));
            ConversionSummary::Kind& kind = summary.communication[name];
            ++kind.nodes;
            kind.bytes += call->comm_size;
        }
    }
}

void write_traces(const std::vector<RankGraph>& graphs, const MatchedRun& run,
                  const std::vector<std::int64_t>& begins, const ProfileConversion& options,
                  ConversionSummary& summary) {
    const auto ranks = static_cast<std::int32_t>(graphs.size());
    check_workload_names(options.files, ranks);
    StagedFolder staged(options.files.folder);
    WorkloadFiles staging = options.files;
    staging.folder = staged.path();
    std::mutex mutex;
    for_each_in_parallel(
        graphs.size(),
        [&](std::size_t i) {
            chakra::TraceWriter writer(trace_file(staging, Rank(i)), {}, options.files.form);
            TraceNodes(graphs[i], run.calls[i], begins[i]).visit([&](const chakra::Node& node) {
                writer.write(node);
            });
            writer.commit();
            const std::lock_guard lock(mutex);
            for (const auto& [reason, nodes] : writer.losses()) {
                summary.losses[reason] += nodes;
            }
        },
        options.threads);
    chakra::write_comm_groups(staging.folder / options.files.groups, run.groups);
    staged.commit();
    remove_further_traces(options.files, ranks);
}

}  // namespace

ConversionSummary convert_profiles(const ProfileFolder& folder, const ProfileConversion& options,
                                   const std::function<void()>& read) {
    const std::vector<RankGraph> graphs = read_ranks(folder, options, read);
    MatchedRun run = match_communication(graphs, options.matching);
    const std::vector<std::int64_t> begins = begins_of(graphs, options.begin);
    ConversionSummary summary;
    summary.ranks = static_cast<std::int32_t>(graphs.size());
    summary.groups = static_cast<std::int64_t>(run.groups.size());
    warn_of_ranks(graphs, summary.warnings);
    summary.warnings.insert(summary.warnings.end(), run.warnings.begin(), run.warnings.end());
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        count(graphs[i], run.calls[i], summary);
        summary.nodes += begins[i] > 0 ? 1 : 0;
    }
    summary.replay = measured_replay(graphs, run, begins_of(graphs, BeginModel::Measured));
    warn_of_replay(graphs, summary.replay, options.cpu, summary.warnings);
    write_traces(graphs, run, begins, options, summary);
    return summary;
}

}  // namespace npunet::generators::profiler
