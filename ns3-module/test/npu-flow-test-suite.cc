/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-socket-test-scenarios.h"
#include "npu-test-compat.h"
#include "npu-test-networks.h"

#include "ns3/npu-flow-writer.h"
#include "ns3/npu-net-device.h"
#include "ns3/npu-network.h"
#include "ns3/npu-socket-helper.h"

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/string.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
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
        const Ptr<NpuFabric> fabric = InstallOn(helper, 4);
        fabric->Send(0, 1, 936);
        Simulator::Schedule(NanoSeconds(50), [&]() { helper.EnableFlowStatistics(path); });
        fabric->TraceConnectWithoutContext(
            "MessageCompleted", MakeCallback(&NpuFlowStatisticsTestCase::Completed, this));
        m_base = fabric->GetNodeId(0);
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
        NS_TEST_EXPECT_MSG_EQ(m_told[0], "0>1 936 0-30", "before anybody counts");
        NS_TEST_EXPECT_MSG_EQ(m_told.size(), 6, "a line a message");
        NS_TEST_EXPECT_MSG_EQ(m_told[4], "0>3 936 200-230", "alone");
        NS_TEST_EXPECT_MSG_EQ(m_told[5], "0>3 936 200-240", "behind it");

        const std::vector<NpuFlowStatistics> flows = fabric->GetFlowStatistics();
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 3, "those to 3");
        Time sum;
        for (uint32_t source = 0; source < 3; ++source)
        {
            const NpuFlowStatistics& flow = flows[source];
            NS_TEST_EXPECT_MSG_EQ(flow.source, m_base + source, "node id");
            NS_TEST_EXPECT_MSG_EQ(flow.destination, m_base + 3, "node id");
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

    /**
     * @param path of a file
     * @return its lines
     */
    static std::vector<std::string>
    LinesOf(const std::string& path)
    {
        std::ifstream file(path);
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);)
        {
            lines.push_back(line);
        }
        return lines;
    }

    /**
     * Trace sink.
     * @param source node id
     * @param destination node id
     * @param bytes payload
     * @param start when it was sent
     * @param end when it was in
     */
    void
    Completed(uint32_t source, uint32_t destination, uint64_t bytes, Time start, Time end)
    {
        NS_TEST_EXPECT_MSG_EQ(end, Simulator::Now(), "now");
        std::ostringstream line;
        line << source - m_base << ">" << destination - m_base << " " << bytes << " "
             << start.GetNanoSeconds() << "-" << end.GetNanoSeconds();
        m_told.push_back(line.str());
    }

    std::vector<std::string> m_told; //!< by MessageCompleted
    uint32_t m_base{0};              //!< node id of NPU 0
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
            NS_TEST_EXPECT_MSG_EQ(flows[0].counts.packets, 0, "nobody has counted them");
            NS_TEST_EXPECT_MSG_EQ(flows[1].messages, 4, "of the receiver");
            NS_TEST_EXPECT_MSG_EQ(flows[1].completion.p99.ps(), 5, "of the receiver");
            NS_TEST_EXPECT_MSG_EQ(flows[1].counts.packets, 7, "of the sender");
            NS_TEST_EXPECT_MSG_EQ(flows[1].counts.marked, 2, "of the receiver");
            NS_TEST_EXPECT_MSG_EQ(uint32_t{flows[1].flow.traffic_class}, 2, "the class");
            NS_TEST_EXPECT_MSG_EQ(std::isnan(flows[1].slowdown.p99), true, "nobody knows");
        }
    }
};

/**
 * @ingroup npunet-test
 * Messages over sockets are completed, too, and nobody knows what they would take alone.
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
        const NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(NanosecondBytes().Install(nodes));
        NpuSocketHelper helper("ns3::UdpSocketFactory");
        helper.SetAttribute("DatagramSize", UintegerValue(1024));
        const Ptr<NpuNetwork> network = helper.Install(nodes);
        network->EnableFlowStatistics();
        Time begun;
        Time took;
        network->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, uint32_t, uint32_t, uint64_t, Time, Time>(
                [&](uint32_t, uint32_t, uint64_t, Time start, Time end) {
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
        NS_TEST_EXPECT_MSG_EQ(std::isnan(flows[0].maxSlowdown), true, "nobody knows");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * What the trace sources of packets that are dropped and marked, and of pauses, tell of each link
 * is what the link counts, and who listens changes nothing.
 */
class NpuPacketFateTestCase : public TestCase
{
  public:
    NpuPacketFateTestCase() : TestCase("drops, marks and pauses are traced")
    {
    }

  private:
    /// What one link counts, or its traces tell.
    struct Counts
    {
        uint64_t drops{0};      //!< packets
        uint64_t marked{0};     //!< packets
        uint64_t pauses{0};     //!< beginnings
        uint64_t repeated{0};   //!< packets of flows
        uint64_t cameMarked{0}; //!< packets of flows
    };

