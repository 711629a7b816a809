#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "generators/megatron/groups/parallel_groups_check.h"
#include "generators/transformer/plan_names.h"
#include "profiles/parallel_groups_reader.h"
#include "report/text_table.h"

namespace npunet::cli {

namespace {

namespace megatron = generators::megatron;
using megatron::GroupsDialect;
using megatron::GroupsDifference;
using megatron::Parallelism;
using megatron::ProcessGroups;
using megatron::PythonDatetime;
using megatron::RankLists;
using profiles::GroupsFilePlace;
using profiles::ParallelGroupsFile;
using Json = nlohmann::ordered_json;
using MaybeNumber = std::optional<std::int64_t>;

/// So many groups of a kind are listed for people; --json has all.
constexpr std::size_t most_listed_groups = 64;

struct GroupsOptions {
    MaybeNumber tp;
    MaybeNumber pp;
    MaybeNumber cp;
    MaybeNumber ep;
    MaybeNumber etp;
    MaybeNumber dp;
    MaybeNumber world;
    std::string rank_order = "tp-cp-ep-dp-pp";
    MaybeNumber global_batch_size;
    std::string timestamp = "2000-01-01 00:00:00";
    std::string dialect = "npunet";
    std::string folder;
    std::string check;
    bool json = false;
};

/// What is given counts, then what the file says; without a file 1.
std::int64_t size_of(const MaybeNumber& given, const MaybeNumber& read, const char* option,
                     const char* line, const std::string& file) {
    if (!given && !read && !file.empty()) {
        throw InputError({file, "", fmt::format("no line '{}: N'", line),
                          "the sizes of the plan that the groups are compared with",
                          fmt::format("Give {}", option)});
    }
    return given ? *given : read.value_or(1);
}

/// dp by the size of the world, which the other three must divide.
std::int64_t dp_of(const Parallelism& p, std::int64_t world, const std::string& source) {
    if (p.tp > world || p.tp * p.cp > world || p.tp * p.cp * p.pp > world ||
        world % (p.tp * p.cp * p.pp) != 0) {
        throw InputError({source, "", fmt::format("{} ranks", world),
                          fmt::format("a multiple of tp {} x cp {} x pp {}", p.tp, p.cp, p.pp),
                          "Change --tp, --cp, --pp or --npus"});
    }
    return world / (p.tp * p.cp * p.pp);
}

Parallelism parallelism_of(const GroupsOptions& options, const ParallelGroupsFile& file) {
    Parallelism p;
    p.tp = size_of(options.tp, file.tp, "--tp", "TP Size", options.check);
    p.pp = size_of(options.pp, file.pp, "--pp", "PP Size", options.check);
    p.cp = size_of(options.cp, file.cp, "--cp", "CP Size", options.check);
    p.ep = size_of(options.ep, file.ep, "--ep", "EP Size", options.check);
    p.etp = options.etp.value_or(0);
    p.rank_order = generators::rank_order_named(options.rank_order, "--rank-order");
    if (options.world) {
        p.dp = dp_of(p, *options.world, "--npus");
        if (options.dp && *options.dp != p.dp) {
            throw InputError({"--npus", "",
                              fmt::format("{} ranks with --dp {}", *options.world, *options.dp),
                              fmt::format("--dp {}, the world over tp {} x cp {} x pp {}", p.dp,
                                          p.tp, p.cp, p.pp),
                              "Give one of the two: the other follows"});
        }
    } else if (options.dp) {
        p.dp = *options.dp;
    } else if (file.world) {
        p.dp = dp_of(p, *file.world, options.check);
    } else {
        p.dp = size_of({}, file.dp, "--npus", "World Size", options.check);
    }
    return p;
}

GroupsDialect dialect_of(const std::string& name) {
    return name == "traceviz" ? GroupsDialect::TraceViz : GroupsDialect::Npunet;
}

std::string headline(const Parallelism& p, const GroupsOptions& options) {
    return fmt::format("tp {}, cp {}, dp {}, pp {}, ep {}, etp {}: {} ranks in the order {}\n",
                       p.tp, p.cp, p.dp, p.pp, p.ep, p.expert_tensor(), p.world(),
                       options.rank_order);
}

Json as_json(const std::optional<RankLists>& lists) {
    Json json = Json::array();
    for (const std::vector<Rank>& list : lists.value_or(RankLists{})) {
        Json ranks = Json::array();
        for (const Rank rank : list) {
            ranks.push_back(rank.value());
        }
        json.push_back(std::move(ranks));
    }
    return json;
}

Json plan_as_json(const Parallelism& p, const GroupsOptions& options) {
    return {{"tp", p.tp},
            {"cp", p.cp},
            {"dp", p.dp},
            {"pp", p.pp},
            {"ep", p.ep},
            {"etp", p.expert_tensor()},
            {"world_size", p.world()},
            {"rank_order", options.rank_order},
            {"dialect", options.dialect}};
}

/// The lists by the name of what their ranks share.
std::vector<std::pair<const char*, const std::optional<RankLists>*>> sections(
    const ParallelGroupsFile& file) {
    return {{"tp", &file.tensor},
            {"pp", &file.pipeline},
            {"dp", &file.data},
            {"ep", &file.expert},
            {"full model", &file.replicas}};
}

void print_table(const ParallelGroupsFile& file, std::ostream& out) {
    report::TextTable table({"group", "ranks"}, 2);
    for (const auto& [name, lists] : sections(file)) {
        const RankLists all = lists->value_or(RankLists{});
        const std::size_t first = lists == &file.replicas ? 0 : 1;
        for (std::size_t i = 0; i < std::min(all.size(), most_listed_groups); ++i) {
            std::string ranks = profiles::text_of(all[i]);
            table.add({fmt::format("{} {}", name, i + first), ranks.substr(1, ranks.size() - 2)});
        }
        if (all.size() > most_listed_groups) {
            table.add({fmt::format("{} ...", name),
                       fmt::format("and {} more groups", all.size() - most_listed_groups)});
        }
    }
    out << '\n' << table.text() << fmt::format("\nfull model: {}\n", file.full_model);
}

/// Writes where a folder is given; prints the table where not.
void make(const GroupsOptions& options, CommandContext& context) {
    const Parallelism p = parallelism_of(options, {});
    const PythonDatetime time = megatron::python_datetime(options.timestamp, "--timestamp");
    const ProcessGroups groups(p);
    ParallelGroupsFile file = megatron::parallel_groups(groups, dialect_of(options.dialect));
    file.timestamp = time.text();
    file.global_batch_size = options.global_batch_size.value_or(p.dp);
    std::optional<std::string> path;
    if (!options.folder.empty()) {
        path =
            (std::filesystem::path(options.folder) / megatron::parallel_groups_name(time)).string();
        AtomicFile written(*path);
        written.stream() << profiles::text_of(file);
        written.commit();
    }
    if (options.json) {
        Json document = plan_as_json(p, options);
        document["global_batch_size"] = *file.global_batch_size;
        document["full_model"] = file.full_model;
        document["groups"] = {{"tp", as_json(file.tensor)},
                              {"pp", as_json(file.pipeline)},
                              {"dp", as_json(file.data)},
                              {"ep", as_json(file.expert)},
                              {"full_model", as_json(file.replicas)}};
        document["file"] = path ? Json(*path) : Json();
        print_document(document, context.out);
        return;
    }
    context.out << headline(p, options);
    if (path) {
        context.out << fmt::format("wrote {}\n", *path);
    } else {
        print_table(file, context.out);
    }
}

Json as_json(const std::vector<GroupsDifference>& differences) {
    Json json = Json::array();
    for (const GroupsDifference& one : differences) {
        json.push_back({{"what", one.what}, {"found", one.found}, {"expected", one.expected}});
    }
    return json;
}

void print(const std::vector<GroupsDifference>& differences, const char* than, std::ostream& out) {
    for (const GroupsDifference& one : differences) {
        out << fmt::format("{}: {}\n    {}: {}\n", one.what, one.found, than, one.expected);
    }
}

/// Compares with the plan; throws InputError after printing where anything differs.
void check(const GroupsOptions& options, CommandContext& context) {
    const GroupsFilePlace place = profiles::find_parallel_groups(options.check);
    if (place.candidates > 1) {
        log_warning(context.log, fmt::format("{} files of parallel groups; the last is {}",
                                             place.candidates, place.path.string()));
    }
    const ParallelGroupsFile file = profiles::read_parallel_groups(place.path);
    Parallelism p = parallelism_of(options, file);
    if (!options.etp) {
        p.etp = megatron::expert_tensor_of(file, p, dialect_of(options.dialect));
    }
    const ProcessGroups groups(p);
    ParallelGroupsFile plan = megatron::parallel_groups(groups, dialect_of(options.dialect));
    plan.global_batch_size = options.global_batch_size;
    const std::vector<GroupsDifference> differences = megatron::compare(file, plan);
    const std::vector<GroupsDifference> itself = megatron::contradictions(file);
    const bool agrees = differences.empty() && itself.empty();
    if (options.json) {
        Json document = plan_as_json(p, options);
        document["file"] = place.path.string();
        document["agrees"] = agrees;
        document["differences"] = as_json(differences);
        document["contradictions"] = as_json(itself);
        print_document(document, context.out);
    } else {
        context.out << headline(p, options);
        print(differences, "the plan", context.out);
        print(itself, "by the file itself", context.out);
        context.out << (agrees ? fmt::format("{} agrees\n", place.path.string()) : "");
    }
    if (!agrees) {
        throw InputError(
            {place.path.string(), "",
             fmt::format("{} and {}",
                         counted(static_cast<std::int64_t>(differences.size()), "difference",
                                 "differences"),
                         counted(static_cast<std::int64_t>(itself.size()), "contradiction",
                                 "contradictions")),
             "the groups of the plan",
             "Standard output lists them. Where the plan is another one, give its sizes and "
             "--rank-order; where the file is TraceViz's own, --dialect traceviz"});
    }
}

void add_size(CLI::App& command, const char* name, MaybeNumber& value, const char* text) {
    command.add_option(name, value, text)
        ->check(whole_number(1, generators::most_ranks))
        ->type_name("N");
}

void add_sizes(CLI::App& command, GroupsOptions& options) {
    add_size(command, "--tp", options.tp, "Parts of every matrix [1]");
    add_size(command, "--pp", options.pp, "Pipeline stages [1]");
    add_size(command, "--cp", options.cp, "Parts of every sequence [1]");
    add_size(command, "--ep", options.ep, "Parts of the set of experts; adds no ranks [1]");
    add_size(command, "--etp", options.etp, "Parts of every matrix of an expert [--tp]");
    add_size(command, "--dp", options.dp, "Replicas of the dense model [1]");
    add_size(command, "--npus,--world-size", options.world,
             "Ranks, tp x cp x dp x pp: instead of --dp, which follows");
    command
        .add_option("--rank-order", options.rank_order, "What numbers the ranks, the fastest first")
        ->capture_default_str();
}

}  // namespace

void add_megatron_groups_command(CLI::App& megatron, CommandContext& context) {
    const auto options = std::make_shared<GroupsOptions>();
    CLI::App* command = megatron.add_subcommand(
        "groups", "Print, write or check the parallel groups and full models of a job");
    add_sizes(*command, *options);
    command
        ->add_option("--batch,--global-batch-size", options->global_batch_size,
                     "Sequences of a step, as the file says [--dp]")
        ->check(whole_number(1, generators::most_sequences))
        ->type_name("N");
    CLI::Option* timestamp =
        command
            ->add_option("--timestamp", options->timestamp,
                         "Time in the file and its name: 'YYYY-mm-dd HH:MM:SS[.ffffff]' or "
                         "YYYYmmdd_HHMMSS")
            ->capture_default_str();
    command
        ->add_option("--dialect", options->dialect,
                     "Full models: right for every plan, or as TraceViz's patch finds them")
        ->check(one_of({"npunet", "traceviz"}))
        ->capture_default_str();
    CLI::Option* folder =
        command
            ->add_option("--output-dir", options->folder,
                         "Folder for unique_parallel_groups_<time>.txt, instead of the table")
            ->check(output_folder())
            ->type_name("DIR");
    command
        ->add_option("--check", options->check,
                     "Compare this file, or the one in or above this folder, with the plan; sizes "
                     "that are not given are the file's, etp by its groups")
        ->type_name("FILE")
        ->excludes(folder)
        ->excludes(timestamp);
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet megatron groups --tp 2 --pp 4 --dp 2\n"
        "  npunet megatron groups --tp 2 --pp 4 --npus 16 --output-dir groups\n"
        "  npunet megatron groups --check groups");
    command->callback([options, &context] {
        if (options->check.empty()) {
            make(*options, context);
        } else {
            check(*options, context);
        }
    });
}

}  // namespace npunet::cli
