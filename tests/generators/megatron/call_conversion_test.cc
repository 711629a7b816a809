// Execution traces of runs: what they say equals what the programs call, and the static check has
// nothing against them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/validation/workload_validation.h"
#include "generators/megatron/conversion/call_conversion.h"
#include "generators/megatron/program/rank_calls.h"
#include "random_runs.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::megatron::call_conversion_test {

namespace {

namespace fs = std::filesystem;

class Conversions : public ::testing::Test {
protected:
    [[nodiscard]] WorkloadFiles files() const { return {folder_}; }

    [[nodiscard]] chakra::ValidationResult validated(std::int64_t ranks) const {
        chakra::ValidationInput input;
        for (std::int64_t r = 0; r < ranks; ++r) {
            const Rank rank(static_cast<std::int32_t>(r));
            input.traces.push_back({trace_file(files(), rank), rank});
        }
        input.whole_workload = true;
        input.groups = folder_ / "comm_group.json";
        return validate_traces(input);
    }

    [[nodiscard]] std::vector<chakra::Node> trace(std::int32_t rank) const {
        return chakra::read_trace(trace_file(files(), Rank(rank)));
    }

    test::TemporaryFolder around_;
    fs::path folder_ = around_ / "traces";
};

/// Bytes by kind and group, as text.
using Sums = std::map<std::string, std::int64_t>;

std::string key(std::string_view kind, const std::vector<Rank>& ranks) {
    std::string text(kind);
    for (const Rank rank : ranks) {
        text += fmt::format(" {}", rank.value());
    }
    return text;
}

const char* kind_of(Operation operation) {
    switch (operation) {
        case Operation::AllReduce:
            return "ALL_REDUCE";
        case Operation::Broadcast:
            return "BROADCAST";
        case Operation::Barrier:
            return "BARRIER";
        case Operation::AllGatherIntoTensor:
            return "ALL_GATHER";
        case Operation::ReduceScatterTensor:
            return "REDUCE_SCATTER";
        case Operation::AllToAllSingle:
            return "ALL_TO_ALL";
        default:
            return is_send(operation) ? "send" : "receive";
    }
}

Sums called(const TrainingRun& run, const ProcessGroups& groups, Rank rank) {
    GroupTable table;
    const RankCalls calls(groups, table);
    Sums sums;
    for (const ProgramItem& item : make_program(run, groups.stage(rank), 1).items) {
        if (item.kind != ProgramItem::Kind::Call) {
            continue;
        }
        const Call call = calls.of(item, rank);
        const std::vector<Rank> with =
            is_collective(call.operation) ? table.ranks(call.group) : std::vector{call.peer};
        sums[key(kind_of(call.operation), with)] += payload_bytes(call);
    }
    return sums;
}

Sums traced(const std::vector<chakra::Node>& nodes, const chakra::CommGroups& groups) {
    Sums sums;
    for (const chakra::Node& node : nodes) {
        const std::int64_t bytes = node.integer("comm_size").value_or(0);
        switch (node.type) {
            case chakra::NodeType::CommCollective:
                sums[key(name_of(*chakra::collective_type_from(*node.integer("comm_type"))),
                         groups.find(*node.text("pg_name"))->second)] += bytes;
                break;
            case chakra::NodeType::CommSend:
                sums[fmt::format("send {}", *node.integer("comm_dst"))] += bytes;
                break;
            case chakra::NodeType::CommReceive:
                sums[fmt::format("receive {}", *node.integer("comm_src"))] += bytes;
                break;
            default:
                break;
        }
    }
    return sums;
}

// Plans that were drawn: bytes by kind and group are those of the calls on every rank, and the
// static check finds nothing.
TEST_F(Conversions, SayWhatIsCalled) {
    for (const TrainingRun& run : random_runs(60, 21)) {
        if (run.world() > 32) {
            continue;
        }
        fs::remove_all(folder_);
        convert_run(run, {}, files(), {});
        const chakra::CommGroups groups = chakra::read_comm_groups(folder_ / "comm_group.json");
        const ProcessGroups all(run.parallelism);
        for (std::int32_t r = 0; r < run.world(); ++r) {
            EXPECT_EQ(traced(trace(r), groups), called(run, all, Rank(r))) << "rank " << r;
        }
        const chakra::ValidationResult result = validated(run.world());
        EXPECT_EQ(result.findings.errors(), 0U);
        EXPECT_EQ(result.findings.warnings(), 0U);
        for (const chakra::Finding& finding : result.findings.findings()) {
            ADD_FAILURE() << finding.message;
            break;
        }
    }
}

TrainingRun small_run() {
    TrainingRun run = npunet_run("small");
    run.parallelism.tp = 2;
    run.parallelism.pp = 2;
    run.parallelism.dp = 2;
    run.global_batch_size = 16;
    return resolve_run(run);
}

// Totals count what is in the files, and the scale rounds up.
TEST_F(Conversions, TotalsAndScale) {
    ConversionOptions options;
    options.scale = 0.01;
    std::int64_t written = 0;
    const ConversionTotals totals = convert_run(small_run(), options, files(), [&] { ++written; });
    EXPECT_EQ(written, 8);
    std::int64_t nodes = 0;
    std::int64_t bytes = 0;
    for (std::int32_t r = 0; r < 8; ++r) {
        for (const chakra::Node& node : trace(r)) {
            ++nodes;
            bytes += node.integer("comm_size").value_or(0);
        }
    }
    EXPECT_EQ(totals.nodes, nodes);
    std::int64_t counted = 0;
    for (const auto& [name, kind] : totals.kinds) {
        counted += kind.bytes;
    }
    EXPECT_EQ(counted, bytes);

    const ConversionTotals full = convert_run(small_run(), {}, files(), {});
    std::int64_t all = 0;
    for (const auto& [name, kind] : full.kinds) {
        all += kind.bytes;
    }
    EXPECT_GE(bytes, all / 100);
    EXPECT_LE(bytes, all / 100 + nodes);
}

// What no trace can say is refused, and nothing is left of it.
TEST_F(Conversions, TooLargeAScale) {
    ConversionOptions options;
    options.scale = 1e3;
    TrainingRun run = npunet_run("175b");
    run.micro_batches = 1;
    run.global_batch_size = 40'000;
    EXPECT_THROW(convert_run(resolve_run(run), options, files(), {}), InputError);
    EXPECT_FALSE(fs::exists(folder_));
}

// A smaller workload under the same names takes the larger one's place.
TEST_F(Conversions, TracesOfMoreRanksGo) {
    convert_run(small_run(), {}, files(), {});
    TrainingRun run = npunet_run("small");
    run.parallelism.tp = 2;
    run.global_batch_size = 4;
    convert_run(resolve_run(run), {}, files(), {});
    EXPECT_TRUE(fs::exists(folder_ / "workload.1.et"));
    EXPECT_FALSE(fs::exists(folder_ / "workload.2.et"));
    EXPECT_FALSE(fs::exists(folder_ / "workload.7.et"));
}

// A smaller micro-batch makes activations smaller and leaves gradients as they are.
TEST_F(Conversions, SmallerMicroBatch) {
    ConversionOptions options;
    options.micro_batch = 1;
    const ConversionTotals small = convert_run(small_run(), options, files(), {});
    const ConversionTotals whole = convert_run(small_run(), {}, files(), {});
    EXPECT_EQ(small.nodes, whole.nodes);
    EXPECT_EQ(2 * small.kinds.at("batch_isend").bytes, whole.kinds.at("batch_isend").bytes);
    EXPECT_GT(2 * small.kinds.at("all_reduce").bytes, whole.kinds.at("all_reduce").bytes);
}

TEST_F(Conversions, SetUpBarriersAndComputationCanBeLeftOut) {
    ConversionOptions options;
    options.set_up = false;
    options.barriers = false;
    options.compute = ComputeSource::None;
    const ConversionTotals totals = convert_run(small_run(), options, files(), {});
    EXPECT_EQ(totals.computations, 0);
    EXPECT_EQ(totals.kinds.count("barrier"), 0U);
    for (const chakra::Node& node : trace(0)) {
        EXPECT_NE(node.type, chakra::NodeType::Compute);
        EXPECT_EQ(node.name.rfind("set-up", 0), std::string::npos) << node.name;
    }
    EXPECT_EQ(validated(8).findings.errors(), 0U);
}

// Times of the user's: a table without a segment of the run is refused, a whole one is what stands
// in the nodes.
TEST_F(Conversions, TimesOfSegments) {
    ConversionOptions options;
    options.compute = ComputeSource::Times;
    options.times = SegmentTimes("times.yml", {{"attention_forward", 5000}});
    EXPECT_THROW(convert_run(small_run(), options, files(), {}), InputError);
    std::map<std::string, std::int64_t, std::less<>> all;
    for (const std::string& name : segment_names()) {
        all[name] = 1000;
    }
    all["attention_forward"] = 5000;
    options.times = SegmentTimes("times.yml", all);
    convert_run(small_run(), options, files(), {});
    std::size_t attention = 0;
    for (const chakra::Node& node : trace(0)) {
        if (node.type == chakra::NodeType::Compute) {
            const bool is_attention = node.name.find("attention_forward") != std::string::npos;
            attention += is_attention ? 1 : 0;
            EXPECT_EQ(node.integer("duration_ns"), is_attention ? 5000 : 1000) << node.name;
        }
    }
    EXPECT_EQ(attention, 4U * 6U);  // micro-batches x layers of the stage
}

}  // namespace

}  // namespace npunet::generators::megatron::call_conversion_test
