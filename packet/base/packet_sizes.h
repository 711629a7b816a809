/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_SIZES_H
#define NPU_PACKET_SIZES_H

#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * How messages are cut into packets: ceil(bytes / mtu) of them, all full but the last; an empty one
 * is a packet of header only. A packet has one byte at least.
 */
class PacketSizes
{
  public:
    /**
     * @param packet parameters of the packet level
     */
    explicit PacketSizes(const topology::PacketParameters& packet)
        : m_mtu(packet.mtu.value()), m_header(packet.header.value()), m_full(Wire(m_mtu))
    {
    }

    /**
     * @param payload bytes of a message
     * @return bytes on the wire
     */
    std::uint32_t
    Wire(std::int64_t payload) const
    {
        return static_cast<std::uint32_t>(std::max<std::int64_t>(payload + m_header, 1));
    }

    /**
     * @return bytes of a header on the wire
     */
    std::uint32_t
    Header() const
    {
        return Wire(0);
    }

    /**
     * @return bytes of a full packet on the wire
     */
    std::int64_t
    Full() const
    {
        return m_full;
    }

    /**
     * @param bytes of a message
     * @return how many packets it has
     */
    std::uint64_t
    PacketsOf(std::int64_t bytes) const
    {
        return bytes > m_mtu ? static_cast<std::uint64_t>((bytes + m_mtu - 1) / m_mtu) : 1;
    }

    /**
     * @param bytes of a message
     * @param before how many packets of it go before one of them
     * @return payload bytes of that packet
     */
    std::int64_t
    PayloadBehind(std::int64_t bytes, std::uint64_t before) const
    {
        return std::min(bytes - static_cast<std::int64_t>(before) * m_mtu, m_mtu);
    }

  private:
    std::int64_t m_mtu;    ///< payload of a full packet
    std::int64_t m_header; ///< bytes on the wire besides it
    std::int64_t m_full;   ///< bytes of a full packet on the wire
};

} // namespace npunet::packet

#endif /* NPU_PACKET_SIZES_H */
