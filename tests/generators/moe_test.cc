// Mixture of experts: what routing makes ranks send and compute, and whole steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/generators/element_bytes.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/steps.h"
#include "tests/support/counted_cases.h"
#include "tests/support/machines.h"

namespace npunet::generators::moe_test {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using ::testing::AnyOf;
using ::testing::Each;

/// Bytes of the collectives of one type whose names hold `part`, over all ranks.
WideCount bytes(const GeneratedWorkload& workload, CollectiveType type, const char* part) {
    return sum(workload, "comm_size",
               [=](const Node& n) { return is_collective(n, type) && contains(n.name, part); });
}

// T tokens a rank routes (a tp-th of its micro-batch), all T k copies to equal parts: T k / ep h e
// bytes to each peer, out and back, forward and backward; 4 bytes a copy for probabilities; within
// etp the copies gathered and the partial sums scattered.
TEST(ExpertParallel, UniformBytesAreTheClosedForm) {
    const ModelSpec model = small_moe();
    const std::vector<Plan> plans = random_plans(model, test::random_cases(25, 400), 11);
    for (const Plan& plan : plans) {
        const GeneratedWorkload workload = generate(model, plan);
        SCOPED_TRACE(full_description(plan));
        const std::int64_t tokens = plan.micro_batch * plan.sequence / plan.cp / plan.tp;
        const std::int64_t copies = tokens * model.moe.top_k;
        ASSERT_EQ(copies % plan.ep, 0);
        const WideCount passes = WideCount{plan.world() / plan.pp} * 3 * plan.micro_batches();
        const WideCount out = plan.ep > 1 ? passes * copies : 0;
        const WideCount shared = plan.etp > 1 ? passes * copies : 0;
        const std::int64_t each = model.hidden * bf16;
        EXPECT_TRUE(bytes(workload, CollectiveType::AllToAll, "moe_dispatch") == 2 * out * each);
        EXPECT_TRUE(bytes(workload, CollectiveType::AllToAll, "moe_combine") == 2 * out * each);
        EXPECT_TRUE(bytes(workload, CollectiveType::AllToAll, "moe_probabilities") == 2 * out * 4);
        EXPECT_TRUE(bytes(workload, CollectiveType::AllGather, "moe_tokens") == 2 * shared * each);
        EXPECT_TRUE(bytes(workload, CollectiveType::AllGather, "moe_probabilities") == shared * 4);
        EXPECT_TRUE(bytes(workload, CollectiveType::ReduceScatter, "moe_tokens") ==
                    2 * shared * each * plan.etp);
        EXPECT_TRUE(bytes(workload, CollectiveType::ReduceScatter, "moe_probabilities") ==
                    shared * 4 * plan.etp);
        EXPECT_TRUE(bytes(workload, CollectiveType::AllGather, "moe_counts") ==
                    (plan.ep * plan.etp > 1 ? passes * 8 * 8 : 0));
        const WideCount whole = plan.tp > 1 && !plan.sequence_parallel ? passes * tokens * each : 0;
        EXPECT_TRUE(bytes(workload, CollectiveType::AllGather, "moe_output") == whole);
        EXPECT_TRUE(bytes(workload, CollectiveType::AllGather, "moe_input") == whole);
        // Alike on every rank of a stage: nothing varies, so that equal ranks stay equal.
        EXPECT_FALSE(workload.amounts());
        EXPECT_TRUE(sum(workload, "comm_type",
                        [](const Node& n) { return n.find("comm_sizes") != nullptr; }) == 0);
    }
    test::count_cases(plans.size());
}

/// Weights that multiply a token: k experts and the shared ones of each layer, router, attention.
WideCount active_weights(const ModelSpec& model) {
    const std::int64_t h = model.hidden;
    const std::int64_t dense = model.moe.dense_layers_first;
    const std::int64_t moe = model.layers - dense;
    return WideCount{model.layers} * h * (model.qkv_width() + model.query_width()) +
           dense * 3 * h * model.ffn +
           moe * (3 * h * model.moe.ffn * (model.moe.top_k + model.moe.shared_experts) +
                  h * model.moe.experts) +
           model.vocab * h;
}

// 6 P T with the active weights P, plus the attention core, for any routing of tokens.
TEST(ExpertParallel, FlopsAreThoseOfTheActiveWeights) {
    for (const ModelSpec& model : {small_moe(), skewed_moe()}) {
        for (const Plan& plan : random_plans(model, 40, 12)) {
            const WideCount flops =
                6 * active_weights(model) * plan.tokens() + core_flops(model, plan);
            const GeneratedWorkload workload = generate(model, plan);
            EXPECT_TRUE(sum(workload, "num_ops",
                            [](const Node& n) {
                                return n.type == NodeType::Compute && is_multiplication(n.name);
                            }) == flops)
                << model.name << " " << full_description(plan);
            // The summary counts what differs from rank to rank too.
            EXPECT_TRUE(totals_of(workload).flops == sum(workload, "num_ops", [](const Node& n) {
                            return n.type == NodeType::Compute;
                        }));
        }
    }
}

using Sizes = std::vector<std::int64_t>;

/// comm_sizes by rank and node name; equal parts are spelt out.
std::map<std::int32_t, std::map<std::string, Sizes>> exchanges(const GeneratedWorkload& workload,
                                                               std::int64_t members) {
    std::map<std::int32_t, std::map<std::string, Sizes>> all;
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        for (const Node& node : workload.nodes(Rank(r))) {
            if (!is_collective(node, CollectiveType::AllToAll) || !contains(node.name, "_moe_") ||
                contains(node.name, "moe_tokens") || contains(node.name, "_gather")) {
                continue;
            }
            const std::int64_t bytes = node.integer("comm_size").value();
            Sizes sizes(static_cast<std::size_t>(members), bytes / members);
            if (const chakra::Attribute* found = node.find("comm_sizes"); found != nullptr) {
                sizes = std::get<Sizes>(found->value);
            }
            EXPECT_EQ(total(sizes), bytes);
            all[r][node.name] = sizes;
        }
    }
    return all;
}

