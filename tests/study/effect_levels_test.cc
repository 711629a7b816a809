// The effect levels from the estimate to the packet run on cases that are worked out by hand, level
// by level and collective by collective.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "as_machine.h"
#include "study/gap.h"
#include "study/simulation_run.h"
#include "tests/study/two_switches.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::effect_levels_test {
namespace {

using chakra::CollectiveType;
using report::CommunicationGap;
using report::GapExplanation;
using test::collective_node;
using test::compute_node;
using test::receive_node;
using test::send_node;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t mtu = 4096;
constexpr std::int64_t header = 64;
constexpr Time packet_time = transfer_time(Bytes(mtu + header), rate);

struct Explained {
    Explained(const engine::Workload& workload, const Machine& machine,
              const GapOptions& options = {})
        : runs{simulate(workload, machine, Fidelity::Analytical),
               simulate(workload, machine, Fidelity::Packet)},
          why(explain_gap(runs, workload, machine, options)) {
        EXPECT_EQ(why.total.total(), difference());
        EXPECT_EQ(why.path.total() + why.slack, difference());
    }
    [[nodiscard]] Time difference() const { return runs[1].finish - runs[0].finish; }
    [[nodiscard]] const CommunicationGap& of(const std::string& name) const {
        for (const CommunicationGap& communication : why.communications) {
            if (communication.name == name) {
                return communication;
            }
        }
        ADD_FAILURE() << "no " << name;
        return why.communications.front();
    }

