// What the npunet dialect calls, against closed forms of each parallel dimension.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <tuple>

#include "generators/megatron/program/gradient_buckets.h"
#include "generators/megatron/program/program.h"
#include "random_runs.h"
#include "run_facts.h"

namespace npunet::generators::megatron::npunet_program_test {

namespace {

/// Calls and bytes.
struct Tally {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    void add(std::int64_t more_calls, std::int64_t bytes_of_each) {
        calls += more_calls;
        bytes += more_calls * bytes_of_each;
    }
    friend bool operator==(const Tally& a, const Tally& b) {
        return a.calls == b.calls && a.bytes == b.bytes;
    }
};

using Key = std::tuple<Phase, Operation, GroupRole>;
using Tallies = std::map<Key, Tally>;

std::string text(const Tallies& tallies) {
    std::string lines;
    for (const auto& [key, tally] : tallies) {
        lines += fmt::format("{} {} {}: {} calls, {} bytes\n", name_of(std::get<0>(key)),
                             name_of(std::get<1>(key)), name_of(std::get<2>(key)), tally.calls,
                             tally.bytes);
    }
    return lines;
}

Tallies counted(const Program& program) {
    Tallies tallies;
    for (const ProgramItem& item : program.items) {
        if (item.kind == ProgramItem::Kind::Call) {
            const GroupRole group = item.has_group ? item.group : GroupRole::World;
            tallies[{item.phase, item.call.operation, group}].add(1, payload_bytes(item.call));
        }
    }
    return tallies;
}

/// The closed forms of tensor, sequence, context and expert parallelism, and of the data.
Tallies expected_of_layers(const TrainingRun& run, std::int64_t stage) {
    const Share share = share_of(run, stage);
    const Parallelism& p = run.parallelism;
    const ModelSpec& model = run.model;
    const std::int64_t e = size_of(run.dtype);
    const std::int64_t m = run.steps;
    const std::int64_t b = run.micro_batch;
    const std::int64_t h = model.hidden;
    const std::int64_t seq = model.seq / p.cp;
    const std::int64_t own_seq = run.sequence_parallel ? seq / p.tp : seq;
    const std::int64_t first = share.first ? 1 : 0;
    const std::int64_t last = share.last ? 1 : 0;
    const std::int64_t layers = share.dense + share.experts;
    const std::int64_t shared = model.moe.shared_experts > 0 ? share.experts : 0;
    const bool learned = model.positions == Positions::Learned;
    Tallies t;
    const auto expect = [&](Phase phase, Operation operation, GroupRole group, std::int64_t calls,
                            std::int64_t bytes) {
        if (calls > 0 && group_size(p, group) > 1) {
            t[{phase, operation, group}].add(calls, bytes);
        }
    };
    using enum Operation;
    using enum GroupRole;
    const auto fwd = Phase::Forward;
    const auto bwd = Phase::Backward;
    expect(fwd, Broadcast, Tensor, m * first * 2, 8 * b * model.seq);
    expect(fwd, Broadcast, Tensor, m * last, 8 * b * model.seq);
    expect(fwd, Broadcast, Tensor, m * last, 4 * b * model.seq);
    const std::int64_t full = e * seq * b * h;
    const std::int64_t part = e * own_seq * b * h;
    if (run.sequence_parallel) {
        // Per layer forward 2 all-gathers and 2 reduce-scatters, backward 4 and 2; experts take
        // the place of the MLP's half, shared experts add it again.
        const std::int64_t halves = 2 * share.dense + share.experts + shared;
        expect(fwd, AllGatherIntoTensor, Tensor, m * (halves + last), part);
        expect(fwd, ReduceScatterTensor, Tensor, m * (halves + (learned ? 0 : first)), full);
        expect(fwd, AllReduce, Tensor, m * (learned ? first : 0), full);
        expect(bwd, AllGatherIntoTensor, Tensor, m * (2 * halves + last + first), part);
        expect(bwd, ReduceScatterTensor, Tensor, m * (halves + last), full);
    } else {
        expect(fwd, AllReduce, Tensor, m * (2 * share.dense + share.experts + shared + first),
               full);
        expect(bwd, AllReduce, Tensor, m * (2 * share.dense + share.experts + shared + last), full);
    }
    // Cross-entropy: the maximum and two sums, or one of both.
    expect(fwd, AllReduce, Tensor, m * last, 4 * seq * b);
    expect(fwd, AllReduce, Tensor, m * last * (run.fused_cross_entropy ? 1 : 2),
           4 * seq * b * (run.fused_cross_entropy ? 2 : 1));
    // Context parallelism: cp - 1 hops of keys and values forward; backward as many and those of
    // their gradients.
    const std::int64_t kv = e * 2 * seq * b * model.kv_heads / p.tp * model.head_dim;
    const std::int64_t qkv = e * seq * b * model.qkv_width() / p.tp;
    const std::int64_t result = e * seq * b * model.value_width() / p.tp;
    switch (run.context_comm) {
        case ContextComm::PointToPoint:
            for (const Operation operation : {AsyncSend, AsyncReceive}) {
                expect(fwd, operation, Context, m * layers * (p.cp - 1), kv);
                expect(bwd, operation, Context, m * layers * 2 * (p.cp - 1), kv);
            }
            break;
        case ContextComm::AllGather:
            expect(fwd, AllGatherIntoTensor, Context, m * layers, kv);
            expect(bwd, ReduceScatterTensor, Context, m * layers, kv * p.cp);
            break;
        case ContextComm::AllToAll:
            for (const Phase phase : {fwd, bwd}) {
                expect(phase, AllToAllSingle, Context, m * layers, qkv);
                expect(phase, AllToAllSingle, Context, m * layers, result);
            }
            break;
    }
    // Experts: T k copies of T tokens there and back, and their probabilities there.
    const std::int64_t calls = m * share.experts;
    const std::int64_t copies = own_seq * b * model.moe.top_k;
    const std::int64_t etp = p.expert_tensor();
    expect(fwd, AllReduce, TensorContext, model.moe.router_bias ? 0 : calls, 8 * model.moe.experts);
    expect(fwd, AllGatherIntoTensor, TensorExpert, calls, 8 * model.moe.experts);
    for (const Phase phase : {fwd, bwd}) {
        expect(phase, AllToAllSingle, Expert, 2 * calls, e * copies * h);
        expect(phase, AllToAllSingle, Expert, calls, 4 * copies);
    }
    expect(fwd, AllGatherIntoTensor, ExpertTensor, calls, e * copies * h);
    expect(fwd, AllGatherIntoTensor, ExpertTensor, calls, 4 * copies);
    expect(fwd, ReduceScatterTensor, ExpertTensor, calls, e * copies * h * etp);
    expect(bwd, AllGatherIntoTensor, ExpertTensor, calls, e * copies * h);
    expect(bwd, ReduceScatterTensor, ExpertTensor, calls, e * copies * h * etp);
    expect(bwd, ReduceScatterTensor, ExpertTensor, calls, 4 * copies * etp);
    return t;
}

Tallies collectives_of_layers(const Tallies& all) {
    Tallies layers;
    for (const auto& [key, tally] : all) {
        const auto [phase, operation, group] = key;
        const bool replicas = group == GroupRole::DataContext || group == GroupRole::ExpertData;
        const bool pipeline = group == GroupRole::Pipeline || group == GroupRole::World;
        if ((phase == Phase::Forward || phase == Phase::Backward) && !replicas && !pipeline) {
            layers[key] = tally;
        }
    }
    return layers;
}

// Per stage and phase: calls and bytes of every operation in every group are those of the closed
// forms, for 200 plans that were drawn.
TEST(NpunetProgram, LayersCallWhatTheFormulasSay) {
    for (const TrainingRun& run : random_runs(200)) {
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            const Tallies found = collectives_of_layers(counted(make_program(run, stage, 0)));
            const Tallies expected = expected_of_layers(run, stage);
            EXPECT_EQ(found, expected) << text(run) << "\nstage " << stage << "\nfound\n"
                                       << text(found) << "expected\n"
                                       << text(expected);
        }
    }
}

// A pipeline sends 2 m (pp v - 1) tensors of [Sq,b,h], and receives as many.
TEST(NpunetProgram, PipelinesSendWhatTheFormulaSays) {
    for (const TrainingRun& run : random_runs(200, 2)) {
        Tally sent;
        Tally received;
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            for (const ProgramItem& item : make_program(run, stage, 0).items) {
                if (item.peer == PeerRole::PreviousStage || item.peer == PeerRole::NextStage) {
                    (is_send(item.call.operation) ? sent : received)
                        .add(1, payload_bytes(item.call));
                }
            }
        }
        const std::int64_t count = 2 * run.steps * (run.parallelism.pp * run.vpp - 1);
        const std::int64_t part =
            run.model.seq / run.parallelism.cp / (run.sequence_parallel ? run.parallelism.tp : 1);
        const Tally expected{
            count, count * part * run.micro_batch * run.model.hidden * size_of(run.dtype)};
        EXPECT_EQ(sent, expected) << text(run) << " sent " << sent.calls;
        EXPECT_EQ(received, expected) << text(run) << " received " << received.calls;
    }
}

