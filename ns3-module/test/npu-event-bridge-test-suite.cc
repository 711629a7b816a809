// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-fabric-helper.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

using namespace ns3;

/**
 * @ingroup npunet-test
 * Messages sent by ns-3 events while the fabric is busy cost a few events each: a message of n
 * packets over one link is at most 4 of them (its own event, the wake that it brings forward, the
 * two halves of an instant), as is a packet.
 */
class NpuEventCountTestCase : public TestCase
{
  public:
    NpuEventCountTestCase() : TestCase("sending costs a few events of ns-3 a message")
    {
    }

  private:
    void
    DoRun() override
    {
        constexpr uint32_t MESSAGES = 1000;
        constexpr uint32_t PACKETS = 4000;
        const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets("Ring", {8}));
        fabric->Send(0, 1, uint64_t{PACKETS} * 936);
        uint32_t delivered = 0;
        for (uint32_t i = 0; i < MESSAGES; ++i)
        {
            Simulator::Schedule(PicoSeconds(uint64_t{40'000} * i + i % 97), [&]() {
                fabric->Send(4, 5, 64, Sink([&](Time) { ++delivered; }));
            });
        }
        const uint64_t before = Simulator::GetEventCount();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(delivered, MESSAGES, "all arrive");
        NS_TEST_EXPECT_MSG_LT(
            Simulator::GetEventCount() - before, uint64_t{8} * (MESSAGES + PACKETS), "events");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * A message that an ns-3 event sends at an instant takes part in the choices of that instant,
 * whenever that event was scheduled, and whatever is sent elsewhere meanwhile. 0 -> 1 sends
 * packets of 10 ns of the lower class; at 200 ns, when one ends, the upper class gets one: it
 * leaves at once and is in at 200 + 10 + 5 ns.
 */
class NpuSameInstantTestCase : public TestCase
{
  public:
    NpuSameInstantTestCase() : TestCase("ns-3 events of an instant come before its choices")
    {
    }

  private:
    void
    DoRun() override
    {
        for (const bool noise : {false, true})
        {
            for (const bool late : {false, true})
            {
                const Ptr<NpuFabric> fabric =
                    Install(TenNanosecondPackets("Ring", {8}, {{"Classes", "2"}}));
                fabric->Send(0, 1, 50 * 936, Callback<void, Time>(), 1);
                for (int i = 1; noise && i < 15; ++i)
                {
                    Simulator::Schedule(PicoSeconds(10'000 * i - 1000 * i),
                                        [fabric]() { fabric->Send(4, 5, 64); });
                }
                Time delivered;
                const auto send = [&]() { fabric->Send(0, 1, 936, NoteTime(delivered), 0); };
                Simulator::Schedule(late ? PicoSeconds(199'900) : PicoSeconds(200'000), [&]() {
                    late ? static_cast<void>(Simulator::Schedule(PicoSeconds(100), send)) : send();
                });
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(delivered,
                                      NanoSeconds(215),
                                      (noise ? "noise" : "quiet") << (late ? ", late" : ", early"));
                Simulator::Destroy();
            }
        }
    }
};

/// The suite.
static NpuTestSuite g_npuEventBridgeTestSuite("npu-event-bridge",
                                              {new NpuEventCountTestCase,
                                               new NpuSameInstantTestCase});
