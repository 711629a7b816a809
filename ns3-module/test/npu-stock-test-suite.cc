// SPDX-License-Identifier: GPL-2.0-only

// The same applications on ns-3's point-to-point networks and on the fabric: arrivals and losses of
// every packet, goodput of TCP.

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"
#include "ns3/npu-topology-helper.h"

#include <ns3/boolean.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/neighbor-cache-helper.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/queue-size.h>
#include <ns3/random-variable-stream.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/udp-socket-factory.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Bytes of a packet on the wire beyond its IP packet: a PPP header, as point-to-point links have.
constexpr uint32_t PPP = 2;

/// Bytes of a datagram's headers: IP and UDP.
constexpr uint32_t UDP_IP = 28;

/// A cable of a network.
struct Cable
{
    std::string from;    ///< a node
    std::string to;      ///< another
    std::string rate;    ///< of both directions
    Time delay;          ///< of both directions
    bool narrow = false; ///< ECN is up to the queue of its `from`
};

/// A network that can be built of ns-3's devices or as a fabric.
struct Plan
{
    std::vector<std::string> hosts;    ///< sources and destinations
    std::vector<std::string> switches; ///< routers, or switches of the fabric
    std::vector<Cable> cables;         ///< a host has one
    uint32_t queue = 100;              ///< packets that wait at a port of a switch
    uint32_t wire = 0;                 ///< bytes of each of them on the wire, where that matters
    bool marks = false;                ///< switches mark packets (ECN) from 20 to 60 waiting ones
};

/// What was built of a Plan.
struct Network
{
    NodeContainer hosts;                ///< by Plan::hosts
    std::vector<Ipv4Address> addresses; ///< by host
};

/**
 * @ingroup npunet-test
 * @param plan a network
 * @param name of a node
 * @return whether it is a host
 */
bool
IsHost(const Plan& plan, const std::string& name)
{
    return std::find(plan.hosts.begin(), plan.hosts.end(), name) != plan.hosts.end();
}

/**
 * @ingroup npunet-test
 * @param plan a network
 * @return the network of point-to-point links and routers, whose ports drop the last packets
 */
Network
BuildStock(const Plan& plan)
{
    std::map<std::string, Ptr<Node>> nodes;
    Network network;
    for (const std::string& name : plan.hosts)
    {
        nodes[name] = CreateObject<Node>();
        network.hosts.Add(nodes[name]);
    }
    for (const std::string& name : plan.switches)
    {
        nodes[name] = CreateObject<Node>();
    }
    for (const auto& [name, node] : nodes)
    {
        InternetStackHelper().Install(node);
    }
    std::map<Ptr<Node>, Ipv4Address> addresses;
    Ipv4AddressHelper assign("10.0.0.0", "255.255.255.252");
    for (const Cable& cable : plan.cables)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue(cable.rate));
        link.SetChannelAttribute("Delay", TimeValue(cable.delay));
        const bool isRed = plan.marks && cable.narrow;
        const NetDeviceContainer ends = link.Install(nodes[cable.from], nodes[cable.to]);
        const std::array<std::string, 2> names{cable.from, cable.to};
        for (uint32_t i = 0; i < 2; ++i)
        {
            // A queue disc in front of a device has the packets that wait.
            const uint32_t packets = isRed && i == 0          ? 1
                                     : IsHost(plan, names[i]) ? 100
                                                              : plan.queue;
            const auto device = DynamicCast<PointToPointNetDevice>(ends.Get(i));
            device->GetQueue()->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, packets));
        }
        if (isRed)
        {
            TrafficControlHelper control;
            control.SetRootQueueDisc("ns3::RedQueueDisc",
                                     "MinTh",
                                     DoubleValue(20),
                                     "MaxTh",
                                     DoubleValue(60),
                                     "QW",
                                     DoubleValue(1),
                                     "LInterm",
                                     DoubleValue(50),
                                     "UseEcn",
                                     BooleanValue(true),
                                     "Gentle",
                                     BooleanValue(false),
                                     "UseHardDrop",
                                     BooleanValue(false),
                                     "MeanPktSize",
                                     UintegerValue(plan.wire),
                                     "LinkBandwidth",
                                     StringValue(cable.rate),
                                     "LinkDelay",
                                     TimeValue(cable.delay),
                                     "MaxSize",
                                     QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, plan.queue)));
            control.Install(ends.Get(0));
        }
        const Ipv4InterfaceContainer given = assign.Assign(ends);
        assign.NewNetwork();
        TrafficControlHelper none;
        for (uint32_t i = isRed ? 1 : 0; i < 2; ++i)
        {
            none.Uninstall(ends.Get(i));
        }
        addresses[nodes[cable.from]] = given.GetAddress(0);
        addresses[nodes[cable.to]] = given.GetAddress(1);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    for (const std::string& name : plan.hosts)
    {
        network.addresses.push_back(addresses[nodes[name]]);
    }
    return network;
}

