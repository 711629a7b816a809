// What switches and NPUs of a CreditNetwork do: a port decides, a packet crosses its link, joins
// the queue of its next hop, and returns credit. When ports decide is up to CreditPortSchedule;
// what drives them, by events or lookahead windows, calls decide_if_due().
//
// Thread partitions may do so in parallel, each for its own ports
// (CreditNetworkState::partition_mask). Their effects on one another are deferred until
// receive_deferred().
//
// Times in picoseconds. A place is the index of a packet in the pool or of a message in the table.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/member_event.h"
#include "packet/base/port_schedule.h"
#include "packet/credit/arbiter.h"
#include "packet/credit/credit_boundary.h"
#include "packet/credit/deferred_notifications.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/link_transmission.h"
#include "packet/credit/lone/lone_messages.h"
#include "packet/credit/network_state.h"
#include "packet/credit/next_hop.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/statistics.h"

#include "engine/clock/event_queue.h"
#include "topology/network/network_description.h"

#include <cstdint>

namespace npunet::packet {

class SwitchStep {
public:
    /// The description must have been checked (network_setup.h); `windows_event` handles the event
    /// of all ports. All references must outlive this.
    SwitchStep(const topology::NetworkDescription& description, RouteFunction route,
               engine::EventQueue& queue, const MessageHandlers& handlers,
               engine::EventHandler& windows_event);

    CreditNetworkState& state() { return state_; }

    CreditStatistics& counts() { return counts_; }

    CreditNextHop& next_hop() { return next_hop_; }

    DeferredNotifications& notifications() { return notifications_; }

    CreditPortSchedule& schedule() { return schedule_; }

    /// Null where the network is not split.
    void set_boundary(CreditBoundary* boundary) { boundary_ = boundary; }

    /// Starts a message that knows its first hop.
    void start(std::uint32_t message);

    /// Appends a message, which must be in no send queue, to that of its next packet's first hop.
    void join_send_queue(std::uint32_t message, std::int64_t now);

    /// Lets a port decide, unless its wake was taken back.
    void decide_if_due(std::uint32_t port_number, std::int64_t now) {
        CreditPort& port = state_.ports[port_number];
        if (PortSchedule<CreditPort>::take_due(port, now)) {
            const std::int64_t before = port.packets;
            decide(port_number, now);
            state_.partition_of(port).handled += static_cast<std::uint64_t>(port.packets - before);
        }
    }

    /// Deferred arbitration of the ports that have yielded an input to others.
    void decide_again(ThreadPartition& partition, std::int64_t now) {
        for (const std::uint32_t port : partition.again) {
            decide_again(port, now);
        }
        partition.again.clear();
    }

    /// The same for the first of these ports by number, of which there must be one.
    void decide_first_again(ThreadPartition& partition, std::int64_t now);

    /// Determines when a port has to decide next, not before `from`, and sets its wake or its
    /// `waiting` bits.
    void plan_wake(std::uint32_t port_number, std::int64_t from);

    /// A packet, whose hop is still that link, crosses to a node that is not its destination;
    /// `number`: of the packet on the link.
    void forward(std::uint32_t port_number, std::uint32_t place, const Crossing& crossing,
                 std::int64_t number);

    /// Puts a packet into the queue of its next hop, where it will be at packet.ready.
    void push(std::uint32_t place) { push(place, state_.plan[state_.packets[place].hop]); }

    /// The same for a packet whose next hop is known.
    void push(std::uint32_t place, PlannedHop hop);

    /// A packet of the message is on its last link; `last`: it is the last packet of the message.
    void arrive(const CreditPort& port, std::uint32_t message, bool last, std::int64_t arrival);

    /// Credit is returning to a port of this process's partition.
    void take_credit(const CrossPartitionCredit& credit);

    /// Executes what other thread partitions have deferred for one of them.
    void receive_deferred(std::uint32_t number);

private:
    /// A packet for the observer. `wire`: its bytes with header.
    ObservedPacket observed(std::uint32_t place, std::uint32_t wire);

    /// A packet or, with none, a new message is about to come to a port that is booked, watched or
    /// suspended. Not inlined: seldom.
    [[gnu::noinline]] void prepare_port(std::uint32_t port_number, std::uint32_t message);

    /// The event of a port.
    void wake(std::uint32_t port_number);

    /// Selects a packet, if the port is idle, and plans the next wake.
    void decide(std::uint32_t port_number, std::int64_t now);

    /// The event of a deferred arbitration.
    void wake_again(std::uint32_t port_number);

    /// decide() after the other ports of the instant.
    void decide_again(std::uint32_t port_number, std::int64_t now);

    /// Limited speed-up: lets a port decide again after all others of this instant.
    void defer_arbitration(std::uint32_t port_number);

    /// Puts the head of a queue on the link, with all consequences.
    void transmit(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now);

    /// Creates the next packet of the message that is next in the round robin, and returns its
    /// place; the packet has left at `end`.
    std::uint32_t cut_packet(std::uint32_t queue_number, std::int64_t now, std::int64_t end);

    /// The last packet of a message has started; the message is in no send queue.
    void end_source(const CreditPort& port, std::uint32_t message, std::int64_t end);

    /// Dequeues the head of a queue of packets, sends its credit back and returns its place.
    std::uint32_t pop_packet(CreditPort& port, std::uint32_t queue_number, std::int64_t end);

    /// To a port here or across the partition boundary.
    void return_credit(const CrossPartitionCredit& credit);

    /// forward() with one path for each pair of NPUs.
    void forward_by_route(const CreditPort& from, std::uint32_t place, const Crossing& crossing);

    /// Multi-path routing: a packet chooses its next hop and joins the queue.
    void packet_in(std::uint32_t place);

    // Members rather than references, so that a step reaches them without indirection.
    CreditNetworkState state_;
    CreditLinks links_;
    CreditStatistics counts_;
    CreditNextHop next_hop_;
    CreditArbiter arbiter_;
    MemberEvent<&SwitchStep::wake> wake_event_{*this};
    MemberEvent<&SwitchStep::wake_again> again_event_{*this};
    MemberEvent<&SwitchStep::packet_in> packet_in_event_{*this};
    CreditPortSchedule schedule_;
    CreditBoundary* boundary_ = nullptr;  ///< where the network is split
    DeferredNotifications notifications_;
};

}  // namespace npunet::packet
