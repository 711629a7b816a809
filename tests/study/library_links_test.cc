// Collectives of a communication library in closed form: what their links carry, against the
// simulation of their messages, link by link and to the byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "library_machines.h"
#include "study/jobs.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::library_links_test {
namespace {

using engine::CollectiveKind;
using engine::LibraryAlgorithm;
using engine::LibraryProtocol;
using testing::HasSubstr;

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

const std::vector<std::int64_t> sizes{1, 2 * kib, 300'001, 4 * mib, 33 * mib + 5};

Machine by(Machine machine, LibraryAlgorithm algorithm, std::int32_t gpus_per_node = 0,
           bool collnet = false) {
    auto library = std::make_shared<engine::LibraryInUse>(*library_of("h100", {{algorithm}, {}}));
    library->gpus_per_node = gpus_per_node;
    library->collnet = collnet;
    machine.system.library = library;
    return machine;
}

Machine machine_of(const std::string& yaml) {
    test::TestMachine machine;
    machine.network = topology::parse_network(yaml, "net.yml");
    return as_machine(machine);
}

void expect_equal(const engine::Results& closed, const engine::Results& simulated,
                  const std::string& what) {
    ASSERT_EQ(closed.links.size(), simulated.links.size());
    std::int64_t all = 0;
    for (std::size_t i = 0; i < closed.links.size(); ++i) {
        EXPECT_EQ(closed.links[i].payload, simulated.links[i].payload)
            << what << ' ' << closed.links[i].from << " -> " << closed.links[i].to;
        EXPECT_EQ(closed.links[i].wire, closed.links[i].payload);
        all += closed.links[i].payload.value();
    }
    EXPECT_GT(all, 0) << what;
}

void check(const Machine& machine, const std::vector<CollectiveKind>& kinds,
           const std::string& name) {
    for (const CollectiveKind kind : kinds) {
        for (const std::int64_t bytes : sizes) {
            const engine::Results closed = run_on(machine, kind, bytes, Fidelity::Analytical);
            EXPECT_THAT(closed.collectives.at(0).algorithm, HasSubstr(name));
            expect_equal(closed, run_on(machine, kind, bytes, Fidelity::CongestionAware),
                         name + ' ' + engine::name_of(kind) + ' ' + std::to_string(bytes));
        }
    }
}

const std::vector<CollectiveKind> rings{CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                        CollectiveKind::ReduceScatter};

TEST(LibraryLinks, OfRingsAndSends) {
    check(by(switch_of(8, Rate(450'000'000'000), Time::ns(250)), LibraryAlgorithm::Ring), rings,
          "Ring");
    check(by(nodes_of(4, 3), LibraryAlgorithm::Ring), rings, "Ring");
    check(by(nodes_of(4, 3), LibraryAlgorithm::Ring), {CollectiveKind::AllToAll}, "SendRecv");
    check(by(machine_of("Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: switch, "
                        "bandwidth: 450, latency: 100}, scale_out: {levels: 2, radix: 4, "
                        "bandwidth: 50, latency: 500}}\n"),
             LibraryAlgorithm::Ring),
          rings, "Ring");
}

TEST(LibraryLinks, OfTreesAndPat) {
    for (const Machine& machine : {nodes_of(8, 2), nodes_of(4, 3), nodes_of(2, 8)}) {
        check(by(machine, LibraryAlgorithm::Tree), {CollectiveKind::AllReduce}, "Tree");
    }
    check(by(switch_of(5, Rate(50'000'000'000), Time::ns(500)), LibraryAlgorithm::Pat, 1),
          {CollectiveKind::AllGather, CollectiveKind::ReduceScatter}, "PAT");
}

TEST(LibraryLinks, OfNvls) {
    check(by(reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50))), LibraryAlgorithm::Nvls),
          rings, "NVLS");
    check(by(reducing(nodes_of(8, 2)), LibraryAlgorithm::NvlsTree), {CollectiveKind::AllReduce},
          "NVLSTree");
    check(by(reducing(nodes_of(4, 4)), LibraryAlgorithm::NvlsTree), {CollectiveKind::AllReduce},
          "NVLSTree");
}

TEST(LibraryLinks, OfSwitchesBetweenNodes) {
    check(by(reducing(nodes_of(8, 2), 1), LibraryAlgorithm::CollNetDirect, 0, true),
          {CollectiveKind::AllReduce}, "CollNetDirect");
    check(by(reducing(nodes_of(4, 4), 1), LibraryAlgorithm::CollNetChain, 0, true),
          {CollectiveKind::AllReduce}, "CollNetChain");
    check(by(machine_of("FatTree: {levels: 3, radix: 4, npus: 16, bandwidth: 50, latency: 500, "
                        "reduces: true}"),
             LibraryAlgorithm::CollNetChain, 1, true),
          {CollectiveKind::AllReduce}, "CollNetChain");
    check(by(reducing(reducing(nodes_of(8, 2)), 1), LibraryAlgorithm::Nvls, 0, true),
          {CollectiveKind::AllReduce}, "NVLS");
}

// A network that does not say which switches reduce, on which the estimate is of NVLS all the same:
// S (n + 1) / n over the links of a GPU, in each direction.
TEST(LibraryLinks, OfNvlsBySwitchesThatAreNotNamed) {
    const std::int64_t bytes = 64 * mib;
    const engine::Results results =
        run_on(by(switch_of(8, Rate(450'000'000'000), Time::ns(50)), LibraryAlgorithm::Nvls),
               CollectiveKind::AllReduce, bytes, Fidelity::Analytical);
    EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("NVLS"));
    for (const engine::LinkResult& link : results.links) {
        EXPECT_EQ(link.payload.value(), bytes / 8 * 9) << link.from << " -> " << link.to;
    }
    EXPECT_GT(results.finish, results.link_bound.time);
}

// The same between nodes: the data of a head leave its NIC once and come in once.
TEST(LibraryLinks, OfTreesOfSwitchesThatAreNotNamed) {
    const std::int64_t bytes = 64 * mib;
    for (const LibraryAlgorithm algorithm :
         {LibraryAlgorithm::CollNetDirect, LibraryAlgorithm::Nvls}) {
        const Machine machine = by(nodes_of(8, 4), algorithm, 0, true);
        const engine::Results results =
            run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::Analytical);
        EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr(name_of(algorithm)));
        for (std::size_t i = 0; i < results.links.size(); ++i) {
            if (machine.network.graph.link(LinkId(i)).dimension == 1) {
                EXPECT_EQ(results.links[i].payload.value(), bytes / 8) << results.links[i].from;
            }
        }
        EXPECT_GT(results.finish, results.link_bound.time);
    }
}

/// Tensor-parallel groups of 8 in each of 4 nodes and data-parallel ones across them.
engine::Workload step() {
    std::vector<engine::Group> groups;
    for (std::int32_t node = 0; node < 4; ++node) {
        groups.push_back({"tp" + std::to_string(node), {}});
        for (std::int32_t place = 0; place < 8; ++place) {
            groups.back().ranks.emplace_back(node * 8 + place);
        }
    }
    for (std::int32_t place = 0; place < 8; ++place) {
        groups.push_back({"dp" + std::to_string(place), {}});
        for (std::int32_t node = 0; node < 4; ++node) {
            groups.back().ranks.emplace_back(node * 8 + place);
        }
    }
    return test::workload_of(
        32,
        [](Rank rank) {
            const std::string tp = "tp" + std::to_string(rank.value() / 8);
            const std::string dp = "dp" + std::to_string(rank.value() % 8);
            std::vector<chakra::Node> nodes;
            for (std::uint64_t i = 1; i <= 3; ++i) {
                nodes.push_back(
                    test::collective_node(i, chakra::CollectiveType::AllGather, 100'001, tp));
            }
            nodes.push_back(
                test::collective_node(4, chakra::CollectiveType::AllReduce, 12'345'677, dp));
            nodes.push_back(
                test::collective_node(5, chakra::CollectiveType::AllToAll, 1'234'567, tp));
            return nodes;
        },
        groups);
}

TEST(LibraryLinks, FoldedRunsCountAllNpus) {
    const Machine machine = by(nodes_of(8, 4), LibraryAlgorithm::Ring);
    RunOptions all;
    all.fold = false;
    const engine::Results folded = simulate(step(), machine, Fidelity::Analytical, {});
    EXPECT_LT(folded.simulated_npus, 32U);
    const engine::Results simulated = simulate(step(), machine, Fidelity::Analytical, all);
    expect_equal(folded, simulated, "folded");
    expect_equal(simulated, simulate(step(), machine, Fidelity::CongestionAware, {}), "messages");
    for (std::size_t i = 0; i < folded.links.size(); ++i) {
        EXPECT_EQ(folded.links[i].busy, simulated.links[i].busy);
    }
}

TEST(LibraryLinks, JobsShareLinks) {
    const Machine machine = by(nodes_of(8, 4), LibraryAlgorithm::Ring);
    const engine::Results alone = simulate(step(), machine, Fidelity::Analytical, {});
    const engine::JobsResults jobs = simulate_jobs(
        {{"a", step(), machine.network.npu_of_rank, Time()}}, machine, Fidelity::Analytical);
    expect_equal(jobs.all, alone, "jobs");
}

// Busy for its bytes at its rate: the busiest link is the bound. Equal parts for 24 channels.
TEST(LibraryLinks, BoundTheRun) {
    const Machine machine =
        by(switch_of(8, Rate(450'000'000'000), Time::ns(250)), LibraryAlgorithm::Ring);
    const engine::Results results =
        run_on(machine, CollectiveKind::AllGather, 24 * 350'000, Fidelity::Analytical);
    const Time expected = transfer_time(Bytes(7 * 24 * 350'000), Rate(450'000'000'000));
    EXPECT_EQ(results.links.at(0).busy, expected);
    EXPECT_EQ(results.link_bound.time, expected);
    EXPECT_GT(results.finish, expected);
}

}  // namespace
}  // namespace npunet::study::library_links_test
