// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_IP_ECN_H
#define NPU_IP_ECN_H

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>

/**
 * @file
 * @ingroup npunet
 * The ECN field (RFC 3168) of IPv4 and IPv6 headers, read and written in the bytes of packets: the
 * fabric is linked without the Internet stack. Not installed.
 */

namespace ns3
{

/**
 * @param packet what a device sends
 * @param protocol its protocol number
 * @return whether it begins with an IP header that says ECN-capable
 */
bool NpuIsEcnCapable(const Ptr<const Packet>& packet, uint16_t protocol);

/**
 * Writes "congestion experienced" into the IP header, and corrects its checksum where it has one.
 * @param packet for which NpuIsEcnCapable() holds
 * @param protocol its protocol number
 */
void NpuMarkCongestion(const Ptr<Packet>& packet, uint16_t protocol);

} // namespace ns3

#endif /* NPU_IP_ECN_H */
