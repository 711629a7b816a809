// A sample (tp, b) becomes (tp, 2 b) at twice the time and (2 tp, b) at half of it; L layers are
// first, second x (L - 2), last; a scaled type is every time multiplied.
#include "planner/synthetic_profiles.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "planner/python_json.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::planner {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

ProfileFile sample(std::int64_t tp, std::int64_t batch) {
    ProfileFile file;
    file.type = "A100";
    file.tp = tp;
    file.batch = batch;
    file.model_name = "GPT";
    file.parameter_bytes = {40, 20, 20, 30};
    file.layer_ms = {1, 4, 4, 2};
    file.between_ms = 3;
    file.forward_backward_ms = 14;
    file.optimizer_ms = 8;
    file.layernorm_all_reduce_ms = 2;
    file.embedding_all_reduce_ms = 0.5;
    file.batch_generator_ms = 0.25;
    file.layer_memory_mib = {100, 50, 70};
    return file;
}

const ProfileFile& of(const std::vector<ProfileFile>& files, std::string_view name) {
    for (const ProfileFile& file : files) {
        if (name_of(file) == name) {
            return file;
        }
    }
    throw std::runtime_error("no " + std::string(name));
}

class SyntheticProfiles : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(SyntheticProfiles, StretchesDoublesHalvesAndScales) {
    auto files =
        stretched_profiles({sample(1, 1), sample(1, 2), sample(2, 1), sample(2, 2)}, {6, 8, 4});
    add_scaled_types(files, {{"V100", 3}});
    ASSERT_EQ(files.size(), 2U * 3 * 4);
    const ProfileFile& longer = of(files, "DeviceType.A100_tp2_bs2.json");
    EXPECT_EQ(longer.layer_ms, (std::vector<double>{1, 4, 4, 4, 4, 2}));
    EXPECT_EQ(longer.layer_memory_mib, (std::vector<double>{100, 50, 50, 50, 50, 70}));
    EXPECT_EQ(longer.parameter_bytes, (std::vector<double>{40, 20, 20, 20, 20, 30}));
    EXPECT_EQ(longer.forward_backward_ms, 19 + 3);
    EXPECT_EQ(longer.optimizer_ms, 12);
    EXPECT_EQ(longer.layernorm_all_reduce_ms, 3);
    EXPECT_EQ(longer.total_ms, 22 + 12 + 3 + 0.5 + 0.25);
    const ProfileFile& largest = of(files, "DeviceType.A100_tp4_bs8.json");
    EXPECT_EQ(largest.layer_ms, (std::vector<double>{2, 8, 8, 8, 8, 4}));
    EXPECT_EQ(largest.forward_backward_ms, 44);
    EXPECT_EQ(largest.between_ms, 6);
    EXPECT_EQ(largest.layer_memory_mib, longer.layer_memory_mib);
    EXPECT_EQ(largest.optimizer_ms, 12);
    EXPECT_EQ(largest.total_ms, 44 + 12 + 3 + 0.5 + 0.25);
    const ProfileFile& slower = of(files, "DeviceType.V100_tp4_bs8.json");
    EXPECT_EQ(slower.layer_ms, (std::vector<double>{6, 24, 24, 24, 24, 12}));
    EXPECT_EQ(slower.optimizer_ms, 36);
    EXPECT_EQ(slower.batch_generator_ms, 0.75);
    EXPECT_EQ(slower.total_ms, 3 * largest.total_ms);
    EXPECT_EQ(slower.layer_memory_mib, largest.layer_memory_mib);
}

TEST_F(SyntheticProfiles, SamplesBeyondTheGridAreLeftOut) {
    const auto files =
        stretched_profiles({sample(1, 1), sample(1, 4), sample(2, 1), sample(2, 4)}, {4, 3, 1});
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(name_of(files.front()), "DeviceType.A100_tp1_bs1.json");
}

