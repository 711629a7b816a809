// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/node-list.h>
#include <ns3/string.h>

#include <map>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * What the traces of packets tell of a schedule that was computed by hand.
 */
class NpuPacketTraceTestCase : public TestCase
{
  public:
    NpuPacketTraceTestCase() : TestCase("traces of packets follow the schedule")
    {
    }

  private:
    void
    DoRun() override
    {
        // Packets of 10 ns, links of 5 ns. Three packets from NPU 0 to NPU 2 start at 0, 10 and 20
        // ns, are in at NPU 1 at 15, 25 and 35, go on at once, and are in at 30, 40 and 50. With
        // room for one packet at NPU 1 they start at 0, 30 and 60: each is in there 15 ns later,
        // has left 25 ns later, and its credit is back 30 ns later; NPU 0 waits 20 ns twice.
        for (const bool tight : {false, true})
        {
            m_lines.clear();
            m_contexts.clear();
            NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
            helper.SetFabricAttribute("BufferSize", UintegerValue(tight ? 1000 : 0));
            const Ptr<NpuFabric> fabric = Install(helper);
            const uint32_t first = fabric->GetNodeId(0);
            const auto path = [&](uint32_t npu, const char* trace) {
                return "/NodeList/" + std::to_string(first + npu) +
                       "/DeviceList/*/$ns3::NpuNetDevice/" + trace;
            };
            Listen(first, path(0, "PacketSent"));
            DeliveryTime(fabric, 0, 2, 3 * 936);
            const int step = tight ? 30 : 10;
            std::map<std::string, int> expected;
            for (int i = 0; i < 3; ++i)
            {
                const auto at = [&](int start) {
                    return " at " + std::to_string(start + i * step);
                };
                ++expected["sent to 1 1000" + at(0)];
                ++expected["received at 1 over 0 1000" + at(15)];
                ++expected["queue 2 0 1000" + at(15)];
                ++expected["queue 2 1000 0" + at(15)];
                ++expected["received at 2 over 2 1000" + at(30)];
                if (tight && i > 0)
                {
                    ++expected["stall 0 from " + std::to_string(i * 30 - 20) + " for 20" + at(0)];
                }
            }
            NS_TEST_EXPECT_MSG_EQ(Text(m_lines), Text(expected), "every line once");
            NS_TEST_EXPECT_MSG_EQ(
                m_contexts.count(path(2, "PacketReceived").replace(path(2, "").find('*'), 1, "0")),
                1,
                "the context says whose trace it is");
            Simulator::Destroy();
        }
    }

    /**
     * @param lines with how often they came
     * @return all of them
     */
    static std::string
    Text(const std::map<std::string, int>& lines)
    {
        std::ostringstream text;
        for (const auto& [line, times] : lines)
        {
            text << line << " x " << times << "\n";
        }
        return text.str();
    }

    /**
     * Lets the traces be noted.
     * @param base node id of NPU 0
     * @param sent path of PacketSent
     */
    void
    Listen(uint32_t base, const std::string& sent)
    {
        const std::string all = "/NodeList/*/DeviceList/*/$ns3::NpuNetDevice/";
        Config::ConnectWithoutContext(sent, Sink([this, base](uint32_t farNode, uint32_t bytes) {
                                          Note("sent to", farNode - base, bytes);
                                      }));
        // NOLINTBEGIN(performance-unnecessary-value-param): ns-3 passes contexts by value.
        Config::Connect(
            all + "PacketReceived",
            Sink([this, base](
                     std::string context, uint32_t node, uint32_t link, uint32_t bytes, Time time) {
                ++m_contexts[context];
                NS_TEST_EXPECT_MSG_EQ(time, Simulator::Now(), "now");
                NS_TEST_EXPECT_MSG_EQ(Simulator::GetContext(), node, "in the context of its node");
                Note("received at", node - base, "over", link, bytes);
            }));
        Config::Connect(all + "QueueLength",
                        Sink([this](std::string, uint32_t link, uint64_t before, uint64_t after) {
                            Note("queue", link, before, after);
                        }));
        Config::Connect(
            all + "CreditStall", Sink([this](std::string, uint32_t link, Time from, Time duration) {
                Note(
                    "stall", link, "from", from.GetNanoSeconds(), "for", duration.GetNanoSeconds());
            }));
        // NOLINTEND(performance-unnecessary-value-param)
    }

