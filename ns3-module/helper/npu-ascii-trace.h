// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_ASCII_TRACE_H
#define NPU_ASCII_TRACE_H

#include "ns3/npu-net-device.h"

#include <ns3/output-stream-wrapper.h>

#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Writes a line for each packet of the fabric that begins to wait for a link of a device (+), is
 * put on one (-), or has come in (r), in the look of ns-3's ascii traces:
 *
 *     - 0.000000010000 /NodeList/0/DeviceList/0/$ns3::NpuNetDevice/PacketSent to 1 1000
 *     r 0.000000025000 /NodeList/1/DeviceList/0/$ns3::NpuNetDevice/PacketReceived link 0 1000
 *     + 0.000000025000 /NodeList/1/DeviceList/0/$ns3::NpuNetDevice/QueueLength link 2 1000
 *
 * Time in seconds, to the picosecond; node id or number of the link; bytes with header. Packets of
 * a node's own messages are cut when they leave and have no +.
 *
 * @param stream to be written to
 * @param device whose packets
 * @param path begins the third column; empty: there is none
 */
void HookNpuAsciiTrace(Ptr<OutputStreamWrapper> stream,
                       Ptr<NpuNetDevice> device,
                       const std::string& path);

} // namespace ns3

#endif /* NPU_ASCII_TRACE_H */
