// The same input gives the same bytes with every compiler, at every level of optimization and with
// any number of threads: examples of all that the program computes, held against a table of
// fingerprints in the repository. scripts/test-determinism runs this with several compilers.
//
// A change that is meant to change results, or what is said of them, records the table anew:
//
//     determinism_tests --gtest_also_run_disabled_tests --gtest_filter=*RecordTheTable

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "examples.h"
#include "fingerprints.h"
#include "packet/make_packet_network.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::determinism_test {
namespace {

namespace fs = std::filesystem;

/// A folder where the examples run; what they make is gone with it.
class Determinism : public testing::Test {
protected:
    Determinism() : back_(fs::current_path()) {
        for (const char* const shipped : {"configs", "examples"}) {
            fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / shipped, folder_ / shipped);
        }
        for (const InputFile& file : input_files()) {
            folder_.write(file.name, file.text);
        }
        fs::create_directory(folder_ / "plan");
        fs::current_path(folder_.path());
    }
    ~Determinism() override { fs::current_path(back_); }

    /// Of all examples.
    template <class Use>
    static void for_each(const Use& use) {
        for (const Example& example : examples()) {
            for (const std::string& fidelity : example.fidelities) {
                use(example, fidelity);
            }
        }
    }

    /// Runs an example; a failed expectation unless it ends with 0.
    static std::uint64_t fingerprint(const Example& example, const std::string& fidelity,
                                     const std::string& more = "") {
        std::istringstream stream(example.command + more);
        std::vector<std::string> words;
        std::string folder;
        for (std::string word; stream >> word;) {
            if (const std::size_t at = word.find("FIDELITY"); at != std::string::npos) {
                word.replace(at, 8, fidelity);
            }
            if (!words.empty() && words.back() == "--output-dir") {
                folder = word;
            }
            words.push_back(word);
        }
        const cli::Outcome outcome = cli::run(words);
        EXPECT_EQ(outcome.code, 0) << example.command << more << '\n' << outcome.log;
        return fingerprint_of(outcome.out, folder);
    }

private:
    test::TemporaryFolder folder_;
    fs::path back_;
};

TEST_F(Determinism, ResultsAreThoseOfTheTable) {
    Table table = read_table();
    for_each([&](const Example& example, const std::string& fidelity) {
        const std::uint64_t found = fingerprint(example, fidelity);
        EXPECT_EQ(fmt::format("{:016x}", found),
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
    for_each([&](const Example& example, const std::string& fidelity) {
        if (!takes_threads(example, fidelity)) {
            if (example.command.find("FIDELITY") == std::string::npos) {
                fingerprint(example, fidelity);  // makes what others read
            }
            return;
        }
        // Packets have one thread, everything else one a core, unless they are told otherwise.
        const bool one_by_default = example.command.rfind("simulate", 0) == 0;
        for (const int threads : one_by_default ? std::vector{3} : std::vector{1, 3}) {
            EXPECT_EQ(fmt::format("{:016x}", fingerprint(example, fidelity,
                                                         fmt::format(" --jobs {}", threads))),
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

TEST_F(Determinism, DISABLED_RecordTheTable) {
    std::vector<std::pair<ExampleRun, std::uint64_t>> rows;
    for_each([&](const Example& example, const std::string& fidelity) {
        rows.push_back({{example.name, fidelity}, fingerprint(example, fidelity)});
    });
    write_table(rows);
}

}  // namespace
}  // namespace npunet::determinism_test