    std::vector<engine::Results> runs;
    GapExplanation why;
};

/// One message from the first to the last NPU.
engine::Workload message(std::size_t ranks, std::int64_t bytes) {
    return test::workload_of(ranks, [&](Rank rank) {
        const auto last = static_cast<std::int32_t>(ranks - 1);
        std::vector<chakra::Node> nodes;
        if (rank == Rank(0)) {
            nodes.push_back(send_node(1, last, bytes));
        } else if (rank == Rank(last)) {
            nodes.push_back(receive_node(1, 0, bytes));
        }
        return nodes;
    });
}

// n full packets over h equal links: the headers cost n ser(header) at the rate of the links (no
// rounding: the sizes are multiples of what the rate sends in a picosecond), and being stored
// h - 1 times costs (h - 1) ser(full). A single packet over a single link is stored nowhere.
TEST(EffectLevels, OneMessage) {
    for (const std::int64_t n : {1, 2, 7}) {
        for (const std::int64_t h : {1, 2, 5}) {
            const Machine machine = as_machine(test::line_machine(
                DimensionKind::Mesh1D, static_cast<std::int32_t>(h + 1), rate, latency));
            const Explained explained(message(static_cast<std::size_t>(h + 1), n * mtu), machine);
            EXPECT_EQ(explained.why.total.header, n * transfer_time(Bytes(header), rate));
            EXPECT_EQ(explained.why.total.latency, (h - 1) * packet_time);
            EXPECT_EQ(explained.why.total.contention, Time());
            EXPECT_EQ(explained.why.total.flow_control, Time());
            EXPECT_EQ(explained.why.total.congestion_control, Time());
            EXPECT_EQ(explained.why.total.dependency, Time());
        }
    }
}

TEST(EffectLevels, NoHeadersCostNothing) {
    Machine machine = as_machine(test::line_machine(DimensionKind::Mesh1D, 3, rate, latency));
    machine.network.packet.header = Bytes(0);
    const Explained explained(message(3, 10 * mtu), machine);
    EXPECT_EQ(explained.why.total.header, Time());
    EXPECT_EQ(explained.why.total.latency, transfer_time(Bytes(mtu), rate));
}

// 0 -> 2 and 1 -> 3 on a line without latency, m full packets each, share the link 1 -> 2. It sends
// a packet of one, then of the other, without a pause: 2 m packets. Alone each takes m + 1 packets,
// together the last packet of 1 -> 3 leaves the link after 2 m - 1 and needs one more, that of
// 0 -> 2 after 2 m: contention (m - 1) ser for each. They are under way together all the time.
TEST(EffectLevels, TwoMessagesOnOneLink) {
    for (const std::int64_t m : {1, 2, 10, 33}) {
        const Machine machine =
            as_machine(test::line_machine(DimensionKind::Mesh1D, 4, rate, Time()));
        const Explained explained(
            test::workload_of(
                4,
                [&](Rank rank) -> std::vector<chakra::Node> {
                    const std::int32_t r = rank.value();
                    if (r < 2) {
                        return {send_node(static_cast<std::uint64_t>(r + 1), r + 2, m * mtu)};
                    }
                    return {receive_node(static_cast<std::uint64_t>(r - 1), r - 2, m * mtu)};
                }),
            machine);
        for (const char* name : {"send_1", "send_2"}) {
            const CommunicationGap& one = explained.of(name);
            EXPECT_EQ(one.gap.contention, (m - 1) * packet_time) << name;
            EXPECT_EQ(one.others.contention, one.gap.contention) << name;
            EXPECT_EQ(one.gap.dependency, Time());
            EXPECT_EQ(one.id, -1);
            if (m > 1) {
                ASSERT_EQ(one.link_contention.size(), 1u);
                EXPECT_EQ(one.link_contention[0].from + one.link_contention[0].to, "npu1npu2");
                EXPECT_NE(&explained.why.communications[one.link_contention[0].other], &one);
                EXPECT_EQ(one.link_contention[0].together, 2 * m * packet_time);
            }
        }
        EXPECT_EQ(explained.why.total.contention, (m - 1) * packet_time);
        EXPECT_EQ(explained.why.links.size(), m > 1 ? 1u : 0u);
    }
}

// Room for one packet at the switch between two NPUs: the next packet leaves the source when the
// credit of the one before is back, after it has been sent twice and two latencies. n packets take
// 2 n (ser + a) instead of (n + 1) ser + 2 a.
TEST(EffectLevels, CreditsOfOnePacket) {
    for (const std::int64_t n : {1, 2, 9}) {
        Machine machine = as_machine(test::line_machine(DimensionKind::Switch, 2, rate, latency));
        machine.network.packet.buffer = Bytes(mtu + header);
        const Explained explained(message(2, n * mtu), machine);
        EXPECT_EQ(explained.why.total.flow_control,
                  2 * n * (packet_time + latency) - (n + 1) * packet_time - 2 * latency);
        EXPECT_EQ(explained.of("send_1").others.flow_control, Time());
        EXPECT_EQ(explained.why.total.contention, Time());
    }
}

// Two all-reduces round a ring of n, one after the other, whose parts are k full packets: each is
// 2 (n - 1) k ser(header) longer, all of it headers. The second inherits what the first is late by,
// and along the path both count.
TEST(EffectLevels, ASecondCollectiveInheritsTheDelayOfTheFirst) {
    for (const std::int64_t n : {2, 3, 6}) {
        const std::int64_t k = 3;
        const Machine machine = as_machine(test::ring_machine(n, rate, latency));
        const Explained explained(
            test::workload_of(static_cast<std::size_t>(n),
                              [&](Rank) {
                                  return std::vector{
                                      collective_node(1, CollectiveType::AllReduce, n * k * mtu),
                                      collective_node(2, CollectiveType::AllReduce, n * k * mtu, "",
                                                      {1})};
                              }),
            machine);
        const Time delay = 2 * (n - 1) * k * transfer_time(Bytes(header), rate);
        const GapExplanation& why = explained.why;
        EXPECT_EQ(explained.of("collective_1").gap.header, delay);
        EXPECT_EQ(explained.of("collective_1").gap.dependency, Time());
        EXPECT_EQ(explained.of("collective_2").gap.header, delay);
        EXPECT_EQ(explained.of("collective_2").gap.dependency, delay);
        EXPECT_EQ(explained.of("collective_2").id, 1);
        EXPECT_EQ(why.total.header, delay);
        EXPECT_EQ(why.total.dependency, delay);
        EXPECT_EQ(why.path.header, 2 * delay);
        EXPECT_EQ(why.slack, Time());
        EXPECT_TRUE(explained.of("collective_1").critical);
    }
}

// Links of their own between three NPUs. NPU 2 sends k packets to NPU 1, which then joins NPU 0 in
// an all-reduce of parts of k packets: two steps from when the later one of them comes. The message
// is late by k ser(header), the all-reduce by twice that, and it inherits what the message is late
// by where NPU 1 comes last, and nothing where NPU 0 computes until long after.
TEST(EffectLevels, TheLastToComeIsInheritedFrom) {
    constexpr std::int64_t k = 5;
    const Machine machine =
        as_machine(test::line_machine(DimensionKind::FullyConnected, 3, rate, latency));
    const Time headers = k * transfer_time(Bytes(header), rate);
    for (const std::uint64_t compute : {0, 100}) {
        const Explained explained(
            test::workload_of(3,
                              [&](Rank rank) -> std::vector<chakra::Node> {
                                  const chakra::Node reduction = collective_node(
                                      2, CollectiveType::AllReduce, 2 * k * mtu, "pair", {1});
                                  if (rank == Rank(0)) {
                                      return {compute_node(1, compute), reduction};
                                  }
                                  if (rank == Rank(1)) {
                                      return {receive_node(1, 2, k * mtu), reduction};
                                  }
                                  return {send_node(1, 1, k * mtu)};
                              },
                              {{"pair", {Rank(0), Rank(1)}}}),
            machine);
        EXPECT_EQ(explained.of("send_1").gap.header, headers);
        const CommunicationGap& reduction = explained.of("collective_2");
        EXPECT_EQ(reduction.gap.header, 2 * headers) << compute;
        EXPECT_EQ(reduction.gap.dependency, compute == 0 ? headers : Time());
        EXPECT_EQ(reduction.others.header, Time());
        EXPECT_EQ(explained.why.total.dependency, reduction.gap.dependency);
        EXPECT_EQ(explained.of("send_1").critical, compute == 0);
        EXPECT_EQ(explained.why.slack, Time());
    }
}

// What is computed after a collective is late by what the collective is: no collective inherits it.
// What is computed beside it for longer hides all of it.
TEST(EffectLevels, ComputePassesDelaysOnAndHidesThem) {
    const Machine machine = as_machine(test::ring_machine(4, rate, latency));
    const auto with_compute = [&](std::vector<std::uint64_t> waits_for) {
        return Explained(
            test::workload_of(4,
                              [&](Rank) {
                                  return std::vector{
                                      collective_node(1, CollectiveType::AllReduce, 1 << 20),
                                      compute_node(2, 5'000, waits_for)};
                              }),
            machine);
    };
    const Explained after = with_compute({1});
    EXPECT_GT(after.why.total.header, Time());
    EXPECT_EQ(after.why.total.dependency, Time());
    EXPECT_EQ(after.why.total.header, after.of("collective_1").gap.header);
    EXPECT_EQ(after.why.slack, Time());
    const Explained beside = with_compute({});
    EXPECT_EQ(beside.difference(), Time());
    EXPECT_EQ(beside.why.total.header, Time());
    EXPECT_EQ(beside.of("collective_1").gap.header, after.of("collective_1").gap.header);
}

/// 8 NPUs at an Ethernet-like switch.
Machine ethernet_machine() {
    Machine machine = as_machine(test::line_machine(DimensionKind::Switch, 8, rate, latency));
    topology::PacketParameters& packet = machine.network.packet;
    packet.flow_control = topology::FlowControl::Pfc;
    packet.transport.kind = topology::TransportKind::GoBackN;
    return machine;
}

/// Everybody sends to NPU 0 at once.
engine::Workload incast(std::int64_t bytes) {
    return test::workload_of(8, [&](Rank rank) {
        std::vector<chakra::Node> nodes;
        for (std::int32_t other = 1; other < 8; ++other) {
            const auto id = static_cast<std::uint64_t>(other);
            if (rank == Rank(0)) {
                nodes.push_back(receive_node(id, other, bytes));
            } else if (rank == Rank(other)) {
                nodes.push_back(send_node(id, 0, bytes));
            }
        }
        return nodes;
    });
}

// With congestion control the last step is its own, without it is exactly 0. Buffers that never
// fill, no window and no pauses: flow control is exactly 0.
TEST(EffectLevels, EthernetLikeSwitches) {
    Machine machine = ethernet_machine();
    const engine::Workload workload = incast(1 << 18);
    EXPECT_EQ(Explained(workload, machine).why.total.congestion_control, Time());
    machine.network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
    machine.network.packet.ecn = {Bytes(20'000), Bytes(80'000), 0.2, Rate()};
    const Explained controlled(incast(1 << 22), machine);
    EXPECT_NE(controlled.why.total.congestion_control, Time());
    EXPECT_EQ(controlled.why.total.dependency, Time());
    EXPECT_EQ(controlled.why.notes, std::vector<std::string>());
    machine.network.packet.transport.kind = topology::TransportKind::None;
    machine.network.packet.congestion_control = topology::CongestionControlChoice();
    machine.network.packet.buffer = Bytes(std::int64_t{1} << 40);
    const Explained free(workload, machine);
    EXPECT_EQ(free.why.total.flow_control, Time());
    EXPECT_EQ(free.why.total.congestion_control, Time());
}

// A window of two packets on an idle path: it is the transport that makes the message wait.
TEST(EffectLevels, ASmallWindowIsFlowControl) {
    Machine machine = ethernet_machine();
    machine.network.packet.transport.window = Bytes(2 * (mtu + header));
    const Explained explained(message(8, 1 << 18), machine);
    EXPECT_GT(explained.why.total.flow_control, explained.why.total.header);
    EXPECT_EQ(explained.why.total.contention, Time());
}

// Two senders to two receivers behind one link between two switches. Whatever the transport is
// told, the levels below flow control do not see it: headers, latency and contention are the
// same.
TEST(EffectLevels, SettingsOfTheTransportLeaveContentionAlone) {
    using topology::TransportParameters;
    const Machine machine =
        two_switches("packet: {flow_control: pfc, transport: selective-repeat}\n");
    const engine::Workload workload = messages_across(1 << 20);
    const Explained standard(workload, machine);
    EXPECT_GT(standard.why.total.contention, Time());
    const auto expect_same = [&](auto TransportParameters::*setting, auto value) {
        Machine changed = machine;
        changed.network.packet.transport.*setting = value;
        const Explained explained(workload, changed);
        EXPECT_EQ(explained.why.notes, std::vector<std::string>());
        EXPECT_EQ(explained.why.total.header, standard.why.total.header);
        EXPECT_EQ(explained.why.total.latency, standard.why.total.latency);
        EXPECT_EQ(explained.why.total.contention, standard.why.total.contention);
    };
    expect_same(&TransportParameters::window, Bytes(1 << 20));
    expect_same(&TransportParameters::ack_every, 4);
    expect_same(&TransportParameters::rto, Time::ns(400'000));
    expect_same(&TransportParameters::retries, 7);
    expect_same(&TransportParameters::reordering, 3);
    expect_same(&TransportParameters::kind, topology::TransportKind::GoBackN);
}

// A link that goes down loses what is on it. Without a transport the run would never end, so the
// level of contention cannot be simulated: it is a part of the next one, and that is said.
TEST(EffectLevels, ALevelThatCannotBeSimulated) {
    Machine machine = ethernet_machine();
    topology::LinkFault outage;
    outage.link = machine.network.route(NodeId(0), NodeId(7)).front().link;
    outage.at = Time::ns(2'000);
    outage.until = Time::ns(9'000);
    outage.bandwidth.billionths = 0;
    machine.network.faults.links.push_back(outage);
    const Explained explained(message(8, 1 << 20), machine);
    EXPECT_EQ(explained.why.total.contention, Time());
    ASSERT_EQ(explained.why.notes.size(), 1u);
    EXPECT_NE(explained.why.notes[0].find("contention is part of flow_control"), std::string::npos);
}

// n packets to the NPU diagonally next door on an idle torus, adaptive: two ports send n / 2 each,
// (n / 2 + 1) ser + 2 a, where one path takes (n + 1) ser + 2 a. Contention is -n / 2 ser.
TEST(EffectLevels, SeveralPathsAreNegativeContention) {
    constexpr std::int64_t n = 100;
    Machine machine = as_machine(test::torus_machine(4, 4, rate, latency));
    machine.network = topology::parse_network(
        "topology: [Torus2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n"
        "packet: {routing: adaptive}\n",
        "network.yml");
    const engine::Workload workload = test::workload_of(16, [&](Rank rank) {
        std::vector<chakra::Node> nodes;
        if (rank == Rank(0)) {
            nodes.push_back(send_node(1, 5, n * mtu));
        } else if (rank == Rank(5)) {
            nodes.push_back(receive_node(1, 0, n * mtu));
        }
        return nodes;
    });
    const Explained explained(workload, machine);
    EXPECT_EQ(explained.why.total.contention, Time() - n / 2 * packet_time);
    EXPECT_EQ(explained.why.total.flow_control, Time());
}

// The astra-sim dialects have no packets; the sums are exact all the same.
TEST(EffectLevels, OtherDialects) {
    for (const char* name : {"astra-sim", "astra-sim-2025-03"}) {
        test::TestMachine made = test::ring_machine(6, rate, latency);
        made.dialect = engine::Dialect::named(name);
        made.use(engine::Algorithm::Direct);
        const Machine machine = as_machine(made);
        const engine::Workload workload = test::workload_of(
            6,
            [&](Rank) {
                return std::vector{collective_node(1, CollectiveType::AllToAll, 6 << 16),
                                   compute_node(2, 3, {1}),
                                   collective_node(3, CollectiveType::AllToAll, 6 << 16, "", {2})};
            },
            {}, test::options_of(made.dialect));
        const std::vector<engine::Results> runs{
            simulate(workload, machine, Fidelity::Analytical),
            simulate(workload, machine, Fidelity::CongestionAware)};
        const GapExplanation why = explain_gap(runs, workload, machine);
        EXPECT_EQ(why.total.total(), runs[1].finish - runs[0].finish) << name;
        EXPECT_GT(why.total.dependency, Time());
        for (const CommunicationGap& communication : why.communications) {
            EXPECT_EQ(communication.gap.total(),
                      runs[1].collectives[static_cast<std::size_t>(communication.id)].end -
                          runs[0].collectives[static_cast<std::size_t>(communication.id)].end);
        }
    }
}

// Where nothing is run alone, what is inherited is how much later the last rank starts.
TEST(EffectLevels, WithoutIsolatedRuns) {
    const Machine machine = as_machine(test::ring_machine(4, rate, latency));
    const engine::Workload workload = test::workload_of(4, [&](Rank) {
        return std::vector{collective_node(1, CollectiveType::AllReduce, 1 << 20),
                           collective_node(2, CollectiveType::AllToAll, 1 << 20, "", {1})};
    });
    const Explained measured(workload, machine);
    GapOptions options;
    options.most_isolated_runs = 0;
    const Explained taken(workload, machine, options);
    EXPECT_EQ(taken.of("collective_2").gap.dependency, taken.of("collective_1").gap.total());
    EXPECT_FALSE(taken.of("collective_2").measured);
    EXPECT_EQ(taken.why.notes.size(), 1u);
    for (const auto& [name, part] : report::gap_parts) {
        EXPECT_EQ(taken.why.total.*part, measured.why.total.*part) << name;
    }
}

}  // namespace
}  // namespace npunet::study::effect_levels_test
