#pragma once

#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet {

/// How messages are cut into packets: ceil(bytes / mtu) of them, all full but the last; an empty
/// one is a packet of header only. A packet has one byte at least.
class PacketSizes {
public:
    /// @param packet parameters of the packet level
    explicit PacketSizes(const topology::PacketParameters& packet)
        : mtu_(packet.mtu.value()), header_(packet.header.value()), full_(wire(mtu_)) {}

    /// @param payload bytes of a message
    /// @return bytes on the wire
    std::uint32_t wire(std::int64_t payload) const {
        return static_cast<std::uint32_t>(std::max<std::int64_t>(payload + header_, 1));
    }

    /// @return bytes of a header on the wire
    std::uint32_t header() const { return wire(0); }

    /// @return bytes of a full packet on the wire
    std::int64_t full() const { return full_; }

    /// @param bytes of a message
    /// @return how many packets it has
    std::uint64_t packets_of(std::int64_t bytes) const {
        return bytes > mtu_ ? static_cast<std::uint64_t>((bytes + mtu_ - 1) / mtu_) : 1;
    }

    /// @param bytes of a message
    /// @param before how many packets of it go before one of them
    /// @return payload bytes of that packet
    std::int64_t payload_behind(std::int64_t bytes, std::uint64_t before) const {
        return std::min(bytes - static_cast<std::int64_t>(before) * mtu_, mtu_);
    }

private:
    std::int64_t mtu_;     ///< payload of a full packet
    std::int64_t header_;  ///< bytes on the wire besides it
    std::int64_t full_;    ///< bytes of a full packet on the wire
};

}  // namespace npunet::packet
