// What follows what: small profiles with the nodes that they have to become. A node is written as
// its name, its begin and end in microseconds from the profile's first begin, and the numbers (from
// 1) of those that it follows.
#include "generators/profiler/rank_graph.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/errors.h"
#include "kineto_text.h"
#include "profiles/profile_reader.h"

namespace npunet::generators::profiler {
namespace {

using ::testing::ElementsAre;

class RankGraphs : public ProfileFiles {
protected:
    RankGraph graph(const KinetoText& trace, CpuModel model = CpuModel::Gap) const {
        const profiles::EventTable table = profiles::read_profile(write(trace, "rank_0.json"));
        return rank_graph(activity_of(table, nullptr), model);
    }

    std::vector<std::string> nodes(const KinetoText& trace, CpuModel model = CpuModel::Gap) const {
        return nodes(graph(trace, model));
    }
    static std::vector<std::string> nodes(const RankGraph& graph) {
        const auto micros = [&](std::int64_t ns) {
            return static_cast<double>(ns - graph.span.begin_ns) / 1e3;
        };
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const GraphNode& node = graph.nodes[i];
            std::string text = fmt::format("{} {:g}-{:g}", graph.names[node.name],
                                           micros(node.span.begin_ns), micros(node.span.end_ns));
            for (const std::uint32_t before : graph.after(i)) {
                text += fmt::format(" {}", before + 1);
            }
            texts.push_back(text);
        }
        return texts;
    }
};

// The latency of a launch is 5 us (from its begin to the start on an idle stream), so segments end
// 5 us behind each begin. The second kernel finds its stream busy: its launch took no part in when
// it began. What the thread does last is a segment too.
TEST_F(RankGraphs, KernelsFollowTheirLaunchAndTheirStream) {
    KinetoText trace;
    trace.op(1, "aten::mm", 0, 20).launch(1, 10, 3, 1).kernel("a", 7, 15, 30, 1);
    trace.launch(1, 30, 3, 2).kernel("b", 7, 46, 4, 2);
    trace.op(1, "aten::add", 40, 60);
    EXPECT_THAT(nodes(trace), ElementsAre("cpu thread 1 0-15", "a 15-45 1", "cpu thread 1 15-35 1",
                                          "b 46-50 2 3", "cpu thread 1 35-100 3"));
    EXPECT_THAT(nodes(trace, CpuModel::None), ElementsAre("a 15-45", "b 46-50 1"));
}

// cudaStreamSynchronize from 30 to 48 waits for the kernel that ends at 45: the CPU goes on then,
// and the 3 us of waking up are its own.
TEST_F(RankGraphs, TheCpuFollowsWhatItWaitsFor) {
    KinetoText trace;
    trace.op(1, "aten::item", 0, 60).launch(1, 10, 3, 1).kernel("a", 7, 15, 30, 1);
    trace.call(1, "cudaStreamSynchronize", 30, 18, 2);
    EXPECT_THAT(nodes(trace), ElementsAre("cpu thread 1 0-15", "a 15-45 1", "cpu thread 1 15-30 1",
                                          "cpu thread 1 45-60 2 3"));
}

// Of two streams the synchronization is about the one whose work ended during it. What had not
// ended when it returned was not waited for.
TEST_F(RankGraphs, AStreamThatStillRunsWasNotWaitedFor) {
    KinetoText trace;
    trace.op(1, "aten::item", 0, 60).launch(1, 10, 3, 1).kernel("a", 7, 15, 30, 1);
    trace.launch(1, 20, 3, 2).kernel("b", 8, 25, 75, 2);
    trace.call(1, "cudaStreamSynchronize", 30, 18, 3);
    EXPECT_THAT(nodes(trace),
                ElementsAre("cpu thread 1 0-15", "a 15-45 1", "cpu thread 1 15-25 1", "b 25-100 3",
                            "cpu thread 1 25-30 3", "cpu thread 1 45-60 2 5"));
}

// A copy that ends within its call blocks the CPU; one that does not, does not.
TEST_F(RankGraphs, ACopyWithinItsCallBlocks) {
    KinetoText trace;
    trace.op(1, "aten::to", 0, 60).call(1, "cudaMemcpyAsync", 10, 40, 1);
    trace.work("gpu_memcpy", "DtoH", 7, 15, 30, 1);
    EXPECT_THAT(nodes(trace),
                ElementsAre("cpu thread 1 0-15", "DtoH 15-45 1", "cpu thread 1 45-60 1 2"));
    KinetoText other;
    other.op(1, "aten::to", 0, 60).call(1, "cudaMemcpyAsync", 10, 10, 1);
    other.work("gpu_memcpy", "HtoD", 7, 15, 30, 1);
    EXPECT_THAT(nodes(other),
                ElementsAre("cpu thread 1 0-15", "HtoD 15-45 1", "cpu thread 1 15-60 1"));
}

// Stream 8 is told to wait for what stream 7 had been given when the event was recorded: a, not b.
TEST_F(RankGraphs, StreamsFollowRecordedEvents) {
    KinetoText trace;
    trace.op(1, "step", 0, 60).launch(1, 10, 3, 1).kernel("a", 7, 15, 10, 1);
    trace.call(1, "cudaEventRecord", 14, 1, 2);
    trace.launch(1, 20, 3, 3).kernel("b", 7, 25, 3, 3);
    trace.call(1, "cudaStreamWaitEvent", 24, 1, 4).sync("Stream Wait Event", 8, 24, 1, 4, 7, 2);
    trace.launch(1, 30, 3, 5).kernel("c", 8, 35, 5, 5);
    EXPECT_THAT(nodes(trace, CpuModel::None), ElementsAre("a 15-25", "b 25-28 1", "c 35-40 1"));
}

// Without events: a collective follows the computation before it; computation behind a wait for it
// follows it, other computation does not. The waits by which NCCL's stream is told to follow are
// part of the collective's launch.
TEST_F(RankGraphs, WithoutEventsCallsTell) {
    KinetoText trace;
    trace.op(1, "step", 0, 100).launch(1, 10, 3, 1).kernel("a", 7, 15, 5, 1);
    trace.op(1, "record_param_comms", 20, 10).call(1, "cudaStreamWaitEvent", 21, 1, 2);
    trace.launch(1, 22, 3, 3);
    trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, 27, 20, 3,
                 collective("allreduce", 4, 4, "[0]"));
    trace.call(1, "cudaStreamWaitEvent", 27, 1, 4);
    trace.launch(1, 32, 3, 5).kernel("b", 7, 37, 5, 5);
    trace.op(1, "record_param_comms", 40, 3).call(1, "cudaStreamWaitEvent", 41, 1, 6);
    trace.launch(1, 45, 3, 7).kernel("c", 7, 50, 5, 7);
    trace.launch(1, 55, 3, 8).kernel("d", 7, 60, 5, 8);
    EXPECT_THAT(nodes(trace, CpuModel::None),
                ElementsAre("a 15-20", "ncclDevKernel_AllReduce_Sum_f32_RING_LL 27-47 1",
                            "b 37-42 1", "c 50-55 2 3", "d 60-65 4"));
}

