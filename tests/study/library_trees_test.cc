// All-reduces over double binary trees on simulated networks: times of idle networks against the
// closed form, bytes of every link against a count of the test's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "library_machines.h"

namespace npunet::study::library_trees_test {
namespace {

using engine::CollectiveKind;
using engine::LibraryAlgorithm;
using engine::LibraryProtocol;
using testing::HasSubstr;

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

struct Nodes {
    std::int32_t per_node;
    std::int32_t nodes;
};

Machine tree_machine(const Nodes& nodes, std::vector<LibraryProtocol> protocols = {}) {
    Machine machine = nodes_of(nodes.per_node, nodes.nodes);
    machine.system.library = library_of("h100", {{LibraryAlgorithm::Tree}, std::move(protocols)});
    return machine;
}

// The estimate is the closed form where the network is as fast as the library takes it to be, so
// that every fidelity must come to the estimate: by LL, LL128 and Simple, chains and trees.
TEST(LibraryTrees, IdleNetworksTakeTheClosedForm) {
    for (const Nodes nodes : {Nodes{8, 1}, Nodes{8, 2}, Nodes{4, 4}, Nodes{2, 8}, Nodes{4, 3}}) {
        for (const std::int64_t bytes : {2 * kib, 256 * kib, 2 * mib, 32 * mib}) {
            const Machine machine = tree_machine(nodes);
            const engine::Results expected =
                run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::Analytical);
            ASSERT_THAT(expected.collectives.at(0).algorithm, HasSubstr("Tree"));
            for (const Fidelity fidelity :
                 {Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
                const engine::Results results =
                    run_on(machine, CollectiveKind::AllReduce, bytes, fidelity);
                EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                            static_cast<double>(expected.finish.ps()),
                            0.02 * static_cast<double>(expected.finish.ps()))
                    << nodes.per_node << " x " << nodes.nodes << ' ' << bytes << ' '
                    << name_of(fidelity);
                EXPECT_EQ(results.collectives.at(0).algorithm,
                          expected.collectives.at(0).algorithm);
            }
        }
    }
}

/// Parents of the nodes in both trees, as drawn by hand; -1: the root.
std::vector<std::vector<std::int32_t>> trees_of(std::int32_t nodes) {
    switch (nodes) {
        case 1:
            return {{-1}, {-1}};
        case 2:
            return {{-1, 0}, {1, -1}};
        case 3:
            return {{-1, 2, 0}, {1, -1, 0}};
        default:
            return {{-1, 2, 0, 2}, {1, 3, 1, -1}};
    }
}

// Over every connection of a chain or a tree all bytes of the channel go up and come down. Channel
// c has chains that begin at place c / 2, and tree c % 2; it carries a part of the buffer.
TEST(LibraryTrees, BytesOfEveryLinkAreThoseOfTheTrees) {
    for (const Nodes nodes : {Nodes{8, 1}, Nodes{8, 2}, Nodes{4, 4}, Nodes{4, 3}}) {
        const Machine machine = tree_machine(nodes, {LibraryProtocol::Simple});
        const std::int64_t channels = nodes.nodes == 1 ? 24 : 2 * nodes.per_node;
        const std::int64_t part = 1'000'003;
        std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> sent;  // by NPU, dimension
        std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> received;
        const auto both = [&](std::int32_t low, std::int32_t high, std::int32_t dimension) {
            for (const std::int32_t npu : {low, high}) {
                sent[{npu, dimension}] += part;
                received[{npu, dimension}] += part;
            }
        };
        for (std::int32_t channel = 0; channel < channels; ++channel) {
            const auto npu = [&](std::int32_t node, std::int32_t place) {
                return node * nodes.per_node + (channel / 2 + place) % nodes.per_node;
            };
            for (std::int32_t node = 0; node < nodes.nodes; ++node) {
                for (std::int32_t place = 0; place + 1 < nodes.per_node; ++place) {
                    both(npu(node, place), npu(node, place + 1), 0);
                }
                const std::int32_t parent =
                    trees_of(nodes.nodes)[static_cast<std::size_t>(channel % 2)]
                                         [static_cast<std::size_t>(node)];
                if (parent >= 0) {
                    both(npu(parent, 0), npu(node, 0), 1);
                }
            }
        }
        const engine::Results results =
            run_on(machine, CollectiveKind::AllReduce, channels * part, Fidelity::CongestionAware);
        const topology::Graph& graph = machine.network.graph;
        ASSERT_EQ(results.links.size(), graph.links());
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const topology::Link& link = graph.link(LinkId(i));
            const bool out = graph.kind(link.from) == topology::NodeKind::Npu;
            const std::int32_t npu = (out ? link.from : link.to).value();
            EXPECT_EQ(results.links[i].payload.value(),
                      (out ? sent : received)[std::make_pair(npu, link.dimension)])
                << nodes.per_node << " x " << nodes.nodes << ' ' << results.links[i].from << " -> "
                << results.links[i].to;
        }
    }
}

// A tenth of the NICs' rate: the wire decides. With four nodes the NICs of a node carry the data
// twice in each direction; the first and the last of 16 chunks go through the trees alone.
TEST(LibraryTrees, SlowNetworksTakeLonger) {
    test::TestMachine made;
    made.network =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Switch, 4,
                                                         Rate(450'000'000'000), Time::ns(50)),
                                topology::make_dimension(topology::DimensionKind::Switch, 4,
                                                         Rate(5'000'000'000), Time::ns(500))});
    Machine machine = as_machine(made);
    machine.system.library =
        library_of("h100", {{LibraryAlgorithm::Tree}, {LibraryProtocol::Simple}});
    const std::int64_t bytes = 64 * mib;
    const engine::Results results =
        run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::Fluid);
    const double wire = 2 * static_cast<double>(bytes) / 4 / 5e9 * 1e12;
    EXPECT_GT(static_cast<double>(results.finish.ps()), wire);
    EXPECT_LT(static_cast<double>(results.finish.ps()), 2 * wire);
}

TEST(LibraryTrees, TheTunerTakesThemForMiddleSizesOnSeveralNodes) {
    const engine::Results results = run_of(nodes_of(8, 4), "h100", CollectiveKind::AllReduce,
                                           256 * kib, Fidelity::CongestionAware);
    EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("Tree LL128, 16 channels"));
}

}  // namespace
}  // namespace npunet::study::library_trees_test
