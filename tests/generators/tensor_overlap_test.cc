// --tp-comm-overlap: a share of the bytes of a collective beside the product next to it, the rest
// before or after it as without; together the bytes are those of a step without.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "generators/transformer/training_step.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"

namespace npunet::generators::tensor_overlap_test {
namespace {

using chakra::Node;
using chakra::NodeType;

const std::string suffix = "_overlapped";

bool is_overlapped(const std::string& name) {
    return name.size() > suffix.size() &&
           name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

std::string whole_name(const std::string& name) {
    return is_overlapped(name) ? name.substr(0, name.size() - suffix.size()) : name;
}

/// Bytes of the collectives of rank 0 by name, parts of one together.
std::map<std::string, std::int64_t> collectives(const GeneratedWorkload& workload) {
    std::map<std::string, std::int64_t> bytes;
    for (const Node& node : workload.nodes(Rank(0))) {
        if (node.type == NodeType::CommCollective) {
            bytes[whole_name(node.name)] += node.integer("comm_size").value();
        }
    }
    return bytes;
}

TEST(TensorOverlap, PartsAddUpToTheWhole) {
    for (const ModelSpec& model : {small_model(), small_latent(), small_moe()}) {
        for (Plan plan : random_plans(model, 10, 41)) {
            plan.schedule =
                plan.pp > 1 && plan.batch % 2 == 0 ? Schedule::ZeroBubble : plan.schedule;
            const auto before = collectives(generate(model, plan));
            for (const double share : {0.3, 1.0}) {
                plan.tp_comm_overlap = share;
                const GeneratedWorkload workload = generate(model, plan);
                EXPECT_EQ(collectives(workload), before) << full_description(plan);
                EXPECT_EQ(unfinished_after_rendezvous(workload), 0) << full_description(plan);
                std::int64_t parts = 0;
                for (const Node& node : workload.nodes(Rank(0))) {
                    if (is_overlapped(node.name)) {
                        ++parts;
                        const auto whole = static_cast<double>(before.at(whole_name(node.name)));
                        const auto own = static_cast<double>(node.integer("comm_size").value());
                        // In whole elements of every rank.
                        EXPECT_LE(own, whole * share) << node.name;
                        EXPECT_GT(own, whole * share - 2.0 * static_cast<double>(plan.tp));
                    }
                }
                EXPECT_EQ(parts > 0, plan.tp > 1) << full_description(plan);
            }
        }
    }
}

TEST(TensorOverlap, WithoutAShareNothingChanges) {
    for (const Plan& plan : random_plans(small_moe(), 10, 42)) {
        for (const Node& node : generate(small_moe(), plan).nodes(Rank(0))) {
            EXPECT_FALSE(is_overlapped(node.name)) << node.name;
        }
    }
}

/// Of the product `product` and the collective `name` of layer 1: neither waits for the other's
/// overlapped part, and `next` waits for both.
void expect_beside(const Role& role, const std::string& name, const std::string& product,
                   const std::string& next) {
    const std::string layer = "mb0_layer1_";
    const auto before = ancestors(role);
    const std::size_t part = position(role, layer + name + suffix);
    const std::size_t work = position(role, layer + product);
    EXPECT_FALSE(before[work][part]) << name;
    EXPECT_FALSE(before[part][work]) << name;
    EXPECT_TRUE(before[position(role, layer + next)][part]) << name;
    EXPECT_TRUE(before[position(role, layer + next)][work]) << name;
}

/// The rest is exposed: what follows the one waits for it, and it for the other.
void expect_order(const Role& role, const std::string& first, const std::string& then) {
    EXPECT_TRUE(ancestors(
        role)[position(role, "mb0_layer1_" + then)][position(role, "mb0_layer1_" + first)])
        << first << " " << then;
}

TEST(TensorOverlap, RunsBesideItsProduct) {
    Plan plan;
    plan.tp = 4;
    plan.tp_comm_overlap = 0.5;
    plan.sequence_parallel = true;
    const GeneratedWorkload shards = generate(small_model(), plan);
    const Role& sharded = shards.roles().front();
    expect_beside(sharded, "mlp_up_all_gather_forward", "mlp_up_forward", "mlp_activation_forward");
    expect_order(sharded, "mlp_up_all_gather_forward", "mlp_up_forward");
    expect_beside(sharded, "mlp_down_reduce_scatter_forward", "mlp_down_forward",
                  "mlp_down_reduce_scatter_forward");
    expect_order(sharded, "mlp_down_reduce_scatter_forward", "mlp_residual_forward");
    expect_beside(sharded, "mlp_down_all_gather_backward", "mlp_down_dgrad", "mlp_down_wgrad");
    expect_order(sharded, "mlp_down_all_gather_backward", "mlp_down_dgrad");
    plan.sequence_parallel = false;
    const GeneratedWorkload whole = generate(small_model(), plan);
    const Role& reduced = whole.roles().front();
    expect_beside(reduced, "mlp_down_all_reduce_forward", "mlp_down_forward",
                  "mlp_down_all_reduce_forward");
    expect_order(reduced, "mlp_down_all_reduce_forward", "mlp_residual_forward");
    // Sums of a column's backward pass are beside its weight gradient already, unless that is put
    // off.
    for (const NodeTemplate& node : reduced.nodes) {
        EXPECT_FALSE(contains(node.name, "backward_overlapped")) << node.name;
    }
    plan.pp = 2;
    plan.schedule = Schedule::ZeroBubble;
    const GeneratedWorkload bubble = generate(small_model(), plan);
    expect_beside(bubble.roles().front(), "mlp_up_all_reduce_backward", "mlp_up_dgrad",
                  "mlp_norm_backward");
}

TEST(TensorOverlap, IsAShare) {
    Plan plan;
    plan.tp_comm_overlap = 1.5;
    EXPECT_TRUE(contains(error_of(small_model(), plan), "--tp-comm-overlap"));
    plan.tp_comm_overlap = 0.5;
    EXPECT_EQ(notes_on_parameters_without_effect(small_model(), resolve_plan(small_model(), plan)),
              std::vector<std::string>{"--tp-comm-overlap has no effect with tp 1"});
}

}  // namespace
}  // namespace npunet::generators::tensor_overlap_test
