// A sweep under mpirun: in builds with MPI.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>

#include "tests/cli/sweep_program.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;

TEST_F(Sweep, MpiChangesNoByte) {
    ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("threads")}), 0) << log();
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    // With sanitizers: the library keeps memory until the program ends, and is gone by then.
    const char* const options = std::getenv("ASAN_OPTIONS");
    ::setenv("ASAN_OPTIONS",
             (std::string(options == nullptr ? "" : options) + ":detect_leaks=0").c_str(), 1);
    for (const char* processes : {"1", "2", "3"}) {
        const std::string output = std::string("mpi") + processes;
        std::vector<std::string> command{NPUNET_MPIRUN, "--oversubscribe", "-n", processes};
        for (const std::string& word :
             words({path("plans.yml"), "--mpi", "--output-dir", path(output)})) {
            command.push_back(word);
        }
        ASSERT_EQ(wait_for(start(command)), 0) << log();
        EXPECT_TRUE(csv(output) == csv("threads")) << processes;
        EXPECT_TRUE(test::bytes_of(folder_ / output / "results.json") ==
                    test::bytes_of(folder_ / "threads/results.json"));
        // One process speaks.
        const std::string out = test::bytes_of(path("stdout"));
        EXPECT_EQ(out.find(" points, "), out.rfind(" points, "));
    }
    write("bad.yml", "workload: {model: small.yml, batch: 16}\nnetworks: [nowhere.yml]\n");
    std::vector<std::string> command{NPUNET_MPIRUN,  "--oversubscribe", "-n",           "2",
                                     NPUNET_PROGRAM, "sweep",           path("bad.yml")};
    EXPECT_EQ(wait_for(start(command)), 2) << log();
    EXPECT_THAT(log(), HasSubstr("nowhere.yml"));
}

}  // namespace
}  // namespace npunet::cli
