// simulate --dry-run: what a run costs, from its first seconds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/bad_input.h"

namespace npunet::cli::dry_run_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class DryRun : public BadInput {
protected:
    void SetUp() override {
        BadInput::SetUp();
        all_reduce_traces(2);
    }
    [[nodiscard]] Outcome asked(std::vector<std::string> more) {
        std::vector<std::string> arguments{"simulate",   "--workload",      path("w"),
                                           "--network",  path("ring2.yml"), "--quiet",
                                           "--fidelity", "packet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
};

// A short run comes to its end: its figures are those of the run, and nothing is written.
TEST_F(DryRun, TellsAShortRunWhole) {
    const Json whole = Json::parse(asked({"--json"}).out);
    const Outcome outcome = asked({"--dry-run", "--json", "--output-dir", path("out")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const Json cost = Json::parse(outcome.out);
    EXPECT_EQ(cost["npus"], 2);
    EXPECT_EQ(cost["collectives"], 1);
    EXPECT_EQ(cost["messages"], 0);
    EXPECT_EQ(cost["share"], 1);
    EXPECT_EQ(cost["simulated_ns"], whole["finish_ns"]);
    EXPECT_EQ(cost["packet_hops"], whole["performance"]["packet_hops"]);
    EXPECT_EQ(cost["whole_packet_hops"], cost["packet_hops"]);
    EXPECT_EQ(cost["whole_seconds"], cost["seconds"]);
    EXPECT_FALSE(std::filesystem::exists(path("out")));
    EXPECT_THAT(
        asked({"--dry-run"}).out,
        AllOf(HasSubstr("dry run, packet: NPUs 2, collectives 1, point-to-point messages 0, "),
              HasSubstr("the whole run: ")));
}

// 1000 times 1 GiB packet by packet take ten times as long as the cut: of two NPUs each sends half
// of the buffer twice, in packets of 4096 bytes over one link.
TEST_F(DryRun, TellsALongRunFromItsBeginning) {
    ASSERT_EQ(run({"generate", "collective", "--type", "all_reduce", "--size", "1GiB", "--npus",
                   "2", "--repeat", "1000", "--output-dir", path("long")})
                  .code,
              0);
    const Outcome outcome = run({"simulate", "--workload", path("long/workload"), "--network",
                                 path("ring2.yml"), "--fidelity", "packet", "--no-trains",
                                 "--quiet", "--dry-run", "--max-wall-time", "500ms", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const Json cost = Json::parse(outcome.out);
    const double bytes = 2.0 * 1000 * (1 << 30);
    EXPECT_EQ(cost["bytes_to_send"], bytes);
    EXPECT_GT(cost["share"], 0);
    EXPECT_LT(cost["share"], 1);
    EXPECT_GT(cost["whole_seconds"], cost["seconds"]);
    EXPECT_NEAR(cost["whole_packet_hops"].get<double>() / (bytes / 4096), 1, 0.1);
}

TEST_F(DryRun, RefusesWhatItDoesNotGoWith) {
    const auto error_of = [&](std::vector<std::string> more) {
        more.emplace_back("--dry-run");
        const Outcome outcome = asked(std::move(more));
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        return outcome.log;
    };
    EXPECT_THAT(error_of({"--what-if"}), HasSubstr("--dry-run beside --what-if"));
    EXPECT_THAT(error_of({"--max-sim-time", "1us"}), HasSubstr("--dry-run beside --max-sim-time"));
    EXPECT_THAT(error_of({"--simulator", "ns3"}), HasSubstr("--dry-run beside --simulator ns3"));
    EXPECT_THAT(error_of({"--messages", "--output-dir", path("out")}),
                HasSubstr("--dry-run beside --messages"));
    const Outcome jobs = run(
        {"simulate", "--jobs-file", path("jobs.yml"), "--network", path("ring2.yml"), "--dry-run"});
    EXPECT_EQ(jobs.code, 2);
    EXPECT_THAT(jobs.log, HasSubstr("--dry-run beside --jobs-file"));
}

}  // namespace
}  // namespace npunet::cli::dry_run_test
