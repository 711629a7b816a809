// Packet-level network with credit flow control: messages are cut into packets that no link drops.
// Input buffers with credits for each virtual channel, virtual output queues, store and forward or
// cut-through, round robin or oldest first, links with faults and errors. Needs an event queue
// only; ns-3 drives that queue through NpuEventBridge.
//
//     EventQueue queue;
//     CreditNetwork network(description, queue);
//     network.set_listener(listener);
//     network.send(message);
//     queue.run();
//
// The rules, with ser(b) = ceil(b x 10^12 / rate) ps for b bytes on the wire:
// - Traffic classes: each has its own virtual channels. A port first selects the class, among those
//   with an eligible head: the lowest, or by weights (PacketClasses); then a packet within the
//   class as below, with a round robin for each class.
// - A message is ceil(bytes / mtu) packets, all full but the last; an empty message is one header,
//   of at least one byte. Packets take the route of NetworkDescription::route().
// - A packet selected at t occupies its link until t + ser and arrives at t + ser + latency. At its
//   destination it is consumed immediately; elsewhere it waits in VOQ(input port, channel, output
//   port), so that one input feeds several outputs at once.
// - It needs credit for all its bytes in the buffer at the other end of the link. The credit
//   returns one link latency after its last byte has left that buffer, and counts from then on.
// - An idle port selects among the heads that have arrived and have their credit: round robin over
//   (input port, channel) and, after the inputs, the messages that start at the node, per channel
//   (RoundRobinList). A decision at t sees everything that happens at t, whatever the order of
//   execution.
// - Oldest first instead: the head that left its source earliest, local injection last. Of packets
//   that left together, the one whose source had sent fewer messages before it, then the one of the
//   lower source. Messages that start at a node are served round robin all the same.
// - Limited speed-up s: at most s packets leave an input port of a node at a time. Of the idle
//   ports with packets of one input, the next one after the port that the input served last goes
//   first, in the order of their links; the others decide after it.
// - Cut-through: a head may be selected before it has arrived, from max(header arrived, last byte
//   arrived - ser of the output) on, so that its last byte never leaves before it has arrived. A
//   header counts as at least one byte; credit is needed for all bytes. A packet during which the
//   rate or the latency of its link changes is stored first; an output counts with its highest
//   rate.
// - A port whose link is down makes no decisions; a packet on the link stands still. Packets are
//   rerouted around failed links (topology::Reroutes); those queued for a link when it fails keep
//   waiting, unless it never recovers. A packet that would not be through before its link fails for
//   good does not start.
// - With a MultipathRouter a packet selects among the offered next hops when it has arrived (with
//   cut-through: when its header has), a message's next packet when the previous one has started. A
//   message is delivered when the last of its packets to arrive is there.
//
// On an idle network n >= 2 packets over h equal links take (n + h - 2) ser(full) + ser(last) +
// h latency; with cut-through (n - 1) ser(full) + ser(last) + (h - 1) ser(header) + h latency.
//
// Performance: every effect of a decision lies strictly in its future, so all effects are recorded
// at once with their times. The only events are one pending wake for each port that has something
// to do, and the notifications of messages. A wake that comes too early does nothing, but none may
// be missing: the head of every queue is covered by the port's wake, or by the `waiting` bit of the
// channel whose credit it lacks.
//
// Structure: CreditNetworkState holds everything that changes with the packets, in flat arrays.
// SwitchStep executes one decision, with CreditArbiter (selection), CreditLinks (times),
// CreditNextHop (routing) and CreditStatistics (counts); CreditPortSchedule says when.
// LoneMessages, LookaheadRunner, Replay and CreditFastForward avoid event-by-event execution.
// RouteChanges and CreditRerouting serve faults, CreditBoundary and BoundaryEntry networks that are
// split over processes.
#pragma once

