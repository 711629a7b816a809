// The commands on programs of the ns-3 module outside an ns-3 tree: in builds with ns-3.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "page.h"

namespace npunet::docs_test {
namespace {

// Every command on a program of the build, run in it.
void run_commands_of(const std::string& page) {
    const std::string programs = "build/release/";
    std::size_t run = 0;
    for (const Block& block : read_page(page).blocks) {
        for (const std::string& line : block.lines) {
            if (line.rfind(programs, 0) != 0) {
                continue;
            }
            const std::string command = "cd '" NPUNET_BUILD_DIR "' && ./" +
                                        line.substr(programs.size()) + " >/dev/null 2>&1";
            const int status = std::system(command.c_str());
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << line;
            ++run;
        }
    }
    EXPECT_GE(run, 2U) << page;
}

TEST(Ns3Module, CommandsOutsideATreeRun) {
    run_commands_of("ns3-module/README.md");
}

TEST(Ns3Module, CommandsOfTheScenariosRun) {
    run_commands_of("docs/transport.md");
}

}  // namespace
}  // namespace npunet::docs_test
