#include "cli/simulate/astra_options.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/errors.h"

namespace npunet::cli {

namespace {

constexpr const char* group = "ASTRA-sim's own names";

/// "1.0" is 1.
bool same_value(const std::string& value, const std::string& neutral) {
    if (value == neutral) {
        return true;
    }
    char* end_of_value = nullptr;
    char* end_of_neutral = nullptr;
    const double a = std::strtod(value.c_str(), &end_of_value);
    const double b = std::strtod(neutral.c_str(), &end_of_neutral);
    return end_of_value != value.c_str() && *end_of_value == 0 &&
           end_of_neutral != neutral.c_str() && *end_of_neutral == 0 && a == b;
}

}  // namespace

void AstraOptions::add_file(CLI::App& command, const std::string& name, const std::string& ours) {
    File& file = files_[ours];
    file.option = command.add_option(name, file.path, "The same as " + ours)->group(group);
}

void AstraOptions::add_setting(CLI::App& command, const std::string& name,
                               std::vector<std::string> neutral) {
    Setting& setting = settings_[name];
    setting.value = neutral.front();
    setting.neutral = std::move(neutral);
    setting.option = command
                         .add_option(name, setting.value,
                                     "Accepted as " + setting.value + "; nothing else is offered")
                         ->group(group);
}

void AstraOptions::add_to(CLI::App& command) {
    add_file(command, "--workload-configuration", "--workload");
    add_file(command, "--comm-group-configuration", "--comm-group");
    add_file(command, "--system-configuration", "--system");
    add_file(command, "--network-configuration", "--network");
    add_file(command, "--remote-memory-configuration", "--memory");
    add_setting(command, "--logging-configuration", {"empty"});
    add_setting(command, "--logging-folder", {"log"});
    add_setting(command, "--num-queues-per-dim", {"1"});
    add_setting(command, "--compute-scale", {"1"});
    add_setting(command, "--comm-scale", {"1"});
    add_setting(command, "--injection-scale", {"1"});
    add_setting(command, "--rendezvous-protocol", {"false", "0"});
}

bool AstraOptions::given() const {
    const auto stands = [](const auto& entry) { return entry.second.option->count() > 0; };
    return std::any_of(files_.begin(), files_.end(), stands) ||
           std::any_of(settings_.begin(), settings_.end(), stands);
}

void AstraOptions::apply(RunInputs& inputs) const {
    if (!given()) {
        return;
    }
    const std::map<std::string, std::string*> targets{{"--workload", &inputs.workload_prefix},
                                                      {"--comm-group", &inputs.comm_group_file},
                                                      {"--system", &inputs.system_file},
                                                      {"--network", &inputs.network_file},
                                                      {"--memory", &inputs.memory_file}};
    for (const auto& [ours, file] : files_) {
        if (file.option->count() == 0) {
            continue;
        }
        std::string& target = *targets.at(ours);
        if (!target.empty()) {
            throw InputError({file.option->get_name(), "", "beside " + ours, "one of the two",
                              "They mean the same; leave one out"});
        }
        target = file.path;
    }
    for (const auto& [name, setting] : settings_) {
        const bool neutral = std::any_of(
            setting.neutral.begin(), setting.neutral.end(),
            [&value = setting.value](const auto& text) { return same_value(value, text); });
        if (!neutral) {
            throw InputError({name, "", "'" + setting.value + "'", setting.neutral.front(),
                              "Nothing else is offered; leave it out"});
        }
    }
    if (!inputs.dialect_given()) {
        inputs.dialect = "astra-sim-2025-03";
    }
    inputs.log_lines_only = true;
}

}  // namespace npunet::cli
