// A folder for tests of `npunet analyze`, gone with the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {

class AnalyzeTest : public ::testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    /// The profiles that come along with the project: two stages of a pipeline, two micro-batches.
    static std::filesystem::path examples() {
        return std::filesystem::path(NPUNET_SOURCE_DIR) / "examples/profiles";
    }
    [[nodiscard]] std::string example(int rank) const {
        return test::bytes_of(examples() / "iteration_3" /
                              ("rank_000" + std::to_string(rank) + "_iter_3.pt.trace.json"));
    }

    test::TemporaryFolder folder_;
};

}  // namespace npunet::cli
