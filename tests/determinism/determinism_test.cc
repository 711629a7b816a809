// The same input gives the same bytes with every compiler, at every level of optimization and with
// any number of threads: examples of all that the program computes, held against a table of
// fingerprints in the repository. scripts/test-determinism runs this with several compilers.
//
// A change that is meant to change results, or what is said of them, records the table anew:
// scripts/record fingerprints.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "example_runs.h"
#include "examples.h"
#include "fingerprints.h"

namespace npunet::determinism_test {
namespace {

namespace fs = std::filesystem;

class Determinism : public testing::Test {
protected:
    /// A failed expectation unless the example ends with 0.
    static std::string fingerprint(const Example& example, const std::string& fidelity,
                                   const std::string& more = "") {
        const ExampleOutcome outcome = ExampleRuns::run(example, fidelity, more);
        EXPECT_EQ(outcome.program.code, 0) << example.command << more << '\n'
                                           << outcome.program.log;
        return fmt::format("{:016x}", outcome.fingerprint);
    }

    ExampleRuns runs_;
};

TEST_F(Determinism, ResultsAreThoseOfTheTable) {
    Table table = read_table();
    ExampleRuns::for_each([&](const Example& example, const std::string& fidelity) {
        EXPECT_EQ(fingerprint(example, fidelity),
                  fmt::format("{:016x}", table[{example.name, fidelity}]))
            << example.name << ", " << fidelity << ": " << example.command;
    });
}

/// Whether a command works with threads, and says the same with any number.
bool takes_threads(const Example& example, const std::string& fidelity) {
    const auto begins = [&](const char* word) { return example.command.rfind(word, 0) == 0; };
    return (begins("simulate") && fidelity == "packet") || begins("sweep") || begins("compare") ||
           begins("plan --") || begins("analyze") || begins("generate profile");
}

TEST_F(Determinism, ThreadsChangeNothing) {
    Table table = read_table();
    ExampleRuns::for_each([&](const Example& example, const std::string& fidelity) {
        if (!takes_threads(example, fidelity)) {
            if (example.command.find("FIDELITY") == std::string::npos) {
                fingerprint(example, fidelity);  // makes what others read
            }
            return;
        }
        // Packets have one thread, everything else one a core, unless they are told otherwise.
        const bool one_by_default = example.command.rfind("simulate", 0) == 0;
        for (const int threads : one_by_default ? std::vector{3} : std::vector{1, 3}) {
            EXPECT_EQ(fingerprint(example, fidelity, fmt::format(" --jobs {}", threads)),
                      fmt::format("{:016x}", table[{example.name, fidelity}]))
                << example.name << ", " << threads << " threads";
        }
    });
}

// Every network, system and model that comes with the program is in the table.
TEST_F(Determinism, TheTableHasWhatIsShipped) {
    std::string commands;
    for (const Example& example : examples()) {
        commands += example.command + ' ';
    }
    for (const char* const kind : {"networks", "systems", "models", "text"}) {
        for (const auto& entry : fs::directory_iterator(fs::path("configs") / kind)) {
            const std::string name = entry.path().stem();
            EXPECT_NE(commands.find(std::string(kind) == "models"
                                        ? "--model " + name + ' '
                                        : fmt::format("configs/{}/{}.", kind, name)),
                      std::string::npos)
                << entry.path();
        }
    }
}

}  // namespace
}  // namespace npunet::determinism_test
