#include "example_scripts.h"

#include <sys/wait.h>

#include <cstdlib>

namespace npunet::docs_test {

namespace fs = std::filesystem;

void ExampleScripts::SetUp() {
    fs::create_directories(folder_ / "bin");
    for (const char* shipped : {"configs", "examples", "validation"}) {
        fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / shipped, folder_ / shipped);
    }
    fs::create_symlink(NPUNET_PROGRAM, folder_ / "bin/npunet");
}

int ExampleScripts::run(const std::string& command) {
    const std::string line = "cd '" + folder_.path().string() +
                             "' && PATH=\"$PWD/bin:$PATH\" && { " + command + "\n} >printed 2>&1";
    const int status = std::system(line.c_str());
    printed = test::bytes_of(folder_ / "printed");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void ExampleScripts::expect_script(const std::string& name) {
    EXPECT_EQ(run("sh " + name + ".sh"), 0);
    const fs::path expected = fs::path(NPUNET_SOURCE_DIR) / (name + ".expected.txt");
    ASSERT_TRUE(fs::exists(expected));
    EXPECT_EQ(printed, test::bytes_of(expected));
}

}  // namespace npunet::docs_test
