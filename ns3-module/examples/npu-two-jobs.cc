// SPDX-License-Identifier: GPL-2.0-only

// Two jobs on one fat tree: each all-reduces over NPUs of its own, one behind every leaf switch, so
// that they meet on the links to the spines, which hashes give to the flows (ECMP).
//
//     npu-two-jobs --bytes=4194304 --start=20us
//     npu-two-jobs --ns3::NpuFabric::Seed=0 --RngRun=2
//
// Prints how long each job takes alone and beside the other, and the busiest links to the spines.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// One of the jobs.
struct Job
{
    std::string name;           //!< for people
    std::vector<uint32_t> npus; //!< by rank
    Time start;                 //!< when it begins
};

/// The trace of every rank: one all-reduce.
std::vector<npunet::chakra::Node>
AllReduce(int64_t bytes)
{
    npunet::chakra::Node sum;
    sum.id = 1;
    sum.name = "sum_of_gradients";
    sum.type = npunet::chakra::NodeType::CommCollective;
    sum.attributes = {
        {"comm_type", static_cast<int64_t>(npunet::chakra::CollectiveType::AllReduce)},
        {"comm_size", bytes}};
    return {sum};
}

/// Prints the three links between switches that carried most.
void
PrintBusiest(const Ptr<NpuFabric>& fabric)
{
    const auto& graph = fabric->GetDescription().graph;
    const auto uses = fabric->GetLinkUse();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < uses.size(); ++i)
    {
        const auto& link = graph.link(npunet::LinkId(i));
        if (link.from.index() >= graph.npus() && link.to.index() >= graph.npus())
        {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return uses[b].wire < uses[a].wire;
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i)
    {
        const auto& link = graph.link(npunet::LinkId(order[i]));
        std::cout << "  " << graph.name(link.from) << " -> " << graph.name(link.to) << ": "
                  << uses[order[i]].wire.value() << " bytes, longest queue "
                  << uses[order[i]].max_queue.value() << " bytes\n";
    }
}

/// Runs some jobs on a fat tree of their own, and prints how long they take.
void
Run(const std::vector<Job>& jobs, int64_t bytes)
{
    NpuTopologyHelper::FatTree tree;
    tree.levels = 2;
    tree.radix = 8;
    tree.npus = 16;
    tree.links = {NpuTopologyHelper::Link(DataRate("400Gbps"), NanoSeconds(500))};
    NpuTopologyHelper topology;
    topology.SetFatTree(tree);
    NpuFabricHelper fabricHelper;
    fabricHelper.SetTopology(topology);
    fabricHelper.SetFabricAttribute("Routing", StringValue("ecmp"));
    fabricHelper.Install(NodeContainer(16));
    const Ptr<NpuFabric> fabric = fabricHelper.GetFabric();

    NpuChakraHelper helper;
    std::vector<Ptr<NpuChakraWorkload>> workloads;
    for (const Job& job : jobs)
    {
        helper.SetNpus(job.npus);
        helper.SetStartTime(job.start);
        workloads.push_back(
            helper.Install(fabric, [bytes](npunet::Rank) { return AllReduce(bytes); }));
    }
    Simulator::Run();
    for (std::size_t i = 0; i < jobs.size(); ++i)
    {
        const int64_t took =
            workloads[i]->GetResults().finish.ps() - jobs[i].start.GetPicoSeconds();
        std::cout << "  job " << jobs[i].name << ": " << took << " ps\n";
    }
    PrintBusiest(fabric);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    // Hashes by which the jobs meet; with 0 RngRun draws others.
    Config::SetDefault("ns3::NpuFabric::Seed", UintegerValue(1));
    int64_t bytes = 1 << 20;
    Time start = MicroSeconds(5);
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "that each job all-reduces", bytes);
    cmd.AddValue("start", "when the second job begins", start);
    cmd.Parse(argc, argv);

    const Job first{"a", {0, 4, 8, 12}, Time(0)};
    const Job second{"b", {1, 5, 9, 13}, start};
    for (const std::vector<Job>& jobs : {std::vector{first}, {second}, {first, second}})
    {
        std::cout << (jobs.size() == 1 ? "alone" : "together") << '\n';
        Run(jobs, bytes);
    }
    return 0;
}
