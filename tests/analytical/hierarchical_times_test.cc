// Collectives along the tiers of a network, in closed form: times to the picosecond, and the bytes
// of every NPU, tier and link.
//
// Tier k joins n_k of what the tiers inside it have made; a message between two of them takes L_k
// until its head is there, and T_k(b) = ceil(b / rate) on the slowest link of its route. With one
// chunk a collective is its phases one after the other (Cho et al., "BlueConnect: decomposing
// all-reduce for deep learning on heterogeneous network hierarchy", 2019), over buffers of
// S / (n_0 ... n_(k-1)) in tier k:
//     all-reduce      reduce-scatters of tiers 0, 1, ..., an all-reduce in the last tier, and
//                     all-gathers back
//     all-gather      of every member's b bytes: from the last tier to tier 0, results of
//                     b n_k n_(k+1) ...
//     reduce-scatter  of tiers 0, 1, ...
//     all-to-all      of all S bytes in each tier: data for other blocks goes by the NPU of the
//                     block that faces its destination
//     broadcast       scatters of tiers 0, 1, ..., a broadcast in the last one, all-gathers back;
//     reduce          reduce-scatters, a reduce, gathers back (van de Geijn, "On global combine
//                     operations", 1994)
// A phase of buffer B takes (Thakur, Rabenseifner, Gropp, "Optimization of collective communication
// operations in MPICH", 2005; Bruck et al., 1997, for the all-to-all in log2 n rounds)
//     ring     (n-1) (L + T(B/n)); all-to-all: L + T(i B/n) for i = n-1, ..., 1
//     direct   (n-1) T(B/n) + L through one port, T(B/n) + L with a link for every pair
//     halving  L + T(B/2^i) for i = 1, ..., log2 n; all-to-all: log2 n times L + T(B/2)
// and an all-reduce twice that.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/collectives.h"
#include "topology/yaml/network_reader.h"

