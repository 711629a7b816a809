// Logs that we write, read again: folders by their configuration, and calls of drawn runs, which
// all meet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/logs/log_writer.h"
#include "generators/megatron/matching/log_summary.h"
#include "generators/megatron/matching/rendezvous.h"
#include "log_files.h"
#include "random_runs.h"

namespace npunet::generators::megatron {
namespace {

class MadeLogs : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

TEST_F(MadeLogs, CallsOfDrawnRunsMeet) {
    std::uint64_t collectives = 0;
    std::uint64_t messages = 0;
    for (const TrainingRun& run : random_runs(40, 11)) {
        if (run.world() > 32) {
            continue;
        }
        SCOPED_TRACE(run.world());
        const LogWriter writer(run);
        std::vector<std::filesystem::path> logs;
        for (std::int64_t rank = 0; rank < run.world(); ++rank) {
            logs.push_back(folder_.write(fmt::format("r{}.json", rank),
                                         writer.log(Rank(static_cast<std::int32_t>(rank)))));
        }
        const RendezvousResult result =
            check_rendezvous(LogSource(logs), run.dialect, run.parallelism.tp);
        EXPECT_TRUE(result.meets()) << result.findings.front();
        EXPECT_TRUE(result.notes.empty());
        collectives += result.collectives;
        messages += result.messages;
    }
    EXPECT_GT(collectives, 1000U);
    EXPECT_GT(messages, 100U);
}

// What a configuration tells comes back, in both dialects.
TEST_F(MadeLogs, FoldersComeBack) {
    for (const Dialect dialect : {Dialect::Npunet, Dialect::Genstack}) {
        const bool npunet = dialect == Dialect::Npunet;
        TrainingRun run = npunet ? npunet_run("small") : genstack_run("small");
        run.parallelism.tp = 2;
        run.parallelism.pp = 2;
        run.parallelism.dp = 2;
        run.global_batch_size = 16;
        run.timestamp = npunet ? "20260101_000000" : "20260101_000001";
        run.sequence_parallel = npunet;
        run.distributed_optimizer = npunet;
        run.vpp = npunet ? 3 : 1;
        run = resolve_run(run);
        const LogWriter writer(run);
        static_cast<void>(writer.write(folder_.path(), [] {}));
        const LogFolder folder = open_log_folder(folder_ / writer.folder_name());
        EXPECT_EQ(folder.run.dialect, dialect);
        EXPECT_EQ(folder.run.parallelism.tp, 2);
        EXPECT_EQ(folder.run.parallelism.pp, 2);
        EXPECT_EQ(folder.run.parallelism.dp, 2);
        EXPECT_EQ(folder.run.vpp, run.vpp);
        EXPECT_EQ(folder.run.sequence_parallel, npunet);
        EXPECT_EQ(folder.run.distributed_optimizer, npunet);
        EXPECT_EQ(folder.run.dtype, run.dtype);
        EXPECT_EQ(folder.run.attention_mask, run.attention_mask);
        EXPECT_EQ(folder.run.steps, run.steps);
        EXPECT_EQ(folder.run.local_vocab(), run.local_vocab());
        // The logs written from it are the same again.
        EXPECT_EQ(LogWriter(folder.run).log(Rank(5)), writer.log(Rank(5)));
        EXPECT_EQ(vocabulary_of_logs(folder), run.local_vocab());
        const LogSummary summary = summarize_logs(folder, [] {});
        EXPECT_TRUE(summary.rendezvous.meets()) << summary.rendezvous.findings.front();
        EXPECT_EQ(summary.rendezvous.notes.size(), npunet ? 0U : 1U);
    }
}

// Groups of more than 1024 ranks leave their ranks out of calls.
TEST_F(MadeLogs, LongGroupsAreFoundByName) {
    TrainingRun run = npunet_run("small");
    run.parallelism.dp = 1030;
    run.micro_batches = 1;
    run.global_batch_size = 1030;
    run = resolve_run(run);
    const LogWriter writer(run);
    GroupTable groups;
    std::int64_t of_all = 0;
    for (const int rank : {0, 1029}) {
        const auto log = folder_.write("log.json", writer.log(Rank(rank)));
        for (const LoggedCall& event : events_of(log, Rank(rank), groups)) {
            if (is_collective(event.call.operation)) {
                ASSERT_GE(event.call.group, 0);
                of_all += groups.ranks(event.call.group).size() == 1030 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(of_all, 0);
}

}  // namespace
}  // namespace npunet::generators::megatron
