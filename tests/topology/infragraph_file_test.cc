// InfraGraph files: devices, instances and edges become a Custom network.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "infragraph_texts.h"
#include "networks.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::topology {
namespace infragraph_file {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Expands a file name by name, as the format's documentation describes it: an edge is a pair of
/// texts such as "host.0.gpu.1", with the name of its link. Then takes away nodes that are no GPUs
/// and have fewer than two neighbours until there are none.
class Independent {
public:
    std::map<std::string, std::string> kinds;  ///< of all nodes, by name
    std::set<std::string> nodes;               ///< those that are left
    std::map<std::set<std::string>, std::string> links;

    explicit Independent(const YAML::Node& file) : file_(file) {
        for (const YAML::Node& instance : file["instances"]) {
            for (int i = 0; i < instance["count"].as<int>(); ++i) {
                expand(instance["device"].as<std::string>(),
                       instance["name"].as<std::string>() + "." + std::to_string(i));
            }
        }
        for (const YAML::Node& edge : file["edges"]) {
            std::vector<std::vector<std::string>> ends;
            for (const char* key : {"ep1", "ep2"}) {
                ends.push_back(names(edge[key]["instance"].as<std::string>() + "." +
                                         edge[key]["component"].as<std::string>(),
                                     {""}, file["instances"]));
            }
            add(edge, ends);
        }
        for (const auto& [name, kind] : kinds) {
            nodes.insert(name);
        }
        while (take_away_ends()) {
        }
    }

    [[nodiscard]] std::map<std::string, int> degrees() const {
        std::map<std::string, int> degrees;
        for (const auto& entry : links) {
            for (const std::string& name : entry.first) {
                ++degrees[name];
            }
        }
        return degrees;
    }

private:
    YAML::Node device(const std::string& name) const {
        for (const YAML::Node& device : file_["devices"]) {
            if (device["name"].as<std::string>() == name) {
                return device;
            }
        }
        return {};
    }
    /// Of a path such as "a[0:2].b", all "a.0.b.0", ...; `list` has the counts of its first name.
    std::vector<std::string> names(const std::string& path,
                                   const std::vector<std::string>& prefixes,
                                   const YAML::Node& list) const {
        const std::size_t dot = path.find('.');
        const std::string part = path.substr(0, dot);
        const std::string name = part.substr(0, part.find('['));
        YAML::Node entry;
        for (const YAML::Node& item : list) {
            if (item["name"].as<std::string>() == name) {
                entry.reset(item);
            }
        }
        int bounds[3] = {0, entry["count"].as<int>(), 1};
        if (part.find('[') != std::string::npos) {
            const std::string inside = part.substr(name.size() + 1, part.size() - name.size() - 2);
            std::istringstream pieces(inside);
            std::string piece;
            for (int i = 0; std::getline(pieces, piece, ':'); ++i) {
                bounds[i] = piece.empty() ? bounds[i] : std::stoi(piece);
            }
            bounds[1] = inside.find(':') == std::string::npos ? bounds[0] + 1 : bounds[1];
        }
        std::vector<std::string> all;
        for (const std::string& prefix : prefixes) {
            for (int i = bounds[0]; i < bounds[1]; i += bounds[2]) {
                all.push_back(prefix + (prefix.empty() ? "" : ".") + name + "." +
                              std::to_string(i));
            }
        }
        const std::string inner = entry["device"] && entry["device"].IsScalar()
                                      ? entry["device"].as<std::string>()
                                      : name;
        return dot == std::string::npos
                   ? all
                   : names(path.substr(dot + 1), all, device(inner)["components"]);
    }
    void expand(const std::string& name, const std::string& prefix) {
        const YAML::Node definition = device(name);
        for (const YAML::Node& component : definition["components"]) {
            for (int i = 0; i < component["count"].as<int>(); ++i) {
                const std::string own = component["name"].as<std::string>();
                const std::string full = prefix + "." + own + "." + std::to_string(i);
                if (component["choice"].as<std::string>() == "device") {
                    expand(own, full);
                } else {
                    kinds[full] = component["choice"].as<std::string>();
                }
            }
        }
        for (const YAML::Node& edge : definition["edges"]) {
            std::vector<std::vector<std::string>> ends;
            for (const char* key : {"ep1", "ep2"}) {
                const YAML::Node end = edge[key];
                ends.push_back(names((end["device"] ? end["device"].as<std::string>() + "." : "") +
                                         end["component"].as<std::string>(),
                                     {prefix}, definition["components"]));
            }
            add(edge, ends);
        }
    }
    void add(const YAML::Node& edge, const std::vector<std::vector<std::string>>& ends) {
        const bool all = edge["scheme"] && edge["scheme"].as<std::string>() == "many2many";
        for (std::size_t a = 0; a < ends[0].size(); ++a) {
            for (std::size_t b = 0; b < ends[1].size(); ++b) {
                if ((all || a == b) && ends[0][a] != ends[1][b]) {
                    links[{ends[0][a], ends[1][b]}] = edge["link"].as<std::string>();
                }
            }
        }
    }
    bool take_away_ends() {
        std::map<std::string, int> degree = degrees();
        std::set<std::string> gone;
        for (const std::string& name : nodes) {
            if (kinds[name] != "xpu" && degree[name] < 2) {
                gone.insert(name);
            }
        }
        for (const std::string& name : gone) {
            nodes.erase(name);
        }
        for (auto link = links.begin(); link != links.end();) {
            const bool dead = gone.count(*link->first.begin()) + gone.count(*link->first.rbegin());
            link = dead ? links.erase(link) : std::next(link);
        }
        return !gone.empty();
    }

