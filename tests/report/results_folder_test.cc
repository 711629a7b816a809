#include "report/results_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "base/errors.h"
#include "report/csv.h"
#include "report/flow_csv.h"
#include "tests/report/sample_results.h"

namespace npunet::report {
namespace {

class ResultsFolder : public testing::Test {
protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) /
                  ("npunet-" + std::to_string(::getpid()) + "-" + test->name());
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    std::filesystem::path folder_;
};

TEST_F(ResultsFolder, HoldsAFileForEachReader) {
    write_results_folder(sample_results(), folder_ / "run");
    folder_ /= "run";
    EXPECT_EQ(files(),
              (std::set<std::string>{"collectives.csv", "links.csv", "npus.csv", "report.html",
                                     "results.json", "timeline.pb", "timeline.perfetto-trace"}));
    std::ifstream file(folder_ / "npus.csv");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), npus_csv(sample_results()));
    folder_ = folder_.parent_path();
}

// Links belong to all jobs, everything else to each.
TEST_F(ResultsFolder, HoldsAFolderForEachJob) {
    write_results_folder(sample_jobs(), folder_);
    EXPECT_EQ(files(), (std::set<std::string>{"jobs", "links.csv", "report.html", "results.json"}));
    const std::filesystem::path whole = folder_;
    for (const char* job : {"first", "second"}) {
        folder_ = whole / "jobs" / job;
        EXPECT_EQ(files(), (std::set<std::string>{"collectives.csv", "npus.csv", "report.html",
                                                  "results.json", "timeline.pb",
                                                  "timeline.perfetto-trace"}));
    }
    folder_ = whole;
}

TEST_F(ResultsFolder, ReplacesAnEarlierRun) {
    write_results_folder(sample_results(), folder_);
    write_results_folder(sample_analytical(), folder_);
    EXPECT_EQ(files().size(), 7u);
    std::ifstream file(folder_ / "npus.csv");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), npus_csv(sample_analytical()));
}

// flows.csv is there where flows were asked for; a later run without them takes it away.
TEST_F(ResultsFolder, HoldsFlowsThatWereAskedFor) {
    engine::Results results = sample_results();
    results.flows = sample_flows();
    write_results_folder(results, folder_);
    EXPECT_EQ(files().size(), 8u);
    std::ostringstream text;
    write_flows_csv(text, *results.flows);
    std::ifstream file(folder_ / "flows.csv");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text.str());
    write_results_folder(sample_results(), folder_);
    EXPECT_EQ(files().count("flows.csv"), 0u);
}

// A regular file where the folder should be refuses even root.
TEST_F(ResultsFolder, BelowAFileIsTheMachinesFault) {
    std::ofstream(folder_.string()) << "in the way";
    EXPECT_THROW(write_results_folder(sample_results(), folder_ / "run"), MachineError);
}

}  // namespace
}  // namespace npunet::report
