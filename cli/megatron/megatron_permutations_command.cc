#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/json_writer.h"
#include "cli/command/commands.h"
#include "cli/command/figure_file.h"
#include "cli/command/output_options.h"
#include "cli/console/progress_line.h"
#include "generators/megatron/logs/call_log_reader.h"
#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/traffic/permutations.h"
#include "generators/megatron/traffic/python_set_order.h"
#include "generators/megatron/traffic/step_permutations.h"
#include "generators/megatron/traffic/traffic.h"
#include "report/figures/heat_map_figure.h"

namespace npunet::cli {

namespace {

namespace fs = std::filesystem;
using namespace generators::megatron;
using Layout = JsonWriter::Layout;

struct PermutationOptions {
    std::string folder;
    bool weighted = false;
    bool original_order = false;
    bool all_ranks = false;
    bool traffic = false;
    std::string matrix;  ///< file of the figure; empty: none
    bool json = false;
    bool quiet = false;

    [[nodiscard]] bool reads_all_ranks() const { return all_ranks || traffic || !matrix.empty(); }
};

/// What was found, ready to print.
struct Findings {
    PermutationList list;
    std::vector<StepPermutation> emissions;  ///< with --all-ranks: what each of list.weighted() is
    std::vector<std::size_t> order;          ///< of list.distinct(), as it is printed
};

fs::path checked_folder(const std::string& argument) {
    const fs::path folder = argument;
    const char* const expected =
        "the folder of a run: comm_log_rank_R.json of each rank, "
        "config.json and summary.json";
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
        throw InputError({argument, "LOGDIR", fs::exists(folder, ignored) ? "a file" : "nothing",
                          expected, "Give the folder itself"});
    }
    if (!fs::exists(folder / "summary.json", ignored)) {
        throw InputError({argument, "LOGDIR", "a folder without summary.json", expected,
                          "Give the folder of one run, not the one above it; npunet megatron trace "
                          "writes such folders"});
    }
    return folder;
}

PermutationList original_list(const LogFolder& folder, GroupTable& table) {
    OriginalPermutations rule(folder.run, table);
    read_call_log(folder.logs.front(), Rank(0), table,
                  [&](const LoggedCall& event) { rule.visit(event.call); });
    return rule.finish();
}

/// What stands on a line after the pairs: "bytes: 8 ..."
std::string weight_text(const Findings& findings, std::size_t number) {
    std::string text = fmt::format(" bytes: {}", findings.list.weighted()[number].bytes);
    if (!findings.emissions.empty()) {
        const StepPermutation& one = findings.emissions[number];
        text += fmt::format(" calls: {} phase: {} operation: {} group: {}", one.calls,
                            name_of(one.phase), name_of(one.operation), one.group);
    }
    return text;
}

void print_text(const PermutationOptions& options, const Findings& findings,
                const TrafficMatrix& traffic, std::ostream& out) {
    if (options.weighted) {
        for (std::size_t i = 0; i < findings.list.weighted().size(); ++i) {
            const Permutation& pairs =
                findings.list.distinct()[findings.list.weighted()[i].permutation];
            out << fmt::format("permutation: {}{}\n", python_text(pairs), weight_text(findings, i));
        }
    } else {
        for (const std::size_t number : findings.order) {
            out << fmt::format("permutation: {}\n", python_text(findings.list.distinct()[number]));
        }
    }
    if (!options.traffic) {
        return;
    }
    for (const Phase phase : phases) {
        for (const TrafficMatrix::Cell& cell : traffic.cells(phase)) {
            out << fmt::format("traffic: {} {} -> {} bytes: {}\n", name_of(phase),
                               cell.from.value(), cell.to.value(), std::llround(cell.bytes));
        }
    }
}

void write_pairs(JsonWriter& json, const Permutation& pairs) {
    json.begin_array();
    for (const auto& [from, to] : pairs) {
        json.begin_array().value(from.value()).value(to.value()).end_array();
    }
    json.end_array();
}

void write_sentences(JsonWriter& json, const char* name,
                     const std::vector<std::string>& sentences) {
    json.key(name).begin_array(Layout::Lines);
    for (const std::string& sentence : sentences) {
        json.value(sentence);
    }
    json.end_array();
}

void write_weighted(JsonWriter& json, const Findings& findings) {
    json.key("weighted").begin_array(Layout::Lines);
    for (std::size_t i = 0; i < findings.list.weighted().size(); ++i) {
        const PermutationList::Emission& emission = findings.list.weighted()[i];
        json.begin_object().member("bytes", emission.bytes).key("pairs");
        write_pairs(json, findings.list.distinct()[emission.permutation]);
        if (!findings.emissions.empty()) {
            const StepPermutation& one = findings.emissions[i];
            json.member("calls", one.calls)
                .member("phase", name_of(one.phase))
                .member("operation", name_of(one.operation))
                .member("group", one.group);
        }
        json.end_object();
    }
    json.end_array();
}

void write_traffic(JsonWriter& json, const TrafficMatrix& traffic) {
    json.key("traffic").begin_array(Layout::Lines);
    for (const Phase phase : phases) {
        json.begin_object().member("phase", name_of(phase)).key("pairs").begin_array();
        for (const TrafficMatrix::Cell& cell : traffic.cells(phase)) {
            json.begin_object()
                .member("from", cell.from.value())
                .member("to", cell.to.value())
                .member("bytes", static_cast<std::int64_t>(std::llround(cell.bytes)))
                .end_object();
        }
        json.end_array().end_object();
    }
    json.end_array();
}

void print_json(const PermutationOptions& options, const Findings& findings,
                const TrafficMatrix& traffic, std::ostream& out) {
    JsonWriter json;
    json.begin_object(Layout::Lines);
    json.key("permutations").begin_array(Layout::Lines);
    for (const std::size_t number : findings.order) {
        write_pairs(json, findings.list.distinct()[number]);
    }
    json.end_array();
    write_weighted(json, findings);
    json.member("rule", options.all_ranks ? "all-ranks" : "genstack");
    if (options.all_ranks) {
        write_sentences(json, "assumptions", permutation_assumptions());
    }
    if (options.traffic) {
        write_traffic(json, traffic);
        write_sentences(json, "traffic_assumptions", traffic_assumptions());
    }
    json.end_object();
    out << json.text() << '\n';
}

void write_matrix(const PermutationOptions& options, const LogFolder& folder,
                  const TrafficMatrix& traffic) {
    report::HeatMapPlot plot;
    const Parallelism& degrees = folder.run.parallelism;
    fs::path name = folder.path.lexically_normal();
    name = name.has_filename() ? name.filename() : name.parent_path().filename();
    plot.title = fmt::format("Traffic of a training step: {}", name.string());
    plot.subtitle = fmt::format("{} ranks: dp {}, cp {}, pp {}, tp {}; collectives along rings",
                                folder.run.world(), degrees.dp, degrees.cp, degrees.pp, degrees.tp);
    plot.row_name = "source rank";
    plot.column_name = "destination rank";
    plot.side = folder.run.world();
    for (const Phase phase : phases) {
        report::HeatMapPanel panel;
        panel.title = name_of(phase);
        for (const TrafficMatrix::Cell& cell : traffic.cells(phase)) {
            panel.cells.push_back({cell.from.value(), cell.to.value(), cell.bytes});
        }
        plot.panels.push_back(std::move(panel));
    }
    write_figure_file(options.matrix, report::heat_map_figure(plot));
}

void run(const PermutationOptions& options, CommandContext& context) {
    if (!options.matrix.empty()) {
        check_figure_file("--traffic-matrix", options.matrix);
    }
    const LogFolder folder = open_log_folder(checked_folder(options.folder));
    GroupTable table;
    TrafficMatrix traffic(table);
    Findings findings;
    if (options.reads_all_ranks()) {
        const ProcessGroups groups(folder.run.parallelism);
        StepPermutations step(groups, table);
        ProgressLine progress(context.log, options.quiet || folder.logs.size() < 64);
        progress.start("logs", folder.logs.size(), 0);
        for (std::size_t rank = 0; rank < folder.logs.size(); ++rank) {
            const auto calls = read_step_calls(folder, Rank(rank), groups, table);
            step.add(calls);
            traffic.add(calls);
            progress.step(false);
        }
        progress.end();
        if (options.all_ranks) {
            findings.emissions = step.list();
            for (const StepPermutation& one : findings.emissions) {
                findings.list.add(one.bytes, one.pairs);
            }
        }
    }
    if (!options.all_ranks) {
        findings.list = original_list(folder, table);
    }
    findings.order.resize(findings.list.distinct().size());
    std::iota(findings.order.begin(), findings.order.end(), std::size_t{0});
    if (options.original_order) {
        findings.order = python_set_order(findings.list.distinct());
    }
    if (!options.matrix.empty()) {
        write_matrix(options, folder, traffic);
    }
    if (options.json) {
        print_json(options, findings, traffic, context.out);
    } else {
        print_text(options, findings, traffic, context.out);
    }
}

/// A list of sentences in lines that fit a terminal.
std::string wrapped(const std::vector<std::string>& sentences) {
    constexpr std::size_t most_columns = 98;
    std::string text;
    for (const std::string& sentence : sentences) {
        std::string line = "-";
        std::istringstream words(sentence);
        for (std::string word; words >> word;) {
            if (line.size() + 1 + word.size() > most_columns) {
                text += line + "\n";
                line = " ";
            }
            line += " " + word;
        }
        text += line + "\n";
    }
    return text;
}

std::string footer() {
    return "Without --all-ranks the rule is that of genstack's logs_to_permutations.py: rank 0's "
           "calls\nup to its first message stand for all ranks.\n\nWith --all-ranks:\n" +
           wrapped(permutation_assumptions()) + "\nTraffic:\n" + wrapped(traffic_assumptions()) +
           "\nExample:\n"
           "  npunet megatron trace --model small --dp 2 --tp 2 --pp 2 --dialect genstack "
           "\\\n      --timestamp 20250810_115239 --output-dir comm_logs\n"
           "  npunet megatron permutations comm_logs/small_dp2_tp2_pp2_20250810_115239";
}

}  // namespace

void add_megatron_permutations_command(CLI::App& megatron, CommandContext& context) {
    const auto options = std::make_shared<PermutationOptions>();
    CLI::App* command = megatron.add_subcommand(
        "permutations", "Turn logged calls into permutations: who sends to whom at the same time");
    command->add_option("LOGDIR", options->folder, "Folder of a run, with summary.json")
        ->required();
    CLI::Option* weighted =
        command->add_flag("--weighted", options->weighted,
                          "Print every emission with its bytes instead of each permutation once");
    command
        ->add_flag("--original-order", options->original_order,
                   "The order in which the original prints them, that of a Python set, instead of "
                   "that in which they first occur")
        ->excludes(weighted);
    command->add_flag("--all-ranks", options->all_ranks,
                      "The permutations of every collective and message of all ranks, labelled");
    command->add_flag("--traffic", options->traffic,
                      "Print also the bytes between each two ranks, phase by phase");
    command->add_option("--traffic-matrix", options->matrix,
                        "Draw the bytes between ranks into this file, .svg or .png");
    add_json_flag(*command, options->json);
    command->add_flag("--quiet", options->quiet, "No progress");
    command->footer(footer());
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
