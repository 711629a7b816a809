// Calls that meet and calls that do not, in made logs and in recorded ones with a change.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/matching/rendezvous.h"
#include "log_files.h"

namespace npunet::generators::megatron::log_rendezvous_test {
namespace {

using ::testing::HasSubstr;
using Events = std::vector<std::string>;
using Json = nlohmann::ordered_json;

class LogRendezvous : public ::testing::Test {
protected:
    RendezvousResult check(const std::vector<Events>& logs, Dialect dialect = Dialect::Npunet,
                           std::int64_t tp = 1) {
        std::vector<std::filesystem::path> paths;
        for (std::size_t rank = 0; rank < logs.size(); ++rank) {
            paths.push_back(folder_.write(fmt::format("r{}.json", rank),
                                          log_of(logs[rank], static_cast<int>(rank))));
        }
        return check_rendezvous(LogSource(paths), dialect, tp);
    }
    /// The only finding.
    std::string finding(const std::vector<Events>& logs) {
        const RendezvousResult result = check(logs);
        EXPECT_EQ(result.findings.size(), 1U);
        return result.findings.empty() ? "" : result.findings.front();
    }

    test::TemporaryFolder folder_;
};

std::string reduce(const std::string& shape, const std::string& more = "") {
    return R"("op": "all_reduce", "ranks": [0, 1], "dtype": "torch.float32", "shape": )" + shape +
           (more.empty() ? R"(, "reduce_op": "SUM")" : more);
}

std::string message(const std::string& op, int peer, const std::string& shape, int tag = 0) {
    return R"("op": ")" + op + R"(", "ranks": [0, 1], "dtype": "torch.float32", "shape": )" +
           shape + R"(, "tag": )" + std::to_string(tag) +
           (op == "isend" || op == "send" ? R"(, "dst": )" : R"(, "src": )") + std::to_string(peer);
}

std::string exchange(const std::string& input, const std::string& output) {
    return R"("op": "all_to_all_single", "ranks": [0, 1], "dtype": "torch.float32",
              "input_shape": )" +
           input + R"(, "output_shape": )" + output;
}

const std::string barrier = R"("op": "barrier", "ranks": [0, 1])";
const std::string reversed = R"("op": "barrier", "ranks": [1, 0])";

TEST_F(LogRendezvous, MeetsWhatMeets) {
    const RendezvousResult result =
        check({{barrier, reduce("[2]"), message("isend", 1, "[3]"), exchange("[6]", "[2]")},
               // The order of a group's list and what stands between do not matter.
               {message("recv", 0, "[3, 1]"), reversed, reduce("[2]"), exchange("[2]", "[6]")}});
    EXPECT_TRUE(result.meets());
    EXPECT_TRUE(result.notes.empty());
    EXPECT_EQ(result.collectives, 3U);
    EXPECT_EQ(result.messages, 1U);
}

TEST_F(LogRendezvous, FindsUnlikeCollectives) {
    EXPECT_EQ(finding({{barrier, reduce("[2]")}, {barrier, reduce("[3]")}}),
              "on ranks 0, 1: r1.json event 1 (all_reduce [3] torch.float32 SUM) and r0.json event "
              "1 (all_reduce [2] torch.float32 SUM) differ in shape");
    EXPECT_THAT(finding({{barrier}, {reduce("[2]")}}), HasSubstr("differ in operation"));
    EXPECT_THAT(finding({{reduce("[2]")}, {reduce("[2]", R"(, "reduce_op": "MAX")")}}),
                HasSubstr("differ in reduce_op"));
    const std::string broadcast =
        R"("op": "broadcast", "ranks": [0, 1], "shape": [1], "dtype": "torch.int64", "src": )";
    EXPECT_THAT(finding({{broadcast + "0"}, {broadcast + "1"}}), HasSubstr("differ in root"));
    const std::string base =
        R"("op": "broadcast", "ranks": [0, 1], "shape": [1], "src": 0, "dtype": )";
    EXPECT_THAT(finding({{base + R"("torch.int64")"}, {base + R"("torch.int32")"}}),
                HasSubstr("differ in dtype"));
    // The same calls in another order.
    EXPECT_THAT(finding({{barrier, reduce("[2]")}, {reduce("[2]"), barrier}}),
                HasSubstr("differ in operation"));
}

TEST_F(LogRendezvous, FindsMissingCalls) {
    EXPECT_EQ(finding({{barrier, barrier}, {barrier}}),
              "on ranks 0, 1: r1.json has 1 such calls, r0.json has 2: r0.json event 1 (barrier) "
              "meets none");
    EXPECT_THAT(finding({{barrier}, {}}), HasSubstr("r1.json has 0 such calls"));
    EXPECT_THAT(finding({{R"("op": "barrier", "ranks": [0, 7])"}, {}}),
                HasSubstr("logs of ranks 0 to 1 only"));
}

// Of three or more, the one that is unlike the others.
TEST_F(LogRendezvous, BlamesTheMinority) {
    const std::string two = R"("op": "all_reduce", "ranks": [0, 1, 2], "shape": [2],
        "dtype": "torch.float32", "reduce_op": "SUM")";
    std::string three = two;
    three.replace(three.find("[2]"), 3, "[3]");
    EXPECT_THAT(finding({{three}, {two}, {two}}), HasSubstr("r0.json event 0 (all_reduce [3]"));
}

