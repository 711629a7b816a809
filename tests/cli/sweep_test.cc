// npunet sweep as a user runs it: the real program, killed and in parallel.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "chakra/files/trace_writer.h"
#include "tests/cli/sweep_program.h"
#include "tests/support/shared_data.h"
#include "tests/support/systems.h"
#include "tests/support/workloads.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(Sweep, ThreadsDoNotChangeAByte) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("one"), "--jobs", "1"}), 0) << log();
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("four"), "--jobs", "4"}), 0) << log();
    for (const char* name : {"results.csv", "results.json", "time_memory.svg", "time_memory.png",
                             "breakdown.svg", "breakdown.png"}) {
        const std::string one = test::bytes_of(folder_ / "one" / name);
        EXPECT_FALSE(one.empty()) << name;
        EXPECT_TRUE(one == test::bytes_of(folder_ / "four" / name)) << name;
    }
}

// tp 16 does not divide 8 heads; batch 16 does not divide by dp 16 x micro_batch 2.
TEST_F(Sweep, PointsThatFailAreRowsAndTheOthersRun) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
    const std::vector<std::string> rows = lines_of(csv("out"));
    EXPECT_EQ(rows[0],
              "dp,tp,pp,micro_batch,network,finish_ns,compute_ns,comm_ns,exposed_comm_ns,"
              "peak_memory_bytes,status,max_finish_ns,max_compute_ns,max_comm_ns,"
              "max_exposed_comm_ns,max_peak_memory_bytes,tokens_per_s,samples_per_s,"
              "model_tflops_per_npu,mfu_percent,mfu_palm_percent,link_bound_ns,fits_memory,note");
    const json results = json::parse(test::bytes_of(folder_ / "out/results.json"));
    EXPECT_EQ(results["schema"], 1);
    ASSERT_EQ(results["points"].size(), rows.size() - 1);
    std::size_t failed = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const json& point = results["points"][i];
        const json& parameters = point["parameters"];
        const bool bad =
            parameters["tp"] == 16 || (parameters["dp"] == 16 && parameters["micro_batch"] == 2);
        EXPECT_EQ(point["status"], bad ? "error" : "ok") << rows[i + 1];
        EXPECT_EQ(rows[i + 1].find(",,,,,error,,,,,,,,,,,,,") != std::string::npos, bad)
            << rows[i + 1];
        failed += bad ? 1 : 0;
    }
    EXPECT_GT(failed, 0U);
    ASSERT_EQ(results["errors"].size(), failed);
    EXPECT_THAT(results["errors"][0]["message"].get<std::string>(), HasSubstr("8 heads"));
    EXPECT_EQ(results["errors"][0]["kind"], "bad input");
    ASSERT_EQ(results["best"].size(), 1U);
    for (const json& point : results["points"]) {
        EXPECT_EQ(point.contains("tokens_per_s"), point["status"] == "ok");
        if (point["status"] == "ok") {
            EXPECT_GT(point["mfu_percent"], 0);
            EXPECT_LE(results["best"][0]["max_finish_ns"].get<double>(),
                      point["max_finish_ns"].get<double>());
        }
    }
}

