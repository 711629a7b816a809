// Texts between the processes of one parallel run; process 0 leads.
//
//     std::unique_ptr<MessagePort> port = open_mpi_port();          // study/sweep/mpi_port.h
//     port->send(0, "hello");
//     while (const auto message = port->receive()) ...
#pragma once

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

}  // namespace npunet::study