    /**
     * @param words of a line
     */
    template <class... Words>
    void
    Note(const Words&... words)
    {
        std::ostringstream line;
        ((line << words << " "), ...);
        line << "at " << Simulator::Now().GetNanoSeconds();
        ++m_lines[line.str()];
    }

    std::map<std::string, int> m_lines;    //!< what the traces told
    std::map<std::string, int> m_contexts; //!< of PacketReceived
};

/**
 * @ingroup npunet-test
 * Listeners see everything and change nothing, whenever they come.
 */
class NpuListenerTestCase : public TestCase
{
  public:
    NpuListenerTestCase() : TestCase("results with and without listeners are equal")
    {
    }

  private:
    /// What came of a run.
    struct Outcome
    {
        std::vector<int64_t> times;           //!< of deliveries
        std::vector<int64_t> uses;            //!< of links
        uint64_t packetHops{0};               //!< as the fabric counts them
        uint64_t sent{0};                     //!< by PacketSent
        uint64_t received{0};                 //!< by PacketReceived
        int64_t stalled{0};                   //!< by CreditStall
        int64_t counted{0};                   //!< stalls, as the fabric counts them
        std::map<uint32_t, uint64_t> longest; //!< by QueueLength
        std::map<uint32_t, uint64_t> last;    //!< by QueueLength
    };

    /// When there are sinks.
    enum When
    {
        NEVER,
        ALWAYS,
        LATER,
        UNTIL_LATER
    };

    void
    DoRun() override
    {
        for (const auto& [switching, routing] : {std::pair("StoreAndForward", "auto"),
                                                 {"CutThrough", "auto"},
                                                 {"StoreAndForward", "adaptive"},
                                                 {"CutThrough", "adaptive"}})
        {
            m_routing = routing;
            const Outcome silent = Run(switching, NEVER);
            const Outcome heard = Run(switching, ALWAYS);
            const Outcome later = Run(switching, LATER);
            const Outcome stopped = Run(switching, UNTIL_LATER);
            for (const Outcome* other : {&heard, &later, &stopped})
            {
                NS_TEST_EXPECT_MSG_EQ((other->times == silent.times), true, "times");
                NS_TEST_EXPECT_MSG_EQ((other->uses == silent.uses), true, "links");
                for (const auto& [link, bytes] : other->last)
                {
                    NS_TEST_EXPECT_MSG_EQ(
                        (bytes == 0 || other == &stopped), true, "empty " << link);
                }
            }
            NS_TEST_EXPECT_MSG_EQ(silent.sent + silent.received, 0, "no sink");
            NS_TEST_EXPECT_MSG_EQ(heard.sent, heard.packetHops, "every packet starts");
            NS_TEST_EXPECT_MSG_EQ(heard.received, heard.packetHops, "every packet comes in");
            NS_TEST_EXPECT_MSG_EQ(heard.stalled, heard.counted, "all stalls");
            NS_TEST_EXPECT_MSG_GT(heard.counted, 0, "there are some");
            NS_TEST_EXPECT_MSG_GT(later.sent, 0, "some are left");
            NS_TEST_EXPECT_MSG_LT(later.sent, heard.sent, "but not all");
            NS_TEST_EXPECT_MSG_GT(stopped.sent, 0, "some came first");
            NS_TEST_EXPECT_MSG_LT(stopped.sent, heard.sent, "but not all");
            // max_queue is the longest at a choice, the chosen packet included.
            for (std::size_t link = 0; link < heard.uses.size() / 2; ++link)
            {
                const auto found = heard.longest.find(static_cast<uint32_t>(link));
                const int64_t longest =
                    found == heard.longest.end() ? 0 : static_cast<int64_t>(found->second);
                NS_TEST_EXPECT_MSG_GT_OR_EQ(
                    longest, heard.uses[2 * link + 1], "the longest queue of link " << link);
            }
        }
    }

