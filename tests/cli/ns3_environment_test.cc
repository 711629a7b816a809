// ns-3's environment variables change neither the program's output nor its results.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

class Ns3Environment : public testing::Test {
protected:
    /// Returns the exit code; output goes to `out` and `log`.
    [[nodiscard]] int run_with(const std::string& variables, const std::string& arguments) const {
        const std::string command =
            fmt::format("env {} timeout 60 {} {} > {} 2> {}", variables, NPUNET_PROGRAM, arguments,
                        path("out"), path("log"));
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    [[nodiscard]] std::string simulate() const {
        return fmt::format(
            "simulate --workload {} --network {} --fidelity packet --quiet --output-dir {}",
            path("traces/workload"), path("ring.yml"), path("results"));
    }

    test::TemporaryFolder folder_;
};

TEST_F(Ns3Environment, DoesNotReachTheProgram) {
    ASSERT_EQ(run_with("",
                       "generate collective --type all_reduce --size 1MB --npus 8 "
                       "--output-dir " +
                           path("traces")),
              0);
    folder_.write("ring.yml",
                  "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n");
    ASSERT_EQ(run_with("", simulate()), 0);
    const std::string expected = test::bytes_of(path("results/links.csv"));
    ASSERT_EQ(test::bytes_of(path("log")), "");
    for (const char* const variables :
         {"NS_LOG=MyApp=level_all", "NS_LOG=print-list", "'NS_LOG=*=level_all|prefix_all'",
          "NS_LOG=Simulator=level_all", "NS_LOG=***",
          "NS_GLOBAL_VALUE=SimulatorImplementationType=ns3::RealtimeSimulatorImpl",
          "NS_GLOBAL_VALUE=SimulatorImplementationType=ns3::VisualSimulatorImpl",
          "NS_GLOBAL_VALUE=SimulatorImplementationType=nothing",
          "NS_GLOBAL_VALUE=SchedulerType=ns3::ListScheduler",
          "NS_GLOBAL_VALUE=", "NS_ATTRIBUTE_DEFAULT=ns3::NoSuchType::Attribute=3",
          "NS_LOG=MyApp NS_GLOBAL_VALUE=SimulatorImplementationType=x NS_ATTRIBUTE_DEFAULT=y=z",
          "NS_COMMANDLINE_INTROSPECTION=/nowhere"}) {
        std::filesystem::remove_all(path("results"));
        EXPECT_EQ(run_with(variables, simulate()), 0) << variables;
        EXPECT_EQ(test::bytes_of(path("log")), "") << variables;
        EXPECT_EQ(test::bytes_of(path("out")), "") << variables;
        EXPECT_EQ(test::bytes_of(path("results/links.csv")), expected) << variables;
    }
}

}  // namespace
}  // namespace npunet::cli
