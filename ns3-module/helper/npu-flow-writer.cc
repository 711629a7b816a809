// SPDX-License-Identifier: GPL-2.0-only

#include "npu-flow-writer.h"

#include "ns3/npu-processes.h"

#include "base/atomic_file.h"
#include "base/csv_field.h"
#include "base/units.h"
#include "model/npu-quantities.h"

#include <fmt/format.h>

#include <sstream>

namespace ns3
{

void
WriteNpuFlowStatistics(std::ostream& out, Ptr<const NpuNetwork> network)
{
    const npunet::topology::Graph& graph = network->GetDescription().graph;
    const auto name = [&graph](uint32_t position) {
        return npunet::csv_field(graph.name(npunet::NodeId(std::size_t{position})));
    };
    out << "from,to,class,messages,bytes,first_start_ns,last_end_ns,total_ns,min_ns,mean_ns,p50_ns,"
           "p99_ns,max_ns,mean_slowdown,p50_slowdown,p99_slowdown,max_slowdown,packets,"
           "retransmissions,timeouts,marked,notifications\n";
    for (const NpuFlowStatistics& flow : network->GatherFlowStatistics())
    {
        out << name(flow.from) << "," << name(flow.to) << "," << uint32_t{flow.trafficClass} << ","
            << flow.messages << "," << flow.bytes;
        for (const Time& time : {flow.firstStart,
                                 flow.lastEnd,
                                 flow.total,
                                 flow.min,
                                 flow.mean,
                                 flow.p50,
                                 flow.p99,
                                 flow.max})
        {
            out << "," << npunet::format_ns(TimeOf(time));
        }
        for (const double slowdown :
             {flow.meanSlowdown, flow.p50Slowdown, flow.p99Slowdown, flow.maxSlowdown})
        {
            out << fmt::format(",{}", slowdown);
        }
        out << "," << flow.packets << "," << flow.retransmissions << "," << flow.timeouts << ","
            << flow.marked << "," << flow.notifications << "\n";
    }
}

void
WriteNpuFlowStatistics(const std::string& path, Ptr<const NpuNetwork> network)
{
    std::ostringstream text;
    WriteNpuFlowStatistics(text, network);
    if (NpuProcesses::GetId() != 0)
    {
        return;
    }
    npunet::AtomicFile file(path);
    file.stream() << text.str();
    file.commit();
}

} // namespace ns3
