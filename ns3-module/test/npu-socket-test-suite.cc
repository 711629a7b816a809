// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-test-scenarios.h"

#include <ns3/boolean.h>
#include <ns3/csma-helper.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/error-model.h>
#include <ns3/flow-monitor-helper.h>
#include <ns3/ipv6-address-helper.h>
#include <ns3/neighbor-cache-helper.h>
#include <ns3/pointer.h>

using namespace ns3;

namespace
{

using npunet::chakra::CollectiveType;

/**
 * @ingroup npunet-test
 * The bytes of an all-reduce over TCP are those that FlowMonitor counts.
 */
class NpuTcpBytesTestCase : public TestCase
{
  public:
    NpuTcpBytesTestCase() : TestCase("an all-reduce over TCP agrees with FlowMonitor")
    {
    }

  private:
    void
    DoRun() override
    {
        // A ring all-reduce of S bytes over n NPUs: every NPU sends 2 (n - 1) messages of S / n to
        // its neighbour, each with a header of 24 bytes, over one connection. FlowMonitor counts
        // packets of IP: 20 bytes, 20 of TCP, 12 of timestamps; SYN and SYN-ACK have 16 bytes of
        // options instead of 12. So without retransmission all flows together have
        //     2 (n - 1) S + 2 n (n - 1) 24 + 52 packets + n 2 4 bytes.
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
        constexpr uint64_t NPUS = 4;
        constexpr uint64_t BYTES = 1 << 20;
        const NodeContainer nodes = MakeStar(NPUS);
        const Ptr<NpuSocketNetwork> network = NpuSocketHelper().Install(nodes);
        NpuMessageLog log(network);
        FlowMonitorHelper flows;
        const Ptr<FlowMonitor> monitor = flows.InstallAll();
        NpuChakraHelper training;
        training.SetSystem(npunet::engine::SystemConfig());
        const Ptr<NpuChakraWorkload> work =
            training.Install(network, OneCollective(CollectiveType::AllReduce, BYTES));
        Simulator::Stop(Seconds(5));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(work->IsFinished(), true, "done");
        NS_TEST_EXPECT_MSG_EQ(log.delivered, 2 * NPUS * (NPUS - 1), "messages of a ring");
        NS_TEST_EXPECT_MSG_EQ(log.sent, log.delivered, "all acknowledged");
        NS_TEST_EXPECT_MSG_EQ(log.bytes, 2 * (NPUS - 1) * BYTES, "payload of a ring");
        uint64_t sent = 0;
        uint64_t received = 0;
        uint64_t packets = 0;
        uint64_t lost = 0;
        for (const auto& [id, flow] : monitor->GetFlowStats())
        {
            sent += flow.txBytes;
            received += flow.rxBytes;
            packets += flow.txPackets;
            lost += flow.lostPackets;
        }
        NS_TEST_EXPECT_MSG_EQ(monitor->GetFlowStats().size(),
                              2 * NPUS,
                              "a connection to each neighbour, and its acknowledgements");
        NS_TEST_EXPECT_MSG_EQ(
            sent, log.bytes + log.delivered * 24 + packets * 52 + NPUS * 2 * 4, "bytes");
        NS_TEST_EXPECT_MSG_EQ(received, sent, "all received");
        NS_TEST_EXPECT_MSG_EQ(lost, 0, "nothing lost");
        Simulator::Destroy();
        Config::Reset();
    }
};

/**
 * @ingroup npunet-test
 * When messages have left, are in and are sent.
 */
class NpuTcpTimesTestCase : public TestCase
{
  public:
    NpuTcpTimesTestCase() : TestCase("times of a message over TCP")
    {
    }

