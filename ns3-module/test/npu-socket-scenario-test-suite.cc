// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-test-scenarios.h"

#include "ns3-module/model/npu-datagram-set.h"
#include "ns3-module/model/npu-stream-reader.h"
#include "ns3/npu-socket-application.h"

#include <ns3/config.h>
#include <ns3/csma-helper.h>
#include <ns3/inet-socket-address.h>
#include <ns3/ipv6-address-helper.h>
#include <ns3/socket.h>

#include <utility>

using namespace ns3;

namespace
{

using npunet::chakra::CollectiveType;

/**
 * @ingroup npunet-test
 * Collectives of various sizes on links of other kinds.
 */
class NpuSocketLinksTestCase : public TestCase
{
  public:
    NpuSocketLinksTestCase() : TestCase("collectives on CSMA, with IPv6, and of many")
    {
    }

  private:
    void
    DoRun() override
    {
        // A bus of 100 Mb/s, shared by all, and addresses that ARP has to find: a ring all-reduce
        // has 2 n (n - 1) messages, of 2 (n - 1) S bytes in all.
        CsmaHelper bus;
        bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
        bus.SetChannelAttribute("Delay", StringValue("1us"));
        const NodeContainer four(4);
        InternetStackHelper().Install(four);
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(bus.Install(four));
        Expect(NpuSocketHelper().Install(four), CollectiveType::AllReduce, 4000, 24, 6 * 4000);

        // Nodes without IPv4 addresses.
        const NodeContainer six(3);
        InternetStackHelper stack;
        stack.SetIpv4StackInstall(false);
        stack.Install(six);
        Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        addresses.Assign(bus.Install(six));
        for (const char* protocol : {"ns3::TcpSocketFactory", "ns3::UdpSocketFactory"})
        {
            NpuSocketHelper helper(protocol);
            helper.SetAttribute("DatagramRate", StringValue("10Mbps"));
            helper.SetApplicationAttribute("StartTime",
                                           TimeValue(Seconds(2))); // after autoconfiguration
            Expect(helper.Install(six), CollectiveType::AllReduce, 3000, 12, 4 * 3000, false);
        }
        Simulator::Destroy();

        // Everybody to everybody else: n (n - 1) connections.
        constexpr uint32_t MANY = 24;
        NpuTestSender sender(NpuSocketHelper().Install(MakeStar(MANY)));
        for (uint32_t source = 0; source < MANY; ++source)
        {
            for (uint32_t other = 1; other < MANY; ++other)
            {
                sender.Send(source, (source + other) % MANY, 2000);
            }
        }
        Simulator::Run();
        for (std::size_t i = 0; i < sender.delivered.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_GT(sender.delivered[i], -1, "once: message " << i);
        }
        Simulator::Destroy();
    }

