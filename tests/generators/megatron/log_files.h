// What the tests of logs share: events as text, the recorded logs.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "generators/megatron/logs/call_log_reader.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::megatron {

/// The recorded logs, unpacked into the folder of a test; skips where they are absent.
class RecordedLogs : public ::testing::Test {
protected:
    void SetUp() override {
        const std::filesystem::path archive =
            std::filesystem::path(NPUNET_SHARED_DIR) / "data/megatron/comm_logs.tar.xz";
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
        const std::string command =
            "tar -xJf '" + archive.string() + "' -C '" + folder_.path().string() + "'";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
            if (entry.path().filename() == "config.json") {
                runs_.push_back(entry.path().parent_path());
            }
        }
        ASSERT_FALSE(runs_.empty());
    }

    test::TemporaryFolder folder_;
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

}  // namespace npunet::generators::megatron
