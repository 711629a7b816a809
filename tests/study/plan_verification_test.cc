// Plans as traces: what a simulation of them takes, against closed forms and the planner's
// prediction.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/errors.h"
#include "planner/network_rates.h"
#include "planner/search/plan_cost.h"
#include "planner/search/plan_search.h"
#include "study/plan_verification.h"
#include "study/tensor_groups.h"
#include "tests/planner/search/random_problems.h"
#include "tests/planner/search/searched_problem.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::plan_verification_test {
namespace {

using generators::GeneratedWorkload;
using planner::Cluster;
using planner::LayerProfile;
using planner::Plan;
using planner::PlanStage;
using planner::Problem;
using planner::ProfileSet;
using planner::TrainingModel;

constexpr double ps_per_ms = 1e9;

/// Layers of 3 ms each (1 forward, 2 backward), whatever tp and batch; nothing else takes time.
ProfileSet plain_profiles(std::size_t layers) {
    std::vector<LayerProfile> profiles;
    for (const std::int64_t tp : {1, 2}) {
        for (const std::int64_t batch : {1, 2, 4, 8}) {
            LayerProfile profile;
            profile.file_name = "made";
            profile.type = "A";
            profile.tp = tp;
            profile.batch = batch;
            profile.layer_ms.assign(layers, 3);
            profile.forward_backward_ms = 3 * static_cast<double>(layers);
            profile.layer_memory_mib.assign(layers, 1);
            profile.parameter_bytes.assign(layers, 3e6);
            profiles.push_back(profile);
        }
    }
    return {profiles, "made"};
}

Cluster cluster_of(std::size_t nodes, std::int64_t devices, double rate) {
    Cluster cluster;
    cluster.types = {"A"};
    for (std::size_t n = 0; n < nodes; ++n) {
        cluster.nodes.push_back({"", 0, devices, 1000, rate, rate, 0, 0});
    }
    return cluster;
}

TrainingModel model_of(std::int64_t layers, std::int64_t batch) {
    TrainingModel model;
    model.layers = layers;
    model.global_batch = batch;
    model.hidden = 1000;
    model.sequence = 500;
    return model;
}

/// One device a stage.
Plan pipeline(std::size_t stages, std::int64_t layers_each, std::int64_t micro_batches,
              std::int64_t chunks) {
    Plan plan{micro_batches, chunks, {}};
    for (std::size_t s = 0; s < stages; ++s) {
        PlanStage stage;
        stage.shares = {{s, 1, 0}};
        stage.first_layer = static_cast<std::int64_t>(s) * layers_each;
        stage.layers = layers_each;
        plan.stages.push_back(stage);
    }
    return plan;
}

/// Bytes that ranks send to others, of a name that begins so behind its scope.
std::int64_t bytes_sent(const GeneratedWorkload& workload, const std::string& name) {
    std::int64_t bytes = 0;
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        for (const generators::NodeTemplate& node : workload.role_of(Rank(r)).nodes) {
            if (node.type == chakra::NodeType::CommSend &&
                node.name.find(name) != std::string::npos) {
                bytes += node.bytes;
            }
        }
    }
    return bytes;
}

// Without gradients and with messages that take next to no time, uniform stages take
// (m + S - 1) periods in 1F1B (Narayanan et al. 2021), m + (S - 1)/v interleaved.
TEST(PlanVerification, UniformPipelinesTakeTheirClosedForm) {
    for (const std::int64_t chunks : {1, 2}) {
        const std::int64_t layers = 3 * 2 * chunks;
        const Problem problem(cluster_of(3, 1, 1e13),
                              plain_profiles(static_cast<std::size_t>(layers)), model_of(layers, 6),
                              "made");
        const Plan plan = pipeline(3, 2, 6, chunks);
        const VerifiedPlan verified =
            verify(problem, plan, planner::network_of(problem.cluster()), Fidelity::Analytical);
        const double period = 3.0 * 2 * static_cast<double>(chunks);
        const double closed = 6 * period + 2 * period / static_cast<double>(chunks);
        EXPECT_NEAR(static_cast<double>(verified.simulated.ps()) / ps_per_ms, closed,
                    closed * 1e-4);
        EXPECT_NEAR(verified.predicted_ms, closed, closed * 1e-4);
        EXPECT_NEAR(verified.ratio(), 1, 2e-4);
    }
}

