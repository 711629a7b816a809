// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-fabric-helper.h"
#include "ns3/npu-net-device.h"
#include "ns3/npu-trace-records.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Attributes of a fabric that pauses, with DCQCN.
const std::vector<std::pair<std::string, std::string>> DCQCN{
    {"FlowControl", "Pfc"},
    {"Transport", "GoBackN"},
    {"TransportWindow", "4194304"},
    {"CongestionControl", "dcqcn"},
};

/**
 * @ingroup npunet-test
 * Records of packets add up to what links have carried.
 */
class NpuPacketRecordTestCase : public TestCase
{
  public:
    NpuPacketRecordTestCase() : TestCase("records of packets")
    {
    }

  private:
    void
    DoRun() override
    {
        Check(DCQCN, 1'000'000, true);
        Check({{"Switching", "CutThrough"}}, 1'000'000, false);
    }

    /**
     * Two messages to NPU 0.
     * @param attributes of the fabric
     * @param bytes of each message
     * @param numbered whether data has numbers
     */
    void
    Check(const std::vector<std::pair<std::string, std::string>>& attributes,
          uint64_t bytes,
          bool numbered)
    {
        NpuFabricHelper helper = StarOfThree(attributes);
        const Ptr<NpuFabric> fabric = Install(helper);
        std::map<uint32_t, int64_t> wire;                          // by link
        std::map<uint32_t, uint64_t> marked;                       // by link
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> packets; // data, by link and source
        bool inOrder = true;
        for (std::size_t i = 0; i < fabric->GetNDevices(); ++i)
        {
            fabric->GetDevice(i)->TraceConnectWithoutContext(
                "Packet", Sink([&](const NpuPacketRecord& packet) {
                    NS_TEST_EXPECT_MSG_EQ(packet.time, Simulator::Now(), "now");
                    if (packet.event == NpuPacketRecord::MARKED)
                    {
                        ++marked[packet.link];
                        return;
                    }
                    wire[packet.link] += packet.wireBytes;
                    if (packet.kind == NpuPacketRecord::DATA)
                    {
                        uint64_t& next = packets[{packet.link, packet.source}];
                        inOrder = inOrder && packet.destination == 0 &&
                                  (packet.sequence == next ||
                                   (!numbered && packet.sequence == NpuPacketRecord::NO_SEQUENCE));
                        ++next;
                    }
                }));
        }
        fabric->Send(1, 0, bytes);
        fabric->Send(2, 0, bytes);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(inOrder, true, "to NPU 0, in order");
        const std::vector<npunet::engine::LinkUse> use = fabric->GetLinkUse();
        uint64_t marks = 0;
        for (uint32_t link = 0; link < use.size(); ++link)
        {
            NS_TEST_EXPECT_MSG_EQ(wire[link], use[link].wire.value(), fabric->GetLinkName(link));
            NS_TEST_EXPECT_MSG_EQ(marked[link], use[link].marked, fabric->GetLinkName(link));
            marks += marked[link];
        }
        NS_TEST_EXPECT_MSG_EQ((marks > 0), numbered, "marks");
        const uint64_t expected = (bytes + 4095) / 4096;
        std::size_t flows = 0;
        for (const auto& [flow, count] : packets)
        {
            NS_TEST_EXPECT_MSG_EQ(count, expected, "data of a message on a link");
            ++flows;
        }
        NS_TEST_EXPECT_MSG_EQ(flows, 4, "two messages on two links each");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetLinkName(0), "a -> top", "a name");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Records of senders: what they hear, rates and estimates of congestion.
 */
class NpuSenderRecordTestCase : public TestCase
{
  public:
    NpuSenderRecordTestCase() : TestCase("records of senders")
    {
    }

  private:
    void
    DoRun() override
    {
        const std::string trains = Record(true);
        NS_TEST_EXPECT_MSG_EQ(Record(false), trains, "the same samples packet by packet");
    }

