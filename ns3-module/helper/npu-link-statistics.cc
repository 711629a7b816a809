// SPDX-License-Identifier: GPL-2.0-only

#include "npu-link-statistics.h"

#include "ns3/npu-processes.h"

#include "base/atomic_file.h"
#include "base/csv_field.h"
#include "base/units.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <vector>

namespace ns3
{

void
WriteNpuLinkStatistics(std::ostream& out, Ptr<const NpuFabric> fabric, Time duration)
{
    const npunet::topology::Graph& graph = fabric->GetDescription().graph;
    const std::vector<npunet::engine::LinkUse> uses = fabric->GatherLinkUse();
    const int64_t longest = NpuProcesses::Max({duration.GetPicoSeconds()}).front();
    std::size_t powers = 0;
    for (const npunet::engine::LinkUse& use : uses)
    {
        powers = std::max(powers, use.queue_times.size());
    }

    const std::size_t classes = uses.empty() ? 0 : uses.front().classes_wire.size();

    std::ostringstream text;
    text << "link,from,to,payload_bytes,wire_bytes,busy_ns,utilization_percent,"
            "max_queue_bytes,packets,retransmissions,credit_stall_ns";
    for (std::size_t power = 0; power < powers; ++power)
    {
        text << ",queue_ns_" << (uint64_t{1} << power);
    }
    for (std::size_t i = 0; i < classes; ++i)
    {
        text << ",class_" << i << "_wire_bytes";
    }
    text << "\n" << std::fixed << std::setprecision(6);
    const auto whole = static_cast<double>(longest);
    for (std::size_t i = 0; i < uses.size(); ++i)
    {
        const npunet::topology::Link& link = graph.link(npunet::LinkId(i));
        const npunet::engine::LinkUse& use = uses[i];
        text << i << "," << npunet::csv_field(graph.name(link.from)) << ","
             << npunet::csv_field(graph.name(link.to)) << "," << use.payload.value() << ","
             << use.wire.value() << "," << npunet::format_ns(use.busy) << ","
             << (whole > 0 ? 100 * static_cast<double>(use.busy.ps()) / whole : 0.0) << ","
             << use.max_queue.value() << "," << use.packets << "," << use.retransmissions << ","
             << npunet::format_ns(use.credit_stall);
        for (std::size_t power = 0; power < powers; ++power)
        {
            text << ","
                 << npunet::format_ns(power < use.queue_times.size() ? use.queue_times[power]
                                                                     : npunet::Time());
        }
        for (const npunet::Bytes bytes : use.classes_wire)
        {
            text << "," << bytes.value();
        }
        text << "\n";
    }
    out << text.str();
}

void
WriteNpuLinkStatistics(const std::string& path, Ptr<const NpuFabric> fabric, Time duration)
{
    std::ostringstream text;
    WriteNpuLinkStatistics(text, fabric, duration);
    if (NpuProcesses::GetId() != 0)
    {
        return;
    }
    npunet::AtomicFile file(path);
    file.stream() << text.str();
    file.commit();
}

} // namespace ns3
