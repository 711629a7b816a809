// Profiles that lack something: each says what it means for the result.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/analyze_folder.h"

namespace npunet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AnalyzeInput : public AnalyzeTest {
protected:
    [[nodiscard]] Outcome analyze(const std::vector<std::string>& options = {}) const {
        std::vector<std::string> arguments = {"analyze", folder_.path().string()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run(arguments);
    }
    void write_both() const {
        write("iteration_3/rank_0.json", example(0));
        write("iteration_3/rank_1.json", example(1));
    }
};

TEST_F(AnalyzeInput, AnEmptyFolderIsRefused) {
    const Outcome outcome = analyze();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("no profiles"), HasSubstr("docs/profiles.md")));
    EXPECT_EQ(run("analyze /nonexistent").code, 2);
    EXPECT_EQ(run("analyze").code, 2);
}

TEST_F(AnalyzeInput, WithoutPythonStacksMicroBatchesAreNotKnown) {
    std::string text = example(0);
    for (std::size_t at = text.find("_step\""); at != std::string::npos;
         at = text.find("_step\"")) {
        text.replace(at, 5, "_call");
    }
    write("rank_0.json", text);
    const Outcome outcome = analyze();
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("with_stack=True"), HasSubstr("bwd_computation"),
                                   ::testing::Not(HasSubstr("Micro-batches ("))));
}

TEST_F(AnalyzeInput, AMissingRankLeavesItsGroupsOut) {
    write("iteration_3/rank_0.json", example(0));
    const Outcome outcome = analyze();
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("1 of 2 ranks have no profile (1)"), HasSubstr("(incomplete)")));
}

TEST_F(AnalyzeInput, UnequalIterationsAreSaid) {
    std::string text = example(1);
    const std::size_t at = text.find("forward_step");
    text.replace(at, 12, "forward_pass");
    write("rank_0.json", example(0));
    write("rank_1.json", text);
    const Outcome outcome = analyze();
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, HasSubstr("ranks have unequal numbers of micro-batches: 1 forward and "
                                       "2 backward on 1 rank (rank 1)"));
}

TEST_F(AnalyzeInput, HalfAFileIsUsedAndSaid) {
    write_both();
    const std::string text = example(0);
    write("iteration_3/rank_0.json", text.substr(0, text.size() / 2));
    const Outcome outcome = analyze();
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, HasSubstr("rank 0: the file ends before its end"));
    const Outcome strict = analyze({"--strict"});
    EXPECT_EQ(strict.code, 2);
    EXPECT_THAT(strict.log, HasSubstr("the file ends here"));
}

/// The example without its rank.
std::string without_rank(std::string text) {
    const std::string key = "\"distributedInfo\"";
    text.replace(text.find(key), key.size(), "\"otherInfo\"");
    return text;
}

// A single profile is the whole run, whose ranks count from 0.
TEST_F(AnalyzeInput, AProfileAloneIsRankZero) {
    write("kineto.json", without_rank(example(1)));
    for (const std::string& given : {path("kineto.json"), folder_.path().string()}) {
        const Outcome outcome = run({"analyze", given, "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.log;
        const auto ranks = nlohmann::json::parse(outcome.out)["ranks"];
        ASSERT_EQ(ranks.size(), 1U);
        EXPECT_EQ(ranks[0]["rank"], 0);
    }
    EXPECT_EQ(
        run({"analyze", path("kineto.json"), "--dialect", "traceviz", "--output-dir", path("out")})
            .code,
        0);
    EXPECT_TRUE(
        std::filesystem::exists(folder_ / "out/kineto_kernel_analysis/Rank0_statistics.csv"));
    EXPECT_EQ(
        run({"analyze", folder_.path().string(), "--arrange", "--output-dir", path("links")}).code,
        0);
}

// File names without ranks: the profiles have them inside. Other JSON files in the folder are
// ignored.
TEST_F(AnalyzeInput, TheRankInsideCountsWhereTheNameHasNone) {
    write("llama-TP-0.trace.json", example(1));
    write("kineto_0.json", example(0));
    write("results.json", R"({"finish_ns": 1})");
    const Outcome outcome = analyze({"--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const auto ranks = nlohmann::json::parse(outcome.out)["ranks"];
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_EQ(ranks[0]["rank"], 0);
    EXPECT_EQ(ranks[1]["rank"], 1);
    EXPECT_THAT(ranks[1]["file"].get<std::string>(), HasSubstr("llama-TP-0"));

    write("merged.json", without_rank(example(0)));
    const Outcome refused = analyze();
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, AllOf(HasSubstr("merged.json"), HasSubstr("does not say its rank"),
                                   HasSubstr("--pattern")));
}

TEST_F(AnalyzeInput, TwoProfilesOfARankAreRefused) {
    write_both();
    write("iteration_3/rank-1.json", example(1));
    const Outcome outcome = analyze({"--output-dir", path("out")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log,
                AllOf(HasSubstr("a second profile of rank 1"), HasSubstr("--pattern")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(AnalyzeInput, OptionsThatMeanNothingAreRefused) {
    write_both();
    EXPECT_THAT(analyze({"--format", "csv"}).log, HasSubstr("--output-dir"));
    EXPECT_THAT(analyze({"--format", "xml", "--output-dir", path("o")}).log, HasSubstr("'xml'"));
    EXPECT_THAT(analyze({"--kernels"}).log, HasSubstr("--dialect traceviz --json"));
    EXPECT_THAT(analyze({"--arrange"}).log, HasSubstr("--output-dir"));
    EXPECT_THAT(analyze({"--files", "fwd_computation"}).log, HasSubstr("--dialect traceviz"));
    EXPECT_THAT(analyze({"--dialect", "traceviz", "--files", "fwd_computatio.parquet"}).log,
                HasSubstr("Did you mean fwd_computation?"));
}

}  // namespace
}  // namespace npunet::cli