// A stage of two replicas on two nodes: computing, then a ring all-reduce of P bytes, 2 (n-1)/n P /
// E.
TEST(PlanVerification, GradientsAreSummedAmongReplicas) {
    const double rate = 1e6;
    const Problem problem(cluster_of(2, 1, rate), plain_profiles(4), model_of(4, 8), "made");
    Plan plan{2, 1, {}};
    PlanStage stage;
    stage.shares = {{0, 1, 0}, {1, 1, 0}};
    stage.dp = 2;
    stage.batch = 2;
    stage.layers = 4;
    plan.stages = {stage};
    const VerifiedPlan verified =
        verify(problem, plan, planner::network_of(problem.cluster()), Fidelity::Analytical);
    const double closed = 2 * 4 * 3.0 + 2 * 0.5 * 4 * 3e6 / rate;
    EXPECT_NEAR(verified.predicted_ms, closed, 1e-9);
    EXPECT_NEAR(verified.ratio(), 1, 1e-3);
}

// Nodes of two devices: groups of two fit into the first stage's node; of the second stage's three
// nodes two give one device each, which are a group. 400 GB/s inside, 50 shared outside.
TEST(PlanVerification, TensorGroupsThatLeaveTheirNodeAreNoted) {
    Cluster cluster = cluster_of(4, 2, 4e8);
    for (planner::Node& node : cluster.nodes) {
        node.inter_rate = 5e7;
    }
    const auto note = [&](std::int64_t tp) {
        const Problem problem(cluster, plain_profiles(4), model_of(4, 8), "made");
        Plan plan{2, 1, {}};
        PlanStage first;
        first.shares = {{0, 2, 0}};
        first.tp = tp;
        first.dp = 2 / tp;
        PlanStage second = first;
        second.shares = {{1, 1, 0}, {2, 2, 0}, {3, 1, 1}};
        second.dp = 4 / tp;
        plan.stages = {first, second};
        return tensor_group_note(problem, plan);
    };
    EXPECT_EQ(note(1), "");
    EXPECT_EQ(note(2),
              "1 of 3 tensor-parallel groups leaves its server: that of ranks 2, 7 spans 2; its "
              "devices share 50 GB/s to the outside there, and each has 400 inside: nodes whose "
              "number of devices tp divides, or a smaller --max-tp, would keep them inside");
    for (planner::Node& node : cluster.nodes) {
        node.inter_rate = 8e8;
    }
    EXPECT_EQ(note(2), "");
}

// Two stages of two replicas each, on two switches with one link between them, which the
// all-reduces of both stages, 12 MB each, cross at the same time. At 1 MB/s the estimate is 12 s,
// as if they did not share the link, which takes 24 s; at 50 GB/s they take less than the
// computation.
TEST(PlanVerification, AnEstimateThatBeatsTheBoundOfItsLinksSaysSo) {
    Plan plan{2, 1, {}};
    for (const std::int64_t first : {0, 4}) {
        PlanStage stage;
        stage.shares = {{first == 0 ? 0U : 1U, 1, 0}, {first == 0 ? 2U : 3U, 1, 0}};
        stage.dp = 2;
        stage.batch = 2;
        stage.first_layer = first;
        stage.layers = 4;
        plan.stages.push_back(stage);
    }
    const Problem problem(cluster_of(4, 1, 1e13), plain_profiles(8), model_of(8, 8), "made");
    for (const bool slow : {false, true}) {
        const topology::NetworkDescription network = topology::parse_network(
            fmt::format("Custom:\n"
                        "    nodes: [{{name: g0, kind: npu}}, {{name: g1, kind: npu}},\n"
                        "            {{name: g2, kind: npu}}, {{name: g3, kind: npu}},\n"
                        "            {{name: a, kind: switch}}, {{name: b, kind: switch}}]\n"
                        "    links: [{{from: g0, to: a, bandwidth: 50, latency: 500}},\n"
                        "            {{from: g1, to: a, bandwidth: 50, latency: 500}},\n"
                        "            {{from: g2, to: b, bandwidth: 50, latency: 500}},\n"
                        "            {{from: g3, to: b, bandwidth: 50, latency: 500}},\n"
                        "            {{from: a, to: b, bandwidth: {}, latency: 500}}]\n",
                        slow ? "0.001" : "50"),
            "network.yml");
        const VerifiedPlan verified = verify(problem, plan, network, Fidelity::Analytical);
        EXPECT_EQ(verified.simulated < verified.link_bound, slow);
        EXPECT_EQ(verified.note.empty(), !slow) << verified.note;
    }
}