// The autograd thread waits for a collective and launches nothing any more: what the main thread
// launches on the same stream follows the collective.
TEST_F(RankGraphs, AnotherThreadMayLaunchWhatWaits) {
    KinetoText trace;
    trace.op(2, "backward", 0, 60).launch(2, 10, 3, 1).kernel("a", 7, 15, 5, 1);
    trace.op(2, "record_param_comms", 20, 10).launch(2, 22, 3, 3);
    trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, 27, 40, 3,
                 collective("allreduce", 4, 4, "[0]"));
    trace.op(2, "record_param_comms", 40, 3).call(2, "cudaStreamWaitEvent", 41, 1, 6);
    trace.op(1, "optimizer", 62, 20).launch(1, 63, 3, 7).kernel("b", 7, 68, 5, 7);
    EXPECT_THAT(
        nodes(trace, CpuModel::None),
        ElementsAre("a 15-20", "ncclDevKernel_AllReduce_Sum_f32_RING_LL 27-67 1", "b 68-73 1 2"));
}

// backward(): the main thread pauses from 60 to 200 while the autograd thread works from 70 to 190.
// Neither pause is work: the one begins behind the other's turn.
TEST_F(RankGraphs, ThreadsHandOver) {
    KinetoText trace;
    trace.op(1, "forward", 0, 60).launch(1, 10, 3, 1).kernel("a", 7, 15, 5, 1);
    trace.op(2, "backward", 70, 120).launch(2, 100, 3, 2).kernel("b", 7, 105, 5, 2);
    trace.op(1, "optimizer", 200, 40).launch(1, 210, 3, 3).kernel("c", 7, 215, 5, 3);
    EXPECT_THAT(nodes(trace),
                ElementsAre("cpu thread 1 0-15", "a 15-20 1", "cpu thread 1 15-60 1",
                            "cpu thread 2 60-105 3", "b 105-110 2 4", "cpu thread 2 105-190 4",
                            "cpu thread 1 190-215 3 6", "c 215-220 5 7", "cpu thread 1 215-240 7"));
}

