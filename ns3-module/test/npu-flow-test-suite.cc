// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-test-scenarios.h"

#include "ns3/npu-flow-writer.h"

#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * @param flow of statistics
 * @return all of it
 */
std::string
TextOf(const NpuFlowStatistics& flow)
{
    std::ostringstream text;
    for (const uint64_t number : {uint64_t{flow.source},
                                  uint64_t{flow.destination},
                                  uint64_t{flow.from},
                                  uint64_t{flow.to},
                                  uint64_t{flow.trafficClass},
                                  flow.messages,
                                  flow.bytes,
                                  flow.packets,
                                  flow.retransmissions,
                                  flow.timeouts,
                                  flow.marked,
                                  flow.notifications})
    {
        text << number << " ";
    }
    for (const Time& time : {flow.firstStart,
                             flow.lastEnd,
                             flow.total,
                             flow.min,
                             flow.mean,
                             flow.p50,
                             flow.p99,
                             flow.max})
    {
        text << time.GetPicoSeconds() << " ";
    }
    text << flow.meanSlowdown << " " << flow.p50Slowdown << " " << flow.p99Slowdown << " "
         << flow.maxSlowdown;
    return text.str();
}

/**
 * @ingroup npunet-test
 * Four NPUs round a switch: 0 sends to 3, and so do 1 and 2 at the same time.
 */
class NpuFlowStatisticsTestCase : public TestCase
{
  public:
    NpuFlowStatisticsTestCase() : TestCase("flows of a fabric")
    {
    }

  private:
    void
    DoRun() override
    {
        // Packets of 10 ns over two links of 5 ns: 30 ns for one, alone. At 100 ns each of 0, 1 and
        // 2 sends one to 3: they leave the switch one after the other and take 30, 40 and 50 ns,
        // the last one 5/3 of what it need take. At 200 ns NPU 0 sends two more, alone: one packet
        // each, 30 and 40 ns as they leave by one port.
        const std::string path = CreateTempDirFilename("flows.csv");
        NpuFabricHelper helper = TenNanosecondPackets("Switch", {4});
        const Ptr<NpuFabric> fabric = Install(helper);
        fabric->Send(0, 1, 936);
        Simulator::Schedule(NanoSeconds(50), [&]() { helper.EnableFlowStatistics(path); });
        const uint32_t base = fabric->GetNodeId(0);
        std::vector<std::string> told;
        fabric->TraceConnectWithoutContext(
            "MessageCompleted",
            Sink([&](uint32_t source, uint32_t destination, uint64_t bytes, Time start, Time end) {
                NS_TEST_EXPECT_MSG_EQ(end, Simulator::Now(), "now");
                std::ostringstream line;
                line << source - base << ">" << destination - base << " " << bytes << " "
                     << start.GetNanoSeconds() << "-" << end.GetNanoSeconds();
                told.push_back(line.str());
            }));
        Simulator::Schedule(NanoSeconds(100), [&]() {
            for (const uint32_t source : {0, 1, 2})
            {
                fabric->Send(source, 3, 936);
            }
        });
        Simulator::Schedule(NanoSeconds(200), [&]() {
            fabric->Send(0, 3, 936);
            fabric->Send(0, 3, 936);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(told[0], "0>1 936 0-30", "before anybody counts");
        NS_TEST_EXPECT_MSG_EQ(told.size(), 6, "a line a message");
        NS_TEST_EXPECT_MSG_EQ(told[4], "0>3 936 200-230", "alone");
        NS_TEST_EXPECT_MSG_EQ(told[5], "0>3 936 200-240", "behind it");

        const std::vector<NpuFlowStatistics> flows = fabric->GetFlowStatistics();
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 3, "those to 3");
        Time sum;
        for (uint32_t source = 0; source < 3; ++source)
        {
            const NpuFlowStatistics& flow = flows[source];
            NS_TEST_EXPECT_MSG_EQ(flow.source, base + source, "node id");
            NS_TEST_EXPECT_MSG_EQ(flow.destination, base + 3, "node id");
            NS_TEST_EXPECT_MSG_EQ(flow.from, source, "number");
            NS_TEST_EXPECT_MSG_EQ(flow.messages, (source == 0 ? 3 : 1), "messages");
            NS_TEST_EXPECT_MSG_EQ(flow.bytes, flow.messages * 936, "bytes");
            NS_TEST_EXPECT_MSG_EQ(flow.firstStart, NanoSeconds(100), "the first");
            NS_TEST_EXPECT_MSG_EQ_TOL(flow.meanSlowdown,
                                      flow.total.GetDouble() /
                                          (30000.0 * static_cast<double>(flow.messages)),
                                      1e-12,
                                      "all of one size");
            sum += flow.total;
        }
        NS_TEST_EXPECT_MSG_EQ(sum, NanoSeconds(30 + 40 + 50 + 30 + 40), "all together");
        NS_TEST_EXPECT_MSG_EQ(flows[0].max, NanoSeconds(40), "the slowest of the first NPU");
        NS_TEST_EXPECT_MSG_EQ(flows[0].lastEnd, NanoSeconds(240), "the last");
        const std::vector<NpuFlowStatistics> gathered = fabric->GatherFlowStatistics();
        NS_TEST_ASSERT_MSG_EQ(gathered.size(), 3, "one process has them all");
        for (std::size_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(TextOf(gathered[i]), TextOf(flows[i]), "and they stay the same");
        }
        Simulator::Destroy();

        const std::vector<std::string> lines = LinesOf(path);
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 4, "a line a flow");
        NS_TEST_EXPECT_MSG_EQ(lines[0],
                              "from,to,class,messages,bytes,first_start_ns,last_end_ns,total_ns,"
                              "min_ns,mean_ns,p50_ns,p99_ns,max_ns,mean_slowdown,p50_slowdown,"
                              "p99_slowdown,max_slowdown,packets,retransmissions,timeouts,marked,"
                              "notifications",
                              "the columns of the program's flows.csv");
        NS_TEST_EXPECT_MSG_EQ(lines[1].substr(0, 24), "npu0,npu3,0,3,2808,100,2", "names");
        std::remove(path.c_str());
    }
};

