#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/printable.h"
#include "chakra/inspection/trace_summary.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/output_options.h"
#include "cli/trace/trace_files.h"
#include "report/text_table.h"

namespace npunet::cli {

namespace {

using chakra::TraceSummary;
using Json = nlohmann::ordered_json;

/// So many communicator groups are listed for people; --json has all.
constexpr std::size_t most_printed_groups = 20;

struct TraceInfoOptions {
    std::vector<std::string> traces;
    SchemaOption schema;
    bool json = false;
};

struct FileInfo {
    std::string file;
    std::optional<TraceSummary> summary;  ///< none of a file that is no trace at all
    std::optional<InputProblem> problem;
};

FileInfo info_of(const chakra::TraceFile& trace, const chakra::ReadOptions& read) {
    FileInfo info{trace.path.string(), std::nullopt, std::nullopt};
    try {
        info.summary = chakra::summarize_trace(trace.path, read);
        info.problem = info.summary->problem;
    } catch (const InputError& error) {
        info.problem = error.problem();
    }
    return info;
}

/// "0.0.4", "JSON"; with a mark where it is a guess.
std::string form_of(const TraceSummary& summary) {
    const std::string schema =
        summary.format.json ? "JSON" : std::string(name_of(summary.format.schema));
    return summary.format.ambiguous ? schema + " (a guess)" : schema;
}

template <class Map>
Json as_json(const Map& counts) {
    Json json = Json::object();
    for (const auto& [name, count] : counts) {
        json[name] = count;
    }
    return json;
}

Json groups_as_json(const TraceSummary& summary) {
    Json json = Json::object();
    for (const auto& [name, group] : summary.groups) {
        json[name] = {{"nodes", group.nodes}, {"comm_size", group.comm_size}};
    }
    return json;
}

Json problem_as_json(const InputProblem& problem) {
    return {{"place", problem.place},
            {"found", problem.found},
            {"expected", problem.expected},
            {"remedy", problem.remedy}};
}

Json as_json(const std::string& file, const TraceSummary& summary) {
    const chakra::TraceFormat& format = summary.format;
    Json json{{"file", file},
              {"schema", name_of(format.schema)},
              {"schema_reason", format.reason},
              {"schema_ambiguous", format.ambiguous},
              {"metadata_frame", format.metadata_frame},
              {"metadata_version", summary.metadata.version},
              {"gzip", format.gzip},
              {"json", format.json},
              {"bytes", summary.bytes},
              {"metadata_bytes", summary.metadata_bytes},
              {"longest_node_bytes", summary.longest_node_bytes},
              {"nodes", summary.nodes},
              {"unique_ids", summary.unique_ids},
              {"lowest_id", summary.lowest_id},
              {"highest_id", summary.highest_id},
              {"first_ids", summary.first_ids},
              {"nodes_by_type", as_json(summary.nodes_by_type)},
              {"comm_types", as_json(summary.comm_types)},
              {"totals",
               {{"comm_size", summary.comm_size},
                {"num_ops", summary.num_ops},
                {"tensor_size", summary.tensor_size},
                {"duration_micros", summary.duration_micros}}},
              {"comm_size_by_type", as_json(summary.comm_size_by_type)},
              {"groups", groups_as_json(summary)},
              {"attributes", as_json(summary.attributes)},
              {"first_start_micros", summary.first_start_micros},
              {"last_end_micros", summary.last_end_micros},
              {"data_deps", summary.data_deps.all},
              {"ctrl_deps", summary.ctrl_deps.all},
              {"dangling_data_deps", summary.data_deps.dangling},
              {"dangling_ctrl_deps", summary.ctrl_deps.dangling},
              {"forward_deps", summary.data_deps.forward},
              {"forward_ctrl_deps", summary.ctrl_deps.forward},
              {"self_deps", summary.data_deps.self},
              {"self_ctrl_deps", summary.ctrl_deps.self},
              {"acyclic", summary.acyclic},
              {"acyclic_with_ctrl_deps", summary.acyclic_with_ctrl}};
    return json;
}

Json as_json(const FileInfo& info) {
    Json json = info.summary ? as_json(info.file, *info.summary) : Json{{"file", info.file}};
    json["problem"] = info.problem ? problem_as_json(*info.problem) : Json();
    return json;
}

/// "COMP_NODE 161, COMM_COLL_NODE 54"
template <class Map>
std::string listed(const Map& counts) {
    std::string text;
    for (const auto& [name, count] : counts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    }
    return text.empty() ? "none" : text;
}

std::string dependencies(const chakra::DependencyGraph::Counts& counts) {
    std::string text = fmt::format("{}", counts.all);
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count != 0) {
            text += fmt::format(", {} {}", count, what);
        }
    };
    add(counts.dangling, "on absent nodes");
    add(counts.forward, "on later nodes");
    add(counts.self, "on the node itself");
    return text;
}

void print_groups(const TraceSummary& summary, std::ostream& out) {
    std::vector<std::pair<std::string, TraceSummary::Group>> groups(summary.groups.begin(),
                                                                    summary.groups.end());
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return a.second.comm_size > b.second.comm_size;
    });
    report::TextTable table({"communicator group", "nodes", "bytes"});
    for (std::size_t i = 0; i < groups.size() && i < most_printed_groups; ++i) {
        table.add({groups[i].first.empty() ? "(none named)" : groups[i].first,
                   fmt::format("{}", groups[i].second.nodes),
                   fmt::format("{}", groups[i].second.comm_size)});
    }
    out << '\n' << table.text();
    if (groups.size() > most_printed_groups) {
        out << fmt::format("... and {} more\n", groups.size() - most_printed_groups);
    }
}