// A direct all-to-all of 64 NPUs with two at each up-link: 8 NPUs send 56/64 of 1 MiB over 4
// up-links, 1.75 MiB each, where a port carries 63/64 MiB. A ring all-reduce shares no up-link.
TEST_F(Sweep, EstimatesThatBeatTheBoundOfTheirLinksSaySo) {
    write("direct.json", R"({"all-to-all-implementation": ["flat-direct"],
                             "all-reduce-implementation": ["ring"]})");
    write("shared.yml",
          "workload: {collective: {type: [all_reduce, all_to_all], size: 1MiB}}\n"
          "systems: direct.json\n"
          "networks: [configs/networks/leaf-spine-64.yml]\n"
          "fidelity: [analytical, congestion-aware]\n");
    ASSERT_EQ(sweep({path("shared.yml"), "--output-dir", path("out")}), 0) << log();
    const json results = json::parse(test::bytes_of(folder_ / "out/results.json"));
    const std::vector<std::string> rows = lines_of(csv("out"));
    int notes = 0;
    for (std::size_t i = 0; i < results["points"].size(); ++i) {
        const json& point = results["points"][i];
        const bool beats =
            point["max_finish_ns"].get<double>() < point["link_bound_ns"].get<double>();
        notes += beats ? 1 : 0;
        EXPECT_EQ(point.contains("note"), beats) << point;
        EXPECT_EQ(rows[i + 1].find("finishes before its busiest link") != std::string::npos, beats);
        EXPECT_TRUE(!beats || (point["parameters"]["fidelity"] == "analytical" &&
                               point["parameters"]["type"] == "all_to_all"))
            << point;
    }
    EXPECT_EQ(notes, 1);
    int best_with_notes = 0;
    for (const json& best : results["best"]) {
        EXPECT_TRUE(best.contains("link_bound_ns"));
        best_with_notes += best.contains("note") ? 1 : 0;
    }
    EXPECT_EQ(best_with_notes, 1);
    ASSERT_EQ(sweep({path("shared.yml")}), 0) << log();
    EXPECT_THAT(test::bytes_of(folder_ / "stdout"),
                AllOf(HasSubstr("link bound"),
                      HasSubstr("note: 1 of 4 points finish before their busiest link")));
}

/// The names of all members.
void collect_keys(const json& value, std::set<std::string>& keys) {
    for (const auto& [key, member] : value.items()) {
        if (value.is_object() && key != "parameters" && key != "spec") {
            keys.insert(key);
        }
        if (member.is_structured() && key != "parameters" && key != "spec") {
            collect_keys(member, keys);
        }
    }
}

// docs/results.md explains every key and column.
TEST_F(Sweep, ResultsAreDocumented) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
    std::set<std::string> names{"parameters", "spec", "replay_of", "note"};
    collect_keys(json::parse(test::bytes_of(folder_ / "out/results.json")), names);
    EXPECT_EQ(names.count("slowest_rank"), 1U);
    std::istringstream heading(lines_of(csv("out"))[0]);
    for (std::string column; std::getline(heading, column, ',');) {
        const bool parameter = column == "dp" || column == "tp" || column == "pp" ||
                               column == "micro_batch" || column == "network";
        if (!parameter) {
            names.insert(column);
        }
    }
    const std::string text = test::bytes_of(fs::path(NPUNET_SOURCE_DIR) / "docs/results.md");
    const std::string section = text.substr(text.find("## Results of a sweep"));
    for (const std::string& name : names) {
        EXPECT_THAT(section, HasSubstr("`" + name + "`"));
    }
}

TEST_F(Sweep, OnlyFailuresAreBadInput) {
    write("bad.yml",
          "workload: {model: small.yml, batch: 16}\nplan: {tp: [3, 5]}\n"
          "systems: configs/systems/a100.json\nnetworks: configs/networks/ring-8.yml\n");
    EXPECT_EQ(sweep({path("bad.yml"), "--output-dir", path("out")}), 2);
    EXPECT_THAT(log(), AllOf(HasSubstr("all 2 fail"), HasSubstr("8 heads")));
}

TEST_F(Sweep, SpecsThatCannotBeMeantWriteNothing) {
    write("bad.yml", "workload: {model: small.yml, batch: 16}\nnetworks: [nowhere.yml]\n");
    EXPECT_EQ(sweep({path("bad.yml"), "--output-dir", path("out")}), 2);
    EXPECT_THAT(log(), HasSubstr("nowhere.yml"));
    write("bad.yml", std::string(plans) + "dialects: astra-sim\nfidelity: packet\n");
    EXPECT_EQ(sweep({path("bad.yml"), "--output-dir", path("out")}), 2);
    EXPECT_FALSE(fs::exists(folder_ / "out"));
}

