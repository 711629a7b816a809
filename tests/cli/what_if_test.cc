// simulate --what-if: what faster parts would bring, on the screen and in results.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/bad_input.h"

namespace npunet::cli::what_if_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

class WhatIf : public BadInput {
protected:
    void SetUp() override {
        BadInput::SetUp();
        write("fast.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [100]\nlatency: [500]\n");
        write("near.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [250]\n");
        all_reduce_traces(2);
    }
    [[nodiscard]] Json json_of(const std::string& network, std::vector<std::string> more = {}) {
        const Outcome outcome = asked(network, std::move(more), "--json");
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        return Json::parse(outcome.out);
    }
    [[nodiscard]] Outcome asked(const std::string& network, std::vector<std::string> more,
                                const std::string& shown = "--quiet") {
        std::vector<std::string> arguments{"simulate",  "--workload",  path("w"),
                                           "--network", path(network), shown};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
};

// A line has the step time of a run with the network that it speaks of.
TEST_F(WhatIf, LinesAreRunsOfTheirOwn) {
    for (const std::string fidelity : {"analytical", "fluid", "packet"}) {
        const Json what_if =
            json_of("ring2.yml", {"--fidelity", fidelity, "--what-if", "--jobs", "2"})["what_if"];
        ASSERT_EQ(what_if.size(), 3U);
        EXPECT_EQ(what_if[0]["part"], "link_rate");
        EXPECT_EQ(what_if[0]["finish_ns"],
                  json_of("fast.yml", {"--fidelity", fidelity})["finish_ns"]);
        EXPECT_EQ(what_if[1]["part"], "latency");
        EXPECT_EQ(what_if[1]["finish_ns"],
                  json_of("near.yml", {"--fidelity", fidelity})["finish_ns"]);
        EXPECT_EQ(what_if[2]["part"], "compute");
        EXPECT_EQ(what_if[2]["change_percent"], 0);
    }
}

// Nothing else of the results changes, and the folder has what the screen has.
TEST_F(WhatIf, AddsToTheResultsOnly) {
    Json with = json_of("ring2.yml", {"--what-if"});
    Json without = json_of("ring2.yml");
    EXPECT_TRUE(with.contains("what_if"));
    EXPECT_FALSE(without.contains("what_if"));
    with.erase("performance");
    without.erase("performance");
    Json rest = with;
    rest.erase("what_if");
    EXPECT_EQ(rest, without);
    const Outcome outcome = simulate("ring2.yml", {"--what-if"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("then bound by"), HasSubstr("link rate x 2"),
                                   HasSubstr("latencies / 2"), HasSubstr("compute x 2")));
    EXPECT_EQ(Json::parse(test::bytes_of(folder_ / "out/results.json"))["what_if"],
              with["what_if"]);
    EXPECT_THAT(simulate("ring2.yml").out, Not(HasSubstr("then bound by")));
}

// --jobs is what runs at a time, and needs no packets.
TEST_F(WhatIf, TakesJobsAtEveryFidelity) {
    const Outcome outcome = simulate("ring2.yml", {"--what-if", "--jobs", "2"});
    EXPECT_THAT(outcome.log, Not(HasSubstr("--jobs has no effect")));
    EXPECT_THAT(simulate("ring2.yml", {"--jobs", "2"}).log, HasSubstr("--jobs has no effect"));
}

TEST_F(WhatIf, RefusesWhatItDoesNotGoWith) {
    const auto error_of = [&](std::vector<std::string> more) {
        more.emplace_back("--what-if");
        const Outcome outcome = asked("ring2.yml", std::move(more));
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        return outcome.log;
    };
    EXPECT_THAT(error_of({"--max-sim-time", "1us"}), HasSubstr("--what-if beside --max-sim-time"));
    EXPECT_THAT(error_of({"--max-wall-time", "1s"}), HasSubstr("--what-if beside --max-wall-time"));
    EXPECT_THAT(error_of({"--simulator", "ns3", "--fidelity", "packet"}),
                HasSubstr("--what-if beside --simulator ns3"));
    EXPECT_THAT(error_of({"--dialect", "astra-sim"}), HasSubstr("--dialect astra-sim"));
    const Outcome jobs = run(
        {"simulate", "--jobs-file", path("jobs.yml"), "--network", path("ring2.yml"), "--what-if"});
    EXPECT_EQ(jobs.code, 2);
    EXPECT_THAT(jobs.log, HasSubstr("--what-if beside --jobs-file"));
}

}  // namespace
}  // namespace npunet::cli::what_if_test
