// A folder with a small cluster, of a node of 4 V100 and one of 4 A100, and profiles of 6 layers
// for it, all made by the program itself.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/cli/program_run.h"

namespace npunet::cli {

inline std::string content_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class PlanInputs : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("npunet_plan_" + std::to_string(::getpid()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
        make_cluster("");
        const Outcome profiles =
            run("plan profiles --from " + std::string(NPUNET_SOURCE_DIR) +
                "/configs/systems/a100.json --hidden-size 512 --vocab-size 1024 "
                "--sequence-length 256 --heads 8 --layers 6 --max-batch 8 --scale V100=3.5 "
                "--output-dir " +
                path("profiles"));
        ASSERT_EQ(profiles.code, 0) << profiles.log;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    /// Anew, with further options.
    void make_cluster(const std::string& options) const {
        const Outcome outcome = run("plan hostfile 4 --output " + path("hostfile") +
                                    " --cluster-file " + path("clusterfile.json") + options);
        ASSERT_EQ(outcome.code, 0) << outcome.log;
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    [[nodiscard]] std::string files() const {
        return " --hostfile " + path("hostfile") + " --clusterfile " + path("clusterfile.json") +
               " --profiles " + path("profiles");
    }

    std::filesystem::path folder_;
};

}  // namespace npunet::cli
