#include "report/results/results_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/errors.h"
#include "report/results/csv.h"
#include "report/results/flow_csv.h"
#include "tests/report/sample_results.h"
#include "tests/support/temporary_folder.h"

namespace npunet::report {
namespace {

class ResultsFolder : public testing::Test {
protected:
    [[nodiscard]] static std::set<std::string> files(const std::filesystem::path& folder) {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    test::TemporaryFolder around_;
    std::filesystem::path folder_ = around_ / "run";
};

TEST_F(ResultsFolder, HoldsAFileForEachReader) {
    write_results_folder(sample_results(), folder_);
    EXPECT_EQ(files(folder_),
              (std::set<std::string>{"collectives.csv", "links.csv", "npus.csv", "report.html",
                                     "results.json", "timeline.pb", "timeline.perfetto-trace"}));
    EXPECT_EQ(test::bytes_of(folder_ / "npus.csv"), npus_csv(sample_results()));
}

// Links belong to all jobs, everything else to each.
TEST_F(ResultsFolder, HoldsAFolderForEachJob) {
    write_results_folder(sample_jobs(), folder_);
    EXPECT_EQ(files(folder_),
              (std::set<std::string>{"jobs", "links.csv", "report.html", "results.json"}));
    for (const char* job : {"first", "second"}) {
        EXPECT_EQ(
            files(folder_ / "jobs" / job),
            (std::set<std::string>{"collectives.csv", "npus.csv", "report.html", "results.json",
                                   "timeline.pb", "timeline.perfetto-trace"}));
    }
}

TEST_F(ResultsFolder, ReplacesAnEarlierRun) {
    write_results_folder(sample_results(), folder_);
    write_results_folder(sample_analytical(), folder_);
    EXPECT_EQ(files(folder_).size(), 7u);
    EXPECT_EQ(test::bytes_of(folder_ / "npus.csv"), npus_csv(sample_analytical()));
}

// flows.csv is there where flows were asked for; a later run without them takes it away.
TEST_F(ResultsFolder, HoldsFlowsThatWereAskedFor) {
    engine::Results results = sample_results();
    results.flows = sample_flows();
    write_results_folder(results, folder_);
    EXPECT_EQ(files(folder_).size(), 8u);
    std::ostringstream text;
    write_flows_csv(text, *results.flows);
    EXPECT_EQ(test::bytes_of(folder_ / "flows.csv"), text.str());
    write_results_folder(sample_results(), folder_);
    EXPECT_EQ(files(folder_).count("flows.csv"), 0u);
}

// A folder under the name of one file keeps all of them out, and what an earlier run left stays.
TEST_F(ResultsFolder, AppearsAsAWholeOrNotAtAll) {
    for (const char* name : {"collectives.csv", "report.html", "results.json", "timeline.pb"}) {
        std::filesystem::remove_all(folder_);
        around_.write("run/flows.csv", "of an earlier run");
        std::filesystem::create_directory(folder_ / name);
        EXPECT_THROW(write_results_folder(sample_results(), folder_), MachineError) << name;
        EXPECT_EQ(files(folder_), (std::set<std::string>{"flows.csv", name}));
    }
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "jobs/second/npus.csv");
    EXPECT_THROW(write_results_folder(sample_jobs(), folder_), MachineError);
    EXPECT_EQ(files(folder_), std::set<std::string>{"jobs"});
    EXPECT_EQ(files(folder_ / "jobs"), std::set<std::string>{"second"});
}

// A regular file where the folder should be refuses even root.
TEST_F(ResultsFolder, BelowAFileIsTheMachinesFault) {
    around_.write("run", "in the way");
    EXPECT_THROW(write_results_folder(sample_results(), folder_ / "run"), MachineError);
}

}  // namespace
}  // namespace npunet::report
