// Execution traces of logs: of those that were recorded, and of logs that are not what their
// configuration makes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/validation/workload_validation.h"
#include "engine/program/workload_loader.h"
#include "generators/megatron/conversion/call_conversion.h"
#include "generators/megatron/logs/log_writer.h"
#include "log_files.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"

namespace npunet::generators::megatron::log_conversion_test {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

chakra::ValidationResult validated(const WorkloadFiles& files, std::size_t ranks) {
    chakra::ValidationInput input;
    for (std::size_t r = 0; r < ranks; ++r) {
        input.traces.push_back({trace_file(files, Rank(r)), Rank(r)});
    }
    input.whole_workload = true;
    input.groups = files.folder / files.groups;
    return validate_traces(input);
}

/// Bytes by kind and group.
using Sums = std::map<std::pair<std::string, std::vector<std::int32_t>>, std::int64_t>;

std::vector<std::int32_t> values(const std::vector<Rank>& ranks) {
    std::vector<std::int32_t> numbers;
    for (const Rank rank : ranks) {
        numbers.push_back(rank.value());
    }
    return numbers;
}

Sums sums_of_log(const fs::path& log, Rank rank) {
    Sums sums;
    GroupTable groups;
    read_call_log(log, rank, groups, [&](const LoggedCall& event) {
        const Call& call = event.call;
        if (call.operation == Operation::AllReduce) {
            sums[{"ALL_REDUCE", values(groups.ranks(call.group))}] += payload_bytes(call);
        } else if (call.operation == Operation::Broadcast) {
            sums[{"BROADCAST", values(groups.ranks(call.group))}] += payload_bytes(call);
        } else if (is_send(call.operation)) {
            sums[{"send", {call.peer.value()}}] += payload_bytes(call);
        } else if (is_receive(call.operation)) {
            sums[{"receive", {call.peer.value()}}] += payload_bytes(call);
        }
    });
    return sums;
}

Sums sums_of_trace(const fs::path& trace, const chakra::CommGroups& groups) {
    Sums sums;
    for (const chakra::Node& node : chakra::read_trace(trace)) {
        const std::int64_t bytes = node.integer("comm_size").value_or(0);
        if (node.type == chakra::NodeType::CommSend) {
            sums[{"send", {static_cast<std::int32_t>(*node.integer("comm_dst"))}}] += bytes;
        } else if (node.type == chakra::NodeType::CommReceive) {
            sums[{"receive", {static_cast<std::int32_t>(*node.integer("comm_src"))}}] += bytes;
        } else if (node.type == chakra::NodeType::CommCollective) {
            const auto type = *chakra::collective_type_from(*node.integer("comm_type"));
            if (type != chakra::CollectiveType::Barrier) {
                const auto& ranks = groups.find(*node.text("pg_name"))->second;
                sums[{std::string(name_of(type)), values(ranks)}] += bytes;
            }
        }
    }
    return sums;
}

class ConvertedRecordings : public RecordedLogs {};

// Every rank of every recorded run, with the computation that the program knows and without: bytes
// by kind and group are those of the log, and the static check finds nothing.
TEST_F(ConvertedRecordings, SayWhatTheLogSays) {
    for (const fs::path& run : runs_) {
        const LogFolder folder = open_log_folder(run);
        for (const ComputeSource compute : {ComputeSource::Roofline, ComputeSource::None}) {
            ConversionOptions options;
            options.compute = compute;
            const WorkloadFiles files{folder_ / "traces"};
            convert_logs(folder, options, files, {});
            const chakra::CommGroups groups = chakra::read_comm_groups(files.folder / files.groups);
            for (std::size_t r = 0; r < folder.logs.size(); ++r) {
                EXPECT_EQ(sums_of_trace(trace_file(files, Rank(r)), groups),
                          sums_of_log(folder.logs[r], Rank(r)))
                    << run << " rank " << r;
            }
            const chakra::ValidationResult result = validated(files, folder.logs.size());
            EXPECT_EQ(result.findings.errors() + result.findings.warnings(), 0U) << run;
            fs::remove_all(files.folder);
        }
    }
}

// The run of 48 ranks on a mesh of 8 x 6: to the end, and every rank begins its calls in the order
// of its log.
TEST_F(ConvertedRecordings, RunInTheOrderOfTheLog) {
    for (const fs::path& run : runs_) {
        const LogFolder folder = open_log_folder(run);
        const WorkloadFiles files{folder_ / "traces"};
        convert_logs(folder, {}, files, {});
        const bool large = folder.logs.size() == 48;
        test::TestMachine machine =
            test::mesh_machine(large ? 8 : 2, large ? 6 : 2, Rate(50'000'000'000), Time::ns(500));
        machine.system.compute = {100, 2000};
        machine.system.roofline = true;
        const engine::Workload workload =
            engine::load_workload((files.folder / "workload").string(),
                                  (files.folder / files.groups).string(), folder.logs.size(), {});
        engine::EventQueue queue(machine.dialect.event_order);
        analytical::CongestionUnaware network(machine.network, queue, machine.dialect);
        engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect,
                                      queue, network);
        std::vector<std::int64_t> last(folder.logs.size(), -1);
        simulation.set_observers(
            [&](Rank rank, const engine::ProgramOperation& operation, const std::string& name) {
                if (operation.kind != engine::OperationKind::Compute) {
                    const auto id = static_cast<std::int64_t>(operation.id);
                    EXPECT_LT(last[rank.index()], id) << "rank " << rank.value() << ' ' << name;
                    last[rank.index()] = id;
                }
            },
            [](Rank, const engine::ProgramOperation&, const std::string&) {});
        const engine::Results results = simulation.run();
        EXPECT_GT(results.finish.ps(), 0);
        for (const std::int64_t id : last) {
            EXPECT_GT(id, 0) << "a rank without calls";
        }
        fs::remove_all(files.folder);
    }
}

class ConvertedLogs : public ::testing::Test {
protected:
    static TrainingRun run() {
        TrainingRun run = genstack_run("small");
        run.parallelism.tp = 2;
        run.parallelism.pp = 2;
        run.global_batch_size = 16;
        return resolve_run(run);
    }

    std::string error_of(const fs::path& logs, ConversionOptions options = {}) const {
        return test::message_of<InputError>(
            [&] { convert_logs(open_log_folder(logs), options, {folder_ / "traces"}, {}); });
    }

    /// Replaces a text in a log, once.
    static void change(const fs::path& file, const std::string& from, const std::string& to) {
        std::string text = test::bytes_of(file);
        const std::size_t at = text.rfind(from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, from.size(), to);
        std::ofstream(file, std::ios::binary) << text;
    }

    test::TemporaryFolder folder_;
};

// A call that the program does not make is named with the file, and what to do, and no file is
// left; the calls alone can be converted once all ranks make them.
TEST_F(ConvertedLogs, AnotherCallIsNamed) {
    const fs::path logs = LogWriter(run()).write(folder_.path(), [] {}).folder;
    EXPECT_EQ(error_of(logs), "no error");
    fs::remove_all(folder_ / "traces");
    const auto change_norm = [&](int rank) {
        change(logs / fmt::format("comm_log_rank_{}.json", rank), "\"shape\": [],",
               "\"shape\": [\n      7\n    ],");
    };
    change_norm(1);
    const std::string error = error_of(logs);
    EXPECT_THAT(error, HasSubstr("comm_log_rank_1.json"));
    EXPECT_THAT(error, HasSubstr("[7]"));
    EXPECT_THAT(error, HasSubstr("--compute none"));
    EXPECT_FALSE(fs::exists(folder_ / "traces"));
    ConversionOptions alone;
    alone.compute = ComputeSource::None;
    EXPECT_THAT(error_of(logs, alone), HasSubstr("differ in shape"));
    EXPECT_FALSE(fs::exists(folder_ / "traces"));
    for (const int rank : {0, 2, 3}) {
        change_norm(rank);
    }
    EXPECT_EQ(error_of(logs, alone), "no error");
}

// The first micro-batch begins behind the last barrier of set-up, whether a log says so or not.
TEST_F(ConvertedLogs, SetUpCanBeLeftOutWithoutTheProgram) {
    for (const std::int64_t pp : {1, 2}) {
        TrainingRun other = genstack_run("small");
        other.parallelism.pp = pp;
        other.global_batch_size = 16;
        const fs::path logs = LogWriter(resolve_run(other)).write(folder_.path(), [] {}).folder;
        ConversionOptions alone;
        alone.compute = ComputeSource::None;
        const WorkloadFiles files{folder_ / "traces"};
        const ConversionTotals whole = convert_logs(open_log_folder(logs), alone, files, {});
        alone.set_up = false;
        const ConversionTotals rest = convert_logs(open_log_folder(logs), alone, files, {});
        // Of 13 barriers a rank one is at the end of the iteration; one broadcast told the flags.
        EXPECT_EQ(whole.kinds.at("barrier").calls - rest.kinds.at("barrier").calls, 11 * pp);
        EXPECT_EQ(whole.kinds.at("broadcast").calls - rest.kinds.at("broadcast").calls, pp);
    }
}

// A pipeline of one stage tells its vocabulary by the gradients alone.
TEST_F(ConvertedLogs, AnyVocabulary) {
    for (const std::int64_t pp : {1, 2}) {
        TrainingRun other = genstack_run("small");
        other.parallelism.pp = pp;
        other.parallelism.dp = 2;
        other.global_batch_size = 16;
        other.vocab_divisible_by = 1000;
        other.timestamp = "20250810_11523" + std::to_string(pp);
        const fs::path logs = LogWriter(resolve_run(other)).write(folder_.path(), [] {}).folder;
        EXPECT_EQ(error_of(logs), "no error") << "pp " << pp;
    }
}

}  // namespace

}  // namespace npunet::generators::megatron::log_conversion_test
