// What makes the packet level fast changes nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/systems.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PacketSpeed : public ::testing::Test {
protected:
    void SetUp() override {
        folder_.write("torus.yml",
                      "topology: [Ring, Ring]\nnpus_count: [8, 8]\nbandwidth: [50, 50]\n"
                      "latency: [500, 500]\n");
        folder_.write("rings.json", test::plain_rings);
        const Outcome made =
            run("generate collective --type all_to_all --size 2MiB --npus 64 "
                "--output-dir " +
                (folder_ / "traces").string());
        ASSERT_EQ(made.code, 0) << made.log;
    }

    [[nodiscard]] Outcome simulate(const std::string& options) const {
        return run("simulate --workload " + (folder_ / "traces/workload").string() + " --network " +
                   (folder_ / "torus.yml").string() + " --system " +
                   (folder_ / "rings.json").string() + " --fidelity packet --quiet --json " +
                   options);
    }

    test::TemporaryFolder folder_;
};

// In a dimension every NPU has a share of 64 packets for each of the seven others, 1 to 7 links
// away. 128 links send 6 packets each in a window of 500 ns: enough for threads.
TEST_F(PacketSpeed, ChangesNoResult) {
    const auto results = [this](const std::string& options) {
        const Outcome outcome = simulate(options);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        nlohmann::json json = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(json["performance"]["packet_hops"], 64 * 2 * (7 * 8 / 2) * 64) << options;
        json.erase("performance");
        return json;
    };
    const nlohmann::json expected = results("--no-fast-forward");
    for (const std::string options : {"", "--jobs 2", "--jobs 2 --no-trains", "--jobs 64"}) {
        EXPECT_EQ(results(options), expected) << options;
    }
}

TEST_F(PacketSpeed, RefusesNumbersOfThreadsThatCannotBe) {
    for (const std::string number : {"0", "65", "-1", "two"}) {
        const Outcome outcome = simulate("--jobs " + number);
        EXPECT_EQ(outcome.code, 2) << number;
        EXPECT_THAT(outcome.log, HasSubstr("--jobs")) << number;
        EXPECT_THAT(outcome.log, HasSubstr(number)) << number;
    }
}

TEST_F(PacketSpeed, SaysWhereAnOptionHasNoEffect) {
    const auto log = [this](const std::string& options) {
        const Outcome outcome =
            run("simulate --workload " + (folder_ / "traces/workload").string() + " --network " +
                (folder_ / "torus.yml").string() + options);
        EXPECT_EQ(outcome.code, 0) << options << outcome.log;
        return outcome.log;
    };
    const std::string all = " --no-fast-forward --no-fold --jobs 2";
    EXPECT_THAT(log(all), AllOf(HasSubstr("warning: --no-fast-forward has no effect at fidelity "
                                          "analytical: it is for fluid and packet"),
                                HasSubstr("warning: --jobs has"), Not(HasSubstr("--no-fold has"))));
    EXPECT_THAT(log(all + " --fidelity packet"),
                AllOf(HasSubstr("--no-fold has no effect at fidelity packet: it is for analytical"),
                      Not(HasSubstr("--jobs has")), Not(HasSubstr("--no-fast-forward has"))));
    EXPECT_THAT(log(" --fidelity congestion-aware"), Not(HasSubstr("no effect")));
    EXPECT_THAT(log(" --fidelity congestion-aware --jobs 2 --quiet"), Not(HasSubstr("no effect")));
}

}  // namespace
}  // namespace npunet::cli
