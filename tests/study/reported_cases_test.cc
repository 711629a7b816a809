// Cases that users of other simulators have reported (docs/coming-from.md names the tests): each
// runs to its end at every fidelity, and every fidelity puts the same payload on every link.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "generators/stage/stage_workload.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::reported_cases_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t bytes = 1 << 20;

Machine ring_of(std::int64_t npus) {
    const test::TestMachine machine = test::ring_machine(npus, rate, latency);
    return {machine.dialect, machine.network, machine.system, {}};
}

/// A graph of NPUs and switches by their names, those of switches beginning with "switch", and
/// links of 50 GB/s and 500 ns in both directions.
Machine graph_of(const std::vector<std::string>& nodes,
                 const std::vector<std::pair<std::string, std::string>>& links) {
    std::string text = "Custom:\n  nodes:\n";
    for (const std::string& node : nodes) {
        text += fmt::format("    - {{name: {}, kind: {}}}\n", node,
                            node.rfind("switch", 0) == 0 ? "switch" : "npu");
    }
    text += "  links:\n";
    for (const auto& [from, to] : links) {
        text += fmt::format("    - {{from: {}, to: {}, bandwidth: 50, latency: 500}}\n", from, to);
    }
    const test::TemporaryFolder folder;
    return load_machine(folder.write("network.yml", text).string(), "", "npunet");
}

/// The runs at every fidelity of this build, from the estimate up.
std::vector<engine::Results> expect_ends(const engine::Workload& workload, const Machine& machine) {
    std::vector<engine::Results> runs;
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        SCOPED_TRACE(name_of(fidelity));
        runs.push_back(simulate(workload, machine, fidelity));
        for (const engine::NpuResult& npu : runs.back().npus) {
            EXPECT_GT(npu.finish, Time());
        }
        for (std::size_t link = 0; link < runs.back().links.size(); ++link) {
            EXPECT_EQ(runs.back().links[link].payload, runs.front().links[link].payload);
        }
    }
    return runs;
}

Bytes payload_of(const engine::Results& results) {
    Bytes sum;
    for (const engine::LinkResult& link : results.links) {
        sum += link.payload;
    }
    return sum;
}

std::vector<Rank> ranks(std::int32_t first, std::int32_t last) {
    std::vector<Rank> all;
    for (std::int32_t rank = first; rank <= last; ++rank) {
        all.emplace_back(rank);
    }
    return all;
}

// A 4 x 4 torus whose columns close two columns further. The graph has no dimensions, so that its
// NPUs are one line: a ring of 16 in the order of the ranks, each of the 2 x 15 steps of a chunk
// over one link at least, and one chunk at a time.
TEST(ReportedCases, ChunksOnATwistedTorus) {
    std::vector<std::string> nodes;
    std::vector<std::pair<std::string, std::string>> links;
    const auto name = [](int x, int y) { return fmt::format("npu{}_{}", y % 4, x % 4); };
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
            nodes.push_back(name(x, y));
            links.emplace_back(name(x, y), name(x + 1, y));
            links.emplace_back(name(x, y), name(x + (y == 3 ? 2 : 0), y + 1));
        }
    }
    Machine machine = graph_of(nodes, links);
    machine.system = engine::SystemConfig();
    machine.system.preferred_dataset_splits = 16;
    machine.system.active_chunks_per_dimension = 1;
    const auto runs = expect_ends(
        test::workload_of(
            16,
            [](Rank) { return std::vector{collective_node(1, CollectiveType::AllReduce, bytes)}; }),
        machine);
    for (const engine::Results& results : runs) {
        EXPECT_GE(results.finish,
                  16 * 30 * (transfer_time(Bytes(bytes / 16 / 16), rate) + latency));
    }
}

// All of eight, then the upper half alone, then all again.
TEST(ReportedCases, OnlySomeRanksInASecondCommunicator) {
    const std::vector<engine::Group> groups{{"all", ranks(0, 7)}, {"upper", ranks(4, 7)}};
    const auto runs = expect_ends(
        test::workload_of(
            8,
            [](Rank rank) {
                std::vector nodes{collective_node(1, CollectiveType::AllReduce, bytes, "all")};
                if (rank.value() >= 4) {
                    nodes.push_back(
                        collective_node(2, CollectiveType::AllReduce, bytes, "upper", {1}));
                }
                nodes.push_back(
                    collective_node(3, CollectiveType::AllReduce, bytes, "all", {nodes.back().id}));
                return nodes;
            },
            groups),
        ring_of(8));
    for (const engine::Results& results : runs) {
        // By first start: ranks that are not in the second begin the third at once.
        ASSERT_EQ(results.collectives.size(), 3U);
        EXPECT_EQ(results.collectives[2].group.size(), 4U);
        EXPECT_GT(results.collectives[1].end, results.collectives[2].end);
        EXPECT_EQ(results.collectives[1].end, results.finish);
    }
}

