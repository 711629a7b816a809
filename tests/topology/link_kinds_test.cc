#include "topology/network/link_kinds.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/errors.h"
#include "topology/yaml/machine.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology::link_kinds_test {
namespace {

/// How many links of each kind a network has.
std::map<std::string, int> counts_of(const std::string& yaml) {
    const NetworkDescription network = parse_network(yaml, "network.yml");
    const LinkKinds kinds(network);
    std::map<std::string, int> counts;
    for (std::size_t link = 0; link < network.graph.links(); ++link) {
        ++counts[kinds.names()[kinds.kind_of(LinkId(link))]];
    }
    EXPECT_EQ(counts.size(), kinds.names().size());
    return counts;
}

using Counts = std::map<std::string, int>;

// 2 servers of 4: a cable is two links. Each of the 4 rails has leaves of 2 ports down and 2 up.
TEST(LinkKinds, OfRails) {
    EXPECT_EQ(
        counts_of("Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: switch, bandwidth: "
                  "450, latency: 100}, scale_out: {levels: 2, radix: 4, bandwidth: 50, "
                  "latency: 500}}\n"),
        (Counts{{"scale-up", 32}, {"NIC", 32}, {"leaf-spine", 32}}));
    EXPECT_EQ(counts_of("Rail: {servers: 2, npus_per_server: 4, scale_up: {kind: fully-connected, "
                        "bandwidth: 450, latency: 100}, scale_out: {levels: 2, radix: 4, "
                        "bandwidth: 50, latency: 500}}\n")["scale-up"],
              24);
}

TEST(LinkKinds, OfFatTrees) {
    EXPECT_EQ(counts_of("FatTree: {levels: 3, radix: 4, npus: 16, bandwidth: 50, latency: 500}\n"),
              (Counts{{"npu-leaf", 32}, {"leaf-aggregation", 32}, {"aggregation-core", 32}}));
}

// Local and global links connect routers: their speed tells them apart.
TEST(LinkKinds, OfDragonflies) {
    const Counts counts = counts_of(
        "Dragonfly: {p: 2, a: 2, h: 1, groups: 3, bandwidth: "
        "[50, 50, 25], latency: [100, 100, 1us]}\n");
    EXPECT_EQ(counts.count("npu-router"), 1U);
    EXPECT_EQ(counts.count("router-router (50 GB/s, 100 ns)"), 1U);
    EXPECT_EQ(counts.count("router-router (25 GB/s, 1.000 us)"), 1U);
}

TEST(LinkKinds, OfProductsMayHaveNames) {
    const std::string two =
        "topology: [FullyConnected, Switch]\nnpus_count: [4, 2]\nbandwidth: "
        "[100, 50]\nlatency: [50, 500]\n";
    EXPECT_EQ(counts_of(two + "link_names: [scale-up, NIC]\n"),
              (Counts{{"scale-up", 24}, {"NIC", 16}}));
    EXPECT_EQ(counts_of("topology: [Torus2D]\nnpus_count: [[4, 4]]\nbandwidth: [100]\nlatency: "
                        "[50]\nlink_names: [[x, y]]\n"),
              (Counts{{"x", 32}, {"y", 32}}));
    for (const char* const bad :
         {"[NIC]", "[NIC, NIC]", "['', NIC]", "[[a, b], c]", "NIC", "[{}, a]"}) {
        EXPECT_THROW(counts_of(two + "link_names: " + bad + "\n"), InputError) << bad;
    }
}

// Whatever the number of servers, or the shape of the pod.
TEST(LinkKinds, OfReadyMachines) {
    for (const std::string& name : known_machines()) {
        const bool tpu = name.compare(0, 3, "tpu") == 0;
        const bool racks = name == "gb200-nvl72";
        for (const int servers : {1, 2, 33}) {
            const std::string count =
                tpu ? "4x4x8" : std::to_string(racks ? 72 * servers : servers);
            const Counts counts = counts_of(read_machine(name + ':' + count, "test").network);
            EXPECT_EQ(counts.count("scale-up"), tpu ? 0U : 1U) << name << ' ' << count;
            EXPECT_EQ(counts.count("NIC"), tpu || servers == 1 ? 0U : 1U) << name << ' ' << count;
            EXPECT_EQ(counts.count("leaf-spine"), !tpu && servers == 33 ? 1U : 0U)
                << name << ' ' << count;
            EXPECT_EQ(counts.count("ICI x"), tpu ? 1U : 0U);
        }
    }
}

TEST(LinkKinds, OfProductsAreDimensions) {
    EXPECT_EQ(
        counts_of("topology: [FullyConnected, Switch]\nnpus_count: [4, 2]\nbandwidth: [100, "
                  "50]\nlatency: [50, 500]\n"),
        (Counts{{"dimension 0 (FullyConnected of 4)", 24}, {"dimension 1 (Switch of 2)", 16}}));
}

// Names that differ in more than digits say nothing where there are many.
TEST(LinkKinds, OfNetworksWithManyNamesAreOfNpusAndSwitches) {
    std::string yaml = "Custom:\n  nodes:\n";
    std::string links = "  links:\n";
    for (int i = 0; i < 30; ++i) {
        const std::string name = "sw-" + std::string(static_cast<std::size_t>(i) + 1, 'x');
        yaml += "    - {name: gpu" + std::to_string(i) + ", kind: npu}\n";
        yaml += "    - {name: " + name + ", kind: switch}\n";
        links += "    - {from: gpu" + std::to_string(i) + ", to: " + name +
                 ", bandwidth: 50, latency: 500}\n";
        if (i > 0) {
            links += "    - {from: sw-x, to: " + name + ", bandwidth: 100, latency: 500}\n";
        }
    }
    EXPECT_EQ(counts_of(yaml + links), (Counts{{"npu-switch", 60}, {"switch-switch", 58}}));
}

}  // namespace
}  // namespace npunet::topology::link_kinds_test
