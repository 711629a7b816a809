// Links of an EthernetNetwork: how long packets occupy them, when packets arrive, and which are
// lost, including links with faults and errors. Times in ps.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_errors.h"
#include "packet/base/sending_time.h"
#include "packet/ethernet/network_state.h"
#include "packet/routing/ethernet_port.h"

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/link_clock.h"
#include "engine/network/network.h"
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
    /// Sets the link parameters of the state's ports. The references must outlive this.
    EthernetLinks(const topology::NetworkDescription& description, EthernetNetworkState& state);

    EthernetLinks(const EthernetLinks&) = delete;
    EthernetLinks& operator=(const EthernetLinks&) = delete;

    const engine::LinkClock& clock() const { return clock_; }

    /// Whether no link has faults or errors.
    bool are_regular() const { return !errors_.any() && !clock_.faulty(); }

    /// A packet that starts later could end beyond the clock's range.
    std::int64_t last_start() const { return last_start_; }

    /// A packet of `wire` bytes starts at the port. Throws StallError if its end could lie beyond
    /// the clock's range.
    LinkPassage cross(std::uint32_t number, std::uint32_t wire, std::int64_t now) {
        if (now > last_start_) {
            state_.clock.refuse_late();
        }
        EthernetPort& port = state_.ports[number];
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
        EthernetPort& port = state_.ports[number];
        // With cut-through, a link whose rate changes could underrun: packets for it are stored
        // whole.
        return port.irregular ? packet.arrival
                              : std::max(now, packet.arrival - sending_time(port, packet.wire));
    }

    /// A packet is on the link, behind those already there. `ready`: as in PacketQueue.
    void fly(std::uint32_t link, std::uint32_t place, std::int64_t ready) {
        PacketQueue& flight = state_.ports[link].flight;
        const bool first = flight.head == none;
        flight.append(state_.packets, place, ready);
        if (first) {
            state_.schedule.await_arrival(link);
        }
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
        return packet::sending_time(port, wire, full_wire_, Rate(port.rate));
    }

    /// cross() for a link with faults or errors.
    LinkPassage cross_irregular(std::uint32_t number, std::uint32_t wire, std::int64_t now);

    /// When a packet has left a link that goes down permanently at `down`; `down` if it has not by
    /// then.
    Time end_before(std::uint32_t number, std::uint32_t wire, Time start, Time down) const;

    EthernetNetworkState& state_;
    std::uint32_t header_;     ///< bytes
    std::uint32_t full_wire_;  ///< bytes of a full packet, header included
    bool cut_through_;         ///< else store and forward
    engine::LinkClock clock_;
    PacketErrors errors_;
    std::vector<std::uint64_t> transmissions_;  ///< by link, if there are errors
    std::vector<std::int64_t> last_arrival_;    ///< by link, if there are faults or errors
    std::int64_t last_start_;
};

}  // namespace npunet::packet
