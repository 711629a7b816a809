// Logs of one rank written by a test, and what reading them gives.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "generators/megatron/logs/call_log_reader.h"
#include "log_files.h"
#include "tests/support/refusals.h"

namespace npunet::generators::megatron {

class CallLogReader : public ::testing::Test {
protected:
    /// The only event of a log with it.
    LoggedCall only(const std::string& event) {
        const auto path = folder_.write("log.json", log_of({event}));
        const std::vector<LoggedCall> events = events_of(path, Rank(0), groups_);
        EXPECT_EQ(events.size(), 1U);
        return events.at(0);
    }
    std::vector<LoggedCall> all(const std::vector<std::string>& events) {
        return events_of(folder_.write("log.json", log_of(events)), Rank(0), groups_);
    }
    std::vector<std::int32_t> ranks(const Call& call) const {
        std::vector<std::int32_t> numbers;
        for (const Rank rank : groups_.ranks(call.group)) {
            numbers.push_back(rank.value());
        }
        return numbers;
    }
    InputProblem refusal(const std::string& text) {
        const auto path = folder_.write("log.json", text);
        return test::problem_of([&] { events_of(path, Rank(0), groups_); });
    }

    GroupTable groups_;
    test::TemporaryFolder folder_;
};

}  // namespace npunet::generators::megatron
