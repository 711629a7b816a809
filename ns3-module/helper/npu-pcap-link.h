// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_PCAP_LINK_H
#define NPU_PCAP_LINK_H

#include "ns3/npu-fabric.h"

#include <ns3/trace-helper.h>

#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Writes every packet that starts on a link of a fabric to a pcap file, as the frame of RoCEv2 that
 * it stands for: Ethernet, IPv4, UDP port 4791 and the base transport header (BTH), or PFC's pause
 * frame. NpuFabricHelper::EnablePcapLink() calls it.
 *
 * What the fabric knows is in the headers; the rest of a packet is not captured. Its length is that
 * on the fabric's wire; the lengths in IP and UDP are at least those of the headers.
 *   - Addresses: 10.0.0.0 + 1 + the number of the node, and the devices' MAC addresses; those of
 *     the link in Ethernet, those of the packet in IP.
 *   - IP: the traffic class is the precedence (upper three bits of DSCP); data is ECT(0), or CE
 *     where it is marked.
 *   - BTH: number of the packet in its flow (answers: the expected one), destination queue pair:
 *     number of the packet's source. Data is "RDMA WRITE middle", as the fabric's packets do not
 *     tell where messages end, answers are ACK (requests to go back: NAK of a sequence error),
 *     notifications CNP; requests and grants of receiver credits have the opcodes C0 and C1, which
 *     manufacturers may use.
 *   - Packets of ns-3's applications look like data of RDMA. The whole ones are in the files of
 *     NpuFabricHelper::EnablePcap(), at their devices.
 *
 * Times are those of the first bit; of a pcap file in microseconds, or, with
 * ns3::PcapFileWrapper::NanosecMode, nanoseconds.
 *
 * @param file opened for the link type Ethernet, with NPU_PCAP_SNAP_LENGTH
 * @param fabric whose packets
 * @param link its number
 */
void HookNpuPcapLink(Ptr<PcapFileWrapper> file, Ptr<NpuFabric> fabric, uint32_t link);

/// Bytes of a packet that are captured: all headers.
constexpr uint32_t NPU_PCAP_SNAP_LENGTH = 64;

} // namespace ns3

#endif /* NPU_PCAP_LINK_H */
