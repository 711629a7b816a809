// npunet validate collectives: its table, its JSON, other files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::HasSubstr;

// A file without the columns id, group and library; a row that is skipped changes no exit code.
TEST(ValidateCollectives, PrintsOneObjectARow) {
    const test::TemporaryFolder folder;
    const std::string path = folder
                                 .write("rows.csv",
                                        "gpu,gpus,bytes,quantity,value,unit\n"
                                        "B200-SXM,8,2048,all_gather_time,18,us\n"
                                        "MI300X,8,2048,all_gather_time,18,us\n")
                                 .string();
    const Outcome outcome = run("validate collectives " + path + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    const auto document = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(document["rows"].size(), 2U);
    const auto& row = document["rows"][0];
    EXPECT_EQ(row["id"], "line 2");
    EXPECT_EQ(row["measured"], 18);
    EXPECT_EQ(row["unit"], "us");
    EXPECT_EQ(row["calibrated"], false);
    EXPECT_NEAR(row["log_error"].get<double>(), std::log(row["simulated"].get<double>() / 18),
                1e-12);
    EXPECT_THAT(document["rows"][1]["skipped"].get<std::string>(), HasSubstr("mi300x"));
    EXPECT_EQ(document["summary"]["all"]["rows"], 2);
    EXPECT_EQ(document["summary"]["all"]["answered"], 1);
    EXPECT_EQ(document["summary"]["by_device"]["B200-SXM"]["answered"], 1);
}

TEST(ValidateCollectives, PrintsMeansOfItsOwnRows) {
    const Outcome outcome = run("validate collectives");
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, HasSubstr("device B200-SXM"));
    EXPECT_THAT(outcome.out, HasSubstr("operation all_to_all"));
    EXPECT_THAT(outcome.out, HasSubstr("not calibrated on"));
}

TEST(ValidateCollectives, RefusesOtherFiles) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("other.csv", "a,b\n1,2\n").string();
    const Outcome other = run("validate collectives " + path);
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.log, HasSubstr("no column 'value'"));
    EXPECT_EQ(run("validate collectives missing.csv").code, 2);
    const Outcome library = run("validate collectives --collectives mpi-4.1");
    EXPECT_EQ(library.code, 2);
    EXPECT_THAT(library.log, HasSubstr("nccl-2.29"));
}

}  // namespace
}  // namespace npunet::cli