// Five kills at random moments, each after at least one more point; then the same bytes as without
// any, and every point in the journal once.
TEST_F(Sweep, KilledFiveTimesEndsWithTheSameBytes) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("whole")}), 0) << log();
    const std::size_t points = lines_of(csv("whole")).size() - 1;
    std::mt19937_64 random(11);
    std::size_t cut_short = 0;
    for (int kill = 0; kill < 5; ++kill) {
        const std::size_t before = records("out");
        const std::size_t until = before + 1 + random() % (points / 8);
        const pid_t child =
            start(words({path("plans.yml"), "--output-dir", path("out"), "--jobs", "2"}));
        int status = 0;
        wait_for_records(child, until);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        cut_short += records("out") < points ? 1 : 0;
        EXPECT_GT(records("out"), before) << "no progress";
    }
    EXPECT_GE(cut_short, 3U) << "the kills came too late to show anything";
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
    EXPECT_THAT(log(), HasSubstr("done in an earlier run"));
    EXPECT_TRUE(csv("out") == csv("whole"));
    std::map<std::string, int> times;
    for (const std::string& line : lines_of(test::bytes_of(folder_ / "out/sweep.journal"))) {
        if (line.rfind("npunet", 0) != 0) {
            ++times[line.substr(17, line.find(' ', 17) - 17)];
        }
    }
    EXPECT_EQ(times.size(), points);
    for (const auto& [number, count] : times) {
        EXPECT_EQ(count, 1) << "point " << number;
    }
}

TEST_F(Sweep, InterruptedSaysHowToGoOn) {
    const pid_t child =
        start(words({path("plans.yml"), "--output-dir", path("out"), "--jobs", "1"}));
    wait_for_records(child, 2);
    ::kill(child, SIGINT);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_THAT(log(), HasSubstr("stopped: run the same command again to continue"));
    EXPECT_FALSE(fs::exists(folder_ / "out/results.csv"));
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("whole")}), 0) << log();
    EXPECT_TRUE(csv("out") == csv("whole"));
}

TEST_F(Sweep, AnotherSpecInTheSameFolderIsRefused) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
    const std::string before = csv("out");
    write("plans.yml", std::string(plans) + "limits: {memory: 1GB}\n");
    EXPECT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 2);
    EXPECT_THAT(log(), AllOf(HasSubstr("another sweep"), HasSubstr("--restart")));
    EXPECT_TRUE(csv("out") == before);
    EXPECT_EQ(sweep({path("plans.yml"), "--output-dir", path("out"), "--restart"}), 0) << log();
}

TEST_F(Sweep, TwoAtOnceInOneFolderAreRefused) {
    const pid_t first =
        start(words({path("plans.yml"), "--output-dir", path("out"), "--jobs", "1"}));
    wait_for_records(first, 1);
    ASSERT_EQ(::kill(first, SIGSTOP), 0);
    EXPECT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 2);
    EXPECT_THAT(log(), HasSubstr("another sweep at work there"));
    ::kill(first, SIGCONT);
    EXPECT_EQ(wait_for(first), 0);
}

TEST_F(Sweep, FolderThatCannotBeMadeIsTheMachines) {
    EXPECT_EQ(sweep({path("plans.yml"), "--output-dir", "/proc/npunet/out"}), 4) << log();
}

TEST_F(Sweep, JsonAndQuietWithoutAFolder) {
    ASSERT_EQ(sweep({path("plans.yml"), "--json", "--quiet"}), 0);
    EXPECT_EQ(log(), "");
    EXPECT_TRUE(json::parse(test::bytes_of(path("stdout"))).contains("pareto"));
    ASSERT_EQ(sweep({path("plans.yml")}), 0);
    EXPECT_THAT(log(), HasSubstr("without --output-dir nothing is kept"));
    EXPECT_THAT(test::bytes_of(path("stdout")), HasSubstr("best"));
}

TEST_F(Sweep, MpiIsInsistedOn) {
    EXPECT_EQ(sweep({path("plans.yml"), "--mpi"}), 2);
    EXPECT_THAT(log(), HasSubstr("mpirun -n"));
}

