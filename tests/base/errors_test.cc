#include "base/errors.h"

#include <gtest/gtest.h>

namespace npunet {
namespace {

TEST(InputError, TellsEverythingInOneParagraph) {
    const InputError error(InputProblem{"net.yml", "line 3, topology[0]", "'Rign'",
                                        "one of Ring, Switch", "did you mean Ring?"});
    EXPECT_STREQ(
        error.what(),
        "net.yml: line 3, topology[0]: found 'Rign'; expected one of Ring, Switch. did you "
        "mean Ring?");
    EXPECT_EQ(error.problem().place, "line 3, topology[0]");
}

TEST(InputError, LeavesOutWhatIsEmpty) {
    EXPECT_STREQ(InputError(InputProblem{"a.et", "", "", "", "write it again"}).what(),
                 "a.et. write it again");
    EXPECT_STREQ(InputError(InputProblem{"", "", "nothing", "a trace", ""}).what(),
                 "found nothing; expected a trace");
    EXPECT_STREQ(InputError(InputProblem{"", "", "", "a trace", ""}).what(), "expected a trace");
    EXPECT_STREQ(InputError(InputProblem{}).what(), "");
}

// Each audience has a type of its own, so that the exit codes can be told apart.
TEST(Errors, AreDifferentTypes) {
    EXPECT_THROW(throw StallError("stuck"), std::runtime_error);
    try {
        throw MachineError("disk full");
    } catch (const StallError&) {
        FAIL();
    } catch (const MachineError& error) {
        EXPECT_STREQ(error.what(), "disk full");
    }
}

}  // namespace
}  // namespace npunet
