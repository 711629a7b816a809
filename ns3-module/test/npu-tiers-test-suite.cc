// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-compat.h"
#include "npu-test-networks.h"

#include "ns3/npu-fabric-helper.h"
#include "ns3/npu-topology-helper.h"

#include "topology/yaml/network_reader.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <array>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Attributes = std::vector<std::pair<std::string, std::string>>;

/**
 * @ingroup npunet-test
 * Two servers of four NPUs, whose NPUs of equal places share a switch. Packets of 1000 bytes take
 * 2.5 ns within servers, and the signal 1 ns; elsewhere 10 and 5 ns.
 * @param attributes of the fabric, with their values
 * @return a helper with them
 */
NpuFabricHelper
TwoServers(const Attributes& attributes)
{
    NpuTopologyHelper topology;
    topology.SetProduct(
        {{"Switch", 4, NpuTopologyHelper::Link(DataRate("3200Gbps"), NanoSeconds(1))},
         {"Switch", 2, NpuTopologyHelper::Link(DataRate("800Gbps"), NanoSeconds(5))}});
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    helper.SetFabricAttribute("Mtu", UintegerValue(936));
    helper.SetFabricAttribute("HeaderSize", UintegerValue(64));
    for (const auto& [attribute, value] : attributes)
    {
        helper.SetFabricAttribute(attribute, StringValue(value));
    }
    return helper;
}

const Attributes ROCE{{"FlowControl", "Pfc"},
                      {"Transport", "GoBackN"},
                      {"CongestionControl", "dcqcn"},
                      {"EcnMinimum", "4000"},
                      {"EcnMaximum", "16000"},
                      {"EcnRate", "0bps"},
                      {"BufferSize", "64000"}};

/**
 * @param attributes of a fabric
 * @return the same with credits in servers
 */
Attributes
WithScaleUp(Attributes attributes)
{
    attributes.emplace_back("ScaleUpTiers", "1");
    return attributes;
}

/**
 * @ingroup npunet-test
 * Messages within a server are those of a fabric with Credit, those between NPUs of equal places
 * those of one with Pfc. NPU 3 relays a message of n packets from NPU 0 to NPU 7:
 * 2 (2.5 + 1) + 2 (10 + 5) + (n - 1) 10 ns.
 */
class NpuTwoKindsTestCase : public TestCase
{
  public:
    NpuTwoKindsTestCase() : TestCase("credits in servers, pauses between them")
    {
    }

  private:
    /// Messages, each from an NPU to another, and their packets.
    using Messages = std::vector<std::array<uint32_t, 3>>;

    /**
     * @param attributes of the fabric
     * @param messages to be sent at once
     * @return when each was in, and how many packets were marked
     */
    static std::pair<std::vector<Time>, uint64_t>
    Run(const Attributes& attributes, const Messages& messages)
    {
        const Ptr<NpuFabric> fabric = Install(TwoServers(attributes));
        std::vector<Time> times(messages.size());
        for (std::size_t i = 0; i < messages.size(); ++i)
        {
            const auto [from, to, packets] = messages[i];
            fabric->Send(from, to, uint64_t{packets} * 936, NoteTime(times[i]));
        }
        Simulator::Run();
        uint64_t marked = 0;
        for (const npunet::engine::LinkUse& use : fabric->GetLinkUse())
        {
            marked += use.marked;
        }
        Simulator::Destroy();
        return {times, marked};
    }

    void
    DoRun() override
    {
        const Messages inside{{0, 1, 200}, {2, 1, 200}, {3, 1, 200}, {5, 6, 30}};
        const auto within = Run(WithScaleUp(ROCE), inside);
        NS_TEST_EXPECT_MSG_EQ((within == Run({{"FlowControl", "Credit"}}, inside)), true, "inside");
        NS_TEST_EXPECT_MSG_EQ(within.second, 0, "links with credits mark nothing");
        NS_TEST_EXPECT_MSG_GT(Run(ROCE, inside).second, 0, "Ethernet-like ones do");

        const Messages rails{{0, 4, 100}, {4, 0, 100}, {1, 5, 50}};
        NS_TEST_EXPECT_MSG_EQ((Run(WithScaleUp(ROCE), rails) == Run(ROCE, rails)), true, "rails");

        for (const uint32_t packets : {1U, 2U, 20U})
        {
            NS_TEST_EXPECT_MSG_EQ(Run(WithScaleUp(ROCE), {{0, 7, packets}}).first[0],
                                  NanoSeconds(37 + 10 * (packets - 1)),
                                  packets << " packets over a relay");
        }
    }
};

/**
 * @ingroup npunet-test
 * A network.yml sets the attributes; what cannot be is refused, and what has no effect is left out.
 */
class NpuScaleUpAttributesTestCase : public TestCase
{
  public:
    NpuScaleUpAttributesTestCase() : TestCase("attributes of scale-up links")
    {
    }

