#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/console/cleanup_on_signal.h"
#include "cli/program.h"

#ifdef NPUNET_RUNS_IN_NS3
#include "cli/simulate/ns3_simulator.h"
#include "ns3-module/model/npu-program-run.h"
#endif

namespace {

/// Reserves the descriptors of closed standard streams: a file opened later would otherwise get one
/// of them and receive the program's messages.
void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0) {
            static_cast<void>(::open("/dev/null", O_RDWR));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    // Exceeding the file size limit (ulimit -f) then fails the write with an error instead of
    // ending the process.
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    const npunet::cli::CleanupOnSignal ending;
#ifdef NPUNET_RUNS_IN_NS3
    npunet::cli::set_ns3_simulator(ns3::RunNpuProgram);
#endif
    return npunet::cli::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
