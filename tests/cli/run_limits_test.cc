// Runs that are broken off: by a limit of simulated time or of the user's own, or by a signal.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/systems.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::HasSubstr;

class RunLimitsTest : public testing::Test {
protected:
    RunLimitsTest() {
        // 8 ranks, 3 all-reduces one after the other.
        EXPECT_EQ(run("generate collective --type all_reduce --size 8MB --npus 8 --repeat 3 "
                      "--output-dir " +
                      path("traces"))
                      .code,
                  0);
        folder_.write("rings.json", test::plain_rings);
        folder_.write("ring.yml",
                      "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n");
    }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::string simulate(const std::string& more) const {
        return "simulate --workload " + path("traces/workload") + " --network " + path("ring.yml") +
               " --system " + path("rings.json") + " --json --quiet " + more;
    }

private:
    test::TemporaryFolder folder_;
};

TEST_F(RunLimitsTest, WhatHadHappenedIsReportedAsPartial) {
    for (const std::string fidelity : {"analytical", "congestion-aware", "packet"}) {
        const nlohmann::json whole =
            nlohmann::json::parse(run(simulate("--fidelity " + fidelity)).out);
        const double finish = whole["finish_ns"];
        ASSERT_FALSE(whole.contains("partial"));
        // In the middle of the second one: 280 us each, and latencies.
        const Outcome outcome = run(simulate("--max-sim-time 400us --fidelity " + fidelity));
        EXPECT_EQ(outcome.code, 3) << outcome.log;
        EXPECT_THAT(outcome.log, HasSubstr("the simulated time has come to 400.0 us"));
        EXPECT_THAT(outcome.log, HasSubstr("8 of 24 nodes done"));
        const nlohmann::json partial = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(partial["partial"]["nodes_done"], 8);
        EXPECT_EQ(partial["partial"]["nodes"], 24);
        EXPECT_EQ(partial["finish_ns"], 400'000);
        EXPECT_GT(finish, 800'000);
        ASSERT_EQ(partial["collectives"].size(), 1);
        EXPECT_EQ(partial["collectives"][0], whole["collectives"][0]);
        ASSERT_EQ(partial["npus"].size(), 8U);
        for (const nlohmann::json& npu : partial["npus"]) {
            EXPECT_EQ(npu["finish_ns"], 400'000);
            EXPECT_EQ(npu["exposed_comm_ns"], 400'000);
        }
    }
}

TEST_F(RunLimitsTest, ALimitThatIsNotReachedChangesNothing) {
    nlohmann::json without = nlohmann::json::parse(run(simulate("--fidelity packet")).out);
    const Outcome outcome =
        run(simulate("--fidelity packet --max-sim-time 10ms --max-wall-time 1000s"));
    EXPECT_EQ(outcome.code, 0);
    nlohmann::json with = nlohmann::json::parse(outcome.out);
    without.erase("performance");
    with.erase("performance");
    EXPECT_EQ(with, without);
}

TEST_F(RunLimitsTest, WallTime) {
    // The clock is read every few thousand events, and these are half a million.
    ASSERT_EQ(run("generate collective --type all_reduce --size 80KB --npus 8 --repeat 300 "
                  "--output-dir " +
                  path("many"))
                  .code,
              0);
    const Outcome outcome =
        run("simulate --workload " + path("many/workload") + " --network " + path("ring.yml") +
            " --quiet --fidelity packet --no-fast-forward --max-wall-time 1ns --output-dir " +
            path("results"));
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.log, HasSubstr("the run has taken"));
    std::ifstream file(path("results/results.json"));
    const nlohmann::json results = nlohmann::json::parse(file);
    EXPECT_LT(results["partial"]["nodes_done"], results["partial"]["nodes"]);
}

// 1 TB around a ring, packet by packet: 30 million packets per message without any other event. If
// the limit is not checked in between, this takes minutes.
TEST_F(RunLimitsTest, WallTimeInTheMiddleOfHugeMessages) {
    ASSERT_EQ(run("generate collective --type all_reduce --size 1TB --npus 8 --output-dir " +
                  path("huge"))
                  .code,
              0);
    const Outcome outcome =
        run("simulate --workload " + path("huge/workload") + " --network " + path("ring.yml") +
            " --quiet --fidelity packet --no-fast-forward --max-wall-time 100ms --output-dir " +
            path("results"));
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.log, HasSubstr("the run has taken"));
    const nlohmann::json results =
        nlohmann::json::parse(test::bytes_of(path("results/results.json")));
    EXPECT_EQ(results["partial"]["nodes_done"], 0);
    EXPECT_GT(results["finish_ns"], 0);
}

// 1 GB round a ring, packet by packet: 2.4 million packet-hops a collective, of 3000.
TEST_F(RunLimitsTest, CtrlCLeavesPartialResults) {
    ASSERT_EQ(run("generate collective --type all_reduce --size 1GB --npus 8 --repeat 3000 "
                  "--output-dir " +
                  path("long"))
                  .code,
              0);
    // timeout itself ends with 124 where the program has come to its end on the signal. On a busy
    // machine the program may take long to begin; the signal ends it without a word until then.
    for (const int seconds : {2, 8, 32}) {
        const std::string command = fmt::format(
            "timeout -s INT {} {} simulate --workload {} --network {} "
            "--fidelity packet --no-fast-forward --output-dir {} > {} 2> {}",
            seconds, NPUNET_PROGRAM, path("long/workload"), path("ring.yml"), path("broken"),
            path("out"), path("log"));
        const int status = std::system(command.c_str());
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 124);
        if (!test::bytes_of(path("log")).empty()) {
            break;
        }
    }
    EXPECT_THAT(test::bytes_of(path("log")), HasSubstr("npunet: stopped: interrupted by signal 2"));
    std::ifstream file(path("broken/results.json"));
    const nlohmann::json results = nlohmann::json::parse(file);
    EXPECT_EQ(results["partial"]["reason"], "interrupted by signal 2");
    EXPECT_EQ(results["partial"]["nodes"], 24000);
}

}  // namespace
}  // namespace npunet::cli
