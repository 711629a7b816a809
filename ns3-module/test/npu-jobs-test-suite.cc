// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-test-scenarios.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Bytes of a full packet, without its header; with it, 1000 bytes, it lasts 10 ns on a link.
constexpr int64_t MTU = 936;

/**
 * @ingroup npunet-test
 * @param count of NPUs
 * @param delay of the links
 * @return NPUs on a line, with links on which a full packet lasts 10 ns
 */
Ptr<NpuFabric>
MakeLine(uint32_t count, Time delay)
{
    NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {count});
    helper.SetLinkAttribute("Delay", TimeValue(delay));
    return Install(helper);
}

/**
 * @ingroup npunet-test
 * @param packets that rank 0 sends to rank 1, full ones
 * @param micros how long rank 0 computes before
 * @param receives whether rank 1 waits for them
 * @return a source of traces
 */
npunet::engine::NodeSource
FullPackets(int64_t packets, uint64_t micros = 0, bool receives = true)
{
    return OneMessage(packets * MTU, micros, receives);
}

/**
 * @ingroup npunet-test
 * @param network to install on
 * @param npus by rank
 * @param nodes the traces
 * @param start when
 * @return the workload
 */
Ptr<NpuChakraWorkload>
Place(const Ptr<NpuNetwork>& network,
      const std::vector<uint32_t>& npus,
      const npunet::engine::NodeSource& nodes,
      Time start = Time(0))
{
    NpuChakraHelper helper;
    helper.SetSystem(npunet::engine::SystemConfig());
    helper.SetNpus(npus);
    helper.SetStartTime(start);
    return helper.Install(network, nodes);
}

/**
 * @ingroup npunet-test
 * Two workloads whose messages share a link, and each of them alone.
 */
class NpuJobsSharedLinkTestCase : public TestCase
{
  public:
    NpuJobsSharedLinkTestCase() : TestCase("two workloads take turns on a link")
    {
    }