  private:
    void
    DoRun() override
    {
        // A byte takes 1 ns on the link, which adds 10 us and 2 bytes of PPP to a packet. At first
        // a connection is made: SYN and SYN-ACK of 20 + 20 + 16 bytes. Then a message of 100 bytes
        // in a segment of 52 + 24 + 100 bytes, behind the handshake's third packet of 52 bytes. Its
        // acknowledgement has 52 bytes. A message of 0 bytes later on needs no connection and
        // leaves 1 ps after it was handed to the socket.
        constexpr int64_t US = 1'000'000;
        constexpr int64_t DELAY = 10 * US;
        constexpr int64_t OPEN = 2 * (58'000 + DELAY);
        constexpr int64_t ACKNOWLEDGEMENT = 54'000 + DELAY;
        for (const bool acknowledged : {true, false})
        {
            Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
            const NodeContainer nodes = MakePair();
            NpuSocketHelper helper;
            helper.SetAttribute("SendEnds",
                                StringValue(acknowledged ? "Acknowledged" : "Accepted"));
            NpuTestSender sender(helper.Install(nodes));
            Simulator::Schedule(MicroSeconds(5), [&]() { sender.Send(0, 1, 100); });
            Simulator::Schedule(MicroSeconds(500), [&]() { sender.Send(0, 1, 0); });
            Simulator::Run();
            int64_t left = 5 * US + OPEN;
            int64_t in = left + 54'000 + 178'000 + DELAY;
            NS_TEST_ASSERT_MSG_EQ(sender.left.size(), 2, "two messages");
            NS_TEST_EXPECT_MSG_EQ(sender.left[0], left, "when the connection is open");
            NS_TEST_EXPECT_MSG_EQ(sender.delivered[0], in, "one segment later");
            NS_TEST_EXPECT_MSG_EQ(
                sender.sent[0], (acknowledged ? in + ACKNOWLEDGEMENT : left), "SendEnds");
            left = 500 * US;
            in = left + 1 + 78'000 + DELAY;
            NS_TEST_EXPECT_MSG_EQ(sender.left[1], left, "at once");
            NS_TEST_EXPECT_MSG_EQ(sender.delivered[1], in, "a header");
            NS_TEST_EXPECT_MSG_EQ(
                sender.sent[1], (acknowledged ? in + ACKNOWLEDGEMENT : left), "SendEnds");
            Simulator::Destroy();
            Config::Reset();
        }
    }
};

/**
 * @ingroup npunet-test
 * On lossy links and through small buffers every message arrives once, in order.
 */
class NpuTcpLossTestCase : public TestCase
{
  public:
    NpuTcpLossTestCase() : TestCase("every message arrives once over lossy links")
    {
    }

  private:
    void
    DoRun() override
    {
        // Segments of 100 bytes and a buffer of 1000: parts of messages and of their headers. One
        // packet in fifty is lost, and the runs of one seed are equal.
        std::vector<std::vector<int64_t>> runs;
        for (int run = 0; run < 2; ++run)
        {
            Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(100));
            Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1000));
            NetDeviceContainer devices;
            const NodeContainer nodes = MakePair(&devices);
            InternetStackHelper().AssignStreams(nodes, 100);
            for (uint32_t i = 0; i < 2; ++i)
            {
                const auto errors = CreateObject<RateErrorModel>();
                errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                errors->SetRate(0.02);
                errors->AssignStreams(10 + i);
                devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
            }
            const auto network = NpuSocketHelper().Install(nodes);
            network->GetEventQueue().shuffle_insertions(static_cast<uint64_t>(run));
            NpuTestSender sender(network);
            int64_t drops = 0;
            for (uint32_t i = 0; i < 2; ++i)
            {
                devices.Get(i)->TraceConnectWithoutContext(
                    "PhyRxDrop", Sink([&](Ptr<const Packet>) { ++drops; }));
            }
            for (int64_t i = 0; i < 100; ++i)
            {
                sender.Send(0, 1, i * 37);
                sender.Send(1, 0, i % 3);
            }
            Simulator::Run();
            for (std::size_t i = 0; i < sender.delivered.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_GT(sender.delivered[i], -1, "once: message " << i);
                NS_TEST_EXPECT_MSG_GT(sender.sent[i], sender.delivered[i], "message " << i);
                if (i >= 2)
                {
                    NS_TEST_EXPECT_MSG_GT_OR_EQ(
                        sender.delivered[i], sender.delivered[i - 2], "in order: message " << i);
                }
            }
            NS_TEST_EXPECT_MSG_GT(drops, 20, "some are lost");
            runs.push_back(sender.delivered);
            Simulator::Destroy();
            Config::Reset();
        }
        NS_TEST_EXPECT_MSG_EQ((runs[0] == runs[1]), true, "the same bits");
    }
};

/**
 * @ingroup npunet-test
 * Datagrams: times, and the explanation of a loss.
 */
class NpuUdpTestCase : public TestCase
{
  public:
    NpuUdpTestCase() : TestCase("messages over UDP")
    {
    }