    /**
     * Runs a collective.
     * @param network of some NPUs
     * @param type of the collective
     * @param bytes its size
     * @param messages that it has
     * @param payload of all of them
     * @param last whether to destroy the simulation
     */
    void
    Expect(const Ptr<NpuSocketNetwork>& network,
           CollectiveType type,
           int64_t bytes,
           uint64_t messages,
           uint64_t payload,
           bool last = true)
    {
        NpuMessageLog log(network);
        const auto work = NpuChakraHelper().Install(network, OneCollective(type, bytes));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(work->IsFinished(), true, "done");
        NS_TEST_EXPECT_MSG_EQ(log.delivered, messages, "messages");
        NS_TEST_EXPECT_MSG_EQ(log.sent, messages, "messages");
        NS_TEST_EXPECT_MSG_EQ(log.bytes, payload, "payload");
        NS_TEST_EXPECT_MSG_GT(work->GetResults().finish.ps(), 0, "the results are there");
        if (last)
        {
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup npunet-test
 * Applications that begin late and end early, and messages in between.
 */
class NpuSocketLifeTestCase : public TestCase
{
  public:
    NpuSocketLifeTestCase() : TestCase("the life of the applications")
    {
    }

  private:
    void
    DoRun() override
    {
        // The applications begin at 1 ms: a message of 0 ms leaves then, when SYN and SYN-ACK have
        // crossed the link (npu-socket: 2 x (58 ns + 10 us)). They end at 3 ms, so what is sent
        // then does not arrive, nor does what is on its way.
        const NodeContainer nodes = MakePair();
        NpuSocketHelper helper;
        helper.SetApplicationAttribute("StartTime", TimeValue(MilliSeconds(1)));
        helper.SetApplicationAttribute("StopTime", TimeValue(MilliSeconds(3)));
        const auto network = helper.Install(nodes);
        NpuTestSender sender(network);
        sender.Send(0, 1, 100);
        Simulator::Schedule(MicroSeconds(2900), [&]() { sender.Send(0, 1, 10'000'000); });
        Simulator::Schedule(MilliSeconds(4), [&]() { sender.Send(1, 0, 100); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sender.left[0], 1'020'116'000, "it has waited");
        NS_TEST_EXPECT_MSG_GT(sender.delivered[0], sender.left[0], "in");
        NS_TEST_EXPECT_MSG_EQ(sender.delivered[1], -1, "cut off");
        NS_TEST_EXPECT_MSG_EQ(sender.delivered[2], -1, "too late");
        const std::string explanation = network->GetNetwork().explain_stall();
        for (const char* part :
             {"2 messages have not arrived over ns3::TcpSocketFactory",
              "message 1 from NPU 0 to NPU 1, sent at 2.900 ms: ",
              " of 10000000 bytes are in; the application of NPU 0 is not running",
              "message 0 from NPU 1 to NPU 0, sent at 4.000 ms: 0 of 100 bytes are in"})
        {
            NS_TEST_EXPECT_MSG_NE(explanation.find(part), std::string::npos, explanation);
        }
        Simulator::Destroy();

        // There is a route from 0 to 1, but no node has an address like this.
        const NodeContainer others = MakePair();
        const auto astray =
            NpuSocketHelper().Install(others, {Ipv4Address("10.0.0.1"), Ipv4Address("10.0.1.7")});
        NpuTestSender lost(astray);
        lost.Send(0, 1, 100);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_NE(
            astray->GetNetwork().explain_stall().find("NPU 0 could not connect to NPU 1"),
            std::string::npos,
            astray->GetNetwork().explain_stall());
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * What cannot be is refused.
 */
class NpuSocketRefusalTestCase : public TestCase
{
  public:
    NpuSocketRefusalTestCase() : TestCase("what cannot be is refused")
    {
    }

  private:
    void
    DoRun() override
    {
        const NodeContainer nodes(2);
        NpuSocketHelper helper;
        Expect(helper, nodes, "node 0 (NPU 0) without ns3::TcpSocketFactory");
        InternetStackHelper().Install(nodes);
        Expect(helper, nodes, "node 0 (NPU 0) without an address");
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(NanosecondBytes().Install(nodes));
        Expect(helper, NodeContainer(nodes.Get(0), nodes.Get(0)), "node 0 twice");
        NpuSocketHelper three;
        NpuTopologyHelper ring;
        ring.SetTorus({3});
        three.SetTopology(ring);
        Expect(three, nodes, "2 nodes and 2 addresses");

        const auto network = helper.Install(nodes);
        Expect(helper, nodes, "node 0 (NPU 0) of whose sockets port 4791 is another NPU's");
        helper.SetAttribute("Port", UintegerValue(4792));
        const auto beside = helper.Install(nodes);
        NS_TEST_EXPECT_MSG_EQ(beside->GetApplications().GetN(), 2, "another port");

        // One workload at a time; two networks have one each.
        const auto nodes_of = OneCollective(CollectiveType::AllReduce, 1000);
        const auto first = NpuChakraHelper().Install(network, nodes_of);
        const auto second = NpuChakraHelper().Install(beside, nodes_of);
        const std::string refusal =
            RefusalOf([&]() { NpuChakraHelper().Install(network, nodes_of); });
        NS_TEST_EXPECT_MSG_NE(refusal.find("one workload at a time"), std::string::npos, refusal);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(first->IsFinished() && second->IsFinished(), true, "side by side");
        const auto next = NpuChakraHelper().Install(network, nodes_of);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(next->IsFinished(), true, "one after the other");
        Simulator::Destroy();
    }

    /**
     * @param helper whose Install() is to be refused
     * @param nodes for it
     * @param part of the explanation
     */
    void
    Expect(const NpuSocketHelper& helper, const NodeContainer& nodes, const std::string& part)
    {
        const std::string refusal = RefusalOf([&]() { helper.Install(nodes); });
        NS_TEST_EXPECT_MSG_NE(refusal.find(part), std::string::npos, part << " in: " << refusal);
    }
};

/**
 * @ingroup npunet-test
 * Streams that are cut anywhere, datagrams in any order, and what others send to the port.
 */
class NpuSocketPartsTestCase : public TestCase
{
  public:
    NpuSocketPartsTestCase() : TestCase("parts of messages are put together")
    {
    }

  private:
    void
    DoRun() override
    {
        // Messages of 0, 1, 30 and 100 bytes in parts of every size from 1 to the whole.
        const std::vector<uint64_t> sizes{0, 1, 30, 100};
        const Ptr<Packet> stream = Create<Packet>();
        for (uint32_t i = 0; i < sizes.size(); ++i)
        {
            const NpuMessageHeader header({7, 0, i}, sizes[i]);
            const Ptr<Packet> message = Create<Packet>(static_cast<uint32_t>(sizes[i]));
            message->AddHeader(header);
            stream->AddAtEnd(message);
        }
        NS_TEST_EXPECT_MSG_EQ(stream->GetSize(), 4 * 24 + 131, "headers of 24 bytes");
        for (uint32_t part = 1; part <= stream->GetSize(); ++part)
        {
            std::vector<uint64_t> arrived(sizes.size(), 0);
            uint64_t calls = 0;
            NpuStreamReader reader([&](const NpuMessageHeader& header, uint64_t bytes) {
                NS_TEST_EXPECT_MSG_EQ(header.source, 7, "who");
                NS_TEST_EXPECT_MSG_EQ(header.bytes, sizes[header.number], "how much");
                arrived[header.number] += bytes;
                calls += bytes == 0 ? 1 : 0;
            });
            for (uint32_t at = 0; at < stream->GetSize(); at += part)
            {
                reader.Read(stream->CreateFragment(at, std::min(part, stream->GetSize() - at)));
            }
            NS_TEST_EXPECT_MSG_EQ((arrived == sizes), true, "parts of " << part);
            NS_TEST_EXPECT_MSG_EQ(calls, 1, "only the empty one");
        }

        // 250 bytes in parts of 100: three, each once, and nothing else.
        NpuDatagramSet set(250, 100);
        const std::vector<std::pair<uint64_t, uint64_t>> others{
            {50, 100}, {100, 99}, {200, 100}, {300, 0}, {250, 0}, {1'000'000, 100}};
        for (const auto& [offset, size] : others)
        {
            NS_TEST_EXPECT_MSG_EQ(set.Insert(offset, size), false, "no part: " << offset);
        }
        for (const bool again : {false, true})
        {
            NS_TEST_EXPECT_MSG_EQ(set.Insert(200, 50), !again, "the last");
            NS_TEST_EXPECT_MSG_EQ(set.Insert(0, 100), !again, "the first");
            NS_TEST_EXPECT_MSG_EQ(set.Insert(100, 100), !again, "the middle");
        }
        NpuDatagramSet empty(0, 100);
        NS_TEST_EXPECT_MSG_EQ(empty.Insert(0, 0), true, "one part without payload");
        NS_TEST_EXPECT_MSG_EQ(empty.Insert(0, 0), false, "once");

        // Datagrams of others, and those of a message that come again, change nothing.
        const NodeContainer nodes = MakePair();
        const auto network = NpuSocketHelper("ns3::UdpSocketFactory").Install(nodes);
        const Ptr<Socket> other =
            Socket::CreateSocket(nodes.Get(0), TypeId::LookupByName("ns3::UdpSocketFactory"));
        other->Bind();
        other->Connect(InetSocketAddress("10.0.0.2", 4791));
        network->GetApplications().Get(0)->TraceConnectWithoutContext(
            "Tx", Sink([&](Ptr<const Packet> packet) {
                other->Send(packet->Copy());
                other->Send(Create<Packet>(10));
            }));
        NpuTestSender sender(network);
        sender.Send(0, 1, 3000);
        sender.Send(0, 1, 0);
        Simulator::Run();
        // Three datagrams of 1448, 1448 and 104 bytes, and one of 0, each after its copy, which
        // counts, and one of 10 bytes; 54 bytes are added to the former, 30 to the latter.
        const int64_t first = 2 * (2 * 1502'000 + 40'000) + 158'000;
        NS_TEST_EXPECT_MSG_EQ(sender.delivered[0], 10'000'000 + first, "with the first copy");
        NS_TEST_EXPECT_MSG_EQ(
            sender.delivered[1], 10'000'000 + first + 40'000 + 158'000 + 54'000, "likewise");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Connections of others to the port of an NPU, and the way there by a Config path.
 */
class NpuSocketStrangersTestCase : public TestCase
{
  public:
    NpuSocketStrangersTestCase() : TestCase("strangers connect, and Config paths lead to a network")
    {
    }

  private:
    void
    DoRun() override
    {
        // Bytes that are no headers, and the header of a message that is under way with 1000 bytes
        // that are not its payload, before its own: neither counts. Its 3024 bytes take 3 us at
        // least, and 10 us to arrive.
        const NodeContainer nodes = MakePair();
        NpuTestSender sender(NpuSocketHelper().Install(nodes));
        const NpuMessageHeader header({0, 1, 0}, 1000);
        const Ptr<Packet> wrong = Create<Packet>(1000);
        wrong->AddHeader(header);
        const std::vector<uint8_t> noise(1000, 0xff);
        for (const Ptr<Packet>& bytes : {Create<Packet>(noise.data(), 1000), wrong})
        {
            const Ptr<Socket> stranger =
                Socket::CreateSocket(nodes.Get(0), TypeId::LookupByName("ns3::TcpSocketFactory"));
            stranger->Bind();
            Simulator::Schedule(MicroSeconds(2), [stranger, bytes]() {
                stranger->Connect(InetSocketAddress("10.0.0.2", 4791));
                stranger->Send(bytes);
                stranger->Close();
            });
        }
        uint64_t delivered = 0;
        Config::ConnectWithoutContext(
            "/NodeList/0/ApplicationList/*/$ns3::NpuSocketApplication/Network/MessageDelivered",
            Sink([&](uint32_t, uint32_t, uint64_t bytes, Time) { delivered += bytes; }));
        Simulator::Schedule(MicroSeconds(5), [&]() { sender.Send(0, 1, 3000); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(sender.delivered[0], sender.left[0] + 13'000'000, "all of it is in");
        NS_TEST_EXPECT_MSG_EQ(delivered, 3000, "once");
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuSocketScenarioTestSuite("npu-socket-scenario",
                                          {new NpuSocketLinksTestCase,
                                           new NpuSocketLifeTestCase,
                                           new NpuSocketRefusalTestCase,
                                           new NpuSocketPartsTestCase,
                                           new NpuSocketStrangersTestCase});

} // namespace
