// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <fstream>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * Each attribute of the fabric takes effect.
 */
class NpuAttributeEffectTestCase : public TestCase
{
  public:
    NpuAttributeEffectTestCase() : TestCase("attributes take effect")
    {
    }

  private:
    void
    DoRun() override
    {
        // Three packets of 10 ns over two links of 5 ns: stored at the node in between
        // (3 + 2 - 2) 10 + 10 + 2 x 5 = 50 ns, and passed on when their 64 bytes of header are in
        // (0.64 ns) 2 x 10 + 10 + 0.64 + 2 x 5 = 40.64 ns.
        NS_TEST_EXPECT_MSG_EQ(OfMesh("", ""), NanoSeconds(50), "defaults");
        NS_TEST_EXPECT_MSG_EQ(
            OfMesh("Switching", "StoreAndForward"), NanoSeconds(50), "store and forward");
        NS_TEST_EXPECT_MSG_EQ(
            OfMesh("Switching", "CutThrough"), PicoSeconds(40'640), "cut-through");
        // Half the payload: six packets of 468 + 64 bytes, 5.32 ns each: 7 x 5.32 + 10 ns.
        NS_TEST_EXPECT_MSG_EQ(OfMesh("Mtu", "468"), PicoSeconds(47'240), "mtu");
        // Without headers three packets of 9.36 ns: 4 x 9.36 + 10 ns.
        NS_TEST_EXPECT_MSG_EQ(OfMesh("HeaderSize", "0"), PicoSeconds(47'440), "header");
        // Room for one packet at NPU 1: it leaves the buffer 25 ns after it was started on the way
        // there, and its credit is back 5 ns later, so packets start at 0, 30 and 60 ns. The last
        // one is in at 60 + 15 + 15 ns.
        NS_TEST_EXPECT_MSG_EQ(OfMesh("BufferSize", "1000"), NanoSeconds(90), "buffer");
        // Two links more, without latency: (3 + 4 - 2) 10 + 10 + 2 x 5 ns; at half the rate the
        // first of them takes 3 x 20 ns, and the last packet 10 + 10 + 20 + 2 x 5 ns from there.
        NS_TEST_EXPECT_MSG_EQ(OfMesh("InjectionRate", "800Gbps"), NanoSeconds(70), "injection");
        NS_TEST_EXPECT_MSG_EQ(OfMesh("InjectionRate", "400Gbps"), NanoSeconds(110), "half");
        NS_TEST_EXPECT_MSG_EQ(OfMesh("InjectionRate", "0bps"), NanoSeconds(50), "none");
        Simulator::Destroy();

        CheckInjection();
        CheckArbitration();
        CheckVirtualChannels();
        CheckHistogram();
        CheckSpeedUp();
    }

    /**
     * @param name of an attribute; may be empty
     * @param value of the attribute
     * @return how long three packets take over two links of a mesh
     */
    static Time
    OfMesh(const std::string& name, const std::string& value)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
        if (!name.empty())
        {
            helper.SetFabricAttribute(name, StringValue(value));
        }
        const Ptr<NpuFabric> fabric = Install(helper);
        const Time start = Simulator::Now();
        return DeliveryTime(fabric, 0, 2, 3 * 936) - start;
    }

    /// The routers are further switch nodes.
    void
    CheckInjection()
    {
        NpuFabricHelper helper =
            TenNanosecondPackets("Switch", {3}, {{"InjectionRate", "800Gbps"}});
        const Ptr<NpuFabric> fabric = Install(helper);
        NS_TEST_EXPECT_MSG_EQ(helper.GetSwitches().GetN(), 4, "a switch and three routers");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetNDevices(), 7, "devices");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetDevice(0)->GetNChannels(), 1, "the port of an NPU");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetDevice(4)->GetNChannels(), 2, "its router");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetLinkUse().size(), 12, "links");
        Simulator::Destroy();
    }

    /// Two streams over one link.
    void
    CheckArbitration()
    {
        // From 0 ns NPU 0 sends four packets to NPU 2 by way of NPU 1, where they are from 15, 25,
        // 35 and 45 ns on. From 1 ns NPU 1 sends eight of its own, the first two at 1 and 11 ns.
        // The oldest first: the four start at 21, 31, 41 and 51 ns; in turns: at 21, 41, 61, 81.
        for (const bool oldest : {true, false})
        {
            const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets(
                "Mesh1D", {3}, {{"Arbitration", oldest ? "Oldest" : "RoundRobin"}}));
            Time delivered;
            fabric->Send(0, 2, 4 * 936, NoteTime(delivered));
            Simulator::Schedule(NanoSeconds(1), [&]() { fabric->Send(1, 2, 8 * 936); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(
                delivered, NanoSeconds(oldest ? 66 : 96), (oldest ? "oldest" : "round robin"));
            Simulator::Destroy();
        }
    }

    /// A ring of four needs two of them.
    void
    CheckVirtualChannels()
    {
        for (const uint32_t channels : {0, 1, 2, 5})
        {
            NpuFabricHelper helper =
                TenNanosecondPackets("Ring", {4}, {{"VirtualChannels", std::to_string(channels)}});
            const std::string refusal = RefusalOf([&]() { Install(helper); });
            NS_TEST_EXPECT_MSG_EQ(refusal.empty(), (channels != 1), refusal);
            if (refusal.empty())
            {
                NS_TEST_EXPECT_MSG_EQ(
                    uint32_t{helper.GetFabric()->GetDescription().virtual_channels()},
                    (channels == 0 ? 2 : channels),
                    "virtual channels");
            }
            Simulator::Destroy();
        }
    }

    /// Ten packets of 10 ns each from 0 by 1 to both its other neighbors, whose links are twice as
    /// slow: two leave the input at a time, or one.
    void
    CheckSpeedUp()
    {
        for (const uint32_t speedUp : {0, 1, 2})
        {
            NpuFabricHelper helper =
                TenNanosecondPackets("Switch", {3}, {{"SpeedUp", std::to_string(speedUp)}});
            // Both ports of the switch are slow for good.
            for (const uint32_t npu : {1, 2})
            {
                helper.AddLinkFault(3, npu, Time(0), Time::Max(), 0.5, Time(0));
            }
            const Ptr<NpuFabric> fabric = Install(helper);
            Time last;
            for (const uint32_t npu : {1, 2})
            {
                fabric->Send(0, npu, 2 * 936, NoteTime(last));
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(last, NanoSeconds(speedUp == 1 ? 100 : 70), speedUp);
            Simulator::Destroy();
        }
    }

    /// Queues are told of when it is asked for.
    void
    CheckHistogram()
    {
        for (const bool wanted : {false, true})
        {
            NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
            helper.SetFabricAttribute("QueueHistogram", BooleanValue(wanted));
            const Ptr<NpuFabric> fabric = Install(helper);
            fabric->Send(1, 2, 8 * 936);
            DeliveryTime(fabric, 0, 2, 8 * 936);
            bool any = false;
            for (const auto& use : fabric->GetLinkUse())
            {
                any = any || !use.queue_times.empty();
            }
            NS_TEST_EXPECT_MSG_EQ(any, wanted, "histogram");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup npunet-test
 * Errors and the seeds that draw them.
 */
class NpuSeedTestCase : public TestCase
{
  public:
    NpuSeedTestCase() : TestCase("seeds and streams draw the errors")
    {
    }

  private:
    void
    DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Repeats(0, 1, -1), 0, "no errors");
        // Of 2000 packets that fail half of the time each is sent twice on average: 2000 times
        // again, with a standard deviation of sqrt(2000 x 2) = 63.
        const uint64_t first = Repeats(0.5, 1, -1);
        NS_TEST_EXPECT_MSG_GT(first, 1600, "half of them fail");
        NS_TEST_EXPECT_MSG_LT(first, 2400, "half of them fail");
        NS_TEST_EXPECT_MSG_EQ(Repeats(0.5, 1, -1), first, "the same seed");
        NS_TEST_EXPECT_MSG_NE(Repeats(0.5, 2, -1), first, "another seed");

        const uint64_t streamed = Repeats(0.5, 1, 7);
        NS_TEST_EXPECT_MSG_EQ(Repeats(0.5, 2, 7), streamed, "a stream replaces the seed");
        NS_TEST_EXPECT_MSG_NE(Repeats(0.5, 1, 8), streamed, "another stream");
        RngSeedManager::SetRun(2);
        NS_TEST_EXPECT_MSG_NE(Repeats(0.5, 1, 7), streamed, "another run");
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_EQ(Repeats(0.5, 1, 7), streamed, "the first run again");
    }

    /**
     * @param rate of errors
     * @param seed of errors
     * @param stream that draws the seed; negative: none does
     * @return how often a packet was sent again
     */
    uint64_t
    Repeats(double rate, uint64_t seed, int64_t stream)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {2});
        helper.SetFabricAttribute("ErrorRate", DoubleValue(rate));
        helper.SetFabricAttribute("Seed", UintegerValue(seed));
        if (stream >= 0)
        {
            NS_TEST_EXPECT_MSG_EQ(helper.AssignStreams(stream), 1, "one stream");
        }
        const Ptr<NpuFabric> fabric = Install(helper);
        DeliveryTime(fabric, 0, 1, 2000 * 936);
        const uint64_t repeats = fabric->GetLinkUse().front().retransmissions;
        Simulator::Destroy();
        return repeats;
    }
};

/**
 * @ingroup npunet-test
 * Where attributes come from: defaults, a network.yml, the script, in this order.
 */
class NpuAttributeSourceTestCase : public TestCase
{
  public:
    NpuAttributeSourceTestCase() : TestCase("files and scripts set the attributes")
    {
    }

  private:
    void
    DoRun() override
    {
        Config::SetDefault("ns3::NpuFabric::Mtu", UintegerValue(100));
        Config::SetDefault("ns3::NpuFabric::Arbitration", StringValue("Oldest"));
        NpuFabricHelper named;
        named.SetTopology("Mesh1D", {3});
        Expect(Install(named),
               {{"Mtu", "100"}, {"Arbitration", "Oldest"}, {"Switching", "StoreAndForward"}});
        NS_TEST_EXPECT_MSG_EQ(
            named.GetFabric()->GetDescription().packet.mtu.value(), 100, "in use, too");
        Config::Reset();

        const std::string path = CreateTempDirFilename("network.yml");
        std::ofstream(path) << "{topology: [Ring], npus_count: [4], bandwidth: [100], latency: [5],"
                               " packet: {mtu: 936, header: 32, buffer: 9999, virtual_channels: 3,"
                               " switching: cut-through, arbitration: oldest, seed: 5,"
                               " queue_histogram: true, speedup: 2}}";
        NpuFabricHelper helper;
        helper.SetNetworkFile(path);
        Expect(Install(helper),
               {{"Mtu", "936"},
                {"HeaderSize", "32"},
                {"BufferSize", "9999"},
                {"VirtualChannels", "3"},
                {"Switching", "CutThrough"},
                {"Arbitration", "Oldest"},
                {"ErrorRate", "0"},
                {"Seed", "5"},
                {"QueueHistogram", "true"},
                {"SpeedUp", "2"}});
        // What the user gives another default goes before the file.
        Config::SetDefault("ns3::NpuFabric::HeaderSize", UintegerValue(100));
        NpuFabricHelper own;
        own.SetNetworkFile(path);
        Expect(Install(own), {{"Mtu", "936"}, {"HeaderSize", "100"}, {"SpeedUp", "2"}});
        Config::Reset();
        helper.SetFabricAttribute("Switching", StringValue("StoreAndForward"));
        helper.SetFabricAttribute("ErrorRate", DoubleValue(0.25));
        helper.SetFabricAttribute("Seed", UintegerValue(6));
        Expect(Install(helper),
               {{"Switching", "StoreAndForward"}, {"ErrorRate", "0.25"}, {"Seed", "6"}});
        const auto& packet = helper.GetFabric()->GetDescription().packet;
        NS_TEST_EXPECT_MSG_EQ(packet.error_rate, 0.25, "in use, too");
        NS_TEST_EXPECT_MSG_EQ(packet.seed, 6, "in use, too");

        // The routes of a network that is given whole are there already.
        helper.SetFabricAttribute("Routing", StringValue("dimension-order"));
        Install(helper);
        helper.SetFabricAttribute("Routing", StringValue("shortest-path"));
        const std::string refusal = RefusalOf([&]() { Install(helper); });
        NS_TEST_EXPECT_MSG_NE(refusal.find("NpuFabric::Routing"), std::string::npos, refusal);
        Simulator::Destroy();
    }

    /**
     * @param fabric with attributes
     * @param values that they have
     */
    void
    Expect(Ptr<NpuFabric> fabric, const std::vector<std::pair<std::string, std::string>>& values)
    {
        for (const auto& [name, value] : values)
        {
            StringValue text;
            fabric->GetAttribute(name, text);
            NS_TEST_EXPECT_MSG_EQ(text.Get(), value, name);
        }
    }
};

/**
 * @ingroup npunet-test
 * An EcnMaximum of 0 means the larger of 80 KiB and four times EcnMinimum, unless a network.yml
 * sets kmax to 0.
 */
class NpuMarksTestCase : public TestCase
{
  public:
    NpuMarksTestCase() : TestCase("the maximum of marks follows the minimum")
    {
    }

  private:
    void
    DoRun() override
    {
        Expect("", "", 20 * 1024, 80 * 1024);
        Expect("", "0", 0, 80 * 1024);
        Expect("", "102400", 100 * 1024, 400 * 1024);
        Expect("ecn: {kmin: 100KiB}", "", 100 * 1024, 400 * 1024);
        Expect("ecn: {kmin: 0}", "", 0, 80 * 1024);
        Expect("ecn: {kmax: 10KiB}", "", 2560, 10 * 1024);
        Expect("ecn: {kmin: 0, kmax: 0}", "", 0, 0);
        Expect("ecn: {kmax: 0}", "", 0, 0);
        Expect("ecn: {kmax: 0}", "2000", 2000, 80 * 1024);
    }

    /**
     * @param ecn of a network.yml; empty: no network.yml
     * @param minimum EcnMinimum set by the script; may be empty
     * @param kmin expected
     * @param kmax expected
     */
    void
    Expect(const std::string& ecn, const std::string& minimum, int64_t kmin, int64_t kmax)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Switch", {4});
        if (!ecn.empty())
        {
            const std::string path = CreateTempDirFilename("network.yml");
            std::ofstream(path) << "{topology: [Switch], npus_count: [4], bandwidth: [100],"
                                   " latency: [5], packet: {flow_control: pfc,"
                                   " transport: go-back-n, congestion_control: dcqcn, "
                                << ecn << "}}";
            helper.SetNetworkFile(path);
        }
        if (!minimum.empty())
        {
            helper.SetFabricAttribute("EcnMinimum", StringValue(minimum));
        }
        const auto& packet = Install(helper)->GetDescription().packet;
        NS_TEST_EXPECT_MSG_EQ(packet.ecn.kmin.value(), kmin, ecn << ", " << minimum);
        NS_TEST_EXPECT_MSG_EQ(packet.ecn.kmax.value(), kmax, ecn << ", " << minimum);
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuAttributeTestSuite("npu-attribute",
                                     {new NpuAttributeEffectTestCase,
                                      new NpuSeedTestCase,
                                      new NpuAttributeSourceTestCase,
                                      new NpuMarksTestCase});

} // namespace
