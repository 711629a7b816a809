// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_LINK_STATISTICS_H
#define NPU_LINK_STATISTICS_H

#include "ns3/npu-fabric.h"

#include <ns3/nstime.h>

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Writes what every link of a fabric has carried, one line each, as CSV:
 *
 *     link,from,to,payload_bytes,wire_bytes,busy_ns,utilization_percent,max_queue_bytes,packets,
 *     retransmissions,credit_stall_ns
 *
 * The columns are those of the program's links.csv. With the attribute QueueHistogram a column
 * queue_ns_B follows for B = 1, 2, 4, ...: for how long B to 2 B - 1 bytes waited. With several
 * Classes a column class_C_wire_bytes follows for each, which add up to wire_bytes. A packet counts
 * when it is put on the link. NpuFabricHelper's EnableStatistics() writes it at the end of a
 * program.
 *
 * Where there are several processes each must call it, and the first writes.
 *
 * @param path of the file, which is written whole or not at all
 * @param fabric the fabric
 * @param duration of the run, of which utilization is the busy part; of the longest, where those of
 *                 processes differ
 *
 * Throws npunet::MachineError where the file cannot be written.
 */
void WriteNpuLinkStatistics(const std::string& path, Ptr<const NpuFabric> fabric, Time duration);

/**
 * @ingroup npunet
 * The same, to a stream.
 * @param out the stream
 * @param fabric the fabric
 * @param duration of the run
 */
void WriteNpuLinkStatistics(std::ostream& out, Ptr<const NpuFabric> fabric, Time duration);

} // namespace ns3

#endif /* NPU_LINK_STATISTICS_H */
