// The fuzz targets over their own seeds, with a few random changes, over the kept corpus, and over
// what went wrong once.
// scripts/fuzz looks for more.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "fuzz_target.h"
#include "tar_archive.h"
#include "tests/support/temporary_folder.h"

namespace npunet::fuzz {

/// Names of tests show the target, not its bytes.
void PrintTo(const FuzzTarget& target, std::ostream* out) {
    *out << target.name;
}

namespace {

namespace fs = std::filesystem;

const fs::path tests_fuzz = NPUNET_SOURCE_DIR "/tests/fuzz";

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

// tests/fuzz/corpus/TARGET.tar: inputs that together reach what scripts/fuzz has reached.
TEST_P(FuzzTargets, AnswersItsCorpus) {
    const std::vector<ArchivedFile> inputs =
        read_tar(test::bytes_of(tests_fuzz / "corpus" / (std::string(GetParam().name) + ".tar")));
    EXPECT_FALSE(inputs.empty());
    for (const ArchivedFile& input : inputs) {
        run_one(GetParam(), input.bytes, input.name);
    }
}

// tests/fuzz/regressions/TARGET: inputs that one of the readers answered wrongly.
TEST(FuzzRegressions, AnswersWhatWentWrongOnce) {
    std::size_t inputs = 0;
    for (const FuzzTarget& target : fuzz_targets()) {
        const fs::path folder = tests_fuzz / "regressions" / target.name;
        if (!fs::exists(folder)) {
            continue;
        }
        for (const auto& entry : fs::directory_iterator(folder)) {
            run_one(target, test::bytes_of(entry.path()), entry.path().filename().string());
            ++inputs;
        }
    }
    EXPECT_GT(inputs, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, ::testing::ValuesIn(fuzz_targets()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace npunet::fuzz
