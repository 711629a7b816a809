// A folder with a small cluster, of a node of 4 V100 and one of 4 A100, and profiles of 6 layers
// for it, all made by the program itself.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {

class PlanInputs : public ::testing::Test {
protected:
    void SetUp() override {
        make_cluster("");
        const Outcome profiles =
            run("plan profiles --from " + std::string(NPUNET_SOURCE_DIR) +
                "/configs/systems/a100.json --hidden-size 512 --vocab-size 1024 "
                "--sequence-length 256 --heads 8 --layers 6 --max-batch 8 --scale V100=3.5 "
                "--output-dir " +
                path("profiles"));
        ASSERT_EQ(profiles.code, 0) << profiles.log;
    }

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

    test::TemporaryFolder folder_;
};

}  // namespace npunet::cli
