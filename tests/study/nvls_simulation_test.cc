// Collectives by NVLS on networks whose switches reduce and multicast: times of idle networks
// against the closed forms, bytes of every link and direction, limits of the switches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/errors.h"
#include "engine/collective_algorithms/lower_bound.h"
#include "library_machines.h"
#include "report/results/flow_csv.h"
#include "study/gap.h"
#include "study/jobs.h"
#include "tests/support/collectives.h"
#include "tests/support/temporary_folder.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::nvls_simulation_test {
namespace {

using engine::CollectiveKind;
using engine::LibraryAlgorithm;
using testing::HasSubstr;

constexpr std::int64_t mib = 1 << 20;
const std::vector<Fidelity> simulated{Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet};

Machine nvls_machine(Machine machine, LibraryAlgorithm algorithm = LibraryAlgorithm::Nvls) {
    machine.system.library = library_of("h100", {{algorithm}, {}});
    return machine;
}

Machine eight() {
    return reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50)));
}

// An NVLink switch as fast as the library takes it to be: the endpoints decide at every fidelity.
TEST(NvlsSimulation, IdleNetworksTakeTheClosedForm) {
    for (const CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter}) {
        for (const std::int64_t bytes : {2 * mib, 8 * mib, 32 * mib}) {
            const std::int64_t parts = kind == CollectiveKind::AllGather ? 8 : 1;
            const Machine machine = nvls_machine(eight());
            const engine::Results expected =
                run_on(machine, kind, bytes / parts, Fidelity::Analytical);
            for (const Fidelity fidelity : simulated) {
                const engine::Results results = run_on(machine, kind, bytes / parts, fidelity);
                EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                            static_cast<double>(expected.finish.ps()),
                            0.02 * static_cast<double>(expected.finish.ps()))
                    << engine::name_of(kind) << ' ' << bytes << ' ' << name_of(fidelity);
                EXPECT_EQ(results.collectives.at(0).algorithm,
                          expected.collectives.at(0).algorithm);
            }
        }
    }
}

TEST(NvlsSimulation, TreesOfHeadsTakeTheClosedForm) {
    for (const auto& [per_node, nodes] : {std::pair(8, 2), std::pair(4, 4)}) {
        for (const std::int64_t bytes : {2 * mib, 16 * mib}) {
            const Machine machine =
                nvls_machine(reducing(nodes_of(per_node, nodes)), LibraryAlgorithm::NvlsTree);
            const engine::Results expected =
                run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::Analytical);
            for (const Fidelity fidelity : simulated) {
                const engine::Results results =
                    run_on(machine, CollectiveKind::AllReduce, bytes, fidelity);
                EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                            static_cast<double>(expected.finish.ps()),
                            0.02 * static_cast<double>(expected.finish.ps()))
                    << per_node << " x " << nodes << ' ' << bytes << ' ' << name_of(fidelity);
                EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("NVLSTree Simple"));
            }
        }
    }
}

struct Flow {
    CollectiveKind kind;
    std::int64_t out;  ///< of a GPU, in parts of the data of a head
    std::int64_t in;
};

// Of S bytes among n GPUs, S / n a head. All-reduce: S (n + 1) / n in each direction: answers to
// every head, and the own sum written; the own sum, and all sums. Reduce-scatter: S out, S / n in;
// all-gather the opposite.
TEST(NvlsSimulation, BytesOfEveryLinkAndDirection) {
    const std::int64_t head = 16 * 50'000;  // in equal parts for every channel
    for (const Flow flow :
         {Flow{CollectiveKind::AllReduce, 9, 9}, Flow{CollectiveKind::ReduceScatter, 8, 1},
          Flow{CollectiveKind::AllGather, 1, 8}}) {
        for (const Fidelity fidelity : simulated) {
            const Machine machine = nvls_machine(eight());
            const std::int64_t size = flow.kind == CollectiveKind::AllGather ? head : 8 * head;
            const engine::Results results = run_on(machine, flow.kind, size, fidelity);
            const topology::Graph& graph = machine.network.graph;
            for (std::size_t i = 0; i < graph.links(); ++i) {
                const bool out = graph.kind(graph.link(LinkId(i)).from) == topology::NodeKind::Npu;
                EXPECT_EQ(results.links[i].payload.value(), head * (out ? flow.out : flow.in))
                    << engine::name_of(flow.kind) << ' ' << results.links[i].from << " -> "
                    << results.links[i].to << ' ' << name_of(fidelity);
            }
        }
    }
}

