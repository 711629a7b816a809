// ASTRA-sim's own option names: they mean the same, select the dialect of its scripts, and leave
// nothing on stdout and stderr that such a script could trip over.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "chakra/files/trace_writer.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AstraNames : public ::testing::Test {
protected:
    void SetUp() override {
        write("net.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n");
        write("system.json", R"({"scheduling-policy": "LIFO", "endpoint-delay": 10})");
        write("memory.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})");
        write("groups.json", R"({"1": [0, 1]})");
        for (std::int32_t rank = 0; rank < 2; ++rank) {
            trace(rank, {test::compute_node(1, 10), test::compute_node(2, 10),
                         test::collective_node(3, chakra::CollectiveType::AllReduce, 4096)});
        }
    }

    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    void trace(std::int32_t rank, const std::vector<chakra::Node>& nodes) const {
        chakra::write_trace(folder_ / ("w." + std::to_string(rank) + ".et"), nodes);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    /// All five names, as a script gives them.
    [[nodiscard]] Outcome simulate(const std::vector<std::string>& more = {},
                                   const std::string& groups = "empty") const {
        std::vector<std::string> arguments{"simulate",
                                           "--workload-configuration=" + path("w"),
                                           "--comm-group-configuration=" + groups,
                                           "--system-configuration=" + path("system.json"),
                                           "--remote-memory-configuration=" + path("memory.json"),
                                           "--network-configuration=" + path("net.yml")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    test::TemporaryFolder folder_;
};

/// Lines, words and newline of a text, as wc counts them: every line has five words or more and
/// the shape of the log.
void expect_log_lines(const std::string& text, std::size_t lines) {
    static const std::regex shape(
        R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] \[(workload|statistics)\] \[info\] )"
        R"(sys\[\d+\](,? .+: [0-9.]+%?| finished, \d+ cycles, exposed communication \d+ cycles\.))");
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(text.back(), '\n');
    std::istringstream stream(text);
    std::size_t count = 0;
    for (std::string line; std::getline(stream, line); ++count) {
        std::istringstream words(line);
        std::size_t in_line = 0;
        for (std::string word; words >> word;) {
            ++in_line;
        }
        EXPECT_GE(in_line, 5U) << line;
        EXPECT_TRUE(std::regex_match(line, shape)) << line;
    }
    EXPECT_EQ(count, lines);
}

// Nine lines a rank and not a byte more, on both streams together.
TEST_F(AstraNames, LeaveNothingButLogLines) {
    const Outcome outcome = simulate();
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(outcome.log, "");
    expect_log_lines(outcome.out, 18);
    EXPECT_THAT(outcome.out, HasSubstr("sys[1], GPU time: 20000\n"));
}

// The same with results in a folder, and with a dialect of one's own; nanoseconds are whole then.
TEST_F(AstraNames, StayQuietWhateverElseIsAsked) {
    const Outcome folder = simulate({"--output-dir", path("out")});
    EXPECT_EQ(folder.log, "");
    expect_log_lines(folder.out, 18);
    EXPECT_TRUE(fs::exists(folder_ / "out" / "results.json"));
    const Outcome ours = simulate({"--dialect", "npunet"}, path("groups.json"));
    EXPECT_EQ(ours.code, 0) << ours.log;
    EXPECT_EQ(ours.log, "");
    expect_log_lines(ours.out, 18);
}

// CPU time and remote memory have lines of their own, in the same shape.
TEST_F(AstraNames, CpuAndRemoteMemoryHaveTheirLines) {
    write("memory.json",
          R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 100, "remote-mem-bw": 10})");
    chakra::Node cpu = test::compute_node(2, 25);
    cpu.set_bool("is_cpu_op", true);
    trace(0, {test::memory_node(1, 1000), cpu});
    trace(1, {});
    const Outcome outcome = simulate();
    expect_log_lines(outcome.out, 20);
    EXPECT_THAT(outcome.out, HasSubstr("sys[0], CPU time: 25000\n"));
    EXPECT_THAT(outcome.out, HasSubstr("sys[0], Remote mem time: 200\n"));
}

// A warning is a line of the log too; its third word keeps it apart from those of a rank.
TEST_F(AstraNames, WarningsAreLogLines) {
    write("system.json", R"({"colour": "blue"})");
    const Outcome outcome = simulate();
    EXPECT_EQ(outcome.code, 0);
    expect_log_lines(outcome.out, 18);
    EXPECT_TRUE(std::regex_match(
        outcome.log,
        std::regex(
            R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] \[npunet\] \[warning\] .*colour.*\n)")))
        << outcome.log;
}

// An error is one message and no log.
TEST_F(AstraNames, ErrorsAreOneMessage) {
    write("system.json", R"({"endpoint-delay": 0})");
    const Outcome outcome = simulate();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.log, HasSubstr("endpoint-delay"));
    EXPECT_THAT(outcome.log, HasSubstr("--dialect npunet"));
    EXPECT_EQ(std::count(outcome.log.begin(), outcome.log.end(), '\n'), 1);
}

