// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * Attributes outside their range, and such as cannot work together.
 */
class NpuRefusalTestCase : public TestCase
{
  public:
    NpuRefusalTestCase() : TestCase("what cannot work is refused")
    {
    }

  private:
    void
    DoRun() override
    {
        const auto accepts = [](const char* name, const char* value) {
            TypeId::AttributeInformation info;
            return NpuFabric::GetTypeId().LookupAttributeByName(name, &info) &&
                   info.checker->CreateValidValue(StringValue(value));
        };
        NS_TEST_EXPECT_MSG_EQ(accepts("Switching", "CutThrough"), true, "a name");
        NS_TEST_EXPECT_MSG_EQ(accepts("Switching", "Circuit"), false, "no name");
        NS_TEST_EXPECT_MSG_EQ(accepts("Arbitration", "Oldest"), true, "a name");
        NS_TEST_EXPECT_MSG_EQ(accepts("Arbitration", "Youngest"), false, "no name");
        NS_TEST_EXPECT_MSG_EQ(accepts("ErrorRate", "0.9"), true, "the largest");
        NS_TEST_EXPECT_MSG_EQ(accepts("ErrorRate", "0.91"), false, "too large");
        NS_TEST_EXPECT_MSG_EQ(accepts("ErrorRate", "-0.1"), false, "negative");
        NS_TEST_EXPECT_MSG_EQ(accepts("Seed", "9007199254740992"), true, "2^53");
        NS_TEST_EXPECT_MSG_EQ(accepts("Seed", "9007199254740993"), false, "above 2^53");
        NS_TEST_EXPECT_MSG_EQ(accepts("QueueHistogram", "true"), true, "yes");
        NS_TEST_EXPECT_MSG_EQ(accepts("QueueHistogram", "perhaps"), false, "neither");
        const Ptr<NpuFabric> fabric = CreateObject<NpuFabric>();
        for (std::size_t i = 0; i < NpuFabric::GetTypeId().GetAttributeN(); ++i)
        {
            const std::string name = NpuFabric::GetTypeId().GetAttribute(i).name;
            StringValue text;
            fabric->GetAttribute(name, text);
            NS_TEST_EXPECT_MSG_EQ(
                fabric->SetAttributeFailSafe(name, text), false, name << " is fixed");
        }

        ExpectRefusal({{"Switching", "CutThrough"}, {"ErrorRate", "0.1"}}, "cut-through");
        ExpectRefusal({{"BufferSize", "999"}}, "room for at least one full packet");
        ExpectRefusal({{"Routing", "best"}}, "'best'");
        ExpectRefusal({{"Routing", "ecmp"}}, "'ecmp' on");
        ExpectRefusal({{"InjectionRate", "7bps"}}, "NpuFabric::InjectionRate");
        RefuseOfEthernet();
        TellWithoutEffect();
    }

    /// What Ethernet-like switches cannot do.
    void
    RefuseOfEthernet()
    {
        for (const char* flowControl : {"Pfc", "None"})
        {
            const std::pair<std::string, std::string> without{"FlowControl", flowControl};
            const std::pair<std::string, std::string> transport{"Transport", "GoBackN"};
            ExpectRefusal({without, transport, {"EcnRate", "7bps"}}, "NpuFabric::EcnRate");
            ExpectRefusal({without, transport, {"EcnMinimum", "2000"}, {"EcnMaximum", "1999"}},
                          "at least EcnMinimum, 2000");
            ExpectRefusal({without,
                           {"Transport", "SelectiveRepeat"},
                           {"Routing", "adaptive"},
                           {"CongestionControl", "hpcc"}},
                          "hpcc with routing: adaptive");
        }
    }

    /// What others leave without effect, as in a sweep over one of them.
    void
    TellWithoutEffect()
    {
        const std::pair<std::string, std::string> pfc{"FlowControl", "Pfc"};
        const std::pair<std::string, std::string> transport{"Transport", "GoBackN"};
        ExpectWord({pfc, transport}, "");
        ExpectWord({pfc, transport, {"SpeedUp", "2"}}, "SpeedUp");
        ExpectWord({pfc, transport, {"VirtualChannels", "2"}}, "VirtualChannels");
        ExpectWord({pfc, transport, {"Arbitration", "Oldest"}}, "Arbitration");
        ExpectWord({pfc, transport, {"Reordering", "3"}}, "Reordering");
        ExpectWord({pfc, {"CongestionControl", "dcqcn"}}, "CongestionControl");
        ExpectWord({pfc, {"TransportWindow", "5000"}}, "TransportWindow");
        ExpectWord({pfc, {"Retries", "7"}}, "Retries");
        ExpectWord({pfc, {"AckEvery", "4"}}, "AckEvery");
        ExpectWord({transport}, "Transport");
        ExpectWord({{"RetransmissionTimeout", "1ms"}}, "RetransmissionTimeout");
        ExpectWord({{"StartJitter", "1us"}}, "StartJitter");
    }

    /**
     * @param settings attributes of a fabric
     * @param name of the one that is said to have no effect; empty: none is
     */
    void
    ExpectWord(const std::vector<std::pair<std::string, std::string>>& settings,
               const std::string& name)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Switch", {4}, settings);
        std::ostringstream said;
        std::streambuf* const before = std::clog.rdbuf(said.rdbuf());
        const Time delivered = DeliveryTime(Install(helper), 0, 1, 10'000);
        std::clog.rdbuf(before);
        NS_TEST_EXPECT_MSG_EQ(delivered.IsStrictlyPositive(), true, name);
        const std::string expected = name.empty() ? "" : "NpuFabric::" + name + " has no effect";
        NS_TEST_EXPECT_MSG_EQ(said.str().substr(0, expected.size()), expected, said.str());
        NS_TEST_EXPECT_MSG_EQ(said.str().empty(), name.empty(), said.str());
        Simulator::Destroy();
    }

    /**
     * @param settings attributes of a fabric with packets of 1000 bytes
     * @param part of the message
     */
    void
    ExpectRefusal(const std::vector<std::pair<std::string, std::string>>& settings,
                  const std::string& part)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Torus2D", {4, 4});
        for (const auto& [name, value] : settings)
        {
            helper.SetFabricAttribute(name, StringValue(value));
        }
        const std::string refusal = RefusalOf([&]() { Install(helper); });
        NS_TEST_EXPECT_MSG_NE(refusal.find(part), std::string::npos, refusal);
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuRefusalTestSuite("npu-refusal", {new NpuRefusalTestCase});

} // namespace