// Two nodes of 8: inside as with one node; the NICs of a node send and receive S. Four: 2 S, but
// for roots and leaves of both trees: what 16 channels in two trees make of it, NIC by NIC in sum.
TEST(NvlsSimulation, BytesOfTheTreesBetweenNodes) {
    for (const auto& [nodes, copies] : {std::pair(2, 2), std::pair(4, 6)}) {
        const std::int64_t bytes = std::int64_t{8} * 16 * 40'000;
        const Machine machine =
            nvls_machine(reducing(nodes_of(8, nodes)), LibraryAlgorithm::NvlsTree);
        const engine::Results results =
            run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::CongestionAware);
        const topology::Graph& graph = machine.network.graph;
        std::int64_t out_of_nodes = 0;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const topology::Link& link = graph.link(LinkId(i));
            const bool out = graph.kind(link.from) == topology::NodeKind::Npu;
            if (link.dimension == 0) {
                EXPECT_EQ(results.links[i].payload.value(), bytes / 8 * 9)
                    << results.links[i].from << " -> " << results.links[i].to;
            } else if (out) {
                out_of_nodes += results.links[i].payload.value();
            }
        }
        // Up and down each of the N - 1 connections of a tree.
        EXPECT_EQ(out_of_nodes, copies * bytes) << nodes;
    }
}

// A member that comes late holds back every sum, and nothing else: all end as much later.
TEST(NvlsSimulation, ALateMemberHoldsBackTheSums) {
    const Machine machine = nvls_machine(eight());
    const Time alone = run_on(machine, CollectiveKind::AllReduce, 8 * mib, Fidelity::Packet).finish;
    const engine::Results results = simulate(
        test::workload_of(8,
                          [](Rank rank) {
                              std::vector<chakra::Node> nodes;
                              std::vector<std::uint64_t> after;
                              if (rank == Rank(3)) {
                                  nodes.push_back(test::compute_node(1, 500));
                                  after.push_back(1);
                              }
                              nodes.push_back(test::collective_node(
                                  2, chakra::CollectiveType::AllReduce, 8 * mib, "", after));
                              return nodes;
                          }),
        machine, Fidelity::Packet, {});
    EXPECT_EQ(results.finish, Time::ns(500'000) + alone);
}

// One reduction at a time: requests wait at the switch, nothing is lost, and it takes longer.
TEST(NvlsSimulation, AFullSwitchHoldsRequestsBack) {
    topology::ReducingSwitch limits;
    limits.entries = 1;
    limits.latency = Time::ns(1000);
    const Machine few =
        nvls_machine(reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50)), 0, limits));
    const engine::Results results = run_on(few, CollectiveKind::AllReduce, mib, Fidelity::Fluid);
    // 64 units of 16 KiB, one after the other, each with 1 us of latency in the switch.
    EXPECT_GT(results.finish, Time::ns(64'000));
    EXPECT_GT(
        results.finish,
        run_on(nvls_machine(eight()), CollectiveKind::AllReduce, mib, Fidelity::Fluid).finish);
    for (std::size_t i = 0; i < results.links.size(); ++i) {
        EXPECT_EQ(results.links[i].payload.value(), mib / 8 * 9);
    }
}

// 4 bytes are 1 for each of four heads and nothing for the others, which end all the same.
TEST(NvlsSimulation, HeadsWithoutBytesEnd) {
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter}) {
        for (const Fidelity fidelity : simulated) {
            const engine::Results results = run_on(nvls_machine(eight()), kind, 4, fidelity);
            EXPECT_GT(results.finish, Time()) << engine::name_of(kind) << ' ' << name_of(fidelity);
            EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("NVLS Simple"));
        }
    }
}

