// How long the packets of a message occupy a link, which is its work there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/quantities.h"
#include "topology/parameters/packet_parameters.h"

namespace npunet::analytical {

/// A message as packets: all full but the last; an empty message is one header.
struct PacketCount {
    PacketCount(Bytes bytes, const topology::PacketParameters& packet)
        : packets(std::max<std::int64_t>(
              1, (bytes.value() + packet.mtu.value() - 1) / packet.mtu.value())),
          last(std::max(bytes - (packets - 1) * packet.mtu + packet.header, Bytes(1))),
          full(packets > 1 ? std::max(packet.mtu + packet.header, Bytes(1)) : last) {}

    std::int64_t packets;
    Bytes last;  ///< on the wire
    Bytes full;  ///< of the first packet: a full one, unless it is the last
};

/// The same on a link of some rate.
struct MessageWork {
    MessageWork(const PacketCount& count, Rate rate)
        : full(transfer_time(count.full, rate)),
          last(transfer_time(count.last, rate)),
          total(later(Time::ps(capped_product(count.packets - 1, full.ps())), last)) {}

    Time full;   ///< a packet
    Time last;   ///< the last packet
    Time total;  ///< all packets
};

}  // namespace npunet::analytical
