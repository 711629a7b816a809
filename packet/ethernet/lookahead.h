// Advances the nodes of an EthernetNetwork in lookahead windows, where that is possible. What
// happens at one node affects others one link latency later at the earliest, so that within the
// shortest latency each node advances independently, without events. A window ends with the next
// event of the queue: whatever begins or ends a message is an event, as are the arrivals that may
// end one (QueuePairs::may_end_message()), so that everything outside sees all nodes at the time of
// the queue.
//
// Where other events share an instant, or another simulator the clock, the nodes do what is due in
// this instant only: deliveries by link, decisions by port, as if each had an event of its own.
//
// Fast-forward (PeriodicTransport) samples the state when packets of one port, the anchor, have
// left. While it does, the anchor's node goes ahead of the others in each window, which ends with
// the first sample.
//
// Times in picoseconds.
#pragma once

#include "packet/base/member_event.h"
#include "packet/ethernet/egress.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/ethernet/ingress.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"

#include "engine/clock/event_queue.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class EthernetLookahead {
public:
    /// The references must outlive this.
    EthernetLookahead(const topology::NetworkDescription& description, engine::EventQueue& queue,
                      EthernetNetworkState& state, EthernetIngress& ingress, EthernetEgress& egress,
                      EthernetFastForward& fast_forward)
        : description_(description),
          queue_(queue),
          state_(state),
          ingress_(ingress),
          egress_(egress),
          fast_forward_(fast_forward) {}

    EthernetLookahead(const EthernetLookahead&) = delete;
    EthernetLookahead& operator=(const EthernetLookahead&) = delete;

    /// Before the first message: decides whether windows are possible. `wanted`: nothing needs to
    /// observe every packet in the order of time.
    void choose_mode(bool wanted, const EthernetLinks& links);

    /// The event of all links and ports.
    void deliver(std::uint32_t);

    /// The event of all ports: those whose time it is decide.
    void decide(std::uint32_t);

private:
    /// How long windows may be; 0: there are none.
    std::int64_t longest_window(bool wanted, const EthernetLinks& links) const;

    /// Whether nodes may be advanced beyond the present instant.
    bool may_run_ahead() const;

    /// Delivers what is due in this instant, or goes on with it. False if events of the queue are
    /// to precede what is left, which has an event then.
    bool deliver_now();

    /// Lets the ports decide that are due in this instant.
    void decide_now();

    /// Runs window after window from `from` on, until an event of the queue is due.
    void run_windows(std::int64_t from);

    /// The window that begins at `from`, before end_of_window().
    void run_window(std::int64_t from);

    std::int64_t end_of_window(std::int64_t from) const;

    /// Lets a node do all that is due before `limit`, and before the first sample if it is the
    /// anchor's node: returns the lower of the two.
    std::int64_t advance_node(std::uint32_t node, std::int64_t limit);

    /// What is due at the node at `at`: links deliver, then ports decide, each by number.
    void advance_instant(std::uint32_t node, std::int64_t at);

    /// Counts all but one of these, which stands for an event of the queue.
    void count_others(std::size_t events);

    /// Sets `due_` to the slots that are due, in this instant, in ascending order.
    void collect_due(std::uint32_t first, std::uint32_t end);

    /// Sets the nodes' times after slots of collect_due().
    void leave_due();

    const topology::NetworkDescription& description_;
    engine::EventQueue& queue_;
    EthernetNetworkState& state_;
    EthernetIngress& ingress_;
    EthernetEgress& egress_;
    EthernetFastForward& fast_forward_;
    std::int64_t lookahead_ = 0;      ///< the longest window
    std::int64_t from_ = 0;           ///< the present window
    std::int64_t latest_ = 0;         ///< until when a node has been advanced
    std::uint64_t events_ = 0;        ///< deliveries and decisions of the window
    std::vector<std::uint32_t> due_;  ///< slots,
    std::size_t next_due_ = 0;        ///< the next of them,
    std::int64_t due_at_ = -1;        ///< and the instant
};

}  // namespace npunet::packet
