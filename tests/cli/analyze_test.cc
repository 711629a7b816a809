// npunet analyze, against the files that the reference wrote and against itself.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/analyze_folder.h"
#include "tests/support/shared_data.h"

namespace npunet::cli::analyze_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path reference = fs::path(NPUNET_SHARED_DIR) / "data/profiler";

/// Every CSV of the reference's folders, byte for byte.
TEST_F(AnalyzeTest, WritesTheReferencesTables) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t compared = 0;
    for (const char* name : {"pp2tp2dp1mb2", "pp2tp1dp2mb2", "edge"}) {
        SCOPED_TRACE(name);
        const Outcome outcome = run({"analyze", (reference / name).string(), "--dialect",
                                     "traceviz", "--output-dir", path(name), "--quiet"});
        ASSERT_EQ(outcome.code, 0) << outcome.log;
        for (const auto& entry : fs::recursive_directory_iterator(reference / name)) {
            if (entry.path().extension() == ".csv") {
                const fs::path ours = folder_ / name / fs::relative(entry.path(), reference / name);
                EXPECT_EQ(test::bytes_of(ours), test::bytes_of(entry.path())) << ours;
                ++compared;
            }
        }
    }
    EXPECT_GE(compared, 38U);
    EXPECT_TRUE(fs::exists(folder_ / "pp2tp2dp1mb2/iteration_15/"
                                     "rank_0000_iter_15.pt.trace_kernel_analysis/"
                                     "fwd_computation.parquet"));
}

/// The names of the figures below a folder, without those of the timeline.
std::set<std::string> figures_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "iteration_15")) {
        if (entry.path().extension() == ".png" || entry.path().extension() == ".svg") {
            names.insert(fs::relative(entry.path(), folder / "iteration_15").string());
        }
    }
    return names;
}

TEST_F(AnalyzeTest, WritesTheReferencesFigures) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    for (const std::string alignment : {"global", "individual"}) {
        const Outcome outcome =
            run({"analyze", (reference / "pp2tp2dp1mb2").string(), "--dialect", "traceviz",
                 "--output-dir", path(alignment), "--time-alignment", alignment, "--quiet"});
        ASSERT_EQ(outcome.code, 0) << outcome.log;
        std::set<std::string> expected;
        const auto add = [&](const std::string& name) {
            expected.insert({name + ".png", name + ".svg"});
        };
        for (const std::string rank : {"0", "1", "2", "3"}) {
            const std::string folder = "rank_000" + rank + "_iter_15.pt.trace_kernel_analysis/";
            add(folder + "overlapping_timeline");
            add(folder + "comm_comp_overlap_combined_rank" + rank);
        }
        add("PP_group_0/pp_group_1_ranks_0_2_" + alignment);
        add("PP_group_1/pp_group_2_ranks_1_3_" + alignment);
        add("Model_Group_0/pp_group_0_ranks_0_2");
        add("Model_Group_0/pp_group_1_ranks_1_3");
        add("Model_Group_0/Model_Group_0_all_pp_groups_concatenated");
        add("Model_Group_0/Model_Group_0_all_ranks_combined");
        EXPECT_EQ(figures_in(folder_ / alignment), expected);
    }
    const std::string name = "iteration_15/PP_group_0/pp_group_1_ranks_0_2_";
    EXPECT_NE(test::bytes_of(path("global/" + name + "global.svg")),
              test::bytes_of(path("individual/" + name + "individual.svg")));
}

// Its steps have no communication: neither the ranks' figures nor those of their groups are lost.
TEST_F(AnalyzeTest, DrawsRunsWithoutTensorParallelism) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const Outcome outcome = run({"analyze", (reference / "pp2tp1dp2mb2").string(), "--dialect",
                                 "traceviz", "--output-dir", path("out"), "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(figures_in(folder_ / "out"),
                ::testing::IsSupersetOf({"rank_0000_iter_15.pt.trace_kernel_analysis/"
                                         "comm_comp_overlap_combined_rank0.png",
                                         "PP_group_1/pp_group_2_ranks_1_3_global.png",
                                         "Model_Group_1/Model_Group_1_all_ranks_combined.png"}));
}

