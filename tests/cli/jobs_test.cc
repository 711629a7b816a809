// npunet simulate --jobs-file: what it prints and writes, and what it refuses.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bad_input.h"
#include "packet/make_packet_network.h"
#include "tests/support/systems.h"

namespace npunet::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Traces w.0.et to w.3.et of an all-reduce in the folder, and a ring of eight.
class JobsCommand : public BadInput {
protected:
    void SetUp() override {
        BadInput::SetUp();
        write("ring8.yml", "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n");
        all_reduce_traces(4);
        write("jobs.yml",
              "- {name: left, workload: w, ranks: 0-3}\n"
              "- {name: right, workload: w, ranks: [7, 6, 5, 4], start: 2us}\n");
    }
    [[nodiscard]] Outcome simulate_jobs(std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"simulate",        "--jobs-file",     path("jobs.yml"),
                                           "--network",       path("ring8.yml"), "--fidelity",
                                           "congestion-aware"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    [[nodiscard]] json document(const std::string& name) const {
        return json::parse(test::bytes_of(folder_ / name));
    }
};

// A step of the ring all-reduce of 4096 bytes takes 1024 / 50 GB/s = 20.48 ns and 500 ns, but what
// goes from the last member to the first one crosses three links. The halves of the ring have links
// of their own, so that both jobs take equally long.
TEST_F(JobsCommand, WritesResultsOfAllAndOfEach) {
    const Outcome outcome = simulate_jobs({"--output-dir", path("out")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const json all = document("out/results.json");
    EXPECT_EQ(all["schema"], 1);
    EXPECT_EQ(all["fidelity"], "congestion-aware");
    EXPECT_TRUE(all["npus"].empty());
    EXPECT_EQ(all["links"].size(), 16U);
    ASSERT_EQ(all["jobs"].size(), 2U);
    const json& left = all["jobs"][0];
    const json& right = all["jobs"][1];
    EXPECT_EQ(left["name"], "left");
    EXPECT_EQ(right["npus"], json({7, 6, 5, 4}));
    EXPECT_EQ(left["start_ns"], 0);
    EXPECT_EQ(right["start_ns"], 2000);
    EXPECT_EQ(left["duration_ns"], right["duration_ns"]);
    EXPECT_EQ(all["finish_ns"], right["finish_ns"]);
    for (const json& job : all["jobs"]) {
        const std::string folder = "out/jobs/" + job["name"].get<std::string>();
        const json own = document(folder + "/results.json");
        EXPECT_EQ(own["finish_ns"], job["finish_ns"]);
        EXPECT_EQ(own["npus"].size(), 4U);
        EXPECT_EQ(own["npus"][0]["idle_ns"].get<double>(), job["start_ns"].get<double>());
        EXPECT_EQ(own["collectives"][0]["first_start_ns"], job["start_ns"]);
        EXPECT_TRUE(own["links"].empty());
        for (const char* file : {"npus.csv", "collectives.csv", "timeline.perfetto-trace"}) {
            EXPECT_TRUE(std::filesystem::exists(folder_ / folder / file)) << file;
        }
        EXPECT_FALSE(std::filesystem::exists(folder_ / folder / "links.csv"));
    }
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out/links.csv"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/npus.csv"));

    json printed = json::parse(simulate_jobs({"--json", "--output-dir", path("out")}).out);
    json written = all;
    printed.erase("performance");
    written.erase("performance");
    EXPECT_EQ(printed, written);
}

TEST_F(JobsCommand, PrintsATable) {
    const Outcome outcome = simulate_jobs();
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, HasSubstr("congestion-aware: 2 jobs finished after"));
    EXPECT_THAT(outcome.out, HasSubstr("job    NPUs     start"));
    EXPECT_THAT(outcome.out, HasSubstr("left   0-3       0 ns"));
    EXPECT_THAT(outcome.out, HasSubstr("right  4-7   2.000 us"));
    EXPECT_THAT(outcome.out, HasSubstr("most loaded links"));
    EXPECT_EQ(simulate_jobs({"--quiet"}).out, "");
}