/**
 * @ingroup npunet-test
 * @param plan a network
 * @return the network as a fabric without transport, whose switches drop
 */
Network
BuildFabric(const Plan& plan)
{
    NpuTopologyHelper topology;
    for (const std::string& name : plan.hosts)
    {
        topology.AddNpu(name);
    }
    for (const std::string& name : plan.switches)
    {
        topology.AddSwitch(name);
    }
    for (const Cable& cable : plan.cables)
    {
        topology.AddLink(
            cable.from, cable.to, NpuTopologyHelper::Link(DataRate(cable.rate), cable.delay));
    }
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    helper.SetFabricAttribute("Mtu", UintegerValue(1500));
    helper.SetFabricAttribute("HeaderSize", UintegerValue(PPP));
    helper.SetFabricAttribute("FlowControl", StringValue("None"));
    // The ports of a switch share its buffer, and a queue has at most what is free: of 2 N + 1
    // packets N wait while one is under way, and there is room for acknowledgements at the other
    // ports.
    const uint32_t wire = plan.wire > 0 ? plan.wire : 1500 + PPP;
    helper.SetFabricAttribute("BufferAlpha", DoubleValue(1));
    helper.SetFabricAttribute("BufferSize", UintegerValue((2 * plan.queue + 1) * wire + wire / 2));
    if (plan.marks)
    {
        helper.SetFabricAttribute("EcnMinimum", UintegerValue(20 * wire));
        helper.SetFabricAttribute("EcnMaximum", UintegerValue(60 * wire));
        helper.SetFabricAttribute("EcnProbability", DoubleValue(0.02));
        helper.SetFabricAttribute("EcnRate", DataRateValue(DataRate(0)));
    }
    Network network;
    network.hosts.Create(static_cast<uint32_t>(plan.hosts.size()));
    const NetDeviceContainer devices = helper.Install(network.hosts);
    InternetStackHelper().Install(network.hosts);
    Ipv4AddressHelper assign("10.0.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer given = assign.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache(devices);
    for (uint32_t i = 0; i < given.GetN(); ++i)
    {
        network.addresses.push_back(given.GetAddress(i));
    }
    return network;
}

/// A datagram of an application.
struct Datagram
{
    Time start;         ///< when the application sends it
    uint32_t from = 0;  ///< a host
    uint32_t to = 0;    ///< another
    uint32_t bytes = 0; ///< payload, at least 4
};

/// When datagrams were in, by their number; those that are not were lost.
using Arrivals = std::map<uint32_t, Time>;

/**
 * @ingroup npunet-test
 * @param network on which the datagrams are sent, each by a socket of its host
 * @param datagrams in any order
 * @return when they were in
 */
Arrivals
Send(const Network& network, const std::vector<Datagram>& datagrams)
{
    Arrivals arrivals;
    std::vector<Ptr<Socket>> sockets;
    for (uint32_t i = 0; i < network.hosts.GetN(); ++i)
    {
        sockets.push_back(
            Socket::CreateSocket(network.hosts.Get(i), UdpSocketFactory::GetTypeId()));
        sockets[i]->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        sockets[i]->SetRecvCallback(Sink([&arrivals](Ptr<Socket> socket) {
            while (const Ptr<Packet> packet = socket->Recv())
            {
                uint32_t number = 0;
                packet->CopyData(reinterpret_cast<uint8_t*>(&number), sizeof(number));
                arrivals[number] = Simulator::Now();
            }
        }));
    }
    for (uint32_t number = 0; number < datagrams.size(); ++number)
    {
        const Datagram& each = datagrams[number];
        Simulator::ScheduleWithContext(
            network.hosts.Get(each.from)->GetId(),
            each.start,
            [&network, &sockets, each, number]() {
                const Ptr<Packet> packet =
                    Create<Packet>(reinterpret_cast<const uint8_t*>(&number), sizeof(number));
                packet->AddPaddingAtEnd(each.bytes - packet->GetSize());
                sockets[each.from]->SendTo(
                    packet, 0, InetSocketAddress(network.addresses[each.to], 9));
            });
    }
    Simulator::Run();
    Simulator::Destroy();
    return arrivals;
}

/**
 * @ingroup npunet-test
 * Datagrams on both networks.
 */
class NpuStockDatagramsTestCase : public TestCase
{
  public:
    NpuStockDatagramsTestCase() : TestCase("every datagram arrives, or is lost, as on plain ns-3")
    {
    }

  private:
    void
    DoRun() override
    {
        TwoFlows();
        Incast();
        UnlikeSwitches();
        Burst();
    }

    /**
     * @param plan a network
     * @param datagrams to be sent
     * @param hops links of the longest route
     * @param what for messages
     * @return how many are lost
     */
    std::size_t
    Compare(const Plan& plan,
            const std::vector<Datagram>& datagrams,
            int64_t hops,
            const std::string& what)
    {
        const Arrivals stock = Send(BuildStock(plan), datagrams);
        const Arrivals fabric = Send(BuildFabric(plan), datagrams);
        Time largest;
        for (uint32_t number = 0; number < datagrams.size(); ++number)
        {
            const auto one = stock.find(number);
            const auto other = fabric.find(number);
            const bool arrives = one != stock.end();
            NS_TEST_EXPECT_MSG_EQ((other != fabric.end()),
                                  arrives,
                                  what << ": whether number " << number << " arrives");
            if (arrives && other != fabric.end())
            {
                largest = std::max(largest, Abs(one->second - other->second));
            }
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(largest, hops * NanoSeconds(1), what << ": arrivals");
        return datagrams.size() - stock.size();
    }

    /// Two flows to one host, below and above what its link carries.
    void
    TwoFlows()
    {
        Plan plan{{"a", "b", "c"},
                  {"top"},
                  {{"a", "top", "10Gbps", MicroSeconds(1)},
                   {"b", "top", "10Gbps", MicroSeconds(2)},
                   {"top", "c", "10Gbps", MicroSeconds(3)}}};
        plan.queue = 20;
        plan.wire = 1000 + UDP_IP + PPP;
        for (const bool above : {false, true})
        {
            // 824 ns each on the link. In picoseconds, so that what decides is never simultaneous.
            std::vector<Datagram> datagrams;
            for (int64_t i = 0; i < 400; ++i)
            {
                const int64_t interval = above ? 1'031'013 : 2'060'007;
                datagrams.push_back({PicoSeconds(i * interval), 0, 2, 1000});
                datagrams.push_back({PicoSeconds(77'001 + i * (interval + 6'011)), 1, 2, 1000});
            }
            const std::size_t lost = Compare(plan, datagrams, 2, above ? "above" : "below");
            NS_TEST_EXPECT_MSG_EQ((lost > 0), above, "lost above what the link carries");
        }
    }

    /// Eight hosts send to a ninth at once, on a queue of 100.
    void
    Incast()
    {
        Plan plan{{}, {"top"}, {}};
        std::vector<Datagram> datagrams;
        for (uint32_t i = 0; i < 8; ++i)
        {
            plan.hosts.push_back("h" + std::to_string(i));
            plan.cables.push_back({plan.hosts.back(), "top", "10Gbps", MicroSeconds(1)});
            for (int64_t k = 0; k < 60; ++k)
            {
                datagrams.push_back({PicoSeconds(10'007 * i + k), i, 8, 1000});
            }
        }
        plan.hosts.emplace_back("sink");
        plan.cables.push_back({"top", "sink", "9.7Gbps", MicroSeconds(1)});
        plan.wire = 1000 + UDP_IP + PPP;
        NS_TEST_EXPECT_MSG_GT(Compare(plan, datagrams, 2, "incast"), 200, "most are lost");
    }

    /// Random sizes and instants over three switches with links of unlike rates and delays. A host
    /// of the fabric serves its destinations in turn, one of ns-3 first in, first out: one each.
    void
    UnlikeSwitches()
    {
        Plan plan{{"a", "b", "c", "d"},
                  {"s1", "s2", "s3"},
                  {{"a", "s1", "25Gbps", NanoSeconds(700)},
                   {"b", "s2", "3Gbps", NanoSeconds(1'300)},
                   {"s1", "s2", "7Gbps", MicroSeconds(5)},
                   {"s2", "s3", "13Gbps", NanoSeconds(333)},
                   {"s3", "c", "5Gbps", MicroSeconds(2)},
                   {"s3", "d", "11Gbps", MicroSeconds(1)}}};
        plan.queue = 1000;
        const Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        std::vector<Datagram> datagrams;
        for (int i = 0; i < 1000; ++i)
        {
            const uint32_t from = random->GetInteger(0, 1);
            datagrams.push_back({PicoSeconds(random->GetInteger(0, 1'500'000'000)),
                                 from,
                                 from + 2,
                                 random->GetInteger(4, 1472)});
        }
        NS_TEST_EXPECT_MSG_EQ(Compare(plan, datagrams, 4, "unlike"), 0, "nothing is lost");
    }

    /// More at once than wait at a host: 100, and on plain ns-3 the one that leaves at once.
    void
    Burst()
    {
        const Plan plan{
            {"a", "b"},
            {"top"},
            {{"a", "top", "10Gbps", MicroSeconds(1)}, {"top", "b", "10Gbps", MicroSeconds(1)}}};
        const std::vector<Datagram> datagrams(150, {Time(0), 0, 1, 1000});
        NS_TEST_EXPECT_MSG_EQ(Send(BuildStock(plan), datagrams).size(), 101, "plain ns-3");
        NS_TEST_EXPECT_MSG_EQ(Send(BuildFabric(plan), datagrams).size(),
                              100,
                              "a port decides at the end of the instant");
    }
};

/**
 * @ingroup npunet-test
 * TCP over a bottleneck on both networks.
 */
class NpuStockTcpTestCase : public TestCase
{
  public:
    NpuStockTcpTestCase() : TestCase("TCP has the goodput that it has on plain ns-3")
    {
    }

  private:
    void
    DoRun() override
    {
        Compare("ns3::TcpNewReno", false);
        Compare("ns3::TcpDctcp", true);
    }

    /**
     * @param type of TCP
     * @param marks whether switches mark
     */
    void
    Compare(const std::string& type, bool marks)
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(type));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4'000'000));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4'000'000));
        Plan plan{{"a", "b", "c", "d"},
                  {"left", "right"},
                  {{"a", "left", "10Gbps", MicroSeconds(5)},
                   {"b", "left", "10Gbps", MicroSeconds(6)},
                   {"left", "right", "1Gbps", MicroSeconds(40), true},
                   {"right", "c", "10Gbps", MicroSeconds(5)},
                   {"right", "d", "10Gbps", MicroSeconds(5)}}};
        // With the options of TCP: timestamps.
        plan.wire = SEGMENT + 32 + 20 + PPP;
        plan.marks = marks;
        for (const Time& second : {MicroSeconds(100), MicroSeconds(200)})
        {
            const double stock = Goodput(BuildStock(plan), second);
            const double fabric = Goodput(BuildFabric(plan), second);
            NS_TEST_EXPECT_MSG_GT(stock, 0.8e9, type << ", " << second << ": most of the link");
            NS_TEST_EXPECT_MSG_EQ_TOL(fabric, stock, 0.02 * stock, type << ", " << second);
        }
        Config::Reset();
    }

    /**
     * @param network of four hosts, the first two of which send to the others
     * @param second when the second of them begins
     * @return payload of both in bits a second
     */
    static double
    Goodput(const Network& network, const Time& second)
    {
        const Time end = MilliSeconds(300);
        PacketSinkHelper helper("ns3::TcpSocketFactory",
                                InetSocketAddress(Ipv4Address::GetAny(), 9));
        const ApplicationContainer sinks =
            helper.Install(NodeContainer(network.hosts.Get(2), network.hosts.Get(3)));
        for (const uint32_t i : {0U, 1U})
        {
            BulkSendHelper source("ns3::TcpSocketFactory",
                                  InetSocketAddress(network.addresses[i + 2], 9));
            source.SetAttribute("SendSize", UintegerValue(SEGMENT));
            source.Install(network.hosts.Get(i)).Start(i == 0 ? Time(0) : second);
        }
        Simulator::Stop(end);
        Simulator::Run();
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < sinks.GetN(); ++i)
        {
            bytes += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
        }
        Simulator::Destroy();
        return 8 * static_cast<double>(bytes) / end.GetSeconds();
    }

    static constexpr uint32_t SEGMENT = 1400; ///< payload of a segment in bytes
};

/// The suite.
NpuTestSuite g_npuStockTestSuite("npu-stock",
                                 {new NpuStockDatagramsTestCase, new NpuStockTcpTestCase});

} // namespace
