// Multi-path routing: how packets and messages with several candidate next hops choose among them,
// hop by hop, and around failed links. Maintains CreditNetworkState::paths and the hops of the plan
// that follow from them; SwitchStep moves the packets.
//
//     next_hop.open(message, sent);                // its next packet has chosen its first hop
//     if (next_hop.cut(message, place, now, end))  // the packet starts, the next one chooses
//     {
//         ...                                      // another queue than before
//     }
//     next_hop.cross(place, crossing);             // the packet is on its link
//     next_hop.choose(place);                      // and chooses the next one
//
// Hardly used where every pair of NPUs has one path (CreditPaths::router is null).
//
// Times in picoseconds. A place is the index of a packet in the pool or of a message in the table.
#pragma once

#include "packet/credit/adaptive_routing.h"
#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"

#include "engine/network/network.h"
#include "topology/network/network_description.h"
#include "topology/network/reroutes.h"

#include <cstdint>
#include <memory>

namespace npunet::packet {

class CreditNextHop {
public:
    /// Both must outlive this.
    CreditNextHop(CreditNetworkState& state, CreditLinks& links);

    /// Sets the router of the description, which must outlive this.
    void use(const topology::NetworkDescription& description);

    /// Null unless faults take links down.
    topology::Reroutes* reroutes() const { return reroutes_.get(); }

    /// Whether a packet may start on an irregular link that is up. With reroutes it may only if it
    /// is through before the link fails for good.
    bool gets_through(std::uint32_t port_number, std::uint32_t wire, std::int64_t now);

    /// With reroutes: since when the link is down for ever; Time::max() for never.
    std::int64_t dead_from(std::uint32_t port_number) const {
        return reroutes_->dead_from(LinkId(std::size_t{port_number})).ps();
    }

    /// A message starts.
    void open(std::uint32_t message, const engine::Message& sent);

    /// Packets arrive here of a message that has started in another partition.
    void open_remote(std::uint32_t message, std::int64_t bytes);

    /// The next packet of a message chooses its first hop again.
    void choose_start_again(std::uint32_t message);

    /// A packet that leaves from `now` to `end` has been created, and the next one of its message
    /// chooses. Whether there is one and it uses another queue.
    bool cut(std::uint32_t message, std::uint32_t place, std::int64_t now, std::int64_t end);

    /// A packet starts on the hop that it had chosen.
    void leave(std::uint32_t place) { routing_.leave(state_.paths.of_packet(place)); }

    /// A packet is on a link to a node that is not its destination.
    void cross(std::uint32_t place, const Crossing& crossing);

    /// A packet has arrived at a node: chooses its next hop, whose queue it may then join.
    PlannedHop choose(std::uint32_t place);

    /// A packet in no queue that has chosen its next hop chooses again.
    void choose_again(std::uint32_t place);

    /// A packet is on its last link. Whether it was the last one: the message is then delivered at
    /// MessagePaths::last_arrival.
    bool arrive(std::uint32_t message, std::int64_t arrival);

private:
    /// The next packet of a message chooses its first hop.
    void choose_start(std::uint32_t message, std::int64_t now);

    /// Chooses among the offered next hops.
    void choose_path(CreditPath& path, std::int64_t now);

    /// Records the chosen hop, which it returns, and when the packet may leave.
    PlannedHop plan_hop(std::uint32_t place);

    CreditNetworkState& state_;
    CreditLinks& links_;
    AdaptiveRouting routing_;
    std::unique_ptr<topology::Reroutes> reroutes_;  ///< or null
};

}  // namespace npunet::packet