    /**
     * All-to-all on a torus with room for two packets, and a foreign ns-3 event every 40 ns.
     * @param switching an attribute
     * @param when there are sinks
     * @return what came of it
     */
    Outcome
    Run(const char* switching, When when)
    {
        m_outcome = Outcome();
        const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets(
            "Torus2D",
            {4, 4},
            {{"BufferSize", "2000"}, {"Switching", switching}, {"Routing", m_routing}}));
        if (when == ALWAYS || when == UNTIL_LATER)
        {
            Listen(*fabric, true);
        }
        if (when == LATER || when == UNTIL_LATER)
        {
            Simulator::Schedule(NanoSeconds(777), [&]() { Listen(*fabric, when == LATER); });
        }
        for (uint32_t i = 0; i < 16 * 16; ++i)
        {
            if (i / 16 != i % 16)
            {
                const auto send = [this, fabric, i]() {
                    fabric->Send(i / 16, i % 16, 1000 + 77 * i, Sink([this](Time) {
                                     m_outcome.times.push_back(Simulator::Now().GetTimeStep());
                                 }));
                };
                Simulator::Schedule(NanoSeconds(40 * (i % 7)), send);
            }
        }
        Simulator::Run();
        for (const auto& use : fabric->GetLinkUse())
        {
            m_outcome.uses.push_back(use.busy.ps());
            m_outcome.uses.push_back(use.max_queue.value());
            m_outcome.counted += use.credit_stall.ps();
        }
        m_outcome.packetHops = fabric->GetPacketHops();
        Simulator::Destroy();
        return m_outcome;
    }

    /**
     * @param fabric with devices
     * @param begin or cease to listen
     */
    void
    Listen(NpuFabric& fabric, bool begin)
    {
        for (std::size_t i = 0; i < fabric.GetNDevices(); ++i)
        {
            NpuNetDevice& device = *fabric.GetDevice(i);
            const auto change = [&](const char* trace, const CallbackBase& callback) {
                return begin ? device.TraceConnectWithoutContext(trace, callback)
                             : device.TraceDisconnectWithoutContext(trace, callback);
            };
            const bool all =
                change("PacketSent", MakeCallback(&NpuListenerTestCase::Sent, this)) &&
                change("PacketReceived", MakeCallback(&NpuListenerTestCase::Received, this)) &&
                change("QueueLength", MakeCallback(&NpuListenerTestCase::Queue, this)) &&
                change("CreditStall", MakeCallback(&NpuListenerTestCase::Stall, this));
            NS_TEST_EXPECT_MSG_EQ(all, true, "there are such traces");
        }
    }

    /**
     * Trace sink.
     * @param farNode node id
     * @param wireBytes size
     */
    void
    Sent(uint32_t /* farNode */, uint32_t /* wireBytes */)
    {
        ++m_outcome.sent;
    }

    /**
     * Trace sink.
     * @param node node id
     * @param link number
     * @param wireBytes size
     * @param time when
     */
    void
    Received(uint32_t /* node */, uint32_t /* link */, uint32_t /* wireBytes */, Time /* time */)
    {
        ++m_outcome.received;
    }

    /**
     * Trace sink.
     * @param link number
     * @param before bytes
     * @param after bytes
     */
    void
    Queue(uint32_t link, uint64_t before, uint64_t after)
    {
        const auto known = m_outcome.last.find(link);
        if (known != m_outcome.last.end())
        {
            NS_TEST_EXPECT_MSG_EQ(before, known->second, "no change is left out");
        }
        NS_TEST_EXPECT_MSG_EQ(
            (after < (uint64_t{1} << 40)), true, "no packet leaves before coming");
        m_outcome.last[link] = after;
        m_outcome.longest[link] = std::max(m_outcome.longest[link], after);
    }

    /**
     * Trace sink.
     * @param link number
     * @param from when it could have sent
     * @param duration of the wait
     */
    void
    Stall(uint32_t /* link */, Time /* from */, Time duration)
    {
        m_outcome.stalled += duration.GetTimeStep();
    }

    Outcome m_outcome;     //!< of the present run
    std::string m_routing; //!< an attribute
};

/// The suite.
NpuTestSuite g_npuTraceTestSuite("npu-trace",
                                 {new NpuPacketTraceTestCase, new NpuListenerTestCase});

} // namespace
