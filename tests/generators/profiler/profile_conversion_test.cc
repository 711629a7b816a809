// Folders of small profiles, converted to traces.
#include "generators/profiler/profile_conversion.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"
#include "kineto_text.h"
#include "packet/make_packet_network.h"
#include "tests/cli/program_run.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/systems.h"

namespace npunet::generators::profiler {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ConvertedProfiles : public ProfileFiles {
protected:
    /// A step of a rank: computation, an all-reduce of 4 MiB, computation that waits for it. The
    /// all-reduce ends at 400 us on both ranks, which are there at 115 us + 100 us x rank.
    static KinetoText step(int rank) {
        const double late = 100.0 * rank;
        KinetoText trace(rank, 2);
        trace.op(1, "aten::mm", late, 30).launch(1, late + 10, 3, 1);
        trace.kernel("gemm", 7, late + 15, 90.4, 1);
        trace.op(1, "record_param_comms", late + 40, 20).launch(1, late + 50, 3, 2);
        trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, late + 115, 285 - late, 2,
                     collective("allreduce", 1 << 20, 1 << 20, "[0, 1]"));
        trace.op(1, "record_param_comms", late + 70, 5);
        trace.call(1, "cudaStreamWaitEvent", late + 71, 1, 3);
        trace.op(1, "aten::add", late + 80, 20).launch(1, late + 85, 3, 4);
        trace.kernel("add", 7, 405, 10.4, 4).launch(1, late + 95, 3, 5);
        return trace.kernel("add", 7, 416, 10.4, 5);
    }
    void write_steps() const {
        write(step(0), "rank_0.json");
        write(step(1), "rank_1.json");
    }

    [[nodiscard]] ProfileConversion options() const {
        ProfileConversion options;
        options.files.folder = folder_ / "traces";
        return options;
    }
    ConversionSummary convert(const ProfileConversion& options, const fs::path& traces = {}) const {
        return convert_profiles(open_profile_folder(folder_ / "profiles", traces), options, {});
    }
    [[nodiscard]] std::string error(const fs::path& traces = {}) const {
        return test::message_of<InputError>([&] { convert(options(), traces); });
    }
    [[nodiscard]] std::vector<chakra::Node> nodes(int rank) const {
        return chakra::read_trace(folder_ / "traces" / fmt::format("workload.{}.et", rank));
    }
    [[nodiscard]] double finish_ns(const std::string& fidelity) const {
        folder_.write("net.yml",
                      "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n");
        folder_.write("rings.json", test::plain_rings);
        const cli::Outcome outcome = cli::run(
            fmt::format("simulate --workload {0}/traces/workload --comm-group "
                        "{0}/traces/comm_group.json --network {0}/net.yml --system {0}/rings.json "
                        "--fidelity {1} --json",
                        folder_.path().string(), fidelity));
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        return nlohmann::json::parse(outcome.out).at("finish_ns").get<double>();
    }
    void expect_valid() const {
        const cli::Outcome valid = cli::run(
            fmt::format("trace validate {0}/workload --comm-group {0}/comm_group.json --strict",
                        (folder_ / "traces").string()));
        EXPECT_EQ(valid.code, 0) << valid.out;
    }
};