// Every sample's activations cross each boundary once, its gradients once, however stages divide
// the batch among replicas and tensor groups.
TEST(PlanWorkload, EverySampleCrossesEachBoundaryOnce) {
    for (const std::int64_t first_tp : {1, 2}) {
        for (const std::int64_t second_tp : {1, 2}) {
            Cluster cluster = cluster_of(2, 4 * first_tp, 1e6);
            cluster.nodes[1].devices = 2 * second_tp;
            const Problem problem(cluster, plain_profiles(6), model_of(6, 8), "made");
            Plan plan{2, 1, {}};
            PlanStage first;
            first.shares = {{0, 4 * first_tp, 0}};
            first.tp = first_tp;
            first.dp = 4;
            first.layers = 3;
            PlanStage second;
            second.shares = {{1, 2 * second_tp, 0}};
            second.tp = second_tp;
            second.dp = 2;
            second.batch = 2;
            second.first_layer = 3;
            second.layers = 3;
            plan.stages = {first, second};
            const GeneratedWorkload workload = workload_of(problem, plan);
            const auto bytes = static_cast<std::int64_t>(8 * problem.sample_bytes());
            EXPECT_EQ(bytes_sent(workload, "forward_send"), bytes);
            EXPECT_EQ(bytes_sent(workload, "backward_send"), bytes);
        }
    }
}

// The best plans of random problems run to the end, in no less than the computing of their slowest
// device; over all, the prediction is within a quarter of what messages without contention take.
TEST(PlanVerification, BestPlansOfRandomProblemsRun) {
    double sum = 0;
    int count = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        const test::RandomProblem random = test::random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        SCOPED_TRACE(text_of(random));
        const Problem problem = test::searched(random.problem);
        planner::PlanSearchResult found;
        try {
            planner::PlanSearchOptions options;
            options.keep = 2;
            found = search_plans(problem, options);
        } catch (const InputError&) {
            continue;
        }
        for (const planner::RankedPlan& ranked : found.plans) {
            const VerifiedPlan verified = verify(
                problem, ranked.plan, planner::network_of(problem.cluster()), Fidelity::Analytical);
            double computing = 0;
            for (const planner::StageCost& stage : ranked.cost.stages) {
                computing = std::max(computing, stage.computing_ms);
            }
            computing *= static_cast<double>(ranked.plan.micro_batches);
            EXPECT_GE(static_cast<double>(verified.simulated.ps()) / ps_per_ms,
                      computing * (1 - 1e-6));
            EXPECT_LE(verified.ratio(), 1.6);
            sum += verified.ratio();
            ++count;
        }
    }
    EXPECT_GE(count, 100);
    EXPECT_NEAR(sum / count, 1, 0.25);
}

// A network made of a cluster's rates gives them back where nodes are alike and the links inside
// carry a device's part of what leaves the node.
TEST(NetworkRates, ANetworkOfAClusterGivesItsRatesBack) {
    Cluster cluster = cluster_of(3, 4, 0);
    for (planner::Node& node : cluster.nodes) {
        node.intra_rate = 5e7;
        node.inter_rate = 1.2e7;
        node.intra_latency_ms = 0.002;
        node.inter_latency_ms = 0.01;
    }
    Cluster read = cluster_of(3, 4, 1);
    use_network(read, planner::network_of(cluster), "net.yml");
    for (const planner::Node& node : read.nodes) {
        EXPECT_NEAR(node.intra_rate, 5e7, 1);
        EXPECT_NEAR(node.inter_rate, 1.2e7, 1);
        EXPECT_NEAR(node.intra_latency_ms, 0.002, 1e-9);
        EXPECT_NEAR(node.inter_latency_ms, 0.01, 1e-9);
    }
}

TEST(NetworkRates, NetworksOfOtherSizesAreRefused) {
    Cluster cluster = cluster_of(3, 4, 1e6);
    Cluster other = cluster_of(2, 4, 1e6);
    EXPECT_THROW(use_network(other, planner::network_of(cluster), "net.yml"), InputError);
}

}  // namespace
}  // namespace npunet::study::plan_verification_test
