// Library search paths of the program, as built.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;

/// RUNPATH or RPATH of a program or library: folders separated by colons.
std::string library_folders(const fs::path& file) {
    const test::TemporaryFolder folder;
    const std::string command = fmt::format("readelf --dynamic --wide '{}' > '{}'", file.string(),
                                            (folder / "dynamic").string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    const std::string dynamic = test::bytes_of(folder / "dynamic");
    EXPECT_THAT(dynamic, testing::HasSubstr("NEEDED")) << file;
    std::smatch found;
    const std::regex path("\\(R(?:UN)?PATH\\)[^\\[]*\\[([^\\]]*)\\]");
    return std::regex_search(dynamic, found, path) ? found[1].str() : "";
}

// An empty entry means the current folder, where libraries planted by others could be loaded.
TEST(ProgramFile, LooksForLibrariesInAbsoluteFoldersAlone) {
    const fs::path program = NPUNET_PROGRAM;
    EXPECT_EQ(library_folders(program), "$ORIGIN/../lib/npunet:$ORIGIN");
    int modules = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(program.parent_path())) {
        if (entry.path().extension() == ".so") {
            ++modules;
            EXPECT_EQ(library_folders(entry.path()), "") << entry.path();
        }
    }
    EXPECT_GT(modules, 0);
}

}  // namespace
}  // namespace npunet::cli
