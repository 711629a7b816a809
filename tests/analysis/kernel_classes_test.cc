// Every kernel once. The nine overlapping tables of the reference are the oracle: what it has in
// the forward (backward, recomputation, optimizer) tables is forward (...) here too, where it is in
// one.
#include "analysis/kernel_classes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "analysis/overlapping_tables.h"
#include "profiles/parallel_groups_reader.h"
#include "profiles/profile_reader.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::analysis {
namespace {

namespace fs = std::filesystem;

const fs::path shared = NPUNET_SHARED_DIR;

/// A trace of events given as JSON.
EventTable trace_of(const std::string& events, const std::string& head = "") {
    const test::TemporaryFolder folder;
    return profiles::read_profile(
        folder.write("rank_0.json", "{" + head + "\"traceEvents\": [" + events + "]}"));
}

std::string frame(const std::string& name, int tid, int start, int duration) {
    return R"({"ph": "X", "cat": "python_function", "name": ")" + name + R"(", "pid": 1, "tid": )" +
           std::to_string(tid) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" +
           std::to_string(duration) + "},";
}

/// A launch at `start` on thread `tid`, and its kernel 5 us later.
std::string kernel(const std::string& name, int tid, int start, int correlation,
                   const std::string& args = "") {
    const std::string number = std::to_string(correlation);
    return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": )" +
           std::to_string(tid) + R"(, "ts": )" + std::to_string(start) +
           R"(, "dur": 2, "args": {"correlation": )" + number +
           R"(}}, {"ph": "X", "cat": "kernel", "name": ")" + name +
           R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(start + 5) +
           R"(, "dur": 1, "args": {"stream": 7, "device": 0, "correlation": )" + number + args +
           "}},";
}

/// A memory set, recorded the same way.
std::string set(const std::string& name, int tid, int start, int correlation) {
    std::string text = kernel(name, tid, start, correlation);
    text.replace(text.find("\"kernel\""), 8, "\"gpu_memset\"");
    return text;
}

const std::string last = R"({"ph": "M", "name": "x", "pid": 1, "tid": 1, "args": {}})";

/// Classes by name of the kernel.
std::map<std::string, std::string> classes_of(const EventTable& trace) {
    std::map<std::string, std::string> classes;
    for (const ClassifiedKernel& one : classify(trace, PatternTable(), nullptr).kernels) {
        classes[std::string(trace.name_of(one.event))] = class_name(one);
    }
    return classes;
}

TEST(KernelClasses, FramesSayThePhase) {
    const EventTable trace = trace_of(
        frame("schedules.py(1): forward_step", 1, 100, 100) +
        frame("core/optimizer/optimizer.py(4): scale_loss", 1, 150, 20) + kernel("f", 1, 110, 1) +
        kernel("scale", 1, 155, 2) + frame("schedules.py(2): backward_step", 1, 300, 100) +
        kernel("b_main", 1, 310, 3) + kernel("b_autograd", 2, 320, 4) +
        frame("core/recompute.py(3): custom_forward", 1, 340, 20) + kernel("again", 1, 345, 5) +
        kernel("late", 2, 401, 6) + frame("p2p.py(5): send_forward", 1, 410, 10) +
        kernel("ncclSend", 1, 411, 7) + frame("optimizer.py(6): step", 1, 500, 50) +
        kernel("adam", 1, 510, 8) + set("Memset (Device)", 1, 520, 9) + last);
    EXPECT_EQ(classes_of(trace),
              (std::map<std::string, std::string>{{"f", "fwd_computation"},
                                                  {"scale", "fwd_computation"},
                                                  {"b_main", "bwd_computation"},
                                                  {"b_autograd", "bwd_computation"},
                                                  {"again", "recompute_computation"},
                                                  {"late", "other_computation"},
                                                  {"ncclSend", "pipeline_pp_communication"},
                                                  {"adam", "optimizer_computation"},
                                                  {"Memset (Device)", "optimizer_memory"}}));
}

TEST(KernelClasses, CombinedStepsCountInnermost) {
    const EventTable trace =
        trace_of(frame("combined_1f1b.py(1): combined_forward_backward_step", 1, 100, 100) +
                 frame("combined_1f1b.py(9): forward_step", 1, 110, 20) + kernel("f", 1, 115, 1) +
                 kernel("b", 1, 150, 2) + last);
    EXPECT_EQ(classes_of(trace), (std::map<std::string, std::string>{{"f", "fwd_computation"},
                                                                     {"b", "bwd_computation"}}));
}

