#include "topology/graph/bisection.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "networks.h"

namespace npunet::topology {
namespace {

using Kind = DimensionKind;

/// The links from the NPUs in `half` to the others; each switch stands where fewer cross.
std::int64_t links_out_of(const Graph& graph, std::uint32_t half) {
    const auto inside = [&](NodeId npu) { return (half >> npu.index() & 1U) != 0; };
    std::int64_t crossing = 0;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        const bool between_npus =
            graph.kind(link.from) == NodeKind::Npu && graph.kind(link.to) == NodeKind::Npu;
        crossing += between_npus && inside(link.from) && !inside(link.to) ? 1 : 0;
    }
    for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
        const auto& links = graph.links_to(NodeId(node));
        const auto within = std::count_if(links.begin(), links.end(),
                                          [&](LinkId id) { return inside(graph.link(id).from); });
        crossing +=
            std::min<std::int64_t>(within, static_cast<std::int64_t>(links.size()) - within);
    }
    return crossing;
}

/// The least over all cuts into halves that differ by one NPU at most.
std::int64_t brute_force(const Graph& graph) {
    const auto npus = static_cast<std::uint32_t>(graph.npus());
    std::int64_t least = std::int64_t{1} << 40;
    for (std::uint32_t half = 0; half < (1U << npus); ++half) {
        if (static_cast<std::uint32_t>(__builtin_popcount(half)) == npus / 2) {
            least = std::min(least, links_out_of(graph, half));
        }
    }
    return least;
}

/// All lists of two or three sizes with at most 12 NPUs.
std::vector<std::vector<std::int32_t>> small_sizes() {
    std::vector<std::vector<std::int32_t>> lists;
    for (std::int32_t a = 1; a <= 12; ++a) {
        for (std::int32_t b = 1; a * b <= 12; ++b) {
            lists.push_back({a, b});
            for (std::int32_t c = 2; a * b * c <= 12; ++c) {
                lists.push_back({a, b, c});
            }
        }
    }
    return lists;
}

/// Calls visit(network, sizes) for every product of the kinds over those sizes.
template <class Visit>
void for_each_product(const std::vector<Kind>& kinds, Visit visit) {
    for (const auto& sizes : small_sizes()) {
        std::vector<std::vector<Kind>> words{{}};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::vector<std::vector<Kind>> longer;
            for (const auto& word : words) {
                for (const Kind kind : kinds) {
                    longer.push_back(word);
                    longer.back().push_back(kind);
                }
            }
            words = std::move(longer);
        }
        for (const auto& word : words) {
            const NetworkDescription network = product(word, sizes);
            SCOPED_TRACE(network.name + " " + testing::PrintToString(sizes));
            visit(network, sizes);
        }
    }
}

TEST(Bisection, IsTheLeastBalancedCutOfProductsWithoutSwitches) {
    for_each_product({Kind::Ring, Kind::Mesh1D, Kind::FullyConnected},
                     [](const NetworkDescription& network, const std::vector<std::int32_t>&) {
                         EXPECT_EQ(bisection_of(network.dimensions).links,
                                   brute_force(network.graph));
                     });
}

// With switches the least cut may be none of the middle cuts (Mesh1D 3 x Switch 4: 5 links instead
// of 6), but never where all sizes are even or one is alone.
TEST(Bisection, IsAnUpperBoundWithSwitches) {
    for_each_product({Kind::Ring, Kind::Mesh1D, Kind::FullyConnected, Kind::Switch},
                     [](const NetworkDescription& network, const std::vector<std::int32_t>& sizes) {
                         const std::int64_t links = bisection_of(network.dimensions).links;
                         const std::int64_t least = brute_force(network.graph);
                         EXPECT_GE(links, least);
                         const auto odd =
                             std::count_if(sizes.begin(), sizes.end(),
                                           [](std::int32_t n) { return n > 1 && n % 2 == 1; });
                         const auto ones = std::count(sizes.begin(), sizes.end(), 1);
                         if (odd == 0 || ones + 1 >= static_cast<std::ptrdiff_t>(sizes.size())) {
                             EXPECT_EQ(links, least);
                         }
                     });
}

// 4 x 4 mesh: 4 links; 4 x 4 torus: 8; 4 x 4 x 4 torus: 2 x 16; 5 x 5 mesh: 5 + 1.
TEST(Bisection, HasTheKnownValues) {
    EXPECT_EQ(bisection_of(grid(Kind::Mesh1D, {4, 4}).dimensions).links, 4);
    EXPECT_EQ(bisection_of(grid(Kind::Ring, {4, 4}).dimensions).links, 8);
    EXPECT_EQ(bisection_of(grid(Kind::Ring, {4, 4, 4}).dimensions).links, 32);
    EXPECT_EQ(bisection_of(grid(Kind::Mesh1D, {5, 5}).dimensions).links, 6);
    EXPECT_EQ(bisection_of(grid(Kind::Ring, {1}).dimensions).links, 0);
}

// dgx_16: across the cliques 16 x 2 links of 128.5714 GB/s, across the switches 8 of 25 GB/s.
TEST(Bisection, CutsTheDimensionWithTheLeastBandwidth) {
    const Bisection cut = bisection_of(shipped("dgx_16").dimensions);
    EXPECT_EQ(cut.links, 8);
    EXPECT_DOUBLE_EQ(cut.bytes_per_second, 200e9);
}

}  // namespace
}  // namespace npunet::topology
