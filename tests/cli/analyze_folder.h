// A folder for tests of `npunet analyze`, gone with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/cli/program_run.h"

namespace npunet::cli {

class AnalyzeTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path(::testing::TempDir()) /
                  ("npunet_analyze_" + std::to_string(::getpid()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    static std::string contents(const std::filesystem::path& file) {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    /// The profiles that come along with the project: two stages of a pipeline, two micro-batches.
    static std::filesystem::path examples() {
        return std::filesystem::path(NPUNET_SOURCE_DIR) / "examples/profiles";
    }
    [[nodiscard]] std::string example(int rank) const {
        return contents(examples() / "iteration_3" /
                        ("rank_000" + std::to_string(rank) + "_iter_3.pt.trace.json"));
    }

    std::filesystem::path folder_;
};

}  // namespace npunet::cli
