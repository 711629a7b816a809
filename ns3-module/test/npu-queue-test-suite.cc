// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"

#include <map>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * Trace source QueueLength where packets leave a queue otherwise than by its link, and where they
 * grow on their way.
 */
class NpuQueueTestCase : public TestCase
{
  public:
    NpuQueueTestCase() : TestCase("queues end")
    {
    }

  private:
    void
    DoRun() override
    {
        CheckDeadLink();
        CheckTelemetry();
    }

    /// Packets that leave the queue of a link that has died.
    void
    CheckDeadLink()
    {
        // Ring 0 - 1 - 2 - 3, three packets of 10 ns from 0 to 2 by 1, in at 1 at 15, 25 and 35.
        // 1 - 2 dies at 28: the second waits for it from 25 to 28 and then goes back to 0, at
        // once; the third waits from 35 until the link to 0 is free at 38.
        NpuFabricHelper helper = TenNanosecondPackets("Ring", {4});
        helper.AddLinkFault(1, 2, NanoSeconds(28), Time::Max(), 0);
        const Ptr<NpuFabric> fabric = Install(helper);
        const auto& graph = fabric->GetDescription().graph;
        Listen(*fabric);
        const Time delivered = DeliveryTime(fabric, 0, 2, 3 * 936);
        NS_TEST_EXPECT_MSG_EQ(delivered, NanoSeconds(83), "round");
        const auto of = [&](std::size_t to) {
            return m_told[static_cast<uint32_t>(
                              graph.find_link(npunet::NodeId(std::size_t{1}), npunet::NodeId(to))
                                  .index())]
                .str();
        };
        NS_TEST_EXPECT_MSG_EQ(
            of(2), " 15:0-1000 15:1000-0 25:0-1000 28:1000-0", "of the link that dies");
        NS_TEST_EXPECT_MSG_EQ(
            of(0), " 28:0-1000 28:1000-0 35:0-1000 38:1000-0", "of the other one");
        Simulator::Destroy();
    }

    /// Packets that grow on their way.
    void
    CheckTelemetry()
    {
        // 0 - 1 - 2, a packet of 1000 bytes from 0 to 2, in at 1 at 15 ns. It leaves with 8 bytes
        // of telemetry more, which never waited.
        const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets(
            "Mesh1D",
            {3},
            {{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}, {"CongestionControl", "hpcc"}}));
        Listen(*fabric);
        const Time delivered = DeliveryTime(fabric, 0, 2, 936);
        NS_TEST_EXPECT_MSG_EQ(delivered, PicoSeconds(30080), "1000 and 1008 bytes, two links");
        NS_TEST_ASSERT_MSG_EQ(m_told.size(), 1, "one link");
        NS_TEST_EXPECT_MSG_EQ(
            m_told.begin()->second.str(), " 15:0-1000 15:1000-0", "nothing waits in the end");
        Simulator::Destroy();
    }

    /**
     * @param fabric of whose NPU 1 the queues are noted
     */
    void
    Listen(const NpuFabric& fabric)
    {
        m_told.clear();
        fabric.GetDevice(1)->TraceConnectWithoutContext(
            "QueueLength", Sink([this](uint32_t link, uint64_t before, uint64_t after) {
                m_told[link] << ' ' << Simulator::Now().GetNanoSeconds() << ':' << before << '-'
                             << after;
            }));
    }

    std::map<uint32_t, std::ostringstream> m_told; //!< by link
};

/// The suite.
NpuTestSuite g_npuQueueTestSuite("npu-queue", {new NpuQueueTestCase});

} // namespace
