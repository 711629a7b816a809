// SPDX-License-Identifier: GPL-2.0-only

// Training and applications of ns-3 on one leaf-spine network, of which a link fails in mid-run:
// eight NPUs all-reduce six times, two others exchange UDP, and for a while a leaf is without one
// of its links to the spines.
//
//     npu-mixed-failure --fail=300us --repair=700us
//     npu-mixed-failure --ns3::NpuFabric::FlowControl=None --RngRun=2
//
// Prints how long each all-reduce takes, how many datagrams arrive (one that is on the link when it
// fails is lost, while training sends its packets again), and what the links of the leaf to the
// spines carried.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

constexpr int STEPS = 6; //!< all-reduces, one after the other

/// The trace of every rank.
std::vector<npunet::chakra::Node>
Training(int64_t bytes)
{
    std::vector<npunet::chakra::Node> nodes;
    for (int step = 1; step <= STEPS; ++step)
    {
        npunet::chakra::Node sum;
        sum.id = static_cast<uint64_t>(step);
        sum.name = "sum_of_gradients";
        sum.type = npunet::chakra::NodeType::CommCollective;
        sum.attributes = {
            {"comm_type", static_cast<int64_t>(npunet::chakra::CollectiveType::AllReduce)},
            {"comm_size", bytes}};
        if (step > 1)
        {
            sum.data_deps = {sum.id - 1};
        }
        nodes.push_back(sum);
    }
    return nodes;
}

/// Prints when rank 0 has done with a collective.
void
PrintEnd(const std::string& /* communicator */,
         const std::string& type,
         uint64_t bytes,
         uint32_t rank,
         Time now)
{
    static Time before;
    if (rank == 0)
    {
        std::cout << "  " << type << " of " << bytes << " bytes ends at " << now.GetNanoSeconds()
                  << " ns, after " << (now - before).GetNanoSeconds() << " ns\n";
        before = now;
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    Config::SetDefault("ns3::NpuFabric::FlowControl", StringValue("Pfc"));
    Config::SetDefault("ns3::NpuFabric::Transport", StringValue("SelectiveRepeat"));
    Config::SetDefault("ns3::NpuFabric::CongestionControl", StringValue("dcqcn"));
    int64_t bytes = 4 << 20;
    Time fail = MicroSeconds(300);
    Time repair = MicroSeconds(700);
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "of each all-reduce", bytes);
    cmd.AddValue("fail", "when the link goes down", fail);
    cmd.AddValue("repair", "when it is up again", repair);
    cmd.Parse(argc, argv);

    NpuTopologyHelper::FatTree tree;
    tree.levels = 2;
    tree.radix = 8;
    tree.npus = 16;
    tree.oversubscription = {3};
    tree.links = {NpuTopologyHelper::Link(DataRate("100Gbps"), NanoSeconds(500))};
    NpuTopologyHelper topology;
    topology.SetFatTree(tree);
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    helper.SetFabricAttribute("Routing", StringValue("ecmp"));
    const NodeContainer npus(16);
    const NetDeviceContainer devices = helper.Install(npus);
    const Ptr<NpuFabric> fabric = helper.GetFabric();

    // The first leaf and the last spine: switches are numbered after the NPUs, leaves first.
    const uint32_t leaf = 16;
    const auto spine = static_cast<uint32_t>(fabric->GetDescription().graph.nodes() - 1);
    helper.AddLinkFault(leaf, spine, fail, repair, 0);

    InternetStackHelper().Install(npus);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    NeighborCacheHelper().PopulateNeighborCache(devices);
    const ApplicationContainer servers = UdpServerHelper(9).Install(npus.Get(13));
    UdpClientHelper client(interfaces.GetAddress(13), 9);
    client.SetAttribute("PacketSize", UintegerValue(1400));
    client.SetAttribute("MaxPackets", UintegerValue(1000));
    client.SetAttribute("Interval", TimeValue(MicroSeconds(1)));
    client.Install(npus.Get(1));

    NpuChakraHelper training;
    training.SetNpus({0, 2, 4, 6, 8, 10, 12, 14});
    const Ptr<NpuChakraWorkload> work =
        training.Install(fabric, [bytes](npunet::Rank) { return Training(bytes); });
    work->TraceConnectWithoutContext("CollectiveEnd", MakeCallback(&PrintEnd));
    const npunet::topology::Graph& graph = fabric->GetDescription().graph;
    std::cout << graph.name(npunet::NodeId(std::size_t{leaf})) << " is without its link to "
              << graph.name(npunet::NodeId(std::size_t{spine})) << " from "
              << fail.GetMicroSeconds() << " to " << repair.GetMicroSeconds() << " us\n";
    Simulator::Run();

    const Ptr<UdpServer> server = DynamicCast<UdpServer>(servers.Get(0));
    std::cout << "training ends after " << work->GetResults().finish.ps() / 1000 << " ns; "
              << server->GetReceived() << " of 1000 datagrams arrived\n";
    const std::vector<npunet::engine::LinkUse> uses = fabric->GetLinkUse();
    for (const npunet::LinkId link : graph.links_from(npunet::NodeId(std::size_t{leaf})))
    {
        if (graph.link(link).to.index() > leaf)
        {
            std::cout << "  " << fabric->GetLinkName(static_cast<uint32_t>(link.index())) << ": "
                      << uses[link.index()].wire.value() << " bytes, " << uses[link.index()].drops
                      << " packets lost\n";
        }
    }
    Simulator::Destroy();
    return 0;
}