TEST_F(LogRendezvous, FindsUnlikeMessages) {
    EXPECT_EQ(finding({{message("isend", 1, "[3]")}, {message("irecv", 0, "[4]")}}),
              "messages from rank 0 to rank 1: r0.json event 0 (isend [3] torch.float32) and "
              "r1.json event 0 (irecv [4] torch.float32) differ in number of elements");
    EXPECT_THAT(finding({{message("isend", 1, "[3]", 1)}, {message("irecv", 0, "[3]", 2)}}),
                HasSubstr("differ in tag"));
    EXPECT_THAT(finding({{message("isend", 1, "[3]")}, {}}), HasSubstr("meets none"));
    EXPECT_THAT(finding({{}, {message("irecv", 0, "[3]")}}), HasSubstr("meets none"));
    EXPECT_THAT(finding({{message("isend", 9, "[3]")}, {}}), HasSubstr("ranks 0 to 1 only"));
    // Both send: two messages without receiver.
    EXPECT_EQ(check({{message("isend", 1, "[3]")}, {message("isend", 0, "[3]")}}).findings.size(),
              2U);
}

TEST_F(LogRendezvous, FindsMessagesToItself) {
    const RendezvousResult result =
        check({{message("isend", 0, "[3]"), message("irecv", 0, "[3]")}, {}});
    EXPECT_THAT(result.findings,
                ::testing::ElementsAre(
                    "r0.json event 0: isend [3] torch.float32 is a message of the rank to itself",
                    "r0.json event 1: irecv [3] torch.float32 is a message of the rank to itself"));
}

TEST_F(LogRendezvous, FindsForeignGroups) {
    EXPECT_EQ(finding({{R"("op": "barrier", "ranks": [1])"}, {R"("op": "barrier", "ranks": [1])"}}),
              "r0.json event 0: barrier on rank 1, which the rank is not one of");
    const std::string broadcast =
        R"("op": "broadcast", "ranks": [0, 1], "shape": [1], "dtype": "torch.int64", "src": 5)";
    EXPECT_THAT(check({{broadcast}, {broadcast}}).findings.front(),
                HasSubstr("which the root is not one of"));
}

