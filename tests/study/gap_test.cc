// Packets against the estimate: on patterns without contention the difference is a closed form of
// headers, hops and pipelining; with contention the parts of the gap sum to it and the links where
// it arises are named.

#include "study/gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "report/comparison/compare_table.h"
#include "study/idle_path_network.h"
#include "study/simulation_run.h"
#include "tests/support/draw.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::gap_test {
namespace {

using chakra::CollectiveType;
using report::Gap;
using test::collective_node;
using test::receive_node;
using test::send_node;
using topology::DimensionKind;
using topology::Switching;

struct Flow {
    std::int32_t from;
    std::int32_t to;
    std::int64_t bytes;
};

/// Every flow starts at 0.
engine::Workload flows(std::size_t ranks, const std::vector<Flow>& list) {
    return test::workload_of(ranks, [&](Rank rank) {
        std::vector<chakra::Node> nodes;
        std::uint64_t id = 0;
        for (const Flow& flow : list) {
            ++id;
            if (flow.from == rank.value()) {
                nodes.push_back(send_node(id, flow.to, flow.bytes));
            } else if (flow.to == rank.value()) {
                nodes.push_back(receive_node(id, flow.from, flow.bytes));
            }
        }
        return nodes;
    });
}

engine::Workload all_do(std::size_t ranks, CollectiveType type, std::int64_t bytes) {
    return test::workload_of(ranks,
                             [&](Rank) { return std::vector{collective_node(1, type, bytes)}; });
}

/// Both runs and the gap between them, which is the difference of the finish times.
struct Pair {
    Pair(const engine::Workload& workload, const Machine& machine,
         Fidelity detailed = Fidelity::Packet)
        : runs{simulate(workload, machine, Fidelity::Analytical),
               simulate(workload, machine, detailed)},
          why(explain_gap(runs, workload, machine)),
          gap(why.total) {
        EXPECT_EQ(gap.total(), difference());
        expect_effect_levels();
    }
    [[nodiscard]] Time difference() const { return runs[1].finish - runs[0].finish; }

    /// The effect levels lead from the one run to the other: every level finishes direct +
    /// dependency later than the one below, and these are the parts of the gap.
    void expect_effect_levels() const {
        ASSERT_FALSE(why.effect_levels.empty());
        EXPECT_EQ(why.effect_levels.front().finish, runs[0].finish);
        EXPECT_EQ(why.effect_levels.front().step, "");
        EXPECT_EQ(why.effect_levels.back().finish, runs[1].finish);
        Gap sum;
        for (std::size_t k = 1; k < why.effect_levels.size(); ++k) {
            const report::EffectLevelResult& level = why.effect_levels[k];
            EXPECT_EQ(level.finish - why.effect_levels[k - 1].finish,
                      level.direct + level.dependency);
            sum.dependency += level.dependency;
            for (const auto& [name, part] : report::gap_parts) {
                sum.*part += name == level.step ? level.direct : Time();
            }
        }
        for (const auto& [name, part] : report::gap_parts) {
            EXPECT_EQ(sum.*part, gap.*part) << name;
        }
    }

