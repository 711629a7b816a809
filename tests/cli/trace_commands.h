// A folder of traces, and npunet trace run on them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chakra/files/trace_reader.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {

class TraceCommands : public ::testing::Test {
protected:
    [[nodiscard]] std::string at(const std::string& name) const { return folder_ / name; }

    [[nodiscard]] std::string bytes_of(const std::string& name) const {
        return test::bytes_of(at(name));
    }

    /// A small step on four NPUs, two stages.
    void generate(const std::string& to, const std::string& more = "") const {
        const Outcome made =
            run("generate transformer --dmodel 64 --dff 128 --head 4 --kvhead 4 --num-stacks 2 "
                "--dvocal 128 --seq 32 --batch 2 --tp 2 --pp 2 --output-dir " +
                at(to) + " " + more);
        ASSERT_EQ(made.code, 0) << made.log;
    }

    [[nodiscard]] std::vector<chakra::Node> nodes_of(const std::string& name) const {
        return chakra::read_trace(at(name));
    }

    test::TemporaryFolder folder_;
};

}  // namespace npunet::cli
