// docs/extending.md against examples/extending: what it quotes stands there, and its commands print
// what it shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "page.h"
#include "tests/support/temporary_folder.h"

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;

const char* const page = "docs/extending.md";

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + '\n';
    }
    return text;
}

// Every block of C++ or CMake is a run of whole lines of one of the files, all of which are quoted.
TEST(Extending, QuotesStandInTheFiles) {
    std::vector<fs::path> unquoted;
    for (const auto& entry : fs::directory_iterator(root / "examples/extending")) {
        unquoted.push_back(entry.path());
    }
    std::sort(unquoted.begin(), unquoted.end());
    const std::vector<fs::path> files = unquoted;
    std::size_t quotes = 0;
    for (const Block& block : read_page(page).blocks) {
        if (block.info != "cpp" && block.info != "cmake" && block.info != "yaml" &&
            block.info != "json") {
            continue;
        }
        const std::string quote = '\n' + joined(block.lines);
        const auto found = std::find_if(files.begin(), files.end(), [&](const fs::path& file) {
            return ('\n' + test::bytes_of(file)).find(quote) != std::string::npos;
        });
        ASSERT_NE(found, files.end()) << quote;
        unquoted.erase(std::remove(unquoted.begin(), unquoted.end(), *found), unquoted.end());
        ++quotes;
    }
    EXPECT_GE(quotes, 8U);
    EXPECT_TRUE(unquoted.empty()) << unquoted.front();
}

// A line that begins with a program of the build is a command; the block of text behind it is all
// that the command prints.
TEST(Extending, ProgramsPrintWhatIsShown) {
    const std::string programs = "build/release/";
    const test::TemporaryFolder folder;
    std::string printed;
    std::size_t compared = 0;
    for (const Block& block : read_page(page).blocks) {
        if (block.info == "text") {
            EXPECT_EQ(printed, joined(block.lines));
            ++compared;
        }
        if (block.lines.empty() || block.lines.front().rfind(programs, 0) != 0) {
            continue;
        }
        const std::string command = joined(block.lines).substr(programs.size());
        const fs::path output = folder / "printed";
        const std::string line = "cd '" + root.string() + "' && '" NPUNET_BUILD_DIR "'/" +
                                 command.substr(0, command.size() - 1) + " >'" + output.string() +
                                 "' 2>/dev/null";
        EXPECT_EQ(std::system(line.c_str()), 0) << line;
        printed = test::bytes_of(output);
    }
    EXPECT_EQ(compared, 3U);
}

}  // namespace
}  // namespace npunet::docs_test
