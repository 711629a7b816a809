// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-compat.h"
#include "npu-test-networks.h"

#include "ns3/npu-chakra-helper.h"
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
            const Ptr<NpuFabric> fabric = InstallOn(helper, 3);
            const uint32_t first = fabric->GetNodeId(0);
            const auto path = [&](uint32_t npu, const char* trace) {
                return "/NodeList/" + std::to_string(first + npu) +
                       "/DeviceList/*/$ns3::NpuNetDevice/" + trace;
            };
            const auto listen = [&](const char* trace, const CallbackBase& callback) {
                Config::Connect(std::string("/NodeList/*/DeviceList/*/$ns3::NpuNetDevice/") + trace,
                                callback);
            };
            m_base = first;
            listen("PacketReceived", MakeCallback(&NpuPacketTraceTestCase::Received, this));
            listen("QueueLength", MakeCallback(&NpuPacketTraceTestCase::Queue, this));
            listen("CreditStall", MakeCallback(&NpuPacketTraceTestCase::Stall, this));
            Config::ConnectWithoutContext(path(0, "PacketSent"),
                                          MakeCallback(&NpuPacketTraceTestCase::Sent, this));
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
     * @param text without the time
     */
    void
    Note(const std::ostringstream& text)
    {
        std::ostringstream line;
        line << text.str() << " at " << Simulator::Now().GetNanoSeconds();
        ++m_lines[line.str()];
    }

    /**
     * Trace sink.
     * @param farNode node id
     * @param wireBytes size
     */
    void
    Sent(uint32_t farNode, uint32_t wireBytes)
    {
        std::ostringstream text;
        text << "sent to " << farNode - m_base << " " << wireBytes;
        Note(text);
    }

    /**
     * Trace sink.
     * @param context path
     * @param node node id
     * @param link number
     * @param wireBytes size
     * @param time when
     */
    void
    Received(std::string context, uint32_t node, uint32_t link, uint32_t wireBytes, Time time)
    {
        ++m_contexts[context];
        NS_TEST_EXPECT_MSG_EQ(time, Simulator::Now(), "now");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetContext(), node, "in the context of its node");
        std::ostringstream text;
        text << "received at " << node - m_base << " over " << link << " " << wireBytes;
        Note(text);
    }

    /**
     * Trace sink.
     * @param context path
     * @param link number
     * @param before bytes
     * @param after bytes
     */
    void
    Queue(std::string /* context */, uint32_t link, uint64_t before, uint64_t after)
    {
        std::ostringstream text;
        text << "queue " << link << " " << before << " " << after;
        Note(text);
    }

    /**
     * Trace sink.
     * @param context path
     * @param link number
     * @param from when it could have sent
     * @param duration of the wait
     */
    void
    Stall(std::string /* context */, uint32_t link, Time from, Time duration)
    {
        std::ostringstream text;
        text << "stall " << link << " from " << from.GetNanoSeconds() << " for "
             << duration.GetNanoSeconds();
        Note(text);
    }

    std::map<std::string, int> m_lines;    //!< what the traces told
    std::map<std::string, int> m_contexts; //!< of PacketReceived
    uint32_t m_base{0};                    //!< node id of NPU 0
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

    /// When somebody listens.
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
            NS_TEST_EXPECT_MSG_EQ(silent.sent + silent.received, 0, "nobody listens");
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
     * @param when somebody listens
     * @return what came of it
     */
    Outcome
    Run(const char* switching, When when)
    {
        m_outcome = Outcome();
        NpuFabricHelper helper = TenNanosecondPackets("Torus2D", {4, 4});
        helper.SetFabricAttribute("BufferSize", UintegerValue(2000));
        helper.SetFabricAttribute("Switching", StringValue(switching));
        helper.SetFabricAttribute("Routing", StringValue(m_routing));
        const Ptr<NpuFabric> fabric = InstallOn(helper, 16);
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
                    fabric->Send(i / 16, i % 16, 1000 + 77 * i, Callback<void, Time>([this](Time) {
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
        NS_TEST_EXPECT_MSG_EQ((after < (uint64_t{1} << 40)), true, "nobody leaves before coming");
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

/**
 * @ingroup npunet-test
 * Packets that leave the queue of a link that has died.
 */
class NpuGivenUpTraceTestCase : public TestCase
{
  public:
    NpuGivenUpTraceTestCase() : TestCase("queues of dead links end")
    {
    }

  private:
    void
    DoRun() override
    {
        // Ring 0 - 1 - 2 - 3, three packets of 10 ns from 0 to 2 by 1, in at 1 at 15, 25 and 35.
        // 1 - 2 dies at 28: the second waits for it from 25 to 28 and then goes back to 0, at
        // once; the third waits from 35 until the link to 0 is free at 38.
        NpuFabricHelper helper = TenNanosecondPackets("Ring", {4});
        helper.AddLinkFault(1, 2, NanoSeconds(28), Time::Max(), 0);
        const Ptr<NpuFabric> fabric = InstallOn(helper, 4);
        const auto& graph = fabric->GetDescription().graph;
        fabric->GetDevice(1)->TraceConnectWithoutContext(
            "QueueLength", MakeCallback(&NpuGivenUpTraceTestCase::Queue, this));
        const Time delivered = DeliveryTime(fabric, 0, 2, 3 * 936);
        NS_TEST_EXPECT_MSG_EQ(delivered, NanoSeconds(83), "round");
        const auto of = [&](std::size_t to) {
            return m_told[static_cast<uint32_t>(
                graph.find_link(npunet::NodeId(std::size_t{1}), npunet::NodeId(to)).index())];
        };
        NS_TEST_EXPECT_MSG_EQ(
            of(2), " 15:0-1000 15:1000-0 25:0-1000 28:1000-0", "of the link that dies");
        NS_TEST_EXPECT_MSG_EQ(
            of(0), " 28:0-1000 28:1000-0 35:0-1000 38:1000-0", "of the other one");
        Simulator::Destroy();
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
        m_told[link] += " " + std::to_string(Simulator::Now().GetNanoSeconds()) + ":" +
                        std::to_string(before) + "-" + std::to_string(after);
    }

    std::map<uint32_t, std::string> m_told; //!< by link
};

/**
 * @ingroup npunet-test
 * Packets that grow on their way.
 */
class NpuGrowingTraceTestCase : public TestCase
{
  public:
    NpuGrowingTraceTestCase() : TestCase("queues of packets with telemetry end")
    {
    }

  private:
    void
    DoRun() override
    {
        // 0 - 1 - 2, a packet of 1000 bytes from 0 to 2, in at 1 at 15 ns. It leaves with 8 bytes
        // of telemetry more, which never waited.
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
        helper.SetFabricAttribute("FlowControl", StringValue("Pfc"));
        helper.SetFabricAttribute("Transport", StringValue("GoBackN"));
        helper.SetFabricAttribute("CongestionControl", StringValue("hpcc"));
        const Ptr<NpuFabric> fabric = InstallOn(helper, 3);
        fabric->GetDevice(1)->TraceConnectWithoutContext(
            "QueueLength", MakeCallback(&NpuGrowingTraceTestCase::Queue, this));
        const Time delivered = DeliveryTime(fabric, 0, 2, 936);
        NS_TEST_EXPECT_MSG_EQ(delivered, PicoSeconds(30080), "1000 and 1008 bytes, two links");
        NS_TEST_EXPECT_MSG_EQ(m_told, " 15:0-1000 15:1000-0", "nothing waits in the end");
        Simulator::Destroy();
    }

    /**
     * Trace sink.
     * @param link number
     * @param before bytes
     * @param after bytes
     */
    void
    Queue(uint32_t /* link */, uint64_t before, uint64_t after)
    {
        m_told += " " + std::to_string(Simulator::Now().GetNanoSeconds()) + ":" +
                  std::to_string(before) + "-" + std::to_string(after);
    }

    std::string m_told; //!< in the order of time
};

/**
 * @ingroup npunet-test
 * Collectives of two groups.
 */
class NpuCollectiveTraceTestCase : public TestCase
{
  public:
    NpuCollectiveTraceTestCase() : TestCase("collectives are traced")
    {
    }

  private:
    void
    DoRun() override
    {
        // Four NPUs compute for 1 us times their number, then pairs of them reduce 64 KiB.
        NpuFabricHelper fabricHelper = TenNanosecondPackets("Ring", {4});
        NpuChakraHelper helper;
        const Ptr<NpuChakraWorkload> work =
            helper.Install(InstallOn(fabricHelper, 4),
                           [](npunet::Rank rank) { return Trace(rank.value()); },
                           {{"low", {npunet::Rank(0), npunet::Rank(1)}},
                            {"high", {npunet::Rank(2), npunet::Rank(3)}}});
        work->TraceConnectWithoutContext("CollectiveStart",
                                         MakeCallback(&NpuCollectiveTraceTestCase::Start, this));
        work->TraceConnect(
            "CollectiveEnd", "end", MakeCallback(&NpuCollectiveTraceTestCase::End, this));
        Simulator::Run();
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            const std::string group = rank < 2 ? "low" : "high";
            NS_TEST_EXPECT_MSG_EQ(m_begun[rank],
                                  group + " all_reduce 65536 at " + std::to_string(rank),
                                  "begins when the NPU has computed");
            NS_TEST_EXPECT_MSG_EQ(m_ended[rank], group + " all_reduce 65536", "ends");
        }
        // Both of a pair end after the later one has begun.
        NS_TEST_EXPECT_MSG_GT(m_end[0], MicroSeconds(1), "the first pair");
        NS_TEST_EXPECT_MSG_GT(m_end[2], MicroSeconds(3), "the second pair");
        NS_TEST_EXPECT_MSG_EQ(work->GetResults().finish.ps(),
                              std::max(m_end[2], m_end[3]).GetTimeStep(),
                              "the second pair, which begins 2 us later, ends last");
        Simulator::Destroy();
    }

    /**
     * @param rank 0 to 3
     * @return its trace
     */
    static std::vector<npunet::chakra::Node>
    Trace(int rank)
    {
        namespace chakra = npunet::chakra;
        chakra::Node compute;
        compute.id = 1;
        compute.name = "compute";
        compute.type = chakra::NodeType::Compute;
        compute.duration_micros = static_cast<uint64_t>(rank);
        chakra::Node sum;
        sum.id = 2;
        sum.name = "sum";
        sum.type = chakra::NodeType::CommCollective;
        sum.data_deps = {1};
        sum.attributes = {{"comm_type", static_cast<int64_t>(chakra::CollectiveType::AllReduce)},
                          {"comm_size", int64_t{65536}},
                          {"pg_name", std::string(rank < 2 ? "low" : "high")}};
        return {compute, sum};
    }

    /**
     * Trace sink.
     * @param group its name
     * @param type its name
     * @param bytes size
     * @param rank who
     * @param time when
     */
    void
    Start(
        const std::string& group, const std::string& type, uint64_t bytes, uint32_t rank, Time time)
    {
        m_begun[rank] += group + " " + type + " " + std::to_string(bytes) + " at " +
                         std::to_string(time.GetMicroSeconds());
    }

    /**
     * Trace sink.
     * @param context of the connection
     * @param group its name
     * @param type its name
     * @param bytes size
     * @param rank who
     * @param time when
     */
    void
    End(std::string context,
        const std::string& group,
        const std::string& type,
        uint64_t bytes,
        uint32_t rank,
        Time time)
    {
        NS_TEST_EXPECT_MSG_EQ(context, "end", "context");
        m_ended[rank] += group + " " + type + " " + std::to_string(bytes);
        m_end[rank] = time;
    }

    std::map<uint32_t, std::string> m_begun; //!< by rank
    std::map<uint32_t, std::string> m_ended; //!< by rank
    std::map<uint32_t, Time> m_end;          //!< by rank
};

/**
 * @ingroup npunet-test
 * The suite "npu-trace".
 */
class NpuTraceTestSuite : public NpuTestSuite
{
  public:
    NpuTraceTestSuite() : NpuTestSuite("npu-trace")
    {
        AddTestCase(new NpuPacketTraceTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuListenerTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuGivenUpTraceTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuGrowingTraceTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuCollectiveTraceTestCase, NPU_TEST_QUICK);
    }
};

NpuTraceTestSuite g_npuTraceTestSuite; ///< the suite

} // namespace