// Replicas: the sums are of the buckets, once a step; weights are gathered as often with the
// distributed optimizer. With overlap sums run in the backward pass, gathers in the forward pass.
TEST(NpunetProgram, ReplicasExchangeEveryBucketOnce) {
    for (const TrainingRun& run : random_runs(200, 4)) {
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            Tallies expected;
            for (std::int64_t chunk = 0; chunk < run.vpp; ++chunk) {
                for (const GradientBucket& bucket : gradient_buckets(run, stage, chunk)) {
                    const std::int64_t n = group_size(run.parallelism, bucket.replicas);
                    if (n == 1) {
                        continue;
                    }
                    const Phase sum = run.overlap_grad_reduce ? Phase::Backward : Phase::Update;
                    const Operation operation = run.distributed_optimizer
                                                    ? Operation::ReduceScatterTensor
                                                    : Operation::AllReduce;
                    expected[{sum, operation, bucket.replicas}].add(1, 4 * bucket.elements);
                    if (run.distributed_optimizer) {
                        const Phase gather =
                            run.overlap_param_gather ? Phase::Forward : Phase::Update;
                        expected[{gather, Operation::AllGatherIntoTensor, bucket.replicas}].add(
                            1, bucket.elements / n * size_of(run.dtype));
                    }
                }
            }
            // Beside the buckets the last stage reports the loss.
            if (stage == run.parallelism.pp - 1 &&
                group_size(run.parallelism, GroupRole::DataContext) > 1) {
                expected[{Phase::Update, Operation::AllReduce, GroupRole::DataContext}].add(1, 8);
            }
            Tallies found;
            for (const auto& [key, tally] : counted(make_program(run, stage, 0))) {
                const GroupRole group = std::get<2>(key);
                if (group == GroupRole::DataContext || group == GroupRole::ExpertData) {
                    found[key] = tally;
                }
            }
            EXPECT_EQ(found, expected) << text(run) << "\nfound\n"
                                       << text(found) << "expected\n"
                                       << text(expected);
        }
    }
}

