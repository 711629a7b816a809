// Mixture of experts: routing, what it makes ranks send and compute, and whole steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "generators/transformer/moe_routing.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/routing_name.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/generators/parallel_plans.h"
#include "tests/support/machines.h"

namespace npunet::generators {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t bf16 = 2;

std::int64_t total(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

class RoutingFile : public ::testing::Test {
protected:
    void SetUp() override {
        file_ = std::filesystem::temp_directory_path() /
                ("npunet_routing_" +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
        model_ = small_moe();
        model_.moe.experts = 4;
        model_.moe.routing = routing_named(file_.string(), "here");
    }
    void TearDown() override { std::filesystem::remove(file_); }

    void write(const std::string& text) const { std::ofstream(file_) << text; }

    [[nodiscard]] std::string error_of(const std::string& text) const {
        write(text);
        try {
            static_cast<void>(MoeRouting(model_, 1));
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }

    std::filesystem::path file_;
    ModelSpec model_;
};

// N = T k copies over E experts: floor((e + 1) N / E) - floor(e N / E).
TEST(MoeRouting, UniformIsEqualUpToOne) {
    ModelSpec model = small_moe();
    const MoeRouting even(model, 1);
    EXPECT_THAT(even.counts({1, 0, Rank(0), 64}), Each(16));
    EXPECT_THAT(even.counts({2, 5, Rank(7), 5}), ElementsAre(1, 1, 1, 2, 1, 1, 1, 2));
    EXPECT_THAT(even.counts({1, 0, Rank(0), 0}), Each(0));
}

// All copies find an expert, none gets a token twice, and every source, layer, micro-batch and seed
// draws anew.
TEST(MoeRouting, ZipfKeepsItsSums) {
    for (const double exponent : {0.0, 0.5, 1.0, 3.0, 20.0}) {
        ModelSpec model = small_moe();
        model.moe.routing.kind = Routing::Kind::Zipf;
        model.moe.routing.exponent = exponent;
        for (const std::int64_t top_k : {1, 2, 7, 8}) {
            model.moe.top_k = top_k;
            const MoeRouting routing(model, 3);
            for (const std::int64_t tokens : {0, 1, 5, 64, 1000}) {
                for (std::int64_t layer = 0; layer < 4; ++layer) {
                    const std::vector<std::int64_t> counts =
                        routing.counts({layer, 2, Rank(5), tokens});
                    EXPECT_EQ(total(counts), tokens * top_k);
                    for (const std::int64_t count : counts) {
                        EXPECT_GE(count, 0);
                        EXPECT_LE(count, tokens);
                    }
                }
            }
        }
    }
}

// Sorted counts follow 1 / i^s within one copy: H = 1 + 1/2 + .. + 1/8 = 761/280.
TEST(MoeRouting, ZipfFollowsItsLaw) {
    ModelSpec model = skewed_moe();
    model.moe.routing.exponent = 1.0;
    model.moe.top_k = 1;
    std::vector<std::int64_t> counts = MoeRouting(model, 9).counts({3, 0, Rank(1), 100'000});
    std::sort(counts.rbegin(), counts.rend());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(counts[i]),
                    100'000.0 * 280.0 / 761.0 / static_cast<double>(i + 1), 1.001);
    }
}

// The same numbers on every machine.
TEST(MoeRouting, IsTheSameEverywhere) {
    const MoeRouting routing(skewed_moe(), 1);
    const std::vector<std::int64_t> first = routing.counts({1, 0, Rank(0), 1000});
    EXPECT_EQ(first, routing.counts({1, 0, Rank(0), 1000}));
    EXPECT_EQ(first, MoeRouting(skewed_moe(), 1).counts({1, 0, Rank(0), 1000}));
    EXPECT_NE(first, routing.counts({2, 0, Rank(0), 1000}));
    EXPECT_NE(first, MoeRouting(skewed_moe(), 2).counts({1, 0, Rank(0), 1000}));
    // Sources and micro-batches share the popularity of a layer and differ by one copy at most.
    std::size_t different = 0;
    for (std::int32_t r = 1; r < 20; ++r) {
        const std::vector<std::int64_t> counts = routing.counts({1, r % 3, Rank(r), 1000});
        different += counts != first ? 1 : 0;
        for (std::size_t e = 0; e < counts.size(); ++e) {
            EXPECT_LE(std::abs(counts[e] - first[e]), 1);
        }
    }
    EXPECT_GT(different, 0U);
    // From an implementation of the formulas in exact arithmetic.
    EXPECT_THAT(first, ElementsAre(110, 136, 238, 371, 174, 93, 797, 81));
}

// ceil(f N / E) copies of a source at most: f 1, N 2000, E 8.
TEST(MoeRouting, CapacityDropsCopies) {
    const std::vector<std::int64_t> all = MoeRouting(skewed_moe(), 1).counts({1, 0, Rank(0), 1000});
    const MoeRouting limited(skewed_moe(1.0), 1);
    const std::vector<std::int64_t> kept = limited.counts({1, 0, Rank(0), 1000});
    for (std::size_t e = 0; e < all.size(); ++e) {
        EXPECT_EQ(kept[e], std::min<std::int64_t>(all[e], 250));
    }
    EXPECT_LT(total(kept), 2000);
    EXPECT_EQ(limited.copies({1, 0, Rank(0), 1000}, 2, 6), kept[2] + kept[3] + kept[4] + kept[5]);
}

TEST(MoeRouting, HasNames) {
    EXPECT_EQ(routing_named("uniform", "here").kind, Routing::Kind::Uniform);
    EXPECT_EQ(routing_named("zipf:1.25", "here").exponent, 1.25);
    EXPECT_EQ(routing_named("runs/counts.txt", "here").file, "runs/counts.txt");
    EXPECT_EQ(routing_name(routing_named("zipf:0.5", "here")), "zipf:0.5");
    for (const char* wrong : {"", "zipf", "zipf:", "zipf:x", "zipf:-1", "zipf:1e9", "zipf:nan"}) {
        EXPECT_THROW(static_cast<void>(routing_named(wrong, "here")), InputError) << wrong;
    }
}

// Where the file's counts are those of as many copies, they come out as they are.
TEST_F(RoutingFile, ReproducesRecordedCounts) {
    write("# layer, tokens of each expert\n1, 30, 50, 0, 48\n* 10 20 30 40  # the others\n");
    const MoeRouting routing(model_, 1);
    EXPECT_THAT(routing.counts({1, 0, Rank(3), 64}), ElementsAre(30, 50, 0, 48));
    EXPECT_THAT(routing.counts({2, 1, Rank(0), 50}), ElementsAre(10, 20, 30, 40));
    EXPECT_THAT(routing.counts({3, 1, Rank(0), 500}), ElementsAre(100, 200, 300, 400));
}

// 90 of 100 copies of 50 tokens cannot go to one expert: it gets all 50, the others share 50 as 6
// to 3 to 1.
TEST_F(RoutingFile, NoExpertGetsATokenTwice) {
    write("* 900 60 30 10\n");
    EXPECT_THAT(MoeRouting(model_, 1).counts({1, 0, Rank(0), 50}), ElementsAre(50, 30, 15, 5));
    write("* 9 9 0 0\n");
    EXPECT_THAT(MoeRouting(model_, 1).counts({1, 0, Rank(0), 50}), ElementsAre(50, 50, 0, 0));
}

TEST_F(RoutingFile, SaysWhatIsWrong) {
    EXPECT_THAT(error_of("* 1 2 3\n"), AllOf(HasSubstr("line 1"), HasSubstr("3 numbers")));
    EXPECT_THAT(error_of("# a\n* 1 2 3 x\n"), AllOf(HasSubstr("line 2"), HasSubstr("'x'")));
    EXPECT_THAT(error_of("* 1 2 3 -4\n"), HasSubstr("'-4'"));
    EXPECT_THAT(error_of("* 1 0 0 0\n"), HasSubstr("1 experts with tokens"));
    EXPECT_THAT(error_of("0 1 2 3 4\n"), AllOf(HasSubstr("layer 0"), HasSubstr("1 to 3")));
    EXPECT_THAT(error_of("9 1 2 3 4\n"), HasSubstr("'9'"));
    EXPECT_THAT(error_of("1 1 2 3 4\n1 1 2 3 4\n"), HasSubstr("once more"));
    EXPECT_THAT(error_of("1 1 2 3 4\n2 1 2 3 4\n"), HasSubstr("no line for layer 3"));
    EXPECT_THAT(error_of(""), HasSubstr("no line for layer 1"));
    model_.moe.routing.file = "/nowhere/counts.txt";
    EXPECT_THAT(error_of(""), HasSubstr("/nowhere/counts.txt"));
}

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
    for (const Plan& plan : random_plans(model, 80, 11)) {
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

// 6 P T + 6 L s a (d_qk + d_v) T with the active weights P, wherever the tokens go.
TEST(ExpertParallel, FlopsAreThoseOfTheActiveWeights) {
    for (const ModelSpec& model : {small_moe(), skewed_moe()}) {
        for (const Plan& plan : random_plans(model, 40, 12)) {
            const WideCount flops = 6 * active_weights(model) * plan.tokens() +
                                    WideCount{6} * model.layers * plan.sequence * model.heads *
                                        (2 * model.head_dim) * plan.tokens();
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

// T k = 10 copies over ep 4: parts differ, gathers over etp do not.
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
            EXPECT_THAT(std::get<Sizes>(node.find("comm_sizes")->value),
                        ElementsAre(2 * 128, 3 * 128, 2 * 128, 3 * 128));
        } else if (contains(node.name, "moe_tokens_all_gather_forward")) {
            EXPECT_TRUE(is_collective(node, CollectiveType::AllGather));
            EXPECT_EQ(node.integer("comm_size"), 4 * 2 * 128);
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
    std::size_t runs = 0;
    for (const ModelSpec& model : {small_model(), small_moe(), skewed_moe(), one_sided}) {
        for (const Plan& plan : random_plans(model, 25, 14)) {
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
            machine.system.compute.peak_tflops = 100.0;
            machine.system.compute.memory_bandwidth = 1000.0;
            const engine::Results results = study::simulate(
                study::workload_from(generate(model, plan), study::workload_options(machine)),
                machine, study::Fidelity::Analytical);
            EXPECT_GT(results.npus.front().finish, Time()) << full_description(plan);
            ++runs;
        }
    }
    EXPECT_GT(runs, 60U);
}

}  // namespace
}  // namespace npunet::generators
