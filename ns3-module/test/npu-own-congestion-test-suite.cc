// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-congestion-settings.h"
#include "ns3/npu-fabric-helper.h"

#include "base/errors.h"
#include "topology/parameters/congestion_parameters.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using npunet::engine::FlowProgress;
using npunet::engine::StateScan;
using npunet::packet::Acknowledgement;
using npunet::packet::CongestionControl;
using npunet::packet::FlowPath;
using npunet::topology::CongestionNeeds;

/**
 * @ingroup npunet-test
 * An algorithm of the module, as a script might have written it.
 */
class NpuTestDctcp final : public NpuCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId
    GetTypeId()
    {
        static TypeId tid = TypeId("ns3::NpuTestDctcp")
                                .SetParent<NpuCongestionControl>()
                                .AddConstructor<NpuTestDctcp>();
        return tid;
    }

    CongestionNeeds
    Needs() const override
    {
        return NpuCongestionControl::Make("dctcp")->Needs();
    }

    std::unique_ptr<CongestionControl>
    MakeSender(const FlowPath& path) const override
    {
        return NpuCongestionControl::Make("dctcp")->MakeSender(path);
    }
};

NS_OBJECT_ENSURE_REGISTERED(NpuTestDctcp);

/**
 * @ingroup npunet-test
 * Paces by half after some acknowledgements, and says nothing of their number.
 */
class NpuTestSilentSender : public CongestionControl
{
  public:
    /**
     * @param full rate before, in bytes/s
     * @param most acknowledgements at this rate
     */
    NpuTestSilentSender(int64_t full, uint64_t most) : m_rate(full), m_left(most)
    {
    }

    void
    acknowledged(const Acknowledgement& /* acknowledgement */) override
    {
        if (m_left > 0 && --m_left == 0)
        {
            m_rate /= 2;
        }
    }

    int64_t
    rate(int64_t /* now */) override
    {
        return m_rate;
    }

  private:
    int64_t m_rate;  //!< bytes/s
    uint64_t m_left; //!< acknowledgements before it is halved
};

/**
 * @ingroup npunet-test
 * The same, and claims that no state matters.
 */
class NpuTestWrongSender final : public NpuTestSilentSender
{
  public:
    using NpuTestSilentSender::NpuTestSilentSender;

    void
    scan(StateScan& /* scan */, const FlowProgress& /* progress */) override
    {
    }
};

/**
 * @ingroup npunet-test
 * Makes the senders above.
 */
class NpuTestHalving final : public NpuCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId
    GetTypeId()
    {
        static TypeId tid = TypeId("ns3::NpuTestHalving")
                                .SetParent<NpuCongestionControl>()
                                .AddConstructor<NpuTestHalving>()
                                .AddAttribute("After",
                                              "acknowledgements",
                                              UintegerValue(1000),
                                              MakeUintegerAccessor(&NpuTestHalving::m_after),
                                              MakeUintegerChecker<uint64_t>(1))
                                .AddAttribute("Wrong",
                                              "whether senders hide their state",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&NpuTestHalving::m_wrong),
                                              MakeBooleanChecker());
        return tid;
    }

    std::unique_ptr<CongestionControl>
    MakeSender(const FlowPath& path) const override
    {
        if (m_wrong)
        {
            return std::make_unique<NpuTestWrongSender>(path.rate, m_after);
        }
        return std::make_unique<NpuTestSilentSender>(path.rate, m_after);
    }

  private:
    uint64_t m_after; //!< attribute After
    bool m_wrong;     //!< attribute Wrong
};

NS_OBJECT_ENSURE_REGISTERED(NpuTestHalving);

/**
 * @ingroup npunet-test
 * Algorithms of scripts.
 */
class NpuOwnCongestionTestCase : public TestCase
{
  public:
    NpuOwnCongestionTestCase() : TestCase("a script brings its own congestion control")
    {
    }

  private:
    void
    DoRun() override
    {
        const std::string builtIn = Finishes("dctcp", 1, true);
        NS_TEST_EXPECT_MSG_EQ(Finishes("ns3::NpuTestDctcp", 1, true), builtIn, "as the module's");
        NS_TEST_EXPECT_MSG_EQ(Finishes("ns3::NpuTestDctcp", 1, false), builtIn, "packet by packet");
        NS_TEST_EXPECT_MSG_NE(Finishes("none", 1, true), builtIn, "DCTCP makes a difference");

        const std::string halved = Finishes("ns3::NpuTestHalving", 0, false);
        NS_TEST_EXPECT_MSG_EQ(
            Finishes("ns3::NpuTestHalving", 0, true), halved, "no state, no fast-forward");
        NS_TEST_EXPECT_MSG_NE(Finishes("ns3::NpuTestHalving[Wrong=true]", 0, true),
                              halved,
                              "otherwise this traffic is fast-forwarded");
        NS_TEST_EXPECT_MSG_NE(Finishes("ns3::NpuTestHalving[After=2000]", 0, true),
                              halved,
                              "attributes of one fabric");
    }