namespace npunet::hierarchical_times_test {
namespace {

using engine::CollectiveKind;
using topology::Graph;
using topology::Link;
using topology::NodeKind;

struct TierSpec {
    std::int64_t n;
    Rate rate;  ///< of the slowest link of its routes
    Time latency;
    bool link_per_pair = false;
};

/// Links that carry what the messages of some tiers bring, each message `crossings` times.
struct LinkClass {
    std::vector<std::size_t> tiers;
    std::int64_t crossings;
};

struct Machine {
    const char* name;
    std::string network;
    std::vector<TierSpec> tiers;
    std::vector<LinkClass> classes;
    std::function<std::size_t(const Graph&, const Link&)> class_of;
    std::vector<std::vector<std::string>> algorithms;  ///< one list for each run
};

Rate gigabytes(std::int64_t rate) {
    return Rate(rate * 1'000'000'000);
}

bool touches(const Graph& graph, const Link& link, const std::string& text) {
    return graph.name(link.from).find(text) != std::string::npos ||
           graph.name(link.to).find(text) != std::string::npos;
}

bool joins_npus(const Graph& graph, const Link& link) {
    return graph.kind(link.from) == NodeKind::Npu && graph.kind(link.to) == NodeKind::Npu;
}

bool ends_at_npu(const Graph& graph, const Link& link) {
    return graph.kind(link.from) == NodeKind::Npu || graph.kind(link.to) == NodeKind::Npu;
}

std::size_t by_server(const Graph& graph, const Link& link) {
    return joins_npus(graph, link) || touches(graph, link, "server") ? 0 : 1;
}

std::string rail(int servers, int npus, const char* kind) {
    std::ostringstream text;
    text << "Rail: {servers: " << servers << ", npus_per_server: " << npus
         << ", scale_up: {kind: " << kind << ", bandwidth: 450, latency: 150}, "
         << "scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 700}}\n";
    return text.str();
}

/// NPUs in pairs with a link of their own, two pairs at a switch, two switches at a core.
const char* const pairs_of_pairs =
    "Custom:\n"
    "  nodes:\n"
    "    - {name: g0, kind: npu}\n    - {name: g1, kind: npu}\n    - {name: g2, kind: npu}\n"
    "    - {name: g3, kind: npu}\n    - {name: g4, kind: npu}\n    - {name: g5, kind: npu}\n"
    "    - {name: g6, kind: npu}\n    - {name: g7, kind: npu}\n"
    "    - {name: s0, kind: switch}\n    - {name: s1, kind: switch}\n"
    "    - {name: core, kind: switch}\n"
    "  links:\n"
    "    - {from: g0, to: g1, bandwidth: 400, latency: 50}\n"
    "    - {from: g2, to: g3, bandwidth: 400, latency: 50}\n"
    "    - {from: g4, to: g5, bandwidth: 400, latency: 50}\n"
    "    - {from: g6, to: g7, bandwidth: 400, latency: 50}\n"
    "    - {from: g0, to: s0, bandwidth: 100, latency: 300}\n"
    "    - {from: g1, to: s0, bandwidth: 100, latency: 300}\n"
    "    - {from: g2, to: s0, bandwidth: 100, latency: 300}\n"
    "    - {from: g3, to: s0, bandwidth: 100, latency: 300}\n"
    "    - {from: g4, to: s1, bandwidth: 100, latency: 300}\n"
    "    - {from: g5, to: s1, bandwidth: 100, latency: 300}\n"
    "    - {from: g6, to: s1, bandwidth: 100, latency: 300}\n"
    "    - {from: g7, to: s1, bandwidth: 100, latency: 300}\n"
    "    - {from: s0, to: core, bandwidth: 25, latency: 900}\n"
    "    - {from: s1, to: core, bandwidth: 25, latency: 900}\n"
    "  tiers: [{name: pair, size: 2}, {name: site, size: 4}]\n";

std::vector<Machine> machines() {
    return {
        {"Rail with switches",
         rail(4, 8, "switch"),
         {{8, gigabytes(450), Time::ns(300)}, {4, gigabytes(50), Time::ns(1400)}},
         {{{0}, 2}, {{1}, 2}},
         by_server,
         {{"ring"}, {"direct"}, {"halvingDoubling"}, {"direct", "ring"}, {"ring", "direct"}}},
        {"Rail without switches in its servers",
         rail(3, 5, "fully-connected"),
         {{5, gigabytes(450), Time::ns(150), true}, {3, gigabytes(50), Time::ns(1400)}},
         {{{0}, 1}, {{1}, 2}},
         by_server,
         {{"ring"}, {"direct"}, {"ring", "direct"}}},
        {"FatTree of three levels",
         "FatTree: {levels: 3, radix: 8, npus: 128, bandwidth: [50, 100, 100], "
         "latency: [500, 600, 1us]}\n",
         {{4, gigabytes(50), Time::ns(1000)},
          {4, gigabytes(50), Time::ns(2200)},
          {8, gigabytes(50), Time::ns(4200)}},
         {{{0, 1, 2}, 2}, {{1, 2}, 2}, {{2}, 2}},
         [](const Graph& graph, const Link& link) -> std::size_t {
             return ends_at_npu(graph, link) ? 0 : touches(graph, link, "leaf") ? 1 : 2;
         },
         {{"ring"}, {"direct"}, {"halvingDoubling"}, {"direct", "ring", "halvingDoubling"}}},
        {"product of three dimensions",
         "topology: [FullyConnected, Ring, Switch]\nnpus_count: [4, 3, 8]\n"
         "bandwidth: [200, 100, 25]\nlatency: [50, 100, 500]\n",
         {{4, gigabytes(200), Time::ns(50), true},
          {3, gigabytes(100), Time::ns(100), true},
          {8, gigabytes(25), Time::ns(1000)}},
         {{{0}, 1}, {{1}, 1}, {{2}, 2}},
         [](const Graph&, const Link& link) { return static_cast<std::size_t>(link.dimension); },
         {{"ring"}, {"direct"}, {"halvingDoubling", "ring", "direct"}}},
        {"Custom with tiers",
         pairs_of_pairs,
         {{2, gigabytes(400), Time::ns(50), true},
          {2, gigabytes(100), Time::ns(600)},
          {2, gigabytes(25), Time::ns(2400)}},
         {{{0}, 1}, {{1, 2}, 2}, {{2}, 2}},
         [](const Graph& graph, const Link& link) -> std::size_t {
             return joins_npus(graph, link) ? 0 : ends_at_npu(graph, link) ? 1 : 2;
         },
         {{"ring"}, {"direct"}, {"halvingDoubling"}, {"ring", "direct", "halvingDoubling"}}},
    };
}

/// What a phase takes, and what each member sends in it.
struct Cost {
    Time time;
    std::int64_t bytes = 0;
};

struct Phase {
    std::size_t tier;
    CollectiveKind kind;
    std::int64_t buffer;
};

Cost cost_of(const std::string& algorithm, CollectiveKind kind, const TierSpec& tier,
             std::int64_t buffer) {
    const auto step = [&](std::int64_t bytes) {
        return tier.latency + transfer_time(Bytes(bytes), tier.rate);
    };
    const std::int64_t part = buffer / tier.n;
    if (kind == CollectiveKind::AllReduce) {
        const Cost once = cost_of(algorithm, CollectiveKind::AllGather, tier, buffer);
        return {2 * once.time, 2 * once.bytes};
    }
    const bool exchanges = kind == CollectiveKind::AllToAll;
    Cost cost;
    if (algorithm == "direct") {
        const std::int64_t in_turn = tier.link_per_pair ? 1 : tier.n - 1;
        cost.time = tier.latency + in_turn * transfer_time(Bytes(part), tier.rate);
        cost.bytes = (tier.n - 1) * part;
    } else if (algorithm == "ring") {
        for (std::int64_t blocks = tier.n - 1; blocks > 0; --blocks) {
            cost.time += step((exchanges ? blocks : 1) * part);
            cost.bytes += (exchanges ? blocks : 1) * part;
        }
    } else {
        EXPECT_EQ(algorithm, "halvingDoubling");
        for (std::int64_t round = 2; round <= tier.n; round *= 2) {
            cost.time += step(buffer / (exchanges ? 2 : round));
            cost.bytes += buffer / (exchanges ? 2 : round);
        }
    }
    return cost;
}

/// `size` as in a trace: of an all-gather what each member has.
std::vector<Phase> phases_of(CollectiveKind kind, const std::vector<TierSpec>& tiers,
                             std::int64_t size) {
    std::vector<Phase> phases;
    if (kind == CollectiveKind::AllGather) {
        for (std::size_t tier = tiers.size(); tier-- > 0;) {
            size *= tiers[tier].n;
            phases.push_back({tier, kind, size});
        }
        return phases;
    }
    for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
        const bool scatters = kind == CollectiveKind::AllReduce && tier + 1 < tiers.size();
        phases.push_back({tier, scatters ? CollectiveKind::ReduceScatter : kind, size});
        size /= kind == CollectiveKind::AllToAll ? 1 : tiers[tier].n;
    }
    for (std::size_t i = tiers.size() - 1; kind == CollectiveKind::AllReduce && i-- > 0;) {
        phases.push_back({i, CollectiveKind::AllGather, phases[i].buffer});
    }
    return phases;
}

test::TestMachine machine_of(const Machine& machine, CollectiveKind kind,
                             const std::vector<std::string>& algorithms) {
    test::TestMachine result;
    result.network = topology::parse_network(machine.network, "network.yml");
    result.system.implementations(kind).clear();
    for (const std::string& name : algorithms) {
        result.system.implementations(kind).push_back(test::implementation(name));
    }
    result.system.preferred_dataset_splits = result.system.active_chunks_per_dimension = 1;
    return result;
}

/// Conservation at every NPU, and what each class of links carries, in all and at each NPU.
void expect_bytes(const Machine& machine, const Graph& graph, const engine::Results& results,
                  const std::vector<std::int64_t>& sent_in_tier) {
    const auto npus = static_cast<std::int64_t>(graph.npus());
    std::int64_t sent = 0;
    for (const std::int64_t bytes : sent_in_tier) {
        sent += bytes;
    }
    std::vector<std::int64_t> carried(machine.classes.size());
    std::vector<std::map<std::int64_t, std::int64_t>> loads(machine.classes.size());
    std::map<std::int32_t, std::int64_t> leaves;
    std::map<std::int32_t, std::int64_t> reaches;
    ASSERT_EQ(results.links.size(), graph.links());
    for (std::size_t id = 0; id < graph.links(); ++id) {
        const Link& link = graph.link(LinkId(id));
        const std::int64_t payload = results.links[id].payload.value();
        const std::size_t number = machine.class_of(graph, link);
        carried[number] += payload;
        leaves[link.from.value()] += payload;
        reaches[link.to.value()] += payload;
        if (ends_at_npu(graph, link) && payload > 0) {
            ++loads[number][payload];
        }
    }
    for (std::int32_t npu = 0; npu < npus; ++npu) {
        EXPECT_EQ(leaves[npu], sent) << npu;
        EXPECT_EQ(reaches[npu], sent) << npu;
    }
    for (std::size_t number = 0; number < carried.size(); ++number) {
        std::int64_t expected = 0;
        for (const std::size_t tier : machine.classes[number].tiers) {
            expected += npus * machine.classes[number].crossings * sent_in_tier[tier];
        }
        EXPECT_EQ(carried[number], expected) << "links of class " << number;
        // Halving loads the links between its pairs by its rounds; else all that are used alike.
        if (!loads[number].empty() && machine.classes[number].crossings == 2) {
            EXPECT_EQ(loads[number].size(), 1U) << "links of class " << number;
            EXPECT_EQ(loads[number].begin()->first, expected / (2 * npus));
        }
    }
}

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : "+") + name;
    }
    return text;
}

