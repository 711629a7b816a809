#include "packet/ethernet/drops.h"

namespace npunet::packet {

void EthernetDrops::count(std::uint32_t number, std::uint32_t wire, PacketDrop why) {
    ++state_.ports[number].drops;
    if (state_.observer != nullptr) {
        state_.observer->packet_lost(LinkId(std::size_t{number}), Bytes(wire), why);
    }
}

void EthernetDrops::drop(std::uint32_t number, std::uint32_t place, PacketDrop why,
                         const char* where) {
    const EthernetPacket& packet = state_.packets[place];
    count(number, packet.wire, why);
    if (!is_reliable_) {
        stall_report_.refuse_loss(number, where);
    }
    state_.telemetry.free(packet.telemetry);
    state_.packets.free(place);
}

}  // namespace npunet::packet
