// What is wrong with a point is told in the words of its sweep.yml: file, line, key and entry of a
// list, and no option of the command line.

#include "study/sweep/spec_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "study/sweep/design_space.h"
#include "study/sweep/point_runner.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SpecWordsTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_.write("net.yml",
                      "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n");
    }

    [[nodiscard]] DesignSpace space(const std::string& text) const {
        return read_design_space(folder_.write("sweep.yml", text + "networks: net.yml\n").string());
    }
    /// Of the first point.
    [[nodiscard]] std::string failure(const std::string& text) const {
        const DesignSpace read = space(text);
        PointRunner runner(read, 1);
        static_cast<void>(runner.prepare());
        return runner.run({0, 0}).message;
    }
    [[nodiscard]] std::string refusal(const std::string& text) const {
        const DesignSpace read = space(text);
        PointRunner runner(read, 1);
        return test::message_of<InputError>([&] { return runner.prepare(); });
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder_ / name).string();
    }

    test::TemporaryFolder folder_;
};

TEST_F(SpecWordsTest, AnOptionIsThePlaceOfItsValue) {
    EXPECT_THAT(failure("workload: {model: llama2-4layer, batch: 8}\n"
                        "plan:\n    dp: 8\n    micro_batch: [3, 1]\n"),
                AllOf(HasSubstr(file("sweep.yml") + ": line 1, workload.batch: found 8; expected a "
                                                    "multiple of dp 8 x micro_batch 3 = 24"),
                      Not(HasSubstr("--"))));
    EXPECT_THAT(failure("workload: {model: llama2-4layer, batch: 8}\nplan:\n    zero: [7, 1]\n"),
                HasSubstr(file("sweep.yml") + ": line 3, plan.zero[0]: found 7"));
    EXPECT_THAT(failure("workload: {collective: {type: all_gather, size: 65536TiB}}\n"),
                HasSubstr(file("sweep.yml") + ": line 1, workload.collective.size: found"));
}

TEST_F(SpecWordsTest, ValuesOfAListOfPointsStandInThatFile) {
    folder_.write("points.csv", "dp,zero\n8,1\n4,7\n");
    const DesignSpace read =
        space("workload: {model: llama2-4layer, batch: 8}\npoints: points.csv\n");
    PointRunner runner(read, 1);
    static_cast<void>(runner.prepare());
    EXPECT_THAT(runner.run({1, 1}).message, HasSubstr("points.csv: line 3, zero: found 7"));
}

TEST_F(SpecWordsTest, MachinesAreTheKeysOfTheSpec) {
    EXPECT_THAT(failure("workload: {model: llama2-4layer, batch: 8}\nplan: {dp: 8}\n"),
                AllOf(HasSubstr("trace of rank 0: node"), HasSubstr("Give one with systems"),
                      Not(HasSubstr("--"))));
    EXPECT_THAT(refusal("workload: {model: llama2-4layer, batch: 8}\nplan: {dp: 8}\n"
                        "fidelity: packet\ndialects: astra-sim\n"),
                AllOf(HasSubstr(file("sweep.yml") + ": line 3, fidelity: found packet with "
                                                    "dialects astra-sim; expected dialects npunet"),
                      Not(HasSubstr("--"))));
    EXPECT_THAT(refusal("workload: {model: llama2-4layr, batch: 8}\n"),
                HasSubstr(file("sweep.yml") + ": line 1, workload.model: found 'llama2-4layr'"));
}

// The spec of STAGE's workloads has a dialect of its own.
TEST_F(SpecWordsTest, TheDialectOfAWorkloadIsNotThatOfMachines) {
    EXPECT_THAT(failure("workload: {dialect: stage, num_stacks: 1}\nplan: {dp: 8}\n"),
                AllOf(HasSubstr("line 1, workload.num_stacks: found 1"),
                      HasSubstr("workload.dialect npunet does one layer")));
}

// Of several names of one thing, that which is given.
TEST_F(SpecWordsTest, NamesOfOneThing) {
    EXPECT_THAT(failure("workload: {model: llama2-4layer, batch: 8, seq: 1000}\nplan: {sp: 16}\n"),
                AllOf(HasSubstr("plan.sp"), Not(HasSubstr("cp"))));
}

TEST_F(SpecWordsTest, WhatIsNoOptionOfASweepStays) {
    const DesignSpace read = space("workload: {model: llama2-4layer, batch: 8}\nplan: {tp: 8}\n");
    const auto told = [&](const InputProblem& problem) {
        return std::string(in_terms_of_spec(InputError(problem), read, read.points.front(),
                                            parameters_of(read.kind))
                               .what());
    };
    EXPECT_EQ(told({"net.yml", "line 3", "---x -- a--tp", "--", "npunet topology FILE --json"}),
              "net.yml: line 3: found ---x -- a--tp; expected --. npunet topology FILE --json");
    EXPECT_EQ(told({"--seq", "", "0", "1", "Lower --seq, --tp or --npus"}),
              file("sweep.yml") + ": seq: found 0; expected 1. Lower seq, tp or networks");
}

TEST_F(SpecWordsTest, ARangeIsCheckedWhereTheValueStands) {
    EXPECT_EQ(test::message_of<InputError>([&] {
                  return space(
                      "workload:\n    collective: {type: barrier, size: 1, repeat: [1, "
                      "9007199254740992]}\n");
              }),
              file("sweep.yml") +
                  ": line 2, workload.collective.repeat[1]: found '9007199254740992'; expected a "
                  "whole number from 1 to 1048576");
}

}  // namespace
}  // namespace npunet::study
