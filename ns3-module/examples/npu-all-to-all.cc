// SPDX-License-Identifier: GPL-2.0-only

// Every NPU of a square mesh or torus sends a message to every other one, all at once.
//
//     npu-all-to-all --topology=Torus2D --side=4 --bytes=65536
//     npu-all-to-all --ns3::NpuFabric::BufferSize=8320
//
// Prints when the last message has arrived, and the links that carried most.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UsePicoseconds();
    std::string topology = "Mesh2D";
    uint32_t side = 4;
    uint64_t bytes = 65536;
    CommandLine cmd(__FILE__);
    cmd.AddValue("topology", "Mesh2D or Torus2D", topology);
    cmd.AddValue("side", "NPUs on a side", side);
    cmd.AddValue("bytes", "size of each message", bytes);
    cmd.Parse(argc, argv);

    NodeContainer npus;
    npus.Create(side * side);
    NpuFabricHelper helper;
    helper.SetTopology(topology, {side, side});
    helper.SetLinkAttribute("DataRate", DataRateValue(DataRate("400Gbps")));
    helper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(500)));
    helper.Install(npus);
    Ptr<NpuFabric> fabric = helper.GetFabric();

    uint32_t delivered = 0;
    for (uint32_t source = 0; source < npus.GetN(); ++source)
    {
        for (uint32_t step = 1; step < npus.GetN(); ++step)
        {
            const uint32_t destination = (source + step) % npus.GetN();
            fabric->Send(
                source, destination, bytes, Callback<void, Time>([&](Time) { ++delivered; }));
        }
    }
    Simulator::Run();

    std::cout << delivered << " messages of " << bytes << " bytes delivered by "
              << Simulator::Now().GetPicoSeconds() << " ps; " << fabric->GetPacketHops()
              << " packet-hops\n";
    int64_t most = 0;
    const auto uses = fabric->GetLinkUse();
    for (const auto& use : uses)
    {
        most = std::max(most, use.wire.value());
    }
    const auto& graph = fabric->GetDescription().graph;
    for (std::size_t i = 0; i < uses.size(); ++i)
    {
        if (uses[i].wire.value() == most)
        {
            const auto& link = graph.link(npunet::LinkId(i));
            std::cout << graph.name(link.from) << " -> " << graph.name(link.to) << ": " << most
                      << " bytes, longest queue " << uses[i].max_queue.value() << " bytes\n";
        }
    }
    Simulator::Destroy();
    return 0;
}
