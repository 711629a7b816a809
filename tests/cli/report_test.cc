// npunet report: of one results folder, and of two.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/bad_input.h"

namespace npunet::cli::report_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class Report : public BadInput {
protected:
    [[nodiscard]] std::string content(const std::string& name) const {
        return test::bytes_of(folder_ / name);
    }
    void simulate_into(const std::string& name, const std::string& fidelity) {
        ASSERT_EQ(run({"simulate", "--workload", path("w"), "--network", path("ring2.yml"),
                       "--fidelity", fidelity, "--output-dir", path(name), "--quiet"})
                      .code,
                  0);
    }
};

// What is drawn anew has the bytes of what the simulation drew, and comes back when it was lost.
TEST_F(Report, RedrawsAFolder) {
    all_reduce_traces(2);
    simulate_into("a", "congestion-aware");
    const std::string page = content("a/report.html");
    const std::string trace = content("a/timeline.perfetto-trace");
    ASSERT_FALSE(page.empty());
    std::filesystem::remove(folder_ / "a/report.html");
    std::filesystem::remove(folder_ / "a/timeline.perfetto-trace");
    const Outcome outcome = run({"report", path("a"), "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(content("a/report.html"), page);
    EXPECT_EQ(content("a/timeline.perfetto-trace"), trace);
    const Json files = Json::parse(outcome.out).at("files");
    EXPECT_THAT(files, testing::Contains(path("a") + "/figures/gantt.svg"));
    EXPECT_THAT(files, testing::Contains(path("a") + "/figures/links.png"));
    for (const Json& file : files) {
        EXPECT_TRUE(std::filesystem::file_size(file.get<std::string>()) > 0);
    }
}

// With --output-dir the folder itself stays as it is.
TEST_F(Report, WritesElsewhere) {
    all_reduce_traces(2);
    simulate_into("a", "analytical");
    const Outcome outcome = run({"report", path("a"), "--output-dir", path("b")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a/figures"));
    EXPECT_EQ(content("b/report.html"), content("a/report.html"));
    EXPECT_THAT(outcome.out, HasSubstr(path("b") + "/report.html\n"));
    EXPECT_EQ(run({"report", path("a"), "--output-dir", path("b"), "--quiet"}).out, "");
}

// The differences of the JSON are those of its times; nothing is written unless it is asked for.
TEST_F(Report, ComparesTwoFolders) {
    all_reduce_traces(2);
    simulate_into("a", "analytical");
    simulate_into("b", "congestion-aware");
    const Outcome text = run({"report", path("a"), path("b")});
    ASSERT_EQ(text.code, 0) << text.log;
    EXPECT_THAT(text.out, HasSubstr("analytical"));
    EXPECT_THAT(text.out, HasSubstr("congestion-aware"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a/figures"));
    const Outcome outcome =
        run({"report", path("a"), path("b"), "--json", "--output-dir", path("both")});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(content("both/side-by-side.json"), outcome.out);
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["ranks"], 2);
    EXPECT_EQ(json["runs"][0]["label"], "analytical");
    EXPECT_EQ(json["runs"][1]["source"], "simulated");
    ASSERT_FALSE(json["rows"].empty());
    for (const Json& row : json["rows"]) {
        EXPECT_NEAR(row["difference_ns"].get<double>(),
                    row["time_ns"][1].get<double>() - row["time_ns"][0].get<double>(), 1e-6);
    }
    for (const Json& side : json["runs"]) {
        EXPECT_NEAR(side["length_ns"].get<double>(),
                    side["computation_ns"].get<double>() + side["exposed_comm_ns"].get<double>() +
                        side["other_ns"].get<double>() + side["idle_ns"].get<double>(),
                    0.01);
    }
    EXPECT_THAT(content("both/report.html"), HasSubstr("analytical and congestion-aware"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "both/figures/gantt.png"));
}

// Folders and files: what their results.json say, and the same of both.
TEST_F(Report, ComparesTwoResults) {
    all_reduce_traces(2);
    simulate_into("a", "analytical");
    simulate_into("b", "congestion-aware");
    const std::string a = path("a") + "/results.json";
    const Json first = Json::parse(content("a/results.json"));
    const Json second = Json::parse(content("b/results.json"));
    const Outcome files = run({"report", a, path("b"), "--json"});
    ASSERT_EQ(files.code, 0) << files.log;
    const Json json = Json::parse(files.out);
    EXPECT_EQ(json["files"][0]["file"], path("a"));
    EXPECT_EQ(json["rows"][0]["values"][0], first["finish_ns"]);
    EXPECT_EQ(json["rows"][0]["values"][1], second["finish_ns"]);
    EXPECT_EQ(Json::parse(run({"report", path("a"), path("b"), "--json"}).out)["results"], json);
    const std::string table = run({"report", a, path("b") + "/results.json"}).out;
    EXPECT_THAT(table, testing::AllOf(HasSubstr("step time"), HasSubstr("exposed communication"),
                                      HasSubstr("dimension 0 (Ring of 2), busiest link")));
    const std::string whole = run({"report", path("a"), path("b")}).out;
    EXPECT_EQ(whole.substr(0, table.size()), table);
    EXPECT_THAT(whole, HasSubstr("Time of a rank, mean over 2 ranks"));
    EXPECT_EQ(run({"report", a, a, "--quiet"}).out, "");
    // Runs by other programs have no results.json.
    std::filesystem::remove(folder_ / "b/results.json");
    const Json timelines = Json::parse(run({"report", path("a"), path("b"), "--json"}).out);
    EXPECT_FALSE(timelines.contains("results"));
    EXPECT_EQ(timelines["ranks"], 2);
}

TEST_F(Report, SaysWhatIsNoResultsFile) {
    all_reduce_traces(2);
    simulate_into("a", "analytical");
    const std::string a = path("a") + "/results.json";
    const auto error_of = [&](const std::string& other, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"report", a, other};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        return outcome.log;
    };
    EXPECT_THAT(error_of(path("ring2.yml")),
                testing::AllOf(HasSubstr("ring2.yml"), HasSubstr("not JSON")));
    write("system.json", R"({"peak-perf": 312})");
    EXPECT_THAT(error_of(path("system.json")), HasSubstr("JSON with the keys 'peak-perf'"));
    std::filesystem::create_directories(folder_ / "empty");
    EXPECT_THAT(error_of(path("empty")), HasSubstr("empty/results.json"));
    EXPECT_THAT(error_of(path("nowhere")), HasSubstr("nowhere"));
    EXPECT_THAT(error_of(a, {"--output-dir", path("c")}), HasSubstr("two results.json"));
}

// A run and itself: labels are told apart, and nothing differs.
TEST_F(Report, OfARunAndItselfDiffersNowhere) {
    all_reduce_traces(2);
    simulate_into("a", "analytical");
    const Json json = Json::parse(run({"report", path("a"), path("a"), "--json"}).out);
    EXPECT_EQ(json["runs"][0]["label"], "analytical (1)");
    EXPECT_EQ(json["runs"][1]["label"], "analytical (2)");
    ASSERT_FALSE(json["rows"].empty());
    for (const Json& row : json["rows"]) {
        EXPECT_EQ(row["difference_ns"], 0);
    }
}

TEST_F(Report, SaysWhatIsNoResultsFolder) {
    const Outcome missing = run({"report", path("nowhere")});
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.log, HasSubstr("npunet simulate --output-dir"));
    std::filesystem::create_directories(folder_ / "several/jobs");
    const Outcome several = run({"report", path("several")});
    EXPECT_EQ(several.code, 2);
    EXPECT_THAT(several.log, HasSubstr("jobs/NAME"));
    std::filesystem::create_directories(folder_ / "broken");
    write("broken/timeline.pb", "no timeline");
    EXPECT_EQ(run({"report", path("broken")}).code, 2);
}

}  // namespace
}  // namespace npunet::cli::report_test
