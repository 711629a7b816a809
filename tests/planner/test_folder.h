// What the tests of this folder share: a temporary folder and the InputError that a call throws.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace npunet::planner {

/// A folder of one test's own, gone with the fixture.
class TestFolder : public ::testing::Test {
protected:
    TestFolder() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(test->test_suite_name()) + "_" + test->name();
        for (char& letter : name) {
            letter = letter == '/' ? '_' : letter;
        }
        folder_ = std::filesystem::temp_directory_path() /
                  ("npunet_planner_" + std::to_string(::getpid()) + "_" + name);
        std::filesystem::create_directories(folder_);
    }
    ~TestFolder() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    /// Makes a file and gives its path.
    [[nodiscard]] std::filesystem::path make_file(std::string_view name,
                                                  std::string_view bytes) const {
        const auto path = folder_ / name;
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }

    std::filesystem::path folder_;
};

/// The InputError that a call throws; an empty one, and a failed test, when it throws none.
template <class Call>
InputProblem problem_of(Call&& call) {
    try {
        static_cast<void>(call());
    } catch (const InputError& error) {
        return error.problem();
    }
    ADD_FAILURE() << "no InputError was thrown";
    return {};
}

}  // namespace npunet::planner
