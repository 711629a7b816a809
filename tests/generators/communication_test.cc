#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "generators/transformer/training_step.h"
#include "tests/generators/element_bytes.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

/// Number and bytes of the collectives of one type on one rank whose name holds `part`.
std::pair<std::int64_t, std::int64_t> count(const GeneratedWorkload& workload, Rank rank,
                                            CollectiveType type, const char* part) {
    std::int64_t nodes = 0;
    std::int64_t bytes = 0;
    for (const Node& node : workload.nodes(rank)) {
        if (is_collective(node, type) && contains(node.name, part)) {
            ++nodes;
            bytes += node.integer("comm_size").value();
        }
    }
    return {nodes, bytes};
}

using Count = std::pair<std::int64_t, std::int64_t>;

Plan tensor_parallel_plan(bool sequence_parallel) {
    Plan plan;
    plan.tp = 2;
    plan.micro_batch = 2;
    plan.batch = 6;
    plan.sequence_parallel = sequence_parallel;
    return resolve_plan(small_model(), plan);
}

// Shoeybi et al. 2019: two all-reduces of b s h activations per layer forward, two backward.
TEST(TensorParallel, FourAllReducesPerLayerAndMicroBatch) {
    const Plan plan = tensor_parallel_plan(false);
    const GeneratedWorkload workload = generate(small_model(), plan);
    const std::int64_t activations = plan.micro_batch * plan.sequence * 64 * bf16;
    for (const Rank rank : {Rank(0), Rank(1)}) {
        const std::int64_t passes = small_model().layers * plan.micro_batches();
        EXPECT_EQ(count(workload, rank, CollectiveType::AllReduce, "_layer"),
                  Count(4 * passes, 4 * passes * activations));
        // Embedding forward, LM head backward; three fp32 values a token for the loss.
        EXPECT_EQ(count(workload, rank, CollectiveType::AllReduce, "embedding"),
                  Count(3, 3 * activations));
        EXPECT_EQ(count(workload, rank, CollectiveType::AllReduce, "lm_head"),
                  Count(3, 3 * activations));
        EXPECT_EQ(count(workload, rank, CollectiveType::AllReduce, "loss"),
                  Count(9, 9 * plan.micro_batch * plan.sequence * fp32));
        EXPECT_EQ(count(workload, rank, CollectiveType::AllGather, ""), Count(0, 0));
        EXPECT_EQ(count(workload, rank, CollectiveType::ReduceScatter, ""), Count(0, 0));
    }
}

// Korthikanti et al. 2022: per layer 2 all-gathers and 2 reduce-scatters forward; backward the
// reverse, and the inputs of the column-parallel layers are gathered once more.
TEST(SequenceParallel, GathersAndScattersInsteadOfReducing) {
    const Plan plan = tensor_parallel_plan(true);
    const GeneratedWorkload workload = generate(small_model(), plan);
    const std::int64_t activations = plan.micro_batch * plan.sequence * 64 * bf16;
    const std::int64_t passes = small_model().layers * plan.micro_batches();
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::AllReduce, "_layer"), Count(0, 0));
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::AllGather, "_layer"),
              Count(6 * passes, 6 * passes * activations / 2));
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::ReduceScatter, "_layer"),
              Count(4 * passes, 4 * passes * activations));
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::ReduceScatter, "embedding"),
              Count(3, 3 * activations));
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::AllGather, "embedding"),
              Count(3, 3 * activations / 2));
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::AllGather, "lm_head"),
              Count(6, 6 * activations / 2));
    // Gradients of two norms a layer and the final one, over the tensor group.
    EXPECT_EQ(count(workload, Rank(1), CollectiveType::AllReduce, "sequence_parallel_gradients"),
              Count(1, (2 * 4 + 1) * 64 * fp32));
}

// Learned positions are added to the whole embedding before it is cut.
TEST(SequenceParallel, AllReducesTheEmbeddingBeforeLearnedPositions) {
    const GeneratedWorkload workload = generate(small_gpt(), tensor_parallel_plan(true));
    EXPECT_EQ(count(workload, Rank(0), CollectiveType::AllReduce, "mb0_embedding").first, 1);
    EXPECT_EQ(count(workload, Rank(0), CollectiveType::ReduceScatter, "mb0_embedding").first, 0);
}

// tp 8 over 2 key heads: QKV's 192 columns are split into 24 and gathered.
TEST(TensorParallel, GathersTheHeadsThatRanksShare) {
    Plan plan;
    plan.tp = 8;
    const GeneratedWorkload workload = generate(small_model(), plan);
    EXPECT_EQ(count(workload, Rank(5), CollectiveType::AllGather, "attention_heads"),
              Count(4, 4 * 32 * 24 * bf16));
    EXPECT_EQ(count(workload, Rank(5), CollectiveType::ReduceScatter, "attention_heads"),
              Count(4, 4 * 32 * 192 * bf16));
}

