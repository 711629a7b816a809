// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_FLOW_WRITER_H
#define NPU_FLOW_WRITER_H

#include "ns3/npu-network.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Writes what became of the messages of every flow (NpuFlowStatistics), one line each, as CSV:
 *
 *     from,to,class,messages,bytes,first_start_ns,last_end_ns,total_ns,min_ns,mean_ns,p50_ns,p99_ns,
 *     max_ns,mean_slowdown,p50_slowdown,p99_slowdown,max_slowdown,packets,retransmissions,timeouts,
 *     marked,notifications
 *
 * The columns are those of the program's flows.csv. NpuFabricHelper's EnableFlowStatistics() writes
 * it at the end of a program; for other networks NpuNetwork::EnableFlowStatistics() comes before.
 *
 * Where there are several processes each must call it, and the first writes.
 *
 * @param path of the file, which is written whole or not at all
 * @param network whose messages
 *
 * Throws npunet::MachineError where the file cannot be written.
 */
void WriteNpuFlowStatistics(const std::string& path, Ptr<const NpuNetwork> network);

/**
 * @ingroup npunet
 * The same, to a stream.
 * @param out the stream
 * @param network whose messages
 */
void WriteNpuFlowStatistics(std::ostream& out, Ptr<const NpuNetwork> network);

} // namespace ns3

#endif /* NPU_FLOW_WRITER_H */
