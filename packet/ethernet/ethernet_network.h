#pragma once

#include "packet/base/member_event.h"
#include "packet/base/packet_network.h"
#include "packet/ethernet/arbiter.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/egress.h"
#include "packet/ethernet/ethernet_boundary_frames.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/ethernet/ingress.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/ethernet/reroute_epochs.h"
#include "packet/ethernet/stall_report.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/ethernet_boundary.h"
#include "packet/transport/transport.h"

#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace npunet::packet {

/// The packet-level network of Ethernet-like switches: output queues in a shared buffer
/// (SharedBuffer), priority flow control or drops, marks, telemetry, links that lose packets, and
/// the transport of the NPUs on top (QueuePairs). Every node forwards, NPUs too. It knows nothing
/// of ns-3; NpuEventBridge lets ns-3 drive its queue.
///
///     EventQueue queue;
///     EthernetNetwork network(description, queue);
///     network.set_listener(listener);
///     network.send(message);
///     queue.run();
///
/// The rules, with ser(b) = ceil(b x 10^12 / rate) ps for b bytes on the wire:
/// - A packet that starts at t occupies its link until t + ser and is in at t + ser + latency. At
///   its destination it is consumed at once, elsewhere it joins the queue of its class at its
/// output. With cut-through it joins when its header is in and may leave so that its last byte
/// leaves when it is in at the earliest.
/// - An idle port sends, in this order: requests to pause or to resume; other control packets, in
///   the order in which they came; data. Among the classes that have data and are not paused the
///   lowest goes first, or they share by weights (PacketClasses); in a class what has come by other
///   links and what starts at the node take turns, the former first. The choice at t sees
///   everything that arrives at t; what arrives at t does so in the order of the links' numbers. So
///   do the ports choose: a request that one makes at t is there for ports of higher numbers, and
///   for idle ones.
/// - Data counts in the buffer of each node that it passes from when it joins a queue until its
/// last
///   byte has left and its port chooses anew, which is after what arrives at that time; not at its
///   source, where it waits outside the network. Control packets do not count, are not paused and
///   find room always.
/// - Data is marked when it joins a queue of q bytes in its class: never up to kmin, always beyond
///   kmax, and between them with the probability pmax (q - kmin) / (kmax - kmin). kmin and kmax are
///   in proportion to the rate of the link, rounded down. The n-th packet, from 0, that finds room
///   at a link is marked if mix(mix(mix(seed xor 0x6d61726b) + link) + n) / 2^64, to 53 bits, lies
///   below that (mix: PacketErrors). Only congestion control that looks at marks has them.
/// - Telemetry (HopTelemetry) is written into data when it starts at a node that it passes, before
///   it counts in what it says; the packet is longer by TELEMETRY_BYTES from then on.
/// - A request to pause is a frame of 64 bytes. It goes by the link back, of parallel links in the
///   order of their numbers, and stops the class at the other end of the link when it is in; what
///   is being sent is finished. A request to pause that has not started yet and one to resume the
///   same class take each other back.
/// - A link loses the packets of which the error rate says so (PacketErrors) and those that are on
///   it when it goes down. Requests to pause or to resume wait again from their start on, ahead of
///   others, until they get through, and are no drops. A
///   port whose link is down keeps its packets, unless it never comes back: then they are lost.
///
/// How it is fast: one pending event for each port that sends and one for each link with packets on
/// it, so the list of events is as short as the network is busy, not as long as its queues; and
/// traffic that repeats itself is counted (PeriodicTransport).
///
/// What it is made of: EthernetNetworkState has the ports and packets, and parts of one concept
/// each work on it. EthernetEgress sends, with EthernetArbiter for the choice, EthernetLinks for
/// the times and EthernetDrops for what is lost; EthernetIngress takes what has come, with
/// PriorityFlowControl for the room, EcnMarks for the marks and OutputQueues for what waits;
/// EthernetPortSchedule says when. QueuePairs are the transport. EthernetFastForward is there for
/// trains, EthernetRerouteEpochs for faults, EthernetBoundaryFrames for split networks,
/// EthernetStallReport for what cannot go on.
class EthernetNetwork final : public PacketNetwork, private TransportHost {
public:
    /// @param description must outlive the network
    /// @param queue the simulation's events; must outlive the network
    ///
    /// Throws InputError for parameters that cannot work. Its events throw StallError where a
    /// packet is lost and there is no transport.
    EthernetNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue);

    EthernetNetwork(const EthernetNetwork&) = delete;
    EthernetNetwork& operator=(const EthernetNetwork&) = delete;

    void send(const engine::Message& message) override;
    /// credit_stall: for how long the port was told to pause.
    std::vector<engine::LinkUse> link_use() const override;
    std::vector<engine::FlowUse> flow_use() const override;
    engine::QueuePairLimits queue_pair_limits() const override;
    std::uint64_t packet_hops() const override;
    std::string explain_stall() const override;
    void list_queued(LinkId link,
                     const std::function<void(LinkId, Bytes, Time)>& function) override;
    void set_trains(bool wanted) override;
    void settle() override;
    void split(std::vector<bool> owned, PartitionLink& cut) override;
    void enter(const std::uint8_t* data, std::size_t size) override;

    void record_load(engine::LinkLoadRecorder* load) override { state_.load = load; }

    bool is_cut(LinkId link) const override { return state_.ports[link.index()].cut; }

    /// @return the queue pairs so far; in a part of a split network those with an end in it, and of
    ///         each what its ends here know (QueuePair::use)
    const std::vector<QueuePair>& pairs() const { return pairs_.pairs(); }

private:
    [[noreturn]] void give_up(const QueuePair& pair) const override;
    void messages_change() override;

    void observer_changes() override;

    /// Several classes.
    /// @param port number of a port
    /// @return bytes carried, by class
    std::vector<Bytes> classes_wire(std::size_t port) const;

    const topology::NetworkDescription& description_;               ///< the network, checked
    MemberEvent<&EthernetEgress::wake> wake_event_{egress_};        ///< of ports
    MemberEvent<&EthernetIngress::arrive> arrive_event_{ingress_};  ///< of links
    EthernetNetworkState state_;                                    ///< ports and packets
    EthernetLinks links_;                                           ///< how packets cross them
    EthernetNextHop routes_;                                        ///< ways of packets
    EthernetPortSchedule schedule_;                   ///< when ports choose and packets are in
    PriorityFlowControl flow_control_;                ///< the room in buffers
    EcnMarks marks_;                                  ///< which packets are marked
    OutputQueues queues_;                             ///< what waits for ports
    EthernetStallReport stall_report_;                ///< why it cannot go on
    EthernetDrops drops_;                             ///< what is lost
    QueuePairs pairs_;                                ///< the transport
    EthernetFastForward periods_;                     ///< packet trains
    EthernetArbiter arbiter_;                         ///< which packet goes
    EthernetEgress egress_;                           ///< what ports do
    EthernetIngress ingress_;                         ///< what nodes do with what has come
    EthernetRerouteEpochs epochs_;                    ///< where faults take links down
    std::unique_ptr<EthernetBoundary> boundary_;      ///< where the network is split
    std::unique_ptr<EthernetBoundaryFrames> frames_;  ///< likewise
};

}  // namespace npunet::packet
