// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TRACE_LOG_H
#define NPU_TRACE_LOG_H

#include "ns3/npu-fabric.h"

#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Writes every packet of a fabric, at each of its links, as CSV:
 *
 *     time_ns,event,link,kind,from,to,class,sequence,bytes,marked,repeated
 *     1250.5,sent,npu0 -> switch0,data,npu0,npu3,0,17,4160,0,0
 *
 * NpuFabricHelper::EnablePacketLog() calls it. Lines are in the order of time.
 *
 * @param path of the file; it is complete after Simulator::Destroy()
 * @param fabric whose packets
 *
 * Stops the program where the file cannot be written.
 */
void StartNpuPacketLog(const std::string& path, Ptr<NpuFabric> fabric);

/**
 * @ingroup npunet
 * Writes what the senders of a fabric with a transport hear, and how they react, as CSV:
 *
 *     time_ns,event,from,to,class,acknowledged,round_trip_ns,in_flight,window,rate_bps,alpha
 *     9120,acknowledged,npu0,npu3,0,4160,4380.25,124800,262144,100000000000,0.25
 *
 * An empty field has no value: round trips of other events, rates that are not limited, and alpha
 * of algorithms without it. NpuFabricHelper::EnableSenderLog() calls it.
 *
 * @param path of the file; it is complete after Simulator::Destroy()
 * @param fabric whose senders
 * @param plot of a file for WriteNpuSenderPlot(), which Simulator::Destroy() writes; empty: none
 *
 * Stops the program where the file cannot be written.
 */
void StartNpuSenderLog(const std::string& path,
                       Ptr<NpuFabric> fabric,
                       const std::string& plot = "");

/**
 * @ingroup npunet
 * Writes commands for gnuplot that draw such a file: rate, window, round trip and alpha over time,
 * a curve for each flow.
 *
 *     gnuplot senders.plt     # makes senders.svg
 *
 * @param path of the file with commands
 * @param log of StartNpuSenderLog(), which is complete
 *
 * Throws npunet::InputError where the log cannot be read; stops the program where the file cannot
 * be written.
 */
void WriteNpuSenderPlot(const std::string& path, const std::string& log);

} // namespace ns3

#endif /* NPU_TRACE_LOG_H */
