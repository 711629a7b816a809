// Unequal all-to-alls along the tiers of a network. Member m has S(m, d) bytes for member d. In a
// server it gives to each NPU what leaves on that one's rail (PXN of NCCL 2.12); then the rails
// exchange. So each byte crosses the server if source and destination have different places there,
// and a rail if they are in different servers.

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "engine/collective/tiered_amounts.h"
#include "tests/support/collectives.h"
#include "topology/yaml/network_reader.h"

namespace npunet {
namespace {

using engine::CollectiveKind;
using topology::Link;
using topology::NodeKind;

constexpr std::size_t inside = 8;
constexpr std::size_t servers = 8;
constexpr std::size_t npus = inside * servers;
using Matrix = std::vector<std::vector<std::int64_t>>;

test::TestMachine rail_machine() {
    test::TestMachine machine;
    machine.network = topology::parse_network(
        "Rail: {servers: 8, npus_per_server: 8, scale_up: {kind: switch, bandwidth: 450, latency: "
        "150}, scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 700}}\n",
        "network.yml");
    machine.system.implementations(CollectiveKind::AllToAll).clear();
    machine.system.preferred_dataset_splits = 4;
    machine.system.active_chunks_per_dimension = 1;
    return machine;
}

engine::Results run_all_to_all(const Matrix& sizes, const test::TestMachine& machine) {
    return test::run(
        test::workload_of(npus,
                          [&](Rank rank) {
                              const std::vector<std::int64_t>& row = sizes[rank.index()];
                              chakra::Node node = test::collective_node(
                                  1, chakra::CollectiveType::AllToAll,
                                  std::accumulate(row.begin(), row.end(), std::int64_t{0}));
                              node.set("comm_sizes", row);
                              return std::vector{node};
                          }),
        machine);
}

/// Bytes that leave NPUs, in the servers and on the rails.
std::pair<std::int64_t, std::int64_t> sent(const test::TestMachine& machine,
                                           const engine::Results& results) {
    const topology::Graph& graph = machine.network.graph;
    std::pair<std::int64_t, std::int64_t> bytes;
    for (std::size_t id = 0; id < graph.links(); ++id) {
        const Link& link = graph.link(LinkId(id));
        if (graph.kind(link.from) == NodeKind::Npu) {
            const bool up = graph.name(link.to).find("server") != std::string::npos;
            (up ? bytes.first : bytes.second) += results.links[id].payload.value();
        }
    }
    return bytes;
}

std::pair<std::int64_t, std::int64_t> expected_bytes(const Matrix& sizes) {
    std::pair<std::int64_t, std::int64_t> bytes;
    for (std::size_t from = 0; from < npus; ++from) {
        for (std::size_t to = 0; to < npus; ++to) {
            bytes.first += from % inside != to % inside ? sizes[from][to] : 0;
            bytes.second += from / inside != to / inside ? sizes[from][to] : 0;
        }
    }
    return bytes;
}

// S(m, d) = w(i, j), where d is i places after m in the server and j servers after it, round the
// end: everyone sends u_i = sum_j w(i, j) to the i-th after it, then v_j = sum_i w(i, j) to the
// j-th.
TEST(UnequalTiers, AmountsWhereSizesGoByDistance) {
    const test::TestMachine machine = rail_machine();
    const auto weight = [](std::size_t i, std::size_t j) {
        return static_cast<std::int64_t>(3 + 7 * i + 1000 * j + (i * j) % 5) * 1'001;
    };
    Matrix sizes(npus, std::vector<std::int64_t>(npus));
    for (std::size_t from = 0; from < npus; ++from) {
        for (std::size_t to = 0; to < npus; ++to) {
            sizes[from][to] = weight((to % inside + inside - from % inside) % inside,
                                     (to / inside + servers - from / inside) % servers);
        }
    }
    std::vector<Rank> ranks;
    std::vector<const std::vector<std::int64_t>*> rows;
    for (std::size_t member = 0; member < npus; ++member) {
        ranks.emplace_back(static_cast<std::int32_t>(member));
        rows.push_back(&sizes[member]);
    }
    const engine::TieredAmounts amounts(engine::CommunicatorLayout(machine.network, ranks), rows);
    for (std::size_t member = 0; member < npus; ++member) {
        for (std::size_t i = 0; i < inside; ++i) {
            std::int64_t bytes = 0;
            for (std::size_t j = 0; j < servers; ++j) {
                bytes += weight(i, j);
            }
            EXPECT_EQ(amounts.of(member, 0)[(member + i) % inside], bytes);
        }
        for (std::size_t j = 0; j < servers; ++j) {
            std::int64_t bytes = 0;
            for (std::size_t i = 0; i < inside; ++i) {
                bytes += weight(i, j);
            }
            EXPECT_EQ(amounts.of(member, 1)[(member / inside + j) % servers], bytes);
        }
    }
}

// Whatever the sizes, with nothing for some and all for one, every byte crosses what it has to, in
// four chunks; an equal one of this size goes along the tiers in four chunks.
TEST(UnequalTiers, ConservesBytes) {
    std::mt19937_64 random(33);
    for (int number = 0; number < 20; ++number) {
        const test::TestMachine machine = rail_machine();
        Matrix sizes(npus, std::vector<std::int64_t>(npus));
        for (std::vector<std::int64_t>& row : sizes) {
            for (std::int64_t& size : row) {
                size = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 4096);
            }
        }
        if (number % 4 == 0) {
            sizes[3].assign(npus, 0);
            sizes[3][17] = 12'345;
        }
        const engine::Results results = run_all_to_all(sizes, machine);
        ASSERT_EQ(results.collectives.at(0).algorithm.find("direct+direct"), 0U)
            << results.collectives.at(0).algorithm;
        EXPECT_EQ(sent(machine, results), expected_bytes(sizes)) << number;
    }
}

// Twenty with sizes of their own, one after the other: each is counted by its own.
TEST(UnequalTiers, EachOfManyHasItsOwnAmounts) {
    const test::TestMachine machine = rail_machine();
    std::mt19937_64 random(34);
    constexpr std::size_t many = 20;
    std::vector<Matrix> all(many, Matrix(npus, std::vector<std::int64_t>(npus)));
    std::pair<std::int64_t, std::int64_t> expected;
    for (Matrix& sizes : all) {
        for (std::vector<std::int64_t>& row : sizes) {
            for (std::int64_t& size : row) {
                size = static_cast<std::int64_t>(random() % 4096);
            }
        }
        const auto bytes = expected_bytes(sizes);
        expected = {expected.first + bytes.first, expected.second + bytes.second};
    }
    const auto trace = [&](Rank rank) {
        std::vector<chakra::Node> nodes;
        for (std::size_t number = 0; number < many; ++number) {
            const std::vector<std::int64_t>& row = all[number][rank.index()];
            std::vector<std::uint64_t> before;
            if (number > 0) {
                before.push_back(number);
            }
            nodes.push_back(test::collective_node(
                number + 1, chakra::CollectiveType::AllToAll,
                std::accumulate(row.begin(), row.end(), std::int64_t{0}), "", before));
            nodes.back().set("comm_sizes", row);
        }
        return nodes;
    };
    const engine::Results results = test::run(test::workload_of(npus, trace), machine);
    ASSERT_EQ(results.collectives.size(), many);
    EXPECT_EQ(sent(machine, results), expected);
}

// A named algorithm keeps its one line: nothing is gathered, and all that is for other servers
// leaves on the sender's own rail or crosses its server as it is routed.
TEST(UnequalTiers, NamedAlgorithmsStayDirect) {
    test::TestMachine machine = rail_machine();
    machine.use(engine::Algorithm::Direct);
    const Matrix sizes(npus, std::vector<std::int64_t>(npus, 100));
    EXPECT_EQ(run_all_to_all(sizes, machine).collectives.at(0).algorithm.find("direct+"),
              std::string::npos);
}

}  // namespace
}  // namespace npunet
