// The state of a CreditNetwork: everything that determines how its packets proceed, i.e. ports,
// queues, credits, round robins, packets and messages, in flat arrays. SwitchStep changes it packet
// by packet, CreditFastForward by whole periods of periodic traffic.
//
// Times in picoseconds. A place is the index of a packet in the pool or of a message in the table.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/constants.h"
#include "packet/base/packet_classes.h"
#include "packet/base/packet_observer.h"
#include "packet/credit/credit_account.h"
#include "packet/credit/credit_path.h"
#include "packet/credit/credit_port.h"
#include "packet/credit/input_speedup.h"
#include "packet/credit/message_table.h"
#include "packet/credit/packet_pool.h"
#include "packet/credit/route_plan.h"
#include "packet/credit/thread_partition.h"
#include "packet/credit/voq.h"
#include "packet/credit/voq_masks.h"

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/link_load.h"
#include "topology/network/network_description.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet {

class CreditFastForward;
class LoneMessages;

struct CreditNetworkState {
    /// description and queue must outlive the state.
    CreditNetworkState(const topology::NetworkDescription& description, RouteFunction route,
                       engine::EventQueue& queue)
        : events(queue),
          clock(queue),
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
          send_queues(description.graph.links() * channels),
          reads(description.graph.links(), description.packet.speedup),
          classes(description.packet.classes, description.virtual_channels(),
                  description.graph.links()) {}

    /// `port` by number.
    CreditAccount& credit(std::uint32_t port, std::uint32_t channel) {
        return credits[port * channels + channel];
    }

    /// Size of a packet; at least 1.
    std::uint32_t wire_bytes(std::int64_t payload) const {
        const std::int64_t bytes = payload + header;
        return static_cast<std::uint32_t>(bytes > 0 ? bytes : 1);
    }

    std::int64_t packets_of(std::int64_t bytes) const {
        return std::max<std::int64_t>((bytes + mtu - 1) / mtu, 1);
    }

    /// Bytes that must have arrived before a packet can be forwarded with cut-through.
    std::uint32_t header_bytes() const {
        return header > 0 ? static_cast<std::uint32_t>(header) : 1;
    }

    /// Up to when everything has happened: the clock, or the start of the lookahead window.
    std::int64_t present() const { return in_window ? window_from : clock.now(); }

    /// The source of a message, in `partition`, has sent `payload` bytes of it.
    void count_sent(MessageRecord& message, std::int64_t payload,
                    ThreadPartition& partition) const {
        const bool was_far = message.remaining > last_bytes;
        message.remaining -= payload;
        partition.near_end +=
            was_far && message.wants_sent && message.remaining <= last_bytes ? 1 : 0;
    }

    /// Number of the thread partition of the port; 0 unless partitions run in parallel.
    std::uint32_t partition_number(const CreditPort& port) const {
        return port.partition & partition_mask;
    }

    ThreadPartition& partition_of(const CreditPort& port) {
        return partitions[partition_number(port)];
    }

    /// The send queue: the messages that start there.
    RoundRobinList& send_queue(std::uint32_t port, std::uint32_t channel) {
        return send_queues[port * channels + channel];
    }

    /// `queue` must not be empty.
    const MessageRecord& message_of_head(const VirtualOutputQueue& queue) {
        return messages[queue.upstream == none ? queue.head : packets[queue.head].message];
    }

    /// Copies what the port needs of the head into its queue of packets, which must not be empty.
    void show_head(VirtualOutputQueue& queue) {
        const QueuedPacket& packet = packets[queue.head];
        if (packet.next != none) {
            packets.prefetch(packet.next);
        }
        if (paths.router != nullptr) {
            paths.prefetch(queue.head);
            plan.prefetch(CreditPaths::hop_of_packet(packet.next));
        }
        queue.ready = packet.ready;
        queue.wire = wire_bytes(packet.payload);
        queue.channel = plan[packet.hop].channel;
    }

    /// The same for a queue of messages, with the message that is next in the round robin.
    void show_next_message(std::uint32_t queue_number);

    /// While partitions run in parallel, for ports of different ones.
    CrossPartitionMessages& outgoing(const CreditPort& from, const CreditPort& to) {
        return partitions[from.partition].outgoing[to.partition];
    }

    engine::EventQueue& events;
    PacketClock clock;  ///< of the events
    std::int64_t mtu;
    std::int64_t header;
    /// A packet that starts later could end beyond the clock.
    std::int64_t last_start = Time::max().ps();
    std::uint32_t full_wire;  ///< bytes of a full packet, with header
    bool oldest;              ///< arbitration: oldest first
    bool several;             ///< there are traffic classes
    std::uint32_t channels;   ///< of every link, for all classes
    RoutePlan plan;
    std::vector<CreditPort> ports;  ///< by link
    std::vector<VirtualOutputQueue> queues;
    VoqMasks filled;                          ///< which queues are not empty
    std::vector<CreditAccount> credits;       ///< by link and virtual channel
    std::vector<RoundRobinList> send_queues;  ///< by link and virtual channel
    PacketPool packets;
    InputSpeedup reads;  ///< packets that leave inputs
    PacketClasses classes;
    MessageTable messages;
    CreditPaths paths;                           ///< of multi-path routing
    std::vector<ThreadPartition> partitions{1};  ///< just the first one without threads
    std::uint32_t partition_mask = 0;            ///< all bits set while partitions run in parallel
    bool in_window = false;        ///< nodes advance independently in a lookahead window
    std::int64_t window_from = 0;  ///< its start
    std::int64_t last_bytes = 0;   ///< a message with no more left may end in a window
    std::int64_t lookahead = 0;    ///< of the longest window that the latencies allow; 0: none
    std::uint32_t near_end = 0;  ///< messages that want on_sent() and have at most last_bytes left
    engine::LinkLoadRecorder* load = nullptr;   ///< or null
    PacketObserver* observer = nullptr;         ///< or null
    CreditFastForward* fast_forward = nullptr;  ///< or null
    LoneMessages* lone = nullptr;               ///< or null
};

inline void CreditNetworkState::show_next_message(std::uint32_t queue_number) {
    VirtualOutputQueue& queue = queues[queue_number];
    const CreditPort& port = ports[queue.tail];
    queue.head = messages.next(send_queue(queue.tail, queue.channel));
    if (queue.head == none) {
        filled.clear(port, queue_number);
        return;
    }
    filled.set(port, queue_number);
    queue.wire = wire_bytes(std::min(messages[queue.head].remaining, mtu));
}

}  // namespace npunet::packet
