#pragma once

#include "packet/base/member_event.h"
#include "packet/credit/arbiter.h"
#include "packet/credit/credit_boundary.h"
#include "packet/credit/deferred_notifications.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"
#include "packet/credit/next_hop.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/statistics.h"

#include "engine/event_queue.h"
#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet {

/// The step of a CreditNetwork: a port decides, a packet crosses its link, joins the queue of its
/// next hop, and sends credit back. When ports decide is CreditPortSchedule's; what drives them, by
/// events or window by window, calls decide_if_due().
///
/// Parts of the network may do so at the same time, each for its own ports
/// (CreditNetworkState::partMask): what they do to one another is kept as mail, until open_mail().
class SwitchStep {
public:
    /// @param description the network, which was checked; must outlive this
    /// @param route its routes
    /// @param queue the simulation's events; must outlive this
    /// @param handlers are told of messages; must outlive this
    /// @param turn handles the event of all ports; must outlive this
    SwitchStep(const topology::NetworkDescription& description, RouteFunction route,
               engine::EventQueue& queue, const MessageHandlers& handlers,
               engine::EventHandler& turn);

    /// @return ports, queues, packets and messages
    CreditNetworkState& state() { return state_; }

    /// @return what is counted of ports
    CreditStatistics& counts() { return counts_; }

    /// @return finds ways, where there are several
    CreditNextHop& finder() { return finder_; }

    /// @return what ports have to tell
    DeferredNotifications& notifications() { return notifications_; }

    /// @return when ports decide
    CreditPortSchedule& schedule() { return schedule_; }

    /// @param fast_forward hears of what happens at ports that it watches; null for nobody
    void set_fast_forward(CreditFastForward* fast_forward) {
        fast_forward_ = fast_forward;
        notifications_.set_fast_forward(fast_forward);
    }

    /// @param boundary between the parts of a split network; null where it is whole
    void set_boundary(CreditBoundary* boundary) { boundary_ = boundary; }

    /// A message starts.
    /// @param message its place; it knows its first hop
    void start(std::uint32_t message);

    /// A message waits for its turn where its next packet starts, from now on.
    /// @param message its place, in no turn list
    void await_turn(std::uint32_t message);

    /// @param port_number a port that decides, unless its wish was taken back
    /// @param now in picoseconds
    void decide_if_due(std::uint32_t port_number, std::int64_t now) {
        CreditPort& port = state_.ports[port_number];
        if (port.wake == now) {
            port.wake = never;
            const std::int64_t before = port.packets;
            decide(port_number, now);
            state_.part_of(port).handled += static_cast<std::uint64_t>(port.packets - before);
        }
    }

    /// Gives those their second chance that have left an input to others.
    /// @param part in which they are
    /// @param now in picoseconds
    void decide_again(ThreadPartition& part, std::int64_t now) {
        for (const std::uint32_t port : part.again) {
            decide_again(port, now);
        }
        part.again.clear();
    }

    /// Finds out when a port has to decide next, and sets its wake or its `waiting` bits.
    /// @param port_number the port
    /// @param from in picoseconds; no decision before it
    void plan_wake(std::uint32_t port_number, std::int64_t from);

    /// A packet is on a link to a node that is not its destination.
    /// @param port_number of the link
    /// @param place of the packet, whose hop is that link still
    /// @param crossing how it crosses the link
    /// @param number of the packet on the link
    void go_on(std::uint32_t port_number, std::uint32_t place, const Crossing& crossing,
               std::int64_t number);

    /// Puts a packet into the queue of its next hop, where it will be at packet.ready.
    /// @param place of the packet
    void push(std::uint32_t place);

    /// A packet is on its last link.
    /// @param port of the link
    /// @param message that it belongs to
    /// @param last whether it is the last of the message
    /// @param arrival when it will be in, in picoseconds
    void arrive(const CreditPort& port, std::uint32_t message, bool last, std::int64_t arrival);

    /// Credit of a port is on its way back, and the port is in this part of a split network.
    /// @param credit and for whom it is
    void take_credit(const CrossPartitionCredit& credit);

    /// What other parts have sent to one of them.
    /// @param number of the part
    void open_mail(std::uint32_t number);

private:
    /// An event of a port is due.
    /// @param port_number the port
    void wake(std::uint32_t port_number);

    /// A port chooses, if it is idle, and plans its next wake.
    /// @param port_number the port
    /// @param now in picoseconds
    void decide(std::uint32_t port_number, std::int64_t now);

    /// A port that left an input to others has its second chance.
    /// @param port_number the port
    void wake_again(std::uint32_t port_number);

    /// @copydoc decide
    /// Others have chosen already.
    void decide_again(std::uint32_t port_number, std::int64_t now);

    /// Limited speed-up: lets a port decide again when all others have at this instant.
    /// @param port_number the port
    void defer_arbitration(std::uint32_t port_number);

    /// Puts the head of a queue on the link, with everything that follows from it.
    /// @param port_number the port
    /// @param queue_number a queue of the port
    /// @param now in picoseconds
    void transmit(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now);

    /// Makes the next packet of the message whose turn it is.
    /// @param queue_number a queue of messages
    /// @param now in picoseconds
    /// @param end when the packet has left
    /// @return the packet
    std::uint32_t cut_packet(std::uint32_t queue_number, std::int64_t now, std::int64_t end);

    /// The last packet of a message has started.
    /// @param port at which it has
    /// @param message its place, in no turn list
    /// @param end when the packet has left
    void end_source(const CreditPort& port, std::uint32_t message, std::int64_t end);

    /// Takes the head out of a queue and sends its credit back.
    /// @param port of the queue
    /// @param queue_number a queue of packets
    /// @param end when the packet has left
    /// @return the packet
    std::uint32_t pop_packet(CreditPort& port, std::uint32_t queue_number, std::int64_t end);

    /// Credit of a port is on its way back.
    /// @param credit and for whom it is
    void return_credit(const CrossPartitionCredit& credit);

    /// go_on() where every pair of NPUs has one path.
    /// @param from the port of the link
    /// @param place of the packet
    /// @param crossing how it crosses the link
    void go_on_by_route(const CreditPort& from, std::uint32_t place, const Crossing& crossing);

    /// Multi-path routing: a packet chooses its next hop, and joins the queue of it.
    /// @param place of the packet
    void packet_in(std::uint32_t place);

    // Side by side, so that a step finds them without a detour.
    CreditNetworkState state_;                          ///< ports, queues, packets and messages
    CreditLinks links_;                                 ///< how packets cross the links
    CreditStatistics counts_;                           ///< what is counted of ports
    CreditNextHop finder_;                              ///< finds ways, where there are several
    CreditArbiter arbiter_;                             ///< which head goes
    MemberEvent<&SwitchStep::wake> wake_event_{*this};  ///< of ports
    MemberEvent<&SwitchStep::wake_again> again_event_{*this};     ///< of ports
    MemberEvent<&SwitchStep::packet_in> packet_in_event_{*this};  ///< of multi-path routing
    CreditPortSchedule schedule_;                                 ///< when ports decide
    CreditFastForward* fast_forward_ = nullptr;                   ///< packet trains, or null
    CreditBoundary* boundary_ = nullptr;                          ///< where the network is split
    DeferredNotifications notifications_;                         ///< what ports have to tell
};

}  // namespace npunet::packet