// ncclGroupEnd launches one kernel for a send and a receive: two nodes at the same time, both
// before what follows.
TEST_F(RankGraphs, ABatchIsANodeForEach) {
    KinetoText trace(0, 2);
    trace.op(1, "step", 0, 100);
    const std::string both = R"("dtype": "Float", "In msg nelems": 8, "Out msg nelems": 8, )";
    trace.op(1, "record_param_comms", 5, 2,
             both + R"("Collective name": "send", "Src Rank": 0, "Dst Rank": 1)");
    trace.op(1, "record_param_comms", 8, 2,
             both + R"("Collective name": "recv", "Src Rank": 1, "Dst Rank": 0)");
    trace.op(1, "record_param_comms", 11, 9, R"("Collective name": "coalesced")");
    trace.launch(1, 12, 3, 1).kernel("ncclDevKernel_SendRecv", 20, 17, 10, 1);
    trace.launch(1, 30, 3, 2)
        .kernel("ncclDevKernel_SendRecv", 20, 35, 10, 2,
                both + R"("Collective name": "send", "Dst Rank": 1)");
    const RankGraph made = graph(trace, CpuModel::None);
    EXPECT_THAT(nodes(made),
                ElementsAre("ncclDevKernel_SendRecv 17-27", "ncclDevKernel_SendRecv 17-27",
                            "ncclDevKernel_SendRecv 35-45 1 2"));
    ASSERT_EQ(made.calls.size(), 3U);
    EXPECT_EQ(made.calls[0].kind, CommunicationCall::Kind::Send);
    EXPECT_EQ(made.calls[1].kind, CommunicationCall::Kind::Receive);
    EXPECT_EQ(made.calls[2].kind, CommunicationCall::Kind::Send);
    for (const CommunicationCall& call : made.calls) {
        EXPECT_EQ(call.peer, 1);
        EXPECT_EQ(comm_size(call, 2), 32);
    }
}

// Profiles of 2020 to 2023 name collectives by annotations and shapes alone.
TEST_F(RankGraphs, OlderProfilesTellByShapes) {
    KinetoText trace;
    trace.op(1, "c10d::alltoall_base_", 0, 30,
             R"("Input Dims": [[768], [3392], []], "Input type": ["int", "int", ""])");
    trace.op(1, "record_param_comms", 1, 28,
             R"("Input Dims": [[3392], []], "Input type": ["int", ""])");
    trace.annotation(1, "nccl:all_to_all", 2, 26);
    trace.launch(1, 10, 3, 1).kernel("ncclKernel_SendRecv_RING_SIMPLE", 20, 15, 5, 1);
    const RankGraph made = graph(trace);
    ASSERT_EQ(made.calls.size(), 1U);
    EXPECT_EQ(made.calls[0].kind, CommunicationCall::Kind::Collective);
    EXPECT_EQ(made.calls[0].collective, chakra::CollectiveType::AllToAll);
    EXPECT_EQ(made.calls[0].in_bytes, 4 * 3392);
    EXPECT_EQ(made.calls[0].out_bytes, 4 * 768);
}

// Random launches, streams, synchronizations and threads: every operation is one node with its
// times, nothing follows what stands behind it, CPU segments of a thread do not overlap, and each
// thread's segments and waits fill the time from its begin to its end.
TEST_F(RankGraphs, HoldForRandomProfiles) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
        KinetoText trace;
        std::vector<double> free(3, 0);
        double now = 0;
        std::multiset<std::string> expected;
        int correlation = 0;
        for (int i = 0; i < 60; ++i) {
            const int thread = 1 + (i / 20) % 2;
            now += 1 + below(200);
            trace.op(thread, "op", now, 8);
            const int stream = below(3);
            double& idle = free[static_cast<std::size_t>(stream)];
            if (below(4) == 0) {
                const double wait = std::max(idle - now, 1.0);
                trace.call(thread,
                           below(2) == 0 ? "cudaStreamSynchronize" : "cudaDeviceSynchronize", now,
                           wait, ++correlation);
                now += wait;
                continue;
            }
            const double begin = std::max(now + 1 + below(5), idle);
            const double duration = below(60);
            trace.launch(thread, now, 3, ++correlation);
            trace.kernel(fmt::format("k{}", correlation), stream, begin, duration, correlation);
            expected.insert(fmt::format("k{} {}", correlation, duration));
            idle = begin + duration;
            now += 3;
        }
        const RankGraph made = graph(trace);
        std::multiset<std::string> found;
        std::vector<std::int64_t> thread_end(made.threads.size(), made.span.begin_ns);
        for (std::size_t i = 0; i < made.nodes.size(); ++i) {
            const GraphNode& node = made.nodes[i];
            for (const std::uint32_t before : made.after(i)) {
                EXPECT_LT(before, i);
            }
            ASSERT_LE(node.span.begin_ns, node.span.end_ns);
            if (node.kind == GraphNode::Kind::Host) {
                std::int64_t& end = thread_end[static_cast<std::size_t>(node.place)];
                EXPECT_GE(node.span.begin_ns, end) << seed;
                end = node.span.end_ns;
                std::int64_t ready = made.span.begin_ns;
                for (const std::uint32_t before : made.after(i)) {
                    ready = std::max(ready, made.nodes[before].span.end_ns);
                }
                EXPECT_EQ(node.span.begin_ns, ready) << seed;
            } else {
                found.insert(fmt::format("{} {}", made.names[node.name],
                                         (node.span.end_ns - node.span.begin_ns) / 1000));
            }
        }
        EXPECT_EQ(found, expected) << seed;
    }
}

TEST_F(RankGraphs, WithoutAGpuThereIsNothingToConvert) {
    KinetoText trace;
    trace.op(1, "aten::mm", 0, 20);
    EXPECT_THROW(graph(trace), InputError);
}

}  // namespace
}  // namespace npunet::generators::profiler