/**
 * @ingroup npunet-test
 * The sender of a flow in one process, its receiver in another.
 */
class NpuFlowGatheringTestCase : public TestCase
{
  public:
    NpuFlowGatheringTestCase() : TestCase("flows of several processes")
    {
    }

  private:
    void
    DoRun() override
    {
        using npunet::engine::FlowResult;
        FlowResult sender;
        sender.flow = {npunet::NodeId(3), npunet::NodeId(1), 2};
        sender.counts.packets = 7;
        FlowResult receiver = sender;
        receiver.messages = 4;
        receiver.completion.p99 = npunet::Time::ps(5);
        receiver.counts = {};
        receiver.counts.marked = 2;
        FlowResult alone = sender;
        alone.flow.traffic_class = 3;
        FlowResult first = receiver;
        first.flow.source = npunet::NodeId(0);
        for (const bool senderFirst : {false, true})
        {
            const auto flows =
                GatherNpuFlows(senderFirst ? std::vector{sender, alone, receiver, first}
                                           : std::vector{first, receiver, alone, sender});
            NS_TEST_ASSERT_MSG_EQ(flows.size(), 2, "those of which messages have arrived");
            NS_TEST_EXPECT_MSG_EQ(flows[0].flow.source.value(), 0, "in order");
            NS_TEST_EXPECT_MSG_EQ(flows[0].counts.packets, 0, "not counted");
            NS_TEST_EXPECT_MSG_EQ(flows[1].messages, 4, "of the receiver");
            NS_TEST_EXPECT_MSG_EQ(flows[1].completion.p99.ps(), 5, "of the receiver");
            NS_TEST_EXPECT_MSG_EQ(flows[1].counts.packets, 7, "of the sender");
            NS_TEST_EXPECT_MSG_EQ(flows[1].counts.marked, 2, "of the receiver");
            NS_TEST_EXPECT_MSG_EQ(uint32_t{flows[1].flow.traffic_class}, 2, "the class");
            NS_TEST_EXPECT_MSG_EQ(std::isnan(flows[1].slowdown.p99), true, "unknown");
        }
    }
};

/**
 * @ingroup npunet-test
 * Messages over sockets are completed, too, and what they would take alone is not known.
 */
class NpuSocketFlowTestCase : public TestCase
{
  public:
    NpuSocketFlowTestCase() : TestCase("flows over sockets")
    {
    }

  private:
    void
    DoRun() override
    {
        // A datagram of 24 + 1000 bytes in a packet of 1024 + 28 + 2 bytes: 1054 ns and 10 us.
        NpuSocketHelper helper("ns3::UdpSocketFactory");
        helper.SetAttribute("DatagramSize", UintegerValue(1024));
        const Ptr<NpuNetwork> network = helper.Install(MakePair());
        network->EnableFlowStatistics();
        Time begun;
        Time took;
        network->TraceConnectWithoutContext(
            "MessageCompleted", Sink([&](uint32_t, uint32_t, uint64_t, Time start, Time end) {
                begun = start;
                took = end - start;
            }));
        NpuTestSender sender(network);
        Simulator::Schedule(MicroSeconds(5), [&]() { sender.Send(0, 1, 1000); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(begun, MicroSeconds(5), "when it was handed over");
        NS_TEST_EXPECT_MSG_EQ(took, PicoSeconds(11'054'000), "closed form");
        const auto flows = network->GetFlowStatistics();
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 1, "one flow");
        NS_TEST_EXPECT_MSG_EQ(flows[0].p99, took, "of one message");
        NS_TEST_EXPECT_MSG_EQ(std::isnan(flows[0].maxSlowdown), true, "unknown");
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuFlowTestSuite("npu-flow",
                                {new NpuFlowStatisticsTestCase,
                                 new NpuFlowGatheringTestCase,
                                 new NpuSocketFlowTestCase});

} // namespace
