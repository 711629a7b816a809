// --machine NAME:COUNT: the network and the system of a ready machine (topology/yaml/machine.h).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace npunet::cli {

void add_machine_option(CLI::App& command, std::string& machine, const char* help);

/// What load_machine() and read_network() take for files.
struct MachineFiles {
    std::string network;
    std::string system;
};

/// The files that were given; `machine`, which may be empty, stands for those that were not. Throws
/// InputError for a machine that there is not, and for one beside both files.
[[nodiscard]] MachineFiles files_of_machine(const std::string& machine, const std::string& network,
                                            const std::string& system);

}  // namespace npunet::cli