// Every call that goes on is waited for exactly once, later.
TEST(NpunetProgram, WhatGoesOnIsWaitedFor) {
    for (const TrainingRun& run : random_runs(100, 5)) {
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            const Program program = make_program(run, stage, 0);
            std::vector<int> waits(program.items.size(), 0);
            for (std::size_t i = 0; i < program.items.size(); ++i) {
                const ProgramItem& item = program.items[i];
                if (item.kind == ProgramItem::Kind::Wait) {
                    ASSERT_LT(item.waited, i);
                    EXPECT_TRUE(program.items[item.waited].call.asynchronous);
                    ++waits[item.waited];
                }
            }
            for (std::size_t i = 0; i < program.items.size(); ++i) {
                const ProgramItem& item = program.items[i];
                const bool goes_on = item.kind == ProgramItem::Kind::Call && item.call.asynchronous;
                EXPECT_EQ(waits[i], goes_on ? 1 : 0) << text(run) << ' ' << item.what;
            }
        }
    }
}

// Total computation is that of the model for every plan: 6 x parameters that multiply x tokens, and
// the attention scores, half of them, in two forward and five backward products.
TEST(NpunetProgram, ComputationDoesNotDependOnThePlan) {
    for (const TrainingRun& run : random_runs(60, 6)) {
        if (run.model.moe.experts > 0) {
            continue;
        }
        std::int64_t flops = 0;
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            for (const ProgramItem& item : make_program(run, stage, 0).items) {
                const std::string segment = item.what;
                const bool multiplies = segment.rfind("attention_", 0) == 0 ||
                                        segment.rfind("mlp_", 0) == 0 ||
                                        segment.rfind("head_", 0) == 0;
                flops += item.kind == ProgramItem::Kind::Compute && multiplies ? item.flops : 0;
            }
        }
        flops *= run.world() / run.parallelism.pp;
        const ModelSpec& model = run.model;
        const std::int64_t tokens = run.steps * run.micro_batch * run.parallelism.dp * model.seq;
        const std::int64_t vocab = run.local_vocab() * run.parallelism.tp;
        const std::int64_t weights =
            model.layers * layer_parameters(model).matrices + vocab * model.hidden;
        const std::int64_t expected =
            6 * weights * tokens + 7 * model.layers * model.seq * model.query_width() * tokens;
        // Parts of a segment that do not divide lose less than an operation each.
        EXPECT_LE(flops, expected) << text(run);
        EXPECT_GE(flops, expected - expected / 10'000) << text(run);
    }
}

}  // namespace

}  // namespace npunet::generators::megatron::npunet_program_test
