// SPDX-License-Identifier: GPL-2.0-only

// NpuFabricHelper: the files that it writes.

#include "npu-anim-writer.h"
#include "npu-ascii-trace.h"
#include "npu-fabric-helper.h"
#include "npu-flow-writer.h"
#include "npu-link-statistics.h"
#include "npu-pcap-link.h"
#include "npu-trace-log.h"

#include "ns3/npu-compat.h"
#include "ns3/npu-net-device.h"
#include "ns3/npu-processes.h"

#include "base/errors.h"

#include <ns3/abort.h>
#include <ns3/node.h>
#include <ns3/simulator.h>

#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param device that a helper for all devices is asked for
 * @return the same, where it is one of a fabric and its packets are in this process; otherwise
 * null, as other helpers and other processes write the files of the others
 */
Ptr<NpuNetDevice>
NpuDeviceHere(const Ptr<NetDevice>& device)
{
    const Ptr<NpuNetDevice> npu = DynamicCast<NpuNetDevice>(device);
    const bool elsewhere = npu && npu->GetFabric() && !npu->GetFabric()->IsHere(npu->GetPosition());
    return elsewhere ? nullptr : npu;
}

} // namespace

void
NpuFabricHelper::EnableStatistics(const std::string& path) const
{
    NS_ABORT_MSG_IF(!m_fabric, "EnableStatistics() comes after Install()");
    const Ptr<NpuFabric> fabric = m_fabric;
    Simulator::ScheduleDestroy(
        [path, fabric]() { WriteNpuLinkStatistics(path, fabric, Simulator::Now()); });
}

void
NpuFabricHelper::EnableFlowStatistics(const std::string& path) const
{
    NS_ABORT_MSG_IF(!m_fabric, "EnableFlowStatistics() comes after Install()");
    m_fabric->EnableFlowStatistics();
    const Ptr<NpuFabric> fabric = m_fabric;
    Simulator::ScheduleDestroy([path, fabric]() { WriteNpuFlowStatistics(path, fabric); });
}

void
NpuFabricHelper::EnablePacketLog(const std::string& path) const
{
    NS_ABORT_MSG_IF(!m_fabric, "EnablePacketLog() comes after Install()");
    StartNpuPacketLog(path, m_fabric);
}

void
NpuFabricHelper::EnableSenderLog(const std::string& path, const std::string& plot) const
{
    NS_ABORT_MSG_IF(!m_fabric, "EnableSenderLog() comes after Install()");
    StartNpuSenderLog(path, m_fabric, plot);
}

void
NpuFabricHelper::EnablePcapLink(const std::string& prefix,
                                const std::string& from,
                                const std::string& to,
                                bool explicitFilename) const
{
    NS_ABORT_MSG_IF(!m_fabric, "EnablePcapLink() comes after Install()");
    const npunet::topology::Graph& graph = m_fabric->GetDescription().graph;
    for (std::size_t number = 0; number < graph.links(); ++number)
    {
        const npunet::topology::Link& link = graph.link(npunet::LinkId(number));
        if (graph.name(link.from) != from || graph.name(link.to) != to)
        {
            continue;
        }
        if (m_fabric->IsHere(link.from.index()))
        {
            const std::string name =
                explicitFilename ? prefix : prefix + "-" + from + "-" + to + ".pcap";
            HookNpuPcapLink(PcapHelper().CreateFile(
                                name, std::ios::out, NPU_LINK_TYPE_ETHERNET, NPU_PCAP_SNAP_LENGTH),
                            m_fabric,
                            static_cast<uint32_t>(number));
        }
        return;
    }
    throw npunet::InputError({"",
                              "NpuFabricHelper::EnablePcapLink",
                              "'" + from + "' -> '" + to + "'",
                              "a link of the fabric, by the names of its nodes",
                              "NpuFabric::GetLinkName() has those of all links"});
}

void
NpuFabricHelper::WriteAnimation(const std::string& path) const
{
    NS_ABORT_MSG_IF(!m_fabric, "WriteAnimation() comes after Install()");
    if (NpuProcesses::GetId() == 0)
    {
        NpuAnimWriter::Write(path, m_fabric);
    }
}

void
NpuFabricHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                     std::string prefix,
                                     Ptr<NetDevice> device,
                                     bool explicitFilename)
{
    const Ptr<NpuNetDevice> npu = NpuDeviceHere(device);
    if (!npu)
    {
        return;
    }
    if (stream)
    {
        std::ostringstream path;
        path << "/NodeList/" << npu->GetNode()->GetId() << "/DeviceList/" << npu->GetIfIndex()
             << "/$ns3::NpuNetDevice/";
        HookNpuAsciiTrace(stream, npu, path.str());
        return;
    }
    AsciiTraceHelper files;
    const std::string name =
        explicitFilename ? prefix : files.GetFilenameFromDevice(prefix, device);
    HookNpuAsciiTrace(files.CreateFileStream(name), npu, "");
}

void
NpuFabricHelper::EnablePcapInternal(std::string prefix,
                                    Ptr<NetDevice> device,
                                    bool promiscuous,
                                    bool explicitFilename)
{
    const Ptr<NpuNetDevice> npu = NpuDeviceHere(device);
    if (!npu)
    {
        return;
    }
    PcapHelper files;
    const std::string name =
        explicitFilename ? prefix : files.GetFilenameFromDevice(prefix, device);
    files.HookDefaultSink<NpuNetDevice>(
        npu,
        promiscuous ? "PromiscSniffer" : "Sniffer",
        files.CreateFile(name, std::ios::out, NPU_LINK_TYPE_ETHERNET));
}

} // namespace ns3
