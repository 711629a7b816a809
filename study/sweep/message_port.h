// Texts between the processes of one parallel run; process 0 leads.
//
//     std::unique_ptr<MessagePort> port = open_mpi_port();
//     port->send(0, "hello");
//     while (const auto message = port->receive()) ...
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace npunet::study {

class MessagePort {
public:
    struct Message {
        int from = 0;
        std::string text;
    };

    virtual ~MessagePort() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// Texts from one process to another arrive in the order in which they were sent.
    virtual void send(int to, const std::string& text) = 0;
    /// The next text that is here; nothing when none is.
    [[nodiscard]] virtual std::optional<Message> receive() = 0;
};

/// Whether this process was started by mpirun or a batch system's counterpart (by the environment:
/// OMPI_COMM_WORLD_SIZE, PMIX_RANK or PMI_SIZE).
[[nodiscard]] bool under_mpirun();

/// Messages by MPI. Only mpi_module.cc knows MPI; it is loaded when the port is opened, so that
/// other runs do without it. Starts MPI; the port's end ends it, and it can be opened once in a
/// process. Throws InputError where this build has no MPI.
[[nodiscard]] std::unique_ptr<MessagePort> open_mpi_port();

}  // namespace npunet::study
