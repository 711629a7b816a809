// Flows at every fidelity: alone a message takes its closed form, several that meet at a port share
// it, and the sums over flows are those of links and messages.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "packet/make_packet_network.h"
#include "report/results/flow_csv.h"
#include "report/results/results_json.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::flow_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::receive_node;
using test::send_node;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

std::vector<Fidelity> fidelities() {
    std::vector<Fidelity> all{Fidelity::Analytical, Fidelity::CongestionAware};
    all.push_back(Fidelity::Packet);
    return all;
}

Machine line(DimensionKind kind, std::int64_t npus) {
    const test::TestMachine from = test::line_machine(kind, npus, rate, latency);
    return {from.dialect, from.network, from.system, {}};
}

/// Every rank in `senders` sends that much to `to` at the start.
engine::Workload to_one(std::size_t ranks, const std::vector<std::int32_t>& senders,
                        std::int32_t to, std::int64_t bytes) {
    return test::workload_of(ranks, [&](Rank rank) {
        std::vector<chakra::Node> nodes;
        if (std::count(senders.begin(), senders.end(), rank.value()) > 0) {
            nodes.push_back(send_node(1, to, bytes));
        }
        for (std::size_t i = 0; rank.value() == to && i < senders.size(); ++i) {
            nodes.push_back(receive_node(i + 1, senders[i], bytes));
        }
        return nodes;
    });
}

engine::Workload all_do(std::size_t ranks, CollectiveType type, std::int64_t bytes) {
    return test::workload_of(
        ranks, [&](Rank) { return std::vector<chakra::Node>{collective_node(1, type, bytes)}; });
}

RunOptions with_flows() {
    RunOptions options;
    options.flows = true;
    return options;
}

// Over h links of latency l, b bytes that take s on one: the estimate says h l + s, whole messages
// h (l + s), and packets the closed form of docs/models.md: (n + h - 2) ser(full) + ser(last) + h l
// for n >= 2 of them.
TEST(Flows, AloneAMessageIsNotSlowedDown) {
    const Machine machine = line(DimensionKind::Mesh1D, 5);
    constexpr std::int64_t bytes = 100'000;
    constexpr std::int64_t packets = 25;
    const Time full = transfer_time(Bytes(4160), rate);
    const Time last = transfer_time(Bytes(bytes - (packets - 1) * 4096 + 64), rate);
    const Time whole = transfer_time(Bytes(bytes), rate);
    for (const Fidelity fidelity : fidelities()) {
        for (std::int32_t hops = 1; hops <= 4; ++hops) {
            const engine::Results results =
                simulate(to_one(5, {0}, hops, bytes), machine, fidelity, with_flows());
            const Time expected = fidelity == Fidelity::Analytical ? hops * latency + whole
                                  : fidelity == Fidelity::CongestionAware
                                      ? hops * (latency + whole)
                                      : (packets + hops - 2) * full + last + hops * latency;
            ASSERT_TRUE(results.flows);
            ASSERT_EQ(results.flows->flows.size(), 1u);
            const engine::FlowResult& flow = results.flows->flows.front();
            EXPECT_EQ(flow.flow.source, NodeId(0));
            EXPECT_EQ(flow.flow.destination, NodeId(hops));
            EXPECT_EQ(flow.completion.most, expected) << name_of(fidelity);
            EXPECT_EQ(flow.completion.least, expected);
            EXPECT_EQ(flow.slowdown.mean, 1.0);
            EXPECT_EQ(flow.slowdown.most, 1.0);
            EXPECT_EQ(results.flows->names[0], "npu0");
        }
    }
}

