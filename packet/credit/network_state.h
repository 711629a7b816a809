#pragma once

#include "packet/base/credit_account.h"
#include "packet/base/message_table.h"
#include "packet/base/packet_classes.h"
#include "packet/base/packet_observer.h"
#include "packet/base/packet_pool.h"
#include "packet/base/voq.h"
#include "packet/credit/input_speedup.h"
#include "packet/credit/thread_partition.h"
#include "packet/credit/voq_masks.h"
#include "packet/routing/credit_port.h"
#include "packet/routing/packet_path.h"
#include "packet/routing/route_plan.h"

#include "base/quantities.h"
#include "engine/event_queue.h"
#include "engine/link_load.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet {

/// What decides how the packets of a CreditNetwork go on: ports, queues, credits, turns, packets
/// and messages. The machine moves them packet by packet; CreditFastForward moves those that repeat
/// themselves by whole periods.
struct CreditNetworkState {
    /// @param description the network; must outlive the state
    /// @param route the routes
    /// @param queue the simulation's events; must outlive the state
    CreditNetworkState(const topology::NetworkDescription& description, RouteFunction route,
                       engine::EventQueue& queue)
        : events(queue),
          mtu(description.packet.mtu.value()),
          header(description.packet.header.value()),
          full_wire(wire_bytes(mtu)),
          oldest(description.packet.arbitration == topology::Arbitration::Oldest),
          several(description.packet.classes.count > 1),
          channels(std::uint32_t{description.virtual_channels()} *
                   description.packet.classes.count),
          plan(description.graph, std::move(route), channels,
               std::uint32_t{description.packet.classes.count}),
          ports(description.graph.links()),
          queues(plan.first_queue(description.graph.links())),
          credits(description.graph.links() * channels),
          turns(description.graph.links() * channels),
          reads(description.graph.links(), description.packet.speedup),
          classes(description.packet.classes, description.virtual_channels(),
                  description.graph.links()) {}

    /// @param port number of the port
    /// @param channel virtual channel
    /// @return what may be sent there
    CreditAccount& credit(std::uint32_t port, std::uint32_t channel) {
        return credits[port * channels + channel];
    }

    /// @param payload bytes of a message in a packet
    /// @return bytes of the packet
    std::uint32_t wire_bytes(std::int64_t payload) const {
        const std::int64_t bytes = payload + header;
        return static_cast<std::uint32_t>(bytes > 0 ? bytes : 1);
    }

    /// @param bytes payload of a message
    /// @return how many packets it is
    std::int64_t packets_of(std::int64_t bytes) const {
        return std::max<std::int64_t>((bytes + mtu - 1) / mtu, 1);
    }

    /// @return what must be in of a packet before it can be passed on
    std::uint32_t header_bytes() const {
        return header > 0 ? static_cast<std::uint32_t>(header) : 1;
    }

    /// @return until when everything has happened: the clock, or, where nodes go on alone, the
    /// start
    ///         of the window, in picoseconds
    std::int64_t present() const { return in_window ? window_from : events.now().ps(); }

    /// The source of a message has sent some of it.
    /// @param message the message
    /// @param payload bytes
    /// @param part of the network that the source is in
    void count_sent(MessageRecord& message, std::int64_t payload, ThreadPartition& part) const {
        const bool was_far = message.remaining > last_bytes;
        message.remaining -= payload;
        part.near_end += was_far && message.wants_sent && message.remaining <= last_bytes ? 1 : 0;
    }

    /// @param port a port
    /// @return number of the part in which its packets go on; 0 unless parts go on at the same time
    std::uint32_t part_number(const CreditPort& port) const { return port.part & part_mask; }

    /// @param port a port
    /// @return the part in which its packets go on
    ThreadPartition& part_of(const CreditPort& port) { return parts[part_number(port)]; }

    /// @param port number of the port
    /// @param channel virtual channel
    /// @return the messages that start there
    RoundRobinList& turns_of(std::uint32_t port, std::uint32_t channel) {
        return turns[port * channels + channel];
    }

    /// @param queue that is not empty
    /// @return the message of its head
    const MessageRecord& message_of_head(const VirtualOutputQueue& queue) {
        return messages[queue.upstream == none ? queue.head : packets[queue.head].message];
    }

    /// Writes down in its queue what the port must know of the head.
    /// @param queue a queue of packets that is not empty
    void show_head(VirtualOutputQueue& queue) {
        const QueuedPacket& packet = packets[queue.head];
        queue.ready = packet.ready;
        queue.wire = wire_bytes(packet.payload);
        queue.channel = plan[packet.hop].channel;
    }

    /// Writes down in its queue whose turn it is.
    /// @param queue_number a queue of messages
    void show_turn(std::uint32_t queue_number);

    /// Parts go on at the same time.
    /// @param from a port
    /// @param to a port of another part
    /// @return what goes from the one part to the other
    CrossPartitionMessages& mail_to(const CreditPort& from, const CreditPort& to) {
        return parts[from.part].mail[to.part];
    }

    engine::EventQueue& events;  ///< the simulation's events
    std::int64_t mtu;            ///< payload bytes of a full packet
    std::int64_t header;         ///< bytes besides the payload
    /// A packet that starts later could end beyond the clock, in picoseconds.
    std::int64_t last_start = Time::max().ps();
    std::uint32_t full_wire;                 ///< bytes of a full packet
    bool oldest;                             ///< oldest first
    bool several;                            ///< there are traffic classes
    std::uint32_t channels;                  ///< of every link, for all classes
    RoutePlan plan;                          ///< routes as ports and queues
    std::vector<CreditPort> ports;           ///< by link
    std::vector<VirtualOutputQueue> queues;  ///< of all ports
    VoqMasks filled;                         ///< which queues are not empty
    std::vector<CreditAccount> credits;      ///< by link and virtual channel
    std::vector<RoundRobinList> turns;       ///< by link and virtual channel
    PacketPool packets;                      ///< packets under way
    InputSpeedup reads;                      ///< packets that leave inputs
    PacketClasses classes;                   ///< traffic classes
    MessageTable messages;                   ///< messages under way
    PacketPaths paths;                       ///< of multi-path routing
    std::vector<ThreadPartition> parts{1};   ///< the first one alone where all is one part
    std::uint32_t part_mask = 0;             ///< all bits set while parts go on at the same time
    bool in_window = false;                  ///< nodes go on alone
    std::int64_t window_from = 0;            ///< since then, in picoseconds
    std::int64_t last_bytes = 0;             ///< with so many left a message may end in a window
    std::uint32_t near_end = 0;  ///< messages whose end somebody is told of, with so many left
    /// Hears of links that are sending; null for nobody.
    engine::LinkLoadRecorder* load = nullptr;
    PacketObserver* observer = nullptr;  ///< hears of packets; null for nobody
};

inline void CreditNetworkState::show_turn(std::uint32_t queue_number) {
    VirtualOutputQueue& queue = queues[queue_number];
    const CreditPort& port = ports[queue.tail];
    queue.head = messages.turn(turns_of(queue.tail, queue.channel));
    if (queue.head == none) {
        filled.clear(port, queue_number);
        return;
    }
    filled.set(port, queue_number);
    queue.wire = wire_bytes(std::min(messages[queue.head].remaining, mtu));
}

}  // namespace npunet::packet
