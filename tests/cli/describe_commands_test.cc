// What shells and manual pages are told of the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
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
    // Options of other commands are not offered, nor anything for a free value.
    EXPECT_EQ(completed("npunet topology --fidel", 2), "\n");
}

bool has(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

// zsh's completion functions are replaced: what _describe would show is printed.
TEST(Completion, OffersCommandsAndOptionsInZsh) {
    const std::string text = run("completion zsh").out;
    EXPECT_THAT(text, StartsWith("#compdef npunet\n"));
    if (!has("zsh")) {
        GTEST_SKIP() << "zsh is not installed";
    }
    const test::TemporaryFolder folder;
    const std::string file = folder.write("_npunet", text).string();
    const auto offered = [&file](const std::string& words, int current) {
        return '\n' + output_of(
                          "zsh -f -c 'compdef() { print defined $2 }; "
                          "_describe() { print -rl -- $offered }; source " +
                          file + "; words=(" + words + "); CURRENT=" + std::to_string(current) +
                          "; _npunet'");
    };
    const std::string commands = offered("npunet generate tr", 3);
    EXPECT_THAT(commands, StartsWith("\ndefined npunet\n"));
    EXPECT_THAT(commands, HasSubstr("\ntransformer:"));
    EXPECT_THAT(commands, Not(HasSubstr("\nsimulate:")));
    const std::string options = offered("npunet simulate --jobs 2 --net", 5);
    EXPECT_THAT(options,
                HasSubstr("\n--network:The network: a network.yml, or a topology file of "));
    EXPECT_THAT(options, Not(HasSubstr("\n--draw:")));
}

// A shell in a pseudo-terminal, in which Tab is pressed.
TEST(Completion, CompletesInZsh) {
    if (!has("zsh")) {
        GTEST_SKIP() << "zsh is not installed";
    }
    const test::TemporaryFolder folder;
    folder.write("_npunet", run("completion zsh").out);
    const auto completed = [&folder](const std::string& typed) {
        const std::string script =
            "zmodload zsh/zpty\n"
            "zpty shell zsh -f -i\n"
            "zpty -w shell \"PS1='> '; fpath=(" +
            folder.path().string() +
            " \\$fpath); autoload -U compinit; compinit -u -D; print rea''dy\"\n"
            "zpty -r -m shell line '*ready*'\n"
            "zpty -n -w shell '" +
            typed +
            "'$'\\t'\n"
            "zpty -n -w shell $'\\C-a: \\C-e; print do\\'\\'ne\\n'\n"
            "zpty -r -m shell line '*done*'\n"
            "print -r -- $line\n";
        return output_of("zsh -f " + folder.write("press.zsh", script).string());
    };
    EXPECT_THAT(completed("npunet topolog"), HasSubstr("npunet topology"));
    EXPECT_THAT(completed("npunet generate transfo"), HasSubstr("generate transformer"));
    EXPECT_THAT(completed("npunet simulate --placem"), HasSubstr("simulate --placement"));
}

TEST(Completion, OffersCommandsAndOptionsInFish) {
    const std::string text = run("completion fish").out;
    if (!has("fish")) {
        GTEST_SKIP() << "fish is not installed";
    }
    const test::TemporaryFolder folder;
    const std::string file = folder.write("npunet.fish", text).string();
    const auto offered = [&](const std::string& words) {
        return output_of("HOME=" + folder.path().string() + " fish -c 'source " + file +
                         "; complete -C \"" + words + "\"'");
    };
    EXPECT_THAT(offered("npunet generate tr"), StartsWith("transformer\t"));
    EXPECT_THAT(offered("npunet simulate --jobs 2 --netw"),
                AllOf(HasSubstr("--network\t"), HasSubstr("--network-configuration\t")));
    EXPECT_EQ(offered("npunet topology --fidel"), "");
}

TEST(Completion, KnowsNoOtherShell) {
    const Outcome outcome = run("completion tcsh");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log, HasSubstr("bash, zsh"));
}

TEST(Help, ExplainsEveryCommandAsItsOptionDoes) {
    for (const std::string command : {"", "simulate", "generate", "generate transformer", "help"}) {
        const Outcome outcome = run("help " + command);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        EXPECT_EQ(outcome.out, run(command + " --help").out) << command;
    }
    const Outcome unknown = run("help generate transfromer");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.log, HasSubstr("Did you mean 'transformer'?"));
    EXPECT_THAT(run("help simulate now").log, HasSubstr("npunet simulate has no subcommands"));
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
