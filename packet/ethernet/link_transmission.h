#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_errors.h"
#include "packet/base/packet_sizes.h"
#include "packet/routing/ethernet_port.h"

#include "base/quantities.h"
#include "engine/link_clock.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// How a packet crosses a link; times in picoseconds.
struct LinkPassage {
    std::int64_t end = 0;      ///< its last byte has left, or the link is down
    std::int64_t arrival = 0;  ///< all of it is in
    std::int64_t header_in =
        0;                   ///< so much of it is in that it can go on: its header, or all of it
    bool lost = false;       ///< it does not arrive
    bool corrupted = false;  ///< because of an error
};

/// The links of an EthernetNetwork: how long packets occupy them, when they are in, and which are
/// lost on links that are down, slow or late, or have errors. Times in picoseconds.
class EthernetLinks {
public:
    /// @param description the network; must outlive this
    /// @param sizes of packets; must outlive this
    /// @param ports by link, which learn of their links; must outlive this
    EthernetLinks(const topology::NetworkDescription& description, const PacketSizes& sizes,
                  std::vector<EthernetPort>& ports);

    EthernetLinks(const EthernetLinks&) = delete;
    EthernetLinks& operator=(const EthernetLinks&) = delete;

    /// @return those with faults
    const engine::LinkClock& clock() const { return clock_; }

    /// @return whether none has faults or errors
    bool are_regular() const { return !errors_.any() && !clock_.faulty(); }

    /// @return a packet that starts later could end beyond the clock
    std::int64_t last_start() const { return last_start_; }

    /// A packet starts.
    /// @param number of the port
    /// @param wire bytes of the packet
    /// @param now the time
    /// @return how it crosses the link
    LinkPassage cross(std::uint32_t number, std::uint32_t wire, std::int64_t now) {
        EthernetPort& port = ports_[number];
        if (port.irregular) {
            return cross_irregular(number, wire, now);
        }
        LinkPassage passage;
        passage.end = now + sending_time(port, wire);
        passage.arrival = passage.end + port.latency;
        passage.header_in = cut_through_
                                ? now + sending_time(port, std::min(header_, wire)) + port.latency
                                : passage.arrival;
        return passage;
    }

    /// @param packet that has come to a node
    /// @param number of the port by which it goes on
    /// @param now the time
    /// @return when it may leave by that port at the earliest
    std::int64_t ready_at(const EthernetPacket& packet, std::uint32_t number, std::int64_t now) {
        if (!cut_through_) {
            return now;
        }
        EthernetPort& port = ports_[number];
        // A link whose rate changes might run dry: what goes by it is stored.
        return port.irregular ? packet.arrival
                              : std::max(now, packet.arrival - sending_time(port, packet.wire));
    }

    /// @param number of a port
    /// @param now the time
    /// @return from when on its link is up; never: it never is
    std::int64_t up_from(std::uint32_t number, std::int64_t now) const {
        return clock_.up_at(LinkId(std::size_t{number}), Time::ps(now)).ps();
    }

    /// Throws the StallError of a link that is down for ever.
    /// @param number of a port
    /// @param now the time
    [[noreturn]] void refuse(std::uint32_t number, std::int64_t now) const;

private:
    /// @param port of a link without faults
    /// @param wire bytes
    /// @return how long they occupy its link
    std::int64_t sending_time(EthernetPort& port, std::uint32_t wire) const {
        if (wire == full_wire_) {
            return port.full_time;
        }
        if (wire != port.other_wire) {
            port.other_wire = wire;
            port.other_time = transfer_time(Bytes(wire), Rate(port.rate)).ps();
        }
        return port.other_time;
    }

    /// @copydoc cross
    /// Of a link with faults or errors.
    LinkPassage cross_irregular(std::uint32_t number, std::uint32_t wire, std::int64_t now);

    /// @param number of the port of a link that goes down for ever
    /// @param wire bytes of a packet
    /// @param start of the packet
    /// @param down when the link goes down
    /// @return when the packet has left; `down` where it does not get so far
    Time end_before(std::uint32_t number, std::uint32_t wire, Time start, Time down) const;

    std::vector<EthernetPort>& ports_;          ///< by link
    std::uint32_t header_;                      ///< bytes of a header
    std::uint32_t full_wire_;                   ///< bytes of a full packet on the wire
    bool cut_through_;                          ///< else store and forward
    engine::LinkClock clock_;                   ///< links with faults
    PacketErrors errors_;                       ///< of links
    std::vector<std::uint64_t> transmissions_;  ///< by link, where there are errors
    std::vector<std::int64_t> last_arrival_;    ///< by link, where there are faults
    std::int64_t last_start_ = 0;               ///< a later start passes the clock's end
};

}  // namespace npunet::packet