TEST(HierarchicalTimes, SymmetricCollectives) {
    const std::map<CollectiveKind, chakra::CollectiveType> types = {
        {CollectiveKind::AllReduce, chakra::CollectiveType::AllReduce},
        {CollectiveKind::AllGather, chakra::CollectiveType::AllGather},
        {CollectiveKind::ReduceScatter, chakra::CollectiveType::ReduceScatter},
        {CollectiveKind::AllToAll, chakra::CollectiveType::AllToAll}};
    for (const Machine& spec : machines()) {
        for (const std::vector<std::string>& algorithms : spec.algorithms) {
            for (const auto& [kind, type] : types) {
                for (const std::int64_t part : {4, 4'100, 1'000'012}) {
                    SCOPED_TRACE(std::string(spec.name) + ", " + list_of(algorithms) + ", " +
                                 engine::name_of(kind) + ", " + std::to_string(part));
                    const test::TestMachine machine = machine_of(spec, kind, algorithms);
                    const Graph& graph = machine.network.graph;
                    const std::int64_t size =
                        part * (kind == CollectiveKind::AllGather
                                    ? 1
                                    : static_cast<std::int64_t>(graph.npus()));
                    Time time;
                    std::vector<std::int64_t> sent(spec.tiers.size());
                    for (const Phase& phase : phases_of(kind, spec.tiers, size)) {
                        const std::string& algorithm =
                            algorithms[algorithms.size() == 1 ? 0 : phase.tier];
                        const Cost cost =
                            cost_of(algorithm, phase.kind, spec.tiers[phase.tier], phase.buffer);
                        time += cost.time;
                        sent[phase.tier] += cost.bytes;
                    }
                    const engine::Results results = test::collective_run(type, size, machine);
                    EXPECT_EQ(results.finish.ps(), time.ps());
                    expect_bytes(spec, graph, results, sent);
                }
            }
        }
    }
}

/// "direct+binomialTree" by tier.
std::vector<std::string> names_in(const std::string& algorithm) {
    std::vector<std::string> names;
    std::stringstream text(algorithm);
    for (std::string name; std::getline(text, name, '+');) {
        names.push_back(name);
    }
    return names;
}

// Broadcast and reduce along the tiers are chosen, not named. The NPUs of the root's server get
// their parts of S / n_0 and pass them on over their rails at once:
//     scatter, gather     direct    (n-1) T(B/n) + L
//     broadcast, reduce   binomial  log2 n (L + T(B)); direct (n-1) T(B) + L; chain (n-1) (L +
//     T(B))
// Every NPU but the root receives S at a broadcast: its part over its rail, the rest in its server
// (those of the root's server: all of it there).
TEST(HierarchicalTimes, BroadcastAndReduceOverRails) {
    for (const auto& [kind, type] :
         {std::pair{CollectiveKind::Broadcast, chakra::CollectiveType::Broadcast},
          std::pair{CollectiveKind::Reduce, chakra::CollectiveType::Reduce}}) {
        for (const std::int64_t root : {0, 13}) {
            for (const std::int64_t part : {50'003, 100'003}) {
                SCOPED_TRACE(std::string(engine::name_of(kind)) + ", " + std::to_string(part));
                const Machine spec = machines().front();
                const TierSpec& inside = spec.tiers[0];
                const TierSpec& outside = spec.tiers[1];
                const test::TestMachine machine = machine_of(spec, kind, {});
                const std::int64_t size = inside.n * part;
                const engine::Results results = test::collective_run(type, size, machine, root);
                const std::string algorithm = results.collectives.at(0).algorithm;
                const std::vector<std::string> names = names_in(algorithm);
                ASSERT_EQ(names.size(), 2U) << algorithm;
                const Time whole = transfer_time(Bytes(part), outside.rate);
                const std::map<std::string, Time> over_rails = {
                    {"binomialTree", 2 * (outside.latency + whole)},
                    {"direct", outside.latency + (outside.n - 1) * whole},
                    {"ring", (outside.n - 1) * (outside.latency + whole)}};
                const Time from_root =
                    cost_of("direct", CollectiveKind::AllGather, inside, size).time;
                const Time all = cost_of(names[0], CollectiveKind::AllGather, inside, size).time;
                EXPECT_EQ(results.finish.ps(), (from_root + over_rails.at(names[1]) + all).ps())
                    << algorithm;
                const Graph& graph = machine.network.graph;
                std::int64_t rails = 0;
                for (std::size_t id = 0; id < graph.links(); ++id) {
                    const Link& link = graph.link(LinkId(id));
                    const bool up = graph.kind(link.from) == NodeKind::Npu;
                    rails += spec.class_of(graph, link) == 1 && up
                                 ? results.links[id].payload.value()
                                 : 0;
                }
                EXPECT_EQ(rails, (outside.n - 1) * size) << algorithm;
            }
        }
    }
}

}  // namespace
}  // namespace npunet::hierarchical_times_test
