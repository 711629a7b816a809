// network.yml with the file of links or of a placement beside it, and what is built from it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/yaml_document.h"
#include "memory_folder.h"
#include "memory_watch.h"
#include "seeds.h"
#include "targets.h"
#include "topology/graph/bisection.h"
#include "topology/network/network_description.h"
#include "topology/routing/channel_dependencies.h"
#include "topology/yaml/network_reader.h"

namespace npunet::fuzz {

namespace {

using namespace topology;

/// Networks that are so large by their numbers alone cost time and show nothing.
constexpr double largest_network = 4096;
constexpr std::size_t most_network_values = 20'000;
constexpr std::size_t most_walked = 24;
/// Of such a network, whose size its numbers explain.
constexpr std::size_t network_bytes = std::size_t{96} << 20;
/// What a value of YAML takes, the least being two bytes of it.
constexpr std::size_t network_bytes_for_each = 60;

/// The product of all numbers that stand there, besides those of speeds; infinite where there are
/// more than `values` values, aliases followed.
double product_of_numbers(const YAML::Node& node, std::size_t& values) {
    if (values == 0) {
        return std::numeric_limits<double>::infinity();
    }
    --values;
    double product = 1;
    if (node.IsScalar()) {
        char* end = nullptr;
        const double number = std::strtod(node.Scalar().c_str(), &end);
        return number > 1 ? number : 1;
    }
    if (node.IsSequence()) {
        for (const YAML::Node& item : node) {
            product *= product_of_numbers(item, values);
        }
    } else if (node.IsMap()) {
        for (const auto& entry : node) {
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
            if (key != "bandwidth" && key != "latency" && key != "packet" && key != "faults" &&
                key != "placement" && key != "oversubscription") {
                product *= product_of_numbers(entry.second, values);
            }
        }
    }
    return product;
}

/// Numbers of parallel links in a file of links.
bool has_long_number(std::string_view text) {
    std::size_t digits = 0;
    return std::any_of(text.begin(), text.end(), [&](char c) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        return digits >= 5;
    });
}

void check_routes(const NetworkDescription& network) {
    const std::size_t npus = std::min(network.graph.npus(), most_walked);
    for (std::size_t from = 0; from < npus; ++from) {
        for (std::size_t to = 0; to < npus; ++to) {
            NodeId at(from);
            for (const Hop hop : network.route(NodeId(from), NodeId(to))) {
                const Link& link = network.graph.link(hop.link);
                expect(link.from == at, "a route with a gap");
                expect(hop.virtual_channel < network.virtual_channels_needed(),
                       "a virtual channel that is not there");
                at = link.to;
            }
            expect(at == NodeId(to), "a route that does not arrive");
        }
    }
}

void check_network(const NetworkDescription& network) {
    const std::size_t npus = network.graph.npus();
    expect(npus > 0 && network.npu_of_rank.size() == npus, "a placement of other NPUs");
    expect(!network.routing_name().empty(), "a routing without a name");
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const Link& link = network.graph.link(LinkId(i));
        expect(link.rate.bytes_per_second() > 0 && link.latency >= Time(), "a link without a rate");
        expect(network.buffer_of(LinkId(i)) > Bytes(0), "a link without a buffer");
    }
    check_routes(network);
    if (!network.dimensions.empty()) {
        expect(bisection_of(network.dimensions).links >= 0, "a bisection below nothing");
    }
}

}  // namespace

// The first byte: whether unknown keys are tolerated, and which gigabyte is meant.
void run_network(std::string_view input) {
    const unsigned char choice = take_byte(input);
    const std::vector<std::string_view> files = files_of(input, 2);
    const MemoryFolder folder;
    folder.write("network.yml", files[0]);
    if (files.size() > 1) {
        if (has_long_number(files[1])) {
            return;
        }
        folder.write("list", files[1]);
    }
    double size = 0;
    accepts_written([&] {
        std::size_t values = most_network_values;
        size = product_of_numbers(parse_yaml("network.yml", std::string(files[0])), values);
    });
    if (!(size <= largest_network)) {
        return;
    }
    std::vector<std::string> warnings;
    std::optional<NetworkDescription> network;
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(network_bytes_for_each * input.size(), network_bytes));
        network = read_network(folder / "network.yml",
                               (choice & 2U) != 0 ? GigaByte::Binary : GigaByte::Decimal,
                               (choice & 1U) != 0, &warnings);
        watch.check();
    });
    if (network) {
        check_network(*network);
    }
}