std::string with(std::string name, const std::string& from, const std::string& to) {
    const std::size_t at = name.find(from);
    return name.replace(at, from.size(), to);
}

// What i sends j on the way out comes back from j to i; the backward pass repeats both; and what a
// rank was sent, in its etp group together, is what its experts multiply.
TEST(ExpertParallel, CombineIsDispatchTransposedAndComputeFollows) {
    std::size_t compared = 0;
    for (const ModelSpec& model : {small_moe(), skewed_moe(), skewed_moe(0.75)}) {
        for (const Plan& plan : random_plans(model, 40, 13)) {
            if (plan.ep == 1) {
                continue;
            }
            const GeneratedWorkload workload = generate(model, plan);
            SCOPED_TRACE(model.name + " " + full_description(plan));
            const auto sizes = exchanges(workload, plan.ep);
            const AxisGrid grid = expert_grid(plan);
            std::map<std::int32_t, std::map<std::string, std::int64_t>> received;
            for (const auto& [rank, nodes] : sizes) {
                const std::vector<Rank> members = grid.group(Rank(rank), {GridAxis::Expert});
                const std::int64_t self = grid.coordinate(Rank(rank), GridAxis::Expert);
                for (const auto& [name, out] : nodes) {
                    if (!contains(name, "moe_dispatch_all_to_all_forward")) {
                        continue;
                    }
                    const std::string back = with(name, "dispatch", "combine");
                    EXPECT_EQ(nodes.at(with(back, "forward", "backward")), out);
                    EXPECT_EQ(nodes.at(with(name, "forward", "backward")), nodes.at(back));
                    for (std::size_t j = 0; j < members.size(); ++j) {
                        EXPECT_EQ(
                            sizes.at(members[j].value()).at(back)[static_cast<std::size_t>(self)],
                            out[j]);
                        received[members[j].value()][name] += out[j];
                        EXPECT_EQ(nodes.at(with(name, "dispatch", "probabilities"))[j] *
                                      model.hidden * bf16,
                                  out[j] * 4);
                        ++compared;
                    }
                }
            }
            for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
                std::map<std::string, std::int64_t> flops;
                for (const Node& node : workload.nodes(Rank(r))) {
                    if (contains(node.name, "moe_up_forward")) {
                        flops[node.name] = node.integer("num_ops").value();
                    }
                }
                for (const auto& [name, count] : flops) {
                    std::int64_t in = 0;
                    for (const Rank peer : grid.group(Rank(r), {GridAxis::Tensor})) {
                        in += received[peer.value()].at(
                            with(name, "moe_up", "moe_dispatch_all_to_all"));
                    }
                    EXPECT_EQ(count * model.hidden * bf16,
                              in * 2 * model.hidden * 2 * model.moe.ffn / plan.etp);
                }
            }
        }
    }
    EXPECT_GT(compared, 1000U);
}