  private:
    void
    DoRun() override
    {
        // NPUs 0 - 1 - 2 - 3, packets of s = 10 ns, latency a = k s. n packets from 0 to 2, and as
        // many from 1 to 3, share the link 1 -> 2, which is busy from 0 to 2 n s. The second one
        // has it alone for k + 1 packets, then they take turns, and the first one has the rest: it
        // ends at 2 n s + a, the second one at (2 n - k - 1) s + a + s + a.
        constexpr int64_t S = 10'000;
        constexpr int64_t N = 20;
        for (const int64_t k : {1, 4})
        {
            Ptr<NpuFabric> fabric = MakeLine(4, PicoSeconds(static_cast<uint64_t>(k * S)));
            const auto first = Place(fabric, {0, 2}, FullPackets(N));
            const auto second = Place(fabric, {1, 3}, FullPackets(N));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(first->GetResults().finish.ps(), (2 * N + k) * S, "0 to 2");
            NS_TEST_EXPECT_MSG_EQ(second->GetResults().finish.ps(), (2 * N + k) * S, "1 to 3");
            NS_TEST_EXPECT_MSG_EQ(first->GetResults().npus.size(), 2, "of its ranks");
            Simulator::Destroy();

            // Alone, over two links: (n + 1) s + 2 a after its start.
            fabric = MakeLine(4, PicoSeconds(static_cast<uint64_t>(k * S)));
            const auto alone = Place(fabric, {1, 3}, FullPackets(N), NanoSeconds(70));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(
                alone->GetResults().finish.ps(), 70'000 + (N + 1 + 2 * k) * S, "alone");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup npunet-test
 * Which NPUs a workload may have.
 */
class NpuJobsRefusalTestCase : public TestCase
{
  public:
    NpuJobsRefusalTestCase() : TestCase("NPUs belong to one workload at a time")
    {
    }

  private:
    void
    DoRun() override
    {
        const Ptr<NpuFabric> fabric = MakeLine(4, NanoSeconds(5));
        const auto refusal = [&](const std::vector<uint32_t>& npus) {
            return RefusalOf([&]() { Place(fabric, npus, FullPackets(1)); });
        };
        const auto contains = [this](const std::string& text, const std::string& part) {
            NS_TEST_EXPECT_MSG_NE(text.find(part), std::string::npos, text);
        };
        contains(refusal({0, 4}), "NPU 4, which does not exist");
        contains(refusal({0, 4'000'000'000}), "which does not exist");
        contains(refusal({2, 2}), "NPU 2, a second time");

        const auto first = Place(fabric, {0, 1}, FullPackets(3));
        contains(refusal({2, 1}), "NPU 1, which another workload has that is not finished");
        contains(refusal({}), "which another workload has that is not finished");
        // What does not fit its NPUs takes none of them.
        const std::string broken = RefusalOf([&]() {
            CreateObject<NpuChakraWorkload>()->Install(
                fabric,
                npunet::engine::make_workload(
                    3, FullPackets(1), [](npunet::Rank) { return std::string("a trace"); }, {}, {}),
                npunet::engine::SystemConfig(),
                {npunet::NodeId(2), npunet::NodeId(3)});
        });
        NS_TEST_EXPECT_MSG_NE(broken, "", "three ranks on two NPUs");
        const auto second = Place(fabric, {2, 3}, FullPackets(3));
        Simulator::Run();
        // 3 packets of 10 ns over a link of 5 ns, side by side.
        NS_TEST_EXPECT_MSG_EQ(first->GetResults().finish.ps(), 35'000, "0 to 1");
        NS_TEST_EXPECT_MSG_EQ(second->GetResults().finish.ps(), 35'000, "2 to 3");

        // Both are done: 1 and 2 are free, though they had other ranks.
        const auto third = Place(fabric, {2, 1}, FullPackets(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(third->GetResults().finish.ps(), 70'000, "2 to 1, from 35 ns on");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Messages that are under way when their workload is disposed of, or has finished, concern no
 * other workload.
 */
class NpuJobsLateMessagesTestCase : public TestCase
{
  public:
    NpuJobsLateMessagesTestCase() : TestCase("late messages of former workloads")
    {
    }

  private:
    void
    DoRun() override
    {
        DisposeInMidRun();
        FinishEarly();
        DisposeOfCollectives();
    }

    /// A workload that is disposed of in the middle of a message.
    void
    DisposeInMidRun()
    {
        // 100 packets of 10 ns. At 205 ns, in the midst of the 21st, its workload goes, and another
        // one sends three packets by the same port. Messages of a port take turns: the new one has
        // it from 210, 230 and 250 ns on, and is in at 250 + 10 + 5 ns. The old one goes on.
        const Ptr<NpuFabric> fabric = MakeLine(2, NanoSeconds(5));
        Ptr<NpuChakraWorkload> old = Place(fabric, {0, 1}, FullPackets(100));
        uint32_t ends = 0;
        old->TraceConnectWithoutContext(
            "OperationEnd", Sink([&](uint32_t, uint64_t, const std::string&, Time) { ++ends; }));
        Ptr<NpuChakraWorkload> next;
        Simulator::Schedule(NanoSeconds(205), [&]() {
            old->Dispose();
            next = Place(fabric, {0, 1}, FullPackets(3));
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(next->GetResults().finish.ps(), 265'000, "the new one");
        NS_TEST_EXPECT_MSG_EQ(next->GetResults().npus[0].finish.ps(), 260'000, "its send");
        NS_TEST_EXPECT_MSG_EQ(ends, 0, "the old job has no listener");
        NS_TEST_EXPECT_MSG_EQ(old->IsFinished(), true, "it holds no NPU");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetPacketHops(), 103, "all packets cross the link");
        Simulator::Destroy();
    }

    /// A workload that is finished before its message has arrived: its trace has no receive.
    void
    FinishEarly()
    {
        // The last byte of the old message leaves at 30 ns, and is in at 5030 ns. From 32 ns on
        // another workload has both NPUs: its receive waits for its own message, which leaves at
        // 1032 ns and is in 30 + 5000 ns later.
        const Ptr<NpuFabric> fabric = MakeLine(2, NanoSeconds(5000));
        const auto old = Place(fabric, {0, 1}, FullPackets(3, 0, false));
        Ptr<NpuChakraWorkload> next;
        Simulator::Schedule(NanoSeconds(32), [&]() {
            NS_TEST_EXPECT_MSG_EQ(old->IsFinished(), true, "sent");
            next = Place(fabric, {0, 1}, FullPackets(3, 1));
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(old->GetResults().finish.ps(), 30'000, "the old one");
        NS_TEST_EXPECT_MSG_EQ(next->GetResults().finish.ps(), 6'062'000, "the new one");
        Simulator::Destroy();
    }

    /// Collectives that are disposed of send nothing more.
    void
    DisposeOfCollectives()
    {
        // Beside a ring all-reduce of NPUs 0 and 1, which is disposed of after some steps, one of
        // NPUs 2 and 3 takes as long as alone.
        const auto sum = OneCollective(npunet::chakra::CollectiveType::AllReduce, 200 * MTU);
        int64_t alone = 0;
        uint64_t hops = 0;
        for (const bool beside : {false, true})
        {
            const Ptr<NpuFabric> fabric = MakeLine(4, NanoSeconds(5));
            const auto kept = Place(fabric, {2, 3}, sum);
            if (beside)
            {
                Ptr<NpuChakraWorkload> other = Place(fabric, {0, 1}, sum);
                Simulator::Schedule(NanoSeconds(1), [other]() { other->Dispose(); });
            }
            Simulator::Run();
            const int64_t finish = kept->GetResults().finish.ps();
            alone = beside ? alone : finish;
            NS_TEST_EXPECT_MSG_EQ(finish, alone, "as long as alone");
            NS_TEST_EXPECT_MSG_EQ(kept->IsFinished(), true, "done");
            // Alone 2 steps of 100 packets each way; of the other one the first step.
            hops = fabric->GetPacketHops();
            NS_TEST_EXPECT_MSG_EQ(hops, (beside ? 600 : 400), "packets");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup npunet-test
 * Workloads over sockets.
 */
class NpuJobsSocketTestCase : public TestCase
{
  public:
    NpuJobsSocketTestCase() : TestCase("two workloads over sockets")
    {
    }

  private:
    void
    DoRun() override
    {
        // Pairs of nodes around a router have links of their own, so that each takes as long as
        // alone.
        const std::vector<std::vector<uint32_t>> pairs{{0, 3}, {2, 1}};
        const auto sum = OneCollective(npunet::chakra::CollectiveType::AllReduce, 30'000);
        std::vector<int64_t> alone;
        for (const std::vector<uint32_t>& pair : pairs)
        {
            const auto network = NpuSocketHelper().Install(MakeStar(4));
            const auto work = Place(network, pair, sum);
            Simulator::Run();
            alone.push_back(work->GetResults().finish.ps());
            Simulator::Destroy();
        }
        const auto network = NpuSocketHelper().Install(MakeStar(4));
        const auto first = Place(network, pairs[0], sum);
        const auto second = Place(network, pairs[1], sum);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(first->GetResults().finish.ps(), alone[0], "0 and 3");
        NS_TEST_EXPECT_MSG_EQ(second->GetResults().finish.ps(), alone[1], "2 and 1");
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuJobsTestSuite("npu-jobs",
                                {new NpuJobsSharedLinkTestCase,
                                 new NpuJobsRefusalTestCase,
                                 new NpuJobsLateMessagesTestCase,
                                 new NpuJobsSocketTestCase});

} // namespace
