// A folder of files that a user got wrong, and npunet simulate run on them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chakra/files/trace_writer.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::cli {

class BadInput : public ::testing::Test {
protected:
    void SetUp() override {
        write("mesh.yml",
              "topology: Mesh2D\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n");
        write("ring2.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n");
    }

    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    void trace(std::int32_t rank, const std::vector<chakra::Node>& nodes) const {
        chakra::write_trace(folder_ / ("w." + std::to_string(rank) + ".et"), nodes);
    }
    void all_reduce_traces(std::int32_t ranks) const {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            trace(rank, {test::collective_node(1, chakra::CollectiveType::AllReduce, 4096)});
        }
    }
    /// Overwrites the results of the previous call.
    [[nodiscard]] Outcome simulate(const std::string& network,
                                   std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"simulate",    "--workload",   path("w"),   "--network",
                                           path(network), "--output-dir", path("out"), "--force"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    void expect_refused(const Outcome& outcome, int code) const {
        EXPECT_EQ(outcome.code, code) << outcome.log;
        EXPECT_EQ(outcome.out, "");
        EXPECT_FALSE(std::filesystem::exists(folder_ / "out"))
            << "something was written in spite of the error";
    }

    test::TemporaryFolder folder_;
};

}  // namespace npunet::cli
