// SPDX-License-Identifier: GPL-2.0-only

// What packets of applications meet on a fabric as datagrams: losses, marks in their IP headers,
// queues, and links that fail.

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"

#include <ns3/bulk-send-helper.h>
#include <ns3/config.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/ipv6-address-helper.h>
#include <ns3/ipv6-l3-protocol.h>
#include <ns3/neighbor-cache-helper.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/udp-socket-factory.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Attributes of a fabric, with their values.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// Payload of datagrams whose packets have 1500 bytes.
constexpr uint32_t PAYLOAD = 1500 - 28;

/// A star of three NPUs with IPv4 and IPv6.
struct Star
{
    /**
     * @param attributes of the fabric
     * @param discs whether hosts have queue discs
     */
    explicit Star(const Attributes& attributes, bool discs = true)
        : helper(StarOfThree(attributes)), npus(helper.CreateNpus())
    {
        devices = helper.Install(npus);
        InternetStackHelper().Install(npus);
        v4 = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
        v6 = Ipv6AddressHelper(Ipv6Address("2001:1::"), Ipv6Prefix(64)).Assign(devices);
        if (!discs)
        {
            TrafficControlHelper().Uninstall(devices);
        }
        NeighborCacheHelper().PopulateNeighborCache(devices);
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            devices.Get(i)->TraceConnectWithoutContext(
                "DatagramLost", Sink([this](Ptr<const Packet> packet) {
                    // Not the solicitations of IPv6.
                    lost += packet->GetSize() == 1500 ? 1 : 0;
                }));
            devices.Get(i)->TraceConnectWithoutContext(
                "MacTxDrop", Sink([this](Ptr<const Packet>) { ++refused; }));
        }
    }

    /**
     * Sends datagrams of PAYLOAD bytes to the last NPU.
     * @param from an NPU
     * @param count how many
     * @param field of their IP headers: 2, ECN-capable, or 0
     * @param isV6 by IPv6
     */
    void
    SendToLast(uint32_t from, uint32_t count, uint8_t field = 0, bool isV6 = false)
    {
        const Ptr<Socket> socket =
            Socket::CreateSocket(npus.Get(from), UdpSocketFactory::GetTypeId());
        if (isV6)
        {
            socket->Bind6();
            socket->SetIpv6Tclass(field);
        }
        else
        {
            socket->Bind();
        }
        const Address to = isV6 ? Address(Inet6SocketAddress(v6.GetAddress(2, 1), 9))
                                : Address(InetSocketAddress(v4.GetAddress(2), 9));
        // IPv6 first makes sure that addresses are its own.
        Simulator::ScheduleWithContext(npus.Get(from)->GetId(), Seconds(2), [=]() {
            for (uint32_t i = 0; i < count; ++i)
            {
                const Ptr<Packet> packet = Create<Packet>(PAYLOAD - (isV6 ? 20 : 0));
                // SetIpTos() leaves the bits of ECN to TCP.
                SocketIpTosTag tag;
                tag.SetTos(field);
                packet->AddPacketTag(tag);
                socket->SendTo(packet, 0, to);
            }
        });
    }

    /**
     * Runs, with a sink of datagrams at the last NPU.
     * @param isV6 by IPv6
     * @return datagrams that came in
     */
    uint32_t
    Run(bool isV6 = false)
    {
        const Ptr<Socket> socket = Socket::CreateSocket(npus.Get(2), UdpSocketFactory::GetTypeId());
        socket->Bind(isV6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), 9))
                          : Address(InetSocketAddress(Ipv4Address::GetAny(), 9)));
        uint32_t received = 0;
        socket->SetRecvCallback(Sink([this, &received](Ptr<Socket> from) {
            while (from->Recv())
            {
                ++received;
                last = Simulator::Now() - Seconds(2);
            }
        }));
        Simulator::Run();
        return received;
    }

    NpuFabricHelper helper;     //!< with the network
    NodeContainer npus;         //!< nodes
    NetDeviceContainer devices; //!< of the nodes
    Ipv4InterfaceContainer v4;  //!< of the nodes
    Ipv6InterfaceContainer v6;  //!< of the nodes
    uint32_t lost{0};           //!< in the fabric
    uint32_t refused{0};        //!< by devices
    Time last;                  //!< when the last datagram came in, from their start
};

/**
 * @ingroup npunet-test
 * Marks in IP headers.
 */
class NpuIpMarksTestCase : public TestCase
{
  public:
    NpuIpMarksTestCase() : TestCase("switches mark ECN-capable datagrams in their IP headers")
    {
    }

  private:
    void
    DoRun() override
    {
        // IPv4 receivers drop what has a wrong checksum.
        Config::SetGlobal("ChecksumEnabled", BooleanValue(true));
        for (const bool isV6 : {false, true})
        {
            Expect(isV6, 2);
            Expect(isV6, 0);
        }
        Config::SetGlobal("ChecksumEnabled", BooleanValue(false));
    }