void print_attributes(const TraceSummary& summary, std::ostream& out) {
    report::TextTable table({"attribute", "value", "nodes"}, 2);
    for (const auto& [key, count] : summary.attributes) {
        const std::size_t colon = key.rfind(':');
        table.add({key.substr(0, colon), key.substr(colon + 1), fmt::format("{}", count)});
    }
    out << '\n' << table.text();
}

std::string metadata_of(const TraceSummary& summary) {
    if (summary.format.metadata_frame) {
        return fmt::format(
            "{}version '{}', {}",
            summary.format.json ? "" : fmt::format("{} bytes, ", summary.metadata_bytes),
            summary.metadata.version,
            counted(static_cast<std::int64_t>(summary.metadata.attributes.size()), "attribute",
                    "attributes"));
    }
    if (summary.format.json) {
        return "none";
    }
    return summary.nodes == 0 ? "none: the file has no frames"
                              : "none: the file begins with a node";
}

void print_one(const std::string& file, const TraceSummary& summary, std::ostream& out) {
    const auto line = [&](const char* what, const std::string& value) {
        out << fmt::format("{:<18} {}\n", what, printable(value));
    };
    line("file", file);
    line("schema", fmt::format("{}: {}", form_of(summary), summary.format.reason));
    line("metadata", metadata_of(summary));
    line("bytes", fmt::format("{}{}", summary.bytes,
                              summary.format.gzip ? " (decompressed from gzip)" : ""));
    line("nodes", summary.nodes == 0
                      ? "none"
                      : fmt::format("{}, ids {} to {}{}", summary.nodes, summary.lowest_id,
                                    summary.highest_id,
                                    summary.unique_ids == summary.nodes
                                        ? ""
                                        : fmt::format(", {} different", summary.unique_ids)));
    line("by type", listed(summary.nodes_by_type));
    line("collectives", listed(summary.collectives));
    line("communicated", fmt::format("{} bytes", summary.comm_size));
    line("operations", fmt::format("{} (floating point)", summary.num_ops));
    line("tensors", fmt::format("{} bytes", summary.tensor_size));
    line("durations", fmt::format("{} us in all", summary.duration_micros));
    line("recorded",
         summary.last_end_micros == 0
             ? "no start times"
             : fmt::format("{} us to {} us", summary.first_start_micros, summary.last_end_micros));
    line("data deps", dependencies(summary.data_deps));
    line("control deps", dependencies(summary.ctrl_deps));
    line("cycles", !summary.acyclic             ? "yes: see npunet trace validate"
                   : !summary.acyclic_with_ctrl ? "only with control dependencies"
                                                : "none");
    if (!summary.groups.empty()) {
        print_groups(summary, out);
    }
    if (!summary.attributes.empty()) {
        print_attributes(summary, out);
    }
}

std::string remarks(const TraceSummary& summary) {
    std::string text;
    const auto add = [&](bool there, const char* what) {
        if (there) {
            text += (text.empty() ? "" : ", ") + std::string(what);
        }
    };
    add(summary.problem.has_value(), "malformed");
    add(summary.unique_ids != summary.nodes, "duplicate ids");
    add(summary.data_deps.dangling != 0, "dangling");
    add(!summary.acyclic, "cyclic");
    return text;
}

void print_several(const std::vector<FileInfo>& all, std::ostream& out) {
    report::TextTable table({"file", "schema", "remarks", "nodes", "compute", "collectives",
                             "bytes communicated", "duration us", "dependencies"},
                            3);
    TraceSummary sum;
    for (const FileInfo& info : all) {
        if (!info.summary) {
            table.add({info.file, "-", "no trace", "-", "-", "-", "-", "-", "-"});
            continue;
        }
        const TraceSummary& summary = *info.summary;
        const auto of_type = [&one = summary](const char* name) {
            const auto found = one.nodes_by_type.find(name);
            return fmt::format("{}", found == one.nodes_by_type.end() ? 0 : found->second);
        };
        table.add({info.file, form_of(summary), remarks(summary), fmt::format("{}", summary.nodes),
                   of_type("COMP_NODE"), of_type("COMM_COLL_NODE"),
                   fmt::format("{}", summary.comm_size), fmt::format("{}", summary.duration_micros),
                   fmt::format("{}", summary.data_deps.all + summary.ctrl_deps.all)});
        sum.nodes += summary.nodes;
        sum.bytes += summary.bytes;
    }
    out << table.text();
    out << fmt::format("{} traces, {} nodes, {} bytes\n", all.size(), sum.nodes, sum.bytes);
}

void run(const TraceInfoOptions& options, CommandContext& context) {
    const TraceFiles files = find_trace_files(options.traces, RepeatedRanks::Allow);
    chakra::ReadOptions read;
    read.schema = options.schema.schema();
    std::vector<FileInfo> all;
    for (const chakra::TraceFile& trace : files.traces) {
        all.push_back(info_of(trace, read));
    }
    if (options.json) {
        Json document{{"files", Json::array()}};
        for (const FileInfo& info : all) {
            document["files"].push_back(as_json(info));
        }
        print_document(document, context.out);
    } else if (all.size() == 1 && all.front().summary) {
        print_one(all.front().file, *all.front().summary, context.out);
    } else if (all.size() > 1) {
        print_several(all, context.out);
    }
    for (const FileInfo& info : all) {
        if (info.problem) {
            throw InputError(*info.problem);
        }
    }
}

}  // namespace

void add_trace_info_command(CLI::App& trace, CommandContext& context) {
    const auto options = std::make_shared<TraceInfoOptions>();
    CLI::App* command = trace.add_subcommand(
        "info", "Say what traces are: schema, counts, sizes, dependencies, groups, attributes");
    add_traces_argument(*command, options->traces);
    options->schema.add_to(*command);
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 1MiB --npus 4 --output-dir ring\n"
        "  npunet trace info ring/workload.0.et");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
