#pragma once

#include "packet/base/member_event.h"
#include "packet/base/packet_network.h"
#include "packet/credit/boundary_entry.h"
#include "packet/credit/credit_boundary.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/lookahead_runner.h"
#include "packet/credit/network_state.h"
#include "packet/credit/replay.h"
#include "packet/credit/reroute_epochs.h"
#include "packet/credit/switch_step.h"
#include "packet/partition/partition_link.h"

#include "base/quantities.h"
#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace npunet::packet {

/// The packet-level network: messages cut into packets, store and forward or cut-through, input
/// buffers with credits per virtual channel, virtual output queues, round robin or oldest first at
/// every output, links with faults and errors (LinkTiming). It knows nothing of ns-3;
/// NpuEventBridge lets ns-3 drive its queue.
///
///     EventQueue queue;
///     CreditNetwork machine(description, queue);
///     machine.set_listener(listener);
///     machine.send(message);
///     queue.run();
///
/// The rules, with ser(b) = ceil(b x 10^12 / rate) ps for b bytes on the wire:
/// - Every traffic class has virtual channels of its own. A port first chooses the class, among
///   those with a head that may go: the lowest, or by weights (PacketClasses); then, within the
///   class, as below, with turns of its own.
/// - A message is ceil(bytes / mtu) packets, all full but the last; an empty one is one packet of
///   header only (of one byte, should headers have no bytes either). Every packet takes the route
///   of NetworkDescription::route().
/// - A packet chosen at t occupies its link until t + ser and is in at t + ser + latency. At its
///   destination it is consumed at once; elsewhere it waits in VOQ(input port, channel, output
/// port), a queue each, so that one input feeds several outputs at once.
/// - It needs credit for all its bytes in the buffer at the other end of the link. The credit comes
///   back one link latency after its last byte has left that buffer, and counts from then on.
/// - An idle port chooses whenever a head is in and has its credit: round robin over (input port,
///   channel) and, after the inputs, the messages that start at the node, per channel
///   (RoundRobinList). The choice at t sees everything that happens at t, whatever the order in
///   which it happens.
/// - Oldest first instead: the head that left its source earliest, packets that start here last;
///   where they left together the one whose source had sent fewer messages before it, then that of
///   the lower source. A node's own messages take turns all the same.
/// - With a limited speed-up s at most s packets leave an input port of a node at a time. Among
///   idle ports with packets of one input that one goes first which is next behind the port that
///   the input served last, in the order of their links; the others choose when it has.
/// - Cut-through: a head may be chosen before it is in, from max(header in, last byte in - ser of
///   the output) on, so that its last byte leaves when it is in at the earliest. A header counts as
///   one byte at least. It still needs credit for all its bytes. Where the rate or the latency of
///   the link changes under a packet, it is stored first; the output counts with its highest rate.
/// - A link that is down chooses nothing; a packet that is on it stands still. Packets take detours
///   round links that are down (topology::Reroutes); those that wait for a link when it goes down
///   keep waiting, unless it never comes back. A packet that would not be through before that does
///   not start.
/// - Where the network has a MultipathRouter, a packet chooses among the ways that it names when it
///   is in (with cut-through: when its header is), a message's next packet when the one before has
///   started. A message is delivered when the last of its packets to come in is.
///
/// On an idle network n >= 2 packets over h equal links take (n + h - 2) ser(full) + ser(last) +
/// h latency; with cut-through (n - 1) ser(full) + ser(last) + (h - 1) ser(header) + h latency.
///
/// How it is fast: every effect of a choice lies strictly in its future, so all of them are written
/// down at once with their times, and the only events are one pending wake per port that has
/// something to do, and the notifications of messages. A wake that comes too early does nothing;
/// the care is that none is missing: the head of every queue is covered by the port's wake, or by
/// its `waiting` bit for the channel whose credit it lacks.
///
/// What it is made of: CreditNetworkState has everything that changes with the packets, in flat
/// arrays, and parts of one concept each work on it. SwitchStep makes the step, with CreditArbiter
/// for the choice, CreditLinks for the times, CreditNextHop for the ways and CreditStatistics for
/// what is counted; CreditPortSchedule says when; LookaheadRunner, Replay and CreditFastForward get
/// on faster than event by event; RerouteEpochs, CreditBoundary and BoundaryEntry are there for
/// faults and for split networks.
class CreditNetwork final : public PacketNetwork {
public:
    /// @param description must outlive the machine
    /// @param queue the simulation's events; must outlive the machine
    ///
    /// Throws InputError for packet parameters that cannot work: an mtu below 1, a buffer smaller
    /// than one packet, fewer virtual channels than the routing needs, errors with cut-through; and
    /// for switches so large that their queues would fill the memory. Its events throw StallError
    /// where a packet waits for a link that is down for ever.
    CreditNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue);

    /// A machine with routes of one's own.
    /// @param description must outlive the machine; its routes are not used
    /// @param route the routes; free of deadlock within description.virtual_channels()
    /// @param queue the simulation's events; must outlive the machine
    CreditNetwork(const topology::NetworkDescription& description, RouteFunction route,
                  engine::EventQueue& queue);

    CreditNetwork(const CreditNetwork&) = delete;
    CreditNetwork& operator=(const CreditNetwork&) = delete;

    void send(const engine::Message& message) override;
    /// max_queue: the most bytes, with headers, that had come in and stood in the queues of the
    /// link at one of its choices, the packet chosen included; messages that start at the node do
    /// not count, nor do packets still on their way. With cut-through a packet counts, with all
    /// its bytes, from when it may leave.
    std::vector<engine::LinkUse> link_use() const override;

    std::uint64_t packet_hops() const override;

    /// @param link a link
    /// @param function called as packet_queued() for every packet that waits for the link or is on
    ///                 its way to wait for it
    void list_queued(LinkId link,
                     const std::function<void(LinkId, Bytes, Time)>& function) override;

    void set_trains(bool wanted) override;
    void set_threads(std::size_t threads, std::uint64_t least_packets) override;
    void settle() override;

    bool prepare_scan() override;
    void scan(engine::StateScan& scan, engine::MessageScanner& messages,
              engine::PendingEvents& events) override;

    void record_load(engine::LinkLoadRecorder* load) override { state_.load = load; }

    void split(std::vector<bool> owned, PartitionLink& cut) override;
    void enter(const std::uint8_t* data, std::size_t size) override;

    bool is_cut(LinkId link) const override { return state_.ports[link.index()].cut == 1; }

