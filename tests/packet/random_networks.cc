#include "random_networks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tests/support/draw.h"
#include "topology/yaml/network_reader.h"

namespace npunet::packet_test {

using test::DrawFrom;

namespace {

int from_to(DrawFrom& draw, int least, int most) {
    return static_cast<int>(draw.from_to(least, most));
}

int speed(DrawFrom& draw) {
    return draw.any_of({10, 25, 50, 100, 400});
}

int delay(DrawFrom& draw) {
    return draw.any_of({0, 1, 100, 500, 2000});
}

std::string link(DrawFrom& draw) {
    const int bandwidth = speed(draw);
    return fmt::format("bandwidth: {}, latency: {}", bandwidth, delay(draw));
}

std::string product(DrawFrom& draw) {
    std::vector<std::string> kinds;
    std::vector<int> sizes;
    std::vector<int> speeds;
    std::vector<int> delays;
    const int dimensions = from_to(draw, 1, 3);
    for (int d = 0; d < dimensions; ++d) {
        kinds.emplace_back(draw.any_of({"Ring", "Mesh1D", "FullyConnected", "Switch"}));
        sizes.push_back(from_to(draw, 2, dimensions == 1 ? 16 : 4));
        speeds.push_back(speed(draw));
        delays.push_back(delay(draw));
    }
    return fmt::format("topology: [{}]\nnpus_count: [{}]\nbandwidth: [{}]\nlatency: [{}]\n",
                       fmt::join(kinds, ", "), fmt::join(sizes, ", "), fmt::join(speeds, ", "),
                       fmt::join(delays, ", "));
}

std::string fat_tree(DrawFrom& draw) {
    const int levels = from_to(draw, 2, 3);
    const int half = from_to(draw, 1, levels == 2 ? 4 : 2);
    const int most = levels == 2 ? 2 * half * half : 2 * half * half * half;
    const int npus = from_to(draw, 2, most);
    return fmt::format("FatTree: {{levels: {}, radix: {}, npus: {}, {}}}\n", levels, 2 * half, npus,
                       link(draw));
}

std::string dragonfly(DrawFrom& draw) {
    const int a = from_to(draw, 1, 3);
    const int h = from_to(draw, 1, 2);
    const int p = from_to(draw, 1, 2);
    const int groups = from_to(draw, 2, a * h + 1);
    return fmt::format("Dragonfly: {{a: {}, p: {}, h: {}, groups: {}, {}}}\n", a, p, h, groups,
                       link(draw));
}

std::string rail(DrawFrom& draw) {
    const int servers = from_to(draw, 2, 8);
    const int npus = from_to(draw, 2, 4);
    const std::string scale_up = link(draw);
    const char* kind = draw.any_of({"switch", "fully-connected"});
    return fmt::format(
        "Rail: {{servers: {}, npus_per_server: {}, scale_up: {{kind: {}, {}}}, "
        "scale_out: {{levels: 2, radix: 8, {}}}}}\n",
        servers, npus, kind, scale_up, link(draw));
}

/// A random tree with further cables.
std::string custom(DrawFrom& draw) {
    const int npus = from_to(draw, 2, 12);
    const int nodes = npus + from_to(draw, 0, 4);
    std::string text = "Custom:\n  nodes:\n";
    for (int node = 0; node < nodes; ++node) {
        text +=
            fmt::format("    - {{name: n{}, kind: {}}}\n", node, node < npus ? "npu" : "switch");
    }
    text += "  links:\n";
    const auto cable = [&](int a, int b) {
        text += fmt::format("    - {{from: n{}, to: n{}, {}}}\n", a, b, link(draw));
    };
    for (int node = 1; node < nodes; ++node) {
        cable(node, from_to(draw, 0, node - 1));
    }
    for (int more = from_to(draw, 0, nodes); more > 0; --more) {
        const int node = from_to(draw, 1, nodes - 1);
        cable(node, from_to(draw, 0, node - 1));
    }
    return text;
}

}  // namespace

std::string random_network_text(unsigned kind, std::mt19937_64& random) {
    DrawFrom draw(random);
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
    DrawFrom draw(random);
    packet.mtu = Bytes(draw.any_of<std::int64_t>({256, 1500, 4096}));
    packet.header = Bytes(draw.any_of<std::int64_t>({0, 16, 64}));
    packet.buffer = draw.from_to(0, 3) * (packet.mtu + packet.header);
    packet.switching =
        draw.any_of({topology::Switching::StoreAndForward, topology::Switching::CutThrough});
    packet.arbitration =
        draw.any_of({topology::Arbitration::RoundRobin, topology::Arbitration::Oldest});
    return network;
}

}  // namespace npunet::packet_test
