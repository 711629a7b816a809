// What a user does wrong that only shows at packet fidelity: in builds with ns-3.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;

// A link of a line that dies for good cuts it: packets have no way round, and the run ends with
// what is wrong. On a ring of four they go the other way round.
TEST_F(BadInput, ALinkThatNeverComesBack) {
    all_reduce_traces(4);
    for (const bool line : {true, false}) {
        write("broken.yml", std::string("topology: [") + (line ? "Mesh1D" : "Ring") +
                                "]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n"
                                "faults: [{link: [1, 2], at: 600, bandwidth_factor: 0}]\n");
        const Outcome outcome = simulate("broken.yml", {"--fidelity", "packet"});
        if (line) {
            expect_refused(outcome, 3);
            EXPECT_THAT(outcome.log, HasSubstr("down from 600 ns on and never comes back"));
        } else {
            EXPECT_EQ(outcome.code, 0) << outcome.log;
        }
    }
}

}  // namespace
}  // namespace npunet::cli