private:
    void observer_changes() override;

    /// Finds out whether nodes can go on alone in windows of time.
    void choose_mode();

    /// @return whether somebody keeps something for every packet, or looks at other nodes at the
    ///         same instant: ways, borders, faults, histograms, observers
    bool looks_at_packets() const;

    /// The last byte of a message has left its source.
    /// @param message its place
    void message_sent(std::uint32_t message);

    /// The last byte of a message has arrived.
    /// @param message its place
    void message_delivered(std::uint32_t message);

    MemberEvent<&CreditNetwork::message_sent> sent_event_{*this};            ///< of messages
    MemberEvent<&CreditNetwork::message_delivered> delivered_event_{*this};  ///< of messages
    MemberEvent<&LookaheadRunner::turn> arbitration_event_{runner_};         ///< of all ports
    SwitchStep step_;                                                        ///< what ports do
    CreditStatistics& counts_;                                               ///< what it counts
    CreditNetworkState& state_;                        ///< its ports, queues, packets and messages
    LookaheadRunner runner_;                           ///< lets nodes go on in windows of time
    Replay replay_;                                    ///< lets ports make up for lost time
    RerouteEpochs epochs_;                             ///< where faults take links down
    std::unique_ptr<CreditFastForward> fast_forward_;  ///< packet trains, or null
    std::unique_ptr<CreditBoundary> boundary_;         ///< where the network is split
    std::unique_ptr<BoundaryEntry> entry_;             ///< likewise
    bool periodic_ = true;                             ///< they are wanted
};

}  // namespace npunet::packet
