// What the tests of this folder share: a temporary folder, bytes to and from files, frames made by
// hand, and the InputError that a call throws.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace npunet::chakra {

/// A folder of one test's own, gone with the fixture.
class TempFolderTest : public ::testing::Test {
protected:
    TempFolderTest() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() /
                  ("npunet_chakra_" + std::to_string(::getpid()) + "_" + test->name());
        std::filesystem::create_directories(folder_);
    }
    ~TempFolderTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::filesystem::path in_folder(std::string_view name) const {
        return folder_ / std::string(name);
    }

    /// Makes a file and gives its path.
    std::filesystem::path make_file(std::string_view name, std::string_view bytes) const {
        const auto path = in_folder(name);
        // Some file systems flush a file that is truncated and written again: slow in a loop.
        std::filesystem::remove(path);
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }

    std::filesystem::path folder_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    }
    return bytes + static_cast<char>(value);
}

/// A message behind its length.
inline std::string frame(std::string_view message) {
    return varint(message.size()) + std::string(message);
}

/// A length-delimited field.
inline std::string field(unsigned number, std::string_view content) {
    return varint(number << 3U | 2U) + frame(content);
}

/// A varint field.
inline std::string field(unsigned number, std::uint64_t value) {
    return varint(number << 3U) + varint(value);
}

/// Metadata and so many nodes that readers have found out the schema when they come to the next.
inline std::string plain_beginning() {
    std::string bytes = frame(field(1, "0.0.4"));
    for (unsigned id = 0; id < 64; ++id) {
        bytes += frame(field(1, id + 1U) + field(2, "COMP_NODE_x") + field(3, 4U));
    }
    return bytes;
}

/// The InputError that a call throws; an empty one, and a failed test, when it throws none.
template <class Call>
InputProblem problem_of(Call&& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.problem();
    }
    ADD_FAILURE() << "no InputError was thrown";
    return {};
}

}  // namespace npunet::chakra
