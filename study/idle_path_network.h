// The quick estimate with the costs that a message has on an idle network of a more detailed
// fidelity: its headers, and being stored on its way, in packets or whole.
//
//     IdlePathNetwork network(description, queue, dialect, IdlePath::Packets);
//
// A message is sent through analytical::CongestionUnaware, with the headers of its packets, and
// delivered later by what its route costs more than there. With IdlePath::Packets that is, for
// n packets over the links 1 .. h of rates r and latencies a, when nobody else is about:
// store and forward, D(k, j) being the time at which packet k has left link j,
//     D(k, j) = max(D(k, j - 1) + a(j - 1), D(k - 1, j)) + ser(k, j),
// cut-through, S(k, j) being the time at which it starts,
//     S(k, j) = max(S(k, j - 1) + a(j - 1) + max(ser(header, j - 1), ser(k, j - 1) - ser(k, j)),
//                   S(k - 1, j) + ser(k - 1, j)).
// All packets but the last are alike, so those of them that have left link j by then make
//     sum of the steps from link 1 to j + (n - 2) x the largest ser(full, i) with i <= j,
// and only the last one is followed link by link: O(h).
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/congestion_unaware.h"
#include "engine/dialect.h"
#include "engine/network.h"
#include "topology/network_description.h"

namespace npunet::study {

enum class IdlePath : std::uint8_t {
    Headers,        ///< only the headers of packets are added
    Packets,        ///< headers, and packets as the packet machine passes them on
    WholeMessages,  ///< without headers; every link takes in a message before the next one sends it
};

/// When the last byte of a message is in, on an idle network, after its start; bytes on the wire
/// for WholeMessages and Packets as above. Links at their own rates, without faults.
[[nodiscard]] Time idle_path_time(const topology::NetworkDescription& description,
                                  const std::vector<topology::Hop>& hops, Bytes bytes,
                                  IdlePath path);

class IdlePathNetwork final : public engine::Network,
                              private engine::EventHandler,
                              private engine::MessageListener {
public:
    /// The references must outlive the network.
    IdlePathNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue,
                    const engine::Dialect& dialect, IdlePath path);

    void send(const engine::Message& message) override;
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        return estimate_.link_use();
    }

private:
    struct Late {
        Time by;
        Time first_byte_left;
    };

    void handle(std::uint64_t payload) override;
    void on_sent(std::uint32_t handle) override { listener_->on_sent(handle); }
    void on_delivered(std::uint32_t handle, Time first_byte_left) override;

    const topology::NetworkDescription& description_;
    engine::EventQueue& queue_;
    IdlePath path_;
    analytical::CongestionUnaware estimate_;
    std::vector<Late> late_;  ///< by handle
};

}  // namespace npunet::study
