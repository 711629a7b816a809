// The quick estimate: messages cost their route, and nothing in the middle of the network is
// shared.
//
// npunet dialect: an idle message of b bytes takes the sum of its route's latencies plus
// b / (rate of its slowest link). Messages that leave one NPU by the same link queue there in the
// order of sending, and those that reach one NPU by the same link queue in the order in which their
// first bytes arrive: an NPU's own ports limit its capacity, which is not counted as congestion.
// Over k parallel planes (topology/network/planes.h) that is b / (k x rate): a plane carries
// ceil(b / k) or floor(b / k) bytes. The message begins when all its ports are free and occupies
// them together, those of its source and those of its destination, for as long as the larger part
// takes; messages that use some of these ports queue at them.
// With routes of zero latency an instant is processed in rounds: what is sent in one round arrives
// in the next, after all NPUs have issued, so that the order in which NPUs issue has no effect.
// astra-sim dialects: trunc(hops x latency + b / bandwidth) ns of the first dimension in which the
// two NPUs differ, in double arithmetic, GB = 2^30; nothing queues.
//
//     CongestionUnaware network(description, queue, dialect);
#pragma once

#include <array>
#include <vector>

#include "analytical/route_table.h"
#include "engine/machine/dialect.h"
#include "engine/network/link_clock.h"
#include "engine/network/network.h"
#include "engine/program/fold.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

class CongestionUnaware final : public engine::Network, private engine::EventHandler {
public:
    /// The references must outlive the network. With a fold, messages come from the ranks that
    /// stand for others, and queue where their receivers' representatives take them in.
    CongestionUnaware(const topology::NetworkDescription& description, engine::EventQueue& queue,
                      const engine::Dialect& dialect,
                      const engine::Fold& fold = engine::Fold::everyone_for_itself());

    void send(const engine::Message& message) override;
    [[nodiscard]] bool models_contention() const override { return false; }
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override;

private:
    /// A message on its way, at the place of its handle.
    struct InFlight {
        Bytes bytes;
        Time started;
        std::uint64_t order_major = 0;
        std::uint64_t order_minor = 0;
        std::uint32_t route = 0;
        bool active = false;
        /// Its delivery was scheduled when it was sent, and is void: it queues at its sink after
        /// all.
        bool void_delivery = false;
    };
    /// A size, and how long it occupies the slowest link of a route.
    struct KnownTransfer {
        Bytes bytes;
        Time time;
    };
    /// What the messages of a route have done so far.
    struct alignas(64) RouteUse {
        Bytes payload;
        Time busy;  ///< of each of its links; where they differ, see busy_
        /// The latest of even and of odd size: parts of a buffer differ by a byte.
        std::array<KnownTransfer, 2> latest{{{Bytes(0), Time()}, {Bytes(-1), Time()}}};
        /// Where its messages are taken in; with planes the lowest link of several.
        LinkId sink;
        bool one_rate = false;  ///< all links have the same rate, at all times; no planes
    };
    /// The reference's cost of a route: hops x latency + bytes / (bytes per nanosecond).
    struct ReferenceCost {
        double latency_ns = 0;
        double bytes_per_ns = 0;
    };

    /// Events carry a handle and what happens to it in the two lowest bits.
    enum Happening : std::uint64_t { sent = 0, head = 1, delivered = 2, heads_at_once = 3 };

    void handle(std::uint64_t payload) override;
    void send_through_ports(const engine::Message& message, std::uint32_t route_number);
    void send_over_planes(const engine::Message& message, std::uint32_t route_number);
    void send_as_reference(const engine::Message& message, std::uint32_t route_number);
    void head_arrives(std::uint32_t slot);
    /// The same over planes; returns when the message has been taken in.
    [[nodiscard]] Time take_in_over_planes(const InFlight& flight, const CachedRoute& route);
    /// `at`: when the message's first byte arrives.
    void schedule_head(std::uint32_t slot, Time at);
    /// For messages that arrive at the instant of sending: queued for the next round.
    void send_at_once(std::uint32_t slot);
    void begin_round();
    /// From now on messages over several links end in this one too: those over this link alone,
    /// which can only queue where they leave, must queue where they arrive as well.
    void share_sink(LinkId link);
    void add_route(std::uint32_t number);
    void deliver_at(Time at, std::uint32_t slot);
    void keep(const engine::Message& message, Time started, std::uint32_t route_number);
    [[gnu::cold]] void make_room(std::uint32_t handle);
    void account(std::uint32_t route_number, Bytes bytes, Time started, Time at_slowest);
    void account_planes(const CachedRoute& route, Bytes bytes);
    /// How long a message that starts then occupies the slowest link of its route, and how long its
    /// first byte takes: with faults, as they are at that time.
    [[nodiscard]] Time transfer(const CachedRoute& route, Time started, Bytes bytes) const;
    [[nodiscard]] Time latency(const CachedRoute& route, Time started) const;
    [[nodiscard]] ReferenceCost reference_cost(NodeId from, NodeId to) const;

    const topology::NetworkDescription& description_;
    engine::EventQueue& queue_;
    const engine::Fold& fold_;
    engine::LinkClock clock_;
    bool faulty_;
    bool ports_queue_;
    bool reference_arithmetic_;
    RouteTable routes_;
    std::vector<RouteUse> use_;                   ///< by route
    std::vector<ReferenceCost> reference_costs_;  ///< by route
    /// By place in the table of routes: where links have several rates, or faults.
    std::vector<Time> busy_;
    /// By place in the table of routes, the first one of a plane: what the plane has carried.
    std::vector<Bytes> plane_payload_;
    /// By place in the table of routes, where a plane begins: where its messages are taken in.
    std::vector<LinkId> plane_sinks_;
    std::vector<Rank> rank_of_npu_;  ///< with a fold only
    std::vector<Time> source_free_;  ///< by link: when its source can send the next message
    std::vector<Time> sink_free_;    ///< by link: when its destination has taken in the last one
    /// By link: whether routes of several links end in it, or its latency is zero.
    std::vector<std::uint8_t> shared_sink_;
    std::vector<std::uint32_t> alone_on_link_;  ///< by link: in flight with a delivery scheduled
    std::vector<InFlight> in_flight_;
    std::vector<std::uint32_t> at_once_;  ///< what arrives in the next round of this instant
};

}  // namespace npunet::analytical
