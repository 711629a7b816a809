// SPDX-License-Identifier: GPL-2.0-only

// Incast: N NPUs send to one through a switch with priority flow control, at the same time, with
// each algorithm of congestion control.
//
//     npu-incast --senders=16 --bytes=8388608 --plot=incast.plt
//
// The shapes are those of the incasts of two papers. DCQCN (Zhu et al., SIGCOMM 2015): marks keep
// the switch from pausing its senders but for the very start. HPCC (Li et al., SIGCOMM 2019): after
// the first round trips next to nothing waits. Look at pauses, and at the mean queue: the longest
// one is what all senders start with, which no algorithm of senders can know.
// No transfer ends before the bound, when the link to the receiver has carried all packets.

#include "npu-scenario-plot.h"
#include "npu-scenario-star.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

constexpr uint64_t GIGABITS = 100; //!< rate of every link
constexpr uint32_t MTU = 4096;
constexpr uint32_t HEADER = 64;
const std::vector<std::string> ALGORITHMS = {
    "none", "dcqcn", "hpcc", "timely", "swift", "dctcp", "receiver-credit"};

/// What waits for the link to the receiver.
struct Queue
{
    uint64_t bytes{0};                //!< now
    int64_t since{0};                 //!< in ps
    double area{0};                   //!< bytes times ps
    std::map<int64_t, uint64_t> most; //!< bytes in each 50 us

    /// Trace sink of NpuNetDevice::QueueLength.
    void
    Changed(uint32_t link, uint64_t /* before */, uint64_t after)
    {
        if (link != hot)
        {
            return;
        }
        const int64_t now = Simulator::Now().GetPicoSeconds();
        area += double(bytes) * double(now - since);
        since = now;
        bytes = after;
        uint64_t& longest = most[now / 50'000'000];
        longest = std::max(longest, after);
    }

    uint32_t hot{0}; //!< the link
};

/// One incast, and a line about it.
void
Run(const std::string& algorithm, uint32_t senders, uint64_t bytes, NpuScenarioPlot& plot)
{
    NodeContainer npus(senders + 1);
    NpuFabricHelper helper;
    helper.SetTopology(NpuScenarioStar(senders + 1, GIGABITS, MicroSeconds(1)));
    helper.SetFabricAttribute("CongestionControl", StringValue(algorithm));
    helper.Install(npus);
    Ptr<NpuFabric> fabric = helper.GetFabric();
    const auto& graph = fabric->GetDescription().graph;
    Queue queue;
    while (graph.link(npunet::LinkId(std::size_t{queue.hot})).to.index() != 0)
    {
        ++queue.hot;
    }
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::NpuNetDevice/QueueLength",
                                  MakeCallback(&Queue::Changed, &queue));
    for (uint32_t sender = 1; sender <= senders; ++sender)
    {
        fabric->Send(sender, 0, bytes);
    }
    Simulator::Run();

    uint64_t pauses = 0;
    npunet::Time paused;
    const auto uses = fabric->GetLinkUse();
    for (const auto& use : uses)
    {
        pauses += use.pauses;
        paused += use.credit_stall;
    }
    const auto& hot = uses[queue.hot];
    const int64_t end = queue.since;
    const double packets = double((bytes + MTU - 1) / MTU);
    const double bound = senders * (double(bytes) + packets * HEADER) * 8 / GIGABITS / 1e3;
    std::cout << std::setw(16) << std::left << algorithm << std::right << std::setw(8)
              << double(end) / 1e6 / bound << std::setw(11) << double(hot.max_queue.value()) / 1e3
              << std::setw(11) << queue.area / double(end) / 1e3 << std::setw(8) << pauses
              << std::setw(11) << double(paused.ps()) / 1e6 << std::setw(8) << hot.marked << "\n";
    const std::size_t curve = plot.AddCurve(algorithm);
    for (const auto& [interval, longest] : queue.most)
    {
        plot.AddPoint(curve, double(interval) / 20, double(longest) / 1e3);
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
    // The papers' senders have no window but that of their congestion control.
    Config::SetDefault("ns3::NpuFabric::TransportWindow", UintegerValue(1 << 30));
    Config::SetDefault("ns3::NpuFabric::BufferSize", UintegerValue(12'000'000));
    uint32_t senders = 16;
    uint64_t bytes = 8 << 20;
    std::string plot;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "NPUs that send to NPU 0", senders);
    cmd.AddValue("bytes", "that each of them sends", bytes);
    cmd.AddValue("plot", "FILE.plt for gnuplot: the queue over time", plot);
    cmd.Parse(argc, argv);

    NpuScenarioPlot curves("Incast of " + std::to_string(senders) + " senders",
                           "longest queue in 50 us, in kB",
                           "set logscale y\n");
    std::cout << "end: finish / bound; queues in kB; paused: time of all links in us\n"
              << "algorithm            end  max queue mean queue  pauses     paused  marked\n"
              << std::fixed << std::setprecision(3);
    for (const std::string& algorithm : ALGORITHMS)
    {
        Run(algorithm, senders, bytes, curves);
    }
    return plot.empty() || curves.Write(plot) ? 0 : 1;
}