// Members of an all-to-all have shapes of their own; together they take out what they hand in.
TEST_F(LogRendezvous, BalancesExchanges) {
    EXPECT_THAT(finding({{exchange("[6]", "[2]")}, {exchange("[2]", "[5]")}}),
                HasSubstr("r0.json event 0 (all_to_all_single [6] to [2] torch.float32): what the "
                          "members hand in is not what they take out"));
    // A want and a surplus at different places do not make up for each other.
    EXPECT_THAT(finding({{exchange("[2]", "[2]"), exchange("[6]", "[2]"), exchange("[2]", "[6]")},
                         {exchange("[2]", "[2]"), exchange("[2]", "[2]"), exchange("[2]", "[2]")}}),
                HasSubstr("event 1"));
    const std::string gather =
        R"("op": "all_gather_into_tensor", "ranks": [0, 1], "dtype": "torch.float32",
           "input_shape": [4], "output_shape": )";
    EXPECT_TRUE(check({{gather + "[8]"}, {gather + "[8]"}}).meets());
    EXPECT_FALSE(check({{gather + "[9]"}, {gather + "[9]"}}).meets());
}

TEST_F(LogRendezvous, NotesWhatItCannotCompare) {
    const std::string anybody =
        R"("op": "recv", "shape": [3], "dtype": "torch.float32", "src": null, "tag": 0)";
    const RendezvousResult result =
        check({{message("isend", 1, "[3]"), R"("op": "barrier")"}, {anybody}});
    EXPECT_TRUE(result.meets());
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_THAT(result.notes[0], HasSubstr("name no ranks"));
    EXPECT_THAT(result.notes[1], HasSubstr("from anybody"));
}

// In the genstack dialect all ranks make the same groups in the same order.
TEST_F(LogRendezvous, ComparesNewGroups) {
    const Events first{R"("op": "new_group", "ranks": [0], "backend": null)"};
    const Events second{R"("op": "new_group", "ranks": [1], "backend": null)"};
    EXPECT_TRUE(check({first, second}).meets());
    const RendezvousResult result = check({first, second}, Dialect::Genstack);
    ASSERT_EQ(result.findings.size(), 1U);
    EXPECT_THAT(result.findings.front(), HasSubstr("new_group of rank 1"));
}

// Ranks of tensor place 0 may have exactly three barriers more before the first broadcast.
TEST_F(LogRendezvous, ToleratesThreeBarriersExactly) {
    const std::string broadcast =
        R"("op": "broadcast", "ranks": [0, 1], "shape": [3], "dtype": "torch.int64", "src": 0)";
    const auto log = [&](int before, int behind = 1) {
        Events events;
        for (int i = 0; i < before; ++i) {
            events.emplace_back(barrier);
        }
        events.push_back(broadcast);
        for (int i = 0; i < behind; ++i) {
            events.emplace_back(barrier);
        }
        return events;
    };
    const RendezvousResult usual = check({log(5), log(2)}, Dialect::Genstack, 2);
    EXPECT_TRUE(usual.meets());
    EXPECT_EQ(usual.notes.size(), 1U);
    EXPECT_TRUE(check({log(2), log(2)}, Dialect::Genstack, 2).notes.empty());
    EXPECT_TRUE(check({log(5), log(5)}, Dialect::Genstack, 2).meets());
    EXPECT_FALSE(check({log(4), log(2)}, Dialect::Genstack, 2).meets());
    EXPECT_FALSE(check({log(6), log(2)}, Dialect::Genstack, 2).meets());
    EXPECT_FALSE(check({log(2), log(5)}, Dialect::Genstack, 2).meets());
    EXPECT_FALSE(check({log(2, 4), log(2)}, Dialect::Genstack, 2).meets());
    EXPECT_FALSE(check({log(5), log(2)}, Dialect::Genstack, 1).meets());
    EXPECT_FALSE(check({log(5), log(2)}, Dialect::Npunet, 2).meets());
}

