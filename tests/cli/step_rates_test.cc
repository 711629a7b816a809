// Tokens a second and MFU where the model and the plan of a run are known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StepRatesTest : public testing::Test {
protected:
    StepRatesTest() {
        folder_.write("ring.yml",
                      "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n");
        folder_.write("peak.json",
                      R"({"roofline-enabled": 1, "peak-perf": 312, "local-mem-bw": 2039})");
        folder_.write("device.json", R"({"device": "h100-sxm5-80gb"})");
    }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::string machine(const std::string& system) const {
        return " --network " + path("ring.yml") + " --system " + path(system) + " ";
    }
    [[nodiscard]] static json results_of(const std::string& line) {
        const Outcome outcome = run(line + " --json --quiet");
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        return json::parse(outcome.out);
    }

    const std::string step_ = "--model llama2-4layer --dp 2 --tp 2 --batch 4 --seq 64";

private:
    test::TemporaryFolder folder_;
};

TEST_F(StepRatesTest, AreThoseOfTheFinish) {
    const json results = results_of("simulate " + step_ + machine("peak.json"));
    const double seconds = results["finish_ns"].get<double>() / 1e9;
    EXPECT_NEAR(results["tokens_per_s"].get<double>() * seconds, 256, 1e-6);
    EXPECT_NEAR(results["samples_per_s"].get<double>() * seconds, 4, 1e-6);
    EXPECT_NEAR(results["mfu_percent"].get<double>(),
                results["model_tflops_per_npu"].get<double>() / 3.12, 1e-9);
    EXPECT_GT(results["mfu_palm_percent"], results["mfu_percent"]);
    EXPECT_EQ(results["peak_tflops_per_npu"], 312);
    EXPECT_EQ(results["peak_source"], "peak-perf of system.json");
    const json device = results_of("simulate " + step_ + machine("device.json"));
    EXPECT_EQ(device["peak_source"], "bf16 of h100-sxm5-80gb");
    EXPECT_LT(device["mfu_percent"], 100);
    const json decode =
        results_of("simulate --model llama2-4layer --mode decode --batch 8 --micro-batch 2 --dp 4" +
                   machine("peak.json"));
    EXPECT_EQ(decode["tokens_per_s"], decode["samples_per_s"]);
}

TEST_F(StepRatesTest, AreOnScreenAndInReports) {
    const std::string line =
        "simulate " + step_ + machine("peak.json") + "--output-dir " + path("out");
    const Outcome outcome = run(line);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("tokens/s"), HasSubstr("% of 312 TFLOP/s (peak-perf of")));
    EXPECT_THAT(test::bytes_of(path("out/report.html")), HasSubstr("Tokens per second"));
    const Outcome again = run("report " + path("out") + " --output-dir " + path("again"));
    EXPECT_EQ(again.code, 0) << again.log;
    EXPECT_THAT(test::bytes_of(path("again/report.html")), HasSubstr("Tokens per second"));
    const Outcome both = run("compare " + step_ + machine("peak.json"));
    EXPECT_THAT(both.out, AllOf(HasSubstr("analytical step: "), HasSubstr("packet step: ")));
}

// Of traces, and of a part of a step.
TEST_F(StepRatesTest, AreLeftOutWhereTheyAreNotKnown) {
    ASSERT_EQ(run("generate transformer " + step_ + " --output-dir " + path("traces")).code, 0);
    EXPECT_FALSE(results_of("simulate --workload " + path("traces/workload") + " --comm-group " +
                            path("traces/comm_group.json") + machine("peak.json"))
                     .contains("tokens_per_s"));
    const Outcome part =
        run("simulate " + step_ + machine("peak.json") + "--json --quiet --max-sim-time 1us");
    EXPECT_TRUE(json::parse(part.out).contains("partial")) << part.log;
    EXPECT_FALSE(json::parse(part.out).contains("tokens_per_s"));
}

}  // namespace
}  // namespace npunet::cli
