// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-channel.h"
#include "ns3/npu-fabric-helper.h"
#include "ns3/npu-net-device.h"

#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/node.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * On an idle network of equal links a message of n >= 2 packets over h hops takes
 * (n + h - 2) ser(full) + ser(last) + h latency, and one of one packet h (ser + latency).
 */
class NpuIdleTestCase : public TestCase
{
  public:
    NpuIdleTestCase() : TestCase("an idle network follows the closed form")
    {
    }

  private:
    void
    DoRun() override
    {
        for (const uint64_t rate :
             std::vector<uint64_t>{1'000'000'000, 50'000'000'000, 128'571'400'000})
        {
            for (const uint32_t mtu : {256, 1500, 4096})
            {
                for (const uint32_t header : {0, 16, 64})
                {
                    for (const uint64_t bytes : {0, 1, 1500, 4096, 8192, 100'001})
                    {
                        for (const uint32_t hops : {1, 2, 4})
                        {
                            CheckOne(rate, mtu, header, bytes, hops);
                        }
                    }
                }
            }
        }
    }

    /**
     * @param rate in bytes per second
     * @param mtu payload of a full packet
     * @param header bytes besides the payload
     * @param bytes of the message
     * @param hops links that it crosses
     */
    void
    CheckOne(uint64_t rate, uint32_t mtu, uint32_t header, uint64_t bytes, uint32_t hops)
    {
        NpuFabricHelper helper;
        helper.SetTopology("Mesh1D", {5});
        helper.SetLinkAttribute("DataRate", DataRateValue(DataRate(rate * 8)));
        helper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(500)));
        helper.SetFabricAttribute("Mtu", UintegerValue(mtu));
        helper.SetFabricAttribute("HeaderSize", UintegerValue(header));
        const Ptr<NpuFabric> fabric = Install(helper);
        const Time delivered = DeliveryTime(fabric, 0, hops, bytes);

        const uint64_t count = bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
        const uint64_t rest = bytes - (count - 1) * mtu + header;
        const auto serialize = [rate](uint64_t wire) {
            return (wire * 1'000'000'000'000 + rate - 1) / rate;
        };
        const uint64_t last = serialize(rest > 0 ? rest : 1);
        const uint64_t expected =
            count == 1 ? hops * last : (count + hops - 2) * serialize(mtu + header) + last;
        NS_TEST_EXPECT_MSG_EQ(delivered,
                              PicoSeconds(expected + hops * 500'000),
                              bytes << " bytes, mtu " << mtu << ", header " << header << ", "
                                    << hops << " hops at " << rate << " bytes/s");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetPacketHops(), count * hops, "packet-hops");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Schedules computed by hand, seen through the traces of the fabric.
 */
class NpuSharedLinkTestCase : public TestCase
{
  public:
    NpuSharedLinkTestCase() : TestCase("flows share a link packet by packet")
    {
    }

  private:
    void
    DoRun() override
    {
        // Line 0 - 1 - 2; three packets 0 -> 2 (A) and 1 -> 2 (B), in ns:
        //     0->1: A1 0-10 (in at 15), A2 10-20 (25), A3 20-30 (35)
        //     1->2: B1 0-10, B2 10-20, A1 20-30, B3 30-40, A2 40-50, A3 50-60
        // B has left at 40 and is in at 45; A has left at 30 and is in at 65.
        {
            const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets("Mesh1D", {3}));
            Listen(*fabric);
            fabric->Send(0, 2, 3 * 936);
            fabric->Send(1, 2, 3 * 936);
            Simulator::Run();
            Expect(*fabric, {{0, 2, 30, 65}, {1, 2, 40, 45}});
            NS_TEST_EXPECT_MSG_EQ(fabric->GetPacketHops(), 9, "packet-hops");
            Simulator::Destroy();
        }
        // A switch with NPUs 0 .. 3; two packets each from 0, 1 and 2 to 3. The first ones are in
        // at 15, the second ones at 25. The link to 3 serves the inputs in their order, one each:
        //     0: 15-25, 1: 25-35, 2: 35-45, 0: 45-55, 1: 55-65, 2: 65-75; in 5 later.
        {
            NpuFabricHelper helper = TenNanosecondPackets("Switch", {4});
            const Ptr<NpuFabric> fabric = Install(helper);
            NS_TEST_EXPECT_MSG_EQ(helper.GetSwitches().GetN(), 1, "one switch");
            Listen(*fabric);
            for (uint32_t source = 0; source < 3; ++source)
            {
                fabric->Send(source, 3, 2 * 936);
            }
            Simulator::Run();
            Expect(*fabric, {{0, 3, 20, 60}, {1, 3, 20, 70}, {2, 3, 20, 80}});
            Simulator::Destroy();
        }
    }

    /// What became of one message, in nanoseconds.
    struct Message
    {
        uint32_t source;      ///< NPU
        uint32_t destination; ///< NPU
        int64_t sent;         ///< when the last byte left
        int64_t delivered;    ///< when the last byte arrived
    };

    /// One call of a trace.
    struct Call
    {
        uint32_t source;      ///< node id
        uint32_t destination; ///< node id
        uint64_t bytes;       ///< payload
        Time time;            ///< when
    };

    /**
     * @param fabric whose traces are noted
     */
    void
    Listen(NpuFabric& fabric)
    {
        m_sent.clear();
        m_delivered.clear();
        const auto note = [](std::vector<Call>& calls) {
            return Sink([&calls](uint32_t source, uint32_t destination, uint64_t bytes, Time time) {
                calls.push_back({source, destination, bytes, time});
            });
        };
        fabric.TraceConnectWithoutContext("MessageSent", note(m_sent));
        fabric.TraceConnectWithoutContext("MessageDelivered", note(m_delivered));
    }

    /**
     * @param fabric with the nodes
     * @param messages each exactly once in both traces
     */
    void
    Expect(const NpuFabric& fabric, const std::vector<Message>& messages)
    {
        NS_TEST_ASSERT_MSG_EQ(m_sent.size(), messages.size(), "every message is sent once");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), messages.size(), "and delivered once");
        for (const Message& message : messages)
        {
            const uint32_t source = fabric.GetNodeId(message.source);
            for (const Call& call : m_sent)
            {
                if (call.source == source)
                {
                    NS_TEST_EXPECT_MSG_EQ(call.time, NanoSeconds(message.sent), "sent");
                }
            }
            for (const Call& call : m_delivered)
            {
                if (call.source == source)
                {
                    NS_TEST_EXPECT_MSG_EQ(call.time, NanoSeconds(message.delivered), "delivered");
                    NS_TEST_EXPECT_MSG_EQ(
                        call.destination, fabric.GetNodeId(message.destination), "destination");
                }
            }
        }
    }

    std::vector<Call> m_sent;      ///< trace MessageSent
    std::vector<Call> m_delivered; ///< trace MessageDelivered
};

/**
 * @ingroup npunet-test
 * All-to-all on a torus with room for one packet: every message arrives once, and each link carries
 * exactly the bytes of the routes that cross it.
 */
class NpuConservationTestCase : public TestCase
{
  public:
    NpuConservationTestCase() : TestCase("nothing is lost, and links carry what their routes say")
    {
    }

