#include "base/errors.h"

#include <gtest/gtest.h>

#include <string>

#include "base/printable.h"

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

// What stands in a file may be anything; the message is one line of UTF-8 without control
// characters, and names the length of what it leaves out.
TEST(InputError, IsOneReadableLineWhateverTheInputHolds) {
    using namespace std::string_literals;
    EXPECT_STREQ(
        InputError(InputProblem{"a\nb.yml", "", "'\x1b[31m\0\xff\xc3\t'"s, "YAML", ""}).what(),
        R"(a\nb.yml: found '\x1b[31m\x00\xff\xc3\t'; expected YAML)");
    const std::string plain = "caf\u00e9 \u2192 \U0001F600 \\ %s {}";
    EXPECT_EQ(InputError(InputProblem{plain, "", "", "", ""}).what(), plain);
    const std::string message =
        InputError(InputProblem{"a.yml", "", std::string(1'000'000, 'a'), "YAML", ""}).what();
    EXPECT_LT(message.size(), 1100U);
    EXPECT_NE(message.find("aaa ... (1000000 bytes in all) ... aaa"), std::string::npos);
    EXPECT_EQ(message.substr(message.size() - 18), "aaa; expected YAML");
}

// 50 characters of 3 bytes: wherever 110 bytes are cut, characters stay whole.
TEST(Printable, CutsBetweenCharacters) {
    for (const std::string before : {"", "x", "xx"}) {
        std::string text = before;
        for (int i = 0; i < 50; ++i) {
            text += "\u20ac";
        }
        EXPECT_EQ(printable(text, 110).find('\\'), std::string::npos);
        EXPECT_EQ(printable(text, text.size()), text);
    }
    EXPECT_EQ(printable("\u0080\u009b\u00a0", 110), "\\xc2\\x80\\xc2\\x9b\u00a0");
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
