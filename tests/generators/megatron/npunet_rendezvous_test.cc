// All ranks of a run together: every call meets its partners, no rank waits for ever.
#include <gtest/gtest.h>

#include "random_runs.h"
#include "rank_machine.h"
#include "run_facts.h"

namespace npunet::generators::megatron {

namespace {

// For plans that were drawn: collectives meet with equal sizes, messages with equal sizes, and a
// machine that executes all ranks with blocking calls comes to the end.
TEST(NpunetRendezvous, EveryCallMeetsItsPartners) {
    std::size_t interleaved = 0;
    std::size_t with_experts = 0;
    for (const TrainingRun& run : random_runs(120, 11)) {
        if (run.world() > 64) {
            continue;
        }
        interleaved += run.vpp > 1 ? 1 : 0;
        with_experts += run.model.moe.experts > 0 ? 1 : 0;
        RankMachine machine(run);
        const std::optional<std::string> problem = machine.run();
        EXPECT_FALSE(problem.has_value()) << text(run) << ": " << problem.value_or("");
    }
    EXPECT_GT(interleaved, 10U);
    EXPECT_GT(with_experts, 10U);
}

/// Runs with few other dimensions and every pipeline.
std::vector<TrainingRun> pipelines() {
    std::vector<TrainingRun> runs;
    for (const std::int64_t pp : {2, 3, 4, 6}) {
        for (const std::int64_t vpp : {1, 2, 3}) {
            for (std::int64_t m = 1; m <= 13; ++m) {
                for (const std::int64_t group : {0, 4, 5, 7}) {
                    for (const bool overlap : {false, true}) {
                        TrainingRun run = npunet_run("small");
                        run.model.layers = 36;
                        run.parallelism.pp = pp;
                        run.vpp = vpp;
                        run.micro_batches = m;
                        run.global_batch_size = m;
                        run.micro_batch_group = group;
                        run.overlap_p2p = overlap;
                        try {
                            runs.push_back(resolve_run(run));
                        } catch (const InputError&) {
                            // Not a schedule.
                        }
                    }
                }
            }
        }
    }
    return runs;
}

// What a stage gets for a pass is what the virtual stage before it (gradients: behind it) made of
// the same micro-batch: messages are matched by their order alone.
TEST(NpunetRendezvous, StagesGetWhatTheyNeed) {
    const std::vector<TrainingRun> runs = pipelines();
    EXPECT_GT(runs.size(), 200U);
    for (const TrainingRun& run : runs) {
        for (const ProgramItem& item : make_program(run, 1, 0).items) {
            const bool batched = item.call.batch_size > 0;
            EXPECT_FALSE(batched && run.vpp > 1 && run.overlap_p2p) << text(run);
        }
        RankMachine machine(run);
        const std::optional<std::string> problem = machine.run();
        ASSERT_FALSE(problem.has_value()) << text(run) << ": " << problem.value_or("");
        const std::int64_t pp = run.parallelism.pp;
        std::int64_t messages = 0;
        for (const Delivery& delivery : machine.deliveries()) {
            const ProgramItem& sent = delivery.sent;
            const ProgramItem& received = delivery.received;
            EXPECT_EQ(sent.phase, received.phase) << text(run);
            EXPECT_EQ(sent.micro_batch, received.micro_batch) << text(run);
            const std::int64_t from = sent.chunk * pp + delivery.from.value();
            const std::int64_t to = received.chunk * pp + delivery.to.value();
            EXPECT_EQ(to, sent.phase == Phase::Forward ? from + 1 : from - 1) << text(run);
            ++messages;
        }
        EXPECT_EQ(messages, 2 * run.steps * (pp * run.vpp - 1)) << text(run);
    }
}

}  // namespace

}  // namespace npunet::generators::megatron
