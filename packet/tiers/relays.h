// Messages whose routes have links of both kinds: NPUs between them relay them packet by packet.
//
// A packet that has arrived at a relay, an NPU, is sent again by it at that instant, as a message
// of its own: where links have credits as the next one of a flow (engine::Message::flow_start) that
// is that of its message; elsewhere in a queue pair of the relay and the next one, or the
// destination, that all such packets share (engine::Message::separate). So a message without
// competitors takes as long as on a network of one kind. A relay has room for all packets.
//
// Separate messages take turns by flow (source, destination, class) where links have credits,
// relayed or not.
#pragma once

#include "packet/base/datagram_listener.h"
#include "packet/base/packet_network.h"
#include "packet/tiers/tier_routes.h"

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"
#include "topology/network/scale_up.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace npunet::packet {

/// The two networks, by topology::TierPart.
using TierNetworks = std::array<PacketNetwork*, 2>;

class Relays {
public:
    /// Handles of packets are odd: 2 n + 1. The listeners hear of whole messages. All must outlive
    /// this.
    Relays(const topology::NetworkDescription& description, const engine::EventQueue& queue,
           const TierNetworks& networks, engine::MessageListener& listener,
           DatagramListener& datagram_listener);

    /// What a message is on networks that lose packets.
    enum class Service : std::uint8_t { Reliable, Datagram, MarkableDatagram };

    /// A datagram has one packet and is separate.
    void send(const engine::Message& message, const std::vector<Leg>& legs, Service service);

    // What becomes of packets, by the n of their handles.
    void packet_sent(std::uint32_t number);
    void packet_delivered(std::uint32_t number, Time first_byte_left);
    void datagram_starts(std::uint32_t number);
    void datagram_is_marked(std::uint32_t number);
    void datagram_is_lost(std::uint32_t number);

private:
    /// Other messages of a node are counted from 0, those of ns-3's scripts from 2^35.
    static constexpr std::uint64_t first_count = std::uint64_t{1} << 34;

    struct Relayed {
        engine::Message message;
        std::vector<Leg> legs;
        Service service = Service::Reliable;
        Bytes uncut;                 ///< not yet in packets
        bool is_cut = false;         ///< all of it is
        std::int64_t missing = 0;    ///< packets that have not arrived
        std::int64_t in_flight = 0;  ///< packets of which something is still to be heard
        Time first_byte_left = Time::max();
        Time begun;
    };

    struct Packet {
        std::uint32_t message = 0;
        std::uint32_t leg = 0;
        Bytes bytes;
        bool is_last = false;  ///< of its message, in the order in which they were cut
        bool sent_is_due = false;
        bool arrived = false;  ///< or lost
    };

    /// Packets that leave a node one after the other, where links have credits.
    struct Flow {
        Time start;
        std::deque<std::uint32_t> waiting;  ///< behind the one that is leaving
    };
    using FlowName = std::array<std::uint64_t, 3>;

    template <class Record>
    static std::uint32_t take(std::vector<Record>& records, std::vector<std::uint32_t>& free);

    bool has_credits(const Packet& packet) const;
    /// The flow of a packet where links have credits.
    FlowName flow_of(const Packet& packet) const;
    /// Cuts the next packet off a message, and returns its number.
    std::uint32_t cut(std::uint32_t message);
    /// A packet is at the beginning of its leg.
    void enter(std::uint32_t number);
    /// Hands a packet to the network of its leg.
    void start(std::uint32_t number, Time flow_start);
    /// A packet has left its node, where links have credits.
    void start_next(const Packet& packet);
    void free_if_done(std::uint32_t number);

    Bytes mtu_;
    const topology::TrafficClasses& classes_;
    const engine::EventQueue& queue_;
    TierNetworks networks_;
    engine::MessageListener& listener_;
    DatagramListener& datagram_listener_;
    std::vector<Relayed> messages_;
    std::vector<std::uint32_t> free_messages_;
    std::vector<Packet> packets_;
    std::vector<std::uint32_t> free_packets_;
    std::vector<std::uint64_t> sent_by_;  ///< by node, of the packets
    std::map<FlowName, Flow> flows_;      ///< with a packet that leaves
};

}  // namespace npunet::packet
