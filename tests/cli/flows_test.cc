// npunet simulate --flows and --messages: what they add, and that they add nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/bad_input.h"
#include "tests/support/systems.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Flows : public BadInput {
protected:
    [[nodiscard]] std::vector<std::string> lines(const std::string& name) const {
        std::ifstream file(folder_ / "out" / name);
        std::vector<std::string> all;
        for (std::string line; std::getline(file, line);) {
            all.push_back(line);
        }
        return all;
    }
    [[nodiscard]] bool exists(const std::string& name) const {
        return std::filesystem::exists(folder_ / "out" / name);
    }
};

// Two NPUs reduce 4096 bytes round their ring: a message of 2048 bytes to each other, and another,
// of 500 + 2048 / 50 = 540.96 ns each.
TEST_F(Flows, TellHowLongMessagesTook) {
    all_reduce_traces(2);
    folder_.write("rings.json", test::plain_rings);
    const Outcome plain = simulate("ring2.yml", {"--system", folder_ / "rings.json"});
    ASSERT_EQ(plain.code, 0) << plain.log;
    EXPECT_FALSE(exists("flows.csv"));
    const Outcome outcome =
        simulate("ring2.yml", {"--messages", "--system", folder_ / "rings.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, StartsWith(plain.out));
    EXPECT_THAT(outcome.out, HasSubstr("4 messages in 2 flows"));
    EXPECT_THAT(outcome.out, HasSubstr("slowest flows"));
    const std::vector<std::string> flows = lines("flows.csv");
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_EQ(flows[1],
              "npu0,npu1,0,2,4096,0,1081.92,1081.92,540.96,540.96,540.96,540.96,540.96,1,1,1,1,0,0,"
              "0,0,0");
    const std::vector<std::string> messages = lines("messages.csv");
    ASSERT_EQ(messages.size(), 5u);
    EXPECT_EQ(messages[2], "npu1,npu0,0,all_reduce,2048,0,0,540.96,540.96,1");
    const auto json = nlohmann::json::parse(std::ifstream(folder_ / "out" / "results.json"));
    EXPECT_EQ(json["flows"]["messages"], 4);
    EXPECT_EQ(json["flows"]["slowest"][1]["from"], "npu1");

    // What an earlier run has left and this one does not write is gone.
    ASSERT_EQ(simulate("ring2.yml", {"--flows"}).code, 0);
    EXPECT_TRUE(exists("flows.csv"));
    EXPECT_FALSE(exists("messages.csv"));
    ASSERT_EQ(simulate("ring2.yml").code, 0);
    EXPECT_FALSE(exists("flows.csv"));
}

TEST_F(Flows, MessagesNeedAFolder) {
    all_reduce_traces(2);
    const Outcome outcome =
        run({"simulate", "--workload", path("w"), "--network", path("ring2.yml"), "--messages"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log, HasSubstr("--messages: found no folder for messages.csv"));
    const Outcome table =
        run({"simulate", "--workload", path("w"), "--network", path("ring2.yml"), "--flows"});
    EXPECT_EQ(table.code, 0) << table.log;
    EXPECT_THAT(table.out, HasSubstr("npu1 -> npu0"));
}

// A run that stalls leaves nothing behind, not even the folder of the messages.
TEST_F(Flows, AreNotLeftBehindByARunThatStalls) {
    trace(0, {test::send_node(1, 1, 100), test::receive_node(2, 1, 100)});
    trace(1, {test::receive_node(1, 0, 100)});
    expect_refused(simulate("ring2.yml", {"--messages"}), 3);
}

// Log lines stay log lines.
TEST_F(Flows, PrintNoTableAmongLogLines) {
    all_reduce_traces(2);
    const Outcome outcome = simulate("ring2.yml", {"--dialect", "astra-sim", "--flows", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(outcome.out.find("slowest flows"), std::string::npos);
    const std::vector<std::string> flows = lines("flows.csv");
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_THAT(flows[1], HasSubstr(",nan,nan,nan,nan,"));
    const auto json = nlohmann::json::parse(std::ifstream(folder_ / "out" / "results.json"));
    EXPECT_TRUE(json["flows"]["max_slowdown"].is_null());
}

}  // namespace
}  // namespace npunet::cli
