#include "cli/plan/plan_search_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/figure_file.h"
#include "cli/command/help_text.h"
#include "cli/command/machine_option.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"

namespace npunet::cli {

namespace {

constexpr const char* search_group = "Search";
constexpr const char* output_group = "Output";
constexpr const char* metis_group = "Metis's own names";

constexpr std::int64_t most = 1'000'000'000;
constexpr std::int64_t least_layers = 3;
constexpr std::int64_t default_top = 3;
constexpr std::int64_t metis_top = 10;

std::int64_t layers_from(const std::string& item) {
    std::int64_t layers = 0;
    const char* last = item.data() + item.size();
    const auto [end, error] = std::from_chars(item.data(), last, layers);
    if (error != std::errc{} || end != last || layers < least_layers || layers > most_layers) {
        throw InputError({"--layers-list", "", fmt::format("'{}'", item),
                          fmt::format("whole numbers from {} to {}, separated by commas",
                                      least_layers, most_layers),
                          "For example 10,12,24"});
    }
    return layers;
}

void need(bool given, const char* option, const char* what, const char* remedy) {
    if (!given) {
        throw InputError({option, "", "no value", what, remedy});
    }
}

void refuse_path(const char* option, const std::string& name) {
    if (name.find('/') != std::string::npos) {
        throw InputError(
            {option, "", fmt::format("'{}'", name), "a part of a file's name, without '/'", ""});
    }
}

}  // namespace

void PlanSearchOptions::add_to(CLI::App& command) {
    command_ = &command;
    add_files(command);
    add_model(command);
    add_search(command);
    add_output(command);
    add_metis_names(command);
}

void PlanSearchOptions::add_files(CLI::App& command) {
    command
        .add_option("--hostfile", hostfile, "Nodes of the cluster and how many devices each has")
        ->type_name("FILE");
    command
        .add_option("--clusterfile", cluster_file,
                    "Device type, bandwidths and memory at each address of the hostfile")
        ->type_name("FILE");
    command.add_option("--profiles", profiles, "Folder of profiles (npunet plan profiles)")
        ->type_name("DIR");
    add_machine_option(command, machine,
                       "--network of a ready machine, NAME:COUNT such as dgx-h100:4");
    command
        .add_option("--network", network_file,
                    "network.yml of the devices, in the hostfile's order; its routes tell the "
                    "bandwidths (default: those of the cluster file)")
        ->type_name("FILE");
}

void PlanSearchOptions::add_model(CLI::App& command) {
    const auto size = [&command](const char* name, auto& value, const char* help) {
        return command.add_option(name, value, help)
            ->check(whole_number(1, most))
            ->type_name("N")
            ->group(model_group);
    };
    command
        .add_option("--total-layers,--num-layers", layers,
                    "Decoder layers + 2: embedding and output layer count (default: the profiles')")
        ->check(whole_number(2, most_layers))
        ->type_name("N")
        ->group(model_group);
    command.add_option("--batch,--gbs", gbs, "Sequences of a step")
        ->check(whole_number(1, 1'000'000))
        ->type_name("N")
        ->group(model_group);
    size("--hidden,--hidden-size", hidden, "Width of the residual stream")->capture_default_str();
    size("--seq,--sequence-length", sequence, "Tokens of a sequence")->capture_default_str();
    size("--activation-bytes", activation_bytes, "Bytes of a number between two layers")
        ->capture_default_str();
    size("--vocab,--vocab-size", vocabulary, "Tokens in the vocabulary")->capture_default_str();
    size("--max-tp,--max-profiled-tp-degree", max_tp,
         "The largest degree of tensor parallelism (default: the largest in the profiles)");
    size("--max-micro-batch,--max-profiled-batch-size", max_batch,
         "The largest micro-batch (default: the largest in the profiles)");
}

void PlanSearchOptions::add_search(CLI::App& command) {
    command
        .add_option("--dialect", dialect,
                    "npunet: the best of all plans; metis: Metis's search, with what it gets wrong")
        ->check(one_of({"npunet", "metis"}))
        ->group(search_group)
        ->capture_default_str();
    command
        .add_option("--schedule", schedule, "Schedules to choose from: 1f1b, interleaved, or all")
        ->check(one_of({"all", "1f1b", "interleaved"}))
        ->group(search_group)
        ->capture_default_str();
    command
        .add_flag("--skip-missing-profiles", skip_missing_profiles,
                  "Leave out plans that need a profile which is missing among the others")
        ->group(search_group);
    command
        .add_option("--memory-factor", memory_factor,
                    "Factor by which a device needs more memory than the profiles say")
        ->check(CLI::Range(1e-6, 1e6))
        ->type_name("X")
        ->group(search_group)
        ->capture_default_str();
    command
        .add_option("--strategy", strategy,
                    "Metis: which stage gets more tensor parallelism next, by Metis or by headroom "
                    "of memory")
        ->check(one_of({"metis", "headroom"}))
        ->group(search_group)
        ->capture_default_str();
    command
        .add_option("--min-group-scale-variance", min_group_scale_variance,
                    "Metis: the smallest group of devices is this many times the even share")
        ->check(whole_number(0, most))
        ->type_name("N")
        ->group(search_group)
        ->capture_default_str();
    command
        .add_option("--max-permute-len", max_permute_len,
                    "Metis: at most this many groups of devices are permuted; others stay together")
        ->check(whole_number(1, most))
        ->type_name("N")
        ->group(search_group)
        ->capture_default_str();
    command
        .add_option("--device-order", given_order_,
                    "Metis: all types, separated by commas, as the first node sequence has them "
                    "(default: as in the hostfile)")
        ->type_name("LIST")
        ->group(search_group);
    command
        .add_option(
            "--first-profile", first_profile,
            "Metis: the profile that optimizer time and parameters are taken from (default: "
            "the first by name)")
        ->type_name("FILE")
        ->group(search_group);
    command
        .add_option("--homogeneous", homogeneous,
                    "Search as if all devices were of this type, with one dp, tp and pp throughout")
        ->type_name("TYPE")
        ->group(search_group);
    command.add_option("--jobs", jobs, "Threads; the result is the same (default: one a core)")
        ->check(whole_number(1, 4096))
        ->type_name("N")
        ->group(search_group);
}

void PlanSearchOptions::add_output(CLI::App& command) {
    command
        .add_option("--top", top,
                    "How many of the best plans (default: 3, of which each costs the search time; "
                    "metis: 10)")
        ->check(whole_number(1, most))
        ->type_name("K")
        ->group(output_group);
    command
        .add_option("--verify", verify,
                    "Simulate the best K plans, and print the result beside the prediction")
        ->check(whole_number(1, 1000))
        ->type_name("K")
        ->group(output_group);
    command
        .add_option("--verify-fidelity", verify_fidelity,
                    "At which fidelity: analytical, fluid, packet or congestion-aware")
        ->type_name("NAME")
        ->group(output_group)
        ->capture_default_str();
    command
        .add_option("--traces", traces,
                    "Write the Chakra traces of the simulated plans to folders plan1, plan2, ... "
                    "of this one")
        ->check(output_folder())
        ->type_name("DIR")
        ->group(output_group);
    command.add_option("--figure", figure, "Draw the stages of the best plan (.svg or .png)")
        ->type_name("FILE")
        ->group(output_group);
    command.add_option("--csv", csv_file, "Write the plans here, too")
        ->type_name("FILE")
        ->group(output_group);
    command.add_option("--trials", trials, "Search N times, for the average time")
        ->check(whole_number(1, 1'000'000))
        ->type_name("N")
        ->group(output_group)
        ->capture_default_str();
    command
        .add_option("--log-path", log_folder,
                    "Write MODEL-NAME_MODEL-SIZE.log here: average time, steps, all plans")
        ->check(output_folder())
        ->type_name("DIR")
        ->group(output_group);
    command.add_option("--model-name", model_name, "For the name of the log")->group(output_group);
    command.add_option("--model-size", model_size, "For the name of the log")->group(output_group);
    command
        .add_option(
            "--search-times", search_times,
            "Draw the time of a search against the number of layers, for both strategies (.svg or "
            ".png)")
        ->type_name("FILE")
        ->group(output_group);
    command
        .add_option("--layers-list", given_layers_,
                    "Numbers of layers for that, which the profiles are stretched to")
        ->type_name("LIST")
        ->group(output_group);
    add_json_flag(command, json)->group(output_group);
    command.add_flag("--quiet", quiet, "No progress")->group(output_group);
}

void PlanSearchOptions::add_metis_names(CLI::App& command) {
    for (OtherName* other : {&other_hostfile_, &other_cluster_file_, &other_profiles_}) {
        command.add_option(other->name, other->value, "The same as " + other->ours)
            ->group(metis_group);
    }
    command.add_flag("--use-strat", use_strat_, "The same as --strategy headroom")
        ->group(metis_group);
    command.add_option("--home-dir", ignored_, "Accepted; has no effect")->group(metis_group);
    command.add_option("--attention-head-size", ignored_, "Accepted; has no effect")
        ->group(metis_group);
}

void PlanSearchOptions::add_short_help_to(CLI::App& command) {
    add_short_help(
        command,
        {{"Cluster",
          {{"--hostfile", "FILE", ""},
           {"--clusterfile", "FILE", "Their devices' type, bandwidths and memory"},
           {"--profiles", "DIR", ""},
           {"--network", "FILE", "network.yml instead of the cluster file's bandwidths"},
           {"--machine", "NAME:COUNT", "The network of a ready machine, such as dgx-h100:4"}}},
         {"Model",
          {{"--batch", "N", ""},
           {"--hidden,--seq,--vocab", "N", "Width, tokens of a sequence, size of the vocabulary"},
           {"--max-tp,--max-micro-batch", "N", "At most these (default: the profiles')"}}},
         {"Search",
          {{"--schedule", "NAME", ""}, {"--memory-factor", "X", ""}, {"--jobs", "N", ""}}},
         {"Output",
          {{"--top", "K", "How many of the best plans (default: 3)"},
           {"--verify", "K", ""},
           {"--figure", "FILE", ""},
           {"--json", "", ""}}}});
}

bool PlanSearchOptions::any_given() const {
    const std::vector<const CLI::Option*> options = command_->get_options();
    return std::any_of(options.begin(), options.end(),
                       [](const CLI::Option* option) { return option->count() > 0; });
}

void PlanSearchOptions::take_metis_names() {
    bool used = use_strat_;
    for (const auto& [other, value] :
         {std::pair{&other_hostfile_, &hostfile}, std::pair{&other_cluster_file_, &cluster_file},
          std::pair{&other_profiles_, &profiles}}) {
        if (command_->count(other->name) == 0) {
            continue;
        }
        if (command_->count(other->ours) > 0) {
            throw InputError({other->name, "", "beside " + other->ours, "one of the two", ""});
        }
        *value = other->value;
        used = true;
    }
    if (use_strat_) {
        if (command_->count("--strategy") > 0 && strategy != "headroom") {
            throw InputError({"--use-strat", "", "beside --strategy " + strategy, "one of the two",
                              "It means --strategy headroom"});
        }
        strategy = "headroom";
    }
    if (used && command_->count("--dialect") == 0) {
        dialect = "metis";
    }
}

/// What belongs to one dialect alone selects it, or is refused beside the other.
void PlanSearchOptions::choose_dialect() {
    const auto first_given = [this](const std::vector<const char*>& names) -> const char* {
        const auto given = std::find_if(names.begin(), names.end(), [this](const char* name) {
            return command_->count(name) > 0;
        });
        return given == names.end() ? nullptr : *given;
    };
    const char* metis = first_given({"--strategy", "--use-strat", "--min-group-scale-variance",
                                     "--max-permute-len", "--device-order", "--first-profile",
                                     "--homogeneous", "--trials", "--log-path", "--search-times"});
    const char* ours = first_given({"--machine", "--network", "--activation-bytes", "--schedule",
                                    "--memory-factor", "--skip-missing-profiles", "--verify",
                                    "--verify-fidelity", "--traces", "--figure"});
    if (command_->count("--dialect") == 0 && metis != nullptr) {
        dialect = "metis";
    }
    const char* other = dialect == "metis" ? ours : metis;
    if (other != nullptr) {
        throw InputError({other, "",
                          metis != nullptr && ours != nullptr && command_->count("--dialect") == 0
                              ? fmt::format("beside {}", metis)
                              : fmt::format("with --dialect {}", dialect),
                          fmt::format("--dialect {}", dialect == "metis" ? "npunet" : "metis"),
                          ""});
    }
}

void PlanSearchOptions::check_machine() const {
    if (!machine.empty() && !network_file.empty()) {
        throw InputError({"--machine", "", fmt::format("{} beside --network", machine),
                          "one of the two: plans take only the network of a machine",
                          "Leave --machine out"});
    }
}

void PlanSearchOptions::check_output() const {
    if (!figure.empty()) {
        check_figure_file("--figure", figure);
    }
    for (const char* name : {"--traces", "--verify-fidelity"}) {
        if (command_->count(name) > 0 && verify == 0) {
            throw InputError({name, "", "no --verify", "both", "For example --verify 3"});
        }
    }
    if (!log_folder.empty()) {
        need(!model_name.empty(), "--model-name", "a name for the log", "Give it with --log-path");
        need(!model_size.empty(), "--model-size", "a name for the log", "Give it with --log-path");
        refuse_path("--model-name", model_name);
        refuse_path("--model-size", model_size);
    }
    if (!homogeneous.empty() && !log_folder.empty()) {
        throw InputError({"--log-path", "", "beside --homogeneous", "a search of the cluster", ""});
    }
    if (search_times.empty() != layers_list.empty()) {
        throw InputError(
            {search_times.empty() ? "--layers-list" : "--search-times", "",
             "no " + std::string(search_times.empty() ? "--search-times" : "--layers-list"), "both",
             "For example --search-times times.svg --layers-list 10,12,24"});
    }
}

void PlanSearchOptions::finish() {
    take_metis_names();
    choose_dialect();
    check_machine();
    if (top == 0) {
        top = dialect == "metis" ? metis_top : default_top;
    }
    need(!hostfile.empty(), "--hostfile", "the nodes of the cluster",
         "npunet plan hostfile makes one");
    need(!cluster_file.empty(), "--clusterfile",
         "the device types at the addresses of the hostfile", "npunet plan hostfile makes one");
    need(!profiles.empty(), "--profiles", "a folder of profiles", "npunet plan profiles makes one");
    need(gbs.has_value(), "--batch", "the samples of a step", "");
    if (!given_order_.empty()) {
        device_order = list_items(given_order_);
    }
    for (const std::string& item :
         given_layers_.empty() ? given_layers_ : list_items(given_layers_)) {
        layers_list.push_back(layers_from(item));
    }
    std::sort(layers_list.begin(), layers_list.end());
    layers_list.erase(std::unique(layers_list.begin(), layers_list.end()), layers_list.end());
    check_output();
}

}  // namespace npunet::cli
