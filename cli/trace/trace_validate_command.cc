#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "base/printable.h"
#include "chakra/validation/workload_validation.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "cli/trace/trace_files.h"

namespace npunet::cli {

namespace {

using chakra::Finding;
using chakra::Severity;

/// So many findings of one code and rank are printed; --json has up to FindingList::kept.
constexpr std::size_t printed = 5;

struct ValidateOptions {
    std::vector<std::string> traces;
    std::string comm_group_file;
    SchemaOption schema;
    std::string deps = "data";
    bool strict = false;
    bool json = false;
};

/// "rank 3", the file when its name tells no rank, "workload".
std::string subject_of(const Finding& finding, const TraceFiles& files) {
    if (finding.trace == chakra::no_trace) {
        return "workload";
    }
    const chakra::TraceFile& trace = files.traces[static_cast<std::size_t>(finding.trace)];
    return trace.rank.valid() ? fmt::format("rank {}", trace.rank.value()) : trace.path.string();
}

std::string node_of(const Finding& finding) {
    return finding.node ? fmt::format("node {}", *finding.node) : "-";
}

/// The findings of a code and a trace one after the other, in the order of the traces.
std::vector<Finding> sorted(const chakra::FindingList& list) {
    std::vector<Finding> findings = list.findings();
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        return std::make_tuple(a.trace, a.code) < std::make_tuple(b.trace, b.code);
    });
    return findings;
}

void print_findings(const chakra::FindingList& list, const TraceFiles& files, std::ostream& out) {
    const std::vector<Finding> findings = sorted(list);
    std::size_t subjects = 0;
    std::size_t nodes = 0;
    std::size_t codes = 0;
    for (const Finding& finding : findings) {
        subjects = std::max(subjects, subject_of(finding, files).size());
        nodes = std::max(nodes, node_of(finding).size());
        codes = std::max(codes, name_of(finding.code).size());
    }
    const auto print = [&](Severity severity, const std::string& subject, const std::string& node,
                           std::string_view code, const std::string& message) {
        out << fmt::format("{:<7}  {:<{}}  {:<{}}  {:<{}}  {}\n", name_of(severity),
                           printable(subject), subjects, node, nodes, code, codes,
                           printable(message));
    };
    std::size_t of_this_code = 0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const Finding& finding = findings[i];
        const bool same =
            i > 0 && findings[i - 1].trace == finding.trace && findings[i - 1].code == finding.code;
        of_this_code = same ? of_this_code + 1 : 1;
        if (of_this_code <= printed) {
            print(finding.severity, subject_of(finding, files), node_of(finding),
                  name_of(finding.code), finding.message);
        } else if (of_this_code == printed + 1) {
            const std::uint64_t all = list.count(finding.trace, finding.code);
            print(finding.severity, subject_of(finding, files), "...", name_of(finding.code),
                  fmt::format("and {} more", all - printed));
        }
    }
}

std::string counts_of(const chakra::FindingList& list) {
    std::string text;
    const auto add = [&](Severity severity, const char* one, const char* many) {
        if (const std::uint64_t count = list.count(severity)) {
            text +=
                (text.empty() ? "" : ", ") + counted(static_cast<std::int64_t>(count), one, many);
        }
    };
    add(Severity::Error, "error", "errors");
    add(Severity::Warning, "warning", "warnings");
    add(Severity::Info, "note", "notes");
    return text.empty() ? "no findings" : text;
}

void print(const chakra::ValidationResult& result, const TraceFiles& files, std::ostream& out) {
    print_findings(result.findings, files, out);
    out << fmt::format("{}, {}: {}\n",
                       counted(static_cast<std::int64_t>(files.traces.size()), "trace", "traces"),
                       counted(static_cast<std::int64_t>(result.nodes), "node", "nodes"),
                       counts_of(result.findings));
}

void print_json(const chakra::ValidationResult& result, const TraceFiles& files,
                std::ostream& out) {
    using Json = nlohmann::ordered_json;
    const chakra::FindingList& list = result.findings;
    const std::vector<Finding> findings = sorted(list);
    Json document{{"errors", list.errors()},
                  {"warnings", list.warnings()},
                  {"infos", list.count(Severity::Info)},
                  {"traces", files.traces.size()},
                  {"nodes", result.nodes},
                  {"omitted", list.all() - findings.size()},
                  {"findings", Json::array()}};
    for (const Finding& finding : findings) {
        Json entry{{"severity", name_of(finding.severity)},
                   {"code", name_of(finding.code)},
                   {"rank", nullptr},
                   {"node", nullptr},
                   {"message", finding.message},
                   {"file", nullptr}};
        if (finding.trace != chakra::no_trace) {
            const auto& trace = files.traces[static_cast<std::size_t>(finding.trace)];
            if (trace.rank.valid()) {
                entry["rank"] = trace.rank.value();
            }
            entry["file"] = trace.path.string();
        }
        if (finding.node) {
            entry["node"] = *finding.node;
        }
        document["findings"].push_back(std::move(entry));
    }
    print_document(document, out);
}

void run(const ValidateOptions& options, CommandContext& context) {
    const TraceFiles files = find_trace_files(options.traces);
    chakra::ValidationInput input;
    input.traces = files.traces;
    input.whole_workload = files.whole_workload;
    input.groups = options.comm_group_file;
    input.followed =
        options.deps == "data" ? chakra::FollowedDeps::Data : chakra::FollowedDeps::DataAndCtrl;
    input.schema = options.schema.schema();
    const chakra::ValidationResult result = chakra::validate_traces(input);
    if (options.json) {
        print_json(result, files, context.out);
    } else {
        print(result, files, context.out);
    }
    const bool refused =
        result.findings.errors() > 0 || (options.strict && result.findings.warnings() > 0);
    if (refused) {
        throw InputError(
            {options.traces.front(), "", counts_of(result.findings),
             options.strict ? "no errors and, with --strict, no warnings" : "no errors",
             "Standard output lists them"});
    }
}

}  // namespace

void add_trace_validate_command(CLI::App& trace, CommandContext& context) {
    const auto options = std::make_shared<ValidateOptions>();
    CLI::App* command = trace.add_subcommand(
        "validate", "Check traces without running them: each by itself, then all ranks together");
    add_traces_argument(*command, options->traces);
    command->add_option("--comm-group", options->comm_group_file, "Communicator groups, a .json")
        ->type_name("FILE");
    command
        ->add_option("--deps", options->deps,
                     "The dependencies that hold a node back; a simulation follows data+ctrl")
        ->check(one_of({"data", "data+ctrl"}))
        ->capture_default_str();
    options->schema.add_to(*command);
    command->add_flag("--strict", options->strict, "Fail on warnings too, with exit code 2");
    command->add_flag("--json", options->json, "Print the findings as JSON");
    command->footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 1MiB --npus 4 --output-dir ring\n"
        "  npunet trace validate ring/workload --comm-group ring/comm_group.json");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