    YAML::Node file_;
};

/// What is said where the first `from` of infragraph_pair is `to`: at the first `at` in that text.
struct Refusal {
    const char* from;
    const char* to;
    const char* at;
    const char* message;
};

class InfraGraphFile : public ::testing::Test {
protected:
    [[nodiscard]] NetworkDescription read(const std::string& text,
                                          std::vector<std::string>* notes = nullptr) const {
        return read_network(folder_.write("infra.yaml", text).string(), GigaByte::Decimal, false,
                            notes);
    }
    /// What is said of the text in which the first `from` is `to`.
    [[nodiscard]] std::string error_with(std::string text, const std::string& from,
                                         const std::string& to) const {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        return test::message_of<InputError>([&] { return read(text); });
    }
    [[nodiscard]] std::string cluster_with(const std::string& from, const std::string& to) const {
        return error_with(test::infragraph_cluster, from, to);
    }
    [[nodiscard]] std::string pair_with(const std::string& from, const std::string& to) const {
        return error_with(test::infragraph_pair, from, to);
    }

    void expect(const Refusal& refusal) const {
        std::string text = test::infragraph_pair;
        text.replace(text.find(refusal.from), std::string(refusal.from).size(), refusal.to);
        const std::size_t at = text.find(refusal.at);
        ASSERT_NE(at, std::string::npos) << refusal.at;
        const auto line =
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        EXPECT_THAT(pair_with(refusal.from, refusal.to),
                    AllOf(HasSubstr("infra.yaml: line " + std::to_string(line + 1) + ", column " +
                                    std::to_string(at - begin + 1) + ", "),
                          HasSubstr(refusal.message)))
            << refusal.to;
    }

