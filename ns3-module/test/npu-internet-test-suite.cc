// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-test-scenarios.h"

#include "ns3/npu-net-device.h"

#include <ns3/application-container.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/flow-monitor-helper.h>
#include <ns3/neighbor-cache-helper.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/pcap-file.h>
#include <ns3/udp-client-server-helper.h>
#include <ns3/udp-server.h>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * @param name of a topology
 * @param sizes of its dimensions
 * @return a helper with links of 400 Gb/s, 50 bytes in a nanosecond, and 500 ns
 */
NpuFabricHelper
FiftyBytesPerNanosecond(const std::string& name, const std::vector<uint32_t>& sizes)
{
    // The first datagram waits for ARP, whose requests ns-3 delays at random.
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(100));
    NpuFabricHelper helper;
    helper.SetTopology(name, sizes);
    helper.SetLinkAttribute("DataRate", StringValue("400Gbps"));
    helper.SetLinkAttribute("Delay", StringValue("500ns"));
    return helper;
}

/**
 * @ingroup npunet-test
 * @param devices of NPUs, with an Internet stack
 * @return their addresses
 */
Ipv4InterfaceContainer
Assign(const NetDeviceContainer& devices)
{
    return Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
}

/**
 * @ingroup npunet-test
 * Gives NPUs an Internet stack, and their ARP caches all addresses.
 * @param npus nodes
 * @param devices of the nodes
 * @return their addresses
 */
Ipv4InterfaceContainer
Connect(const NodeContainer& npus, const NetDeviceContainer& devices)
{
    InternetStackHelper().Install(npus);
    const Ipv4InterfaceContainer interfaces = Assign(devices);
    NeighborCacheHelper().PopulateNeighborCache(devices);
    return interfaces;
}

/**
 * @ingroup npunet-test
 * @param to address of a node that listens at port 9
 * @param size of each datagram in bytes, without headers
 * @param count of datagrams
 * @param interval between them
 * @return sends them
 */
UdpClientHelper
Datagrams(const Ipv4Address& to, uint32_t size, uint32_t count, Time interval = Seconds(1))
{
    UdpClientHelper client(to, 9);
    client.SetAttribute("PacketSize", UintegerValue(size));
    client.SetAttribute("MaxPackets", UintegerValue(count));
    client.SetAttribute("Interval", TimeValue(interval));
    return client;
}

/**
 * @ingroup npunet-test
 * @param servers one of datagrams
 * @param when is set to the time of each arrival
 */
void
NoteArrivals(const ApplicationContainer& servers, Time& when)
{
    servers.Get(0)->TraceConnectWithoutContext(
        "RxWithAddresses", Sink([&when](Ptr<const Packet>, const Address&, const Address&) {
            when = Simulator::Now();
        }));
}

/**
 * @ingroup npunet-test
 * Datagrams larger than the packets of the fabric, and than the device's Mtu.
 */
class NpuDatagramTestCase : public TestCase
{
  public:
    NpuDatagramTestCase() : TestCase("IP datagrams and the sizes of packets")
    {
    }

