// What the tests of logs share: a temporary folder, events as text, the recorded logs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "generators/megatron/call_log_reader.h"

namespace npunet::generators::megatron {

/// A folder of one test's own, gone with the fixture.
class LogFiles : public ::testing::Test {
protected:
    LogFiles() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() /
                  ("npunet_megatron_" + std::to_string(::getpid()) + "_" + test->name());
        std::filesystem::create_directories(folder_);
    }
    ~LogFiles() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    /// Makes a file and gives its path.
    std::filesystem::path make_file(const std::filesystem::path& name,
                                    std::string_view bytes) const {
        const std::filesystem::path path = folder_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }

    std::filesystem::path folder_;
};

/// The recorded logs, unpacked into the folder of a test; skips where they are absent.
class RecordedLogs : public LogFiles {
protected:
    void SetUp() override {
        const std::filesystem::path archive =
            std::filesystem::path(NPUNET_SHARED_DIR) / "data/megatron/comm_logs.tar.xz";
        if (!std::filesystem::exists(archive)) {
            GTEST_SKIP() << "no " << archive;
        }
        const std::string command =
            "tar -xJf '" + archive.string() + "' -C '" + folder_.string() + "'";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
            if (entry.path().filename() == "config.json") {
                runs_.push_back(entry.path().parent_path());
            }
        }
        ASSERT_FALSE(runs_.empty());
    }

    std::vector<std::filesystem::path> runs_;
};

/// A log of these events, each given without its braces, call_id and src_rank.
inline std::string log_of(const std::vector<std::string>& events, int rank = 0) {
    std::string text = "[";
    for (std::size_t i = 0; i < events.size(); ++i) {
        text += (i == 0 ? "\n{" : ",\n{") + events[i] + ", \"call_id\": " + std::to_string(i) +
                ", \"src_rank\": " + std::to_string(rank) + "}";
    }
    return text + "\n]";
}

/// All events of a log.
inline std::vector<LoggedCall> events_of(const std::filesystem::path& log, Rank rank,
                                         GroupTable& groups) {
    std::vector<LoggedCall> events;
    read_call_log(log, rank, groups, [&](const LoggedCall& event) { events.push_back(event); });
    return events;
}

/// The InputError that the call throws.
template <class Step>
InputProblem problem_of(Step&& step) {
    try {
        step();
    } catch (const InputError& error) {
        return error.problem();
    }
    ADD_FAILURE() << "no InputError";
    return {};
}

}  // namespace npunet::generators::megatron