TEST(KernelClasses, DescriptionsNamesAndRanksSayTheDimension) {
    const auto args = [](const std::string& name, const std::string& description,
                         const std::string& ranks) {
        return R"(, "Collective name": "allreduce", "Process Group Name": ")" + name +
               R"(", "Process Group Description": ")" + description +
               R"(", "Process Group Ranks": ")" + ranks + "\"";
    };
    const EventTable trace = trace_of(
        kernel("nccl_described", 1, 10, 1, args("9", "EXPERT_MODEL_PARALLEL_GROUP", "[]")) +
            kernel("nccl_named", 1, 20, 2, args("3", "undefined", "[0, ...]")) +
            kernel("nccl_listed", 1, 30, 3, args("77", "undefined", "[4, 0]")) +
            kernel("nccl_world", 1, 40, 4, args("78", "undefined", "[0, 1, 2, 3, 4, 5, 6, 7]")) +
            kernel("nccl_strange", 1, 50, 5, args("79", "undefined", "[0, 3]")) +
            kernel("custom_all_reduce", 1, 60, 6, args("9", "CONTEXT_PARALLEL_GROUP", "[0, 1]")) +
            last,
        R"("distributedInfo": {"rank": 0, "world_size": 8, "pg_config": [
           {"pg_name": "3", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "pg_size": 2,
            "ranks": [0, 1]},
           {"pg_name": "4", "pg_desc": "DATA_PARALLEL_GROUP", "pg_size": 2, "ranks": [0, 4]}]},)");
    EXPECT_EQ(classes_of(trace), (std::map<std::string, std::string>{
                                     {"nccl_described", "other_ep_communication"},
                                     {"nccl_named", "other_tp_communication"},
                                     {"nccl_listed", "other_dp_communication"},
                                     {"nccl_world", "other_world_communication"},
                                     {"nccl_strange", "other_unknown_communication"},
                                     {"custom_all_reduce", "other_cp_communication"}}));
}

TEST(KernelClasses, ArgumentsMayStandOnTheOperation) {
    // RCCL's kernels have no arguments: those of the operation around the launch count.
    const EventTable trace = trace_of(
        R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 5,
            "dur": 20, "args": {"External id": 1, "Collective name": "allreduce",
            "Process Group Description": "TENSOR_MODEL_PARALLEL_GROUP"}},)" +
        kernel("ncclDevKernel_Generic", 1, 10, 1) + last);
    const KernelClasses classes = classify(trace, PatternTable(), nullptr);
    ASSERT_EQ(classes.kernels.size(), 1U);
    EXPECT_EQ(class_name(classes.kernels[0]), "other_tp_communication");
    ASSERT_NE(classes.kernels[0].collective, nullptr);
    EXPECT_EQ(trace.strings[classes.kernels[0].collective->collective], "allreduce");
}

TEST(KernelClasses, AutogradSaysThePhaseWithoutFrames) {
    const EventTable trace = trace_of(
        R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10,
            "dur": 20, "args": {"Sequence number": 4}},
           {"ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: MmBackward0",
            "pid": 1, "tid": 2, "ts": 50, "dur": 20, "args": {"Sequence number": 4}},
           {"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#Adam.step", "pid": 1,
            "tid": 1, "ts": 90, "dur": 20},)" +
        kernel("f", 1, 12, 1) + kernel("b", 2, 55, 2) + kernel("o", 1, 95, 3) +
        kernel("x", 1, 150, 4) + last);
    const KernelClasses classes = classify(trace, PatternTable(), nullptr);
    EXPECT_EQ(classes.source, PhaseSource::Autograd);
    EXPECT_EQ(classes_of(trace), (std::map<std::string, std::string>{{"f", "fwd_computation"},
                                                                     {"b", "bwd_computation"},
                                                                     {"o", "optimizer_computation"},
                                                                     {"x", "other_computation"}}));
}

// An event of Kineto's category kernel is neither a copy nor a set, regardless of its name (vLLM
// has a Triton kernel of that name), and a set named like a kernel is not a kernel. TraceViz and
// patterns given by the user go by name.
TEST(KernelClasses, TheCategoryComesBeforeTheName) {
    const EventTable trace = trace_of(kernel("_combined_routing_memset", 1, 100, 1) +
                                      set("gemm_nccl", 1, 200, 2) + last);
    EXPECT_EQ(classes_of(trace),
              (std::map<std::string, std::string>{{"_combined_routing_memset", "other_computation"},
                                                  {"gemm_nccl", "other_memory"}}));
    const test::TemporaryFolder folder;
    PatternTable given;
    given.read(folder.write("patterns.json", R"({"kernel_mem+": ["*_routing_*"]})"));
    for (const PatternTable& names : {PatternTable::of_traceviz(), given}) {
        for (const ClassifiedKernel& one : classify(trace, names, nullptr).kernels) {
            EXPECT_EQ(class_name(one), "other_memory");
        }
    }
}

