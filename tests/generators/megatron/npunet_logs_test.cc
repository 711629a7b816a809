// Logs of the npunet dialect against the programs that they are written from, and how folders of
// logs come to be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "generators/megatron/logs/log_writer.h"
#include "generators/megatron/program/rank_calls.h"
#include "random_runs.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::megatron::npunet_logs_test {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const std::vector<Rank>& ranks) {
    Json list = Json::array();
    for (const Rank rank : ranks) {
        list.push_back(rank.value());
    }
    return list;
}

Json numbers(const Shape& shape) {
    return Json(std::vector<std::int64_t>(shape.begin(), shape.end()));
}

/// The event that a program's call is, key by key, without its call_id.
Json event_of(const TrainingRun& run, const ProgramItem& item, const ProcessGroups& groups,
              const RankCalls& calls, Rank rank) {
    const Call call = calls.of(item, rank);
    Json event{{"op", name_of(call.operation)}};
    if (item.has_group) {
        event["group"] = name_of(item.group);
        event["ranks"] = numbers(groups.of(item.group, rank));
    }
    if (call.batch_size > 0) {
        event["batch_idx"] = call.batch_index;
        event["batch_size"] = call.batch_size;
    }
    if (call.has_shape) {
        event["shape"] = numbers(call.shape);
    } else if (call.operation != Operation::Barrier) {
        event["input_shape"] = numbers(call.input);
        event["output_shape"] = numbers(call.output);
    }
    if (call.operation != Operation::Barrier) {
        event["dtype"] = name_of(call.dtype);
    }
    if (call.operation == Operation::AllReduce ||
        call.operation == Operation::ReduceScatterTensor) {
        event["reduce_op"] = name_of(call.reduce_op);
    }
    if (item.peer != PeerRole::None) {
        const char* key = call.batch_size > 0 ? "peer" : is_send(call.operation) ? "dst" : "src";
        event[key] = call.peer.value();
    }
    if (call.batch_size == 0 && (is_send(call.operation) || is_receive(call.operation))) {
        event["tag"] = call.tag;
    }
    if (call.asynchronous) {
        event["async"] = true;
    }
    event["phase"] = name_of(item.phase);
    if (item.micro_batch >= 0) {
        event["micro_batch"] = item.micro_batch;
    }
    if (item.chunk >= 0 && run.vpp > 1) {
        event["chunk"] = item.chunk;
    }
    if (item.layer >= 0) {
        event["layer"] = item.layer;
    }
    event["src_rank"] = rank.value();
    return event;
}

/// All events of a rank: the job, its groups of two and more, its program's calls.
std::vector<Json> events_of(const TrainingRun& run, Rank rank) {
    const ProcessGroups groups(run.parallelism);
    GroupTable table;
    const RankCalls calls(groups, table);
    std::vector<Json> events{{{"op", "init_process_group"},
                              {"backend", "nccl"},
                              {"world_size", run.world()},
                              {"src_rank", rank.value()}}};
    for (std::size_t role = 1; role < group_roles; ++role) {
        const std::vector<Rank>& ranks = groups.of(static_cast<GroupRole>(role), rank);
        if (ranks.size() > 1) {
            events.push_back({{"op", "new_group"},
                              {"group", name_of(static_cast<GroupRole>(role))},
                              {"ranks", numbers(ranks)},
                              {"backend", "nccl"},
                              {"src_rank", rank.value()}});
        }
    }
    const Program program = make_program(run, groups.stage(rank), groups.tensor_place(rank));
    for (const ProgramItem& item : program.items) {
        if (item.kind == ProgramItem::Kind::Call) {
            events.push_back(event_of(run, item, groups, calls, rank));
        }
    }
    return events;
}

/// The last character of a line is its comma, but for the last.
void expect_line_for_line(const TrainingRun& run, const std::string& log, Rank rank) {
    std::istringstream lines(log);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "[");
    const std::vector<Json> events = events_of(run, rank);
    for (std::size_t i = 0; i < events.size(); ++i) {
        std::getline(lines, line);
        if (i + 1 < events.size()) {
            ASSERT_EQ(line.back(), ',');
            line.pop_back();
        }
        Json expected{{"op", events[i].at("op")}, {"call_id", i}};
        expected.insert(std::next(events[i].begin()), events[i].end());
        ASSERT_EQ(Json::parse(line).dump(), expected.dump()) << "event " << i;
    }
    std::getline(lines, line);
    EXPECT_EQ(line, "]");
    EXPECT_FALSE(std::getline(lines, line));
}

// One line an event, in the order of the keys that docs/megatron.md gives.
TEST(NpunetLogText, IsTheProgramLineForLine) {
    for (const TrainingRun& run : random_runs(60, 3)) {
        const LogWriter writer(run);
        for (const std::int64_t rank : {std::int64_t{0}, run.world() / 2, run.world() - 1}) {
            const Rank which(static_cast<std::int32_t>(rank));
            expect_line_for_line(run, writer.log(which), which);
        }
    }
}

