// SPDX-License-Identifier: GPL-2.0-only

// A Chakra workload on a torus, and how busy each link was: npu-torus-utilization --x=4 --y=2
// --traces=PREFIX executes PREFIX.r.et on NPU r; --gradients=BYTES an all-reduce of its own.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    uint32_t x = 4;
    uint32_t y = 2;
    int64_t gradients = 1 << 20;
    std::string traces;
    CommandLine cmd(__FILE__);
    cmd.AddValue("x", "NPUs in the first dimension", x);
    cmd.AddValue("y", "NPUs in the second dimension", y);
    cmd.AddValue("gradients", "bytes to be summed up over all NPUs", gradients);
    cmd.AddValue("traces", "prefix of Chakra traces to be executed instead", traces);
    cmd.Parse(argc, argv);

    NodeContainer npus(x * y);
    NpuFabricHelper helper;
    helper.SetTopology("Torus2D", {x, y});
    helper.Install(npus);

    npunet::chakra::Node sum;
    sum.id = 1;
    sum.name = "sum_of_gradients";
    sum.type = npunet::chakra::NodeType::CommCollective;
    sum.attributes = {{"comm_type", int64_t(npunet::chakra::CollectiveType::AllReduce)},
                      {"comm_size", gradients}};
    NpuChakraHelper chakra;
    Ptr<NpuChakraWorkload> work =
        traces.empty()
            ? chakra.Install(helper.GetFabric(), [&](npunet::Rank) { return std::vector{sum}; })
            : chakra.Install(helper.GetFabric(), traces);
    Simulator::Run();

    std::cout << "finished at " << work->GetResults().finish.ps() << " ps\n";
    WriteNpuLinkStatistics(std::cout, helper.GetFabric(), Simulator::Now());
    Simulator::Destroy();
    return 0;
}
