// npunet validate steps: its table, its JSON, rows that are skipped, other files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::HasSubstr;

// A file that lacks most columns: what is left open is assumed and listed, or the reason to skip.
TEST(ValidateSteps, PrintsOneObjectARow) {
    const test::TemporaryFolder folder;
    const std::string path =
        folder
            .write("rows.csv",
                   "gpu,gpus,model,layers,hidden,heads,seq,vocab,global_batch,micro_batch,"
                   "quantity,value,unit\n"
                   "H100,8,GPT,2,4096,32,2048,51200,16,1,iteration_time,100,ms\n"
                   "MI300X,8,GPT,2,4096,32,2048,51200,16,1,iteration_time,100,ms\n"
                   "H100,8,GPT,2,4096,32,2048,51200,16,1,all_reduce_time,100,ms\n")
            .string();
    const Outcome outcome = run("validate steps " + path + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    const auto document = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(document["rows"].size(), 3U);
    const auto& row = document["rows"][0];
    EXPECT_EQ(row["id"], "line 2");
    EXPECT_EQ(row["measured"], 100);
    EXPECT_EQ(row["unit"], "ms");
    EXPECT_EQ(row["calibrated"], false);
    EXPECT_GT(row["predicted"].get<double>(), 0);
    EXPECT_NEAR(row["error_percent"].get<double>(), row["predicted"].get<double>() - 100, 1e-9);
    EXPECT_GT(row["uncertainty_percent"].get<double>(), 0);
    EXPECT_GT(row["assumed"].size(), 2U);
    EXPECT_THAT(document["rows"][1]["skipped"].get<std::string>(), HasSubstr("MI300X"));
    EXPECT_EQ(document["rows"][2]["skipped"], "not a training step");
    EXPECT_EQ(document["summary"]["rows"], 2);
    EXPECT_EQ(document["summary"]["answered"], 1);
}

TEST(ValidateSteps, PrintsMeansOfItsOwnRows) {
    const Outcome outcome = run("validate steps --id DGXC-00");
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, HasSubstr("megatron-nemo-24, h100-sxm5-80gb    9 of 9"));
    EXPECT_THAT(outcome.out, HasSubstr("calibrated on"));
    EXPECT_THAT(run("validate steps --id V100").out,
                HasSubstr("skipped: 12: no device profile for 'V100-SXM2-16GB'"));
}

TEST(ValidateSteps, DrawsItsErrors) {
    const test::TemporaryFolder folder;
    const std::string figure = (folder.path() / "steps.svg").string();
    const Outcome outcome = run("validate steps --id DGXC-00 --figure " + figure);
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(test::bytes_of(figure), HasSubstr("<svg"));
    EXPECT_EQ(run("validate steps --id DGXC-00 --figure " + figure + ".txt").code, 2);
}

TEST(ValidateSteps, RefusesOtherFiles) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("other.csv", "a,b\n1,2\n").string();
    const Outcome other = run("validate steps " + path);
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.log, HasSubstr("no column 'value'"));
    EXPECT_EQ(run("validate steps missing.csv").code, 2);
    const Outcome stack = run("validate steps --id DGXC-001 --stack megatron");
    EXPECT_EQ(stack.code, 2);
    EXPECT_THAT(stack.log, HasSubstr("megatron-nemo-24"));
}

}  // namespace
}  // namespace npunet::cli