    test::TemporaryFolder folder_;
};

// 4 servers of 8 GPUs, 4 NVSwitches, 4 PCIe switches, 2 CPUs and 8 NICs of a slot and a port that
// is used (the other, the memories and the BMC are dead ends), 6 switches of an ASIC and 16 ports.
// Cables of a server: 8 x 4 NVLink, 8 + 8 PCIe from GPUs and NICs, 4 to CPUs, 1 between them, 8 on
// NICs; 16 in a switch; 32 + 32 between instances.
TEST_F(InfraGraphFile, NodesLinksAndRatesAreThoseOfAnIndependentReader) {
    std::vector<std::string> notes;
    const NetworkDescription network = read(test::infragraph_cluster, &notes);
    const Independent expected(YAML::Load(test::infragraph_cluster));
    EXPECT_EQ(network.graph.npus(), 32U);
    EXPECT_EQ(network.graph.nodes(), 4U * (8 + 4 + 4 + 2 + 16) + 6U * 17);
    EXPECT_EQ(network.graph.nodes(), expected.nodes.size());
    EXPECT_EQ(network.graph.links(), 2U * (4 * (32 + 16 + 4 + 1 + 8) + 6 * 16 + 64));
    EXPECT_EQ(network.graph.links(), 2 * expected.links.size());
    // GB/s and ns.
    const std::map<std::string, std::pair<double, double>> speeds{
        {"nvlink", {112.5, 100}}, {"pcie", {64, 500}}, {"fabric", {100, 500}},
        {"on-card", {50, 50}},    {"lanes", {50, 50}}, {"cable", {50, 300}}};
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const Link& link = network.graph.link(LinkId(i));
        const std::string& from = network.graph.name(link.from);
        const std::string& to = network.graph.name(link.to);
        EXPECT_TRUE(seen.emplace(from, to).second) << from << " " << to;
        const auto found = expected.links.find({from, to});
        ASSERT_NE(found, expected.links.end()) << from << " " << to;
        const auto [gb_s, ns] = speeds.at(found->second);
        EXPECT_EQ(static_cast<double>(link.rate.bytes_per_second()), gb_s * 1e9) << found->second;
        EXPECT_EQ(static_cast<double>(link.latency.ps()), ns * 1e3) << found->second;
    }
    for (std::size_t i = 0; i < network.graph.nodes(); ++i) {
        const std::string& name = network.graph.name(NodeId(i));
        EXPECT_EQ(i < 32, expected.kinds.at(name) == "xpu") << name;
        EXPECT_EQ(expected.nodes.count(name), 1U) << name;
    }
    EXPECT_THAT(notes, ElementsAre(HasSubstr("44 of 282 components are left out"),
                                   HasSubstr("2 links without latency: 500 ns in a device, 1 us")));
}

TEST_F(InfraGraphFile, NpusCountByInstanceIndexAndComponent) {
    const NetworkDescription network = read(test::infragraph_cluster);
    EXPECT_EQ(network.graph.name(NodeId(0)), "host.0.gpu.0");
    EXPECT_EQ(network.graph.name(NodeId(7)), "host.0.gpu.7");
    EXPECT_EQ(network.graph.name(NodeId(8)), "host.1.gpu.0");
    EXPECT_EQ(network.graph.name(NodeId(31)), "host.3.gpu.7");
}

TEST_F(InfraGraphFile, ServersAreATier) {
    const NetworkDescription network = read(test::infragraph_cluster);
    ASSERT_FALSE(network.tiers.empty());
    for (std::size_t npu = 0; npu < 32; ++npu) {
        EXPECT_EQ(network.tiers.front().block_of_npu[npu], static_cast<std::int32_t>(npu / 8));
    }
    folder_.write("infra.yaml", test::infragraph_cluster);
    const NetworkDescription logical = read_network(
        folder_.write("net.yml", "Custom: {file: infra.yaml, logical: [8, 4]}\n").string(),
        GigaByte::Decimal);
    EXPECT_EQ(logical.tiers.size(), 2U);
    EXPECT_EQ(logical.graph.links(), network.graph.links());
}

