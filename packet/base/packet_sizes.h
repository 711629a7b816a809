// How messages are split into packets: ceil(bytes / mtu) of them, all full but the last; an empty
// message is one packet with a header only. A packet on the wire has at least one byte.
//
//     const PacketSizes sizes(description.packet);
//     sizes.wire(sizes.payload_behind(bytes, 0));  // of the first packet
#pragma once

#include "topology/network/network_description.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet {

class PacketSizes {
public:
    explicit PacketSizes(const topology::PacketParameters& packet)
        : mtu_(packet.mtu.value()), header_(packet.header.value()), full_(wire(mtu_)) {}

    /// Bytes on the wire of a packet with this payload.
    std::uint32_t wire(std::int64_t payload) const {
        return static_cast<std::uint32_t>(std::max<std::int64_t>(payload + header_, 1));
    }

    /// Bytes on the wire of a packet without payload.
    std::uint32_t header() const { return wire(0); }

    /// Bytes on the wire of a full packet.
    std::int64_t full() const { return full_; }

    /// The number of packets of a message.
    std::uint64_t packets_of(std::int64_t bytes) const {
        return bytes > mtu_ ? static_cast<std::uint64_t>((bytes + mtu_ - 1) / mtu_) : 1;
    }

    /// The payload of the packet of a message that comes after `before` others.
    std::int64_t payload_behind(std::int64_t bytes, std::uint64_t before) const {
        return std::min(bytes - static_cast<std::int64_t>(before) * mtu_, mtu_);
    }

private:
    std::int64_t mtu_;  ///< payload of a full packet
    std::int64_t header_;
    std::int64_t full_;  ///< on the wire
};

}  // namespace npunet::packet