  private:
    void
    DoRun() override
    {
        // A datagram of 20000 bytes is 20028 with the headers of IP and UDP. The device takes it
        // whole; the fabric cuts it into 4 packets of 4096 bytes and one of 3644, each with 64
        // more, which last 4 x 83.2 + 74.16 ns on the link, and 500 ns.
        Expect(65535, PicoSeconds(4 * 83'200 + 74'160 + 500'000), 1);
        // With an Mtu of 1500, IP cuts the 20008 bytes into 13 parts of 1480 and one of 768, each
        // with 20 bytes of its own. Each is a message of one packet, of 1564 and 852 bytes.
        Expect(1500, PicoSeconds(13 * 31'280 + 17'040 + 500'000), 14);
    }

    /**
     * Sends a datagram when ARP has found the address.
     * @param mtu of the devices
     * @param duration from the call of the socket to its arrival
     * @param parts that the device takes
     */
    void
    Expect(uint16_t mtu, Time duration, uint32_t parts)
    {
        NpuFabricHelper helper = FiftyBytesPerNanosecond("Mesh1D", {2});
        helper.SetDeviceAttribute("Mtu", UintegerValue(mtu));
        const NodeContainer npus(2);
        const NetDeviceContainer devices = helper.Install(npus);
        InternetStackHelper().Install(npus);
        const Ipv4InterfaceContainer interfaces = Assign(devices);
        const ApplicationContainer servers = UdpServerHelper(9).Install(npus.Get(1));
        Datagrams(interfaces.GetAddress(1), 20000, 2, MicroSeconds(100)).Install(npus.Get(0));
        Time arrival;
        NoteArrivals(servers, arrival);
        uint32_t taken = 0;
        Simulator::Schedule(MicroSeconds(99), [&]() {
            devices.Get(0)->TraceConnectWithoutContext("MacTx",
                                                       Sink([&](Ptr<const Packet>) { ++taken; }));
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(arrival, MicroSeconds(100) + duration, "closed form");
        NS_TEST_EXPECT_MSG_EQ(taken, parts, "parts");
        Simulator::Destroy();
        Config::Reset();
    }
};

/**
 * @ingroup npunet-test
 * Hosts behind NPUs: global routing, forwarding, TCP, FlowMonitor.
 */
class NpuForwardingTestCase : public TestCase
{
  public:
    NpuForwardingTestCase() : TestCase("hosts reach each other over NPUs and the fabric")
    {
    }

  private:
    void
    DoRun() override
    {
        // A host at NPU 0 sends 100 kB by TCP to a host at NPU 5 of a torus, two links away, and to
        // NPU 3. Every NPU reaches every other one directly, so both take one step on the fabric:
        // the hosts' datagrams go over 3 links of IP and 2.
        const NodeContainer npus(6);
        const NodeContainer hosts(2);
        NpuFabricHelper helper = FiftyBytesPerNanosecond("Torus2D", {3, 2});
        const NetDeviceContainer devices = helper.Install(npus);
        InternetStackHelper stack;
        stack.Install(npus);
        stack.Install(hosts);
        const Ipv4InterfaceContainer inside = Assign(devices);
        Ipv4AddressHelper outside("10.1.0.0", "255.255.255.0");
        outside.Assign(NanosecondBytes().Install(hosts.Get(0), npus.Get(0)));
        outside.NewNetwork();
        const Ipv4Address far =
            outside.Assign(NanosecondBytes().Install(hosts.Get(1), npus.Get(5))).GetAddress(0);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress("0.0.0.0", 9));
        const ApplicationContainer sinks = sink.Install(NodeContainer(hosts.Get(1), npus.Get(3)));
        for (const Ipv4Address& address : {far, inside.GetAddress(3)})
        {
            BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(address, 9));
            source.SetAttribute("MaxBytes", UintegerValue(100'000));
            source.Install(hosts.Get(0));
        }
        FlowMonitorHelper flows;
        const Ptr<FlowMonitor> monitor = flows.InstallAll();
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        for (uint32_t i = 0; i < sinks.GetN(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(
                DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx(), 100'000, "all is in");
        }
        NS_TEST_ASSERT_MSG_EQ(monitor->GetFlowStats().size(), 4, "two ways of two connections");
        uint64_t forwarded = 0;
        for (const auto& [id, flow] : monitor->GetFlowStats())
        {
            NS_TEST_EXPECT_MSG_EQ(flow.rxBytes, flow.txBytes, "nothing is lost");
            NS_TEST_EXPECT_MSG_EQ(flow.lostPackets, 0, "nothing is lost");
            NS_TEST_EXPECT_MSG_EQ(flow.timesForwarded % flow.txPackets, 0, "all the same way");
            forwarded += flow.timesForwarded / flow.txPackets;
        }
        NS_TEST_EXPECT_MSG_EQ(forwarded, 2 * (2 + 1), "by NPUs at the ends only");
        Simulator::Destroy();
        Config::Reset();
    }
};

/**
 * @ingroup npunet-test
 * Files of packets.
 */
class NpuPcapTestCase : public TestCase
{
  public:
    NpuPcapTestCase() : TestCase("pcap")
    {
    }

  private:
    void
    DoRun() override
    {
        // The sender takes an ARP request of 28 bytes, which is broadcast, and a datagram of 1000 +
        // 28 bytes, and hands up an ARP reply; the receiver the other way round. An Ethernet header
        // adds 14 bytes, and nothing comes behind. The third NPU sees the request only. The device
        // of another kind is left out.
        const std::string prefix = CreateTempDirFilename("fabric");
        const std::string first = CreateTempDirFilename("first.pcap");
        const uint32_t node = Write(prefix, first);
        const auto of = [&](uint32_t npu, uint32_t device) {
            return prefix + "-" + std::to_string(node + npu) + "-" + std::to_string(device) +
                   ".pcap";
        };
        for (const std::string& path : {first, of(0, 0), of(1, 0)})
        {
            Expect(path, {{42, 0x0806, true}, {42, 0x0806, false}, {1042, 0x0800, false}});
        }
        Expect(of(2, 0), {{42, 0x0806, true}});
        PcapFile other;
        other.Open(of(0, 1), std::ios::in);
        NS_TEST_EXPECT_MSG_EQ(other.Fail(), true, "there is no such file");
    }

    /**
     * Writes the files, which are whole when the devices are no more.
     * @param prefix of the files of all devices
     * @param first path of a further file of the first one
     * @return the id of the first node
     */
    static uint32_t
    Write(const std::string& prefix, const std::string& first)
    {
        const NodeContainer npus(3);
        NpuFabricHelper helper = FiftyBytesPerNanosecond("FullyConnected", {3});
        const NetDeviceContainer devices = helper.Install(npus);
        NanosecondBytes().Install(npus.Get(0), npus.Get(1));
        InternetStackHelper().Install(npus);
        const Ipv4InterfaceContainer interfaces = Assign(devices);
        UdpServerHelper(9).Install(npus.Get(1));
        Datagrams(interfaces.GetAddress(1), 1000, 1).Install(npus.Get(0));
        helper.EnablePcapAll(prefix, true);
        helper.EnablePcap(first, devices.Get(0), false, true);
        Simulator::Run();
        const uint32_t node = npus.Get(0)->GetId();
        Simulator::Destroy();
        Config::Reset();
        return node;
    }

    /// A packet in a file.
    struct Frame
    {
        uint32_t size;     ///< in bytes
        uint16_t protocol; ///< in the Ethernet header
        bool broadcast;    ///< to everybody
    };

    /**
     * @param path of a file
     * @param frames in it
     */
    void
    Expect(const std::string& path, const std::vector<Frame>& frames)
    {
        PcapFile file;
        file.Open(path, std::ios::in);
        NS_TEST_ASSERT_MSG_EQ(file.Fail(), false, path);
        NS_TEST_EXPECT_MSG_EQ(file.GetDataLinkType(), 1, "Ethernet");
        for (const Frame& frame : frames)
        {
            uint8_t bytes[2000];
            uint32_t seconds = 0;
            uint32_t fraction = 0;
            uint32_t included = 0;
            uint32_t size = 0;
            uint32_t read = 0;
            file.Read(bytes, sizeof(bytes), seconds, fraction, included, size, read);
            NS_TEST_ASSERT_MSG_EQ(file.Fail(), false, "a packet of " << path);
            NS_TEST_EXPECT_MSG_EQ(size, frame.size, "size");
            NS_TEST_EXPECT_MSG_EQ(read, frame.size, "all of it");
            NS_TEST_EXPECT_MSG_EQ(bytes[12] * 256 + bytes[13], frame.protocol, "protocol");
            NS_TEST_EXPECT_MSG_EQ((bytes[0] == 255), frame.broadcast, "to everybody");
        }
        uint8_t more = 0;
        uint32_t ignored = 0;
        file.Read(&more, 1, ignored, ignored, ignored, ignored, ignored);
        NS_TEST_EXPECT_MSG_EQ(file.Eof(), true, "nothing more");
    }
};

/**
 * @ingroup npunet-test
 * Packets of ns-3's applications take their share of a link from an all-reduce.
 */
class NpuBackgroundTestCase : public TestCase
{
  public:
    NpuBackgroundTestCase() : TestCase("background traffic slows an all-reduce by its share")
    {
    }

  private:
    void
    DoRun() override
    {
        // Packets of 4096 + 64 bytes last s = 83.2 ns. Each of two NPUs sends two messages of 256
        // packets, of t = 256 s: alone, 2 t and two delays of 500 ns, as the second message follows
        // when the other's first is in. UDP from NPU 0 to NPU 1, a packet each s / r, leaves of the
        // link 1 - r. Where t / (1 - r) > t + 500 ns the link never stands still, and
        // both messages are in after 2 t / (1 - r) + 500 ns, but for the packet that is under way
        // when the all-reduce begins. More than a third is not left to UDP while both are there.
        constexpr double PACKET = 83.2;
        constexpr double MESSAGE = 256 * PACKET;
        NS_TEST_EXPECT_MSG_EQ_TOL(Duration(0), 2 * MESSAGE + 1000, 0.001, "alone");
        for (const double share : {0.1, 0.25, 0.3})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(Duration(share),
                                      2 * MESSAGE / (1 - share) + 500,
                                      PACKET,
                                      "beside UDP with a share of " << share);
        }
    }

    /**
     * @param share of the link that UDP takes
     * @return duration of an all-reduce in nanoseconds
     */
    double
    Duration(double share)
    {
        const NodeContainer npus(2);
        NpuFabricHelper helper = FiftyBytesPerNanosecond("Mesh1D", {2});
        const NetDeviceContainer devices = helper.Install(npus);
        InternetStackHelper().Install(npus);
        const Ipv4InterfaceContainer interfaces = Assign(devices);
        const ApplicationContainer servers = UdpServerHelper(9).Install(npus.Get(1));
        if (share > 0)
        {
            const Time interval = PicoSeconds(static_cast<int64_t>(83'200 / share));
            Datagrams(interfaces.GetAddress(1), 4096 - 28, 1000, interval).Install(npus.Get(0));
        }
        NpuChakraHelper training;
        training.SetSystem(npunet::engine::SystemConfig());
        training.SetStartTime(MicroSeconds(10));
        const auto work = training.Install(
            helper.GetFabric(), OneCollective(npunet::chakra::CollectiveType::AllReduce, 1 << 21));
        Simulator::Run();
        const auto server = DynamicCast<UdpServer>(servers.Get(0));
        NS_TEST_EXPECT_MSG_EQ(server->GetReceived(), (share > 0 ? 1000 : 0), "all datagrams");
        const double duration = double(work->GetResults().finish.ps()) / 1000 - 10'000;
        Simulator::Destroy();
        Config::Reset();
        return duration;
    }
};

/**
 * @ingroup npunet-test
 * NeighborCacheHelper on a fabric with a switch, whose node has no Internet stack.
 */
class NpuNeighborCacheTestCase : public TestCase
{
  public:
    NpuNeighborCacheTestCase()
        : TestCase("NeighborCacheHelper fills the ARP caches of a fabric's devices")
    {
    }

  private:
    void
    DoRun() override
    {
        // 1000 bytes are 1092 on the wire, with the headers of UDP, IP and the fabric: 21.84 ns on
        // each of two links of 500 ns, without an ARP request first.
        NpuFabricHelper helper = FiftyBytesPerNanosecond("Switch", {4});
        const NodeContainer npus(4);
        const NetDeviceContainer devices = helper.Install(npus);
        const Ipv4InterfaceContainer interfaces = Connect(npus, devices);
        const ApplicationContainer servers = UdpServerHelper(9).Install(npus.Get(3));
        Datagrams(interfaces.GetAddress(3), 1000, 1).Install(npus.Get(0));
        Time arrival;
        NoteArrivals(servers, arrival);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(arrival, PicoSeconds(2 * (21'840 + 500'000)), "without ARP");
        Simulator::Destroy();
        Config::Reset();
    }
};

/**
 * @ingroup npunet-test
 * Datagrams beside a message to the same NPU.
 */
class NpuFairShareTestCase : public TestCase
{
  public:
    NpuFairShareTestCase() : TestCase("datagrams and a message to one NPU share its link")
    {
    }

  private:
    void
    DoRun() override
    {
        // Alone, 12.5 MB are 3051 packets of 83.2 ns and one of 37.04 ns, and 500 ns.
        const Time alone = PicoSeconds(3051 * 83'200 + 37'040 + 500'000);
        const Time withCredits = MessageBeside(false, 10'000, {});
        NS_TEST_EXPECT_MSG_GT(withCredits, 1.95 * alone, "half of the link each");
        NS_TEST_EXPECT_MSG_LT(withCredits, 2.05 * alone, "half of the link each");
        const Time withTransport = MessageBeside(false, 10'000, ETHERNET);
        NS_TEST_EXPECT_MSG_GT(withTransport, 1.95 * alone, "half of the link each");
        NS_TEST_EXPECT_MSG_LT(withTransport, 2.05 * alone, "half of the link each");
        // One datagram in the midst of the message waits for two packets at most.
        for (const auto& attributes : {NO_ATTRIBUTES, ETHERNET})
        {
            const Time late = MessageBeside(true, 1, attributes);
            NS_TEST_EXPECT_MSG_GT(late, NanoSeconds(583), "a packet and the link");
            NS_TEST_EXPECT_MSG_LT(late, NanoSeconds(583 + 2 * 84), "and two packets");
        }
    }

    /// Attributes of a fabric.
    using Attributes = std::vector<std::pair<std::string, std::string>>;

    /**
     * A message of 12.5 MB, and from 50 us on datagrams that fill a packet each.
     * @param datagram what is wanted: how long the last datagram takes, or the message
     * @param count of datagrams, as fast as the link
     * @param attributes of the fabric
     * @return the duration
     */
    Time
    MessageBeside(bool datagram, uint32_t count, const Attributes& attributes)
    {
        NpuFabricHelper helper = FiftyBytesPerNanosecond("Mesh1D", {2});
        for (const auto& [name, value] : attributes)
        {
            helper.SetFabricAttribute(name, StringValue(value));
        }
        const NodeContainer npus(2);
        const NetDeviceContainer devices = helper.Install(npus);
        const Ipv4InterfaceContainer interfaces = Connect(npus, devices);
        const ApplicationContainer servers = UdpServerHelper(9).Install(npus.Get(1));
        ApplicationContainer clients =
            Datagrams(interfaces.GetAddress(1), 4096 - 28, count, PicoSeconds(83'200))
                .Install(npus.Get(0));
        clients.Start(count > 1 ? Time(0) : MicroSeconds(50));
        Time arrival;
        NoteArrivals(servers, arrival);
        Time delivered;
        helper.GetFabric()->Send(0, 1, 12'500'000, NoteTime(delivered));
        Simulator::Run();
        const Ptr<UdpServer> server = DynamicCast<UdpServer>(servers.Get(0));
        NS_TEST_EXPECT_MSG_EQ(server->GetReceived(), count, "all datagrams");
        Simulator::Destroy();
        Config::Reset();
        return datagram ? arrival - MicroSeconds(50) : delivered;
    }

    const Attributes NO_ATTRIBUTES;                                              //!< credits
    const Attributes ETHERNET{{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}}; //!< queue pairs
};

/// The suite.
NpuTestSuite g_npuInternetTestSuite("npu-internet",
                                    {new NpuDatagramTestCase,
                                     new NpuForwardingTestCase,
                                     new NpuPcapTestCase,
                                     new NpuBackgroundTestCase,
                                     new NpuNeighborCacheTestCase,
                                     new NpuFairShareTestCase});

} // namespace