// Results are the same in whatever order events of one instant were inserted, also where requests
// wait at the switch and where two communicators want its entry at the same time.
TEST(NvlsSimulation, OrderOfInsertionDoesNotCount) {
    topology::ReducingSwitch limits;
    limits.entries = 1;
    const Machine machine =
        nvls_machine(reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50)), 0, limits));
    const std::vector<engine::Group> groups{
        {"low", {Rank(0), Rank(1), Rank(2), Rank(3), Rank(4)}},
        {"high", {Rank(3), Rank(4), Rank(5), Rank(6), Rank(7)}}};
    const engine::Workload workload = test::workload_of(
        8,
        [](Rank rank) {
            std::vector<chakra::Node> nodes;
            if (rank.value() <= 4) {
                nodes.push_back(
                    test::collective_node(1, chakra::CollectiveType::AllReduce, mib / 4, "low"));
            }
            if (rank.value() >= 3) {
                nodes.push_back(
                    test::collective_node(2, chakra::CollectiveType::AllReduce, mib / 4, "high"));
            }
            return nodes;
        },
        groups);
    for (const Fidelity fidelity : simulated) {
        const auto ends = [&](std::optional<std::uint64_t> seed) {
            RunOptions options;
            options.shuffle_seed = seed;
            std::vector<Time> list;
            const engine::Results results = simulate(workload, machine, fidelity, options);
            for (const engine::CollectiveResult& collective : results.collectives) {
                EXPECT_THAT(collective.algorithm, HasSubstr("NVLS Simple"));
                list.push_back(collective.end);
            }
            list.push_back(results.finish);
            return list;
        };
        const std::vector<Time> expected = ends(std::nullopt);
        EXPECT_EQ(expected.size(), 3U);
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            EXPECT_EQ(ends(seed), expected) << name_of(fidelity) << ' ' << seed;
        }
    }
}

// A sum of U bytes holds its entry until it has left: of R requests after each other, every one
// takes the answers into the switch and the sum out of it.
TEST(NvlsSimulation, EntriesAreHeldUntilSumsHaveLeft) {
    topology::ReducingSwitch limits;
    limits.entries = 1;
    limits.latency = Time::ns(1000);
    // 16 KiB take 16.384 us at 1 GB/s.
    const Machine slow =
        nvls_machine(reducing(switch_of(8, Rate(1'000'000'000), Time::ns(50)), 0, limits));
    for (const Fidelity fidelity : simulated) {
        const engine::Results results = run_on(slow, CollectiveKind::ReduceScatter, mib, fidelity);
        EXPECT_GT(results.finish, Time::ns(std::int64_t{64} * (16'384 + 16'384 + 1000)))
            << name_of(fidelity);
    }
}

// A switch that makes 100 GB/s of sums: each byte of an all-reduce or a reduce-scatter is a byte of
// a sum, so that S bytes take S / 100 GB/s at least. The closed form counts it; all-gathers have no
// sums.
TEST(NvlsSimulation, SumsTakeTheTimeOfTheSwitch) {
    topology::ReducingSwitch limits;
    limits.rate = Rate(100'000'000'000);
    const Machine slow =
        nvls_machine(reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50)), 0, limits));
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter}) {
        for (const std::int64_t bytes : {8 * mib, 32 * mib}) {
            const Time closed = run_on(slow, kind, bytes, Fidelity::Analytical).finish;
            for (const Fidelity fidelity : simulated) {
                const Time finish = run_on(slow, kind, bytes, fidelity).finish;
                EXPECT_GT(finish, transfer_time(Bytes(bytes), limits.rate));
                EXPECT_NEAR(static_cast<double>(finish.ps()), static_cast<double>(closed.ps()),
                            0.02 * static_cast<double>(closed.ps()))
                    << engine::name_of(kind) << ' ' << bytes << ' ' << name_of(fidelity);
            }
        }
    }
    EXPECT_EQ(
        run_on(slow, CollectiveKind::AllGather, mib, Fidelity::Packet).finish,
        run_on(nvls_machine(eight()), CollectiveKind::AllGather, mib, Fidelity::Packet).finish);
}