    void
    DoRun() override
    {
        for (const bool pauses : {false, true})
        {
            for (const char* transport : {"GoBackN", "SelectiveRepeat"})
            {
                for (const double errors : {0.0, 0.01})
                {
                    Compare(pauses, transport, errors);
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(m_reasons[NpuNetDevice::NO_ROOM], 0, "full buffers");
        NS_TEST_EXPECT_MSG_GT(m_reasons[NpuNetDevice::CORRUPTED], 0, "errors");
        NS_TEST_EXPECT_MSG_GT(m_all.marked, 0, "marks");
        NS_TEST_EXPECT_MSG_GT(m_all.pauses, 0, "pauses");
        NS_TEST_EXPECT_MSG_GT(m_all.repeated, 0, "packets that are sent again");
        NS_TEST_EXPECT_MSG_GT(m_all.cameMarked, 0, "packets that come in marked");
        // Credits: what is corrupted is sent again by the link, and nothing is dropped.
        m_told.clear();
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {2});
        helper.SetFabricAttribute("ErrorRate", DoubleValue(0.2));
        const Ptr<NpuFabric> fabric = InstallOn(helper, 2);
        Listen(*fabric);
        DeliveryTime(fabric, 0, 1, 936 * 100);
        NS_TEST_EXPECT_MSG_GT(fabric->GetLinkUse()[0].retransmissions, 0, "corrupted");
        NS_TEST_EXPECT_MSG_EQ(m_told.size(), 0, "not dropped");
        Simulator::Destroy();
    }

    /**
     * @param pauses whether switches pause
     * @param transport an attribute
     * @param errors an attribute
     */
    void
    Compare(bool pauses, const char* transport, double errors)
    {
        const std::vector<int64_t> silent = Run(pauses, transport, errors, false);
        NS_TEST_EXPECT_MSG_EQ(m_told.size(), 0, "nobody listens");
        const std::vector<int64_t> heard = Run(pauses, transport, errors, true);
        NS_TEST_EXPECT_MSG_EQ((silent == heard), true, "times and links");
    }

    /**
     * Seven of eight NPUs send 20 packets each to the last one, whose switch has room for 16.
     * @param pauses whether switches pause
     * @param transport an attribute
     * @param errors an attribute
     * @param listens whether somebody does
     * @return what came of it
     */
    std::vector<int64_t>
    Run(bool pauses, const char* transport, double errors, bool listens)
    {
        m_told.clear();
        m_received = 0;
        const uint64_t corruptedBefore = m_reasons[NpuNetDevice::CORRUPTED];
        NpuFabricHelper helper = TenNanosecondPackets("Switch", {8});
        helper.SetFabricAttribute("FlowControl", StringValue(pauses ? "Pfc" : "None"));
        helper.SetFabricAttribute("Transport", StringValue(transport));
        helper.SetFabricAttribute("CongestionControl", StringValue("dctcp"));
        helper.SetFabricAttribute("BufferSize", UintegerValue(16000));
        helper.SetFabricAttribute("EcnMinimum", UintegerValue(2000));
        helper.SetFabricAttribute("EcnMaximum", UintegerValue(6000));
        helper.SetFabricAttribute("EcnRate", StringValue("0bps"));
        helper.SetFabricAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(5)));
        helper.SetFabricAttribute("ErrorRate", DoubleValue(errors));
        const Ptr<NpuFabric> fabric = InstallOn(helper, 8);
        if (listens)
        {
            Listen(*fabric);
        }
        fabric->EnableFlowStatistics();
        std::vector<int64_t> outcome;
        for (uint32_t npu = 0; npu < 7; ++npu)
        {
            fabric->Send(npu, 7, 20 * 936, Callback<void, Time>([&](Time) {
                             outcome.push_back(Simulator::Now().GetTimeStep());
                         }));
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(outcome.size(), 7, "everything arrives");
        const auto uses = fabric->GetLinkUse();
        for (std::size_t link = 0; link < uses.size(); ++link)
        {
            outcome.push_back(uses[link].wire.value());
            outcome.push_back(uses[link].max_queue.value());
            m_all.marked += uses[link].marked;
            m_all.pauses += uses[link].pauses;
            if (listens)
            {
                const Counts& told = m_told[static_cast<uint32_t>(link)];
                NS_TEST_EXPECT_MSG_EQ(told.drops, uses[link].drops, "drops of link " << link);
                NS_TEST_EXPECT_MSG_EQ(told.marked, uses[link].marked, "marks of link " << link);
                NS_TEST_EXPECT_MSG_EQ(told.pauses, uses[link].pauses, "pauses of link " << link);
            }
        }
        ExpectFlows(*fabric, uses);
        for (const auto& [link, paused] : m_paused)
        {
            NS_TEST_EXPECT_MSG_EQ(paused, false, "link " << link << " may go on");
        }
        if (listens)
        {
            // Requests to pause that are lost are sent again, and no drops.
            const uint64_t arrived =
                fabric->GetPacketHops() - (m_reasons[NpuNetDevice::CORRUPTED] - corruptedBefore);
            NS_TEST_EXPECT_MSG_EQ((pauses ? m_received <= arrived : m_received == arrived),
                                  true,
                                  "what is lost does not come in, everything else does");
        }
        Simulator::Destroy();
        return outcome;
    }

    /**
     * What starts at an NPU for the last one goes by the NPU's link, and nothing else that has a
     * copy does.
     * @param fabric with statistics of its flows
     * @param uses of its links
     */
    void
    ExpectFlows(const NpuFabric& fabric, const std::vector<npunet::engine::LinkUse>& uses)
    {
        const auto& graph = fabric.GetDescription().graph;
        const std::vector<NpuFlowStatistics> flows = fabric.GetFlowStatistics();
        const std::vector<NpuFlowStatistics> gathered = fabric.GatherFlowStatistics();
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 7, "one from each");
        NS_TEST_ASSERT_MSG_EQ(gathered.size(), 7, "one from each");
        for (std::size_t npu = 0; npu < 7; ++npu)
        {
            const npunet::LinkId link = graph.links_from(npunet::NodeId(npu))[0];
            NS_TEST_EXPECT_MSG_EQ(TextOf(gathered[npu]), TextOf(flows[npu]), "one process");
            NS_TEST_EXPECT_MSG_EQ(
                flows[npu].retransmissions, uses[link.index()].retransmissions, "sent again");
            NS_TEST_EXPECT_MSG_EQ(flows[npu].packets - flows[npu].retransmissions, 20, "each once");
            m_all.repeated += flows[npu].retransmissions;
            m_all.cameMarked += flows[npu].marked;
        }
    }