// A step of STAGE's with eight replicas and nothing else.
TEST(ReportedCases, DataParallelStepOfStage) {
    generators::StageArguments arguments;
    arguments.dp = 8;
    arguments.din = arguments.dout = 512;
    arguments.dmodel = 128;
    arguments.dff = 256;
    arguments.head = 8;
    arguments.seq = 64;
    arguments.batch = 16;
    arguments.num_stacks = 2;
    Machine machine = ring_of(8);
    machine.system.roofline = true;
    machine.system.compute = {312, 2039};
    const auto runs = expect_ends(
        workload_from(generators::generate(arguments), workload_options(machine)), machine);
    EXPECT_GT(payload_of(runs.front()), Bytes(0));
}

// Four stages of two replicas.
TEST(ReportedCases, FourPipelineStages) {
    generators::Plan plan;
    plan.dp = 2;
    plan.pp = 4;
    plan.batch = 8;
    Machine machine = ring_of(8);
    machine.system.roofline = true;
    machine.system.compute = {312, 2039};
    const auto runs = expect_ends(
        workload_from(generators::generate(test::tiny_model(), plan), workload_options(machine)),
        machine);
    EXPECT_GT(payload_of(runs.front()), Bytes(0));
}

// Two servers, each with a switch of its own: an all-reduce in each, and one of all.
TEST(ReportedCases, ServersOfFourAndSix) {
    std::vector<std::string> nodes{"switch0", "switch1"};
    std::vector<std::pair<std::string, std::string>> links{{"switch0", "switch1"}};
    for (int npu = 0; npu < 10; ++npu) {
        nodes.push_back(fmt::format("npu{}", npu));
        links.emplace_back(nodes.back(), npu < 4 ? "switch0" : "switch1");
    }
    const std::vector<engine::Group> groups{
        {"four", ranks(0, 3)}, {"six", ranks(4, 9)}, {"all", ranks(0, 9)}};
    constexpr std::int64_t size = 60 * 4096;
    Machine machine = graph_of(nodes, links);
    machine.system = engine::SystemConfig();
    const auto runs = expect_ends(
        test::workload_of(
            10,
            [](Rank rank) {
                return std::vector{collective_node(1, CollectiveType::AllReduce, size,
                                                   rank.value() < 4 ? "four" : "six"),
                                   collective_node(2, CollectiveType::AllReduce, size, "all", {1})};
            },
            groups),
        machine);
    // 2 (n - 1) S of each ring, over two links a message; two messages of every step of all cross
    // between the servers, over one link more.
    EXPECT_EQ(payload_of(runs.front()),
              2 * Bytes(2 * (3 + 5 + 9) * size) + Bytes(2 * 2 * 9 * (size / 10)));
}

// Experts over four replicas: in each layer's forward pass all-to-alls of tokens and of their
// probabilities to the experts and one back, and as many in its backward pass.
TEST(ReportedCases, AllToAllsOfExperts) {
    generators::ModelSpec model = test::tiny_model();
    model.moe.experts = 8;
    model.moe.top_k = 2;
    model.moe.ffn = 512;
    generators::Plan plan;
    plan.dp = 4;
    plan.ep = 4;
    plan.batch = 4;
    Machine machine = ring_of(4);
    machine.system.roofline = true;
    machine.system.compute = {312, 2039};
    const auto runs = expect_ends(
        workload_from(generators::generate(model, plan), workload_options(machine)), machine);
    for (const engine::Results& results : runs) {
        std::int64_t all_to_alls = 0;
        for (const engine::CollectiveResult& collective : results.collectives) {
            all_to_alls += collective.type == "all_to_all" ? 1 : 0;
        }
        EXPECT_EQ(all_to_alls, 6 * model.layers);
    }
}

}  // namespace
}  // namespace npunet::study::reported_cases_test
