// Runs the scripts of examples/ as a reader would, and holds what they print against the file
// beside them.
//
//     TEST_F(Exercise, MeshRoutes) { expect_script("examples/exercise/mesh"); }
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_folder.h"

namespace npunet::docs_test {

/// A folder of its own in which configs/ and examples/ are those of the repository, and npunet is
/// on the PATH.
class ExampleScripts : public ::testing::Test {
protected:
    void SetUp() override;

    /// Runs a command as a shell would, in the folder. The exit code; what it printed to stdout and
    /// stderr is in `printed`.
    int run(const std::string& command);

    /// The script NAME.sh ends with 0 and prints what is in NAME.expected.txt.
    void expect_script(const std::string& name);

    std::string printed;            ///< by the command that ran last
    test::TemporaryFolder folder_;  ///< where commands run
};

}  // namespace npunet::docs_test