  private:
    void
    DoRun() override
    {
        const Ptr<NpuFabric> fabric =
            Install(TenNanosecondPackets("Torus2D", {5, 4}, {{"BufferSize", "1000"}}));
        const auto& description = fabric->GetDescription();
        std::vector<int64_t> payload(description.graph.links(), 0);
        uint32_t delivered = 0;
        for (uint32_t a = 0; a < 20; ++a)
        {
            for (uint32_t b = 0; b < 20; ++b)
            {
                if (a == b)
                {
                    continue;
                }
                const int64_t bytes = 500 * a + 7 * b;
                for (const auto& hop :
                     description.route(npunet::NodeId(int32_t(a)), npunet::NodeId(int32_t(b))))
                {
                    payload[hop.link.index()] += bytes;
                }
                fabric->Send(a, b, static_cast<uint64_t>(bytes), Sink([&](Time) { ++delivered; }));
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(delivered, 380, "every message once");
        const auto uses = fabric->GetLinkUse();
        for (std::size_t link = 0; link < uses.size(); ++link)
        {
            NS_TEST_EXPECT_MSG_EQ(uses[link].payload.value(), payload[link], "link " << link);
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Every attribute has a checker, and what cannot work is refused.
 */
class NpuAttributeTestCase : public TestCase
{
  public:
    NpuAttributeTestCase() : TestCase("attributes are checked")
    {
    }

  private:
    void
    DoRun() override
    {
        const auto accepts = [](const char* name, uint64_t value) {
            TypeId::AttributeInformation info;
            return NpuFabric::GetTypeId().LookupAttributeByName(name, &info) &&
                   info.checker->Check(UintegerValue(value));
        };
        NS_TEST_EXPECT_MSG_EQ(accepts("Mtu", 0), false, "no payload");
        NS_TEST_EXPECT_MSG_EQ(accepts("Mtu", 1), true, "one byte");
        NS_TEST_EXPECT_MSG_EQ(accepts("Mtu", 1U << 30), false, "too large");
        NS_TEST_EXPECT_MSG_EQ(accepts("HeaderSize", 0), true, "no header");
        NS_TEST_EXPECT_MSG_EQ(accepts("BufferSize", 0), true, "automatic");
        NS_TEST_EXPECT_MSG_EQ(accepts("VirtualChannels", 33), false, "too many");
        NS_TEST_EXPECT_MSG_EQ(accepts("VirtualChannels", 32), true, "many");

        const Ptr<NpuNetDevice> device = Install(TenNanosecondPackets("Ring", {4}))->GetDevice(0);
        NS_TEST_EXPECT_MSG_EQ(device->GetNChannels(), 2, "two cables on a ring");
        Ptr<NpuChannel> channel = device->GetChannel(0);
        DataRateValue rate;
        TimeValue delay;
        channel->GetAttribute("DataRate", rate);
        channel->GetAttribute("Delay", delay);
        NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("800Gbps"), "of the network");
        NS_TEST_EXPECT_MSG_EQ(delay.Get(), NanoSeconds(5), "of the network");
        NS_TEST_EXPECT_MSG_EQ(
            channel->SetAttributeFailSafe("Delay", TimeValue(Seconds(1))), false, "read only");
        NS_TEST_EXPECT_MSG_EQ(channel->GetNDevices(), 2, "two ends");
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuFabricTestSuite("npu-fabric",
                                  {new NpuIdleTestCase,
                                   new NpuSharedLinkTestCase,
                                   new NpuConservationTestCase,
                                   new NpuAttributeTestCase});

} // namespace
