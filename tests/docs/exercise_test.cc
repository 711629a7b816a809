// The scripts of examples/exercise print what stands beside them, published figures included.

#include <fstream>

#include "example_scripts.h"

namespace npunet::docs_test {
namespace {

class Exercise : public ExampleScripts {};

TEST_F(Exercise, MeshRoutes) {
    expect_script("examples/exercise/mesh");
}

// The figures that were published with the exercise.
TEST_F(Exercise, SanityCheck) {
    expect_script("examples/exercise/sanity");
    for (const char* figure : {"finished: 3556872116", "exposed communication: 2637085435",
                               "GPU time: 919786681", "Comm time: 3521411134", "83.794%", "85.661%",
                               "28.401%", "3523.082", "peak memory usage: 19676528640"}) {
        EXPECT_NE(printed.find(figure), std::string::npos) << figure;
    }
}

TEST_F(Exercise, FiveSystems) {
    expect_script("examples/exercise/systems");
}

// A script that takes the third word of every line breaks where there is none; so does ours.
TEST_F(Exercise, MetricsNeedThreeWordsInEveryLine) {
    std::ofstream(folder_ / "log") << "[a b] [workload] [info] sys[0] peak memory usage: 12\n\n";
    EXPECT_NE(run("awk -f examples/exercise/metrics.awk log"), 0);
    EXPECT_NE(printed.find("line 2"), std::string::npos);
}

}  // namespace
}  // namespace npunet::docs_test