TEST_F(SyntheticProfiles, WhatIsWrittenReadsBack) {
    ProfileFile file = sample(2, 4);
    file.layer_ms = {1e-5, 0.1, 1e9, 123456789.125};
    file.layer_memory_mib = {1.5, 2, 3, 4};
    file.layer_activation_mib = {0, 1, 1, 0.5};
    write_profile_files({file}, folder_ / "written");
    const ProfileSet read = read_profiles(folder_ / "written");
    const LayerProfile* profile = read.find("A100", 2, 4);
    ASSERT_NE(profile, nullptr);
    EXPECT_EQ(profile->layer_ms, file.layer_ms);
    EXPECT_EQ(profile->layer_memory_mib, file.layer_memory_mib);
    EXPECT_EQ(profile->layer_activation_mib, file.layer_activation_mib);
    EXPECT_EQ(profile->parameter_bytes, file.parameter_bytes);
    EXPECT_EQ(profile->optimizer_ms, file.optimizer_ms);
}

// Of two shortest decimals at the same distance Python prints the even one.
TEST_F(SyntheticProfiles, NumbersAreAsPythonPrintsThem) {
    const nlohmann::ordered_json document{
        {"a", {10.814285278320312, 1.0, 0.0, 1e16, 1e-5, 0.0001, 123456789012345.0}},
        {"b", {{"c", 7}, {"d", nlohmann::ordered_json::array()}}}};
    EXPECT_EQ(python_json(document),
              "{\n  \"a\": [\n    10.814285278320312,\n    1.0,\n    0.0,\n    1e+16,\n    1e-05,\n"
              "    0.0001,\n    123456789012345.0\n  ],\n  \"b\": {\n    \"c\": 7,\n    \"d\": []\n"
              "  }\n}");
}

// The folders of the recorded cases were made from the nine samples that one of them holds.
TEST_F(SyntheticProfiles, AreThoseOfEveryRecordedCaseByteForByte) {
    const fs::path cases = fs::path(NPUNET_SHARED_DIR) / "data/planner";
    const fs::path samples = cases / "e11_samples_2a/profile";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const auto sampled = read_profile_files(samples);
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(cases)) {
        const fs::path folder = entry.path() / "profile";
        if (folder == samples) {
            continue;
        }
        const ProfileSet recorded = read_profiles(folder);
        const auto layers = static_cast<std::int64_t>(recorded.all().front().layer_ms.size());
        auto files = stretched_profiles(sampled, {layers, 128, 128});
        add_scaled_types(files, {{"V100", 3.5}});
        EXPECT_EQ(files.size(), recorded.all().size()) << folder;
        for (const ProfileFile& file : files) {
            EXPECT_EQ(text_of(file), test::bytes_of(folder / name_of(file)))
                << folder / name_of(file);
            ++compared;
        }
    }
    EXPECT_GE(compared, 1408U);
}

TEST_F(SyntheticProfiles, RefusesWhatCannotBeStretched) {
    EXPECT_EQ(test::problem_of([] {
                  return stretched_profiles({sample(1, 1), sample(1, 2), sample(2, 1)}, {4, 8, 8});
              }).found,
              "no DeviceType.A100_tp2_bs2.json");
    const auto scaled = [](std::vector<ProfileFile> files, const std::string& type) {
        return test::problem_of([&] {
            add_scaled_types(files, {{type, 2}});
            return 0;
        });
    };
    ProfileFile other = sample(1, 1);
    other.type = "T4";
    EXPECT_THAT(scaled({sample(1, 1), other}, "V100").found, HasSubstr("2 types: A100, T4"));
    EXPECT_EQ(scaled({sample(1, 1)}, "A100").found, "A100 a second time");
    EXPECT_THAT(test::problem_of([this] { return read_profile_files(folder_.path()); }).found,
                HasSubstr("no profile"));
    ProfileFile two = sample(1, 1);
    two.layer_memory_mib = {1, 2};
    write_profile_files({two}, folder_.path());
    EXPECT_EQ(test::problem_of([this] { return read_profile_files(folder_.path()); }).place,
              "layer_memory_total_mb");
}

}  // namespace
}  // namespace npunet::planner
