// npunet sweep as a user runs it: the real program, killed, in parallel, under mpirun.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "ns3-module/api/packet_network.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

class Sweep : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() /
                  ("npunet_sweep_" + std::to_string(::getpid()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / "configs", folder_ / "configs");
        write("small.yml", "hidden: 256\nlayers: 4\nheads: 8\nffn: 512\nvocab: 1024\nseq: 128\n");
        write("plans.yml", plans);
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }

    /// Starts a command; its output goes to the files stdout and stderr.
    [[nodiscard]] pid_t start(std::vector<std::string> words) const {
        const pid_t child = ::fork();
        if (child == 0) {
            for (const auto& [name, descriptor] :
                 {std::pair{"stdout", 1}, std::pair{"stderr", 2}}) {
                const int file = ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
                ::dup2(file, descriptor);
            }
            std::vector<char*> arguments;
            for (std::string& word : words) {
                arguments.push_back(word.data());
            }
            arguments.push_back(nullptr);
            ::execvp(arguments[0], arguments.data());
            ::_exit(127);
        }
        return child;
    }
    /// The exit code; 128 + the signal where one ended it.
    static int wait_for(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] static std::vector<std::string> words(const std::vector<std::string>& more) {
        std::vector<std::string> all{NPUNET_PROGRAM, "sweep"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] int sweep(const std::vector<std::string>& more) const {
        return wait_for(start(words(more)));
    }
    [[nodiscard]] std::string log() const { return content_of(path("stderr")); }
    [[nodiscard]] std::string csv(const std::string& output) const {
        return content_of(folder_ / output / "results.csv");
    }
    [[nodiscard]] std::size_t records(const std::string& output) const {
        const std::string text = content_of(folder_ / output / "sweep.journal");
        const auto lines = std::count(text.begin(), text.end(), '\n');
        return lines > 0 ? static_cast<std::size_t>(lines) - 1 : 0;
    }

    /// Until so many points are done, or the process has ended.
    void wait_for_records(pid_t child, std::size_t count) const {
        siginfo_t info{};
        while (records("out") < count &&
               ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

    fs::path folder_;
    /// 48 points, some of which fail.
    static constexpr const char* plans =
        "workload: {model: small.yml, batch: 16, seq: 128}\n"
        "plan: {dp: [1, 2, 4, 8, 16], tp: [1, 2, 4, 8, 16], pp: [1, 2, 4], micro_batch: [1, 2]}\n"
        "where: dp * tp * pp == npus\n"
        "systems: configs/systems/a100.json\n"
        "networks: [configs/networks/mesh-4x4.yml, configs/networks/torus-4x4.yml]\n";
};

TEST_F(Sweep, ThreadsDoNotChangeAByte) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("one"), "--jobs", "1"}), 0) << log();
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("four"), "--jobs", "4"}), 0) << log();
    for (const char* name : {"results.csv", "results.json", "time_memory.svg", "time_memory.png",
                             "breakdown.svg", "breakdown.png"}) {
        const std::string one = content_of(folder_ / "one" / name);
        EXPECT_FALSE(one.empty()) << name;
        EXPECT_TRUE(one == content_of(folder_ / "four" / name)) << name;
    }
}

// tp 16 does not divide 8 heads; batch 16 does not divide by dp 16 x micro_batch 2.
TEST_F(Sweep, PointsThatFailAreRowsAndTheOthersRun) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
    const std::vector<std::string> rows = lines_of(csv("out"));
    EXPECT_EQ(rows[0],
              "dp,tp,pp,micro_batch,network,finish_ns,compute_ns,comm_ns,exposed_comm_ns,"
              "peak_memory_bytes,status,max_finish_ns,max_compute_ns,max_comm_ns,"
              "max_exposed_comm_ns,max_peak_memory_bytes");
    const json results = json::parse(content_of(folder_ / "out/results.json"));
    EXPECT_EQ(results["schema"], 1);
    ASSERT_EQ(results["points"].size(), rows.size() - 1);
    std::size_t failed = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const json& point = results["points"][i];
        const json& parameters = point["parameters"];
        const bool bad =
            parameters["tp"] == 16 || (parameters["dp"] == 16 && parameters["micro_batch"] == 2);
        EXPECT_EQ(point["status"], bad ? "error" : "ok") << rows[i + 1];
        EXPECT_EQ(rows[i + 1].find(",,,,,error,,,,,") != std::string::npos, bad) << rows[i + 1];
        failed += bad ? 1 : 0;
    }
    EXPECT_GT(failed, 0U);
    ASSERT_EQ(results["errors"].size(), failed);
    EXPECT_THAT(results["errors"][0]["message"].get<std::string>(), HasSubstr("8 heads"));
    EXPECT_EQ(results["errors"][0]["kind"], "bad input");
    ASSERT_EQ(results["best"].size(), 1U);
    for (const json& point : results["points"]) {
        if (point["status"] == "ok") {
            EXPECT_LE(results["best"][0]["max_finish_ns"].get<double>(),
                      point["max_finish_ns"].get<double>());
        }
    }
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
    std::set<std::string> names{"parameters", "spec", "replay_of"};
    collect_keys(json::parse(content_of(folder_ / "out/results.json")), names);
    EXPECT_EQ(names.count("slowest_rank"), 1U);
    std::istringstream heading(lines_of(csv("out"))[0]);
    for (std::string column; std::getline(heading, column, ',');) {
        const bool parameter = column == "dp" || column == "tp" || column == "pp" ||
                               column == "micro_batch" || column == "network";
        if (!parameter) {
            names.insert(column);
        }
    }
    const std::string text = content_of(fs::path(NPUNET_SOURCE_DIR) / "docs/results.md");
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
    for (const std::string& line : lines_of(content_of(folder_ / "out/sweep.journal"))) {
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
    EXPECT_TRUE(json::parse(content_of(path("stdout"))).contains("pareto"));
    ASSERT_EQ(sweep({path("plans.yml")}), 0);
    EXPECT_THAT(log(), HasSubstr("without --output-dir nothing is kept"));
    EXPECT_THAT(content_of(path("stdout")), HasSubstr("best"));
}

