// Packet-level network of Ethernet-like switches: output queues in a shared buffer (SharedBuffer),
// priority flow control or drops, ECN marks, telemetry, links that lose packets, and the transport
// of the NPUs on top (QueuePairs). Every node forwards packets, NPUs included. docs/transport.md
// describes the model and its parameters.
//
//     EventQueue queue;
//     EthernetNetwork network(description, queue);
//     network.set_listener(listener);
//     network.send(message);
//     queue.run();
//
// Rules, with ser(b) = ceil(b x 10^12 / rate) ps for b bytes on the wire:
// - A packet that starts at t occupies its link until t + ser and arrives at t + ser + latency. At
//   its destination it is consumed immediately; elsewhere it joins the queue of its class at its
//   output. With cut-through it joins when its header has arrived, and its last byte leaves no
//   earlier than it arrives.
// - An idle port sends, in this order: PAUSE and RESUME frames; other control packets, first in,
//   first out; data. Of the classes that have data and are not paused the lowest goes first, or
//   they share by weights (PacketClasses). Within a class, packets from other links and packets
//   that start at the node alternate; initially the former go first.
// - Arrivals of one instant are processed by link number, then ports decide by number. A decision
//   sees everything that arrives at that instant; a PAUSE or RESUME frame that it enqueues is seen
//   by ports of higher number and by idle ones.
// - Data counts in the buffer of each node that it passes through, from joining a queue until its
//   port decides again after its last byte has left, which follows the arrivals of that instant;
//   not at its source, where it waits outside the network. Control packets do not count, are not
//   paused and are always accepted.
// - Data is marked when it joins a queue that holds q bytes of its class: never up to kmin, always
//   beyond kmax, between them with probability pmax (q - kmin) / (kmax - kmin). kmin and kmax scale
//   with the link's rate, rounded down. The n-th packet, from 0, accepted at a link is marked if
//   mix(mix(mix(seed xor 0x6d61726b) + link) + n) / 2^64, to 53 bits, is below that (mix:
//   PacketErrors). Only if the congestion control uses marks.
// - Telemetry (HopTelemetry) is added to data when it starts at a node that it passes through,
//   before the data counts in the values; the packet is longer by telemetry_bytes from then on.
// - A PAUSE or RESUME frame has 64 bytes and takes the reverse link (parallel links are matched in
//   the order of their numbers). It takes effect at the port there when it has arrived; a packet
//   that is being sent is finished. Queued PAUSE and RESUME frames of one class cancel out.
// - A link loses packets by its error rate (PacketErrors), and those on it when it fails. PAUSE and
//   RESUME frames lost so are sent again, ahead of others, until they get through, and do not count
//   as drops. A port whose link is down keeps its packets, unless the link never recovers: then
//   they are lost.
//
// Performance: nodes advance in lookahead windows (EthernetLookahead); where that is not possible,
// one event is pending for each port that sends and one for each link with packets on it, so that
// the number of events grows with the busy links, not with the queues. Periodic traffic is
// fast-forwarded (PeriodicTransport).
//
// Structure: EthernetNetworkState holds ports and packets. A switch is what EthernetIngress
// (arrivals join queues), PriorityFlowControl (the shared buffer, PAUSE and RESUME), EcnMarks,
// OutputQueues, EthernetArbiter (which packet is next) and EthernetEgress (it is sent) do;
// EthernetLinks says how packets cross links, EthernetNextHop where they go. QueuePairs is the
// transport, with the algorithms of packet/congestion. EthernetDrops counts losses,
// EthernetStallReport explains why nothing moves, EthernetFastForward skips periods,
// EthernetIdleLinks tells of links that are idle;
// EthernetRerouting serves faults, and EthernetBoundaryFrames networks that are split over
// processes.
#pragma once