    /**
     * Two messages to NPU 0.
     * @param trains whether periodic traffic may be fast-forwarded
     * @return all records
     */
    std::string
    Record(bool trains)
    {
        NpuFabricHelper helper = StarOfThree(DCQCN);
        helper.SetFabricAttribute("Trains", BooleanValue(trains));
        const Ptr<NpuFabric> fabric = Install(helper);
        fabric->EnableFlowStatistics();
        std::ostringstream text;
        uint64_t notified = 0;
        uint64_t acknowledged = 0;
        DataRate before(0);
        for (uint32_t npu = 1; npu < 3; ++npu)
        {
            fabric->GetDevice(npu)->TraceConnectWithoutContext(
                "Sender", Sink([&, npu](const NpuSenderRecord& sender) {
                    NS_TEST_EXPECT_MSG_EQ(sender.source, npu, "its own");
                    NS_TEST_EXPECT_MSG_EQ(sender.destination, 0, "to NPU 0");
                    const bool within = sender.congestion >= 0 && sender.congestion <= 1;
                    NS_TEST_EXPECT_MSG_EQ(within, true, "alpha " << sender.congestion);
                    if (sender.event == NpuSenderRecord::NOTIFIED)
                    {
                        ++notified;
                        NS_TEST_EXPECT_MSG_LT(sender.rate, DataRate("100Gbps"), "a cut");
                    }
                    else
                    {
                        // A full packet and its acknowledgement on the idle network.
                        NS_TEST_EXPECT_MSG_GT(sender.roundTrip, MicroSeconds(4), "round trip");
                        acknowledged += sender.acknowledged;
                    }
                    text << sender.time.GetPicoSeconds() << " " << sender.event << " "
                         << sender.source << " " << sender.acknowledged << " "
                         << sender.roundTrip.GetPicoSeconds() << " " << sender.inFlight << " "
                         << sender.window << " " << sender.rate << " " << sender.congestion << "\n";
                }));
        }
        fabric->Send(1, 0, 8'000'000);
        fabric->Send(2, 0, 8'000'000);
        Simulator::Run();
        uint64_t expected = 0;
        for (const NpuFlowStatistics& flow : fabric->GetFlowStatistics())
        {
            expected += flow.notifications;
        }
        NS_TEST_EXPECT_MSG_GT(notified, 10, "there are notifications");
        NS_TEST_EXPECT_MSG_EQ(notified, expected, "all of them");
        const uint64_t packets = (8'000'000 + 4095) / 4096;
        NS_TEST_EXPECT_MSG_EQ(acknowledged, 2 * (8'000'000 + packets * 64), "all bytes");
        Simulator::Destroy();
        return text.str();
    }
};

/**
 * @ingroup npunet-test
 * The files of both.
 */
class NpuTraceLogTestCase : public TestCase
{
  public:
    NpuTraceLogTestCase() : TestCase("files of packets and senders")
    {
    }

  private:
    void
    DoRun() override
    {
        const std::string packets = CreateTempDirFilename("packets.csv");
        const std::string senders = CreateTempDirFilename("senders.csv");
        const std::string plot = CreateTempDirFilename("senders.plt");
        Ptr<NpuFabric> fabric;
        {
            NpuFabricHelper helper = StarOfThree(DCQCN);
            fabric = Install(helper);
            helper.EnablePacketLog(packets);
            helper.EnableSenderLog(senders, plot);
        }
        fabric->Send(1, 0, 8192);
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(fabric->GetReferenceCount(), 1, "the files let go of it");

        // Two packets of 332.8 ns, each on two links of 1 us; the second asks for an answer of
        // 64 bytes, which lasts 5.12 ns.
        const std::vector<std::string> expected{
            "time_ns,event,link,kind,from,to,class,sequence,bytes,marked,repeated",
            "0,sent,b -> top,data,b,a,0,0,4160,0,0",
            "332.8,sent,b -> top,data,b,a,0,1,4160,0,0",
            "1332.8,sent,top -> a,data,b,a,0,0,4160,0,0",
            "1665.6,sent,top -> a,data,b,a,0,1,4160,0,0",
            "2665.6,sent,a -> top,acknowledgement,a,b,0,1,64,0,0",
            "2998.4,sent,a -> top,acknowledgement,a,b,0,2,64,0,0",
            "3670.72,sent,top -> b,acknowledgement,a,b,0,1,64,0,0",
            "4003.52,sent,top -> b,acknowledgement,a,b,0,2,64,0,0",
        };
        const std::vector<std::string> lines = LinesOf(packets);
        NS_TEST_ASSERT_MSG_EQ(lines.size(), expected.size(), "lines");
        for (std::size_t i = 0; i < lines.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(lines[i], expected[i], "line " << i);
        }
        const std::vector<std::string> heard = LinesOf(senders);
        NS_TEST_ASSERT_MSG_EQ(heard.size(), 3, "lines");
        NS_TEST_EXPECT_MSG_EQ(heard[1],
                              "4675.84,acknowledged,b,a,0,4160,4675.84,4160,4194304,100000000000,1",
                              "first");
        const std::vector<std::string> commands = LinesOf(plot);
        NS_TEST_ASSERT_MSG_EQ(commands.size(), 22, "commands for gnuplot");
        NS_TEST_EXPECT_MSG_EQ(commands[9], "4.67584 100 4096 4.67584 1", "a point");
        NS_TEST_EXPECT_MSG_EQ(
            commands[14], "plot $flow0 using 1:2 with lines title 'b to a, class 0'", "a curve");
    }
};

/// The suite.
NpuTestSuite g_npuTraceLogTestSuite("npu-trace-log",
                                    {new NpuPacketRecordTestCase,
                                     new NpuSenderRecordTestCase,
                                     new NpuTraceLogTestCase});

} // namespace