    /**
     * @param control attribute CongestionControl
     * @param others how many NPUs send 8 MB to NPU 0 in addition to NPU 1
     * @param trains whether periodic traffic is fast-forwarded
     * @return when the messages were delivered
     */
    static std::string
    Finishes(const std::string& control, uint32_t others, bool trains)
    {
        NpuFabricHelper helper = StarOfThree({{"FlowControl", "Pfc"},
                                              {"Transport", "GoBackN"},
                                              {"CongestionControl", control},
                                              {"Trains", trains ? "true" : "false"}});
        const Ptr<NpuFabric> fabric = Install(helper);
        std::vector<Time> finishes(1 + others);
        for (uint32_t i = 0; i <= others; ++i)
        {
            fabric->Send(1 + i, 0, 8'000'000, NoteTime(finishes[i]));
        }
        Simulator::Run();
        Simulator::Destroy();
        std::string text;
        for (const Time& finish : finishes)
        {
            text += std::to_string(finish.GetPicoSeconds()) + " ";
        }
        return text;
    }
};

/**
 * @ingroup npunet-test
 * Values of attributes beside the name of an algorithm.
 */
class NpuCongestionTextTestCase : public TestCase
{
  public:
    NpuCongestionTextTestCase() : TestCase("attributes of congestion control beside its name")
    {
    }

  private:
    void
    DoRun() override
    {
        using npunet::topology::DcqcnParameter;
        const auto value = [](const std::string& text, std::size_t parameter) {
            return NpuCongestionControl::Make(text)->Choice().values[parameter];
        };
        NS_TEST_EXPECT_MSG_EQ(
            value("dcqcn[RateAi=8Mbps|Gain=0.5]", DcqcnParameter::rate_ai), 1e6, "bytes/s");
        NS_TEST_EXPECT_MSG_EQ(
            value("ns3::NpuDcqcn[RateAi=8Mbps|Gain=0.5]", DcqcnParameter::gain), 0.5, "the second");
        NS_TEST_EXPECT_MSG_EQ(
            NpuCongestionControl::Make("dcqcn[Preset=Paper]")->Choice().scaled, false, "a preset");

        auto described =
            npunet::topology::paper_choice(npunet::topology::CongestionAlgorithm::Dcqcn);
        described.values[DcqcnParameter::gain] = 0.25;
        const auto both = NpuCongestionControl::Make("dcqcn[RateAi=8Mbps]", described)->Choice();
        NS_TEST_EXPECT_MSG_EQ(both.values[DcqcnParameter::gain], 0.25, "of the description");
        NS_TEST_EXPECT_MSG_EQ(both.values[DcqcnParameter::rate_ai], 1e6, "of the text");
        NS_TEST_EXPECT_MSG_EQ(both.scaled, false, "as described");

        const auto copy =
            NpuCongestionControl::Make(NpuCongestionControl::Make(both)->Serialize())->Choice();
        NS_TEST_EXPECT_MSG_EQ((copy.values == both.values), true, "through a text");
        NS_TEST_EXPECT_MSG_EQ(copy.scaled, both.scaled, "through a text");

        NpuFabricHelper preset = TenNanosecondPackets("Switch", {4});
        preset.SetPreset("roce-2025");
        preset.SetFabricAttribute("AckEvery", UintegerValue(4));
        const auto packet = Install(preset)->GetDescription().packet;
        NS_TEST_EXPECT_MSG_EQ(packet.ecn.kmax.value(), 1'500'000, "of the preset");
        NS_TEST_EXPECT_MSG_EQ(packet.transport.ack_every, 4, "of the script");
        NS_TEST_EXPECT_MSG_EQ(
            packet.congestion_control.values[DcqcnParameter::rate_hai], 6'250'000, "of the preset");
        NS_TEST_EXPECT_MSG_EQ(packet.congestion_control.scaled, false, "as NICs have them");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_NE(
            RefusalOf([&]() { preset.SetPreset("roce-1999"); }), "", "no such preset");
        Config::SetDefault("ns3::NpuFabric::CongestionControl", StringValue("hpcc"));
        NpuFabricHelper own = TenNanosecondPackets("Switch", {4});
        own.SetPreset("roce-2025");
        NS_TEST_EXPECT_MSG_EQ(name_of(Install(own)->GetDescription().packet.congestion_control),
                              "hpcc",
                              "of the command line");
        Simulator::Destroy();
        Config::Reset();

        Refuse("dcqcn[RateAi=fast]", "RateAi=fast");
        Refuse("dcqcn[Rate=8Mbps]", "Rate=8Mbps");
        Refuse("dcqcn[Gain=2]", "Gain=2");
        Refuse("dcqcn[Gain=0.5", "[Gain=0.5");
        Refuse("dcqcn[Gain]", "Gain, AlphaTimer");
        Refuse("ns3::NpuFabric", "derived from ns3::NpuCongestionControl");
        Refuse("ns3::NpuCongestionControl", "derived from ns3::NpuCongestionControl");
        Refuse("none[Gain=1]", "'none'");
    }

    /**
     * @param text names no algorithm with values that it has
     * @param reason what the message contains
     */
    void
    Refuse(const std::string& text, const std::string& reason)
    {
        const std::string message = RefusalOf([&]() { NpuCongestionControl::Make(text); });
        NS_TEST_EXPECT_MSG_NE(message.find(reason), std::string::npos, text << ": " << message);
    }
};

/// The suite.
NpuTestSuite g_npuOwnCongestionTestSuite("npu-own-congestion",
                                         {new NpuOwnCongestionTestCase,
                                          new NpuCongestionTextTestCase});

} // namespace