// T k = 10 copies over ep 4: parts of two experts get 2 or 3, and the two members of an etp group,
// whose batches are the 2 i-th and the next, not always equally many.
TEST(ExpertParallel, UnevenUniformRoutingIsUnequal) {
    ModelSpec model = small_moe();
    Plan plan;
    plan.dp = 8;
    plan.ep = 4;
    plan.etp = 2;
    plan.sequence = 5;
    const GeneratedWorkload workload = generate(model, plan);
    for (const Node& node : workload.nodes(Rank(0))) {
        if (contains(node.name, "moe_dispatch_all_to_all_forward")) {
            const Sizes sizes = std::get<Sizes>(node.find("comm_sizes")->value);
            EXPECT_THAT(sizes, Each(AnyOf(2 * 128, 3 * 128)));
            EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), 10 * 128);
        } else if (contains(node.name, "moe_tokens_all_gather_forward")) {
            EXPECT_TRUE(is_collective(node, CollectiveType::AllToAll));
            const Sizes sizes = std::get<Sizes>(node.find("comm_sizes")->value);
            EXPECT_EQ(sizes[0], 0);
            // Of four members: 4 x 10 / 4 up to one each, in whole copies.
            EXPECT_LE(std::abs(sizes[1] - 10 * 128), 2 * 128);
        }
    }
}

// Skewed routing over etp 2: each hands the other what it was sent.
TEST(ExpertParallel, UnequalPartsAreSharedExactly) {
    const ModelSpec model = skewed_moe();
    Plan plan;
    plan.dp = 4;
    plan.ep = 2;
    plan.etp = 2;
    plan.seed = 5;
    const GeneratedWorkload workload = generate(model, plan);
    std::map<std::string, Sizes> share[2];
    for (std::int32_t r = 0; r < 2; ++r) {
        for (const Node& node : workload.nodes(Rank(r))) {
            if (contains(node.name, "moe_tokens")) {
                EXPECT_TRUE(is_collective(node, CollectiveType::AllToAll));
                share[r][node.name] = std::get<Sizes>(node.find("comm_sizes")->value);
            }
        }
    }
    ASSERT_EQ(share[0].size(), 3U * 4U);
    for (const auto& [name, first] : share[0]) {
        const Sizes& second = share[1].at(name);
        EXPECT_EQ(first[0], 0);
        EXPECT_EQ(second[1], 0);
        if (contains(name, "all_gather")) {
            const std::string back = with(name, "all_gather", "reduce_scatter");
            EXPECT_EQ(share[0].at(back), second[0] == 0 ? Sizes({0, 0}) : Sizes({0, second[0]}));
            EXPECT_EQ(share[1].at(back)[0], first[1]);
        }
    }
}

// Small steps on a machine, in program order per communicator: no stall, and every NPU's time is
// accounted for. One expert with all tokens leaves others with none.
TEST(ExpertParallel, StepsRunToTheirEnd) {
    ModelSpec one_sided = skewed_moe();
    one_sided.moe.routing.exponent = 40.0;
    const std::size_t plans = test::random_cases(8, 100);  // of each model
    std::size_t runs = 0;
    for (const ModelSpec& model : {small_model(), small_moe(), skewed_moe(), one_sided}) {
        for (const Plan& plan : random_plans(model, plans, 14)) {
            if (plan.world() == 1) {
                continue;
            }
            const test::TestMachine made =
                test::ring_machine(plan.world(), Rate(50'000'000'000), Time::ns(500));
            study::Machine machine;
            machine.network = made.network;
            machine.system = made.system;
            machine.dialect = made.dialect;
            machine.system.roofline = true;
            machine.system.preferred_dataset_splits = runs % 2 == 0 ? 1 : 100;
            machine.system.compute.peak_tflops = 100.0;
            machine.system.compute.memory_bandwidth = 1000.0;
            const engine::Results results = study::simulate(
                study::workload_from(generate(model, plan), study::workload_options(machine)),
                machine, study::Fidelity::Analytical);
            EXPECT_GT(results.npus.front().finish, Time()) << full_description(plan);
            ++runs;
        }
    }
    EXPECT_GT(runs, 2 * plans);
    test::count_cases(runs);
}

}  // namespace
}  // namespace npunet::generators::moe_test
