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
