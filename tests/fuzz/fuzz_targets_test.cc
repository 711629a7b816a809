// The fuzz targets over their own seeds, with a few random changes, over the kept corpus, and over
// what went wrong once.
// scripts/fuzz looks for more.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <random>

#include "fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace npunet::fuzz {

/// Names of tests show the target, not its bytes.
void PrintTo(const FuzzTarget& target, std::ostream* out) {
    *out << target.name;
}

namespace {

namespace fs = std::filesystem;

class FuzzTargets : public ::testing::TestWithParam<FuzzTarget> {};

void run_one(const FuzzTarget& target, const std::string& input, const std::string& what) {
    try {
        target.run(input);
    } catch (const std::exception& error) {
        ADD_FAILURE() << target.name << ", " << what << ": " << error.what();
    }
}

// Whatever the bytes: an answer or a refusal, within the memory that they explain.
TEST_P(FuzzTargets, AcceptsItsSeedsAndChangedOnes) {
    std::mt19937 random(7);
    const std::vector<std::string> seeds = GetParam().seeds();
    ASSERT_FALSE(seeds.empty());
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        run_one(GetParam(), seeds[i], "seed " + std::to_string(i));
        for (int change = 0; change < 20 && !seeds[i].empty() && seeds[i].size() < 10'000;
             ++change) {
            std::string input = seeds[i];
            const std::size_t at = random() % input.size();
            if (change % 4 == 0) {
                input.resize(at);
            } else {
                input[at] = static_cast<char>(random());
            }
            run_one(GetParam(), input, "a change of seed " + std::to_string(i));
        }
    }
}

/// Runs the files of a folder of tests/fuzz; how many there are.
std::size_t run_files(const FuzzTarget& target, const fs::path& kind) {
    const fs::path folder = fs::path(NPUNET_SOURCE_DIR "/tests/fuzz") / kind / target.name;
    if (!fs::exists(folder)) {
        return 0;
    }
    std::size_t inputs = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        run_one(target, test::bytes_of(entry.path()), entry.path().filename().string());
        ++inputs;
    }
    return inputs;
}

// tests/fuzz/corpus/TARGET: inputs that together reach what scripts/fuzz has reached.
TEST_P(FuzzTargets, AnswersItsCorpus) {
    EXPECT_GT(run_files(GetParam(), "corpus"), 0U);
}

// tests/fuzz/regressions/TARGET: inputs that one of the readers answered wrongly.
TEST(FuzzRegressions, AnswersWhatWentWrongOnce) {
    std::size_t inputs = 0;
    for (const FuzzTarget& target : fuzz_targets()) {
        inputs += run_files(target, "regressions");
    }
    EXPECT_GT(inputs, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, ::testing::ValuesIn(fuzz_targets()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace npunet::fuzz
