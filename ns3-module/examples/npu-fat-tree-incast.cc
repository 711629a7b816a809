// SPDX-License-Identifier: GPL-2.0-only

// Several NPUs of a fat tree send to one, at the same time. The traces of ns-3 show where packets
// wait and which links stand still for want of credit.
//
//     npu-fat-tree-incast --senders=12 --ns3::NpuFabric::BufferSize=16640
//     npu-fat-tree-incast --ascii=incast.tr --statistics=links.csv --animation=incast.xml
//
// Prints how long the queues grew and how long links waited for credit.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

std::map<uint32_t, uint64_t> g_longest; //!< most bytes that waited, by link
std::map<uint32_t, Time> g_stalled;     //!< waits for credit, by link
uint64_t g_received = 0;                //!< packets that came in somewhere

/// Trace sink of NpuNetDevice::QueueLength.
void
QueueChanged(uint32_t link, uint64_t /* before */, uint64_t after)
{
    g_longest[link] = std::max(g_longest[link], after);
}

/// Trace sink of NpuNetDevice::CreditStall.
void
Stalled(uint32_t link, Time /* from */, Time duration)
{
    g_stalled[link] += duration;
}

/// Trace sink of NpuNetDevice::PacketReceived.
void
PacketReceived(uint32_t /* node */, uint32_t /* link */, uint32_t /* bytes */, Time /* time */)
{
    ++g_received;
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    uint32_t senders = 12;
    uint64_t bytes = 1 << 20;
    std::string ascii;
    std::string statistics;
    std::string animation;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "NPUs that send to NPU 0, at most 15", senders);
    cmd.AddValue("bytes", "that each of them sends", bytes);
    cmd.AddValue("ascii", "file for a line of each packet", ascii);
    cmd.AddValue("statistics", "CSV file for what each link has carried", statistics);
    cmd.AddValue("animation", "XML file of the topology for NetAnim", animation);
    cmd.Parse(argc, argv);

    NpuTopologyHelper::FatTree tree;
    tree.levels = 2;
    tree.radix = 8;
    tree.npus = 16;
    tree.links = {NpuTopologyHelper::Link(DataRate("400Gbps"), NanoSeconds(500))};
    NpuTopologyHelper topology;
    topology.SetFatTree(tree);

    NodeContainer npus(16);
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    helper.Install(npus);
    Ptr<NpuFabric> fabric = helper.GetFabric();

    const std::string device = "/NodeList/*/DeviceList/*/$ns3::NpuNetDevice/";
    Config::ConnectWithoutContext(device + "QueueLength", MakeCallback(&QueueChanged));
    Config::ConnectWithoutContext(device + "CreditStall", MakeCallback(&Stalled));
    Config::ConnectWithoutContext(device + "PacketReceived", MakeCallback(&PacketReceived));
    if (!ascii.empty())
    {
        AsciiTraceHelper files;
        helper.EnableAsciiAll(files.CreateFileStream(ascii));
    }
    if (!statistics.empty())
    {
        helper.EnableStatistics(statistics);
    }
    if (!animation.empty())
    {
        helper.WriteAnimation(animation);
    }

    for (uint32_t sender = 1; sender <= std::min(senders, 15U); ++sender)
    {
        fabric->Send(sender, 0, bytes);
    }
    Simulator::Run();

    std::cout << "all is in at " << Simulator::Now().GetNanoSeconds() << " ns; " << g_received
              << " packets came in somewhere\n";
    const auto& graph = fabric->GetDescription().graph;
    for (const auto& [link, most] : g_longest)
    {
        const auto& ends = graph.link(npunet::LinkId(std::size_t{link}));
        std::cout << graph.name(ends.from) << " -> " << graph.name(ends.to) << ": longest queue "
                  << most << " bytes\n";
    }
    for (const auto& [link, time] : g_stalled)
    {
        const auto& ends = graph.link(npunet::LinkId(std::size_t{link}));
        std::cout << graph.name(ends.from) << " -> " << graph.name(ends.to)
                  << ": without credit for " << time.GetNanoSeconds() << " ns\n";
    }
    Simulator::Destroy();
    return 0;
}
