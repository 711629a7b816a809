// What shells and manual pages are told of the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
        text.append(buffer.data(), size);
    }
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return text;
}

TEST(Version, SaysWhichBuildItIs) {
    const Outcome result = run("--version");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, ContainsRegex("^npunet [0-9]+\\.[0-9]+\\.[0-9]+ \\([^)]+\\)\n$"));
}

/// What bash offers for the last of these words.
std::string completed(const std::string& words, int last) {
    const Outcome result = run("completion");
    EXPECT_EQ(result.code, 0);
    const test::TemporaryFolder folder;
    return output_of("bash -c 'source " + folder.write("completion.bash", result.out).string() +
                     "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(last) +
                     "; _npunet; echo \"${COMPREPLY[@]}\"'");
}

TEST(Completion, FollowsCommandsDownToOptions) {
    EXPECT_EQ(completed("npunet sim", 1), "simulate\n");
    EXPECT_EQ(completed("npunet generate tr", 2), "transformer\n");
    EXPECT_EQ(completed("npunet simulate --netw", 2), "--network --network-configuration\n");
    EXPECT_EQ(completed("npunet generate transformer --tp 4 --activation", 5),
              "--activation-recompute\n");
    // Options of other commands are not offered, nor anything for a value that nobody knows.
    EXPECT_EQ(completed("npunet topology --fidel", 2), "\n");
}

TEST(Manual, DescribesEveryCommand) {
    const Outcome result = run("manual");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, StartsWith(".TH NPUNET 1"));
    for (const char* command :
         {"npunet simulate", "npunet generate transformer", "npunet manual"}) {
        EXPECT_THAT(result.out, HasSubstr(std::string(".SH ") + command + "\n"));
    }
    EXPECT_THAT(result.out, HasSubstr("\\-\\-fidelity"));
    // Lines that begin with a dot are requests; only these are meant.
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind('.', 0) == 0 || line.rfind('\'', 0) == 0) {
            EXPECT_THAT(line, ContainsRegex("^\\.(TH|SH|TP|PP|B|I|nf|fi)( |$)"));
        }
    }
}

}  // namespace
}  // namespace npunet::cli