TEST_F(Sweep, TheSecondStageReplaysTheBest) {
    if (!packet_fidelity_available()) {
        GTEST_SKIP() << "built without ns-3";
    }
    write("then.yml",
          "workload: {collective: {type: all_reduce, size: 64KiB}}\n"
          "networks: [configs/networks/mesh-4x4.yml, configs/networks/torus-4x4.yml, "
          "configs/networks/ring-8.yml]\nthen: {fidelity: packet, top: 2}\n");
    ASSERT_EQ(sweep({path("then.yml"), "--output-dir", path("out"), "--jobs", "4"}), 0) << log();
    const json results = json::parse(content_of(folder_ / "out/results.json"));
    ASSERT_EQ(results["points"].size(), 5U);
    for (std::size_t i = 3; i < 5; ++i) {
        const json& replay = results["points"][i];
        EXPECT_EQ(replay["parameters"]["fidelity"], "packet");
        const json& base = results["points"][replay["replay_of"].get<std::size_t>()];
        EXPECT_EQ(base["parameters"]["network"], replay["parameters"]["network"]);
        // Headers and credits only add.
        EXPECT_GT(replay["finish_ns"].get<double>(), base["finish_ns"].get<double>());
    }
    const std::size_t best = results["best"][0]["point"];
    EXPECT_EQ(results["points"][3]["replay_of"], best);
    EXPECT_EQ(results["best"].size(), 2U) << "one for each fidelity";
}

TEST_F(Sweep, MpiChangesNoByte) {
    if (std::string(NPUNET_MPIRUN).empty()) {
        GTEST_SKIP() << "built without MPI";
    }
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("threads")}), 0) << log();
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    for (const char* processes : {"1", "2", "3"}) {
        const std::string output = std::string("mpi") + processes;
        std::vector<std::string> command{NPUNET_MPIRUN, "--oversubscribe", "-n", processes};
        for (const std::string& word :
             words({path("plans.yml"), "--mpi", "--output-dir", path(output)})) {
            command.push_back(word);
        }
        ASSERT_EQ(wait_for(start(command)), 0) << log();
        EXPECT_TRUE(csv(output) == csv("threads")) << processes;
        EXPECT_TRUE(content_of(folder_ / output / "results.json") ==
                    content_of(folder_ / "threads/results.json"));
        // One process speaks.
        const std::string out = content_of(path("stdout"));
        EXPECT_EQ(out.find(" points, "), out.rfind(" points, "));
    }
    write("bad.yml", "workload: {model: small.yml, batch: 16}\nnetworks: [nowhere.yml]\n");
    std::vector<std::string> command{NPUNET_MPIRUN,  "--oversubscribe", "-n",           "2",
                                     NPUNET_PROGRAM, "sweep",           path("bad.yml")};
    EXPECT_EQ(wait_for(start(command)), 2) << log();
    EXPECT_THAT(log(), HasSubstr("nowhere.yml"));
}

TEST_F(Sweep, MpiIsInsistedOn) {
    EXPECT_EQ(sweep({path("plans.yml"), "--mpi"}), 2);
    EXPECT_THAT(log(), HasSubstr("mpirun -n"));
}

// The recorded transformer cases of one network and system, as one sweep over their traces: rank
// 0's finish is the recorded one.
TEST_F(Sweep, RecordedTransformerCasesAreExact) {
    const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/system/transformer";
    if (!fs::exists(data)) {
        GTEST_SKIP() << "the shared data folder is absent: " << NPUNET_SHARED_DIR;
    }
    std::map<std::string, std::vector<fs::path>> by_machine;
    for (const auto& entry : fs::directory_iterator(data)) {
        if (fs::exists(entry.path() / "w.0.et")) {
            by_machine[content_of(entry.path() / "network.yml") +
                       content_of(entry.path() / "system.json")]
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
                json::parse(content_of(folders[i] / "expected.json"))["ranks"]["0"];
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
