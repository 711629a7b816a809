// What a run is resolved to, and what is refused with which words.
#include "generators/megatron/program/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/refusals.h"

namespace npunet::generators::megatron::training_run_test {

namespace {

using ::testing::HasSubstr;

/// The message about the run that `change` makes of a good one.
std::string refusal(Dialect dialect, const std::function<void(TrainingRun&)>& change) {
    TrainingRun run = dialect == Dialect::Genstack ? genstack_run("small") : npunet_run("small");
    run.parallelism.dp = 2;
    change(run);
    return test::message_of<InputError>([&] { return resolve_run(run); });
}

// Micro-batch = batch // (micro-batches x dp), steps = batch / (micro-batch x dp): 90 sequences in
// 4 micro-batches on 3 replicas are 7 each, which do not divide; on 9 they are 2, in 5 steps.
TEST(ResolvedRun, DividesTheBatch) {
    TrainingRun run = npunet_run("small");
    run.parallelism.dp = 9;
    run.global_batch_size = 90;
    run = resolve_run(run);
    EXPECT_EQ(run.micro_batch, 2);
    EXPECT_EQ(run.steps, 5);
    run.parallelism.dp = 3;
    EXPECT_THROW(static_cast<void>(resolve_run(run)), InputError);
}

// The vocabulary is padded to a multiple of D x tp: GPT's 50257 to 50304 on 3 x 128; the tracer's
// single token to D rows on every rank.
TEST(ResolvedRun, PadsTheVocabulary) {
    TrainingRun run = npunet_run("small");
    run.parallelism.tp = 3;
    EXPECT_EQ(run.local_vocab(), 50304 / 3);
    run = genstack_run("small");
    run.parallelism.tp = 4;
    EXPECT_EQ(run.local_vocab(), 50257);
    run.vocab_divisible_by = 128;
    EXPECT_EQ(run.local_vocab(), 128);
}

TEST(RefusedRun, NamesTheNumbers) {
    const auto both = [](const std::function<void(TrainingRun&)>& change,
                         const std::string& words) {
        EXPECT_THAT(refusal(Dialect::Genstack, change), HasSubstr(words));
        EXPECT_THAT(refusal(Dialect::Npunet, change), HasSubstr(words));
    };
    both([](TrainingRun& run) { run.parallelism.tp = 5; },
         "--tp: found 5; expected a divisor of the 12 heads");
    both([](TrainingRun& run) { run.parallelism.pp = 5; },
         "--pp: found 5; expected a divisor of the 12 layers");
    both([](TrainingRun& run) { run.parallelism.dp = 0; }, "--dp");
    both([](TrainingRun& run) { run.micro_batches = 0; }, "--micro-batches");
    both([](TrainingRun& run) { run.global_batch_size = 0; }, "--batch");
    both([](TrainingRun& run) { run.global_batch_size = 4; }, "--micro-batches 4 on dp 2 replicas");
    both([](TrainingRun& run) { run.parallelism.dp = 3; }, "a multiple of 255");
    both([](TrainingRun& run) { run.global_batch_size = std::int64_t{1} << 32; },
         "sequences of a micro-batch");
    both([](TrainingRun& run) { run.vocab_divisible_by = std::int64_t{1} << 40; },
         "--make-vocab-size-divisible-by");
}

TEST(RefusedRun, OfGenstackNamesWhatTheTracerLacks) {
    const auto refused = [](const std::function<void(TrainingRun&)>& change,
                            const std::string& option) {
        EXPECT_THAT(refusal(Dialect::Genstack, change), HasSubstr("genstack with " + option));
    };
    refused([](TrainingRun& run) { run.parallelism.cp = 2; }, "--cp 2");
    refused([](TrainingRun& run) { run.parallelism.ep = 2; }, "--ep 2");
    refused([](TrainingRun& run) { run.parallelism.etp = 2; }, "--etp 2");
    refused([](TrainingRun& run) { run.vpp = 2; }, "--vpp 2");
    refused([](TrainingRun& run) { run.sequence_parallel = true; }, "--sequence-parallel");
    refused([](TrainingRun& run) { run.distributed_optimizer = true; }, "--distributed-optimizer");
    refused([](TrainingRun& run) { run.overlap_grad_reduce = true; }, "--overlap-grad-reduce");
    refused([](TrainingRun& run) { run.dtype = DataType::BFloat16; }, "--dtype");
    refused(
        [](TrainingRun& run) {
            std::swap(run.parallelism.rank_order[0], run.parallelism.rank_order[3]);
        },
        "--rank-order");
    EXPECT_THAT(refusal(Dialect::Genstack, [](TrainingRun& run) { run.micro_batches = 5; }),
                HasSubstr("found 1024; expected a multiple of --micro-batches 5"));
}

TEST(RefusedRun, OfUnknownModel) {
    EXPECT_THROW(static_cast<void>(genstack_run("175B")), InputError);
    EXPECT_THROW(static_cast<void>(npunet_run("no-such-model")), InputError);
    EXPECT_EQ(genstack_models().size(), 9U);
    for (const std::string& name : genstack_models()) {
        EXPECT_EQ(genstack_run(name).model_size, name);
    }
}

}  // namespace

}  // namespace npunet::generators::megatron::training_run_test
