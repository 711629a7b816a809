// SPDX-License-Identifier: GPL-2.0-only

// A pause storm: in a fat tree of three levels half of the NPUs send to NPU 0, and pauses spread
// from its leaf over all levels to senders that have nothing to do with it.
//
//     npu-pause-storm --bytes=33554432 --plot=storm.plt
//
// The shape is that of the cascades of pauses that DCQCN (Zhu et al., SIGCOMM 2015) and HPCC (Li et
// al., SIGCOMM 2019) set out from: without congestion control links are paused most of the time on
// all ways to the hot leaf, up to the NPUs, and bystanders, which send to each other, are slow;
// with it the storm is a squall at the start, or none.

#include "npu-scenario-pauses.h"
#include "npu-scenario-plot.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t NPUS = 16;

/// When messages are in.
struct Record
{
    Time incast;     //!< when all of it was in
    Time bystanders; //!< when all that they send was in

    /// A message to NPU 0 is in.
    void
    IncastDelivered(Time /* left */)
    {
        incast = Simulator::Now();
    }

    /// The message of a bystander is in.
    void
    BystanderDelivered(Time /* left */)
    {
        bystanders = Simulator::Now();
    }
};

/// One run; half of the NPUs send to NPU 0 if there is an incast.
void
Run(const std::string& control, bool incast, uint64_t bytes, NpuScenarioPlot& plot)
{
    NpuTopologyHelper::FatTree tree;
    tree.levels = 3;
    tree.radix = 4;
    tree.npus = NPUS;
    tree.links = {NpuTopologyHelper::Link(DataRate("100Gbps"), MicroSeconds(1))};
    NpuTopologyHelper topology;
    topology.SetFatTree(tree);
    NodeContainer npus(NPUS);
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    helper.SetFabricAttribute("CongestionControl", StringValue(control));
    helper.Install(npus);
    Ptr<NpuFabric> fabric = helper.GetFabric();
    Record record;
    NpuPausedLinks pauses(MicroSeconds(100));
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::NpuNetDevice/CreditStall",
                                  MakeCallback(&NpuPausedLinks::Paused, &pauses));
    for (uint32_t npu = 1; npu < NPUS; ++npu)
    {
        const bool bystander = npu % 2 == 0;
        if (bystander)
        {
            const uint32_t to = npu + 2 < NPUS ? npu + 2 : 2;
            fabric->Send(npu, to, bytes, MakeCallback(&Record::BystanderDelivered, &record));
        }
        else if (incast)
        {
            fabric->Send(npu, 0, bytes, MakeCallback(&Record::IncastDelivered, &record));
        }
    }
    Simulator::Run();
    std::cout << control << (incast ? "" : ", no incast") << ": bystanders are done at "
              << double(record.bystanders.GetPicoSeconds()) / 1e6 << " us";
    if (incast)
    {
        std::cout << ", the incast at " << double(record.incast.GetPicoSeconds()) / 1e6 << " us";
    }
    std::cout << "\n";
    if (incast)
    {
        NpuPrintPausesByLevel(fabric);
        const std::size_t curve = plot.AddCurve(control);
        for (std::size_t i = 0; i < pauses.GetN(); ++i)
        {
            plot.AddPoint(curve, double(i) / 10, pauses.GetMean(i));
        }
    }
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    // What docs/transport.md shows; with 0 RngRun draws another.
    Config::SetDefault("ns3::NpuFabric::Seed", UintegerValue(1));
    Config::SetDefault("ns3::NpuFabric::FlowControl", StringValue("Pfc"));
    Config::SetDefault("ns3::NpuFabric::Transport", StringValue("GoBackN"));
    Config::SetDefault("ns3::NpuFabric::TransportWindow", UintegerValue(1 << 30));
    Config::SetDefault("ns3::NpuFabric::BufferSize", UintegerValue(2'000'000));
    uint64_t bytes = 32 << 20;
    std::string plot;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "that each NPU sends", bytes);
    cmd.AddValue("plot", "FILE.plt for gnuplot: paused links over time", plot);
    cmd.Parse(argc, argv);

    NpuScenarioPlot curves("Pauses in a fat tree", "paused links, mean of 100 us");
    std::cout << std::fixed << std::setprecision(1);
    Run("none", false, bytes, curves);
    for (const char* control : {"none", "dcqcn", "hpcc"})
    {
        Run(control, true, bytes, curves);
    }
    return plot.empty() || curves.Write(plot) ? 0 : 1;
}
