// The receiving side of a queue pair of the plain simulator: which packet it expects, what it keeps
// beyond that, which packets it answers, and how many messages are complete.
//
//     receiver.add_message(last_packet);
//     const std::optional<Kind> answer = receiver.receive_data(packet);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "plain_packet.h"

namespace npunet::packet_test::plain {

class Receiver {
public:
    explicit Receiver(const topology::TransportParameters& transport) : transport_(transport) {}

    /// Messages come in this order.
    void add_message(std::size_t last_packet) { ends_.push_back(last_packet); }
    /// Returns the kind of the answer, if it gives one.
    [[nodiscard]] std::optional<Kind> receive_data(const Packet& data);
    [[nodiscard]] std::size_t expected() const { return expected_; }
    /// How many messages are complete.
    [[nodiscard]] std::size_t complete() const { return complete_; }

private:
    [[nodiscard]] std::optional<Kind> receive_out_of_order(const Packet& data);
    [[nodiscard]] Kind answer(Kind kind);

    const topology::TransportParameters& transport_;
    std::vector<std::size_t> ends_;  ///< the last packets of messages
    std::size_t expected_ = 0;
    std::size_t complete_ = 0;
    std::set<std::size_t> early_;
    std::int32_t unanswered_ = 0;
    bool asked_back_ = false;
};

}  // namespace npunet::packet_test::plain
