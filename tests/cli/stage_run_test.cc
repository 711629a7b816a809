// Runs of the stage dialect: in memory and from files they are the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli::stage_run_test {
namespace {

using ::testing::HasSubstr;

const std::string step =
    " --din 1000 --dout 1000 --dmodel 256 --dff 1024 --head 8 --seq 128 --batch 16 --num_stacks 2 "
    "--dp 2 --tp 2 --pp 2 --activation_recompute 1 ";

class StageRun : public ::testing::Test {
protected:
    void SetUp() override {
        folder_.write("net.yml",
                      "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n");
        folder_.write("system.json",
                      R"({"roofline-enabled": 1, "local-mem-bw": 1600, "peak-perf": 900,)"
                      R"( "track-local-mem": 1})");
        machine_ = " --network " + path("net.yml") + " --system " + path("system.json") +
                   " --dialect astra-sim ";
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    int run(const std::string& line) {
        std::istringstream stream(line);
        std::ostringstream out;
        std::ostringstream log;
        const int code = run_program({std::istream_iterator<std::string>(stream), {}}, out, log);
        out_ = out.str();
        log_ = log.str();
        return code;
    }

    test::TemporaryFolder folder_;
    std::string machine_;
    std::string out_;
    std::string log_;
};

TEST_F(StageRun, InMemoryIsTheRunOfItsFiles) {
    ASSERT_EQ(run("generate transformer" + step + "--output_dir " + path("traces") +
                  " --output_name w.%d.et --comm_group_file w.json"),
              0)
        << log_;
    ASSERT_EQ(run("simulate" + machine_ + "--workload " + path("traces/w") + " --comm-group " +
                  path("traces/w.json")),
              0)
        << log_;
    const std::string from_files = out_;
    EXPECT_THAT(from_files, HasSubstr("sys[7] peak memory usage: "));
    ASSERT_EQ(run("simulate" + machine_ + step), 0) << log_;
    EXPECT_EQ(out_, from_files);
    ASSERT_EQ(run("simulate" + machine_ + step + "--workload-dialect stage"), 0) << log_;
    EXPECT_EQ(out_, from_files);
}

// Of the same sizes the npunet dialect makes another step.
TEST_F(StageRun, TheDialectCanBeNamed) {
    ASSERT_EQ(run("simulate" + machine_ + step), 0) << log_;
    const std::string stage = out_;
    std::string line = "simulate" + machine_ + step + "--workload-dialect npunet";
    line.replace(line.find("recompute 1"), 11, "recompute 0");
    ASSERT_EQ(run(line), 0) << log_;
    EXPECT_NE(out_, stage);
}

TEST_F(StageRun, RefusesContradictions) {
    EXPECT_EQ(run("simulate" + machine_ + step + "--workload " + path("w")), 2);
    EXPECT_EQ(run("simulate" + machine_ + "--weight-sharded 1 --workload " + path("w")), 2);
    EXPECT_THAT(log_, HasSubstr("--weight-sharded"));
    EXPECT_EQ(run("simulate" + machine_ + step + "--schedule gpipe"), 2);
    EXPECT_THAT(log_, HasSubstr("--schedule"));
    EXPECT_EQ(run("simulate" + machine_ + step + "--sp 2"), 2);
    EXPECT_THAT(log_, HasSubstr("16 ranks"));
}

}  // namespace
}  // namespace npunet::cli::stage_run_test