    std::vector<engine::Results> runs;
    report::GapExplanation why;
    Gap gap;
};

class Draw : public test::Draw {
public:
    using test::Draw::Draw;
    Rate rate() {
        return Rate(
            any_of<std::int64_t>({1'000'000'007, 25'000'000'000, 50'000'000'000, 128'571'400'000}));
    }
    Time latency() { return Time::ps(from_to(0, 2'000'000)); }
    void packets(topology::PacketParameters& packet) {
        packet.mtu = Bytes(from_to(1, 9000));
        packet.header = Bytes(from_to(0, 200));
        packet.switching = any_of({Switching::StoreAndForward, Switching::CutThrough});
    }
};

/// n packets over h equal, idle links: store and forward, n >= 2,
///     (n + h - 2) ser(full) + ser(last) + h a, and h (ser(last) + a) for n = 1; cut-through
///     (n - 1) ser(full) + ser(last) + (h - 1) ser(header) + h a, a header of one byte at least.
Time message_time(std::int64_t bytes, std::int64_t hops, Rate rate, Time latency,
                  const topology::PacketParameters& packet) {
    const std::int64_t mtu = packet.mtu.value();
    const std::int64_t count = std::max<std::int64_t>(1, (bytes + mtu - 1) / mtu);
    const Time full = transfer_time(packet.mtu + packet.header, rate);
    const Time last = transfer_time(Bytes(bytes - (count - 1) * mtu) + packet.header, rate);
    if (packet.switching == Switching::CutThrough) {
        const Time header = transfer_time(std::max(packet.header, Bytes(1)), rate);
        return (count - 1) * full + last + (hops - 1) * header + hops * latency;
    }
    if (count == 1) {
        return hops * (last + latency);
    }
    return (count + hops - 2) * full + last + hops * latency;
}

Time estimate(std::int64_t bytes, std::int64_t hops, Rate rate, Time latency) {
    return transfer_time(Bytes(bytes), rate) + hops * latency;
}

// Ring all-reduce of n x part bytes: 2 (n - 1) steps, each longer by
//     message_time(part, 1) - (ser(part) + a).
TEST(Gap, RingAllReduceOnItsRing) {
    Draw draw(1);
    for (int round = 0; round < 30; ++round) {
        const std::int64_t n = draw.from_to(2, 9);
        const std::int64_t part = draw.from_to(1, 200'000);
        const Rate rate = draw.rate();
        const Time latency = draw.latency();
        const test::TestMachine made = test::ring_machine(n, rate, latency);
        Machine machine{made.dialect, made.network, made.system, {}};
        draw.packets(machine.network.packet);
        const Pair pair(all_do(static_cast<std::size_t>(n), CollectiveType::AllReduce, n * part),
                        machine);
        EXPECT_EQ(pair.difference(),
                  2 * (n - 1) *
                      (message_time(part, 1, rate, latency, machine.network.packet) -
                       estimate(part, 1, rate, latency)));
        EXPECT_EQ(pair.gap.contention, Time());
        EXPECT_EQ(pair.gap.flow_control, Time());
    }
}

// Neighbours on a torus and pairs through a switch (two hops), a message of the same size each:
//     message_time(b, h) - estimate(b, h); of it header: ser(b + n header) - ser(b), and the rest
// is latency.
TEST(Gap, NeighboursAndPairs) {
    Draw draw(2);
    for (int round = 0; round < 40; ++round) {
        const bool star = round % 2 == 0;
        const std::int64_t bytes = draw.from_to(1, 300'000);
        const Rate rate = draw.rate();
        const Time latency = draw.latency();
        const test::TestMachine made =
            star ? test::line_machine(DimensionKind::Switch, 8, rate, latency)
                 : test::torus_machine(4, 3, rate, latency);
        Machine machine{made.dialect, made.network, made.system, {}};
        draw.packets(machine.network.packet);
        const topology::PacketParameters& packet = machine.network.packet;
        std::vector<Flow> list;
        const auto npus = static_cast<std::int32_t>(machine.network.graph.npus());
        for (std::int32_t npu = 0; npu < npus; ++npu) {
            list.push_back({npu, star ? npu ^ 1 : npu / 4 * 4 + (npu + 1) % 4, bytes});
        }
        const std::int64_t hops = star ? 2 : 1;
        const Pair pair(flows(static_cast<std::size_t>(npus), list), machine);
        EXPECT_EQ(pair.difference(), message_time(bytes, hops, rate, latency, packet) -
                                         estimate(bytes, hops, rate, latency));
        const std::int64_t count = (bytes + packet.mtu.value() - 1) / packet.mtu.value();
        EXPECT_EQ(pair.gap.header, transfer_time(Bytes(bytes) + count * packet.header, rate) -
                                       transfer_time(Bytes(bytes), rate));
        EXPECT_EQ(pair.gap.contention, Time());
        EXPECT_EQ(pair.gap.flow_control, Time());
        if (!star) {
            // The time of every packet is rounded up, instead of that of the message.
            EXPECT_GE(pair.gap.latency, Time());
            EXPECT_LT(pair.gap.latency, Time::ps(count));
        }
    }
}

/// A line whose links have rates and latencies of their own.
topology::NetworkDescription mixed_line(std::int32_t npus, Draw& draw) {
    topology::NetworkDescription network = topology::make_network(
        {topology::make_dimension(DimensionKind::Mesh1D, npus, Rate(1'000'000'000), Time())});
    topology::Graph graph;
    for (std::size_t node = 0; node < network.graph.nodes(); ++node) {
        graph.add_node(topology::NodeKind::Npu, network.graph.name(NodeId(node)));
    }
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        topology::Link link = network.graph.link(LinkId(i));
        link.rate = draw.rate();
        link.latency = draw.latency();
        graph.add_link(link);
    }
    network.graph = graph;
    return network;
}

// The time of a message on its idle route is what the packet network takes, on links of any rates.
TEST(Gap, IdlePathsOfUnequalLinks) {
    Draw draw(3);
    for (int round = 0; round < 60; ++round) {
        const auto npus = static_cast<std::int32_t>(draw.from_to(2, 7));
        Machine machine{engine::Dialect::named("npunet"), mixed_line(npus, draw), {}, {}};
        draw.packets(machine.network.packet);
        machine.network.packet.buffer = Bytes(std::int64_t{1} << 40);
        const std::int64_t bytes = draw.from_to(0, 60'000);
        const engine::Results packet =
            simulate(flows(static_cast<std::size_t>(npus), {{0, npus - 1, bytes}}), machine,
                     Fidelity::Packet);
        EXPECT_EQ(packet.finish, idle_path_time(machine.network,
                                                machine.network.route(NodeId(0), NodeId(npus - 1)),
                                                Bytes(bytes), IdlePath::Packets))
            << "round " << round;
    }
}

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

// A ring of ranks at random places of a mesh, and a direct all-to-all on a ring: routes share
// links. The estimate knows nothing of it, the other two do. (Whole messages may be stored for so
// long on the longest route of the mesh that sharing costs nothing on top.)
TEST(Gap, SharedLinksAreContention) {
    const test::TestMachine mesh = test::mesh_machine(4, 4, rate, latency);
    Machine scattered{mesh.dialect, mesh.network, mesh.system, {}};
    std::mt19937_64 random(4);
    std::shuffle(scattered.network.npu_of_rank.begin(), scattered.network.npu_of_rank.end(),
                 random);
    test::TestMachine ring = test::ring_machine(8, rate, latency);
    ring.use(engine::Algorithm::Direct);
    const Machine round{ring.dialect, ring.network, ring.system, {}};
    std::vector<Flow> neighbours;
    for (std::int32_t rank = 0; rank < 16; ++rank) {
        neighbours.push_back({rank, (rank + 1) % 16, 1 << 20});
    }
    const Machine* machines[] = {&scattered, &round};
    const engine::Workload workloads[] = {flows(16, neighbours),
                                          all_do(8, CollectiveType::AllToAll, 8 << 20)};
    for (std::size_t i = 0; i < 2; ++i) {
        const Pair packet(workloads[i], *machines[i]);
        const Pair aware(workloads[i], *machines[i], Fidelity::CongestionAware);
        EXPECT_GT(packet.gap.contention, Time()) << i;
        EXPECT_GE(aware.gap.contention, Time()) << i;
        EXPECT_GT(packet.runs[1].finish, packet.runs[0].finish);
        EXPECT_GT(aware.runs[1].finish, aware.runs[0].finish);
        EXPECT_GT(packet.gap.contention, packet.gap.header);
        EXPECT_TRUE(i == 0 || aware.gap.contention > Time());
    }
}

// 0 -> 2 and 1 -> 3 on a line share the link 1 -> 2 alone. Its 2 b bytes, against b without
// contention: the contention is ser(b), but for a packet at either end. The table and the JSON name
// the link, with its queue; with room for one packet also that it waits for credit.
TEST(Gap, TheSharedLinkIsNamed) {
    const test::TestMachine made = test::line_machine(DimensionKind::Mesh1D, 4, rate, latency);
    Machine machine{made.dialect, made.network, made.system, {}};
    constexpr std::int64_t bytes = 1 << 20;
    const engine::Workload workload = flows(4, {{0, 2, bytes}, {1, 3, bytes}});
    const Pair pair(workload, machine);
    const Time wire = transfer_time(Bytes(bytes + bytes / 4096 * 64), rate);
    const Time packet = transfer_time(Bytes(4160), rate);
    EXPECT_LE(pair.gap.contention, wire + packet);
    EXPECT_GE(pair.gap.contention, wire - 10 * packet - latency);
    const auto json = nlohmann::json::parse(report::compare_json(pair.runs, Bytes(1), &pair.why));
    EXPECT_EQ(json["hot_links"][0]["from"], "npu1");
    EXPECT_EQ(json["hot_links"][0]["to"], "npu2");
    const auto& hot = json["hot_links"][0]["runs"]["packet"];
    EXPECT_EQ(hot["payload_bytes"], 2 * bytes);
    EXPECT_GT(hot["max_queue_bytes"], 4160);
    EXPECT_NEAR(json["gap_ns"]["contention"].get<double>(),
                static_cast<double>(pair.gap.contention.ps()) / 1000, 1e-3);
    const std::string table = report::compare_table(pair.runs, 16, &pair.why);
    EXPECT_NE(table.find("the difference, "), std::string::npos);
    EXPECT_NE(table.find("contention "), std::string::npos);

    machine.network.packet.buffer = Bytes(4160);
    const Pair small(workload, machine);
    EXPECT_EQ(small.gap.contention, pair.gap.contention);
    EXPECT_GT(small.gap.flow_control, Time());
    EXPECT_GT(small.runs[1].links[2].credit_stall, Time());
}

// Parts are sums of differences, so those between other pairs of fidelities are differences of
// parts; also where the estimate is not among the runs.
TEST(Gap, BetweenTheDetailedFidelities) {
    const test::TestMachine made = test::mesh_machine(3, 3, rate, latency);
    const Machine machine{made.dialect, made.network, made.system, {}};
    const engine::Workload workload = all_do(9, CollectiveType::AllToAll, 9 << 16);
    const Pair packet(workload, machine);
    const Pair aware(workload, machine, Fidelity::CongestionAware);
    const std::vector<engine::Results> both{aware.runs[1], packet.runs[1]};
    const Gap gap = explain_gap(both, workload, machine).total;
    EXPECT_EQ(gap.total(), both[1].finish - both[0].finish);
    EXPECT_EQ(gap.header, packet.gap.header);
    EXPECT_EQ(gap.latency, packet.gap.latency - aware.gap.latency);
    EXPECT_EQ(gap.contention, packet.gap.contention - aware.gap.contention);
}

// Of three fidelities, in any order: the whole as of the first and the last alone; the pair of the
// first two as alone, the second pair what is left.
TEST(Gap, BetweenNeighboursOfThreeFidelities) {
    const test::TestMachine made = test::line_machine(DimensionKind::Mesh1D, 4, rate, latency);
    const Machine machine{made.dialect, made.network, made.system, {}};
    const engine::Workload workload = flows(4, {{0, 2, 1 << 20}, {1, 3, 1 << 18}});
    const Pair packet(workload, machine);
    const Pair fluid(workload, machine, Fidelity::Fluid);
    const report::GapExplanation why =
        explain_gap({fluid.runs[1], packet.runs[1], packet.runs[0]}, workload, machine);
    EXPECT_TRUE(packet.why.neighbours.empty());
    ASSERT_EQ(why.neighbours.size(), 2u);
    EXPECT_EQ(why.neighbours[0].from, "analytical");
    EXPECT_EQ(why.neighbours[0].to, "fluid");
    EXPECT_EQ(why.neighbours[1].from, "fluid");
    EXPECT_EQ(why.neighbours[1].to, "packet");
    EXPECT_EQ(why.neighbours[1].gap.total(), packet.runs[1].finish - fluid.runs[1].finish);
    EXPECT_NE(why.neighbours[0].gap.contention, Time());
    for (const auto& [name, part] : report::gap_parts) {
        EXPECT_EQ(why.total.*part, packet.gap.*part) << name;
        EXPECT_EQ(why.neighbours[0].gap.*part, fluid.gap.*part) << name;
        EXPECT_EQ(why.neighbours[1].gap.*part, packet.gap.*part - fluid.gap.*part) << name;
    }
    const auto finishes = [](const std::vector<report::EffectLevelResult>& levels) {
        std::vector<Time> list;
        for (const report::EffectLevelResult& level : levels) {
            list.push_back(level.finish);
        }
        return list;
    };
    EXPECT_EQ(finishes(why.neighbours[0].effect_levels), finishes(fluid.why.effect_levels));
    EXPECT_EQ(finishes(why.neighbours[1].effect_levels), finishes(packet.why.effect_levels));
}

// The watch is called for every collective with the total, and can stop at any call.
TEST(GapWatch, IsAskedAndStopsTheExplanation) {
    Machine machine;
    const test::TestMachine mesh = test::mesh_machine(3, 2, Rate(50'000'000'000), Time::ns(500));
    machine.dialect = mesh.dialect;
    machine.network = mesh.network;
    machine.system = mesh.system;
    constexpr std::uint64_t collectives = 12;
    const engine::Workload workload = test::workload_of(6, [&](Rank) {
        std::vector<chakra::Node> nodes;
        for (std::uint64_t id = 1; id <= collectives; ++id) {
            nodes.push_back(collective_node(id, CollectiveType::AllToAll,
                                            static_cast<std::int64_t>(id * 6000)));
        }
        return nodes;
    });
    const std::vector<engine::Results> runs{simulate(workload, machine, Fidelity::Analytical),
                                            simulate(workload, machine, Fidelity::Packet)};
    std::uint64_t questions = 0;
    std::uint64_t most = 0;
    GapOptions options;
    options.watch = [&](const std::string& what, std::uint64_t done, std::uint64_t total) {
        ++questions;
        if (what == "collectives and messages in isolated runs") {
            EXPECT_LT(done, total);
            most = std::max(most, total);
        }
        return true;
    };
    const Time total = explain_gap(runs, workload, machine, options).total.total();
    EXPECT_EQ(total, explain_gap(runs, workload, machine).total.total());
    EXPECT_EQ(most, collectives);
    ASSERT_GE(questions, collectives);
    for (std::uint64_t yes = 0; yes < questions; ++yes) {
        std::uint64_t left = yes;
        options.watch = [&](const std::string&, std::uint64_t, std::uint64_t) {
            return left-- > 0;
        };
        EXPECT_THROW(static_cast<void>(explain_gap(runs, workload, machine, options)), GapStopped);
        EXPECT_EQ(left, ~std::uint64_t{0}) << "asked once more after a no";
    }
}

}  // namespace
}  // namespace npunet::study::gap_test
