#include "cli/command/machine_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.h"
#include "topology/yaml/machine.h"

namespace npunet::cli {

void add_machine_option(CLI::App& command, std::string& machine, const char* help) {
    command
        .add_option("--machine", machine,
                    fmt::format("{}; {}", help, fmt::join(topology::known_machines(), ", ")))
        ->type_name("NAME:COUNT");
}

MachineFiles files_of_machine(const std::string& machine, const std::string& network,
                              const std::string& system) {
    if (machine.empty()) {
        return {network, system};
    }
    if (!network.empty() && !system.empty()) {
        throw InputError({"--machine", "", fmt::format("{} beside --network and --system", machine),
                          "at most one of these beside it, in place of the machine's",
                          "Leave --machine out"});
    }
    static_cast<void>(topology::read_machine(machine, "--machine"));
    return {network.empty() ? machine : network, system.empty() ? machine : system};
}

}  // namespace npunet::cli
