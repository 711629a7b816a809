#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "base/printable.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/output_options.h"
#include "cli/console/progress_line.h"
#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/matching/log_summary.h"
#include "report/text_table.h"

namespace npunet::cli {

namespace {

using namespace generators::megatron;
using Json = nlohmann::ordered_json;

/// Fewer logs are read before a line could be seen.
constexpr std::size_t logs_worth_a_line = 64;

struct MegatronInfoOptions {
    std::string folder;
    bool strict = false;
    bool json = false;
    bool quiet = false;
};

const char* dialect_of(const TrainingRun& run) {
    return run.dialect == Dialect::Genstack ? "genstack" : "npunet";
}

Json as_json(const Spread& spread) {
    return {{"min", spread.min}, {"max", spread.max}, {"sum", spread.sum}};
}

Json plan_as_json(const TrainingRun& run) {
    const Parallelism& degrees = run.parallelism;
    return {{"dp", degrees.dp},
            {"tp", degrees.tp},
            {"pp", degrees.pp},
            {"cp", degrees.cp},
            {"ep", degrees.ep},
            {"etp", degrees.expert_tensor()},
            {"vpp", run.vpp},
            {"micro_batch", run.micro_batch},
            {"micro_batches", run.steps},
            {"global_batch_size", run.global_batch_size}};
}

Json as_json(const LogFolder& folder, const LogSummary& summary) {
    Json operations_json = Json::object();
    for (std::size_t i = 0; i < operations; ++i) {
        const OperationSummary& operation = summary.by_operation[i];
        if (operation.calls.sum > 0) {
            operations_json[std::string(name_of(static_cast<Operation>(i)))] = {
                {"calls", as_json(operation.calls)}, {"bytes", as_json(operation.bytes)}};
        }
    }
    Json groups = Json::array();
    for (const GroupKind& kind : summary.groups) {
        groups.push_back({{"kind", kind.name},
                          {"ranks", kind.ranks},
                          {"groups", kind.groups},
                          {"calls", kind.calls},
                          {"bytes", kind.bytes}});
    }
    const RendezvousResult& met = summary.rendezvous;
    return {{"folder", folder.path.string()},
            {"dialect", dialect_of(folder.run)},
            {"model", folder.run.model_size},
            {"plan", plan_as_json(folder.run)},
            {"ranks", summary.ranks},
            {"events", as_json(summary.events)},
            {"operations", operations_json},
            {"groups", groups},
            {"rendezvous",
             {{"meets", met.meets()},
              {"collectives", met.collectives},
              {"messages", met.messages},
              {"findings", met.findings},
              {"more_findings", met.more_findings},
              {"notes", met.notes}}}};
}

std::string text_of(std::int64_t number) {
    return fmt::format("{}", number);
}

void print_tables(const LogSummary& summary, std::ostream& out) {
    report::TextTable table({"operation", "calls a rank: least", "most", "all ranks",
                             "bytes a rank: least", "most", "all ranks"});
    for (std::size_t i = 0; i < operations; ++i) {
        const auto& [calls, bytes] = summary.by_operation[i];
        if (calls.sum > 0) {
            table.add({std::string(name_of(static_cast<Operation>(i))), text_of(calls.min),
                       text_of(calls.max), text_of(calls.sum), text_of(bytes.min),
                       text_of(bytes.max), text_of(bytes.sum)});
        }
    }
    out << '\n' << table.text();
    report::TextTable groups({"groups of collectives", "ranks", "groups", "calls", "bytes"});
    for (const GroupKind& kind : summary.groups) {
        groups.add({kind.name, text_of(kind.ranks), text_of(kind.groups), text_of(kind.calls),
                    text_of(kind.bytes)});
    }
    out << '\n' << groups.text();
}

void print_rendezvous(const RendezvousResult& met, std::ostream& out) {
    out << '\n';
    if (met.meets()) {
        out << fmt::format("All calls meet: {} collectives, {} messages\n", met.collectives,
                           met.messages);
    }
    for (const std::string& finding : met.findings) {
        out << "finding: " << printable(finding) << '\n';
    }
    if (met.more_findings > 0) {
        out << fmt::format("... and {} more findings\n", met.more_findings);
    }
    for (const std::string& note : met.notes) {
        out << "note: " << printable(note) << '\n';
    }
}

void print_text(const LogFolder& folder, const LogSummary& summary, std::ostream& out) {
    const auto line = [&](const char* what, const std::string& value) {
        out << fmt::format("{:<9} {}\n", what, printable(value));
    };
    const TrainingRun& run = folder.run;
    const Parallelism& degrees = run.parallelism;
    line("folder", folder.path.string());
    line("dialect", dialect_of(run));
    line("model", run.model_size);
    line("plan", fmt::format("dp {}, tp {}, pp {}, cp {}, ep {}, vpp {}", degrees.dp, degrees.tp,
                             degrees.pp, degrees.cp, degrees.ep, run.vpp));
    line("batch", fmt::format("{}: {} of {} on each replica", run.global_batch_size,
                              counted(run.steps, "micro-batch", "micro-batches"),
                              counted(run.micro_batch, "sequence", "sequences")));
    line("ranks", text_of(summary.ranks));
    line("events", fmt::format("{}, {} to {} a rank", summary.events.sum, summary.events.min,
                               summary.events.max));
    print_tables(summary, out);
    print_rendezvous(summary.rendezvous, out);
}

void run(const MegatronInfoOptions& options, CommandContext& context) {
    const LogFolder folder = open_log_folder(options.folder);
    ProgressLine progress(context.log, options.quiet || folder.logs.size() < logs_worth_a_line);
    progress.start("logs", folder.logs.size(), 0);
    const LogSummary summary = summarize_logs(folder, [&] { progress.step(false); });
    progress.end();
    if (options.json) {
        print_document(as_json(folder, summary), context.out);
    } else {
        print_text(folder, summary, context.out);
    }
    const RendezvousResult& met = summary.rendezvous;
    if (options.strict && !met.meets()) {
        const std::uint64_t others = met.findings.size() - 1 + met.more_findings;
        throw InputError({options.folder, "",
                          others == 0
                              ? met.findings.front()
                              : fmt::format("{} (and {} more)", met.findings.front(), others),
                          "calls that meet at all their ranks",
                          "Record or make the logs again, all in one run"});
    }
}

}  // namespace

void add_megatron_info_command(CLI::App& megatron, CommandContext& context) {
    const auto options = std::make_shared<MegatronInfoOptions>();
    CLI::App* command = megatron.add_subcommand(
        "info", "Say what the logs of a run hold, and whether all calls meet");
    command->add_option("LOGDIR", options->folder, "Folder of a run, with config.json")->required();
    command->add_flag("--strict", options->strict, "Exit code 2 when calls do not meet");
    add_json_flag(*command, options->json);
    command->add_flag("--quiet", options->quiet, "No progress");
    command->footer(
        "Example:\n"
        "  npunet megatron trace --model small --dp 2 --tp 2 --pp 2 --timestamp "
        "20250810_115239 \\\n      --output-dir comm_logs\n"
        "  npunet megatron info comm_logs/small_dp2_tp2_pp2_20250810_115239");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
