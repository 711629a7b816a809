// Lost packets of an EthernetNetwork: counts and reports them; without a transport a loss ends the
// run.
#pragma once

#include "packet/base/packet_observer.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/stall_report.h"

#include <cstdint>

namespace npunet::packet {

class EthernetDrops {
public:
    /// `is_reliable`: there is a transport. The references must outlive this.
    EthernetDrops(bool is_reliable, EthernetNetworkState& state,
                  const EthernetStallReport& stall_report)
        : is_reliable_(is_reliable), state_(state), stall_report_(stall_report) {}

    /// A packet, or its payload, is lost at the port.
    void count(std::uint32_t number, std::uint32_t place, PacketDrop why) {
        ++state_.ports[number].drops;
        if (state_.observer != nullptr) {
            state_.observer->packet_lost(LinkId(std::size_t{number}),
                                         state_.observed(place, number), why);
        }
    }

    /// The same, and frees the packet. Throws StallError, with `where` in its message, if there is
    /// no transport, unless it is a datagram.
    void drop(std::uint32_t number, std::uint32_t place, PacketDrop why, const char* where) {
        count(number, place, why);
        if (state_.packets[place].datagram) {
            state_.owners.datagram_is_lost(state_.packets[place]);
        } else if (!is_reliable_) {
            stall_report_.refuse_loss(number, where);
        }
        state_.telemetry.free(state_.packets[place].telemetry);
        state_.packets.free(place);
    }

private:
    bool is_reliable_;
    EthernetNetworkState& state_;
    const EthernetStallReport& stall_report_;
};

}  // namespace npunet::packet