    /**
     * @param fabric whose devices are listened to
     */
    void
    Listen(const NpuFabric& fabric)
    {
        for (std::size_t node = 0; node < fabric.GetNDevices(); ++node)
        {
            const Ptr<NpuNetDevice> device = fabric.GetDevice(node);
            const bool all =
                device->TraceConnectWithoutContext(
                    "PacketDropped", MakeCallback(&NpuPacketFateTestCase::Dropped, this)) &&
                device->TraceConnectWithoutContext(
                    "PacketMarked", MakeCallback(&NpuPacketFateTestCase::Marked, this)) &&
                device->TraceConnectWithoutContext(
                    "Pause", MakeCallback(&NpuPacketFateTestCase::Paused, this)) &&
                device->TraceConnectWithoutContext(
                    "PacketReceived", MakeCallback(&NpuPacketFateTestCase::Received, this));
            NS_TEST_EXPECT_MSG_EQ(all, true, "there are such traces");
        }
    }

    /**
     * Trace sink.
     * @param link number
     * @param wireBytes size
     * @param reason why
     */
    void
    Dropped(uint32_t link, uint32_t wireBytes, NpuNetDevice::DropReason reason)
    {
        ++m_told[link].drops;
        ++m_reasons[reason];
        NS_TEST_EXPECT_MSG_EQ((wireBytes == 1000 || wireBytes == 64), true, "data or an answer");
    }

    /**
     * Trace sink.
     * @param link number
     * @param wireBytes size
     */
    void
    Marked(uint32_t link, uint32_t wireBytes)
    {
        ++m_told[link].marked;
        NS_TEST_EXPECT_MSG_EQ(wireBytes, 1000, "data");
    }

    /**
     * Trace sink.
     * @param link number
     * @param trafficClass which
     * @param paused whether it begins
     */
    void
    Paused(uint32_t link, uint8_t trafficClass, bool paused)
    {
        NS_TEST_EXPECT_MSG_EQ(uint32_t{trafficClass}, 0, "there is one class");
        NS_TEST_EXPECT_MSG_EQ(paused, !m_paused[link], "in turn");
        m_paused[link] = paused;
        m_told[link].pauses += paused ? 1 : 0;
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
        ++m_received;
    }

    std::map<uint32_t, Counts> m_told;                      //!< by link
    std::map<uint32_t, bool> m_paused;                      //!< by link
    std::map<NpuNetDevice::DropReason, uint64_t> m_reasons; //!< of all runs
    uint64_t m_received{0};                                 //!< packets
    Counts m_all;                                           //!< of all links and runs
};

/**
 * @ingroup npunet-test
 * The suite "npu-flow".
 */
class NpuFlowTestSuite : public NpuTestSuite
{
  public:
    NpuFlowTestSuite() : NpuTestSuite("npu-flow")
    {
        AddTestCase(new NpuFlowStatisticsTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuFlowGatheringTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuSocketFlowTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuPacketFateTestCase, NPU_TEST_QUICK);
    }
};

NpuFlowTestSuite g_npuFlowTestSuite; ///< the suite

} // namespace
