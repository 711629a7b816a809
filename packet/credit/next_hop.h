#pragma once

#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"
#include "packet/routing/adaptive_routing.h"

#include "engine/network.h"
#include "topology/network_description.h"
#include "topology/reroutes.h"

#include <cstdint>
#include <memory>

namespace npunet::packet {

/// Multi-path routing: how packets and messages that have several ways choose among them, hop by
/// hop, and round links that are down. It keeps CreditNetworkState::ways and the hops of the plan
/// that follow from them; others move the packets.
///
///     finder.open(message, sent);              // its next packet has chosen its first hop
///     if (finder.cut(message, place, end))     // the packet starts, and the next one chooses
///     {
///         ...                                  // another queue than before
///     }
///     finder.cross(place, crossing);           // the packet is on its link
///     finder.choose(place);                    // and chooses the next one
///
/// Little of this is called where every pair of NPUs has one path (PacketPaths::router).
class CreditNextHop {
public:
    /// All of these must outlive this.
    /// @param state ports, packets, messages and their ways
    /// @param links how packets cross them
    CreditNextHop(CreditNetworkState& state, CreditLinks& links);

    CreditNextHop(const CreditNextHop&) = delete;
    CreditNextHop& operator=(const CreditNextHop&) = delete;

    /// Finds out how packets find their ways.
    /// @param description the network; must outlive this
    void use(const topology::NetworkDescription& description);

    /// @return where faults take links down; otherwise null
    topology::Reroutes* reroutes() const { return reroutes_.get(); }

    /// @param port_number of an irregular link that is up
    /// @param wire bytes of a packet
    /// @param now in picoseconds
    /// @return whether the packet may start now: where there are detours, it does so only when it
    /// is
    ///         through before the link is down for ever
    bool gets_through(std::uint32_t port_number, std::uint32_t wire, std::int64_t now);

    /// Reroutes.
    /// @param port_number of a link
    /// @return since when it is down for ever, in picoseconds; Time::max() for never
    std::int64_t dead_from(std::uint32_t port_number) const {
        return reroutes_->dead_from(LinkId(std::size_t{port_number})).ps();
    }

    /// A message starts.
    /// @param message its place
    /// @param sent what is known of it
    void open(std::uint32_t message, const engine::Message& sent);

    /// Packets of a message come in here that has started elsewhere.
    /// @param message its place
    /// @param bytes of the message
    void open_foreign(std::uint32_t message, std::int64_t bytes);

    /// The next packet of a message, which has chosen its first hop, chooses anew.
    /// @param message its place
    void choose_start_anew(std::uint32_t message);

    /// A packet has been cut, and the next one of its message chooses.
    /// @param message its place
    /// @param place of the packet
    /// @param end when it has left, in picoseconds
    /// @return whether there is a next packet, which starts elsewhere than this one
    bool cut(std::uint32_t message, std::uint32_t place, std::int64_t end);

    /// A packet starts on the hop that it had chosen.
    /// @param place of the packet
    void leave(std::uint32_t place) { chooser_.leave(state_.paths.of_packet(place)); }

    /// A packet is on a link to a node that is not its destination.
    /// @param place of the packet
    /// @param crossing how it crosses the link
    void cross(std::uint32_t place, const Crossing& crossing);

    /// A packet is in at a node, chooses its next hop, and may join the queue of it.
    /// @param place of the packet
    void choose(std::uint32_t place);

    /// A packet in no queue that has chosen its next hop chooses another one.
    /// @param place of the packet
    void choose_anew(std::uint32_t place);

    /// A packet is on its last link.
    /// @param message its message
    /// @param arrival when it will be in, in picoseconds
    /// @return whether the others were, too: the message is delivered at `lastArrival` of its ways
    bool arrive(std::uint32_t message, std::int64_t arrival);

private:
    /// The next packet of a message chooses its first hop.
    /// @param message its place
    void choose_start(std::uint32_t message);

    /// A packet chooses among the ways on.
    /// @param path of the packet
    void choose_path(PacketPath& path);

    /// A packet has chosen: writes down the hop, and when it may leave.
    /// @param place of the packet
    void plan_hop(std::uint32_t place);

    CreditNetworkState& state_;                     ///< packets, messages and their ways
    CreditLinks& links_;                            ///< how packets cross them
    AdaptiveRouting chooser_;                       ///< weighs the ways
    std::unique_ptr<topology::Reroutes> reroutes_;  ///< where faults take links down
};

}  // namespace npunet::packet
