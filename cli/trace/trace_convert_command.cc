#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "chakra/inspection/trace_printing.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "cli/trace/trace_files.h"
#include "study/recorded_timeline.h"

namespace npunet::cli {

namespace {

using std::filesystem::path;

struct TraceConvertOptions {
    std::vector<std::string> traces;
    SchemaOption schema;
    std::string form = "v0.0.4";
    std::string folder;
    std::string name;
    bool gzip = false;
    bool json = false;
    bool quiet = false;
};

/// The name of a trace without what says its form: "gpt.0" of gpt.0.et.gz.
std::string stem_of(const path& trace) {
    path name = trace.filename();
    for (const char* const ending : {".gz", ".et", ".eg", ".json"}) {
        if (name.extension() == ending && !name.stem().empty()) {
            name = name.stem();
        }
    }
    return name.string();
}

std::string ending_of(const TraceConvertOptions& options) {
    const std::string ending = options.form == "json"       ? ".json"
                               : options.form == "jsonizer" ? ".txt"
                               : options.form == "dot"      ? ".dot"
                                                            : ".et";
    return ending + (options.gzip ? ".gz" : "");
}

// Files are compressed by their names.
path target_of(const TraceConvertOptions& options, const path& trace) {
    if (options.name.empty()) {
        return path(options.folder) / (stem_of(trace) + ending_of(options));
    }
    const bool lacks_ending = options.gzip && path(options.name).extension() != ".gz";
    return path(options.folder) / (options.name + (lacks_ending ? ".gz" : ""));
}

void refuse_replacing(const path& target, const TraceFiles& files) {
    for (const chakra::TraceFile& trace : files.traces) {
        std::error_code error;
        if (std::filesystem::equivalent(target, trace.path, error)) {
            throw InputError({"--output-dir", "",
                              fmt::format("{}, which is to be read", target.string()),
                              "another folder than that of the traces", ""});
        }
    }
}

void refuse_replacing(const std::vector<path>& targets, const TraceFiles& files) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
        refuse_replacing(targets[i], files);
        if (std::find(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(i),
                      targets[i]) != targets.begin() + static_cast<std::ptrdiff_t>(i)) {
            throw InputError({files.traces[i].path.string(), "",
                              fmt::format("a second trace for {}", targets[i].string()),
                              "traces of different names", "Convert one folder after the other"});
        }
    }
}

chakra::Losses write_trace(const path& trace, const path& target, const chakra::ReadOptions& read,
                           chakra::WrittenForm form) {
    chakra::TraceReader reader(trace, read);
    chakra::TraceMetadata metadata = reader.metadata();
    // Readers of today take the first frame for metadata. A trace of 0.0.4 without any stays so.
    const chakra::TraceFormat& format = reader.format();
    const bool silent = format.schema < chakra::Schema::V0_0_4 ||
                        (format.json && !format.metadata_frame && metadata.present);
    if (silent && metadata.version.empty()) {
        metadata.version = "0.0.4";
        metadata.present = true;
    }
    chakra::TraceWriter writer(target, metadata, form);
    chakra::Node node;
    while (reader.next(node)) {
        writer.write(node);
    }
    writer.commit();
    return writer.losses();
}

void write_jsonizer(const path& trace, const path& target, const chakra::ReadOptions& read) {
    chakra::TraceReader reader(trace, read);
    AtomicFile file(target);
    if (reader.has_metadata()) {
        chakra::write_protobuf_json(reader.metadata(), file.stream());
    }
    chakra::Node node;
    while (reader.next(node)) {
        chakra::write_protobuf_json(node, file.stream());
    }
    file.commit();
}

void write_graph(const path& trace, const path& target, const chakra::ReadOptions& read) {
    chakra::TraceReader reader(trace, read);
    std::vector<chakra::Node> nodes;
    chakra::Node node;
    while (reader.next(node)) {
        nodes.push_back(node);
        if (nodes.size() > chakra::most_drawn_nodes) {
            throw InputError({trace.string(), "",
                              fmt::format("more than {} nodes", chakra::most_drawn_nodes),
                              "a trace small enough to be drawn",
                              "npunet trace convert --to timeline shows large ones"});
        }
    }
    AtomicFile file(target);
    chakra::write_dot(nodes, file.stream());
    file.commit();
}

/// What was written, as one document.
void print_json(const std::vector<path>& targets, const chakra::Losses& losses,
                std::optional<std::uint64_t> origin, std::ostream& out) {
    using Json = nlohmann::ordered_json;
    Json document{{"files", Json::array()}, {"not_carried", Json::object()}};
    for (const path& target : targets) {
        document["files"].push_back(target.string());
    }
    for (const auto& [reason, nodes] : losses) {
        document["not_carried"][reason] = nodes;
    }
    if (origin) {
        document["origin_micros"] = *origin;
    }
    print_document(document, out);
}