  private:
    void
    DoRun() override
    {
        NpuFabricHelper helper;
        helper.SetNetwork(npunet::topology::parse_network(
            "topology: [Switch, Switch]\nnpus_count: [4, 2]\nbandwidth: [400, 100]\n"
            "latency: [1, 5]\npacket: {flow_control: pfc, scale_up: {buffer: 100000, speedup: 2}}",
            "two.yml"));
        const Ptr<NpuFabric> fabric = Install(helper);
        UintegerValue value;
        fabric->GetAttribute("ScaleUpTiers", value);
        NS_TEST_EXPECT_MSG_EQ(value.Get(), 1, "tiers");
        fabric->GetAttribute("ScaleUpBufferSize", value);
        NS_TEST_EXPECT_MSG_EQ(value.Get(), 100'000, "buffer");
        fabric->GetAttribute("ScaleUpSpeedUp", value);
        NS_TEST_EXPECT_MSG_EQ(value.Get(), 2, "speedup");
        NS_TEST_EXPECT_MSG_EQ((fabric->GetDescription().scale_up != nullptr), true, "two kinds");
        Simulator::Destroy();

        const auto refusal = [](const Attributes& attributes) {
            return RefusalOf([&]() { Install(TwoServers(attributes)); });
        };
        NS_TEST_EXPECT_MSG_NE(
            refusal({{"FlowControl", "Pfc"}, {"ScaleUpTiers", "2"}}).find("innermost 2 of 2"),
            std::string::npos,
            "the outermost tier is scale-out");
        NS_TEST_EXPECT_MSG_NE(
            refusal({{"FlowControl", "Pfc"}, {"ScaleUpTiers", "1"}, {"InjectionRate", "100Gbps"}})
                .find("injection"),
            std::string::npos,
            "injection");
        TellWithoutEffect();
    }

    /// All of them with Credit, those but ScaleUpTiers where that is 0, and else none.
    void
    TellWithoutEffect()
    {
        const Attributes others{{"ScaleUpBufferSize", "100000"},
                                {"ScaleUpVirtualChannels", "2"},
                                {"ScaleUpSpeedUp", "2"},
                                {"ScaleUpArbitration", "Oldest"},
                                {"ScaleUpErrorRate", "0.01"}};
        const auto said = [&](const Attributes& attributes) {
            Attributes all = attributes;
            all.insert(all.end(), others.begin(), others.end());
            std::ostringstream text;
            std::streambuf* const before = std::clog.rdbuf(text.rdbuf());
            const Ptr<NpuFabric> fabric = Install(TwoServers(all));
            std::clog.rdbuf(before);
            const bool hasTwoKinds = fabric->GetDescription().scale_up != nullptr;
            NS_TEST_EXPECT_MSG_EQ(hasTwoKinds, text.str().empty(), text.str());
            Simulator::Destroy();
            return text.str();
        };
        const auto expected = [&](const std::string& why) {
            std::string text;
            for (const auto& [name, value] : others)
            {
                text += "NpuFabric::" + name + " has no effect " + why + "\n";
            }
            return text;
        };
        NS_TEST_EXPECT_MSG_EQ(said({{"FlowControl", "Credit"}, {"ScaleUpTiers", "1"}}),
                              "NpuFabric::ScaleUpTiers has no effect with FlowControl Credit\n" +
                                  expected("with FlowControl Credit"),
                              "credits everywhere");
        NS_TEST_EXPECT_MSG_EQ(
            said({{"FlowControl", "Pfc"}}), expected("without ScaleUpTiers"), "one kind of links");
        NS_TEST_EXPECT_MSG_EQ(
            said({{"FlowControl", "Pfc"}, {"ScaleUpTiers", "1"}}), "", "two kinds of links");
    }
};

/**
 * @ingroup npunet-test
 * ns3::Packets of applications, one of 936 bytes each: within a server 2 (2.5 + 1) ns, on a rail
 * 2 (10 + 5), and over a relay both, whatever the service.
 */
class NpuTiersPacketTestCase : public TestCase
{
  public:
    NpuTiersPacketTestCase() : TestCase("packets of applications")
    {
    }

  private:
    void
    DoRun() override
    {
        for (const std::string service : {"Datagram", "Reliable"})
        {
            Attributes attributes = WithScaleUp(ROCE);
            attributes.emplace_back("PacketService", service);
            NpuFabricHelper helper = TwoServers(attributes);
            const NetDeviceContainer devices = helper.Install(helper.CreateNpus());
            std::vector<Time> times(8);
            for (uint32_t npu = 0; npu < 8; ++npu)
            {
                devices.Get(npu)->SetReceiveCallback(
                    Sink([&times,
                          npu](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                        times[npu] = packet->GetSize() == 936 ? Simulator::Now() : Time();
                        return true;
                    }));
            }
            for (const auto& [from, to] :
                 std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {2, 6}, {4, 3}})
            {
                devices.Get(from)->Send(Create<Packet>(936), devices.Get(to)->GetAddress(), 0x0800);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(times[1], NanoSeconds(7), service << " within a server");
            NS_TEST_EXPECT_MSG_EQ(times[6], NanoSeconds(30), service << " on a rail");
            NS_TEST_EXPECT_MSG_EQ(times[3], NanoSeconds(37), service << " over a relay");
            Simulator::Destroy();
        }
    }
};

/// The suite.
NpuTestSuite g_npuTiersTestSuite("npu-tiers",
                                 {new NpuTwoKindsTestCase,
                                  new NpuScaleUpAttributesTestCase,
                                  new NpuTiersPacketTestCase});

} // namespace
