// Links of an EthernetNetwork: how long packets occupy them, when packets arrive, and which are
// lost, including links with faults and errors. Times in ps.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_errors.h"
#include "packet/base/packet_sizes.h"
#include "packet/routing/ethernet_port.h"

#include "base/quantities.h"
#include "engine/network/link_clock.h"
#include "topology/network/network_description.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// How a packet crosses a link; in ps.
struct LinkPassage {
    std::int64_t end = 0;        ///< its last byte has left, or the link goes down
    std::int64_t arrival = 0;    ///< its last byte has arrived
    std::int64_t header_in = 0;  ///< it may be forwarded: its header has arrived, or all of it
    bool lost = false;
    bool corrupted = false;  ///< lost by an error
};

class EthernetLinks {
public:
    /// The references must outlive this. Sets the link parameters of `ports`.
    EthernetLinks(const topology::NetworkDescription& description, const PacketSizes& sizes,
                  std::vector<EthernetPort>& ports);

    EthernetLinks(const EthernetLinks&) = delete;
    EthernetLinks& operator=(const EthernetLinks&) = delete;

    const engine::LinkClock& clock() const { return clock_; }

    /// Whether no link has faults or errors.
    bool are_regular() const { return !errors_.any() && !clock_.faulty(); }

    /// A packet that starts later could end beyond the clock's range.
    std::int64_t last_start() const { return last_start_; }

    /// A packet of `wire` bytes starts at the port.
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

    /// Earliest start at port `number` of a packet that has arrived at its node.
    std::int64_t ready_at(const EthernetPacket& packet, std::uint32_t number, std::int64_t now) {
        if (!cut_through_) {
            return now;
        }
        EthernetPort& port = ports_[number];
        // With cut-through, a link whose rate changes could underrun: packets for it are stored
        // whole.
        return port.irregular ? packet.arrival
                              : std::max(now, packet.arrival - sending_time(port, packet.wire));
    }

    /// When the port's link is up, at `now` or later; never: not again.
    std::int64_t up_from(std::uint32_t number, std::int64_t now) const {
        return clock_.up_at(LinkId(std::size_t{number}), Time::ps(now)).ps();
    }

    /// Throws the StallError of a link that is down permanently.
    [[noreturn]] void refuse(std::uint32_t number, std::int64_t now) const;

private:
    /// How long `wire` bytes occupy a link without faults.
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

    /// cross() for a link with faults or errors.
    LinkPassage cross_irregular(std::uint32_t number, std::uint32_t wire, std::int64_t now);

    /// When a packet has left a link that goes down permanently at `down`; `down` if it has not by
    /// then.
    Time end_before(std::uint32_t number, std::uint32_t wire, Time start, Time down) const;

    std::vector<EthernetPort>& ports_;
    std::uint32_t header_;     ///< bytes
    std::uint32_t full_wire_;  ///< bytes of a full packet, header included
    bool cut_through_;         ///< else store and forward
    engine::LinkClock clock_;
    PacketErrors errors_;
    std::vector<std::uint64_t> transmissions_;  ///< by link, if there are errors
    std::vector<std::int64_t> last_arrival_;    ///< by link, if there are faults or errors
    std::int64_t last_start_ = 0;
};

}  // namespace npunet::packet
