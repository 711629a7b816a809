// The next hops of packets in an Ethernet network. If every pair of NPUs has one path, a packet
// holds the index of its next link in it. With per-packet routing (a topology::MultipathRouter,
// also used for rerouting around failed links) each packet selects at each node, among all offered
// next hops, the one with the least OfferedHop::weight x time in which the link would send the
// packet and all that wait for it; a failed link is selected only if all candidates have failed.
//
//     packet.hop = routes.first_hop(source, destination);
//     while (!routes.is_last(packet)) { ...; routes.advance(place, packet, now); }
#pragma once

#include "base/pool.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"
#include "packet/routing/packet_path.h"

#include "engine/network/link_clock.h"
#include "topology/network/network_description.h"
#include "topology/network/reroutes.h"
#include "topology/routing/multipath.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace npunet::packet {

/// What tells the packets of a queue pair apart where they choose their paths.
struct PacketDraw {
    std::uint64_t hash = 0;    ///< pseudo-random
    std::uint64_t number = 0;  ///< counts the packets of the direction
};

class EthernetNextHop {
public:
    /// All arguments must outlive this. `ports` is by link.
    EthernetNextHop(const topology::NetworkDescription& description,
                    const std::vector<EthernetPort>& ports, const engine::LinkClock& clock);

    /// Whether routing is per packet.
    bool are_chosen() const { return router_ != nullptr; }

    /// Null if no link ever fails.
    topology::Reroutes* reroutes() const { return reroutes_.get(); }

    /// Only if routing is not per packet: the index of the first hop of a pair's path.
    std::uint32_t first_hop(std::uint32_t source, std::uint32_t destination);

    /// The link that the packet waits for or is on.
    std::uint32_t link_of(const EthernetPacket& packet) const { return coded(packet) & ~last_hop; }

    /// Whether that link ends at the packet's destination.
    bool is_last(const EthernetPacket& packet) const { return (coded(packet) & last_hop) != 0; }

    /// Only if routing is not per packet: the link of a hop.
    std::uint32_t link_at(std::uint32_t hop) const { return hops_[hop] & ~last_hop; }

    // Per-packet routing, except where noted.

    /// The hash of a packet is mix(mix(mix(seed) xor key) + number) (mix:
    /// PacketErrors). `key` is that of the queue pair, or its complement for the reverse direction;
    /// `number` counts the packets of that direction.
    PacketDraw draw(std::uint64_t key, std::uint64_t number) const;

    /// Selects the first hop of a queue pair's next packet, before that packet exists; returns its
    /// link. `drawn`: from draw(); `wire`: bytes of the packet; `start`: when it may start at the
    /// earliest. What ports are sending counts until then only.
    std::uint32_t choose_for_pair(std::uint32_t pair, std::uint32_t source,
                                  std::uint32_t destination, const PacketDraw& drawn,
                                  std::uint32_t wire, std::int64_t now, std::int64_t start);

    /// A port is about to send a packet of a queue pair, which may select for its next one before
    /// the port counts as busy.
    void begin_sending(std::uint32_t link, std::uint32_t wire, std::int64_t now);

    /// A packet takes the hop selected for its queue pair.
    void take_from_pair(std::uint32_t place, EthernetPacket& packet, std::uint32_t pair);

    /// Selects the first hop of a packet that is not in the send queue of a queue pair. Without
    /// per-packet routing, sets the first hop of its path.
    void start(std::uint32_t place, EthernetPacket& packet, std::uint32_t source,
               std::uint32_t destination, const PacketDraw& drawn, std::int64_t now);

    /// A packet has arrived at a node that is not its destination: sets its next hop. With
    /// and without per-packet routing.
    void advance(std::uint32_t place, EthernetPacket& packet, std::int64_t now) {
        if (router_ == nullptr) {
            ++packet.hop;
            return;
        }
        choose_next(place, packet, now);
    }

    PacketPath& path_of(std::uint32_t place) { return at_place(of_packets_, place); }

private:
    /// Flag in a link's number: the link ends at the destination.
    static constexpr std::uint32_t last_hop = 0x80000000;
    /// A path not computed yet.
    static constexpr std::uint32_t unknown = 0xffffffff;

    /// The link, with last_hop.
    std::uint32_t coded(const EthernetPacket& packet) const {
        return router_ == nullptr ? hops_[packet.hop] : packet.hop;
    }

    /// The selected link, with last_hop.
    std::uint32_t coded_link(const PacketPath& path) const;

    /// A packet is at its source. The queue pairs of an NPU begin one after the other.
    static void begin(PacketPath& path, std::uint32_t source, std::uint32_t destination,
                      const PacketDraw& drawn);

    void choose(PacketPath& path, std::uint32_t wire, std::int64_t now);

    /// `busy_of`: of a port and its link, how long the packet would wait for what is being sent.
    template <class BusyOf>
    void choose(PacketPath& path, std::uint32_t wire, std::int64_t now, const BusyOf& busy_of);

    /// advance() with per-packet routing.
    void choose_next(std::uint32_t place, EthernetPacket& packet, std::int64_t now);

    const topology::NetworkDescription& description_;
    const std::vector<EthernetPort>& ports_;  ///< by link
    const engine::LinkClock& clock_;
    std::unique_ptr<topology::Reroutes> reroutes_;   ///< null if no link ever fails
    const topology::MultipathRouter* router_;        ///< null: no per-packet routing
    std::vector<std::vector<std::uint32_t>> first_;  ///< by source, then destination
    std::vector<std::uint32_t> hops_;                ///< all computed paths, end to end
    std::vector<PacketPath> of_packets_;             ///< by place
    std::vector<PacketPath> of_pairs_;               ///< by number of the queue pair
    std::vector<topology::OfferedHop> offered_;      ///< to the selecting packet
    std::uint32_t sending_link_ = none;              ///< begin_sending()
    std::int64_t sending_until_ = 0;                 ///< when that port is free again
};

}  // namespace npunet::packet