TEST_F(AnalyzeTest, GivesTheReferencesKernels) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const fs::path folder = reference / "pp2tp2dp1mb2";
    const Outcome outcome = run({"analyze", "--input", folder.string(), "--dialect", "traceviz",
                                 "--kernels", "--json", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const Json expected = Json::parse(test::bytes_of(folder / "expected_classification.json"));
    const Json json = Json::parse(outcome.out);
    ASSERT_EQ(json["ranks"].size(), 4U);
    for (const Json& rank : json["ranks"]) {
        const std::string name =
            "rank_000" + std::to_string(rank["rank"].get<int>()) + "_iter_15.pt.trace";
        ASSERT_FALSE(expected.at(name).empty());
        for (const auto& [table, kernels] : expected.at(name).items()) {
            EXPECT_EQ(rank["by_class"][table]["kernels"], kernels.size());
            ASSERT_EQ(rank["classes"][table].size(), kernels.size());
            for (std::size_t i = 0; i < kernels.size(); ++i) {
                for (const char* key : {"ts_ns", "dur_ns", "name", "launch"}) {
                    EXPECT_EQ(rank["classes"][table][i][key], kernels[i][key]);
                }
            }
        }
    }
}

TEST_F(AnalyzeTest, IsTheSameForAnyNumberOfThreads) {
    const std::string folder = examples().string();
    const Outcome one = run({"analyze", folder, "--json", "--quiet", "-p", "1"});
    EXPECT_EQ(one.code, 0) << one.log;
    EXPECT_EQ(run({"analyze", folder, "--json", "--quiet", "--jobs", "4"}).out, one.out);
}

// The example's second clock is 25 us ahead, and its kernels last as docs/profiles.md says.
TEST_F(AnalyzeTest, MeasuresTheExample) {
    const Outcome outcome =
        run({"analyze", examples().string(), "--json", "--quiet", "--time-alignment", "corrected"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const Json json = Json::parse(outcome.out);
    ASSERT_EQ(json["ranks"].size(), 2U);
    EXPECT_EQ(json["ranks"][0]["by_class"]["fwd_computation"]["time_ns"], 2 * (150 + 60) * 1000);
    EXPECT_EQ(json["ranks"][1]["micro_batches"].size(), 4U);
    EXPECT_EQ(json["clocks"][1]["offset_ns"], 25'000);
    ASSERT_EQ(json["pipeline_groups"].size(), 1U);
    // Stage 0 from 1030 to 3420, both busy 2 (150 + 60 + 200 + 180) us in it.
    EXPECT_EQ(json["pipeline_groups"][0]["length_ns"], 2'390'000);
    EXPECT_DOUBLE_EQ(json["pipeline_groups"][0]["bubble"].get<double>(),
                     1 - 2 * 1180.0 / (2 * 2390));
    EXPECT_EQ(json["model_groups"][0]["ranks"], (Json{0, 1}));
    EXPECT_TRUE(json["notes"].empty());
}

TEST_F(AnalyzeTest, WritesTablesOfEveryFormat) {
    const Outcome outcome = run({"analyze", examples().string(), "--output-dir", path("out"),
                                 "--format", "csv,parquet,sqlite"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, ::testing::HasSubstr("fwd_computation"));
    EXPECT_THAT(test::bytes_of(folder_ / "out/classes.csv"),
                ::testing::StartsWith("iteration,rank,class,kernels,time_ns\n"
                                      "iteration_3,0,bwd_computation,4,760000\n"));
    EXPECT_TRUE(fs::exists(folder_ / "out/ranks.parquet"));
    EXPECT_THAT(test::bytes_of(folder_ / "out/analysis.db"),
                ::testing::StartsWith("SQLite format 3"));
}

TEST_F(AnalyzeTest, PatternsMoveKernelsBetweenClasses) {
    write("patterns.json", R"({"kernel_comm+": ["*layer_norm*"]})");
    const Outcome outcome = run(
        {"analyze", examples().string(), "--json", "--quiet", "--patterns", path("patterns.json")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const Json classes = Json::parse(outcome.out)["ranks"][0]["by_class"];
    EXPECT_EQ(classes["fwd_computation"]["kernels"], 2);
    EXPECT_EQ(classes["fwd_tp_communication"]["kernels"], 2);
}

TEST_F(AnalyzeTest, ChoosesIterationsAndFiles) {
    for (const char* iteration : {"iteration_1", "iteration_2", "other"}) {
        write(std::string(iteration) + "/rank_0.json", example(0));
        write(std::string(iteration) + "/deep/rank_1.json", example(1));
    }
    const auto ranks = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"analyze", folder_.path().string(), "--json", "--quiet"});
        const Outcome outcome = run(options);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        std::vector<std::string> found;
        const Json json = Json::parse(outcome.out);
        for (const Json& rank : json["ranks"]) {
            found.push_back(rank["iteration"].get<std::string>() + "/" + rank["rank"].dump());
        }
        return found;
    };
    EXPECT_THAT(ranks({}), ::testing::SizeIs(6));
    EXPECT_THAT(
        ranks({"--folders", "iteration_*"}),
        ::testing::ElementsAre("iteration_1/0", "iteration_1/1", "iteration_2/0", "iteration_2/1"));
    EXPECT_THAT(ranks({"--iterations", "iteration_2", "--pattern", "*_1.json"}),
                ::testing::ElementsAre("iteration_2/1"));
    EXPECT_EQ(run({"analyze", folder_.path().string(), "--iterations", "iteration_9"}).code, 2);
}

TEST_F(AnalyzeTest, ArrangesFlatFolders) {
    write("step_7/worker0_x.pt.trace.json", example(0));
    write("step_7/host_812.176.pt.trace.json", example(1));
    const Outcome outcome =
        run({"analyze", path("step_7"), "--arrange", "--output-dir", path("arranged")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, ::testing::StartsWith("2 links in "));
    const fs::path link = folder_ / "arranged/iteration_7/rank_0001_iter_7.pt.trace.json";
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(test::bytes_of(link), example(1));
    EXPECT_EQ(run({"analyze", path("arranged"), "--json", "--quiet"}).code, 0);
}

}  // namespace
}  // namespace npunet::cli::analyze_test
