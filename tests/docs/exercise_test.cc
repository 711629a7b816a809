// The scripts of examples/exercise print what stands beside them, published figures included.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class Exercise : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("npunet_exercise_" + std::to_string(::getpid()));
        fs::create_directories(folder_ / "bin");
        for (const char* shipped : {"configs", "examples"}) {
            fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / shipped, folder_ / shipped);
        }
        fs::create_symlink(NPUNET_PROGRAM, folder_ / "bin/npunet");
    }
    void TearDown() override { fs::remove_all(folder_); }

    /// The exit code; what it printed is in `printed`.
    int run(const std::string& command) {
        const std::string line = "cd '" + folder_.string() + "' && PATH=\"$PWD/bin:$PATH\" && { " +
                                 command + "\n} >printed 2>&1";
        const int status = std::system(line.c_str());
        printed = content_of(folder_ / "printed");
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    void expect_script(const std::string& name) {
        EXPECT_EQ(run("sh examples/exercise/" + name + ".sh"), 0);
        const fs::path expected =
            fs::path(NPUNET_SOURCE_DIR) / "examples/exercise" / (name + ".expected.txt");
        ASSERT_TRUE(fs::exists(expected));
        EXPECT_EQ(printed, content_of(expected));
    }

    std::string printed;
    fs::path folder_;
};

TEST_F(Exercise, MeshRoutes) {
    expect_script("mesh");
}

// The figures that were published with the exercise.
TEST_F(Exercise, SanityCheck) {
    expect_script("sanity");
    for (const char* figure : {"finished: 3556872116", "exposed communication: 2637085435",
                               "GPU time: 919786681", "Comm time: 3521411134", "83.794%", "85.661%",
                               "28.401%", "3523.082", "peak memory usage: 19676528640"}) {
        EXPECT_NE(printed.find(figure), std::string::npos) << figure;
    }
}

TEST_F(Exercise, FiveSystems) {
    expect_script("systems");
}

// A script that takes the third word of every line breaks where there is none; so does ours.
TEST_F(Exercise, MetricsNeedThreeWordsInEveryLine) {
    std::ofstream(folder_ / "log") << "[a b] [workload] [info] sys[0] peak memory usage: 12\n\n";
    EXPECT_NE(run("awk -f examples/exercise/metrics.awk log"), 0);
    EXPECT_NE(printed.find("line 2"), std::string::npos);
}

}  // namespace
}  // namespace npunet::docs_test
