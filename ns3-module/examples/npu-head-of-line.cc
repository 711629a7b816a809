// SPDX-License-Identifier: GPL-2.0-only

// Head-of-line blocking by priority flow control: a victim suffers from an incast with which it
// shares no busy link, only one that is paused because of it.
//
//     npu-head-of-line --senders=8 --plot=victim.plt
//
//     victim ---+                       +--- (senders - 1) further NPUs
//               left === 4 x rate === right
//     sender ---+                       +--- hot: receives from all senders
//                                       +--- idle: receives from the victim
//
// The shape is that of the victim flow of DCQCN (Zhu et al., SIGCOMM 2015): right pauses the link
// from left, which carries the victim too, so that the victim is slow, as if it were of the incast.
// In a class of its own it is not, nor where right drops packets instead, and with congestion
// control it soon is not. The line of the two classes has the pauses of the other class.

#include "npu-scenario-plot.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint64_t GIGABITS = 100;     //!< rate of the links of NPUs
constexpr uint64_t MESSAGE = 64 << 10; //!< bytes
// Numbers of NPUs.
constexpr uint32_t HOT = 0;
constexpr uint32_t IDLE = 1;
constexpr uint32_t VICTIM = 2;
constexpr uint32_t SENDER = 3; //!< the first one

/// What differs from run to run.
struct Variant
{
    std::string name;        //!< of the run
    uint32_t senders;        //!< of the incast
    std::string flowControl; //!< attribute FlowControl
    uint8_t classes;         //!< attribute Classes; that of the incast is the last one
    std::string control;     //!< attribute CongestionControl
};

/// The network of the comment above.
NpuTopologyHelper
Dumbbell(uint32_t senders)
{
    const NpuTopologyHelper::Link link(DataRate(GIGABITS * 1000000000), MicroSeconds(1));
    const NpuTopologyHelper::Link trunk(DataRate(4 * GIGABITS * 1000000000), MicroSeconds(1));
    NpuTopologyHelper topology;
    topology.AddSwitch("left");
    topology.AddSwitch("right");
    topology.AddLink("left", "right", trunk);
    for (uint32_t npu = 0; npu < SENDER + senders; ++npu)
    {
        const std::string name = "npu" + std::to_string(npu);
        topology.AddNpu(name);
        topology.AddLink(name, npu == VICTIM || npu == SENDER ? "left" : "right", link);
    }
    return topology;
}

/// A message of the victim is in; keeps when, in ms.
void
Delivered(std::vector<double>* times, Time /* left */)
{
    times->push_back(double(Simulator::Now().GetPicoSeconds()) / 1e9);
}

/// One run and a line about it; returns how long the victim took, in ms.
double
Run(const Variant& variant, uint64_t bytes, double alone, NpuScenarioPlot& plot)
{
    NodeContainer npus(SENDER + std::max(variant.senders, 1U));
    NpuFabricHelper helper;
    helper.SetTopology(Dumbbell(npus.GetN() - SENDER));
    helper.SetFabricAttribute("FlowControl", StringValue(variant.flowControl));
    helper.SetFabricAttribute("Classes", UintegerValue(variant.classes));
    helper.SetFabricAttribute("CongestionControl", StringValue(variant.control));
    helper.Install(npus);
    Ptr<NpuFabric> fabric = helper.GetFabric();
    std::vector<double> times;
    for (uint32_t sender = SENDER; sender < SENDER + variant.senders; ++sender)
    {
        const auto last = static_cast<uint8_t>(variant.classes - 1);
        fabric->Send(sender, HOT, bytes, NpuFabric::DeliveredCallback(), last);
    }
    for (uint64_t sent = 0; sent < bytes; sent += MESSAGE)
    {
        fabric->Send(VICTIM, IDLE, MESSAGE, MakeBoundCallback(&Delivered, &times), 0);
    }
    Simulator::Run();

    uint64_t drops = 0;
    const auto uses = fabric->GetLinkUse();
    for (const auto& use : uses)
    {
        drops += use.drops;
    }
    const double took = times.back();
    std::cout << std::setw(16) << std::left << variant.name << std::right << std::setw(8)
              << took * 1e3 << std::setw(8) << took / (alone > 0 ? alone : took) << std::setw(8)
              << uses[0].pauses << std::setw(10) << double(uses[0].credit_stall.ps()) / 1e6
              << std::setw(7) << drops << "\n";
    const std::size_t curve = plot.AddCurve(variant.name);
    plot.AddPoint(curve, 0, 0);
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        plot.AddPoint(curve, times[i], double((i + 1) * MESSAGE) / 1e6);
    }
    Simulator::Destroy();
    return took;
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    // What docs/transport.md shows; with 0 RngRun draws another.
    Config::SetDefault("ns3::NpuFabric::Seed", UintegerValue(1));
    Config::SetDefault("ns3::NpuFabric::Transport", StringValue("SelectiveRepeat"));
    Config::SetDefault("ns3::NpuFabric::BufferSize", UintegerValue(1'000'000));
    uint32_t senders = 8;
    uint64_t bytes = 8 << 20;
    std::string plot;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "of the incast", senders);
    cmd.AddValue("bytes", "that each of them and the victim send", bytes);
    cmd.AddValue("plot", "FILE.plt for gnuplot: what has arrived of the victim", plot);
    cmd.Parse(argc, argv);

    NpuScenarioPlot curves("A victim beside an incast of " + std::to_string(senders),
                           "arrived of the victim, in MB");
    std::cout << "time of the victim in us and over that alone; pauses of the link that it shares, "
                 "their time in us; all drops\n"
              << std::fixed << std::setprecision(2);
    const double alone = Run({"alone", 0, "Pfc", 1, "none"}, bytes, 0, curves);
    for (const Variant& variant : {Variant{"one class", senders, "Pfc", 1, "none"},
                                   Variant{"two classes", senders, "Pfc", 2, "none"},
                                   Variant{"drops", senders, "None", 1, "none"},
                                   Variant{"dcqcn", senders, "Pfc", 1, "dcqcn"},
                                   Variant{"hpcc", senders, "Pfc", 1, "hpcc"}})
    {
        Run(variant, bytes, alone, curves);
    }
    return plot.empty() || curves.Write(plot) ? 0 : 1;
}