// An all-reduce takes 5.1 us in the quick estimate and 9.2 us where the long way round the ring
// counts; the right one is half done then, the late one begins when the run is over.
TEST_F(JobsCommand, BreaksOffAtATime) {
    write("net.yml", "topology: [Ring]\nnpus_count: [12]\nbandwidth: [50]\nlatency: [500]\n");
    write("jobs.yml",
          "- {name: left, workload: w, ranks: 0-3}\n"
          "- {name: right, workload: w, ranks: 4-7, start: 6us}\n"
          "- {name: late, workload: w, ranks: 8-11, start: 1ms}\n");
    write("rings.json", test::plain_rings);
    for (const std::string fidelity : {"analytical", "congestion-aware", "packet"}) {
        const Outcome outcome =
            run({"simulate", "--jobs-file", path("jobs.yml"), "--network", path("net.yml"),
                 "--fidelity", fidelity, "--max-sim-time", "10us", "--output-dir", path("out"),
                 "--force", "--system", path("rings.json")});
        EXPECT_EQ(outcome.code, 3) << outcome.log;
        EXPECT_THAT(outcome.log,
                    HasSubstr("the simulated time has come to 10.00 us, with 4 of 12 nodes done; "
                              "the results are partial, up to 10.00 us"));
        EXPECT_THAT(outcome.out, HasSubstr("3 jobs PARTIAL, stopped after 10.00 us"));
        EXPECT_THAT(outcome.out, HasSubstr("0 of 4 nodes"));
        const json all = document("out/results.json");
        EXPECT_EQ(all["finish_ns"], 10'000);
        EXPECT_EQ(all["partial"]["nodes_done"], 4);
        EXPECT_EQ(all["partial"]["nodes"], 12);
        ASSERT_EQ(all["jobs"].size(), 3U);
        EXPECT_FALSE(all["jobs"][0].contains("partial"));
        EXPECT_GT(all["jobs"][0]["finish_ns"], 5'000);
        EXPECT_LT(all["jobs"][0]["finish_ns"], 10'000);
        EXPECT_EQ(all["jobs"][1]["partial"]["nodes_done"], 0);
        EXPECT_EQ(all["jobs"][1]["finish_ns"], 10'000);
        EXPECT_EQ(all["jobs"][1]["duration_ns"], 4'000);
        EXPECT_EQ(all["jobs"][2]["duration_ns"], 0);
        const json left = document("out/jobs/left/results.json");
        EXPECT_FALSE(left.contains("partial"));
        EXPECT_EQ(left["collectives"].size(), 1U);
        const json right = document("out/jobs/right/results.json");
        EXPECT_EQ(right["partial"]["nodes"], 4);
        EXPECT_TRUE(right["collectives"].empty());
        EXPECT_EQ(right["npus"][0]["exposed_comm_ns"], 4'000);
        EXPECT_THAT(test::bytes_of(folder_ / "out/jobs/right/report.html"), HasSubstr("PARTIAL"));
        EXPECT_THAT(test::bytes_of(folder_ / "out/report.html"), HasSubstr("PARTIAL"));
        const json late = document("out/jobs/late/results.json");
        EXPECT_EQ(late["npus"][0]["idle_ns"], 10'000);
        EXPECT_EQ(late["npus"][0]["finish_ns"], 10'000);
    }
}

TEST_F(JobsCommand, ALimitThatIsNotReachedChangesNothing) {
    json without = json::parse(simulate_jobs({"--json"}).out);
    const Outcome outcome =
        simulate_jobs({"--json", "--max-sim-time", "1s", "--max-wall-time", "1000s"});
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    json with = json::parse(outcome.out);
    without.erase("performance");
    with.erase("performance");
    EXPECT_EQ(with, without);
}

// A dialect whose idle times begin with the start of the job.
TEST_F(JobsCommand, BreaksOffJobsOfTheReferencesDialect) {
    write("jobs.yml",
          "- {name: left, workload: w, ranks: 0-3, dialect: astra-sim}\n"
          "- {name: late, workload: w, ranks: 4-7, start: 1ms, dialect: astra-sim}\n");
    const Outcome outcome =
        run({"simulate", "--jobs-file", path("jobs.yml"), "--network", path("ring8.yml"),
             "--max-sim-time", "10us", "--output-dir", path("out")});
    EXPECT_EQ(outcome.code, 3) << outcome.log;
    const json late = document("out/jobs/late/results.json");
    EXPECT_EQ(late["npus"][0]["idle_ns"], 10'000);
    EXPECT_EQ(late["npus"][0]["exposed_comm_ns"], 0);
}

// A stall that came before the limit is told, and when.
TEST_F(JobsCommand, AStallBeforeTheLimitIsAStall) {
    chakra::write_trace(folder_ / "lone.0.et", {test::receive_node(1, 1, 4096)});
    chakra::write_trace(folder_ / "lone.1.et", {test::compute_node(1, 3)});
    write("jobs.yml",
          "- {name: left, workload: w, ranks: 0-3}\n"
          "- {name: stuck, workload: lone, ranks: 4-5}\n");
    const Outcome outcome = simulate_jobs({"--max-sim-time", "1s"});
    EXPECT_EQ(outcome.code, 3) << outcome.log;
    EXPECT_THAT(outcome.log, HasSubstr("job 'stuck'"));
    EXPECT_THAT(outcome.log, Not(HasSubstr("simulated time has come")));
}

// The file names the dialect of its jobs; the machine is read in it.
TEST_F(JobsCommand, FollowsTheDialectOfTheFile) {
    write("jobs.yml", "- {name: a, workload: w, ranks: 0-3, dialect: astra-sim}\n");
    const Outcome outcome = simulate_jobs({"--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(json::parse(outcome.out)["dialect"], "astra-sim");
    const Outcome option = simulate_jobs({"--json", "--dialect", "npunet"});
    EXPECT_EQ(json::parse(option.out)["dialect"], "astra-sim") << "the option is for the others";
}

TEST_F(JobsCommand, RefusesOtherWorkloads) {
    const struct {
        std::vector<std::string> more;
        const char* says;
    } cases[] = {
        {{"--workload", path("w")}, "beside --workload"},
        {{"--comm-group", path("groups.json")}, "beside --comm-group"},
        {{"--model", "gpt2-small"}, "beside --model"},
        {{"--dp", "2"}, "beside --dp"},
        {{"--workload-configuration", path("w")}, "beside --workload"},
        {{"--system-configuration", path("s.json")}, "options of ASTRA-sim's"},
    };
    for (const auto& [more, says] : cases) {
        std::vector<std::string> arguments{"--output-dir", path("out")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = simulate_jobs(arguments);
        expect_refused(outcome, 2);
        EXPECT_THAT(outcome.log, HasSubstr("--jobs-file"));
        EXPECT_THAT(outcome.log, HasSubstr(says));
    }
}

TEST_F(JobsCommand, RefusesFilesThatDoNotFit) {
    const struct {
        const char* text;
        const char* says;
    } cases[] = {
        {"- {name: a, workload: w, ranks: [0, 1, 2, 8]}\n", "NPU 8"},
        {"- {name: a, workload: w, ranks: 0-2}\n", "4, one for each trace"},
        {"- {name: a, workload: w, ranks: 0-3}\n- {name: b, workload: w, ranks: 3-6}\n",
         "NPU 3, which job 'a' has"},
        {"- {name: a/b, workload: w, ranks: 0-3}\n", "a name for a folder"},
        {"- {name: a, workload: w, ranks: 0-3, dialect: astra-sim}\n"
         "- {name: b, workload: w, ranks: 4-7}\n",
         "one dialect for all jobs"},
    };
    for (const auto& [text, says] : cases) {
        write("jobs.yml", text);
        const Outcome outcome = simulate_jobs({"--output-dir", path("out")});
        expect_refused(outcome, 2);
        EXPECT_THAT(outcome.log, HasSubstr("jobs.yml")) << text;
        EXPECT_THAT(outcome.log, HasSubstr("line ")) << text;
        EXPECT_THAT(outcome.log, HasSubstr(says)) << text;
    }
    std::filesystem::remove(folder_ / "jobs.yml");
    const Outcome missing = simulate_jobs({"--output-dir", path("out")});
    expect_refused(missing, 2);
    EXPECT_THAT(missing.log, HasSubstr("no such file"));
}

// Job b waits for a message that is never sent: nothing is written, and the message says which job,
// and when the other one was done.
TEST_F(JobsCommand, ExplainsAStalledJob) {
    chakra::write_trace(folder_ / "lonely.0.et", {test::receive_node(7, 1, 64)});
    chakra::write_trace(folder_ / "lonely.1.et", {test::compute_node(1, 1)});
    write("jobs.yml",
          "- {name: a, workload: w, ranks: 0-3}\n- {name: b, workload: lonely, ranks: 4-5}\n");
    const Outcome outcome = simulate_jobs({"--output-dir", path("out")});
    expect_refused(outcome, 3);
    EXPECT_THAT(outcome.log, HasSubstr("job 'b': at "));
    EXPECT_THAT(outcome.log, HasSubstr("node 7"));
    EXPECT_THAT(outcome.log, HasSubstr("job 'a' finished at "));
}

}  // namespace
}  // namespace npunet::cli
