// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-congestion-settings.h"

#include "base/errors.h"
#include "topology/parameters/congestion_parameters.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

using namespace ns3;

namespace
{

using npunet::topology::CongestionAlgorithm;
using npunet::topology::CongestionControlChoice;
using npunet::topology::DcqcnParameter;
using npunet::topology::DctcpParameter;

/**
 * @ingroup npunet-test
 * Each algorithm has a type whose attributes are the parameters of its table.
 */
class NpuCongestionTableTestCase : public TestCase
{
  public:
    NpuCongestionTableTestCase() : TestCase("the attributes are the tables")
    {
    }

  private:
    void
    DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(!NpuCongestionControl::Make("none"), true, "none");
        for (const std::string& name : npunet::topology::congestion_algorithm_names())
        {
            const CongestionAlgorithm algorithm =
                *npunet::topology::congestion_algorithm_named(name);
            if (algorithm != CongestionAlgorithm::None)
            {
                Check(algorithm, name);
            }
        }
        NS_TEST_EXPECT_MSG_NE(RefusalOf([]() { NpuCongestionControl::Make("cubic"); }),
                              "",
                              "an unknown algorithm is refused");
    }

    /**
     * @param algorithm with congestion control
     * @param name of it
     */
    void
    Check(CongestionAlgorithm algorithm, const std::string& name)
    {
        Ptr<NpuCongestionControl> control = NpuCongestionControl::Make(name);
        const auto& parameters = npunet::topology::parameters_of(algorithm);
        const TypeId tid = control->GetInstanceTypeId();
        NS_TEST_EXPECT_MSG_EQ(tid.GetAttributeN(), parameters.size(), name << " has attributes");
        const CongestionControlChoice standard = control->Choice();
        NS_TEST_EXPECT_MSG_EQ((standard.algorithm == algorithm), true, name);
        NS_TEST_EXPECT_MSG_EQ(standard.scaled, true, name << " is scaled");
        control->SetAttribute("Preset", EnumValue(NpuCongestionControl::PAPER));
        const CongestionControlChoice paper = control->Choice();
        NS_TEST_EXPECT_MSG_EQ(paper.scaled, false, name << " is not scaled");
        for (std::size_t i = 0; i < parameters.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(
                standard.values[i], parameters[i].standard, name << " " << parameters[i].key);
            NS_TEST_EXPECT_MSG_EQ(
                paper.values[i], parameters[i].paper, name << " " << parameters[i].key);
            const TypeId::AttributeInformation info = tid.GetAttribute(i);
            // What it would print is what it takes.
            StringValue text;
            control->GetAttribute(info.name, text);
            NS_TEST_EXPECT_MSG_EQ(
                control->SetAttributeFailSafe(info.name, text), true, info.name << text.Get());
            NS_TEST_EXPECT_MSG_EQ(
                control->Choice().values[i], parameters[i].standard, info.name << " is given");
        }
        Ptr<NpuCongestionControl> same = NpuCongestionControl::Make(tid.GetName());
        NS_TEST_EXPECT_MSG_EQ(same->GetInstanceTypeId(), tid, "by the name of the type");
    }
};

/**
 * @ingroup npunet-test
 * Attributes take effect, and keep to their ranges.
 */
class NpuCongestionValueTestCase : public TestCase
{
  public:
    NpuCongestionValueTestCase() : TestCase("attributes of congestion control take effect")
    {
    }

  private:
    void
    DoRun() override
    {
        Ptr<NpuCongestionControl> dcqcn = NpuCongestionControl::Make("dcqcn");
        dcqcn->SetAttribute("RateAi", DataRateValue(DataRate("10Mbps")));
        dcqcn->SetAttribute("AlphaTimer", TimeValue(NanoSeconds(1500)));
        dcqcn->SetAttribute("ByteCounter", UintegerValue(5000));
        dcqcn->SetAttribute("Gain", DoubleValue(0.125));
        const CongestionControlChoice choice = dcqcn->Choice();
        NS_TEST_EXPECT_MSG_EQ(choice.values[DcqcnParameter::rate_ai], 1'250'000, "bytes/s");
        NS_TEST_EXPECT_MSG_EQ(choice.values[DcqcnParameter::alpha_timer], 1'500'000, "ps");
        NS_TEST_EXPECT_MSG_EQ(choice.values[DcqcnParameter::byte_counter], 5000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(choice.values[DcqcnParameter::gain], 0.125, "a number");
        Ptr<NpuCongestionControl> dctcp = NpuCongestionControl::Make("dctcp");
        dctcp->SetAttribute("SlowStart", BooleanValue(false));
        NS_TEST_EXPECT_MSG_EQ(dctcp->Choice().values[DctcpParameter::slow_start], 0, "a flag");

        Refuse(dcqcn, "RateAi", DataRateValue(DataRate("9000Gbps")));
        Refuse(dcqcn, "AlphaTimer", TimeValue(Seconds(2)));
        Refuse(dcqcn, "Gain", DoubleValue(1.5));
        Refuse(dcqcn, "FastRecovery", UintegerValue(0));
        Refuse(dcqcn, "Gain", BooleanValue(true));

        Config::SetDefault("ns3::NpuDcqcn::RateAi", StringValue("80Mbps"));
        Ptr<NpuCongestionControl> given = NpuCongestionControl::Make("ns3::NpuDcqcn");
        given->SetAttribute("Preset", StringValue("Paper"));
        NS_TEST_EXPECT_MSG_EQ(
            given->Choice().values[DcqcnParameter::rate_ai], 10'000'000, "a default that is set");
        NS_TEST_EXPECT_MSG_EQ(
            given->Choice().values[DcqcnParameter::rate_hai], 50'000'000, "of the paper");
        Config::Reset();
    }

    /**
     * @param control whose attribute cannot be set
     * @param name of the attribute
     * @param value of the attribute
     */
    void
    Refuse(Ptr<NpuCongestionControl> control, const std::string& name, const AttributeValue& value)
    {
        NS_TEST_EXPECT_MSG_EQ(control->SetAttributeFailSafe(name, value), false, name);
    }
};

/**
 * @ingroup npunet-test
 * A choice, such as that of a network.yml, becomes an object and comes back as it was.
 */
class NpuCongestionChoiceTestCase : public TestCase
{
  public:
    NpuCongestionChoiceTestCase() : TestCase("choices go through objects")
    {
    }

  private:
    void
    DoRun() override
    {
        CongestionControlChoice choice = npunet::topology::paper_choice(CongestionAlgorithm::Dcqcn);
        // The default, given with the preset.
        choice.values[DcqcnParameter::rate_ai] =
            npunet::topology::standard_choice(CongestionAlgorithm::Dcqcn)
                .values[DcqcnParameter::rate_ai];
        const CongestionControlChoice back = NpuCongestionControl::Make(choice)->Choice();
        NS_TEST_EXPECT_MSG_EQ((back.algorithm == choice.algorithm), true, "algorithm");
        NS_TEST_EXPECT_MSG_EQ(back.scaled, false, "scaled");
        NS_TEST_EXPECT_MSG_EQ((back.values == choice.values), true, "values");
        const bool none = !NpuCongestionControl::Make(CongestionControlChoice());
        NS_TEST_EXPECT_MSG_EQ(none, true, "none");
    }
};

/// The suite.
NpuTestSuite g_npuCongestionTestSuite("npu-congestion",
                                      {new NpuCongestionTableTestCase,
                                       new NpuCongestionValueTestCase,
                                       new NpuCongestionChoiceTestCase});

} // namespace
