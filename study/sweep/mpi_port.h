// Messages by MPI. Only mpi_module.cc knows MPI; it is loaded when the port is opened, so that MPI
// costs those nothing who do not use it.
#pragma once

#include <memory>

#include "study/sweep/message_port.h"

namespace npunet::study {

/// Whether this process was started by mpirun or a batch system's counterpart (by the environment:
/// OMPI_COMM_WORLD_SIZE, PMIX_RANK or PMI_SIZE).
[[nodiscard]] bool under_mpirun();

/// Starts MPI; the port's end ends it, and it can be opened once in a process. Throws InputError
/// where this build has no MPI.
[[nodiscard]] std::unique_ptr<MessagePort> open_mpi_port();

}  // namespace npunet::study
