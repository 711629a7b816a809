// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-chakra-helper.h"
#include "ns3/npu-fabric-helper.h"
#include "ns3/npu-net-device.h"

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * RngSeed and RngRun decide about what is random, unless a seed is given.
 */
class NpuRunsTestCase : public TestCase
{
  public:
    NpuRunsTestCase() : TestCase("runs differ as RngRun says")
    {
    }

  private:
    void
    DoRun() override
    {
        // The same numbers on every machine.
        const std::vector<int64_t> expected{24'085'000,
                                            24'885'000,
                                            24'465'000,
                                            23'745'000,
                                            24'905'000,
                                            24'485'000,
                                            24'765'000,
                                            24'045'000,
                                            24'365'000,
                                            24'145'000};
        std::vector<int64_t> finishes;
        for (uint32_t run = 1; run <= 10; ++run)
        {
            RngSeedManager::SetRun(run);
            finishes.push_back(Finish({}));
            NS_TEST_EXPECT_MSG_EQ(Finish({}), finishes.back(), "run " << run << " again");
        }
        NS_TEST_EXPECT_MSG_EQ(
            std::set<int64_t>(finishes.begin(), finishes.end()).size(), 10, "ten runs");
        for (std::size_t i = 0; i < finishes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(finishes[i], expected.at(i), "run " << i + 1);
        }
        // A seed fixes all of them, and so does one of a network.yml that names it.
        const int64_t fixed = Finish({{"Seed", "7"}});
        const int64_t named = FinishOfFile("seed: 7");
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_EQ(Finish({{"Seed", "7"}}), fixed, "a seed");
        NS_TEST_EXPECT_MSG_EQ(FinishOfFile("seed: 7"), named, "a seed of a file");
        const int64_t first = FinishOfFile("");
        RngSeedManager::SetRun(2);
        NS_TEST_EXPECT_MSG_NE(FinishOfFile(""), first, "a file without one");
        RngSeedManager::SetRun(1);
        RngSeedManager::SetSeed(3);
        NS_TEST_EXPECT_MSG_NE(Finish({}), expected.front(), "RngSeed");
        RngSeedManager::SetSeed(1);
    }

    /**
     * @param attributes of the fabric
     * @return when a message has crossed a link that corrupts every tenth packet, in ps
     */
    static int64_t
    Finish(const std::vector<std::pair<std::string, std::string>>& attributes)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {2}, attributes);
        helper.SetFabricAttribute("ErrorRate", DoubleValue(0.1));
        return Deliver(helper);
    }

    /**
     * @param seed a key of a network.yml; may be empty
     * @return when eight messages have crossed a fat tree whose hashes spread routes
     */
    int64_t
    FinishOfFile(const std::string& seed)
    {
        const std::string path = CreateTempDirFilename("network.yml");
        std::ofstream(path) << "{FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: [100, 100], "
                               "latency: [5, 5]}, packet: {routing: ecmp, "
                            << seed << "}}";
        NpuFabricHelper helper;
        helper.SetNetworkFile(path);
        return Deliver(helper);
    }

    /**
     * @param helper with a network
     * @return when messages from the first half of its NPUs to the second are in, in ps
     */
    static int64_t
    Deliver(NpuFabricHelper& helper)
    {
        const Ptr<NpuFabric> fabric = Install(helper);
        const auto half = static_cast<uint32_t>(fabric->GetDescription().graph.npus() / 2);
        std::vector<Time> delivered(half);
        for (uint32_t i = 0; i < half; ++i)
        {
            fabric->Send(i, half + i, 2000 * 936, NoteTime(delivered[i]));
        }
        Simulator::Run();
        int64_t sum = 0;
        for (const Time& time : delivered)
        {
            sum += time.GetPicoSeconds();
        }
        Simulator::Destroy();
        return sum;
    }
};

/**
 * @ingroup npunet-test
 * Streams and faults between Install() and Run().
 */
class NpuAfterInstallTestCase : public TestCase
{
  public:
    NpuAfterInstallTestCase() : TestCase("streams and faults after Install()")
    {
    }

  private:
    void
    DoRun() override
    {
        const uint64_t before = Repeats(7, false);
        NS_TEST_EXPECT_MSG_EQ(Repeats(7, true), before, "the same stream");
        NS_TEST_EXPECT_MSG_NE(Repeats(8, true), before, "another stream");
        // 40 packets of 10 ns on two links of 5 ns, the second of which is down from 55 to 255 ns.
        NS_TEST_EXPECT_MSG_EQ(Delivery(false), NanoSeconds(40 * 10 + 10 + 2 * 5), "no fault");
        const Time late = Delivery(true);
        NS_TEST_EXPECT_MSG_GT(late, NanoSeconds(600), "a fault");
        NS_TEST_EXPECT_MSG_LT(late, NanoSeconds(650), "a fault");
    }

    /**
     * @param stream draws the seed
     * @param afterwards whether it is assigned after Install()
     * @return how often packets are sent again
     */
    static uint64_t
    Repeats(int64_t stream, bool afterwards)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {2});
        helper.SetFabricAttribute("ErrorRate", DoubleValue(0.5));
        if (!afterwards)
        {
            helper.AssignStreams(stream);
        }
        const NetDeviceContainer devices = helper.Install(helper.CreateNpus());
        if (afterwards)
        {
            helper.AssignStreams(devices, stream);
        }
        const Ptr<NpuFabric> fabric = helper.GetFabric();
        DeliveryTime(fabric, 0, 1, 2000 * 936);
        const uint64_t repeats = fabric->GetLinkUse().front().retransmissions;
        Simulator::Destroy();
        return repeats;
    }

    /**
     * @param down whether a link is down for a while
     * @return when a message over two links is in
     */
    Time
    Delivery(bool down)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
        const NetDeviceContainer devices = helper.Install(helper.CreateNpus());
        std::vector<std::string> changes;
        const Ptr<NetDevice> last = devices.Get(2);
        last->AddLinkChangeCallback(Sink([&]() {
            changes.push_back((last->IsLinkUp() ? "up " : "down ") +
                              std::to_string(Simulator::Now().GetNanoSeconds()));
        }));
        if (down)
        {
            helper.AddLinkFault(1, 2, NanoSeconds(55), NanoSeconds(255), 0);
        }
        const Time delivered = DeliveryTime(helper.GetFabric(), 0, 2, 40 * 936);
        const std::vector<std::string> expected{"down 55", "up 255"};
        NS_TEST_EXPECT_MSG_EQ((changes == (down ? expected : std::vector<std::string>())),
                              true,
                              changes.size() << " changes of the link");
        NS_TEST_EXPECT_MSG_EQ(devices.Get(1)->IsLinkUp(), true, "it has another link");
        Simulator::Destroy();
        return delivered;
    }
};

/// The suite.
NpuTestSuite g_npuInstallTestSuite("npu-install",
                                   {new NpuRunsTestCase, new NpuAfterInstallTestCase});

} // namespace
