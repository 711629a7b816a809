// Messages that queue on links: stored and forwarded whole, link by link, on any topology.
//
// npunet dialect: a link sends one message at a time, first come first served. A message that it
// starts to send at t occupies it until t + ser(bytes) and is in at the other end a latency later;
// there it joins the queue of the next link of its route. Messages that join a queue at the same
// instant stand in the order of their ids, whatever reached it first: a free link chooses in
// Phase::Arbitration, when the instant has brought all it brings. Queues have no bound.
// With h links of equal rate and latency a, and no other traffic: h (a + ser(bytes)). Over k
// parallel planes (topology/network/planes.h) a message goes in k parts, ceil(bytes / k) or
// floor(bytes / k) each, which queue plane by plane; it is there when all of them are.
//
// astra-sim dialects: the reference's arithmetic and order, on networks of one dimension: a message
// is in after trunc(latency + bytes / bandwidth) ns, the link is free after
// trunc(bytes / bandwidth) ns, in doubles; a free link sends whatever comes at once.
//
//     CongestionAware network(description, queue, dialect);
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "analytical/route_table.h"
#include "base/pool.h"
#include "engine/machine/dialect.h"
#include "engine/network/link_clock.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

class CongestionAware final : public engine::Network, private engine::EventHandler {
public:
    /// The references must outlive the network. The astra-sim dialects need a network of one
    /// dimension without faults.
    CongestionAware(const topology::NetworkDescription& description, engine::EventQueue& queue,
                    const engine::Dialect& dialect);

    /// Throws StallError for a link that its route needs and that is down for ever.
    void send(const engine::Message& message) override;
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override { return use_; }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    /// How long things take; chosen once.
    enum class Arithmetic : std::uint8_t {
        Picoseconds,  ///< rounded up, in integers
        Faults,       ///< the same while rates and latencies change
        Reference     ///< doubles truncated to nanoseconds
    };

    /// Events carry a slot of in_flight_ or a link, and what happens in the two lowest bits.
    enum Happening : std::uint64_t { sent = 0, forwarded = 1, delivered = 2, decision = 3 };

    struct InFlight {
        engine::Message message;
        Time started;  ///< on the first link
        Time queued;   ///< when it joined the queue in which it stands
        /// Place in routes_ of the link on which it is, or for which it waits.
        std::uint32_t hop = 0;
        std::uint32_t end_of_route = 0;
        std::uint32_t next = none;  ///< in a queue, or of a Pool
        std::uint32_t previous = none;
        std::uint32_t whole = none;  ///< in wholes_, of a part of a message
    };

    /// A message that goes over several planes.
    struct Whole {
        Time started;                ///< the first part, on its first link
        std::uint32_t unsent = 0;    ///< parts that are not through their first link
        std::uint32_t expected = 0;  ///< parts that are not there
        std::uint32_t next = none;   ///< of a Pool
    };

    /// An output port: its queue, as a list through in_flight_, and until when it is sending.
    struct Port {
        Time free_at;
        Time latency;
        Rate rate;
        Bytes waiting;
        std::uint32_t head = none;
        std::uint32_t tail = none;
        bool decision_due = false;  ///< an event will choose the next message
    };

    /// When the last byte has left the port, and when it is in at the other end.
    struct Crossing {
        Time left;
        Time arrived;
    };

    void handle(std::uint64_t payload) override;
    void schedule(Time at, Happening what, std::uint32_t slot);
    /// A message, or its part, starts on a plane of its route.
    [[nodiscard]] std::uint32_t start(const engine::Message& message, const CachedRoute& route,
                                      std::uint32_t plane);
    void send_over_planes(const engine::Message& message, const CachedRoute& route);
    /// The last byte of a message, or of a part, has left the source; has arrived.
    void leave_source(std::uint32_t slot);
    void arrive(std::uint32_t slot);

    /// The message joins the queue of the link where it stands on its route.
    void join(std::uint32_t slot);
    void enqueue(Port& port, std::uint32_t slot);
    [[nodiscard]] std::uint32_t dequeue(Port& port);
    void schedule_decision(LinkId link, Time at);
    /// A free link takes the next message, if there is one.
    void decide(LinkId link);
    void transmit(LinkId link, std::uint32_t slot);
    [[nodiscard]] Crossing cross(LinkId link, Bytes bytes) const;

    engine::EventQueue& queue_;
    Arithmetic arithmetic_;
    /// Queues are in order of content and free links wait for the end of the instant; else in order
    /// of insertion, and every transmission ends with an event of its link.
    bool by_content_;
    double bytes_per_ns_ = 0;  ///< Arithmetic::Reference
    double latency_ns_ = 0;    ///< Arithmetic::Reference
    engine::LinkClock clock_;
    RouteTable routes_;
    std::vector<Port> ports_;  ///< by link
    std::vector<engine::LinkUse> use_;
    Pool<InFlight> in_flight_;
    Pool<Whole> wholes_;
};

}  // namespace npunet::analytical