void write_timeline(const TraceConvertOptions& options, const TraceFiles& files,
                    CommandContext& context) {
    const path target =
        path(options.folder) / (options.name.empty() ? "timeline.perfetto-trace" : options.name);
    refuse_replacing(target, files);
    std::vector<path> traces;
    for (const chakra::TraceFile& trace : files.traces) {
        traces.push_back(trace.path);
    }
    const std::uint64_t origin =
        study::write_recorded_timeline(traces, {options.schema.schema()}, target);
    if (options.json) {
        print_json({target}, {}, origin, context.out);
    } else if (!options.quiet) {
        context.out << fmt::format("Wrote {}; its time 0 is {} us of the traces\n", target.string(),
                                   origin);
    }
}

chakra::Losses write_one(const TraceConvertOptions& options, const path& trace,
                         const path& target) {
    const chakra::ReadOptions read{options.schema.schema()};
    if (const auto form = chakra::written_form_from(options.form)) {
        return write_trace(trace, target, read, *form);
    }
    if (options.form == "jsonizer") {
        write_jsonizer(trace, target, read);
    } else {
        write_graph(trace, target, read);
    }
    return {};
}

void report(const std::string& trace, const chakra::Losses& losses, std::ostream& out) {
    for (const auto& [reason, nodes] : losses) {
        out << fmt::format("{}: not carried: {} ({})\n", trace, reason,
                           counted(static_cast<std::int64_t>(nodes), "time", "times"));
    }
}

void check(const TraceConvertOptions& options, const TraceFiles& files) {
    const bool has_slash = options.name.find('/') != std::string::npos;
    if (has_slash || options.name == "." || options.name == "..") {
        throw InputError({"--output-name", "", fmt::format("'{}'", options.name),
                          "the name of a file inside --output-dir", ""});
    }
    if (!options.name.empty() && files.traces.size() > 1 && options.form != "timeline") {
        throw InputError({"--output-name", "", fmt::format("{} traces", files.traces.size()),
                          "one trace, which gets this name",
                          "Leave it out: each trace keeps its own name"});
    }
    const bool own_forms = chakra::written_form_from(options.form).has_value();
    if (options.gzip && !own_forms) {
        throw InputError({"--gzip", "", fmt::format("--to {}", options.form),
                          "--to v0.0.4, v0.0.1 or json", "Leave it out"});
    }
}

void run(const TraceConvertOptions& options, CommandContext& context) {
    const TraceFiles files = find_trace_files(
        options.traces, options.form == "timeline" ? RepeatedRanks::Refuse : RepeatedRanks::Allow);
    check(options, files);
    if (options.form == "timeline") {
        write_timeline(options, files, context);
        return;
    }
    std::vector<path> targets;
    for (const chakra::TraceFile& trace : files.traces) {
        targets.push_back(target_of(options, trace.path));
    }
    refuse_replacing(targets, files);
    chakra::Losses all_losses;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const path& trace = files.traces[i].path;
        const chakra::Losses losses = write_one(options, trace, targets[i]);
        if (!options.json) {
            report(trace.string(), losses, context.out);
        }
        for (const auto& [reason, nodes] : losses) {
            all_losses[reason] += nodes;
        }
    }
    if (options.json) {
        print_json(targets, all_losses, {}, context.out);
    } else if (!options.quiet) {
        context.out << (targets.size() == 1 ? fmt::format("Wrote {}\n", targets.front().string())
                                            : fmt::format("Wrote {} files into {}\n",
                                                          targets.size(), options.folder));
    }
}

}  // namespace

void add_trace_convert_command(CLI::App& trace, CommandContext& context) {
    const auto options = std::make_shared<TraceConvertOptions>();
    CLI::App* command = trace.add_subcommand(
        "convert", "Write traces in another form: schema, JSON, graph, timeline");
    add_traces_argument(*command, options->traces);
    command
        ->add_option("--to", options->form,
                     "v0.0.4 or v0.0.1: the schema; json: without loss, for the feeder and back; "
                     "jsonizer: as Chakra's jsonizer prints; dot: a graph for Graphviz; timeline: "
                     "the recorded times of all traces for ui.perfetto.dev")
        ->check(one_of({"v0.0.4", "v0.0.1", "json", "jsonizer", "dot", "timeline"}))
        ->capture_default_str();
    command->add_option("--output-dir", options->folder, "Folder for the files; made when missing")
        ->check(output_folder())
        ->required();
    command
        ->add_option("--output-name", options->name,
                     "Name of the file, of one trace or a timeline; otherwise the trace's own, "
                     "with .et, .json, .txt or .dot")
        ->type_name("NAME");
    command->add_flag("--gzip", options->gzip, "Compress; names end in .gz");
    options->schema.add_to(*command);
    add_json_flag(*command, options->json);
    command->add_flag("--quiet", options->quiet, "Print only what could not be carried");
    command->footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 1MiB --npus 4 --output-dir ring\n"
        "  npunet trace convert ring/workload --to json --output-dir ring-json");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
