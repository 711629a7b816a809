// SPDX-License-Identifier: GPL-2.0-only

// A training step on a mesh: every NPU computes, then all of them sum up their gradients.
//
//     npu-training-step --side=4 --gradients=16777216
//     npu-training-step --side=4 --traces=traces/step       # rank r executes traces/step.r.et
//
// Prints when the step ends and what NPU 0 spent its time on.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iostream>

using namespace ns3;

namespace
{

/// Prints what NPU 0 does.
void
Started(uint32_t rank, uint64_t node, const std::string& name, Time time)
{
    if (rank == 0)
    {
        std::cout << time.GetPicoSeconds() << " ps: NPU 0 begins " << name << " (node " << node
                  << ")\n";
    }
}

/// The trace of one NPU: 100 us of compute, then an all-reduce.
std::vector<npunet::chakra::Node>
Step(int64_t gradients)
{
    namespace chakra = npunet::chakra;
    chakra::Node compute;
    compute.id = 1;
    compute.name = "forward_and_backward";
    compute.type = chakra::NodeType::Compute;
    compute.duration_micros = 100;
    chakra::Node sum;
    sum.id = 2;
    sum.name = "sum_of_gradients";
    sum.type = chakra::NodeType::CommCollective;
    sum.data_deps = {1};
    sum.attributes.push_back(
        {"comm_type", static_cast<int64_t>(chakra::CollectiveType::AllReduce)});
    sum.attributes.push_back({"comm_size", gradients});
    return {compute, sum};
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UsePicoseconds();
    uint32_t side = 4;
    int64_t gradients = 16 << 20;
    std::string traces;
    CommandLine cmd(__FILE__);
    cmd.AddValue("side", "NPUs on a side of the mesh", side);
    cmd.AddValue("gradients", "bytes to be summed up over all NPUs", gradients);
    cmd.AddValue("traces", "prefix of Chakra traces to be executed instead", traces);
    cmd.Parse(argc, argv);

    NodeContainer npus;
    npus.Create(side * side);
    NpuFabricHelper fabricHelper;
    fabricHelper.SetTopology("Mesh2D", {side, side});
    fabricHelper.SetLinkAttribute("DataRate", DataRateValue(DataRate("400Gbps")));
    fabricHelper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(500)));
    fabricHelper.SetFabricAttribute("Mtu", UintegerValue(4096));
    fabricHelper.Install(npus);
    Ptr<NpuFabric> fabric = fabricHelper.GetFabric();

    NpuChakraHelper trainingHelper;
    Ptr<NpuChakraWorkload> training =
        traces.empty()
            ? trainingHelper.Install(fabric, [&](npunet::Rank) { return Step(gradients); })
            : trainingHelper.Install(fabric, traces);
    training->TraceConnectWithoutContext("OperationStart", MakeCallback(&Started));
    Simulator::Run();

    const npunet::engine::Results results = training->GetResults();
    const npunet::engine::NpuResult& npu = results.npus.front();
    std::cout << "the step takes " << results.finish.ps() << " ps; NPU 0 computes for "
              << npu.compute.ps() << " ps and waits for communication for "
              << npu.exposed_communication.ps() << " ps\n"
              << fabric->GetPacketHops() << " packet-hops\n";
    Simulator::Destroy();
    return 0;
}
