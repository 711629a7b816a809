// npunet compare when it is stopped: finished fidelities are kept, and no files of an earlier run
// remain.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::HasSubstr;

class CompareStop : public testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    [[nodiscard]] std::string compare(const std::string& workload, const std::string& more) const {
        return fmt::format("compare --workload {} --network {} --output-dir {} {}",
                           path(workload + "/workload"), path("ring.yml"), path("out"), more);
    }
    void write_inputs(const std::string& workload, const std::string& size) const {
        folder_.write("ring.yml",
                      "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n");
        ASSERT_EQ(run("generate collective --type all_reduce --npus 8 --size " + size +
                      " --output-dir " + path(workload))
                      .code,
                  0);
    }

    /// Runs the program, sends it a signal once its log has the words, and returns its exit code.
    [[nodiscard]] int stop_at(const std::string& command, const std::string& words) const {
        const std::string script = fmt::format(
            "{} {} > {} 2> {} & program=$!\n"
            "for i in $(seq 600); do grep -q '{}' {} 2> /dev/null && break; sleep 0.1; done\n"
            "sleep 0.3; kill -TERM $program; wait $program",
            NPUNET_PROGRAM, command, path("stdout"), path("stderr"), words, path("stderr"));
        const int status =
            std::system(fmt::format("bash {}", folder_.write("stop.sh", script).string()).c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    [[nodiscard]] nlohmann::json json(const std::string& name) const {
        return nlohmann::json::parse(test::bytes_of(path(name)));
    }
    [[nodiscard]] bool exists(const std::string& name) const {
        return std::filesystem::exists(path(name));
    }

    test::TemporaryFolder folder_;
};

// A petabyte takes forever packet by packet, while the estimates finish at once.
TEST_F(CompareStop, KeepsTheFidelitiesThatAreFinished) {
    write_inputs("small", "1MB");
    write_inputs("large", "1000TB");
    ASSERT_EQ(run(compare("small", "--quiet --fidelities analytical,congestion-aware,packet")).code,
              0);
    ASSERT_TRUE(exists("out/report.html"));
    EXPECT_EQ(
        stop_at(
            compare("large",
                    "--force --no-fast-forward --fidelities analytical,congestion-aware,packet"),
            "8 nodes of the traces, packet"),
        143);
    const std::string log = test::bytes_of(path("stderr"));
    EXPECT_THAT(log,
                HasSubstr("stopped: interrupted by signal 15, and packet has not been simulated; "
                          "analytical and congestion-aware are finished, with results in "));
    for (const char* const fidelity : {"analytical", "congestion-aware"}) {
        const nlohmann::json results = json(fmt::format("out/{}/results.json", fidelity));
        EXPECT_FALSE(results.contains("partial"));
        EXPECT_GT(results["finish_ns"], 1e9);
    }
    const nlohmann::json both = json("out/compare.json");
    EXPECT_EQ(both["runs"].size(), 2U);
    EXPECT_FALSE(both.contains("gap_ns"));
    EXPECT_FALSE(exists("out/report.html")) << "that of the earlier run";
    EXPECT_THAT(test::bytes_of(path("stdout")), HasSubstr("congestion-aware"));
}

TEST_F(CompareStop, OneFinishedFidelityIsNoComparison) {
    write_inputs("small", "1MB");
    write_inputs("large", "1000TB");
    ASSERT_EQ(run(compare("small", "--quiet --fidelities analytical,packet")).code, 0);
    EXPECT_EQ(
        stop_at(compare("large", "--force --no-fast-forward"), "8 nodes of the traces, packet"),
        143);
    EXPECT_GT(json("out/analytical/results.json")["finish_ns"], 1e9);
    EXPECT_FALSE(exists("out/compare.json"));
    EXPECT_FALSE(exists("out/compare.txt"));
    EXPECT_FALSE(exists("out/packet/results.json")) << "that of the earlier run";
    EXPECT_FALSE(exists("out/packet/report.html"));
    EXPECT_EQ(test::bytes_of(path("stdout")), "");
}

TEST_F(CompareStop, ShowsHowFarItIsAndHowLongItTakes) {
    write_inputs("small", "1MB");
    ASSERT_EQ(run("generate collective --type all_reduce --npus 8 --size 1GB --repeat 3000 "
                  "--output-dir " +
                  path("many"))
                  .code,
              0);
    EXPECT_EQ(stop_at(compare("many", "--no-fast-forward --fidelities analytical,packet"),
                      "of 24000 nodes of the traces, packet, .* left"),
              143);
}

}  // namespace
}  // namespace npunet::cli
