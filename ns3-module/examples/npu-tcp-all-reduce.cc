// SPDX-License-Identifier: GPL-2.0-only

// An all-reduce over TCP on point-to-point links of ns-3, not on a fabric of the module's own:
// nodes around a router, each an NPU, observed by FlowMonitor.
//
//     npu-tcp-all-reduce --npus=8 --bytes=4194304
//     npu-tcp-all-reduce --traces=traces/step        # rank r executes traces/step.r.et
//
// Prints the time, what FlowMonitor has counted, and where these bytes come from: payload, headers
// of messages (24 bytes each), and headers of IP (20 bytes a packet) and TCP (32, of a SYN 36).

#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>
#include <set>
#include <utility>

using namespace ns3;

namespace
{

uint64_t g_messages = 0;                             ///< that have arrived
uint64_t g_payload = 0;                              ///< of these, in bytes
std::set<std::pair<uint32_t, uint32_t>> g_neighbors; ///< source and destination of messages

/// Counts a message that has arrived.
void
Count(uint32_t source, uint32_t destination, uint64_t bytes, Time /* time */)
{
    ++g_messages;
    g_payload += bytes;
    g_neighbors.emplace(source, destination);
}

/// The trace of every NPU: one all-reduce.
std::vector<npunet::chakra::Node>
Sum(int64_t bytes)
{
    namespace chakra = npunet::chakra;
    chakra::Node sum;
    sum.id = 1;
    sum.name = "sum";
    sum.type = chakra::NodeType::CommCollective;
    sum.attributes = {{"comm_type", static_cast<int64_t>(chakra::CollectiveType::AllReduce)},
                      {"comm_size", bytes}};
    return {sum};
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UsePicoseconds();
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    uint32_t npus = 4;
    int64_t bytes = 1 << 20;
    std::string traces;
    CommandLine cmd(__FILE__);
    cmd.AddValue("npus", "nodes around the router", npus);
    cmd.AddValue("bytes", "to be summed up over all NPUs", bytes);
    cmd.AddValue("traces", "prefix of Chakra traces to be executed instead", traces);
    cmd.Parse(argc, argv);

    NodeContainer nodes(npus);
    NodeContainer router(1);
    InternetStackHelper stack;
    stack.Install(NodeContainer(nodes, router));
    PointToPointHelper links;
    links.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    links.SetChannelAttribute("Delay", StringValue("2us"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < npus; ++i)
    {
        addresses.Assign(links.Install(nodes.Get(i), router.Get(0)));
        addresses.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    NpuSocketHelper helper("ns3::TcpSocketFactory");
    Ptr<NpuSocketNetwork> network = helper.Install(nodes);
    network->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&Count));
    NpuChakraHelper training;
    Ptr<NpuChakraWorkload> work =
        traces.empty() ? training.Install(network, [&](npunet::Rank) { return Sum(bytes); })
                       : training.Install(network, traces);
    FlowMonitorHelper flows;
    Ptr<FlowMonitor> monitor = flows.InstallAll();
    Simulator::Stop(Seconds(10)); // FlowMonitor looks for lost packets for ever
    Simulator::Run();

    uint64_t counted = 0;
    uint64_t packets = 0;
    uint64_t lost = 0;
    for (const auto& [id, flow] : monitor->GetFlowStats())
    {
        counted += flow.txBytes;
        packets += flow.txPackets;
        lost += flow.lostPackets;
    }
    const uint64_t connections = g_neighbors.size();
    const uint64_t expected =
        g_payload + 24 * g_messages + 52 * packets + uint64_t{2} * 4 * connections;
    std::cout << "finished at " << work->GetResults().finish.ps() << " ps: " << g_messages
              << " messages, " << g_payload << " bytes, over " << connections << " connections\n"
              << "FlowMonitor: " << monitor->GetFlowStats().size() << " flows, " << packets
              << " packets, " << lost << " lost, " << counted << " bytes\n"
              << g_payload << " + 24 x " << g_messages << " + 52 x " << packets << " + 2 x 4 x "
              << connections << " = " << expected << " bytes\n";
    Simulator::Destroy();
    return counted == expected ? 0 : 1;
}
