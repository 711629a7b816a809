// The quick estimate: messages cost their route, and nothing in the middle of the network is
// shared.
//
// npunet dialect: an idle message of b bytes takes the sum of its route's latencies plus
// b / (rate of its slowest link). Messages that leave one NPU by the same link queue there in the
// order of sending, and those that reach one NPU by the same link queue in the order in which their
// first bytes arrive: an NPU's own ports are not congestion but capacity.
// Faults count as they stand when the whole message is seen to cross its route at once, from its
// start on: the rate of the slowest link at each time, the latencies at the start.
// astra-sim dialects: trunc(hops x latency + b / bandwidth) ns of the first dimension in which the
// two NPUs differ, in double arithmetic, GB = 2^30; nothing queues.
//
//     CongestionUnaware network(description, queue, dialect);
#pragma once

#include <vector>

#include "analytical/link_clock.h"
#include "engine/dialect.h"
#include "engine/network.h"
#include "topology/network_description.h"

namespace npunet::analytical {

class CongestionUnaware final : public engine::Network, private engine::EventHandler {
public:
    /// The references must outlive the network.
    CongestionUnaware(const topology::NetworkDescription& description, engine::EventQueue& queue,
                      const engine::Dialect& dialect);

    void send(const engine::Message& message) override;
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override { return use_; }

private:
    struct InFlight {
        engine::Message message;
        Time started;
        Time transfer;  ///< at the route's slowest link
        LinkId last;
    };

    /// Events carry a slot of in_flight_ and what happens to it in the two lowest bits.
    enum Happening : std::uint64_t { sent = 0, head = 1, delivered = 2 };

    void handle(std::uint64_t payload) override;
    void schedule(Time at, Happening what, std::uint32_t slot, const engine::Message& message);
    void head_arrives(std::uint32_t slot);
    std::uint32_t new_slot();
    void account(const std::vector<topology::Hop>& route, Bytes bytes, Time started);
    [[nodiscard]] Time reference_delay(NodeId from, NodeId to, Bytes bytes) const;
    void send_as_reference(const engine::Message& message);

    const topology::NetworkDescription& description_;
    engine::EventQueue& queue_;
    LinkClock clock_;
    bool ports_queue_;
    bool reference_arithmetic_;
    std::vector<engine::LinkUse> use_;
    std::vector<Time> source_free_;  ///< by link: when its source can send the next message
    std::vector<Time> sink_free_;    ///< by link: when its destination has taken in the last one
    std::vector<InFlight> in_flight_;
    std::vector<std::uint32_t> free_;
};

}  // namespace npunet::analytical
