// SPDX-License-Identifier: GPL-2.0-only

// One point of a sweep: an incast with whatever attributes the command line gives, as a line of
// CSV.
//
//     npu-sweep --header
//     for flow in Credit Pfc; do
//         for transport in None GoBackN SelectiveRepeat; do
//             npu-sweep --ns3::NpuFabric::FlowControl=$flow --ns3::NpuFabric::Transport=$transport
//         done
//     done
//     for kmin in 20480 81920 327680; do
//         npu-sweep --ns3::NpuFabric::FlowControl=Pfc --ns3::NpuFabric::Transport=GoBackN
//                   --ns3::NpuFabric::CongestionControl=dcqcn --ns3::NpuFabric::EcnMinimum=$kmin
//     done
//
// Attributes that others leave without effect, such as a transport with credits, are named on
// standard error and do not end the sweep.

#include "npu-scenario-star.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iostream>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    uint32_t senders = 8;
    uint64_t bytes = 1 << 20;
    bool header = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "NPUs that send to one", senders);
    cmd.AddValue("bytes", "that each of them sends", bytes);
    cmd.AddValue("header", "print the names of the columns first", header);
    cmd.Parse(argc, argv);

    NpuFabricHelper helper;
    helper.SetTopology(NpuScenarioStar(senders + 1, 100, MicroSeconds(1)));
    helper.Install(helper.CreateNpus());
    const Ptr<NpuFabric> fabric = helper.GetFabric();
    Time finish;
    for (uint32_t sender = 1; sender <= senders; ++sender)
    {
        fabric->Send(
            sender, 0, bytes, Callback<void, Time>([&finish](Time) { finish = Simulator::Now(); }));
    }
    Simulator::Run();

    uint64_t pauses = 0;
    uint64_t marked = 0;
    uint64_t drops = 0;
    int64_t queue = 0;
    for (const npunet::engine::LinkUse& use : fabric->GetLinkUse())
    {
        pauses += use.pauses;
        marked += use.marked;
        drops += use.drops;
        queue = std::max(queue, use.max_queue.value());
    }
    if (header)
    {
        std::cout << "flow_control,transport,congestion_control,ecn_minimum,finish_ns,max_queue,"
                     "pauses,marked,drops\n";
    }
    for (const std::string name : {"FlowControl", "Transport", "CongestionControl", "EcnMinimum"})
    {
        StringValue value;
        fabric->GetAttribute(name, value);
        std::cout << value.Get() << ",";
    }
    std::cout << finish.GetPicoSeconds() / 1000 << "," << queue << "," << pauses << "," << marked
              << "," << drops << "\n";
    Simulator::Destroy();
    return 0;
}
