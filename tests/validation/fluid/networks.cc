#include "networks.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tests/support/temporary_folder.h"
#include "topology/yaml/network_reader.h"

namespace npunet::validation {

namespace {

constexpr std::size_t most_npus = 128;

std::vector<NetworkCase> shipped_networks() {
    std::vector<NetworkCase> networks;
    for (const auto& entry :
         std::filesystem::directory_iterator(NPUNET_SOURCE_DIR "/configs/networks")) {
        NetworkCase network =
            network_case(entry.path().stem().string(), test::bytes_of(entry.path().string()));
        if (network.npus <= most_npus) {
            networks.push_back(std::move(network));
        }
    }
    std::sort(networks.begin(), networks.end(),
              [](const NetworkCase& a, const NetworkCase& b) { return a.name < b.name; });
    return networks;
}

std::vector<NetworkCase> more_networks() {
    return {
        network_case("leaf-spine-24-2to1",
                     "FatTree: {levels: 2, radix: 6, npus: 24, oversubscription: [2], "
                     "bandwidth: 50, latency: 500}\n"),
        network_case("leaf-spine-48-3to1",
                     "FatTree: {levels: 2, radix: 8, npus: 48, oversubscription: [3], "
                     "bandwidth: 50, latency: 500}\n"),
        network_case("fat-tree-16-1to1",
                     "FatTree: {levels: 3, radix: 4, npus: 16, bandwidth: 50, latency: 500}\n"),
        network_case("fat-tree-64-3to1",
                     "FatTree: {levels: 3, radix: 8, npus: 64, oversubscription: [1, 3], "
                     "bandwidth: 50, latency: 500}\n"),
        network_case("rail-32",
                     "Rail: {servers: 4, npus_per_server: 8, scale_up: {kind: fully-connected, "
                     "bandwidth: 64, latency: 50}, scale_out: {levels: 2, radix: 4, "
                     "bandwidth: 50, latency: 500}}\n"),
        network_case("dragonfly-40",
                     "Dragonfly: {a: 4, p: 2, h: 1, groups: 5, bandwidth: [50, 50, 100], "
                     "latency: [100, 100, 1us]}\n"),
    };
}

}  // namespace

NetworkCase network_case(std::string name, std::string text) {
    const topology::Graph graph = topology::parse_network(text, name).graph;
    return {std::move(name), std::move(text), graph.npus(), graph.nodes() > graph.npus()};
}

const std::vector<NetworkCase>& product_networks() {
    static const std::vector<NetworkCase> networks = [] {
        std::vector<NetworkCase> all = shipped_networks();
        for (NetworkCase& network : more_networks()) {
            all.push_back(std::move(network));
        }
        return all;
    }();
    return networks;
}

}  // namespace npunet::validation