// Keys and values of a rank's part forward, the sums of the whole sequence's backward.
TEST(ContextParallel, GathersKeysAndScattersTheirGradients) {
    Plan plan;
    plan.cp = 4;
    plan.tp = 2;
    plan.micro_batch = 3;
    plan.context_comm = ContextComm::AllGather;
    const GeneratedWorkload workload = generate(small_model(), plan);
    const std::int64_t sequence_of_keys = 3 * 32 * 16 * bf16;
    EXPECT_EQ(count(workload, Rank(7), CollectiveType::AllGather, "attention_kv"),
              Count(4, 4 * 2 * sequence_of_keys / 4));
    EXPECT_EQ(count(workload, Rank(7), CollectiveType::ReduceScatter, "attention_kv"),
              Count(4, 4 * 2 * sequence_of_keys));
}

TEST(TiedEmbedding, IsSummedBetweenFirstAndLastStage) {
    Plan plan;
    plan.pp = 4;
    plan.tp = 2;
    const GeneratedWorkload workload = generate(small_gpt(), plan);
    for (std::int32_t r = 0; r < 8; ++r) {
        const bool holds_table = r < 2 || r >= 6;
        EXPECT_EQ(count(workload, Rank(r), CollectiveType::AllReduce, "tied_embedding"),
                  holds_table ? Count(1, 80 * 64 * fp32) : Count(0, 0));
    }
}

// Every send has one receive: on its destination, from its source, same tag, same bytes. Tags are
// unique in the whole step per (micro-batch, direction, boundary).
TEST(PipelineParallel, EverySendHasItsReceive) {
    for (const Plan& plan : many_plans()) {
        const GeneratedWorkload workload = generate(small_model(), plan);
        using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
        std::map<Key, std::int64_t> sends;
        std::map<Key, std::int64_t> receives;
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
            for (const Node& node : workload.nodes(Rank(r))) {
                const bool sent = node.type == NodeType::CommSend;
                if ((!sent && node.type != NodeType::CommReceive) || contains(node.name, "ring")) {
                    continue;
                }
                EXPECT_EQ(node.integer(sent ? "comm_src" : "comm_dst"), r);
                const Key key{*node.integer("comm_src"), *node.integer("comm_dst"),
                              *node.integer("comm_tag")};
                EXPECT_TRUE(
                    (sent ? sends : receives).emplace(key, *node.integer("comm_size")).second);
            }
        }
        EXPECT_EQ(sends, receives) << describe(plan);
        const std::int64_t boundaries = plan.world() / plan.pp * (plan.pp - 1);
        EXPECT_EQ(sends.size(), static_cast<std::size_t>(2 * plan.micro_batches() * boundaries));
        const std::int64_t tokens =
            plan.micro_batch * plan.sequence / plan.cp / (plan.sequence_parallel ? plan.tp : 1);
        for (const auto& [key, bytes] : sends) {
            EXPECT_EQ(bytes, tokens * 64 * bf16);
        }
    }
}

// The k-th collective of a group is the same on all its members.
TEST(Groups, MembersCallTheSameCollectives) {
    for (const ModelSpec& model : {small_model(), small_gpt()}) {
        for (const Plan& plan : many_plans()) {
            const GeneratedWorkload workload = generate(model, plan);
            using Calls = std::vector<std::tuple<std::int64_t, std::int64_t, std::string>>;
            std::map<std::string, std::map<std::int32_t, Calls>> calls;
            for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
                for (const Node& node : workload.nodes(Rank(r))) {
                    if (node.type == NodeType::CommCollective) {
                        calls[std::string(*node.text("pg_name"))][r].emplace_back(
                            *node.integer("comm_type"), *node.integer("comm_size"), node.name);
                    }
                }
            }
            for (const RankGroup& group : workload.groups()) {
                if (group.kind == "context" && plan.context_comm == ContextComm::PointToPoint) {
                    EXPECT_EQ(calls.count(group.id), 0U);
                    continue;
                }
                ASSERT_EQ(calls[group.id].size(), group.ranks.size());
                for (const Rank rank : group.ranks) {
                    EXPECT_EQ(calls[group.id][rank.value()],
                              calls[group.id][group.ranks.front().value()])
                        << describe(plan);
                }
            }
        }
    }
}

}  // namespace
}  // namespace npunet::generators
