// The networks that the project ships: each is read, and has the nodes and links it should have.

#include <gtest/gtest.h>

#include <algorithm>

#include "networks.h"

namespace npunet::topology {
namespace {

struct Shipped {
    const char* name;
    std::size_t npus;
    std::size_t switches;
    std::size_t links;
};

class ShippedNetwork : public testing::TestWithParam<Shipped> {};

// Directed links: mesh w x h: 2 ((w - 1) h + w (h - 1)); ring n: 2 n; torus: 2 n per dimension;
// clique of 8: 56 a line; switch: 2 n, and n / size switches.
INSTANTIATE_TEST_SUITE_P(
    Configs, ShippedNetwork,
    testing::Values(
        Shipped{"mesh-4x4", 16, 0, 48}, Shipped{"ring-8", 8, 0, 16},
        Shipped{"torus-4x4", 16, 0, 64}, Shipped{"torus-4x4x4", 64, 0, 384},
        Shipped{"dgx_16", 16, 8, 2 * 56 + 32}, Shipped{"nvlink-8x2", 16, 8, 2 * 56 + 32},
        Shipped{"nvswitch-8x2", 16, 2 + 8, 2 * 16 + 32},
        Shipped{"dgx_2k", 2048, 128, 256 * 56 + 3 * 4096}, Shipped{"tpu_512", 512, 64, 4 * 1024},
        Shipped{"system_1", 64, 0, 384}, Shipped{"system_2", 64, 0, 384},
        Shipped{"fat-tree-128", 128, 80, 768}, Shipped{"leaf-spine-64", 64, 12, 192},
        Shipped{"dragonfly-72", 72, 36, 2 * 72 + 9 * (12 + 8)},
        Shipped{"rail-128", 128, 16 + 8 * 8, 16 * 16 + 8 * 64}, Shipped{"two-sites", 8, 2, 22}),
    [](const auto& network) {
        std::string name = network.param.name;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

TEST_P(ShippedNetwork, HasItsNodesAndLinks) {
    const NetworkDescription network = shipped(GetParam().name);
    EXPECT_EQ(network.graph.npus(), GetParam().npus);
    EXPECT_EQ(network.graph.nodes(), GetParam().npus + GetParam().switches);
    EXPECT_EQ(network.graph.links(), GetParam().links);
    EXPECT_EQ(network.npu_of_rank.size(), GetParam().npus);
}

TEST(ShippedNetworks, HaveTheRatesAndLatenciesOfTheirDimensions) {
    const NetworkDescription dgx = shipped("dgx_16");
    EXPECT_EQ(dgx.name, "FullyConnected x Switch");
    EXPECT_EQ(dgx.dimensions[0].rate, Rate(128'571'400'000));
    EXPECT_EQ(dgx.dimensions[1].rate, Rate(25'000'000'000));
    EXPECT_EQ(dgx.dimensions[0].latency, Time::ns(20));
    EXPECT_EQ(dgx.dimensions[1].latency, Time::ns(100));
    EXPECT_EQ(shipped("tpu_512").dimensions[3].latency, Time::ns(2000));
    EXPECT_EQ(shipped("system_2").dimensions[0].rate, Rate(2'000'000'000'000));
    EXPECT_EQ(shipped("mesh-4x4").name, "Mesh2D");
}

// The links of an NPU within a server share the 450 GB/s per direction of an H100's NVLink ports:
// seven of 64.285714 GB/s come to 449.999998.
TEST(ShippedNetworks, GiveAnNpuNoMoreThanItsPorts) {
    for (const char* const name : {"nvlink-8x2", "nvswitch-8x2"}) {
        const NetworkDescription network = shipped(name);
        const std::int64_t links = network.dimensions[0].kind == DimensionKind::Switch ? 1 : 7;
        const std::int64_t port = links * network.dimensions[0].rate.bytes_per_second();
        EXPECT_LE(port, 450'000'000'000) << name;
        EXPECT_GE(port, 449'999'000'000) << name;
    }
}

}  // namespace
}  // namespace npunet::topology
