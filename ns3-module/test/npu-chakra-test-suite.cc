// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * A send and a receive, and where their time goes.
 */
class NpuChakraTestCase : public TestCase
{
  public:
    NpuChakraTestCase() : TestCase("NPUs execute their traces on the fabric")
    {
    }

  private:
    void
    DoRun() override
    {
        // Two NPUs, packets of 936 + 64 bytes in 10 ns, links of 5 ns. From 7 us on NPU 0 computes
        // for 1 us and sends three packets, which are in 3 x 10 + 5 = 35 ns later; its send ends at
        // 30 ns, when the last byte has left. NPU 1 only receives.
        NpuChakraHelper helper;
        helper.SetStartTime(MicroSeconds(7));
        const Ptr<NpuChakraWorkload> training =
            helper.Install(Install(TenNanosecondPackets("Mesh1D", {2})), OneMessage(3 * 936, 1));
        std::vector<std::string> seen;
        const auto note = [&seen](const std::string& what) {
            return Sink([&seen, what](uint32_t, uint64_t, const std::string& name, Time time) {
                seen.push_back(name + what + std::to_string(time.GetPicoSeconds()));
            });
        };
        training->TraceConnectWithoutContext("OperationStart", note(" begins at "));
        training->TraceConnectWithoutContext("OperationEnd", note(" ends at "));
        Simulator::Run();

        const std::vector<std::string> expected{"receive begins at 7000000",
                                                "compute begins at 7000000",
                                                "compute ends at 8000000",
                                                "send begins at 8000000",
                                                "send ends at 8030000",
                                                "receive ends at 8035000"};
        NS_TEST_ASSERT_MSG_EQ(seen.size(), expected.size(), "three operations");
        for (const std::string& line : expected)
        {
            const bool found = std::find(seen.begin(), seen.end(), line) != seen.end();
            NS_TEST_EXPECT_MSG_EQ(found, true, line);
        }
        NS_TEST_EXPECT_MSG_EQ(training->GetResults().finish.ps(), 8'035'000, "the end");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * A workload lives as long as the simulation, has results when it is done only, and has a fabric to
 * itself until then.
 */
class NpuChakraLifeTestCase : public TestCase
{
  public:
    NpuChakraLifeTestCase() : TestCase("the life of a workload")
    {
    }

  private:
    void
    DoRun() override
    {
        NpuFabricHelper fabrics;
        fabrics.SetTopology("Ring", {4});
        const Ptr<NpuFabric> fabric = Install(fabrics);
        const auto nodes = OneCollective(npunet::chakra::CollectiveType::AllReduce, 1 << 20);
        const NpuChakraHelper helper;

        // The test keeps no reference to this one.
        uint64_t finished = 0;
        helper.Install(fabric, nodes)
            ->TraceConnectWithoutContext(
                "OperationEnd",
                Sink([&](uint32_t, uint64_t, const std::string&, Time) { ++finished; }));
        NS_TEST_EXPECT_MSG_NE(
            RefusalOf([&]() { helper.Install(fabric, nodes); }), "", "one workload at a time");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(finished, 4, "it runs all the same");

        const Ptr<NpuChakraWorkload> next = helper.Install(fabric, nodes);
        NS_TEST_EXPECT_MSG_NE(StallOf(next).find("not begun"), std::string::npos, StallOf(next));
        Simulator::Stop(MicroSeconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_NE(StallOf(next).find("was stopped"), std::string::npos, StallOf(next));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(StallOf(next), "", "done");
        NS_TEST_EXPECT_MSG_EQ(next->IsFinished(), true, "done");
        Simulator::Destroy();
    }
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
        NpuChakraHelper helper;
        const Ptr<NpuChakraWorkload> work =
            helper.Install(Install(TenNanosecondPackets("Ring", {4})),
                           [](npunet::Rank rank) { return Trace(rank.value()); },
                           {{"low", {npunet::Rank(0), npunet::Rank(1)}},
                            {"high", {npunet::Rank(2), npunet::Rank(3)}}});
        std::map<uint32_t, std::string> begun;
        std::map<uint32_t, std::string> ended;
        std::map<uint32_t, Time> end;
        work->TraceConnectWithoutContext("CollectiveStart",
                                         Sink([&](const std::string& group,
                                                  const std::string& type,
                                                  uint64_t bytes,
                                                  uint32_t rank,
                                                  Time time) {
                                             begun[rank] += group + " " + type + " " +
                                                            std::to_string(bytes) + " at " +
                                                            std::to_string(time.GetMicroSeconds());
                                         }));
        // NOLINTBEGIN(performance-unnecessary-value-param): ns-3 passes contexts by value.
        work->TraceConnect("CollectiveEnd",
                           "end",
                           Sink([&](std::string context,
                                    const std::string& group,
                                    const std::string& type,
                                    uint64_t bytes,
                                    uint32_t rank,
                                    Time time) {
                               NS_TEST_EXPECT_MSG_EQ(context, "end", "context");
                               ended[rank] += group + " " + type + " " + std::to_string(bytes);
                               end[rank] = time;
                           }));
        // NOLINTEND(performance-unnecessary-value-param)
        Simulator::Run();
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            const std::string group = rank < 2 ? "low" : "high";
            NS_TEST_EXPECT_MSG_EQ(begun[rank],
                                  group + " all_reduce 65536 at " + std::to_string(rank),
                                  "begins when the NPU has computed");
            NS_TEST_EXPECT_MSG_EQ(ended[rank], group + " all_reduce 65536", "ends");
        }
        // Both of a pair end after the later one has begun.
        NS_TEST_EXPECT_MSG_GT(end[0], MicroSeconds(1), "the first pair");
        NS_TEST_EXPECT_MSG_GT(end[2], MicroSeconds(3), "the second pair");
        NS_TEST_EXPECT_MSG_EQ(work->GetResults().finish.ps(),
                              std::max(end[2], end[3]).GetTimeStep(),
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
        npunet::chakra::Node sum = CollectiveNode(npunet::chakra::CollectiveType::AllReduce, 65536);
        sum.data_deps = {1};
        sum.attributes.push_back({"pg_name", std::string(rank < 2 ? "low" : "high")});
        return {ComputeNode(static_cast<uint64_t>(rank)), sum};
    }
};

/// The suite.
NpuTestSuite g_npuChakraTestSuite("npu-chakra",
                                  {new NpuChakraTestCase,
                                   new NpuChakraLifeTestCase,
                                   new NpuCollectiveTraceTestCase});

} // namespace