    /**
     * Two NPUs send 40 datagrams each to the third; the switch marks beyond 5 that wait.
     * @param isV6 by IPv6
     * @param field ECN of the datagrams
     */
    void
    Expect(bool isV6, uint8_t field)
    {
        Star star({{"FlowControl", "None"},
                   {"EcnMinimum", "7820"},
                   {"EcnMaximum", "7820"},
                   {"EcnRate", "0bps"}});
        star.SendToLast(0, 40, field, isV6);
        star.SendToLast(1, 40, field, isV6);
        uint32_t byFabric = 0;
        star.helper.GetSwitches().Get(0)->GetDevice(0)->TraceConnectWithoutContext(
            "PacketMarked", Sink([&](uint32_t, uint32_t) { ++byFabric; }));
        uint32_t inHeaders = 0;
        star.npus.Get(2)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Rx", Sink([&](Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) {
                Ipv4Header header;
                packet->PeekHeader(header);
                inHeaders += header.GetEcn() == Ipv4Header::ECN_CE ? 1 : 0;
            }));
        star.npus.Get(2)->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
            "Rx", Sink([&](Ptr<const Packet> packet, Ptr<Ipv6>, uint32_t) {
                Ipv6Header header;
                packet->PeekHeader(header);
                inHeaders += header.GetEcn() == Ipv6Header::ECN_CE ? 1 : 0;
            }));
        const uint32_t received = star.Run(isV6);
        NS_TEST_EXPECT_MSG_EQ(received, 80, "all come in");
        // Two come at a time, and one leaves: those of time k, from 0, find k and k + 1 waiting.
        // Marked are the second of time 5 and both from time 6 to 39.
        NS_TEST_EXPECT_MSG_EQ(inHeaders, byFabric, "as many as the switch has marked");
        NS_TEST_EXPECT_MSG_EQ(inHeaders, (field == 2 ? 69 : 0), "those beyond 5 that wait");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * What waits at an NPU.
 */
class NpuTxQueueTestCase : public TestCase
{
  public:
    NpuTxQueueTestCase() : TestCase("queue discs hold back what has no room at an NPU")
    {
    }

