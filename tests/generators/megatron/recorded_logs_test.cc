// The recorded logs as the reader sees them: counts by closed forms, groups, vocabulary, meetings.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/logs/repeated_events.h"
#include "generators/megatron/matching/log_summary.h"
#include "generators/megatron/matching/rendezvous.h"
#include "log_files.h"

namespace npunet::generators::megatron::recorded_logs_test {
namespace {

using Counts = std::map<Operation, std::int64_t>;

/// 6 tp pp + 2 W + 2 dp + 4 dp pp + 3 dp tp + 2 pp + 1
std::int64_t groups_of_job(const Parallelism& p) {
    return 6 * p.tp * p.pp + 2 * p.world() + 2 * p.dp + 4 * p.dp * p.pp + 3 * p.dp * p.tp +
           2 * p.pp + 1;
}

/// The closed forms of a rank with the coordinates t and p, of a run with several stages: F and Z
/// are the first and the last stage, E either of them, Lp the layers of a stage, m micro-batches.
Counts expected_counts(const TrainingRun& run, std::int64_t rank) {
    const Parallelism& degrees = run.parallelism;
    const std::int64_t t = rank % degrees.tp;
    const std::int64_t p = rank / (degrees.tp * degrees.dp);
    const std::int64_t first = p == 0 ? 1 : 0;
    const std::int64_t last = p == degrees.pp - 1 ? 1 : 0;
    const std::int64_t layers = run.model.layers / degrees.pp;
    const std::int64_t m = run.steps;
    const std::int64_t tensor = degrees.tp > 1 ? 4 * layers + first + last : 0;
    const std::int64_t messages = m * ((1 - first) + (1 - last));
    return {{Operation::InitProcessGroup, 3},
            {Operation::NewGroup, 4 * groups_of_job(degrees)},
            {Operation::Barrier, 9 + (t == 0 ? 3 : 0)},
            {Operation::AllReduce, 3 + 2 * (first + last) + m * (tensor + 4 * last)},
            {Operation::Broadcast, 1 + 3 * m * (first + last)},
            {Operation::BatchSend, messages},
            {Operation::BatchReceive, messages}};
}

class Recorded : public RecordedLogs {};

TEST_F(Recorded, CountsAreTheClosedForms) {
    for (const auto& path : runs_) {
        SCOPED_TRACE(path);
        const LogFolder folder = open_log_folder(path);
        for (std::size_t rank = 0; rank < folder.logs.size(); ++rank) {
            GroupTable groups;
            Counts counts;
            Counts once;
            RepeatedEvents repeated(Dialect::Genstack,
                                    [&](const LoggedCall& event) { ++once[event.call.operation]; });
            read_call_log(folder.logs[rank], Rank(rank), groups, [&](const LoggedCall& event) {
                ++counts[event.call.operation];
                repeated.add(event);
            });
            repeated.finish();
            Counts expected = expected_counts(folder.run, static_cast<std::int64_t>(rank));
            EXPECT_EQ(counts, expected) << "rank " << rank;
            // One call is logged three times and four times.
            expected[Operation::InitProcessGroup] = 1;
            expected[Operation::NewGroup] = groups_of_job(folder.run.parallelism);
            EXPECT_EQ(once, expected) << "rank " << rank;
        }
    }
}

// Of a 175b model: hidden 12288 over a vocabulary of 50257 rows a rank; of the oldest revision 128.
TEST_F(Recorded, ConfigurationAndVocabulary) {
    for (const auto& path : runs_) {
        SCOPED_TRACE(path);
        const LogFolder folder = open_log_folder(path);
        EXPECT_EQ(folder.run.dialect, Dialect::Genstack);
        EXPECT_EQ(static_cast<std::int64_t>(folder.logs.size()), folder.run.world());
        const bool large = folder.run.model_size == "175b";
        EXPECT_EQ(folder.run.model.hidden, large ? 12288 : 768);
        EXPECT_EQ(folder.run.micro_batch, large ? 128 : 4);
        EXPECT_EQ(folder.run.steps, 4);
        EXPECT_EQ(vocabulary_of_logs(folder), large ? 50257 : 128);
    }
}

// The summary adds the closed forms up; everything meets, with the three barriers as a note where
// there is tensor parallelism.
TEST_F(Recorded, AllCallsMeet) {
    for (const auto& path : runs_) {
        SCOPED_TRACE(path);
        const LogFolder folder = open_log_folder(path);
        std::int64_t read = 0;
        const LogSummary summary = summarize_logs(folder, [&] { ++read; });
        EXPECT_EQ(read, folder.run.world());
        Counts sums;
        for (std::int64_t rank = 0; rank < folder.run.world(); ++rank) {
            for (const auto& [operation, count] : expected_counts(folder.run, rank)) {
                sums[operation] += count;
            }
        }
        for (const Operation operation :
             {Operation::Barrier, Operation::AllReduce, Operation::BatchSend}) {
            EXPECT_EQ(summary.of(operation).calls.sum, sums[operation]) << name_of(operation);
        }
        EXPECT_EQ(summary.of(Operation::InitProcessGroup).calls.sum, folder.run.world());
        EXPECT_TRUE(summary.rendezvous.meets()) << summary.rendezvous.findings.front();
        EXPECT_EQ(summary.rendezvous.notes.size(), folder.run.parallelism.tp > 1 ? 1U : 0U);
        EXPECT_EQ(summary.rendezvous.messages,
                  static_cast<std::uint64_t>(sums[Operation::BatchSend]));
        // Gradients: one all-reduce of each data-parallel group.
        const Parallelism& degrees = folder.run.parallelism;
        for (const GroupKind& kind : summary.groups) {
            if (kind.name == "dp") {
                EXPECT_EQ(kind.ranks, degrees.dp);
                EXPECT_EQ(kind.groups, degrees.tp * degrees.pp);
            }
        }
    }
}

}  // namespace
}  // namespace npunet::generators::megatron::recorded_logs_test
