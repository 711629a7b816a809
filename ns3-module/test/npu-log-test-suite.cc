// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-compat.h"
#include "npu-test-networks.h"

#include <ns3/log.h>

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
 * An incast that drops, marks and times out: the log has a line for each, and changes nothing.
 */
class NpuLogTestCase : public TestCase
{
  public:
    NpuLogTestCase() : TestCase("log of switches, transport and congestion control")
    {
    }

  private:
    /// What a run tells.
    struct Told
    {
        std::string log;         //!< std::clog
        std::vector<Time> times; //!< of the messages
        uint64_t drops{0};       //!< of all links
        uint64_t marked{0};      //!< of all links
        uint64_t timeouts{0};    //!< of all queue pairs
        uint64_t notified{0};    //!< notifications of all queue pairs
    };

    /**
     * @param components of the log, with levels, which are enabled after Install()
     * @return what is told
     */
    static Told
    Run(const std::vector<std::pair<const char*, LogLevel>>& components)
    {
        const Ptr<NpuFabric> fabric =
            Install(TenNanosecondPackets("Switch",
                                         {4},
                                         {{"FlowControl", "None"},
                                          {"Transport", "GoBackN"},
                                          {"RetransmissionTimeout", "20us"},
                                          {"CongestionControl", "dcqcn"},
                                          {"EcnMinimum", "2000"},
                                          {"EcnMaximum", "8000"},
                                          {"EcnRate", "0bps"},
                                          {"BufferSize", "12000"}}));
        fabric->EnableFlowStatistics();
        for (const auto& [component, level] : components)
        {
            LogComponentEnable(component, level);
        }
        std::ostringstream log;
        std::streambuf* const terminal = std::clog.rdbuf(log.rdbuf());
        Told told;
        told.times.resize(3);
        for (const uint32_t npu : {1, 2, 3})
        {
            fabric->Send(npu, 0, 200 * 936, NoteTime(told.times[npu - 1]));
        }
        Simulator::Run();
        std::clog.rdbuf(terminal);
        for (const auto& [component, level] : components)
        {
            LogComponentDisable(component, LOG_LEVEL_ALL);
        }
        told.log = log.str();
        for (const npunet::engine::LinkUse& use : fabric->GetLinkUse())
        {
            told.drops += use.drops;
            told.marked += use.marked;
        }
        for (const NpuFlowStatistics& flow : fabric->GetFlowStatistics())
        {
            told.timeouts += flow.timeouts;
            told.notified += flow.notifications;
        }
        Simulator::Destroy();
        return told;
    }

    /**
     * @param text of several lines
     * @param word to look for
     * @return how often it is there
     */
    static uint64_t
    CountOf(const std::string& text, const std::string& word)
    {
        uint64_t count = 0;
        for (std::size_t at = text.find(word); at != std::string::npos;
             at = text.find(word, at + 1))
        {
            ++count;
        }
        return count;
    }

    void
    DoRun() override
    {
        const Told silent = Run({});
        NS_TEST_EXPECT_MSG_EQ(silent.log, "", "no component is enabled");
        NS_TEST_EXPECT_MSG_GT(silent.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_GT(silent.marked, 0, "marks");
        NS_TEST_EXPECT_MSG_GT(silent.timeouts, 0, "timeouts");

        const Told switches = Run({{"NpuSwitch", LOG_LEVEL_INFO}});
        NS_TEST_EXPECT_MSG_EQ(CountOf(switches.log, ": loses data"), silent.drops, "drops");
        NS_TEST_EXPECT_MSG_EQ(CountOf(switches.log, ": marks data"), silent.marked, "marks");
        NS_TEST_EXPECT_MSG_EQ(CountOf(switches.log, "\n"), silent.drops + silent.marked, "lines");
        NS_TEST_EXPECT_MSG_NE(switches.log.find("switch0 -> npu0: loses data"),
                              std::string::npos,
                              "in front of the link");
        NS_TEST_EXPECT_MSG_EQ((switches.times == silent.times), true, "times");

        const Told senders =
            Run({{"NpuTransport", LOG_LEVEL_INFO}, {"NpuCongestionControl", LOG_LEVEL_INFO}});
        NS_TEST_EXPECT_MSG_EQ(CountOf(senders.log, ": timed out, "),
                              2 * silent.timeouts,
                              "of transport and of congestion control");
        NS_TEST_EXPECT_MSG_EQ(
            CountOf(senders.log, ": notified, window "), silent.notified, "notifications");
        NS_TEST_EXPECT_MSG_NE(senders.log.find(", alpha "), std::string::npos, "of DCQCN");
        NS_TEST_EXPECT_MSG_EQ((senders.times == silent.times), true, "times");

        const Told all = Run({{"NpuSwitch", LOG_LEVEL_LOGIC}, {"NpuTransport", LOG_LEVEL_LOGIC}});
        NS_TEST_EXPECT_MSG_NE(all.log.find("npu1 -> switch0: starts data 0 of npu1 -> npu0 class "
                                           "0, 1000 bytes\n"),
                              std::string::npos,
                              "the first packet");
        NS_TEST_EXPECT_MSG_GT(
            CountOf(all.log, ": acknowledged 1000 bytes, round trip"), 100, "ACK");
        NS_TEST_EXPECT_MSG_EQ(Run({}).log, "", "disabled again");
    }
};

/// The suite.
NpuTestSuite g_npuLogTestSuite("npu-log", {new NpuLogTestCase});

} // namespace