  private:
    void
    DoRun() override
    {
        for (const Attributes& attributes :
             {Attributes{{"FlowControl", "None"}},
              Attributes{{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}},
              Attributes{}})
        {
            // With queue discs all 500 come in, at the rate of the link: 1564 bytes at 12.5 bytes
            // in a nanosecond, over two links.
            Star held(attributes);
            held.SendToLast(0, 500);
            const uint32_t all = held.Run();
            NS_TEST_EXPECT_MSG_EQ(all, 500, "all");
            NS_TEST_EXPECT_MSG_EQ(held.refused + held.lost, 0, "all");
            NS_TEST_EXPECT_MSG_EQ(
                held.last, PicoSeconds(501 * 125'120 + 2'000'000), "back to back");
            Simulator::Destroy();
            // Without, the first 100, or as long as 10000 bytes have room for 1500 more.
            Star drops(attributes, false);
            drops.SendToLast(0, 500);
            const uint32_t byPackets = drops.Run();
            NS_TEST_EXPECT_MSG_EQ(byPackets, 100, "those that have room");
            Simulator::Destroy();
            Config::SetDefault("ns3::NpuNetDevice::TxQueueSize", StringValue("10000B"));
            Config::SetDefault("ns3::NpuNetDevice::Mtu", UintegerValue(1500));
            Star few(attributes, false);
            few.SendToLast(0, 500);
            const uint32_t byBytes = few.Run();
            NS_TEST_EXPECT_MSG_EQ(byBytes, 6, "those that have room");
            Simulator::Destroy();
            // An empty queue has room for any packet.
            Config::SetDefault("ns3::NpuNetDevice::TxQueueSize", StringValue("1000B"));
            Star one(attributes);
            one.SendToLast(0, 500);
            const uint32_t byOne = one.Run();
            NS_TEST_EXPECT_MSG_EQ(byOne, 500, "one by one");
            Simulator::Destroy();
            Config::Reset();
        }
    }
};

/**
 * @ingroup npunet-test
 * Losses, of datagrams and of messages.
 */
class NpuDatagramLossTestCase : public TestCase
{
  public:
    NpuDatagramLossTestCase() : TestCase("datagrams are lost, messages are not")
    {
    }

  private:
    void
    DoRun() override
    {
        Overflow();
        DeadLink();
        Message();
        ByName();
    }

    /// More comes to a switch than it has room for, beside messages with a transport.
    void
    Overflow()
    {
        Star star(
            {{"FlowControl", "None"}, {"Transport", "SelectiveRepeat"}, {"BufferSize", "60000"}});
        star.SendToLast(0, 1000);
        star.SendToLast(1, 1000);
        Time delivered;
        Simulator::Schedule(Seconds(2), [&]() {
            star.helper.GetFabric()->Send(0, 2, 1'000'000, NoteTime(delivered));
        });
        const uint32_t received = star.Run();
        NS_TEST_EXPECT_MSG_GT(star.lost, 0, "some are lost");
        NS_TEST_EXPECT_MSG_EQ(received + star.lost, 2000, "the others come in");
        NS_TEST_EXPECT_MSG_GT(delivered, Seconds(2), "so does the message");
        Simulator::Destroy();
    }

    /// The link of an NPU fails for good: what waits there and what comes later is lost.
    void
    DeadLink()
    {
        Star star(Attributes{{"FlowControl", "None"}});
        star.helper.AddLinkFault(0, 3, Seconds(2) + MicroSeconds(5), Time::Max(), 0);
        star.SendToLast(0, 50);
        star.SendToLast(1, 50);
        const uint32_t received = star.Run();
        // 125.12 ns each: 39 have left the first NPU before the end of 5 us, and those on the link
        // of 1 us are lost with it.
        NS_TEST_EXPECT_MSG_EQ(received, 50 + (5'000 - 1'000) * 100 / 12'512, "those before");
        NS_TEST_EXPECT_MSG_EQ(received + star.lost, 100, "the others are lost");
        Simulator::Destroy();
    }

    /// Without a transport the loss of a message ends the run.
    void
    Message()
    {
        Star star(Attributes{{"FlowControl", "None"}, {"BufferSize", "60000"}});
        for (const uint32_t source : {0U, 1U})
        {
            star.helper.GetFabric()->Send(source, 2, 1'000'000);
        }
        const std::string error = RefusalOf<npunet::StallError>([&]() { Simulator::Run(); });
        NS_TEST_EXPECT_MSG_NE(error.find("room"), std::string::npos, error);
        Simulator::Destroy();
    }

    /// The reliable service takes packets of any size whole and loses none.
    void
    ByName()
    {
        const Attributes lossy{{"FlowControl", "None"},
                               {"Transport", "SelectiveRepeat"},
                               {"BufferSize", "60000"},
                               {"PacketService", "Reliable"}};
        Star star(lossy);
        NS_TEST_EXPECT_MSG_EQ(star.devices.Get(0)->GetMtu(), 65535, "any size");
        star.SendToLast(0, 1000);
        star.SendToLast(1, 1000);
        const uint32_t received = star.Run();
        NS_TEST_EXPECT_MSG_EQ(received, 2000, "all come in");
        Simulator::Destroy();
        Star datagrams(Attributes{{"FlowControl", "None"}});
        NS_TEST_EXPECT_MSG_EQ(datagrams.devices.Get(0)->GetMtu(), 4096, "a packet of the fabric");
        NS_TEST_EXPECT_MSG_EQ(datagrams.devices.Get(0)->SetMtu(5000), false, "no more");
        NS_TEST_EXPECT_MSG_EQ(datagrams.devices.Get(0)->SetMtu(1500), true, "less");
        Simulator::Destroy();
        const std::string error = RefusalOf([]() {
            Star(Attributes{{"FlowControl", "None"}, {"PacketService", "Reliable"}});
        });
        NS_TEST_EXPECT_MSG_NE(error.find("without a transport"), std::string::npos, error);
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * One connection of TCP beside a message to the same NPU.
 */
class NpuTcpShareTestCase : public TestCase
{
  public:
    NpuTcpShareTestCase() : TestCase("TCP and a message share a link")
    {
    }

  private:
    void
    DoRun() override
    {
        // Alone, the message has the payload of the packets: 4096 of 4160 bytes.
        const double alone = 6.25e6 / 4096 * 4160 / 12.5 / 1000;
        for (const Attributes& attributes :
             {Attributes{}, Attributes{{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}}})
        {
            const double both = Beside(attributes);
            NS_TEST_EXPECT_MSG_EQ_TOL(both, 2 * alone, 0.05 * 2 * alone, "half of the link, in us");
        }
    }

    /**
     * @param attributes of the fabric
     * @return how long the message takes, in microseconds
     */
    static double
    Beside(const Attributes& attributes)
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(4096 - 52));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4'000'000));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4'000'000));
        Star star(attributes);
        PacketSinkHelper helper("ns3::TcpSocketFactory",
                                InetSocketAddress(Ipv4Address::GetAny(), 9));
        helper.Install(star.npus.Get(2));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(star.v4.GetAddress(2), 9));
        source.SetAttribute("SendSize", UintegerValue(4096 - 52));
        source.Install(star.npus.Get(0));
        Time delivered;
        const Time start = MilliSeconds(2);
        Simulator::Schedule(start, [&]() {
            star.helper.GetFabric()->Send(0, 2, 6'250'000, Sink([&](Time) {
                                              delivered = Simulator::Now();
                                              Simulator::Stop();
                                          }));
        });
        Simulator::Run();
        Simulator::Destroy();
        Config::Reset();
        return (delivered - start).ToDouble(Time::NS) / 1000;
    }
};

/// The suite.
NpuTestSuite g_npuDatagramTestSuite("npu-datagram",
                                    {new NpuIpMarksTestCase,
                                     new NpuTxQueueTestCase,
                                     new NpuDatagramLossTestCase,
                                     new NpuTcpShareTestCase});

} // namespace