// A sum has as many parts as there are members.
TEST(NvlsSimulation, TheRadixBoundsTheMembers) {
    const auto algorithm = [](std::int32_t radix, Fidelity fidelity) {
        topology::ReducingSwitch limits;
        limits.radix = radix;
        return run_on(nvls_machine(
                          reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50)), 0, limits)),
                      CollectiveKind::AllReduce, mib, fidelity)
            .collectives.at(0)
            .algorithm;
    };
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid}) {
        EXPECT_THAT(algorithm(8, fidelity), HasSubstr("NVLS Simple"));
        EXPECT_THAT(algorithm(7, fidelity), HasSubstr("(its tuner: NVLS)"));
    }
}

// Groups go to communicators in their order, once to equal ones, and none to those without a
// collective; who has none keeps to the ring, at every fidelity.
TEST(NvlsSimulation, GroupsGoToTheFirstCommunicators) {
    topology::ReducingSwitch limits;
    const std::vector<engine::Group> groups{
        {"idle", {Rank(0), Rank(1), Rank(2), Rank(3), Rank(4), Rank(5)}},
        {"low", {Rank(0), Rank(1), Rank(2), Rank(3)}},
        {"again", {Rank(0), Rank(1), Rank(2), Rank(3)}},
        {"high", {Rank(4), Rank(5), Rank(6), Rank(7)}}};
    const engine::Workload workload = test::workload_of(
        8,
        [](Rank rank) {
            const char* const own = rank.value() < 4 ? "low" : "high";
            const auto all_reduce = chakra::CollectiveType::AllReduce;
            std::vector<chakra::Node> nodes{test::collective_node(1, all_reduce, mib, own)};
            if (rank.value() < 4) {
                nodes.push_back(test::collective_node(2, all_reduce, mib, "again"));
            }
            return nodes;
        },
        groups);
    for (const auto& [most, with_group] : {std::pair(0, 0), std::pair(1, 2), std::pair(2, 3)}) {
        limits.groups = most;
        const Machine machine =
            nvls_machine(reducing(switch_of(8, Rate(450'000'000'000), Time::ns(50)), 0, limits));
        for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid, Fidelity::Packet}) {
            int by_switches = 0;
            for (const engine::CollectiveResult& one :
                 simulate(workload, machine, fidelity, {}).collectives) {
                const bool ring = one.algorithm.find("(its tuner: NVLS)") != std::string::npos;
                EXPECT_TRUE(!ring || most == 0 || one.group.front() == Rank(4)) << one.algorithm;
                by_switches += ring ? 0 : 1;
            }
            EXPECT_EQ(by_switches, with_group) << most << ' ' << name_of(fidelity);
        }
    }
}

// Switches are the ends of messages, too.
TEST(NvlsSimulation, MessagesNameSwitches) {
    const test::TemporaryFolder folder;
    const Machine machine = nvls_machine(eight());
    const std::filesystem::path path = folder.path() / "messages.csv";
    {
        report::MessagesFile file(path, machine.network.graph);
        RunOptions options;
        options.flows = true;
        options.each_message = [&](const engine::CompletedMessage& message) { file.add(message); };
        static_cast<void>(
            simulate(test::workload_of(8,
                                       [](Rank) {
                                           return std::vector{test::collective_node(
                                               1, chakra::CollectiveType::AllReduce, 4096)};
                                       }),
                     machine, Fidelity::Fluid, options));
        file.commit();
    }
    std::ifstream file(path);
    std::set<std::string> names;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string name;
        std::getline(fields, name, ',');
        names.insert(name);
        std::getline(fields, name, ',');
        names.insert(name);
    }
    EXPECT_EQ(names.size(), 9U);
    EXPECT_THAT(names, testing::Contains(machine.network.graph.name(NodeId(8))));
}

// Parts of the gap sum to it where switches send and receive.
TEST(NvlsSimulation, GapsAreExplained) {
    const Machine machine = nvls_machine(eight());
    const engine::Workload workload = test::workload_of(8, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 8 * mib)};
    });
    const std::vector<engine::Results> runs{simulate(workload, machine, Fidelity::Analytical),
                                            simulate(workload, machine, Fidelity::Packet)};
    EXPECT_EQ(explain_gap(runs, workload, machine).total.total(), runs[1].finish - runs[0].finish);
}