std::string dialect_of(const std::string& document) {
    const std::string key = "\"dialect\": \"";
    const std::size_t begin = document.find(key) + key.size();
    return document.substr(begin, document.find('"', begin) - begin);
}

TEST_F(AstraNames, SelectTheDialectUnlessOneIsGiven) {
    EXPECT_EQ(dialect_of(simulate({"--json"}).out), "astra-sim-2025-03");
    EXPECT_EQ(dialect_of(simulate({"--json", "--dialect", "astra-sim"}).out), "astra-sim");
    EXPECT_EQ(dialect_of(run({"simulate", "--workload", path("w"), "--network", path("net.yml"),
                              "--json", "--quiet"})
                             .out),
              "npunet");
    EXPECT_EQ(dialect_of(run({"simulate", "--workload", path("w"), "--network_configuration",
                              path("net.yml"), "--json"})
                             .out),
              "astra-sim-2025-03");
}

// The names give the results of ours: the same figures with either.
TEST_F(AstraNames, MeanTheSame) {
    const Outcome theirs = simulate({}, path("groups.json"));
    const Outcome ours =
        run({"simulate", "--workload", path("w"), "--comm-group", path("groups.json"), "--system",
             path("system.json"), "--memory", path("memory.json"), "--network", path("net.yml"),
             "--dialect", "astra-sim-2025-03", "--quiet"});
    EXPECT_EQ(ours.code, 0) << ours.log;
    EXPECT_EQ(theirs.out, ours.out);
}

// A path with "empty" in it is no file for ASTRA-sim; for us it is one like any other.
TEST_F(AstraNames, EmptyMeansNoGroups) {
    EXPECT_EQ(simulate({}, path("really_empty.json")).code, 0);
    const Outcome ours = simulate({"--dialect", "npunet"}, path("really_empty.json"));
    EXPECT_EQ(ours.code, 2);
    EXPECT_THAT(ours.log, HasSubstr("really_empty.json"));
}

TEST_F(AstraNames, FilesAreNamedOnce) {
    const Outcome outcome = simulate({"--network", path("net.yml")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log, HasSubstr("--network-configuration"));
    const Outcome none = run({"simulate", "--workload-configuration", path("w")});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.log, HasSubstr("no network"));
}

// What ASTRA-sim's program takes besides is accepted at the value that changes nothing.
TEST_F(AstraNames, OtherSettingsOnlyAtTheirDefaults) {
    EXPECT_EQ(simulate({"--num-queues-per-dim=1", "--comm-scale=1.0", "--compute-scale", "1",
                        "--injection-scale=1", "--rendezvous-protocol=false",
                        "--logging-configuration=empty", "--logging-folder", "log"})
                  .code,
              0);
    for (const char* setting :
         {"--num-queues-per-dim=2", "--comm-scale=0.5", "--compute-scale=2", "--injection-scale=3",
          "--rendezvous-protocol=true", "--logging-configuration=log.toml"}) {
        const Outcome outcome = simulate({setting});
        EXPECT_EQ(outcome.code, 2) << setting;
        EXPECT_THAT(outcome.log, HasSubstr(std::string(setting).substr(0, 8)));
        EXPECT_THAT(outcome.log, HasSubstr("leave it out"));
    }
}

// Ranks that walk differently meet unequal collectives: exit code 3, the pair, the way out.
TEST_F(AstraNames, StallsNameTheOtherDialect) {
    const auto all_reduce = [](std::uint64_t id) {
        return test::collective_node(id, chakra::CollectiveType::AllReduce, 4096);
    };
    const auto all_gather = [](std::uint64_t id) {
        return test::collective_node(id, chakra::CollectiveType::AllGather, 1024);
    };
    trace(0, {all_reduce(1), all_gather(2)});
    trace(1, {all_gather(12), all_reduce(11)});
    const Outcome outcome = simulate();
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.log, HasSubstr("all_reduce of 4096 bytes"));
    EXPECT_THAT(outcome.log, HasSubstr("all_gather of 1024 bytes"));
    EXPECT_THAT(outcome.log, HasSubstr("--dialect astra-sim"));
    EXPECT_EQ(simulate({"--dialect", "astra-sim"}).code, 0);
}

}  // namespace
}  // namespace npunet::cli
