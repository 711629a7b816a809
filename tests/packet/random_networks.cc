#include "random_networks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "topology/yaml/network_reader.h"

namespace npunet::packet_test {

namespace {

class Drawer {
public:
    explicit Drawer(std::mt19937_64& random) : random_(random) {}

    [[nodiscard]] int from_to(int least, int most) {
        return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
    }
    template <class Value, std::size_t size>
    [[nodiscard]] Value one_of(const std::array<Value, size>& values) {
        return values[random_() % size];
    }
    [[nodiscard]] int speed() { return one_of(std::array{10, 25, 50, 100, 400}); }
    [[nodiscard]] int delay() { return one_of(std::array{0, 1, 100, 500, 2000}); }
    [[nodiscard]] std::string link() {
        const int bandwidth = speed();
        return fmt::format("bandwidth: {}, latency: {}", bandwidth, delay());
    }

private:
    std::mt19937_64& random_;
};

std::string product(Drawer& draw) {
    constexpr std::array all{"Ring", "Mesh1D", "FullyConnected", "Switch"};
    std::vector<std::string> kinds;
    std::vector<int> sizes;
    std::vector<int> speeds;
    std::vector<int> delays;
    const int dimensions = draw.from_to(1, 3);
    for (int d = 0; d < dimensions; ++d) {
        kinds.emplace_back(draw.one_of(all));
        sizes.push_back(draw.from_to(2, dimensions == 1 ? 16 : 4));
        speeds.push_back(draw.speed());
        delays.push_back(draw.delay());
    }
    return fmt::format("topology: [{}]\nnpus_count: [{}]\nbandwidth: [{}]\nlatency: [{}]\n",
                       fmt::join(kinds, ", "), fmt::join(sizes, ", "), fmt::join(speeds, ", "),
                       fmt::join(delays, ", "));
}

std::string fat_tree(Drawer& draw) {
    const int levels = draw.from_to(2, 3);
    const int half = draw.from_to(1, levels == 2 ? 4 : 2);
    const int most = levels == 2 ? 2 * half * half : 2 * half * half * half;
    const int npus = draw.from_to(2, most);
    return fmt::format("FatTree: {{levels: {}, radix: {}, npus: {}, {}}}\n", levels, 2 * half, npus,
                       draw.link());
}

std::string dragonfly(Drawer& draw) {
    const int a = draw.from_to(1, 3);
    const int h = draw.from_to(1, 2);
    const int p = draw.from_to(1, 2);
    const int groups = draw.from_to(2, a * h + 1);
    return fmt::format("Dragonfly: {{a: {}, p: {}, h: {}, groups: {}, {}}}\n", a, p, h, groups,
                       draw.link());
}

std::string rail(Drawer& draw) {
    const int servers = draw.from_to(2, 8);
    const int npus = draw.from_to(2, 4);
    const std::string scale_up = draw.link();
    const char* kind = draw.one_of(std::array{"switch", "fully-connected"});
    return fmt::format(
        "Rail: {{servers: {}, npus_per_server: {}, scale_up: {{kind: {}, {}}}, "
        "scale_out: {{levels: 2, radix: 8, {}}}}}\n",
        servers, npus, kind, scale_up, draw.link());
}

/// A random tree with further cables.
std::string custom(Drawer& draw) {
    const int npus = draw.from_to(2, 12);
    const int nodes = npus + draw.from_to(0, 4);
    std::string text = "Custom:\n  nodes:\n";
    for (int node = 0; node < nodes; ++node) {
        text +=
            fmt::format("    - {{name: n{}, kind: {}}}\n", node, node < npus ? "npu" : "switch");
    }
    text += "  links:\n";
    const auto cable = [&](int a, int b) {
        text += fmt::format("    - {{from: n{}, to: n{}, {}}}\n", a, b, draw.link());
    };
    for (int node = 1; node < nodes; ++node) {
        cable(node, draw.from_to(0, node - 1));
    }
    for (int more = draw.from_to(0, nodes); more > 0; --more) {
        const int node = draw.from_to(1, nodes - 1);
        cable(node, draw.from_to(0, node - 1));
    }
    return text;
}

}  // namespace

std::string random_network_text(unsigned kind, std::mt19937_64& random) {
    Drawer draw(random);
    switch (kind) {
        case 0:
            return product(draw);
        case 1:
            return fat_tree(draw);
        case 2:
            return dragonfly(draw);
        case 3:
            return rail(draw);
        default:
            return custom(draw);
    }
}

topology::NetworkDescription random_network(unsigned kind, std::mt19937_64& random) {
    topology::NetworkDescription network =
        topology::parse_network(random_network_text(kind, random), "network.yml");
    topology::PacketParameters& packet = network.packet;
    Drawer draw(random);
    packet.mtu = Bytes(draw.one_of(std::array<std::int64_t, 3>{256, 1500, 4096}));
    packet.header = Bytes(draw.one_of(std::array<std::int64_t, 3>{0, 16, 64}));
    packet.buffer = draw.from_to(0, 3) * (packet.mtu + packet.header);
    packet.switching = draw.one_of(
        std::array{topology::Switching::StoreAndForward, topology::Switching::CutThrough});
    packet.arbitration =
        draw.one_of(std::array{topology::Arbitration::RoundRobin, topology::Arbitration::Oldest});
    return network;
}

}  // namespace npunet::packet_test
