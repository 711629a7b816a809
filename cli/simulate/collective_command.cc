#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/units.h"
#include "cli/command/commands.h"
#include "cli/command/figure_file.h"
#include "cli/command/machine_option.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "report/figures/collective_steps_figure.h"
#include "report/figures/collective_times_figure.h"
#include "report/results/collective_times.h"
#include "study/collective_steps.h"
#include "study/collective_times.h"

namespace npunet::cli {

namespace {

using engine::CollectiveKind;
using engine::Implementation;

struct CollectiveOptions {
    std::string machine;
    std::string network_file;
    std::string system_file;
    std::string type = "all_reduce";
    std::string least = "1KiB";
    std::string most = "1GiB";
    std::int32_t factor = 4;
    std::vector<std::string> group;       ///< lists of ranks
    std::vector<std::string> algorithms;  ///< lists of names
    std::string fidelity = "analytical";
    std::string csv;
    std::string figure;
    std::string timeline;
    bool json = false;
    bool quiet = false;
};

const std::vector<CollectiveKind>& kinds() {
    static const std::vector<CollectiveKind> list{
        CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll,  CollectiveKind::Broadcast, CollectiveKind::Reduce,
        CollectiveKind::Gather,    CollectiveKind::Scatter};
    return list;
}

CollectiveKind kind_named(const std::string& name) {
    for (const CollectiveKind kind : kinds()) {
        if (engine::name_of(kind) == name) {
            return kind;
        }
    }
    return CollectiveKind::Barrier;  // --type lets none pass
}

std::vector<Bytes> sizes_of(const CollectiveOptions& options) {
    const Bytes least = parse_bytes(options.least, "--min-size");
    const Bytes most = parse_bytes(options.most, "--max-size");
    if (least < Bytes(1) || most < least) {
        throw InputError({"--min-size", "", format_bytes(least),
                          fmt::format("from 1 byte to --max-size, {}", format_bytes(most)), ""});
    }
    std::vector<Bytes> sizes;
    for (Bytes size = least;; size = options.factor * size) {
        sizes.push_back(size);
        if (size.value() > most.value() / options.factor) {
            return sizes;
        }
    }
}

std::vector<Rank> group_of(const CollectiveOptions& options, std::size_t npus) {
    std::vector<Rank> group;
    for (const std::string& text : list_items(options.group)) {
        const std::string refusal =
            whole_number(0, static_cast<std::int64_t>(npus) - 1)(std::string(text));
        if (!refusal.empty()) {
            throw InputError({"--group: " + refusal, "", "", "",
                              "Ranks are separated by commas: --group 0,2,4"});
        }
        group.push_back(Rank(static_cast<std::int32_t>(std::stol(text))));
    }
    return group;
}

/// The one whose name stands at `start` of a list, the longest of several; null for none.
const study::AlgorithmToTime* file_at(const std::string& list, std::size_t start,
                                      const std::vector<study::AlgorithmToTime>& files) {
    const study::AlgorithmToTime* longest = nullptr;
    for (const study::AlgorithmToTime& file : files) {
        const std::size_t end = start + file.name.size();
        if (list.compare(start, file.name.size(), file.name) == 0 &&
            (end == list.size() || list[end] == ',') &&
            (longest == nullptr || longest->name.size() < file.name.size())) {
            longest = &file;
        }
    }
    return longest;
}

/// Separated by commas, which names of files may have, too.
std::vector<std::string> names_in(const std::vector<std::string>& lists,
                                  const std::vector<study::AlgorithmToTime>& files) {
    std::vector<std::string> names;
    for (const std::string& list : lists) {
        for (std::size_t start = 0; start <= list.size();) {
            const study::AlgorithmToTime* const file = file_at(list, start, files);
            const std::size_t end = file != nullptr ? start + file->name.size()
                                                    : std::min(list.find(',', start), list.size());
            names.push_back(list.substr(start, end - start));
            start = end + 1;
        }
    }
    return names;
}

std::vector<study::AlgorithmToTime> algorithms_of(const CollectiveOptions& options,
                                                  CollectiveKind kind,
                                                  const engine::SystemConfig& system) {
    const std::vector<study::AlgorithmToTime> files = study::algorithms_of_files(system, kind);
    std::vector<study::AlgorithmToTime> algorithms;
    for (const std::string& name : names_in(options.algorithms, files)) {
        if (name == "auto") {
            algorithms.push_back(study::AlgorithmToTime::by_cost());
            continue;
        }
        const auto file =
            std::find_if(files.begin(), files.end(),
                         [&](const study::AlgorithmToTime& one) { return one.name == name; });
        if (file != files.end()) {
            algorithms.push_back(*file);
            continue;
        }
        const std::optional<Implementation> known = Implementation::named(name);
        if (!known || !known->does(kind)) {
            std::string expected = fmt::format("auto, or one that does {}: {}", options.type,
                                               Implementation::names_for(kind));
            for (const study::AlgorithmToTime& one : files) {
                expected += ", " + one.name;
            }
            throw InputError({"--algorithm", "", fmt::format("'{}'", name), expected, ""});
        }
        algorithms.push_back(study::AlgorithmToTime::of(*known));
    }
    return algorithms;
}

void write_files(const CollectiveOptions& options, const report::CollectiveTimes& times) {
    if (!options.csv.empty()) {
        AtomicFile file(options.csv);
        file.stream() << report::collective_times_csv(times);
        file.commit();
    }
    if (!options.figure.empty()) {
        write_figure_file(options.figure, report::collective_times_figure(times));
    }
}

/// --timeline: of one algorithm.
void write_timeline(const CollectiveOptions& options, const study::Machine& machine,
                    const study::CollectiveTimesRequest& request, study::Fidelity fidelity) {
    if (request.algorithms.size() != 1) {
        throw InputError(
            {"--timeline", "",
             fmt::format("{} algorithms", request.algorithms.empty()
                                              ? "all"
                                              : std::to_string(request.algorithms.size())),
             "one, whose messages are drawn", "--algorithm ring"});
    }
    write_figure_file(options.timeline, report::draw_figure(report::collective_steps_sheet(
                                            study::collective_steps(machine, request, fidelity))));
}

void run(const CommandContext& context, const CollectiveOptions& options) {
    for (const auto& [option, file] :
         {std::pair("--figure", options.figure), std::pair("--timeline", options.timeline)}) {
        if (!file.empty()) {
            check_figure_file(option, file);
        }
    }
    const study::Fidelity fidelity = study::fidelity_named(options.fidelity);
    study::CollectiveTimesRequest request;
    request.kind = kind_named(options.type);
    request.sizes = sizes_of(options);
    const auto [network, system] =
        files_of_machine(options.machine, options.network_file, options.system_file);
    const study::Machine machine = study::load_machine(network, system, "npunet");
    for (const std::string& text : machine.warnings) {
        log_warning(context.log, text);
    }
    request.algorithms = algorithms_of(options, request.kind, machine.system);
    request.group = group_of(options, machine.network.npu_of_rank.size());
    if (!options.timeline.empty()) {
        write_timeline(options, machine, request, fidelity);
    }
    std::string latest;
    const report::CollectiveTimes times = study::collective_times(
        machine, request, fidelity, {}, [&](const std::string& algorithm, Bytes) {
            if (!options.quiet && algorithm != latest) {
                log_line(context.log, fmt::format("timing {}", algorithm));
            }
            latest = algorithm;
        });
    write_files(options, times);
    context.out << (options.json ? report::collective_times_json(times)
                                 : report::collective_times_table(times));
}

}  // namespace

void add_collective_command(CLI::App& program, CommandContext& context) {
    CLI::App* command = program.add_subcommand(
        "collective", "Time and bus bandwidth of one collective by every algorithm");
    auto options = std::make_shared<CollectiveOptions>();
    add_machine_option(*command, options->machine,
                       "--network and --system of a ready machine, NAME:COUNT such as dgx-h100:4");
    command->add_option("--network", options->network_file,
                        "The network (network.yml); this or --machine is required, but for "
                        "subcommands");
    command->add_option(
        "--system", options->system_file,
        "system.json; of its algorithms of this collective only those from files are "
        "timed, at their sizes");
    std::vector<std::string> names;
    for (const CollectiveKind kind : kinds()) {
        names.emplace_back(engine::name_of(kind));
    }
    command->add_option("--type", options->type, "What the members do")
        ->check(one_of(names))
        ->capture_default_str();
    command
        ->add_option("--min-size", options->least,
                     "The smallest size, as nccl-tests count it: the buffer; of all_gather and "
                     "gather the whole result")
        ->type_name("BYTES")
        ->capture_default_str();
    command->add_option("--max-size", options->most, "No size is larger")
        ->type_name("BYTES")
        ->capture_default_str();
    command->add_option("--factor", options->factor, "From one size to the next")
        ->check(whole_number(2, 1 << 20))
        ->capture_default_str();
    command->add_option("--group", options->group,
                        "The members in ring order, the root first (default: all NPUs): 0,2,4");
    command->add_option("--algorithm", options->algorithms,
                        "These alone, as system.json names them: auto,ring,flat-ring,direct4, "
                        "'file NAME' (default: auto and all that do it)");
    command
        ->add_option("--fidelity", options->fidelity,
                     "analytical (quick estimate), fluid (messages share links as streams of "
                     "packets), packet, or congestion-aware (that of ASTRA-sim, which stores whole "
                     "messages at every hop; prefer fluid)")
        ->capture_default_str();
    command->add_option("--csv", options->csv, "Write the rows to this file, too");
    command->add_option("--figure", options->figure,
                        "Draw bus bandwidth against size into this file (.svg or .png)");
    command->add_option("--timeline", options->timeline,
                        "Draw the messages of --max-size by the one --algorithm, their chunks and "
                        "phases over time, into this file (.svg or .png)");
    add_json_flag(*command, options->json);
    command->add_flag("--quiet", options->quiet, "No progress on stderr");
    command->footer(
        "Example:\n"
        "  npunet collective --network configs/networks/nvswitch-8x2.yml --max-size 64MiB \\\n"
        "      --figure out/all_reduce.svg");
    command->require_subcommand(0, 1);
    add_collective_fit_command(*command, context);
    command->callback([command, options, &context] {
        if (!command->get_subcommands().empty()) {
            return;
        }
        if (options->network_file.empty() && options->machine.empty()) {
            throw InputError({"npunet collective", "--network", "nothing",
                              "a network.yml, or --machine",
                              "npunet collective --help explains the options"});
        }
        run(context, *options);
    });
}

}  // namespace npunet::cli
