// SPDX-License-Identifier: GPL-2.0-only

// A training step on a torus, a fat tree or the network of a file, in one process or, in an ns-3
// with its module mpi, in several: every NPU computes, all sum up their gradients and exchange
// tokens, and the lower half sends its activations to the upper half. Meanwhile every NPU writes a
// checkpoint to another one.
//
//     npu-split-training
//     mpirun -np 2 npu-split-training
//     mpirun -np 4 npu-split-training --topology=FatTree --ns3::NpuFabric::Switching=CutThrough
//     mpirun -np 2 npu-split-training --network=ethernet.yml
//
// Prints when each NPU has finished and what each link has carried: the same, however many
// processes there are.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iostream>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

namespace chakra = npunet::chakra;

/// How many NPUs the named topologies have.
constexpr uint32_t NPUS = 16;

/// A node of a trace that follows the one before it.
chakra::Node
NodeOf(uint64_t id, const std::string& name, chakra::NodeType type)
{
    chakra::Node node;
    node.id = id;
    node.name = name;
    node.type = type;
    if (id > 1)
    {
        node.data_deps = {id - 1};
    }
    return node;
}

/// A collective of all NPUs.
chakra::Node
Collective(uint64_t id, const std::string& name, chakra::CollectiveType type, int64_t bytes)
{
    chakra::Node node = NodeOf(id, name, chakra::NodeType::CommCollective);
    node.set_integer("comm_type", static_cast<int64_t>(type));
    node.set_integer("comm_size", bytes);
    return node;
}

/// The trace of one of an even number of NPUs.
std::vector<chakra::Node>
Step(int32_t rank, int32_t npus, int64_t bytes)
{
    chakra::Node compute = NodeOf(1, "forward_and_backward", chakra::NodeType::Compute);
    compute.duration_micros = 10;
    const bool sends = rank < npus / 2;
    chakra::Node activations = NodeOf(
        4, "activations", sends ? chakra::NodeType::CommSend : chakra::NodeType::CommReceive);
    activations.set_int32(sends ? "comm_dst" : "comm_src",
                          sends ? rank + npus / 2 : rank - npus / 2);
    activations.set_int32("comm_tag", 1);
    activations.set_integer("comm_size", bytes);
    return {compute,
            Collective(2, "sum_of_gradients", chakra::CollectiveType::AllReduce, bytes),
            Collective(3, "exchange_of_tokens", chakra::CollectiveType::AllToAll, bytes),
            activations};
}

/// When the last message of each NPU has come in, in picoseconds.
std::vector<int64_t> g_lastMessage;

/// A message has come in, at an NPU of this process.
void
Delivered(uint32_t /* source */, uint32_t destination, uint64_t /* bytes */, Time time)
{
    g_lastMessage[destination] = time.GetPicoSeconds();
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UsePicoseconds();
    NpuProcesses::Enable(&argc, &argv);
    std::string topology = "Torus2D";
    std::string network;
    int64_t bytes = 1 << 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("topology", "Torus2D or FatTree, of 16 NPUs", topology);
    cmd.AddValue("network", "a network.yml of an even number of NPUs instead", network);
    cmd.AddValue("bytes", "of each collective and message", bytes);
    cmd.Parse(argc, argv);

    NpuFabricHelper fabricHelper;
    if (!network.empty())
    {
        fabricHelper.SetNetworkFile(network);
    }
    else if (topology == "FatTree")
    {
        NpuTopologyHelper::FatTree tree;
        tree.levels = 3;
        tree.radix = 4;
        tree.npus = NPUS;
        NpuTopologyHelper topologyHelper;
        topologyHelper.SetFatTree(tree);
        fabricHelper.SetTopology(topologyHelper);
    }
    else
    {
        fabricHelper.SetTopology(topology, {4, 4});
    }
    const NodeContainer nodes = fabricHelper.CreateNpus();
    const uint32_t npus = nodes.GetN();
    fabricHelper.Install(nodes);
    Ptr<NpuFabric> fabric = fabricHelper.GetFabric();
    g_lastMessage.resize(npus);

    NpuChakraHelper trainingHelper;
    Ptr<NpuChakraWorkload> training = trainingHelper.Install(fabric, [&](npunet::Rank rank) {
        return Step(rank.value(), static_cast<int32_t>(npus), bytes);
    });
    fabric->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&Delivered));
    for (uint32_t npu = 0; npu < npus; ++npu)
    {
        // A process leaves the messages of NPUs that it does not have to the others.
        fabric->Send(npu, (npu + npus / 2) % npus, 1 << 16);
    }
    Simulator::Run();

    // Every process takes part in gathering the results; one of them prints.
    const npunet::engine::Results results = training->GetResults();
    const std::vector<int64_t> lastMessage = NpuProcesses::Max(g_lastMessage);
    std::ostringstream links;
    WriteNpuLinkStatistics(links, fabric, PicoSeconds(static_cast<uint64_t>(results.finish.ps())));
    npunet::engine::LinkUse all{};
    for (const npunet::engine::LinkUse& use : fabric->GatherLinkUse())
    {
        all.pauses += use.pauses;
        all.marked += use.marked;
        all.drops += use.drops;
    }
    if (NpuProcesses::GetId() == 0)
    {
        for (const npunet::engine::NpuResult& npu : results.npus)
        {
            std::cout << "NPU " << npu.rank.value() << " has finished at " << npu.finish.ps()
                      << " ps, its last message has come in at " << lastMessage[npu.rank.index()]
                      << " ps\n";
        }
        for (const npunet::engine::CollectiveResult& collective : results.collectives)
        {
            std::cout << collective.name << " from " << collective.first_start.ps() << " ps to "
                      << collective.end.ps() << " ps\n";
        }
        std::cout << results.packet_hops << " packet-hops\n" << links.str();
        if (all.pauses + all.marked + all.drops > 0)
        {
            std::cout << all.pauses << " pauses, " << all.marked << " packets marked, " << all.drops
                      << " dropped\n";
        }
    }
    Simulator::Destroy();
    NpuProcesses::Disable();
    return 0;
}
