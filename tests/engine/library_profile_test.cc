// Profiles of communication libraries: those that come with npunet, and errors in files.

#include "engine/collective_library/library_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "tests/support/temporary_folder.h"

namespace npunet::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

const fs::path folder = fs::path(NPUNET_SOURCE_DIR) / "configs/collectives";

std::size_t numbers_in(const nlohmann::json& value) {
    std::size_t numbers = value.is_number() ? 1 : 0;
    if (value.is_structured()) {
        for (const auto& one : value) {
            numbers += numbers_in(one);
        }
    }
    return numbers;
}

/// A list with a number in it, anywhere: a curve, a table by size.
bool has_table(const nlohmann::json& value) {
    if (!value.is_structured()) {
        return false;
    }
    for (const auto& one : value) {
        if (has_table(one) || (value.is_array() && numbers_in(one) > 0)) {
            return true;
        }
    }
    return false;
}

nlohmann::json document_of(const fs::path& path) {
    std::ifstream stream(path);
    return nlohmann::json::parse(stream);
}

// Constants of a model, not a curve: what a profile may hold.
TEST(LibraryProfile, HasAtMost25NumbersOfAGpuAndNoTables) {
    std::size_t gpus = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const nlohmann::json document = document_of(entry.path());
        EXPECT_FALSE(has_table(document)) << entry.path();
        for (const auto& [name, gpu] : document["gpus"].items()) {
            EXPECT_LE(numbers_in(gpu), 25U) << entry.path() << ' ' << name;
            ++gpus;
        }
        nlohmann::json rest = document;
        rest.erase("gpus");
        EXPECT_EQ(numbers_in(rest), 0U) << entry.path();
    }
    EXPECT_GE(gpus, 3U);
}

std::string edited(const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json document = document_of(folder / "nccl-2.29.json");
    document[nlohmann::json::json_pointer(pointer)] = value;
    return document.dump();
}

std::string error_of(const std::string& text) {
    const test::TemporaryFolder temporary;
    const fs::path path = temporary.path() / "profile.json";
    std::ofstream(path) << text;
    try {
        static_cast<void>(read_library_profile(path.string()));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(LibraryProfile, RefusesWhatIsNoProfile) {
    EXPECT_THAT(error_of(edited("/gpus/h100/architecture", "volta")), HasSubstr("ampere, hopper"));
    EXPECT_THAT(error_of(edited("/gpus/h100/constants/slice/value", {1.0, 2.0})),
                HasSubstr("constants: slice: value: found an array"));
    EXPECT_THAT(error_of(edited("/gpus/h100/constants/slice/unit", "ms")), HasSubstr("us"));
    EXPECT_THAT(error_of(edited("/gpus/h100/constants/slice/source", "hearsay")),
                HasSubstr("sources"));
    EXPECT_THAT(error_of(edited("/gpus/h100/constants/curve", {{"value", 1}})), HasSubstr("curve"));
    EXPECT_THAT(error_of(edited("/library", "nccl")), HasSubstr("nccl-2.29.2"));
    EXPECT_THAT(error_of(edited("/gpus", nlohmann::json::object())), HasSubstr("GPU type"));
    EXPECT_THAT(error_of("{"), HasSubstr("profile.json"));
}

TEST(LibraryProfile, AVersionWithoutAFileTakesTheNearestOlderOne) {
    std::vector<std::string> warnings;
    EXPECT_EQ(find_library_profile("nccl-2.29", "", warnings).version.text(), "2.29.2");
    EXPECT_EQ(find_library_profile("nccl-2.29.7", "", warnings).version.text(), "2.29.7");
    EXPECT_THAT(warnings, IsEmpty());
    const LibraryProfile later = find_library_profile("nccl-2.30.7", "", warnings);
    EXPECT_EQ(later.version.text(), "2.30.7");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], HasSubstr("nccl-2.29, the nearest older one"));
    static_cast<void>(find_library_profile("nccl-2.18", "", warnings));
    EXPECT_THAT(warnings.back(), HasSubstr("the oldest that there is"));
}

TEST(LibraryProfile, NamesWhatThereIs) {
    std::vector<std::string> warnings;
    try {
        static_cast<void>(find_library_profile("mccl-2.29", "", warnings));
        FAIL() << "it was found";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("nccl-2.29"));
    }
    const LibraryProfile profile = find_library_profile("nccl-2.29", "", warnings);
    EXPECT_EQ(&profile.gpu("h200", "system.json", "gpu"),
              &profile.gpu("h100", "system.json", "gpu"));
    try {
        static_cast<void>(profile.gpu("l40s", "system.json", "gpu"));
        FAIL() << "it was found";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("a100"));
        EXPECT_THAT(error.what(), HasSubstr("system.json"));
    }
}

}  // namespace
}  // namespace npunet::engine