TEST_F(LogRendezvous, KeepsAFewFindings) {
    std::vector<Events> logs(60);
    for (std::size_t rank = 0; rank < logs.size(); ++rank) {
        logs[rank] = {message("isend", static_cast<int>((rank + 1) % 60), "[3]")};
    }
    const RendezvousResult result = check(logs);
    EXPECT_EQ(result.findings.size(), most_findings);
    EXPECT_EQ(result.more_findings, 60 - most_findings);
}

/// One change of one event of a recorded log.
struct Change {
    const char* name;
    std::size_t rank;
    const char* operation;
    std::int64_t number;  ///< which of the operation's events; negative: from the end
    void (*apply)(Json& events, std::size_t at);
};

void renumber(Json& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        events[i]["call_id"] = i;
    }
}

class RecordedRendezvous : public RecordedLogs {};

// Each change of one rank's recorded log is found, in the log that was changed.
TEST_F(RecordedRendezvous, FindsChanges) {
    const std::vector<Change> changes{
        {"shape", 5, "all_reduce", 9,
         [](Json& e, std::size_t at) {
             e[at]["shape"] = {1, 2, 3};
         }},
        {"reduction", 5, "all_reduce", 0,
         [](Json& e, std::size_t at) { e[at]["reduce_op"] = "RedOpType.MAX"; }},
        {"dtype", 7, "batch_isend", 2,
         [](Json& e, std::size_t at) { e[at]["dtype"] = "torch.float64"; }},
        {"peer", 13, "batch_irecv", 1, [](Json& e, std::size_t at) { e[at]["peer"] = 14; }},
        {"root", 4, "broadcast", 0, [](Json& e, std::size_t at) { e[at]["src"] = 1; }},
        {"lost barrier", 3, "barrier", -1, [](Json& e, std::size_t at) { e.erase(at); }},
        {"lost collective", 47, "all_reduce", 20, [](Json& e, std::size_t at) { e.erase(at); }},
        {"lost message", 20, "batch_isend", 0, [](Json& e, std::size_t at) { e.erase(at); }},
        {"extra barrier", 8, "barrier", 5,
         [](Json& e, std::size_t at) { e.insert(e.begin() + static_cast<long>(at), e[at]); }},
        {"lost data set", 0, "barrier", 5, [](Json& e, std::size_t at) { e.erase(at); }},
        {"group", 2, "all_reduce", 30,
         [](Json& e, std::size_t at) {
             e[at]["ranks"] = {0, 1, 2, 4};
         }},
        {"new group", 2, "new_group", 40, [](Json& e, std::size_t at) { e.erase(at); }},
        {"swapped", 1, "all_reduce", 0,
         [](Json& e, std::size_t at) { std::swap(e[at], e[at + 1]); }},
    };
    std::filesystem::path path;
    for (const auto& run : runs_) {
        path = run.filename().string().rfind("175b", 0) == 0 ? run : path;
    }
    const LogFolder folder = open_log_folder(path);
    for (const Change& change : changes) {
        SCOPED_TRACE(change.name);
        std::ifstream stream(folder.logs[change.rank]);
        Json events = Json::parse(stream);
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (events[i]["op"] == change.operation) {
                places.push_back(i);
            }
        }
        const auto number = static_cast<std::size_t>(
            change.number >= 0 ? change.number
                               : static_cast<std::int64_t>(places.size()) + change.number);
        change.apply(events, places.at(number));
        renumber(events);
        std::vector<std::filesystem::path> logs = folder.logs;
        const std::string name = "changed.json";
        logs[change.rank] = folder_.write(name, events.dump());
        const RendezvousResult result =
            check_rendezvous(LogSource(logs), Dialect::Genstack, folder.run.parallelism.tp);
        ASSERT_FALSE(result.meets());
        for (const std::string& finding : result.findings) {
            EXPECT_THAT(finding, HasSubstr(name));
        }
        EXPECT_EQ(result.more_findings, 0U);
    }
}

}  // namespace
}  // namespace npunet::generators::megatron::log_rendezvous_test
