#include "cli/simulate/ns3_simulator.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace npunet::cli {

namespace {

study::PacketSimulator& simulator_here() {
    static study::PacketSimulator simulator;
    return simulator;
}

/// With argv[0], as this process was given them.
std::vector<std::string> own_arguments() {
    std::ifstream stream("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string argument; std::getline(stream, argument, '\0');) {
        arguments.push_back(argument);
    }
    return arguments;
}

[[noreturn]] void become_program_with_ns3() {
    if (!NPUNET_WITH_NS3) {
        throw InputError({"--simulator", "", "ns3 in a build without ns-3", "own",
                          "Install ns-3 (on Debian: apt-get install libns3-dev) and build again"});
    }
    // Beside this program, wherever that is: in the build and in an installation.
    const std::string program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "npunet-with-ns3")
            .string();
    // ns-3 reads them when it is loaded. They are meant for scripts: NS_LOG can end a program,
    // NS_GLOBAL_VALUE exchange its simulator.
    for (const char* name :
         {"NS_LOG", "NS_GLOBAL_VALUE", "NS_ATTRIBUTE_DEFAULT", "NS_COMMANDLINE_INTROSPECTION"}) {
        ::unsetenv(name);
    }
    std::vector<std::string> arguments = own_arguments();
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    ::execv(program.c_str(), pointers.data());
    throw MachineError(program + ": cannot be run: " + std::strerror(errno) +
                       ". Install it: cmake --install BUILD --component ns3");
}

}  // namespace

void set_ns3_simulator(study::PacketSimulator simulator) {
    simulator_here() = std::move(simulator);
}

const study::PacketSimulator& ns3_simulator() {
    if (!simulator_here()) {
        become_program_with_ns3();
    }
    return simulator_here();
}

}  // namespace npunet::cli
