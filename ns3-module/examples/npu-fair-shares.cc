// SPDX-License-Identifier: GPL-2.0-only

// Two long flows to one NPU, the second of which starts later, with each algorithm of congestion
// control: do they come to equal shares, and use all of the link?
//
//     npu-fair-shares --duration=40ms --second=10ms --plot=shares.plt
//
// The shape is that of the papers' figures of few long flows (DCQCN: Zhu et al., SIGCOMM 2015;
// HPCC: Li et al., SIGCOMM 2019; DCTCP: Alizadeh et al., SIGCOMM 2010): the first one has all of
// the link until the second starts, and after a while each has half of it. Look at the
// last quarter: Jain's index is 1 when both are equal and 1/2 when one has everything.
//
// A flow is messages of 64 KiB, a few of which are always queued on its queue pair. Goodput is what
// of them arrives, over the most that a link carries.

#include "npu-scenario-flow.h"
#include "npu-scenario-plot.h"
#include "npu-scenario-star.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint64_t GIGABITS = 100; //!< rate of every link
/// Most bytes of messages a link can carry in a picosecond.
constexpr double GOODPUT = GIGABITS / 8e3 * 4096 / (4096 + 64);

/// Both flows with one algorithm, and a line about them.
void
Run(const std::string& algorithm,
    const NpuTopologyHelper& topology,
    Time second,
    Time duration,
    NpuScenarioPlot& plot)
{
    constexpr std::size_t INTERVALS = 200;
    NodeContainer npus(3);
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    helper.SetFabricAttribute("CongestionControl", StringValue(algorithm));
    helper.Install(npus);
    const auto flows = RunNpuScenarioFlows(helper.GetFabric(), second, duration, INTERVALS);

    std::cout << std::setw(7) << std::left << algorithm << std::right;
    for (std::size_t quarter = 0; quarter < 4; ++quarter)
    {
        const std::size_t from = quarter * INTERVALS / 4;
        std::cout << std::setw(8) << flows[0].Rate(from, from + INTERVALS / 4) / GOODPUT
                  << std::setw(6) << flows[1].Rate(from, from + INTERVALS / 4) / GOODPUT;
    }
    const double x = flows[0].Rate(INTERVALS * 3 / 4, INTERVALS) / GOODPUT;
    const double y = flows[1].Rate(INTERVALS * 3 / 4, INTERVALS) / GOODPUT;
    std::cout << std::setw(8) << (x + y) * (x + y) / (2 * (x * x + y * y)) << std::setw(8) << x + y
              << "\n";
    plot.AddPanel(algorithm);
    for (const NpuScenarioFlow& flow : flows)
    {
        const std::size_t curve = plot.AddCurve(flow.source == 1 ? "first" : "second");
        for (std::size_t i = 0; i < INTERVALS; ++i)
        {
            const double milliseconds = duration.GetSeconds() * 1e3 * (double(i) + 0.5) / INTERVALS;
            plot.AddPoint(curve, milliseconds, flow.Rate(i, i + 1) / GOODPUT * 100);
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
    Time duration = MilliSeconds(40);
    Time second = MilliSeconds(10);
    Time delay = MicroSeconds(2);
    std::string algorithms = "dcqcn hpcc timely swift dctcp";
    std::string plot;
    CommandLine cmd(__FILE__);
    cmd.AddValue("duration", "of the run", duration);
    cmd.AddValue("second", "when the second flow starts", second);
    cmd.AddValue("delay", "of every link", delay);
    cmd.AddValue("algorithms", "with spaces between them", algorithms);
    cmd.AddValue("plot", "FILE.plt for gnuplot: goodput over time", plot);
    cmd.Parse(argc, argv);

    NpuScenarioPlot curves("Two flows to one NPU", "goodput in %", "set yrange [0:105]\n");
    std::cout << "goodput / link of both flows, by quarters of the run; of the last quarter Jain's "
                 "index and their sum\n"
              << std::fixed << std::setprecision(2);
    std::istringstream names(algorithms);
    for (std::string algorithm; names >> algorithm;)
    {
        Run(algorithm, NpuScenarioStar(3, GIGABITS, delay), second, duration, curves);
    }
    return plot.empty() || curves.Write(plot) ? 0 : 1;
}