  private:
    void
    DoRun() override
    {
        // Datagrams of 24 + 1000 bytes, in packets of 1024 + 28 + 2 bytes: 1054 ns each on the
        // link, back to back, and 10 us. A message of 2500 bytes has a last one of 24 + 500. At 4
        // Gb/s they are 2048 ns apart instead.
        for (const bool paced : {false, true})
        {
            const NodeContainer nodes = MakePair();
            NpuSocketHelper helper("ns3::UdpSocketFactory");
            helper.SetAttribute("DatagramSize", UintegerValue(1024));
            helper.SetAttribute("DatagramRate", StringValue(paced ? "4Gbps" : "0bps"));
            NpuTestSender sender(helper.Install(nodes));
            Simulator::Schedule(MicroSeconds(5), [&]() {
                sender.Send(0, 1, 2500);
                sender.Send(0, 1, 0);
            });
            Simulator::Run();
            const int64_t last = paced ? 2 * 2'048'000 + 554'000 : 2 * 1'054'000 + 554'000;
            NS_TEST_EXPECT_MSG_EQ(sender.left[0], 5'000'000, "at once");
            NS_TEST_EXPECT_MSG_EQ(sender.sent[0], (paced ? 9'096'000 : 5'000'000), "the last one");
            NS_TEST_EXPECT_MSG_EQ(sender.delivered[0], 15'000'000 + last, "closed form");
            const int64_t next = paced ? 2 * 2'048'000 + 1'048'000 : last;
            NS_TEST_EXPECT_MSG_EQ(sender.delivered[1], 15'000'000 + next + 54'000, "24 bytes");
            Simulator::Destroy();
        }

        // The third packet is lost, the second datagram of three after those of the first message.
        NetDeviceContainer devices;
        const NodeContainer nodes = MakePair(&devices);
        const auto errors = CreateObject<ReceiveListErrorModel>();
        errors->SetList({2});
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        const auto network = NpuSocketHelper("ns3::UdpSocketFactory").Install(nodes);
        NpuChakraHelper training;
        training.SetSystem(npunet::engine::SystemConfig());
        const auto work =
            training.Install(network, OneCollective(CollectiveType::AllReduce, 2 * 2 * 1448));
        Simulator::Run();
        const std::string explanation = StallOf(work);
        for (const char* part : {"message 1 from NPU 0 to NPU 1, sent at ",
                                 ": 1448 of 2896 bytes are in",
                                 "ns3::UdpSocketFactory",
                                 "rank 1 (1 of 1 nodes left)"})
        {
            NS_TEST_EXPECT_MSG_NE(explanation.find(part), std::string::npos, explanation);
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Datagrams that leave while ARP asks.
 */
class NpuSocketArpTestCase : public TestCase
{
  public:
    NpuSocketArpTestCase() : TestCase("datagrams that ARP keeps waiting")
    {
    }

  private:
    void
    DoRun() override
    {
        // Ten datagrams at once: ARP keeps three while it asks. Where it knows already, all arrive.
        for (const bool known : {false, true})
        {
            CsmaHelper bus;
            bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
            bus.SetChannelAttribute("Delay", StringValue("1us"));
            const NodeContainer nodes(2);
            InternetStackHelper().Install(nodes);
            Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(bus.Install(nodes));
            if (known)
            {
                NeighborCacheHelper().PopulateNeighborCache();
            }
            const auto network = NpuSocketHelper("ns3::UdpSocketFactory").Install(nodes);
            const auto work = NpuChakraHelper().Install(
                network, OneCollective(CollectiveType::AllReduce, 2 * 10 * 1448));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(work->IsFinished(), known, "all of them are needed");
            const std::string stall = StallOf(work);
            for (const char* part : {"NeighborCacheHelper", "The simulation ended at "})
            {
                NS_TEST_EXPECT_MSG_EQ((stall.find(part) == std::string::npos), known, stall);
            }
            Simulator::Destroy();
        }
    }
};

/// The suite.
NpuTestSuite g_npuSocketTestSuite("npu-socket",
                                  {new NpuTcpBytesTestCase,
                                   new NpuTcpTimesTestCase,
                                   new NpuTcpLossTestCase,
                                   new NpuUdpTestCase,
                                   new NpuSocketArpTestCase});

} // namespace