#include "packet/base/member_event.h"
#include "packet/base/packet_network.h"
#include "packet/credit/boundary_entry.h"
#include "packet/credit/credit_boundary.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/lookahead_runner.h"
#include "packet/credit/network_state.h"
#include "packet/credit/relative_turns.h"
#include "packet/credit/replay.h"
#include "packet/credit/rerouting.h"
#include "packet/credit/switch_step.h"
#include "packet/partition/partition_link.h"
#include "packet/routing/route_changes.h"

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/idle_links.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace npunet::packet {

class CreditNetwork final : public PacketNetwork, private engine::IdleLinks {
public:
    /// Both must outlive the network. Throws InputError for invalid packet parameters: an mtu below
    /// 1, a buffer smaller than one packet, fewer virtual channels than the routing needs, errors
    /// with cut-through, switches so large that their queues would exhaust the memory. Events throw
    /// StallError where a packet waits for a link that is down for ever.
    CreditNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue);

    /// With `route` instead of the description's routes, which must be deadlock-free within
    /// description.virtual_channels().
    CreditNetwork(const topology::NetworkDescription& description, RouteFunction route,
                  engine::EventQueue& queue);

    void send(const engine::Message& message) override;
    bool sends_in_order(NodeId /* from */, NodeId /* to */) const override { return false; }
    /// max_queue: the most bytes, with headers, that had arrived and stood in the queues of the
    /// link at one of its decisions, the selected packet included. Messages that start at the node
    /// do not count, nor do packets still on their way. With cut-through a packet counts, with all
    /// its bytes, from when it may leave.
    std::vector<engine::LinkUse> link_use() const override { return counts_.use(); }

    std::uint64_t packet_hops() const override { return counts_.hops(); }

    /// Calls the function, as packet_queued(), for every packet that waits for the link or is on
    /// its way to wait for it.
    void list_queued(LinkId link,
                     const std::function<void(LinkId, Bytes, Time)>& function) override;

    void set_fast_forward(bool wanted) override;
    void set_threads(std::size_t threads, std::uint64_t least_packets) override;
    void settle() override;

    bool prepare_scan() override;
    void scan(engine::StateScan& scan, engine::MessageScanner& messages,
              engine::PendingEvents& events) override;

    engine::IdleLinks* idle_links() override { return this; }

    void record_load(engine::LinkLoadRecorder* load) override { state_.load = load; }

    void split(std::vector<bool> owned, PartitionLink& cut) override;

    void enter(const std::uint8_t* data, std::size_t size) override { entry_->enter(data, size); }

    bool is_cut(LinkId link) const override { return state_.ports[link.index()].cut == 1; }

private:
    void observer_changes() override;

    // A word for each link: whose turn it is.
    bool idle_state(const Links& links, State& state) override;
    bool has_quiet_messages() const override { return true; }
    bool is_quiet(NodeId from, NodeId to, const Links& links) override;
    bool has_rest_state() const override { return true; }
    bool rest_state(const Links& links, State& state) override;
    void set_idle_state(const Links& links, const State& state,
                        const std::vector<engine::LinkUse>* carried) override;
    std::vector<engine::LinkUse> use_of(const Links& links) const override;
    void forget_longest_queues(const Links& links) override;

    /// Decides whether lookahead windows are possible.
    void choose_mode();

    /// Whether the links of idle_state() and rest_state() can be looked at one by one.
    bool has_separate_links() const;

    /// Whether nothing is at the link's port, on the link or on its way back.
    bool is_idle(std::uint32_t link);

    /// Whether something needs every packet, or state of other nodes at the same instant:
    /// multi-path routing, faults, partition boundaries, histograms, observers.
    bool looks_at_packets() const;

    /// Event handlers; the argument is the message's place in the table.
    void message_sent(std::uint32_t message);

    void message_delivered(std::uint32_t message);

    /// Event handlers; the argument is the message's number in LoneMessages.
    void lone_sent(std::uint32_t number);

    void lone_delivered(std::uint32_t number);

    MemberEvent<&CreditNetwork::message_sent> sent_event_{*this};
    MemberEvent<&CreditNetwork::message_delivered> delivered_event_{*this};
    MemberEvent<&CreditNetwork::lone_sent> lone_sent_event_{*this};
    MemberEvent<&CreditNetwork::lone_delivered> lone_delivered_event_{*this};
    MemberEvent<&LookaheadRunner::advance> arbitration_event_{runner_};  ///< of all ports
    const topology::NetworkDescription& description_;
    SwitchStep step_;
    CreditStatistics& counts_;
    CreditNetworkState& state_;
    RelativeTurns turns_;
    LookaheadRunner runner_;
    Replay replay_;
    CreditRerouting rerouting_;
    RouteChanges route_changes_;
    std::unique_ptr<CreditFastForward> fast_forward_;  ///< or null
    std::unique_ptr<LoneMessages> lone_;               ///< or null
    std::unique_ptr<CreditBoundary> boundary_;         ///< where the network is split
    std::unique_ptr<BoundaryEntry> entry_;             ///< where the network is split
    bool periodic_ = true;                             ///< fast-forward is enabled
};

}  // namespace npunet::packet