// Jobs do not know each other's reductions: where they share a switch they keep the ring, at every
// fidelity.
TEST(NvlsSimulation, JobsOnOneSwitchKeepTheRing) {
    const engine::Workload workload = test::workload_of(4, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 8 * mib)};
    });
    const std::vector<Job> jobs{{"a", workload, {NodeId(0), NodeId(1), NodeId(2), NodeId(3)}, {}},
                                {"b", workload, {NodeId(4), NodeId(5), NodeId(6), NodeId(7)}, {}}};
    const auto algorithm = [&](const Machine& machine, Fidelity fidelity) {
        return simulate_jobs(jobs, machine, fidelity, {})
            .jobs.at(1)
            .results.collectives.at(0)
            .algorithm;
    };
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Packet}) {
        EXPECT_THAT(algorithm(nvls_machine(reducing(nodes_of(4, 2))), fidelity),
                    HasSubstr("NVLS Simple"));
        EXPECT_THAT(algorithm(nvls_machine(eight()), fidelity), HasSubstr("(its tuner: NVLS)"));
    }
}

// Of a group without a switch that reduces, all members together send 2 (n - 1) S; else each S.
TEST(NvlsSimulation, BoundsCountSwitchesThatMayReduce) {
    const Bytes bytes(450'000);  // 1 us
    const auto least = [&](const Machine& machine, engine::ReduceIn where) {
        return engine::CollectiveBounds(machine.network, engine::BoundBy::Ports, where)
            .least_time(CollectiveKind::AllReduce, {Rank(0), Rank(1), Rank(2), Rank(3)}, bytes,
                        Rank());
    };
    const Machine reduces = eight();
    const Machine plain = switch_of(8, Rate(450'000'000'000), Time::ns(50));
    EXPECT_EQ(least(reduces, engine::ReduceIn::Switches), Time::ns(1050));
    EXPECT_EQ(least(reduces, engine::ReduceIn::Npus), Time::ns(1550));
    EXPECT_EQ(least(plain, engine::ReduceIn::Switches), Time::ns(1550));
}

// Where switches do not reduce, or not the type of the elements, the ring takes the place.
TEST(NvlsSimulation, OtherNetworksAndTypesKeepTheRing) {
    const auto algorithm = [](Machine machine) {
        return run_on(machine, CollectiveKind::AllReduce, 8 * mib, Fidelity::CongestionAware)
            .collectives.at(0)
            .algorithm;
    };
    const Machine plain = switch_of(8, Rate(450'000'000'000), Time::ns(50));
    EXPECT_THAT(algorithm(nvls_machine(eight())), HasSubstr("NVLS Simple, 16 channels"));
    EXPECT_THAT(algorithm(nvls_machine(plain)), HasSubstr("Ring"));
    EXPECT_THAT(algorithm(nvls_machine(plain)), HasSubstr("(its tuner: NVLS)"));
    Machine lossy = nvls_machine(eight());
    lossy.network.packet.flow_control = topology::FlowControl::Pfc;
    EXPECT_THAT(algorithm(lossy), HasSubstr("(its tuner: NVLS)"));
    EXPECT_THAT(run_on(lossy, CollectiveKind::AllReduce, 8 * mib, Fidelity::Analytical)
                    .collectives.at(0)
                    .algorithm,
                HasSubstr("(its tuner: NVLS)"));
    Machine bytes = eight();
    auto library = std::make_shared<engine::LibraryInUse>(*library_of("h100"));
    library->element_bytes = 1;
    bytes.system.library = library;
    EXPECT_THAT(algorithm(bytes), HasSubstr("(its tuner: NVLS, but not for 1-byte elements)"));
}

// The node's dtype is the type; names of other tools leave it to data-type-bytes.
TEST(NvlsSimulation, TracesSayTheTypeOfElements) {
    const auto algorithm = [](const char* type) {
        chakra::Node node =
            test::collective_node(1, chakra::CollectiveType::AllReduce, 8 * mib, "");
        node.set("dtype", std::string(type));
        Machine any = eight();
        any.system.library = library_of("h100");
        engine::WorkloadOptions options;
        options.network = &any.network;
        return simulate(engine::make_workload(
                            8, [&](Rank) { return std::vector{node}; },
                            [](Rank) { return "trace.et"; }, {}, options),
                        any, Fidelity::CongestionAware, {})
            .collectives.at(0)
            .algorithm;
    };
    EXPECT_THAT(algorithm("bf16"), HasSubstr("NVLS Simple"));
    EXPECT_THAT(algorithm("int8"), HasSubstr("(its tuner: NVLS, but not for 1-byte elements)"));
    EXPECT_THAT(algorithm("c10::BFloat16"), HasSubstr("NVLS Simple"));
}

TEST(NvlsSimulation, NetworkYmlNamesSwitchesThatReduce) {
    const auto read = [](const std::string& text) {
        return topology::parse_network(text, "net.yml").reducing_switches;
    };
    const std::string product =
        "topology: [Switch, Switch]\nnpus_count: [4, 2]\nbandwidth: [450, 50]\n"
        "latency: [50, 500]\n";
    EXPECT_TRUE(read(product).empty());
    const auto two = read(product + "reduces: [true, false]\n");
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].node, NodeId(8));
    EXPECT_EQ(two[1].node, NodeId(9));
    const auto limited = read(product +
                              "reduces: [{unit: 4KiB, entries: 7, latency: 30ns, rate: 100GB/s, "
                              "radix: 9, groups: 3}, false]\n");
    ASSERT_EQ(limited.size(), 2U);
    EXPECT_EQ(limited[0].unit, Bytes(4096));
    EXPECT_EQ(limited[0].entries, 7);
    EXPECT_EQ(limited[0].latency, Time::ns(30));
    EXPECT_EQ(limited[0].rate, Rate(100'000'000'000));
    EXPECT_EQ(limited[0].radix, 9);
    EXPECT_EQ(limited[0].groups, 3);
    EXPECT_THROW(read(product + "reduces: [{rate: 0}, false]\n"), InputError);
    EXPECT_THROW(read(product + "reduces: [{radix: 1}, false]\n"), InputError);
    EXPECT_THROW(read("topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n"
                      "reduces: [true]\n"),
                 InputError);
    EXPECT_THROW(read(product + "reduces: [true]\n"), InputError);
    EXPECT_EQ(
        read("Rail: {servers: 2, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, "
             "latency: 50, reduces: true}, scale_out: {levels: 2, radix: 8, bandwidth: 50, "
             "latency: 500}}\n")
            .size(),
        2U);
    EXPECT_EQ(read("Custom:\n  nodes: [{name: a, kind: npu}, {name: b, kind: npu}, {name: s, kind: "
                   "switch, reduces: true}]\n  links: [{from: a, to: s, bandwidth: 50, latency: "
                   "500}, {from: b, to: s, bandwidth: 50, latency: 500}]\n")
                  .at(0)
                  .node,
              NodeId(2));
}

}  // namespace
}  // namespace npunet::study::nvls_simulation_test