#include "packet/base/member_event.h"
#include "packet/base/packet_network.h"
#include "packet/ethernet/arbiter.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/egress.h"
#include "packet/ethernet/ethernet_boundary_frames.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/ethernet/idle_links.h"
#include "packet/ethernet/ingress.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/lookahead.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/ethernet/rerouting.h"
#include "packet/ethernet/stall_report.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/routing/route_changes.h"
#include "packet/transport/ethernet_boundary.h"
#include "packet/transport/transport.h"

#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"
#include "topology/network/packet_checks.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace npunet::packet {

class EthernetNetwork final : public PacketNetwork, private TransportHost, private PacketOwners {
public:
    /// The references must outlive the network. Throws InputError for parameters that cannot work.
    /// Its events throw StallError if a packet is lost and there is no transport.
    EthernetNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue,
                    topology::Losses losses = topology::Losses::Refused);

    void send(const engine::Message& message) override;
    bool carries_datagrams() const override { return boundary_ == nullptr; }
    void send_datagram(const engine::Message& message, bool can_be_marked) override;

    void set_datagram_listener(DatagramListener& listener) override {
        pairs_.set_datagram_listener(listener);
    }

    /// LinkUse::credit_stall: how long the port was paused.
    std::vector<engine::LinkUse> link_use() const override;
    std::vector<engine::FlowUse> flow_use() const override;
    engine::QueuePairLimits queue_pair_limits() const override;
    std::uint64_t packet_hops() const override;
    std::string explain_stall() const override;
    void list_queued(LinkId link,
                     const std::function<void(LinkId, Bytes, Time)>& function) override;
    void split(std::vector<bool> owned, PartitionLink& cut) override;

    void set_fast_forward(bool wanted) override { fast_forward_.set_fast_forward(wanted); }

    void settle() override { fast_forward_.settle(); }

    void enter(const std::uint8_t* data, std::size_t size) override { frames_->enter(data, size); }

    void record_load(engine::LinkLoadRecorder* load) override { state_.load = load; }

    engine::IdleLinks* idle_links() override { return &idle_links_; }

    bool is_cut(LinkId link) const override { return state_.ports[link.index()].cut; }

    /// The queue pairs so far; in a partition those with an end in it, each with what its ends here
    /// know (QueuePair::use).
    const std::vector<QueuePair>& pairs() const { return pairs_.pairs(); }

private:
    /// A message begins now.
    void prepare_to_send();

    [[noreturn]] void give_up(const QueuePair& pair) const override { stall_report_.give_up(pair); }

    void check_progress(const QueuePair& pair) const override {
        stall_report_.check_progress(pair);
    }

    void messages_change() override { fast_forward_.messages_change(); }

    std::uint64_t queue_pair_of(std::uint32_t place) const override;

    void datagram_is_lost(const EthernetPacket& packet) override { pairs_.lose_datagram(packet); }

    void observer_changes() override;

    const topology::NetworkDescription& description_;  ///< checked
    MemberEvent<&EthernetEgress::wake> wake_event_{egress_};
    MemberEvent<&EthernetIngress::arrive> arrive_event_{ingress_};
    MemberEvent<&EthernetLookahead::deliver> deliver_event_{lookahead_};
    MemberEvent<&EthernetLookahead::decide> decide_event_{lookahead_};
    EthernetNetworkState state_;
    EthernetLinks links_;
    EthernetNextHop routes_;
    PriorityFlowControl flow_control_;
    EcnMarks marks_;
    OutputQueues queues_;
    EthernetStallReport stall_report_;
    EthernetDrops drops_;
    QueuePairs pairs_;
    EthernetFastForward fast_forward_;
    EthernetArbiter arbiter_;
    EthernetEgress egress_;
    EthernetIngress ingress_;
    EthernetLookahead lookahead_;
    EthernetRerouting rerouting_;
    EthernetIdleLinks idle_links_;
    RouteChanges route_changes_;
    bool has_begun_ = false;                          ///< a message has been sent
    std::unique_ptr<EthernetBoundary> boundary_;      ///< null: not split
    std::unique_ptr<EthernetBoundaryFrames> frames_;  ///< null: not split
};

}  // namespace npunet::packet
