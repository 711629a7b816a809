// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"

#include <ns3/double.h>
#include <ns3/string.h>

#include <cstdint>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

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
        const Ptr<NpuFabric> fabric = Install(helper);
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
        NS_TEST_EXPECT_MSG_EQ(m_told.size(), 0, "no sink");
        const std::vector<int64_t> heard = Run(pauses, transport, errors, true);
        NS_TEST_EXPECT_MSG_EQ((silent == heard), true, "times and links");
    }

    /**
     * Seven of eight NPUs send 20 packets each to the last one, whose switch has room for 16.
     * @param pauses whether switches pause
     * @param transport an attribute
     * @param errors an attribute
     * @param listens whether there are sinks
     * @return what came of it
     */
    std::vector<int64_t>
    Run(bool pauses, const char* transport, double errors, bool listens)
    {
        m_told.clear();
        m_received = 0;
        const uint64_t corruptedBefore = m_reasons[NpuNetDevice::CORRUPTED];
        NpuFabricHelper helper = TenNanosecondPackets("Switch",
                                                      {8},
                                                      {{"FlowControl", pauses ? "Pfc" : "None"},
                                                       {"Transport", transport},
                                                       {"CongestionControl", "dctcp"},
                                                       {"BufferSize", "16000"},
                                                       {"EcnMinimum", "2000"},
                                                       {"EcnMaximum", "6000"},
                                                       {"EcnRate", "0bps"},
                                                       {"RetransmissionTimeout", "5us"}});
        helper.SetFabricAttribute("ErrorRate", DoubleValue(errors));
        const Ptr<NpuFabric> fabric = Install(helper);
        if (listens)
        {
            Listen(*fabric);
        }
        fabric->EnableFlowStatistics();
        std::vector<int64_t> outcome;
        for (uint32_t npu = 0; npu < 7; ++npu)
        {
            fabric->Send(npu, 7, 20 * 936, Sink([&](Time) {
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
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 7, "one from each");
        for (std::size_t npu = 0; npu < 7; ++npu)
        {
            const npunet::LinkId link = graph.links_from(npunet::NodeId(npu))[0];
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
            const auto listen = [&](const char* trace, const CallbackBase& callback) {
                NS_TEST_EXPECT_MSG_EQ(device->TraceConnectWithoutContext(trace, callback),
                                      true,
                                      "there are such traces");
            };
            listen("PacketDropped",
                   Sink([this](uint32_t link, uint32_t bytes, NpuNetDevice::DropReason reason) {
                       ++m_told[link].drops;
                       ++m_reasons[reason];
                       NS_TEST_EXPECT_MSG_EQ(
                           (bytes == 1000 || bytes == 64), true, "data or an answer");
                   }));
            listen("PacketMarked", Sink([this](uint32_t link, uint32_t bytes) {
                       ++m_told[link].marked;
                       NS_TEST_EXPECT_MSG_EQ(bytes, 1000, "data");
                   }));
            listen("Pause", Sink([this](uint32_t link, uint8_t trafficClass, bool paused) {
                       NS_TEST_EXPECT_MSG_EQ(uint32_t{trafficClass}, 0, "there is one class");
                       NS_TEST_EXPECT_MSG_EQ(paused, !m_paused[link], "in turn");
                       m_paused[link] = paused;
                       m_told[link].pauses += paused ? 1 : 0;
                   }));
            listen("PacketReceived",
                   Sink([this](uint32_t, uint32_t, uint32_t, Time) { ++m_received; }));
        }
    }

    std::map<uint32_t, Counts> m_told;                      //!< by link
    std::map<uint32_t, bool> m_paused;                      //!< by link
    std::map<NpuNetDevice::DropReason, uint64_t> m_reasons; //!< of all runs
    uint64_t m_received{0};                                 //!< packets
    Counts m_all;                                           //!< of all links and runs
};

/// The suite.
NpuTestSuite g_npuPacketFateTestSuite("npu-packet-fate", {new NpuPacketFateTestCase});

} // namespace