TEST_F(ConvertedProfiles, SayWhatTheProfileSays) {
    write_steps();
    const ConversionSummary summary = convert(options());
    EXPECT_EQ(summary.ranks, 2);
    EXPECT_EQ(summary.operations, 8);
    EXPECT_EQ(summary.compute_ns, 2 * (90'400 + 2 * 10'400));
    // The profile does not explain why the all-reduce of rank 1 begins 9.6 us after its
    // predecessor.
    ASSERT_THAT(summary.warnings, SizeIs(1));
    EXPECT_THAT(summary.warnings[0], HasSubstr("2 of 2 ranks"));
    EXPECT_EQ(summary.communication.at("ALL_REDUCE").nodes, 2);
    EXPECT_EQ(summary.communication.at("ALL_REDUCE").bytes, 2 * (4 << 20));
    EXPECT_THAT(chakra::read_comm_groups(folder_ / "traces/comm_group.json").at("1"),
                ElementsAre(Rank(0), Rank(1)));

    const std::vector<chakra::Node> first = nodes(0);
    const std::vector<chakra::Node> second = nodes(1);
    ASSERT_THAT(second, SizeIs(first.size() + 1));
    EXPECT_EQ(second[0].integer("duration_ns"), 100'000) << "rank 1 begins later";
    std::map<std::string, std::vector<chakra::Node>> named;
    for (const chakra::Node& node : first) {
        named[node.name].push_back(node);
    }
    const chakra::Node& gemm = named.at("gemm")[0];
    EXPECT_EQ(gemm.type, chakra::NodeType::Compute);
    EXPECT_EQ(gemm.integer("is_cpu_op"), 0);
    EXPECT_EQ(gemm.integer("duration_ns"), 90'400);
    EXPECT_EQ(gemm.integer("stream"), 7);
    const chakra::Node& sum = named.at("ncclDevKernel_AllReduce_Sum_f32_RING_LL")[0];
    EXPECT_EQ(sum.type, chakra::NodeType::CommCollective);
    EXPECT_EQ(sum.integer("comm_type"), 0);
    EXPECT_EQ(sum.integer("comm_size"), 4 << 20);
    EXPECT_EQ(sum.text("pg_name"), "1");
    EXPECT_EQ(sum.text("dtype"), "fp32");
    EXPECT_EQ(sum.integer("measured_ns"), 285'000);
    EXPECT_FALSE(sum.integer("duration_ns")) << "a measured time is never a cost";
    EXPECT_EQ(sum.duration_micros, 0U);
    EXPECT_THAT(sum.data_deps, ::testing::Contains(gemm.id));
    EXPECT_THAT(named.at("add")[0].data_deps, ::testing::Contains(sum.id));
}

// 90.4, 10.4 and 10.4 us on one stream are 90, 11 and 10 whole ones: 111.2 us end at 111.
TEST_F(ConvertedProfiles, WholeMicrosecondsKeepTheSum) {
    write_steps();
    convert(options());
    std::vector<std::uint64_t> micros;
    for (const chakra::Node& node : nodes(0)) {
        if (node.type == chakra::NodeType::Compute && node.integer("stream") == 7) {
            micros.push_back(node.duration_micros);
        }
    }
    EXPECT_THAT(micros, ElementsAre(90, 11, 10));
}

// Whatever the number of threads, and whatever the order of the files, the bytes are the same.
TEST_F(ConvertedProfiles, AreTheSameOnAnyNumberOfThreads) {
    write_steps();
    const auto bytes = [&](std::size_t threads) {
        ProfileConversion conversion = options();
        conversion.threads = threads;
        convert(conversion);
        std::string all;
        for (const char* name : {"workload.0.et", "workload.1.et", "comm_group.json"}) {
            all += test::bytes_of(folder_ / "traces" / name);
        }
        return all;
    };
    const std::string one = bytes(1);
    EXPECT_EQ(bytes(4), one);
    fs::rename(folder_ / "profiles/rank_0.json", folder_ / "profiles/z_rank_0.json");
    EXPECT_EQ(bytes(2), one);
}

// The last rank's computation ends at 205.4 us, and its kernel, which waited for no other, took 185
// us: the traces end 15.2 us before the profile, since its streams idled for 9.6, 5 and 0.6 us.
TEST_F(ConvertedProfiles, ReplayWithMeasuredTransfers) {
    write_steps();
    const ConversionSummary summary = convert(options());
    EXPECT_EQ(summary.replay.measured_ns, 426'400);
    EXPECT_EQ(summary.replay.replayed_ns, 205'400 + 185'000 + 2 * 10'400);
    EXPECT_EQ(summary.replay.largest_ns, 15'200);
    EXPECT_NEAR(summary.replay.difference_percent(), -3.565, 0.001);
}

// 4 MiB around a ring of 2 at 50 GB/s are two steps of 2 MiB, 41.94304 us, and 0.5 us each. Rank
// 1's computation ends at 205.4 us with the CPU, which begins 100 us late and launches after 15,
// and at 190.4 us without; 20.8 us follow.
TEST_F(ConvertedProfiles, RunAtEveryFidelity) {
    write_steps();
    for (const CpuModel model : {CpuModel::Gap, CpuModel::None}) {
        ProfileConversion conversion = options();
        conversion.cpu = model;
        convert(conversion);
        const double begin = model == CpuModel::Gap ? 205'400 : 190'400;
        EXPECT_NEAR(finish_ns("analytical"), begin + 2 * (41'943.04 + 500) + 20'800, 1);
        EXPECT_NEAR(finish_ns("congestion-aware"), finish_ns("analytical"), 1);
        EXPECT_GT(finish_ns("packet"), finish_ns("analytical"));
        expect_valid();
    }
}

// A stage of a pipeline sends 1 MiB on, the next begins with it, and sends another one back: 300 us
// of computation and two messages of 20.97152 us and a latency of 0.5 us, one behind the other.
TEST_F(ConvertedProfiles, MessagesRunAndMeet) {
    const auto message = [](const std::string& kind, int source, int destination) {
        return collective(kind, 1 << 18, 1 << 18, "[0, 1]", -1,
                          fmt::format(R"(, "Src Rank": {}, "Dst Rank": {})", source, destination));
    };
    KinetoText first(0, 2);
    first.kernel("forward", 7, 0, 100, -1);
    first.kernel("ncclDevKernel_SendRecv", 20, 100, 30, -1, message("send", 0, 1));
    first.kernel("ncclDevKernel_SendRecv", 20, 230, 30, -1, message("recv", 1, 0));
    first.op(1, "backward", 240, 20).call(1, "cudaStreamWaitEvent", 250, 1, 1);
    first.launch(1, 252, 3, 2).kernel("backward", 7, 260, 100, 2);
    KinetoText second(1, 2);
    second.kernel("ncclDevKernel_SendRecv", 20, 0, 130, -1, message("recv", 0, 1));
    second.kernel("both", 20, 130, 100, -1);
    second.kernel("ncclDevKernel_SendRecv", 20, 230, 30, -1, message("send", 1, 0));
    write(first, "rank_0.json");
    write(second, "rank_1.json");
    ProfileConversion conversion = options();
    conversion.cpu = CpuModel::None;
    const ConversionSummary summary = convert(conversion);
    EXPECT_EQ(summary.communication.at("SEND").nodes, 2);
    EXPECT_EQ(summary.communication.at("RECV").bytes, 2 << 20);
    EXPECT_TRUE(chakra::read_comm_groups(folder_ / "traces/comm_group.json").empty());
    expect_valid();
    EXPECT_NEAR(finish_ns("analytical"), 200'000 + 2 * (20'971.52 + 500), 1);
}

TEST_F(ConvertedProfiles, MayBeginTogether) {
    write_steps();
    ProfileConversion conversion = options();
    conversion.begin = BeginModel::Together;
    convert(conversion);
    EXPECT_THAT(nodes(1), SizeIs(nodes(0).size()));
}

// An execution trace tells what an older profile leaves out: here the splits of an all-to-all.
TEST_F(ConvertedProfiles, ExecutionTracesTellMore) {
    fs::create_directories(folder_ / "et");
    for (int rank = 0; rank < 2; ++rank) {
        const int sent = rank == 0 ? 8 : 4;
        const int received = rank == 0 ? 3 : 9;
        KinetoText trace(rank, 2);
        trace.op(1, "c10d::alltoall_base_", 0, 30);
        trace.op(1, "record_param_comms", 1, 28,
                 fmt::format(R"("Input Dims": [[{}], []], "Input type": ["float", ""])", sent));
        trace.annotation(1, "nccl:all_to_all", 2, 26);
        trace.launch(1, 10, 3, 1).kernel("ncclKernel_SendRecv_RING_SIMPLE", 20, 15, 5, 1);
        write(trace, fmt::format("worker{}.pt.trace.json", rank));
        std::ofstream(folder_ / "et" / fmt::format("et_{}.json", rank)) << fmt::format(
            R"({{"schema": "1.0.1", "pid": 7, "nodes": [{{"name": "record_param_comms", "id": 3, )"
            R"("rf_id": 2, "parent": 1, "tid": 1, "inputs": [[5, 6, 0, {0}, 4, "cuda:0"], 11, 12, )"
            R"({1}, "all_to_allv", [{2}], [{3}]], "outputs": [[7, 8, 0, {4}, 4, "cuda:0"]]}}], )"
            R"("finish_ts": 1}})",
            sent, rank, rank == 0 ? "2, 6" : "1, 3", rank == 0 ? "2, 1" : "6, 3", received);
    }
    const ConversionSummary without = convert(options());
    EXPECT_EQ(without.joined, 0);
    const ConversionSummary with = convert(options(), folder_ / "et");
    EXPECT_EQ(with.joined, 2);
    EXPECT_THAT(with.warnings, ElementsAre(HasSubstr("without a group")));
    int collectives = 0;
    for (const chakra::Node& node : nodes(0)) {
        if (node.type == chakra::NodeType::CommCollective) {
            ++collectives;
            EXPECT_EQ(node.integer("comm_size"), 32);
            const auto* sizes =
                std::get_if<std::vector<std::int64_t>>(&node.find("comm_sizes")->value);
            ASSERT_NE(sizes, nullptr);
            EXPECT_THAT(*sizes, ElementsAre(8, 24));
        }
    }
    EXPECT_EQ(collectives, 1);
    // One of another run has other sizes, and is not used.
    fs::rename(folder_ / "et/et_0.json", folder_ / "et/swap");
    fs::rename(folder_ / "et/et_1.json", folder_ / "et/et_0.json");
    fs::rename(folder_ / "et/swap", folder_ / "et/et_1.json");
    const ConversionSummary swapped = convert(options(), folder_ / "et");
    EXPECT_EQ(swapped.joined, 0);
    EXPECT_THAT(swapped.warnings, ::testing::Contains(HasSubstr("is not of this profile")));
}

TEST_F(ConvertedProfiles, FoldersThatCannotBeConvertedSayWhy) {
    EXPECT_THAT(error(), HasSubstr("no file *.json"));
    std::ofstream(folder_ / "profiles/et.json") << R"({"schema": "1.0.1", "nodes": []})";
    EXPECT_THAT(error(), HasSubstr("which have no times"));
    fs::remove(folder_ / "profiles/et.json");
    write(step(0), "rank_0.json");
    EXPECT_THAT(error(), HasSubstr("no profile of rank 1"));
    write(step(0), "rank_1.json");
    EXPECT_THAT(error(), HasSubstr("a profile of rank 0, as"));
    EXPECT_FALSE(fs::exists(folder_ / "traces"));
    EXPECT_THAT(error(folder_ / "nowhere"), HasSubstr("no such file or folder"));
}

// Half a file is converted as far as it goes, and said to be half.
TEST_F(ConvertedProfiles, HalfAProfileIsSaidToBe) {
    write_steps();
    const std::string text = step(1).text();
    std::ofstream(folder_ / "profiles/rank_1.json") << text.substr(0, text.rfind("{\"ph\""));
    const ConversionSummary summary = convert(options());
    EXPECT_THAT(summary.warnings, ::testing::Contains(HasSubstr("its end is missing")));
}

/// A rank whose second kernel begins 9.9 ms late for no reason in the profile.
KinetoText idle_rank(int rank, int world) {
    KinetoText trace(rank, world);
    trace.op(1, "aten::mm", 0, 60).launch(1, 10, 3, 1).launch(1, 30, 3, 2).launch(1, 50, 3, 3);
    trace.kernel("first", 7, 15, 100, 1).kernel("late_kernel", 7, 10'000, 100, 2);
    return trace.kernel("next", 7, 10'101, 100, 3);
}

// Measured 10.2 ms; the traces, in which a kernel follows its predecessor at once, take 0.3 ms.
TEST_F(ConvertedProfiles, LostTimeIsSaidWithTheFirstOperationResponsible) {
    write(idle_rank(0, 1), "rank_0.json");
    const ConversionSummary summary = convert(options());
    ASSERT_THAT(summary.replay.differences, SizeIs(1));
    EXPECT_EQ(summary.replay.differences[0].measured_ns, 10'201'000);
    EXPECT_LT(summary.replay.differences[0].replayed_ns, 400'000);
    ASSERT_THAT(summary.warnings, SizeIs(1));
    EXPECT_THAT(summary.warnings[0],
                AllOf(HasSubstr("1 of 1 ranks"), HasSubstr("instead of 10.20 ms"),
                      HasSubstr("'late_kernel' (stream 7 of rank 0)"), HasSubstr("it ended 10.1")));

    const cli::Outcome outcome = cli::run("generate profile " + (folder_ / "profiles").string() +
                                          " --output-dir " + (folder_ / "again").string());
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.log,
                AllOf(HasSubstr("npunet: warning: 1 of 1 ranks"), HasSubstr("'late_kernel'")));
}

// Rank 0 waited for the all-reduce because rank 1 was idle: that is where both lose their time.
TEST_F(ConvertedProfiles, LostTimeIsFollowedToTheRankThatLostIt) {
    const auto reduced = [](KinetoText trace, double begin) {
        trace.op(1, "record_param_comms", 70, 20).launch(1, 75, 3, 9);
        return trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, begin, 10'300 - begin, 9,
                            collective("allreduce", 1 << 20, 1 << 20, "[0, 1]"));
    };
    KinetoText waits(0, 2);
    waits.op(1, "aten::mm", 0, 60).launch(1, 10, 3, 1).kernel("early", 7, 15, 100, 1);
    write(reduced(waits, 120), "rank_0.json");
    write(reduced(idle_rank(1, 2), 10'202), "rank_1.json");
    const ConversionSummary summary = convert(options());
    EXPECT_THAT(summary.replay.differences, SizeIs(2));
    ASSERT_THAT(summary.warnings, Not(IsEmpty()));
    EXPECT_THAT(summary.warnings.back(),
                AllOf(HasSubstr("2 of 2 ranks"), HasSubstr("'late_kernel' (stream 7 of rank 1)")));
}

// Two concurrent streams, 2 ms of computation in total, which an NPU serializes.
TEST_F(ConvertedProfiles, OverlappingComputationsAreSaid) {
    KinetoText trace(0, 1);
    trace.op(1, "aten::mm", 0, 60).launch(1, 10, 3, 1).launch(1, 20, 3, 2);
    trace.kernel("one", 7, 15, 1000, 1).kernel("beside", 8, 25, 1000, 2);
    write(trace, "rank_0.json");
    const ConversionSummary summary = convert(options());
    ASSERT_THAT(summary.warnings, SizeIs(1));
    EXPECT_THAT(summary.warnings[0],
                AllOf(HasSubstr("2.000 ms instead of 1.025 ms"),
                      HasSubstr("'beside' (stream 8 of rank 0)"), HasSubstr("one computation")));
}

// With --cpu none, CPU time after the last launch is not in the traces.
TEST_F(ConvertedProfiles, TimeOfTheCpuThatIsLeftOutIsSaid) {
    KinetoText trace(0, 1);
    trace.op(1, "aten::mm", 0, 60).launch(1, 10, 3, 1).op(1, "aten::item", 5'000, 60);
    write(trace.kernel("only", 7, 15, 100, 1), "rank_0.json");
    ProfileConversion without = options();
    without.cpu = CpuModel::None;
    const ConversionSummary summary = convert(without);
    ASSERT_THAT(summary.warnings, SizeIs(1));
    EXPECT_THAT(summary.warnings[0],
                AllOf(HasSubstr("'only'"), HasSubstr("--cpu none leaves out")));
}

}  // namespace
}  // namespace npunet::generators::profiler