// Communicators of whole dimensions (involve_dims) are other ones on another network of as many
// NPUs, whichever point comes first: rings of 2 and of 4 NPUs here, which need 2 and 6 steps.
TEST_F(Sweep, CommunicatorsOfDimensionsFollowTheNetwork) {
    for (std::int32_t rank = 0; rank < 8; ++rank) {
        chakra::Node node = test::collective_node(1, chakra::CollectiveType::AllReduce, 1'000'000);
        node.attributes.push_back({"involve_dims", std::vector<bool>{true, false}});
        chakra::write_trace(folder_ / ("w." + std::to_string(rank) + ".et"), {node});
    }
    write("2x4.yml",
          "topology: [Ring, Ring]\nnpus_count: [2, 4]\nbandwidth: [50, 50]\n"
          "latency: [0, 0]\n");
    write("4x2.yml",
          "topology: [Ring, Ring]\nnpus_count: [4, 2]\nbandwidth: [50, 50]\n"
          "latency: [0, 0]\n");
    for (const char* networks : {"[2x4.yml, 4x2.yml]", "[4x2.yml, 2x4.yml]"}) {
        write("rings.json", test::plain_rings);
        write("dimensions.yml",
              std::string("workload: {prefix: w}\nsystems: rings.json\nnetworks: ") + networks +
                  "\n");
        ASSERT_EQ(sweep({path("dimensions.yml"), "--output-dir", path("out"), "--restart"}), 0)
            << log();
        // Each step sends half, or a quarter, of a megabyte at 50 GB/s.
        EXPECT_THAT(csv("out"), AllOf(HasSubstr("2x4.yml,20000,"), HasSubstr("4x2.yml,30000,")))
            << networks;
    }
}

// The recorded transformer cases of one network and system, as one sweep over their traces: rank
// 0's finish is the recorded one.
TEST_F(Sweep, RecordedTransformerCasesAreExact) {
    const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/system/transformer";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::map<std::string, std::vector<fs::path>> by_machine;
    for (const auto& entry : fs::directory_iterator(data)) {
        if (fs::exists(entry.path() / "w.0.et")) {
            by_machine[test::bytes_of(entry.path() / "network.yml") +
                       test::bytes_of(entry.path() / "system.json")]
                .push_back(entry.path());
        }
    }
    std::size_t cases = 0;
    for (const auto& [machine, folders] : by_machine) {
        std::string prefixes;
        std::string groups;
        for (const fs::path& folder : folders) {
            prefixes += (prefixes.empty() ? "" : ", ") + (folder / "w").string();
            groups += (groups.empty() ? "" : ", ") + (folder / "w.json").string();
        }
        write("recorded.yml",
              "workload: {prefix: [" + prefixes + "], comm_group: [" + groups +
                  "]}\ndialects: astra-sim\nsystems: " + (folders[0] / "system.json").string() +
                  "\nnetworks: " + (folders[0] / "network.yml").string() + "\n");
        ASSERT_EQ(sweep({path("recorded.yml"), "--output-dir", path("out"), "--restart"}), 0)
            << log();
        const std::vector<std::string> rows = lines_of(csv("out"));
        EXPECT_EQ(rows[0].rfind("prefix,finish_ns,", 0), 0U) << rows[0];
        ASSERT_EQ(rows.size(), folders.size() + 1);
        for (std::size_t i = 0; i < folders.size(); ++i) {
            const json expected =
                json::parse(test::bytes_of(folders[i] / "expected.json"))["ranks"]["0"];
            const std::string row = (folders[i] / "w").string() + "," +
                                    std::to_string(expected["finished"].get<long>()) + "," +
                                    std::to_string(expected["gpu"].get<long>()) + "," +
                                    std::to_string(expected["comm"].get<long>()) + "," +
                                    std::to_string(expected["exposed"].get<long>()) + "," +
                                    std::to_string(expected["peak_mem"].get<long>()) + ",ok,";
            EXPECT_EQ(rows[i + 1].substr(0, row.size()), row);
            ++cases;
        }
    }
    EXPECT_GE(cases, 10U);
}

}  // namespace
}  // namespace npunet::cli
