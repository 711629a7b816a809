#include "study/sweep/message_port.h"

#include <cstdlib>

#include "base/errors.h"
#include "base/program_module.h"

namespace npunet::study {

bool under_mpirun() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"}) {
        if (std::getenv(name) != nullptr) {
            return true;
        }
    }
    return false;
}

#ifdef NPUNET_WITH_MPI

std::unique_ptr<MessagePort> open_mpi_port() {
    // MPI loads libraries of its own, which look for its symbols.
    const auto open = reinterpret_cast<MessagePort* (*)()>(
        function_of_module("npunet_mpi", "npunet_open_mpi_port", ModuleScope::Global));
    std::unique_ptr<MessagePort> port(open());
    if (port == nullptr) {
        throw MachineError("MPI cannot be started for a process with threads");
    }
    return port;
}

#else

std::unique_ptr<MessagePort> open_mpi_port() {
    throw InputError({"mpirun", "", "a build without MPI", "one with MPI",
                      "Install libopenmpi-dev and build again, or run one process with --jobs"});
}

#endif

}  // namespace npunet::study