// From version 2.0 on, with annotations beside it; and the same in JSON.
TEST_F(InfraGraphFile, MayStandBelowInfrastructure) {
    std::vector<std::string> notes;
    const NetworkDescription network = read(test::infragraph_pair, &notes);
    EXPECT_EQ(nodes_of(network, 0, 1), (std::vector<int>{0, 2, 3, 1}));
    EXPECT_EQ(network.graph.links(), 6U);
    EXPECT_EQ(network.graph.link(LinkId(0)).rate, Rate(64'000'000'000));
    EXPECT_EQ(network.graph.link(LinkId(0)).latency, Time::ns(500));
    EXPECT_EQ(network.graph.link(LinkId(4)).rate, Rate(50'000'000'000));
    EXPECT_EQ(network.graph.link(LinkId(4)).latency, Time::ns(1000));
    EXPECT_THAT(notes, ElementsAre(HasSubstr("2 links without latency")));
    const NetworkDescription json = read(R"({"devices": [{"name": "d", "components": [
                {"name": "x", "count": 2, "choice": "xpu", "xpu": {}}], "links": [{"name": "l",
                "physical": {"bandwidth": {"choice": "gigabits_per_second",
                "gigabits_per_second": 12.5}, "latency": {"choice": "ms", "ms": 0.001}}}],
                "edges": [{"ep1": {"component": "x"}, "ep2": {"component": "x"},
                "scheme": "many2many", "link": "l"}]}],
                "instances": [{"name": "i", "device": "d", "count": 1}]})");
    EXPECT_EQ(json.graph.links(), 2U);
    EXPECT_EQ(json.graph.link(LinkId(1)).rate, Rate(1'562'500'000));
    EXPECT_EQ(json.graph.link(LinkId(1)).latency, Time::ns(1000));
}

// nic, 2, with port, 16, without brackets: the first two ports.
TEST_F(InfraGraphFile, OneToOneTakesTheFirstOfANameWithoutBrackets) {
    std::string text = test::infragraph_cluster;
    const std::string slice = "component: \"port[8:12]\"";
    text.replace(text.find(slice), slice.size(), "component: \"port[8]\"");
    const NetworkDescription network = read(text);
    std::set<std::string> names;
    for (std::size_t i = 0; i < network.graph.nodes(); ++i) {
        names.insert(network.graph.name(NodeId(i)));
    }
    EXPECT_EQ(names.count("spine.0.port.3"), 1U);
    EXPECT_EQ(names.count("spine.0.port.4"), 0U);
}

TEST_F(InfraGraphFile, LinksThatRoutesUseNeedABandwidth) {
    EXPECT_THAT(cluster_with("lanes, physical: {bandwidth: {gigabits_per_second: 400}, latency: "
                             "{ns: 50}}",
                             "lanes"),
                AllOf(HasSubstr("infra.yaml: line 50, column 9, devices[2].links[0]: found the "
                                "link 'lanes' without a bandwidth"),
                      HasSubstr("the edge at line 52, column 9, devices[2].edges[0]")));
    EXPECT_THAT(pair_with("{name: cable, physical: {bandwidth: {gigabits_per_second: 400}}}",
                          "{name: cable, physical: {latency: {us: 1}}}"),
                HasSubstr("line 7, column 11, infrastructure.links[0]: found the link 'cable' "
                          "without a bandwidth"));
    EXPECT_THAT(pair_with("physical: {bandwidth: {gigabytes_per_second: 64}}", "physical: {}"),
                HasSubstr("line 5, column 15, infrastructure.devices[0].links[0]: found the link "
                          "'pcie' without a bandwidth"));
}

TEST_F(InfraGraphFile, NamesThatAreUnknownOrGivenTwiceAreRefused) {
    const Refusal refusals[] = {
        {"ep1: {component: gpu}", "ep1: {component: gpi}", "gpi}",
         "the unknown component 'gpi' in 'gpi'; expected a component of the device side. Did you "
         "mean gpu?"},
        {"component: nic}", "component: nic.port}", "nic.port",
         "the unknown component 'port' in 'nic.port'; expected nothing behind"},
        {"link: pcie}]", "link: pci}]", "pci}", "the unknown link 'pci'"},
        {"link: cable\n", "link: pcie\n", "pcie\n", "the unknown link 'pcie'"},
        {"device: side", "device: site", "site",
         "the unknown device 'site'; expected the name of a device. Did you mean side?"},
        {"instance: \"host[1]\"", "instance: \"hots[1]\"", "\"hots[1]\"",
         "the unknown instance 'hots[1]'"},
        {"instances: [", "instances: [{name: host, device: side, count: 1}, ",
         "{name: host, device: side, count: 2}", "the instance 'host' a second time"},
        {"{name: nic, count: 1, choice: nic}",
         "{name: nic, count: 1, choice: nic}, {name: nic, count: 1, choice: nic}",
         "{name: nic, count: 1, choice: nic}]", "the component 'nic' a second time"},
        {"  links: [{name: cable", "  links: [{name: cable}, {name: cable",
         "{name: cable, physical", "the link 'cable' a second time"},
        {"  links: [{name: cable",
         "    - {name: side, components: [], links: [], edges: []}\n  links: [{name: cable",
         "{name: side, components", "the device 'side' a second time, first in line 3, column 7"},
        {"name: gpu", "name: gpu.0", "gpu.0", "a name without dots"},
        {"scheme: one2one, link", "scheme: one2one, scheme: one2one, link", "scheme: one2one, link",
         "'scheme' a second time"},
        {"choice: xpu", "choice: xpu, speed: 3", "speed", "the unknown key 'speed'"},
        {"annotations:", "annotation:", "annotation:", "the unknown key 'annotation'"},
    };
    for (const Refusal& refusal : refusals) {
        expect(refusal);
    }
}

TEST_F(InfraGraphFile, NumbersAndSlicesOutOfRangeAreRefused) {
    const Refusal refusals[] = {
        {"\"nic[0]\"", "\"nic[1]\"", "\"nic[1]\"",
         "index 1 in 'nic[1]'; expected 0 to 0, of 1 'nic'"},
        {"\"host[1]\"", "\"host[0:3]\"", "\"host[0:3]\"",
         "index 2 in 'host[0:3]'; expected 0 to 1, of 2 'host'"},
        {"\"host[1]\"", "\"host[1:1]\"", "\"host[1:1]\"", "no component in 'host[1:1]'"},
        {"\"host[1]\"", "\"host[::0]\"", "\"host[::0]\"", "no component in 'host[::0]'"},
        {"\"host[1]\"", "\"host[-1]\"", "\"host[-1]\"", "'host[-1]'; expected an index"},
        {"\"host[1]\"", "\"host[1\"", "\"host[1\"", "'host[1'; expected an index"},
        {"\"host[1]\"", "\"host[]\"", "\"host[]\"", "'host[]'; expected an index"},
        {"\"host[1]\"", "\"host[one]\"", "\"host[one]\"", "'host[one]'; expected an index"},
        {"\"host[1]\"", "\"host[0:1:1:1]\"", "\"host[0:1:1:1]\"", "expected an index"},
        {"count: 2", "count: -2", "-2", "'-2'; expected a number of instances"},
        {"count: 2", "count: 4000000", "4000000", "'4000000'; expected a number"},
        {"count: 2", "count: 1000000", "1000000", "more than 1048576 components"},
        {"gpu, count: 1", "gpu, count: -1", "-1", "'-1'; expected a number of components"},
        {"gpu, count: 1", "gpu, count: half", "half", "'half'"},
        {"instance: \"host[1]\"", "instance: \"host[0:2]\"", "ep1: {instance",
         "one2one between 1 and 2 components; expected as many on both sides"},
        {"gigabytes_per_second: 64", "gigabytes_per_second: fast", "fast", "'fast'"},
        {"gigabytes_per_second: 64", "gigabytes_per_second: 0", "0}}}", "'0GB/s'"},
        {"gigabytes_per_second: 64", "gigabytes_per_second: -1", "-1", "-1"},
        {"gigabytes_per_second: 64", "choice: gigabits_per_second, gigabytes_per_second: 64",
         "gigabits_per_second, giga", "'gigabits_per_second'; expected a number of"},
        {"gigabytes_per_second: 64", "gigabytes_per_second: 64, gigabits_per_second: 512",
         "64, gigabits", "a second unit"},
        {"gigabytes_per_second: 64", "gigatransfers_per_second: 32", "32}}",
         "gigatransfers_per_second, which say nothing of lanes"},
        {"{gigabits_per_second: 400}", "{gigabits_per_second: 400}, latency: {ns: -5}", "-5", "-5"},
    };
    for (const Refusal& refusal : refusals) {
        expect(refusal);
    }
}

TEST_F(InfraGraphFile, EdgesThatMeanNothingAreRefused) {
    const Refusal refusals[] = {
        {"      link: cable\n", "", "ep1: {instance", "the key 'link'"},
        {"      ep2: {instance: \"host[1]\", component: \"nic[0]\"}\n", "", "ep1: {instance",
         "the key 'ep2'"},
        {"scheme: one2one\n", "scheme: ring\n", "ring", "'ring', of which"},
        {"scheme: one2one\n", "scheme: all\n", "all\n", "'all'; expected one of"},
        {"instance: \"host[1]\", component: \"nic[0]\"", "instance: host, component: \"nic[0]\"",
         "ep1: {instance: \"", "one2one between 1 and 2"},
        {"instance: \"host[1]\", component: \"nic[0]\"", "instance: \"host[0:2]\", component: nic",
         "ep1: {instance: \"", "one2one between 1 and 2"},
        {"  edges:\n    -",
         "  edges:\n    - {ep1: {instance: host, component: gpu}, ep2: {instance: "
         "host, component: nic}, link: cable}\n    -",
         "{ep1: {instance: host,", "no scheme between 2 and 2 components"},
        {"  edges:\n    -",
         "  edges:\n    - {ep1: {instance: host, component: gpu}, ep2: {instance: "
         "host, component: nic}, scheme: one2one, link: cable}\n    -",
         "{ep1: {instance: host,", "a second link between two components, 'pcie' and 'cable'"},
        {"  edges:\n", "  connections:\n", "- ep1",
         "connections, of InfraGraph before version 0.6; expected edges, of versions 0.6 to 2.4"},
        {"choice: xpu", "type: xpu", "xpu},", "type, of InfraGraph before"},
        {"physical: {bandwidth: {gigabytes_per_second: 64}}", "bandwidth: {choice: a, a: 64}",
         "{choice: a", "bandwidth, of InfraGraph before"},
        {"choice: xpu", "choice: npu", "npu},", "Did you mean xpu?"},
        {"choice: xpu", "choice: nic", "devices:", "no NPU in all instances"},
        {"count: 2", "count: 0", "\"host[0]", "none: there is no 'host'"},
        {"link: cable\n", "link: cable\n    - 5\n", "5\n", "keys with values"},
        {"instances: [", "instances: 5 # [", "5 #", "a list"},
    };
    for (const Refusal& refusal : refusals) {
        expect(refusal);
    }
    const auto error_of = [&](const std::string& text) {
        return test::message_of<InputError>([&] { return read(text); });
    };
    EXPECT_THAT(error_of("infrastructure: {}\n"), HasSubstr("no NPU in all instances"));
    EXPECT_THAT(error_of("infrastructure:\n"), HasSubstr("keys with values"));
    EXPECT_THAT(error_of("devices: []\n"), HasSubstr("line 1, column 1: found no NPU"));
    EXPECT_THAT(error_of("devices: [\n"), HasSubstr("line 2, column 1"));
}

TEST_F(InfraGraphFile, DevicesInsideThemselvesAreRefused) {
    EXPECT_THAT(
        pair_with("{name: nic, count: 1, choice: nic}", "{name: side, count: 1, choice: device}"),
        HasSubstr("line 3, column 7, infrastructure.devices[0]: found the device 'side' "
                  "inside itself"));
    EXPECT_THAT(cluster_with("{name: slot, count: 1, choice: custom, custom: {type: pcie}}",
                             "{name: server, count: 1, choice: device}"),
                HasSubstr("found the device 'server' inside itself"));
    EXPECT_THAT(cluster_with("{name: nic, count: 8, choice: device}",
                             "{name: card, count: 8, choice: device}"),
                HasSubstr("line 11, column 16, devices[0].components[5].name: found the unknown "
                          "device 'card'"));
    EXPECT_THAT(cluster_with("nic[1::2].slot", "nic[1::2]"),
                HasSubstr("the device 'nic' as an endpoint in 'nic[1::2]'"));
}

TEST_F(InfraGraphFile, NpusWithoutARouteAreRefused) {
    EXPECT_THAT(pair_with("instance: \"host[1]\"", "instance: \"host[0]\""),
                HasSubstr("line 10, column 5, infrastructure.edges: found no route from "
                          "host.0.gpu.0 to host.1.gpu.0"));
}

// Counts whose product is out of range, and devices inside each other, each of two of the next.
TEST_F(InfraGraphFile, LargeFilesAreRefusedBeforeTheyAreBuilt) {
    std::string devices = "devices:\n";
    for (int i = 0; i < 40; ++i) {
        devices += "  - {name: d" + std::to_string(i) + ", components: [{name: d" +
                   std::to_string(i + 1) + ", count: 2, choice: device}]}\n";
    }
    const std::string end = "instances: [{name: i, device: d0, count: 1}]\n";
    EXPECT_THAT(test::message_of<InputError>([&] {
                    return read(devices +
                                "  - {name: d40, components: [{name: x, count: 2, "
                                "choice: xpu}]}\n" +
                                end);
                }),
                HasSubstr("more than 1048576 components"));
    // Nothing inside: no nodes, and soon done.
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { return read(devices + "  - {name: d40, components: []}\n" + end); }),
                HasSubstr("no NPU"));
    EXPECT_THAT(
        test::message_of<InputError>([&] {
            return read(
                "devices: [{name: d, components: [{name: x, count: 9000, choice: "
                "xpu}], links: [{name: l}], edges: [{ep1: {component: x}, ep2: "
                "{component: x}, scheme: many2many, link: l}]}]\n"
                "instances: [{name: i, device: d, count: 1}]\n");
        }),
        HasSubstr("line 1, column 100, devices[0].edges[0]: found more than 2097152 edges"));
}

}  // namespace infragraph_file
}  // namespace npunet::topology