// k senders round a switch, each with one packet of s for NPU 0, all at once. The estimate takes
// them in one after the other: the i-th is in after 2 l + i s, and 2 l + s alone. On links that
// store them they wait for the last one: 2 l + (i + 1) s, alone 2 l + 2 s.
TEST(Flows, ThoseThatMeetAtAPortTakeTurns) {
    const Machine machine = line(DimensionKind::Switch, 9);
    std::vector<std::int32_t> senders{1, 2, 3, 4, 5, 6, 7, 8};
    const auto count = static_cast<std::int64_t>(senders.size());
    for (const Fidelity fidelity : fidelities()) {
        const engine::Results results =
            simulate(to_one(9, senders, 0, 4096), machine, fidelity, with_flows());
        const Time packet = transfer_time(Bytes(fidelity == Fidelity::Packet ? 4160 : 4096), rate);
        const Time first = 2 * latency + (fidelity == Fidelity::Analytical ? Time() : packet);
        std::vector<Time> times;
        for (const engine::FlowResult& flow : results.flows->flows) {
            EXPECT_EQ(flow.messages, 1u);
            times.push_back(flow.completion.most);
        }
        std::sort(times.begin(), times.end());
        ASSERT_EQ(times.size(), senders.size());
        for (std::int64_t i = 1; i <= count; ++i) {
            EXPECT_EQ(times[static_cast<std::size_t>(i - 1)], first + i * packet)
                << name_of(fidelity);
        }
        const engine::FlowResult& all = results.flows->all;
        EXPECT_EQ(all.messages, 8u);
        EXPECT_EQ(all.completion.median, first + 4 * packet);
        EXPECT_EQ(all.completion.p99, first + 8 * packet);
        EXPECT_EQ(2 * all.completion.mean, 2 * first + 9 * packet);
        EXPECT_EQ(all.slowdown.most, static_cast<double>((first + 8 * packet).ps()) /
                                         static_cast<double>((first + packet).ps()));
    }
}

