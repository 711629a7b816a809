// examples/planner/published.sh prints the published table, for either order of the device types;
// the default search prints what docs/planner.md shows.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "page.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;

TEST(Planner, PublishedTable) {
    const fs::path samples = fs::path(NPUNET_SHARED_DIR) / "data/planner/e11_samples_2a/profile";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "bin");
    fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / "examples", folder / "examples");
    fs::create_symlink(NPUNET_PROGRAM, folder / "bin/npunet");
    const std::string line = "cd '" + folder.path().string() +
                             "' && PATH=\"$PWD/bin:$PATH\" sh examples/planner/published.sh '" +
                             samples.string() + "' >printed 2>&1";
    const int status = std::system(line.c_str());
    const std::string printed = test::bytes_of(folder / "printed");
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const std::string expected =
        test::bytes_of(fs::path(NPUNET_SOURCE_DIR) / "examples/planner/published.expected.txt");
    ASSERT_NE(expected, "");
    EXPECT_EQ(printed, expected);
}

/// Time differs from run to run: "91396 steps, 44 plans costed, 36.309 ms." loses its end; so do
/// blanks at the end of a line.
std::vector<std::string> comparable(std::istream& printed) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(printed, line);) {
        if (line.find(" steps, ") != std::string::npos) {
            line.resize(line.rfind(','));
        }
        line.resize(line.find_last_not_of(' ') + 1);
        lines.push_back(line);
    }
    return lines;
}

/// The first command of the page that holds this text.
std::string command_with(const Page& page, const std::string& text) {
    for (const Block& block : page.blocks) {
        for (const std::string& command : commands_of(block.lines)) {
            if (command.find(text) != std::string::npos) {
                return command;
            }
        }
    }
    ADD_FAILURE() << "no command with " << text;
    return "false";
}

TEST(Planner, BestPlansOfThePage) {
    const Page page = read_page("docs/planner.md");
    std::stringstream shown;
    for (const Block& block : page.blocks) {
        if (!block.lines.empty() && block.lines.front().rfind("rank  types", 0) == 0) {
            for (const std::string& line : block.lines) {
                shown << line << '\n';
            }
        }
    }
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "bin");
    fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / "configs", folder / "configs");
    fs::create_symlink(NPUNET_PROGRAM, folder / "bin/npunet");
    const std::string line = "cd '" + folder.path().string() + "' && PATH=\"$PWD/bin:$PATH\" && " +
                             command_with(page, "plan profiles --from configs") +
                             " >/dev/null && " + command_with(page, "plan hostfile 8") +
                             " >/dev/null && " + command_with(page, "--batch 64 --top 2") +
                             " >printed 2>/dev/null";
    const int status = std::system(line.c_str());
    std::ifstream file(folder / "printed");
    const std::vector<std::string> printed = comparable(file);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << line;
    EXPECT_GT(printed.size(), 10U);
    EXPECT_EQ(printed, comparable(shown));
}

}  // namespace
}  // namespace npunet::docs_test