std::vector<std::string> network_seeds() {
    const std::string mark(file_mark);
    std::vector<std::string> seeds{
        "topology: [FullyConnected, Switch]\nnpus_count: [4, 2]\nbandwidth: [128.5714, 25.0]\n"
        "latency: [20, 100]\nplacement: snake\n",
        "topology: [Torus2D]\nnpus_count: [[4, 3]]\nbandwidth: [50GB/s]\nlatency: [500ns]\n"
        "packet: {mtu: 4096, header: 64, routing: dimension-order, switching: cut-through,\n"
        "  flow_control: credit, virtual_channels: 2, classes: 2, arbitration: oldest,\n"
        "  buffer: 256KiB, error_rate: 0, seed: 7}\n"
        "faults:\n  - {link: [0, 1], at: 2ms, until: 5ms, bandwidth_factor: 0.1}\n"
        "  - {npu: 5, slowdown: 1.3}\n",
        "topology: [Ring, Mesh1D]\nnpus_count: [4, 2]\nbandwidth: [50, 25]\nlatency: [500, 1us]\n"
        "placement: [7, 6, 5, 4, 3, 2, 1, 0]\n"
        "packet: {routing: adaptive, flow_control: credit}\n",
        "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"
        "packet: {flow_control: pfc, transport: {kind: go-back-n, window: 1MB, ack_every: 2, rto: "
        "1ms},\n  congestion_control: dcqcn, ecn: {kmin: 100KiB, kmax: 400KiB, pmax: 0.2}}\n",
        "FatTree: {levels: 2, radix: 4, npus: 8, oversubscription: [1, 2], bandwidth: [50, 100],\n"
        "  latency: [500, 500]}\npacket: {routing: ecmp, flow_control: none,\n"
        "  transport: {kind: selective-repeat, start_jitter: 1us}, congestion_control: swift}\n",
        "Dragonfly: {a: 2, p: 2, h: 1, groups: 3, bandwidth: [50, 50, 25], latency: [1us, 1us, "
        "2us]}\npacket: {routing: ugal}\n",
        "Rail: {servers: 2, npus_per_server: 2,\n"
        "  scale_up: {kind: switch, bandwidth: 450, latency: 100},\n"
        "  scale_out: {levels: 2, radix: 4, npus: 2, bandwidth: [50, 50], latency: [500, 500]}}\n",
        "Custom:\n  nodes:\n    - {name: a, kind: npu}\n    - {name: b, kind: npu}\n"
        "    - {name: s, kind: switch}\n  links:\n"
        "    - {from: a, to: s, bandwidth: 50, latency: 500, count: 2}\n"
        "    - {from: s, to: b, bandwidth: 25, latency: 500, both: true}\n"
        "    - {from: a, to: b, bandwidth: 25, latency: 500, both: false}\n"
        "  tiers: [{name: one, blocks: [[b], [a]]}, {name: two, size: 2}]\n"
        "packet: {routing: shortest-path}\n",
        "Custom: {file: list}\npacket: {routing: up-down}\n" + mark +
            "npu a b c\nswitch s t  # two\na s 50 500\nb s 50GB/s 1us 2\nc t 25 500 1 both\n"
            "s t 100 500\nt s 10 5 forward\n",
        "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [5]\nplacement: list\n" +
            mark + "[3, 2]\n1 0 # the end\n",
        "devices:\n- name: d\n  components: [{name: x, count: 2, choice: xpu}, "
        "{name: n, count: 1, choice: device}]\n"
        "  links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 64}, latency: {ns: "
        "9}}}]\n"
        "  edges: [{ep1: {component: 'x[0:2]'}, ep2: {device: 'n[0]', component: p}, "
        "scheme: many2many, link: l}]\n"
        "- name: n\n  components: [{name: p, count: 1, choice: port}]\n"
        "links: [{name: c, physical: {bandwidth: {choice: gigabits_per_second, "
        "gigabits_per_second: 400}}}]\n"
        "instances: [{name: h, device: d, count: 2}]\n"
        "edges: [{ep1: {instance: 'h[0]', component: n.p}, ep2: {instance: 'h[1]', component: "
        "'n[0].p[0]'}, scheme: one2one, link: c}]\n",
        "topology: &t [Ring, *n]\nnpus_count: [&n 4, *n]\n"};
    seeds.push_back("topology: " + std::string(2000, '['));
    seeds.push_back(
        "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n"
        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n");
    return with_prefix(std::string_view("\0", 1), std::move(seeds));
}

}  // namespace npunet::fuzz