TEST(KernelClasses, KernelsWithoutTheirLaunchAreKept) {
    const EventTable trace =
        trace_of(R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3, "dur": 1,
                     "args": {"correlation": 8}},)" +
                 last);
    const KernelClasses classes = classify(trace, PatternTable(), nullptr);
    EXPECT_EQ(classes.without_launch, 1U);
    ASSERT_EQ(classes.kernels.size(), 1U);
    EXPECT_EQ(class_name(classes.kernels[0]), "other_computation");
    EXPECT_EQ(classes.source, PhaseSource::Nothing);
}

/// The phases that the reference's tables give a kernel.
std::map<EventId, std::set<KernelPhase>> reference_phases(const EventTable& trace) {
    const std::map<KernelTable, KernelPhase> phase_of = {
        {KernelTable::BackwardCommunication, KernelPhase::Backward},
        {KernelTable::BackwardComputation, KernelPhase::Backward},
        {KernelTable::ForwardCommunication, KernelPhase::Forward},
        {KernelTable::ForwardComputation, KernelPhase::Forward},
        {KernelTable::BackwardCommunicationRecompute, KernelPhase::Recompute},
        {KernelTable::BackwardComputationRecompute, KernelPhase::Recompute},
        {KernelTable::OptimizerComputation, KernelPhase::Optimizer},
        {KernelTable::PipelineCommunication, KernelPhase::Pipeline}};
    const ReferenceView view = overlapping_tables(trace, PatternTable::of_traceviz());
    std::map<EventId, std::set<KernelPhase>> phases;
    for (const auto& [table, phase] : phase_of) {
        for (const TableRow& row : view.tables[static_cast<std::size_t>(table)]) {
            phases[row.kernel].insert(phase);
        }
    }
    for (auto& [event, of] : phases) {
        // The tables of recomputation are part of those of the backward step, and the optimizer's
        // of a scaled loss of the forward step's.
        if (of.contains(KernelPhase::Recompute)) {
            of.erase(KernelPhase::Backward);
        }
        if (of.contains(KernelPhase::Forward)) {
            of.erase(KernelPhase::Optimizer);
        }
    }
    return phases;
}

class KernelClassesOf : public testing::TestWithParam<std::string> {};

TEST_P(KernelClassesOf, AgreeWithTheReferenceWhereItHasOne) {
    const fs::path folder = shared / "data/profiler" / GetParam();
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const auto groups = profiles::read_parallel_groups(
        profiles::find_parallel_groups(folder / "iteration_15").path);
    std::size_t ranks = 0;
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(folder / "iteration_15")) {
        if (entry.path().extension() != ".json") {
            continue;
        }
        SCOPED_TRACE(entry.path());
        ++ranks;
        const EventTable trace = profiles::read_profile(entry.path());
        const auto phases = reference_phases(trace);
        const KernelClasses classes = classify(trace, PatternTable(), &groups);
        std::set<EventId> seen;
        for (const ClassifiedKernel& one : classes.kernels) {
            EXPECT_TRUE(seen.insert(one.event).second);
            const auto expected = phases.find(one.event);
            if (expected != phases.end()) {
                EXPECT_EQ(expected->second, std::set<KernelPhase>{one.phase})
                    << trace.name_of(one.event) << " " << class_name(one);
                ++compared;
            }
        }
        EXPECT_EQ(classes.forward_steps, 2);
        EXPECT_EQ(classes.backward_steps, 2);
        EXPECT_EQ(classes.without_dimension, 0U);
    }
    EXPECT_EQ(ranks, 4U);
    EXPECT_GT(compared, 50U);
}

INSTANTIATE_TEST_SUITE_P(EveryCase, KernelClassesOf,
                         testing::Values("pp2tp2dp1mb2", "pp2tp1dp2mb2"));

TEST(KernelClasses, RealProfilesHaveEveryKernelOnce) {
    const fs::path folder = shared / "data/pytorch/kineto";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const EventTable trace =
        profiles::read_profile(folder / "nccl_parser_config__nccl_data.json.gz");
    const KernelClasses classes = classify(trace, PatternTable(), nullptr);
    EXPECT_EQ(classes.source, PhaseSource::Autograd);
    std::map<std::string, int> counts;
    int collectives = 0;
    for (const ClassifiedKernel& one : classes.kernels) {
        ++counts[std::string(class_name(one))];
        if (one.kind == KernelKind::Communication) {
            EXPECT_EQ(one.dimension, ParallelDimension::World);
            ++collectives;
        }
    }
    // 2700 kernels (21 of them NCCL's) and 1074 copies and sets, as another reader counted.
    EXPECT_EQ(classes.kernels.size(), 2700U + 1074U);
    EXPECT_EQ(collectives, 21);
    EXPECT_GT(counts["bwd_computation"], 0);
    EXPECT_GT(counts["fwd_computation"], 0);
}

}  // namespace
}  // namespace npunet::analysis
