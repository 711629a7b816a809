#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "networks.h"
#include "tests/support/draw.h"

namespace npunet::validation {

namespace {

using test::Draw;

/// GB/s of one link.
std::int64_t rate(Draw& draw) {
    return draw.any_of<std::int64_t>({12, 25, 40, 50, 75, 100});
}

/// ns of one link.
std::int64_t latency(Draw& draw) {
    return draw.any_of<std::int64_t>({30, 120, 250, 700, 1500});
}

std::string rail(Draw& draw) {
    const std::int64_t servers = draw.from_to(3, 5);
    const std::int64_t npus = draw.from_to(3, 6);
    const char* const kind = draw.any_of({"switch", "fully-connected"});
    const std::int64_t up = draw.any_of<std::int64_t>({60, 150, 300});
    const std::int64_t out = rate(draw);
    return fmt::format(
        "Rail: {{servers: {}, npus_per_server: {}, scale_up: {{kind: {}, bandwidth: {}, "
        "latency: 80}}, scale_out: {{levels: 2, radix: 4, bandwidth: {}, latency: {}}}}}\n",
        servers, npus, kind, up, out, latency(draw));
}

std::string odd_tree(Draw& draw) {
    struct Shape {
        int radix;
        const char* oversubscription;
        int down;  ///< links of a leaf to NPUs
    };
    const Shape shape = draw.any_of<Shape>(
        {{5, "1.5", 3}, {5, "4", 4}, {7, "2.5", 5}, {9, "2", 6}, {9, "1.25", 5}, {9, "3.5", 7}});
    const std::int64_t leaves = draw.from_to(3, shape.radix);
    const std::int64_t npus = std::max<std::int64_t>(8, leaves * shape.down - draw.below(2));
    const std::int64_t down = rate(draw);
    const std::int64_t up = rate(draw);
    return fmt::format(
        "FatTree: {{levels: 2, radix: {}, npus: {}, oversubscription: {}, bandwidth: [{}, {}], "
        "latency: {}}}\n",
        shape.radix, npus, shape.oversubscription, down, up, latency(draw));
}

std::string product(const std::vector<std::string>& kinds, const std::vector<std::int64_t>& sizes,
                    Draw& draw) {
    std::vector<std::int64_t> rates;
    std::vector<std::int64_t> latencies;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        rates.push_back(rate(draw));
        latencies.push_back(latency(draw));
    }
    return fmt::format("topology: [{}]\nnpus_count: [{}]\nbandwidth: [{}]\nlatency: [{}]\n",
                       fmt::join(kinds, ", "), fmt::join(sizes, ", "), fmt::join(rates, ", "),
                       fmt::join(latencies, ", "));
}

std::string torus(Draw& draw) {
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < 3; ++i) {
        sizes.push_back(draw.from_to(2, 5));
    }
    if (sizes[0] * sizes[1] * sizes[2] > 64) {
        sizes[2] = 2;
    }
    return product({"Ring", "Ring", "Ring"}, sizes, draw);
}

std::string hypercube(Draw& draw) {
    const auto dimensions = static_cast<std::size_t>(draw.from_to(3, 5));
    return product(std::vector<std::string>(dimensions, "Ring"),
                   std::vector<std::int64_t>(dimensions, 2), draw);
}

std::string mesh_of_cliques(Draw& draw) {
    const std::int64_t clique = draw.from_to(3, 5);
    const std::int64_t line = draw.from_to(3, 6);
    return product({"FullyConnected", "Mesh1D"}, {clique, line}, draw);
}

std::string ring_of_switches(Draw& draw) {
    const std::int64_t members = draw.from_to(3, 6);
    const std::int64_t ring = draw.from_to(3, 7);
    return product({"Switch", draw.one_in(2) ? "Ring" : "Switch"}, {members, ring}, draw);
}

std::string dragonfly(Draw& draw) {
    const std::int64_t a = draw.from_to(2, 3);
    const std::int64_t p = draw.from_to(2, 3);
    const std::int64_t h = draw.from_to(1, 2);
    const std::int64_t groups = draw.from_to(3, a * h + 1);
    const std::int64_t npu = rate(draw);
    const std::int64_t local = rate(draw);
    const std::int64_t global = rate(draw);
    return fmt::format(
        "Dragonfly: {{a: {}, p: {}, h: {}, groups: {}, bandwidth: [{}, {}, {}], latency: {}}}\n", a,
        p, h, groups, npu, local, global, latency(draw));
}

/// Switches in a random tree with some links more, and NPUs at any of them.
std::string graph(Draw& draw) {
    const std::int64_t npus = draw.from_to(8, 20);
    const std::int64_t switches = draw.from_to(3, 6);
    std::string nodes = "Custom:\n    nodes:\n";
    for (std::int64_t i = 0; i < npus; ++i) {
        nodes += fmt::format("        - {{name: gpu{}, kind: npu}}\n", i);
    }
    for (std::int64_t i = 0; i < switches; ++i) {
        nodes += fmt::format("        - {{name: hub{}, kind: switch}}\n", i);
    }
    std::string links = "    links:\n";
    const auto join = [&](const std::string& from, std::int64_t to) {
        const std::int64_t speed = rate(draw);
        links += fmt::format("        - {{from: {}, to: hub{}, bandwidth: {}, latency: {}}}\n",
                             from, to, speed, latency(draw));
    };
    for (std::int64_t i = 0; i < npus; ++i) {
        join(fmt::format("gpu{}", i), draw.below(switches));
    }
    for (std::int64_t i = 1; i < switches; ++i) {
        join(fmt::format("hub{}", i), draw.below(i));
    }
    for (std::int64_t more = draw.from_to(1, 2); more > 0; --more) {
        const std::int64_t from = draw.from_to(1, switches - 1);
        join(fmt::format("hub{}", from), draw.below(from));
    }
    return nodes + links;
}

}  // namespace

NetworkCase hold_out_network(std::size_t number) {
    struct Kind {
        const char* name;
        std::string (*make)(Draw& draw);
    };
    constexpr Kind kinds[] = {{"rail", rail},           {"odd-tree", odd_tree},
                              {"torus", torus},         {"hypercube", hypercube},
                              {"graph", graph},         {"mesh-of-cliques", mesh_of_cliques},
                              {"dragonfly", dragonfly}, {"ring-of-switches", ring_of_switches}};
    Draw draw(34'000 + number);
    const Kind& kind = kinds[number % std::size(kinds)];
    return network_case(fmt::format("{}-{}", kind.name, number), kind.make(draw));
}

}  // namespace npunet::validation
