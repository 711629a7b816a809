#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"

#include "engine/link_clock.h"
#include "topology/multipath.h"
#include "topology/network_description.h"
#include "topology/reroutes.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace npunet::packet {

/// What a packet that chooses its way knows.
struct EthernetPath {
    topology::PacketPlace place;  ///< where it is
    topology::Hop hop;            ///< the hop it has chosen
    topology::Hop then;           ///< the hop behind that one, where it is chosen already
    std::uint32_t memory = 0;     ///< what it will remember behind the hop
};

/// How packets of a network with Ethernet-like switches find their ways. Where every pair of NPUs
/// has one path, a packet carries the index of its next link in it. Where packets choose
/// (topology::MultipathRouter, and round links that are down) each chooses when it comes to a node,
/// among all ways that the router names, the one whose link would send soonest what waits for it
/// and the packet, times Way::weight; links that are down are nobody's first choice.
///
///     packet.hop = routes.first_hop(source, destination);
///     while (!routes.is_last(packet)) { ...; routes.go_on(place, packet, now); }
class EthernetNextHop {
public:
    /// @param description the network; must outlive this
    /// @param ports by link; must outlive this
    /// @param clock of links with faults; must outlive this
    EthernetNextHop(const topology::NetworkDescription& description,
                    const std::vector<EthernetPort>& ports, const engine::LinkClock& clock);

    /// @return whether packets choose
    bool are_chosen() const { return router_ != nullptr; }

    /// @return the ways round links that are down; null where none ever is
    topology::Reroutes* reroutes() const { return reroutes_.get(); }

    /// Packets do not choose.
    /// @param source an NPU
    /// @param destination another NPU
    /// @return index of the first hop of its path
    std::uint32_t first_hop(std::uint32_t source, std::uint32_t destination);

    /// @param packet that stands at the source of a link, or is on it
    /// @return the link
    std::uint32_t link_of(const EthernetPacket& packet) const { return coded(packet) & ~last_hop; }

    /// @param packet with a link
    /// @return whether the link ends at its destination
    bool is_last(const EthernetPacket& packet) const { return (coded(packet) & last_hop) != 0; }

    /// Packets do not choose.
    /// @param hop of a path
    /// @return its link
    std::uint32_t link_at(std::uint32_t hop) const { return hops_[hop] & ~last_hop; }

    /// Packets choose.
    /// @param key of a queue pair, with all bits turned round for its way back
    /// @param number of a packet on that way
    /// @return what is drawn for the packet, which looks random:
    ///         mix(mix(mix(seed) xor key) + number) (mix: PacketErrors)
    std::uint64_t draw(std::uint64_t key, std::uint64_t number) const;

    /// Packets choose: the next packet of a queue pair does, before there is one.
    /// @param pair number of the queue pair
    /// @param source where it starts
    /// @param destination where it goes
    /// @param hash a number that looks random
    /// @param wire its bytes
    /// @param now in picoseconds
    /// @return the link by which it will start
    std::uint32_t choose_for_pair(std::uint32_t pair, std::uint32_t source,
                                  std::uint32_t destination, std::uint64_t hash, std::uint32_t wire,
                                  std::int64_t now);

    /// Packets choose: a packet takes what was chosen for its queue pair.
    /// @param place of the packet
    /// @param packet the packet
    /// @param pair number of the queue pair
    void take_from_pair(std::uint32_t place, EthernetPacket& packet, std::uint32_t pair);

    /// Packets choose: one that belongs to no line of a queue pair starts.
    /// @param place of the packet
    /// @param packet the packet
    /// @param source where it starts
    /// @param destination where it goes
    /// @param hash a number that looks random
    /// @param now in picoseconds
    void start(std::uint32_t place, EthernetPacket& packet, std::uint32_t source,
               std::uint32_t destination, std::uint64_t hash, std::int64_t now);

    /// A packet has come to a node that is not its destination.
    /// @param place of the packet
    /// @param packet the packet; afterwards with its next link
    /// @param now in picoseconds
    void go_on(std::uint32_t place, EthernetPacket& packet, std::int64_t now) {
        if (router_ == nullptr) {
            ++packet.hop;
            return;
        }
        choose_next(place, packet, now);
    }

    /// Packets choose.
    /// @param place of a packet
    /// @return its way
    EthernetPath& path_of(std::uint32_t place) { return at(of_packets_, place); }

private:
    /// Stands in a link's number: the link ends at the destination.
    static constexpr std::uint32_t last_hop = 0x80000000;
    /// A path not yet asked for.
    static constexpr std::uint32_t unknown = 0xffffffff;

    /// @param packet with a link
    /// @return the link, with last_hop
    std::uint32_t coded(const EthernetPacket& packet) const {
        return router_ == nullptr ? hops_[packet.hop] : packet.hop;
    }

    /// @param path of a packet
    /// @return the chosen link, with last_hop
    std::uint32_t coded_link(const EthernetPath& path) const;

    /// @param path of a packet that chooses
    /// @param wire its bytes
    /// @param now in picoseconds
    void choose(EthernetPath& path, std::uint32_t wire, std::int64_t now);

    /// @copydoc go_on
    void choose_next(std::uint32_t place, EthernetPacket& packet, std::int64_t now);

    /// @param paths by place or number
    /// @param index place or number
    /// @return the way there
    static EthernetPath& at(std::vector<EthernetPath>& paths, std::uint32_t index) {
        if (index >= paths.size()) {
            paths.resize(index + std::size_t{1});
        }
        return paths[index];
    }

    const topology::NetworkDescription& description_;  ///< the network
    const std::vector<EthernetPort>& ports_;           ///< by link
    const engine::LinkClock& clock_;                   ///< of irregular links
    std::unique_ptr<topology::Reroutes> reroutes_;     ///< where faults take links down
    const topology::MultipathRouter* router_;          ///< null: packets do not choose
    std::vector<std::vector<std::uint32_t>> first_;    ///< by source, then destination
    std::vector<std::uint32_t> hops_;                  ///< all paths asked for, end to end
    std::vector<EthernetPath> of_packets_;             ///< by place
    std::vector<EthernetPath> of_pairs_;               ///< by number of the queue pair
    std::vector<topology::OfferedHop> offered_;        ///< to the packet that is choosing
};

}  // namespace npunet::packet
