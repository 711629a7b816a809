#include "example_scripts.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace npunet::docs_test {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

void ExampleScripts::SetUp() {
    folder_ = fs::temp_directory_path() / ("npunet_examples_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "bin");
    for (const char* shipped : {"configs", "examples"}) {
        fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / shipped, folder_ / shipped);
    }
    fs::create_symlink(NPUNET_PROGRAM, folder_ / "bin/npunet");
}

void ExampleScripts::TearDown() {
    fs::remove_all(folder_);
}

int ExampleScripts::run(const std::string& command) {
    const std::string line = "cd '" + folder_.string() + "' && PATH=\"$PWD/bin:$PATH\" && { " +
                             command + "\n} >printed 2>&1";
    const int status = std::system(line.c_str());
    printed = content_of(folder_ / "printed");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void ExampleScripts::expect_script(const std::string& name) {
    EXPECT_EQ(run("sh " + name + ".sh"), 0);
    const fs::path expected = fs::path(NPUNET_SOURCE_DIR) / (name + ".expected.txt");
    ASSERT_TRUE(fs::exists(expected));
    EXPECT_EQ(printed, content_of(expected));
}

}  // namespace npunet::docs_test