// Round a switch every message crosses two links, so the payload of all links is twice the bytes of
// all flows, and that of an NPU's link what its flows carry. Messages add up to the flows.
TEST(Flows, SumsAreThoseOfLinksAndMessages) {
    const Machine machine = line(DimensionKind::Switch, 6);
    const engine::Workload workload = all_do(6, CollectiveType::AllToAll, 600'000);
    for (const Fidelity fidelity : fidelities()) {
        RunOptions options = with_flows();
        std::uint64_t messages = 0;
        Time total;
        Time arrived;
        options.each_message = [&](const engine::CompletedMessage& message) {
            ++messages;
            total += message.completion();
            EXPECT_GE(message.end, arrived);
            EXPECT_GE(message.first_byte_left, message.start);
            EXPECT_EQ(message.kind, Communication::AllToAll);
            arrived = message.end;
        };
        const engine::Results results = simulate(workload, machine, fidelity, options);
        std::vector<Bytes> from(6);
        Bytes bytes;
        std::uint64_t sum = 0;
        for (const engine::FlowResult& flow : results.flows->flows) {
            from[flow.flow.source.index()] += flow.bytes;
            bytes += flow.bytes;
            sum += flow.messages;
        }
        Bytes carried;
        for (const engine::LinkResult& link : results.links) {
            carried += link.payload;
            if (link.from.rfind("npu", 0) == 0) {
                EXPECT_EQ(link.payload, from[std::stoul(link.from.substr(3))]) << link.from;
            }
        }
        EXPECT_EQ(carried, 2 * bytes);
        EXPECT_EQ(results.flows->all.bytes, bytes);
        EXPECT_EQ(results.flows->all.messages, messages);
        EXPECT_EQ(sum, messages);
        EXPECT_EQ(results.flows->all.completion.total, total);
        EXPECT_EQ(results.flows->all.last_end, arrived);
    }
}

// Every notification (CNP) starts on the link by which its receiver sends, and is counted there
// once.
TEST(Flows, NotificationsAreThoseOfTheLinks) {
    Machine machine = line(DimensionKind::Switch, 6);
    machine.network = topology::parse_network(
        "topology: [Switch]\nnpus_count: [6]\nbandwidth: [50]\nlatency: [500]\n"
        "packet: {flow_control: pfc, transport: go-back-n, congestion_control: dcqcn, ecn: {kmin: "
        "8KiB, kmax: 64KiB}}\n",
        "network.yml");
    const engine::Results results =
        simulate(to_one(6, {1, 2, 3, 4, 5}, 0, 4'000'000), machine, Fidelity::Packet, with_flows());
    std::uint64_t of_npus = 0;
    std::uint64_t of_switches = 0;
    for (const engine::LinkResult& link : results.links) {
        (link.from.rfind("npu", 0) == 0 ? of_npus : of_switches) += link.notifications;
    }
    EXPECT_GT(of_npus, 0U);
    EXPECT_EQ(of_npus, results.flows->all.counts.notifications);
    EXPECT_EQ(of_switches, of_npus);
    EXPECT_EQ(results.links.front().notifications, of_npus);  // from npu0, which all send to
}

/// All that is told of flows and messages, as text.
std::string told_of(const engine::Workload& workload, const Machine& machine, Fidelity fidelity,
                    std::optional<std::uint64_t> shuffle_seed) {
    RunOptions options = with_flows();
    options.shuffle_seed = shuffle_seed;
    std::vector<std::string> names(machine.network.graph.npus());
    std::string text;
    options.each_message = [&](const engine::CompletedMessage& message) {
        text +=
            fmt::format("{}>{} ", message.flow.source.value(), message.flow.destination.value());
        text += report::messages_csv_row(message, names);
    };
    const engine::Results results = simulate(workload, machine, fidelity, options);
    std::ostringstream flows;
    report::write_flows_csv(flows, *results.flows);
    return text + flows.str();
}

// What happens at one instant happens in an order of its content.
TEST(Flows, DoNotDependOnTheOrderOfInsertion) {
    const Machine machine = line(DimensionKind::Switch, 6);
    const engine::Workload workload = all_do(6, CollectiveType::AllToAll, 60'000);
    for (const Fidelity fidelity : fidelities()) {
        const std::string plain = told_of(workload, machine, fidelity, std::nullopt);
        for (const std::uint64_t seed : {1, 2, 3}) {
            EXPECT_EQ(plain, told_of(workload, machine, fidelity, seed)) << name_of(fidelity);
        }
    }
}

// With flows every NPU is simulated, where otherwise one stands for all; nothing else changes.
TEST(Flows, ChangeNothingElse) {
    const Machine machine = line(DimensionKind::Ring, 8);
    const engine::Workload workload = all_do(8, CollectiveType::AllReduce, 80'000);
    for (const Fidelity fidelity : fidelities()) {
        const engine::Results without = simulate(workload, machine, fidelity);
        engine::Results with = simulate(workload, machine, fidelity, with_flows());
        EXPECT_EQ(with.simulated_npus, 8u);
        // An all-reduce round a ring: 14 messages from each NPU to the next one.
        EXPECT_EQ(with.flows->flows.size() % 8, 0u);
        EXPECT_EQ(with.flows->all.bytes, 8 * Bytes(2 * 7 * 10'000));
        with.flows.reset();
        with.wall_seconds = without.wall_seconds;
        with.simulated_npus = without.simulated_npus;
        with.events = without.events;
        EXPECT_EQ(report::results_json(with, Bytes(1)), report::results_json(without, Bytes(1)));
        EXPECT_FALSE(without.flows);
    }
}

// In the astra-sim dialects a message costs what their reference's formulas say: no slowdown.
TEST(Flows, OfOtherDialectsHaveNoSlowdown) {
    Machine machine = line(DimensionKind::Ring, 8);
    machine.dialect = engine::Dialect::named("astra-sim");
    const engine::Results results =
        simulate(test::workload_of(
                     8,
                     [](Rank) {
                         return std::vector<chakra::Node>{
                             collective_node(1, CollectiveType::AllReduce, 80'000)};
                     },
                     {}, test::options_of(machine.dialect)),
                 machine, Fidelity::Analytical, with_flows());
    EXPECT_GT(results.flows->all.completion.least, Time());
    EXPECT_TRUE(std::isnan(results.flows->all.slowdown.most));
}

// A port for injection is two more links of a route: (n + h) ser(full) for n full packets over
// h + 2 links of equal rate, the new ones without latency.
TEST(Flows, CountPortsForInjection) {
    Machine machine = line(DimensionKind::Mesh1D, 4);
    machine.network.packet.injection = rate;
    const engine::Results results =
        simulate(to_one(4, {0}, 3, 10 * 4096), machine, Fidelity::Packet, with_flows());
    const Time full = transfer_time(Bytes(4160), rate);
    EXPECT_EQ(results.flows->all.completion.most, (10 + 5 - 1) * full + 3 * latency);
    EXPECT_EQ(results.flows->all.slowdown.most, 1.0);
}

}  // namespace
}  // namespace npunet::study::flow_test