// Of a world above 1024 ranks only new_group lists groups so large.
TEST(NpunetLogText, LeavesOutLongLists) {
    TrainingRun run = npunet_run("small");
    run.parallelism.dp = 1024;
    run.parallelism.tp = 2;
    run.global_batch_size = 4096;
    const std::string log = LogWriter(resolve_run(run)).log(Rank(1));
    for (const Json& event : Json::parse(log)) {
        const bool is_long = event.value("group", "") == "world" ||
                             event.value("group", "") == "tp-dp" ||
                             event.value("group", "") == "tp-dp-cp";
        EXPECT_EQ(event.contains("ranks"), event.at("op") == "new_group" ||
                                               (event.at("op") != "init_process_group" && !is_long))
            << event;
    }
}

class WrittenFolder : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TrainingRun two_stages() {
    TrainingRun run = npunet_run("small");
    run.parallelism.tp = 2;
    run.parallelism.pp = 2;
    run.global_batch_size = 8;
    return resolve_run(run);
}

// Files are the texts; the totals are theirs.
TEST_F(WrittenFolder, HoldsTheTexts) {
    const LogWriter writer(two_stages());
    int calls = 0;
    const WrittenLogs logs = writer.write(folder_.path(), [&calls] { ++calls; });
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(logs.folder, folder_ / "small_dp1_tp2_pp2_00000000_000000");
    std::int64_t bytes = 0;
    std::int64_t events = 0;
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        const std::string text =
            test::bytes_of(logs.folder / fmt::format("comm_log_rank_{}.json", rank));
        EXPECT_EQ(text, writer.log(Rank(rank)));
        bytes += static_cast<std::int64_t>(text.size());
        events += static_cast<std::int64_t>(Json::parse(text).size());
    }
    EXPECT_EQ(logs.bytes, bytes);
    EXPECT_EQ(logs.events, events);
    const Json config = Json::parse(test::bytes_of(logs.folder / "config.json"));
    const Json summary = Json::parse(test::bytes_of(logs.folder / "summary.json"));
    EXPECT_EQ(summary.at("config"), config);
    EXPECT_EQ(summary.at("log_files").size(), 4U);
    EXPECT_EQ(config.at("dialect"), "npunet");
    EXPECT_EQ(config.at("params_dtype"), "bf16");
    EXPECT_EQ(config.at("rank_order"), "tp-cp-ep-dp-pp");
    EXPECT_EQ(config.at("make_vocab_size_divisible_by"), 128);
}

// A run that stops early leaves no files and an earlier run in its folder unchanged.
TEST_F(WrittenFolder, AppearsWholeOrNotAtAll) {
    const LogWriter writer(two_stages());
    const auto stopped = [&] {
        EXPECT_THROW(writer.write(folder_.path(), [] { throw std::runtime_error("stopped"); }),
                     std::runtime_error);
    };
    stopped();
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
    const auto folder = writer.write(folder_.path(), [] {}).folder;
    const auto entries = [&] {
        std::map<std::string, std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            all[entry.path().filename()] = test::bytes_of(entry.path());
        }
        return all;
    };
    const auto whole = entries();
    EXPECT_EQ(whole.size(), 6U);
    stopped();
    EXPECT_EQ(entries(), whole);
    // Files that would make it look like a run of more ranks are removed.
    folder_.write(folder.filename().string() + "/comm_log_rank_9.json.gz", "");
    folder_.write(folder.filename().string() + "/comm_log_rank_1.json.gz", "");
    folder_.write(folder.filename().string() + "/model.yml", "");
    writer.write(folder_.path(), [] {});
    EXPECT_EQ(entries(), whole);
}

// Logs of more ranks in a folder of the same name would be taken for this run's.
TEST_F(WrittenFolder, KeepsNoLogsOfEarlierRuns) {
    TrainingRun run = npunet_run("small");
    run.parallelism.cp = 4;
    const auto folder = LogWriter(resolve_run(run)).write(folder_.path(), [] {}).folder;
    ASSERT_TRUE(std::filesystem::exists(folder / "comm_log_rank_3.json"));
    folder_.write(folder.filename().string() + "/comm_log_rank_x.json", "");
    run.parallelism.cp = 2;
    EXPECT_EQ(LogWriter(resolve_run(run)).write(folder_.path(), [] {}).folder, folder);
    EXPECT_TRUE(std::filesystem::exists(folder / "comm_log_rank_1.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "comm_log_rank_2.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "comm_log_rank_3.json"));
    EXPECT_TRUE(std::filesystem::exists(folder / "comm_log_rank_x.json"));
}

// A model file gives its name alone to the folder.
TEST(NameOfTheFolder, IsTheStemOfAModelFile) {
    TrainingRun run = npunet_run(std::string(NPUNET_SOURCE_DIR) + "/configs/models/llama3-8b.yml");
    run.global_batch_size = 4;
    EXPECT_EQ(LogWriter(resolve_run(run)).folder_name(), "llama3-8b_dp1_tp1_pp1_00000000_000000");
}

}  // namespace

}  // namespace npunet::generators::megatron::npunet_logs_test
