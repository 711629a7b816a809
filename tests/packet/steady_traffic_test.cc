#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "packet/credit/credit_network.h"
#include "test_networks.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using topology::DimensionKind;

struct Configuration {
    std::string name;
    std::vector<Shape> shapes;
    topology::PacketParameters packet;
    bool mixed = false;
    Plan plan;
};

const std::vector<std::vector<Shape>>& shapes_to_try() {
    static const auto ring = [](int n) { return Shape{DimensionKind::Ring, n}; };
    static const auto mesh = [](int n) { return Shape{DimensionKind::Mesh1D, n}; };
    static const auto full = [](int n) { return Shape{DimensionKind::FullyConnected, n}; };
    static const auto star = [](int n) { return Shape{DimensionKind::Switch, n}; };
    static const std::vector<std::vector<Shape>> all{
        {mesh(4), mesh(4)}, {ring(4), ring(4)}, {ring(6)},          {mesh(5)},          {star(6)},
        {full(4), star(2)}, {ring(3), star(3)}, {mesh(3), mesh(2)}, {ring(5), mesh(2)}, {mesh(2)}};
    return all;
}

/// Long messages, alone and in competition, that start at any time or when others have arrived, and
/// short ones between them.
Plan long_messages(int npus, std::int64_t mtu, std::mt19937_64& random) {
    const auto below = [&random](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    Plan plan;
    const auto count = 1 + below(3 * npus);
    const std::int64_t longest = std::array<std::int64_t, 3>{60, 300, 1500}[random() % 3];
    const std::int64_t spread = std::array<std::int64_t, 3>{1, 1'000'000, 60'000'000}[random() % 3];
    for (std::int64_t i = 0; i < count; ++i) {
        PlannedMessage message;
        message.source = NodeId(static_cast<int>(below(npus)));
        message.destination =
            NodeId(static_cast<int>((message.source.value() + 1 + below(npus - 1)) % npus));
        const bool brief = below(4) == 0;
        const std::int64_t packets = brief ? below(8) : 32 + below(longest);
        message.bytes = Bytes(packets * mtu + (below(2) == 0 ? 0 : below(mtu + 1)));
        message.start = Time::ps(below(spread));
        message.after = i > 0 && below(3) == 0 ? static_cast<int>(below(i)) : -1;
        message.wants_sent = below(3) == 0;
        plan.push_back(message);
    }
    return plan;
}

Configuration configuration(unsigned seed) {
    std::mt19937_64 random(seed);
    Configuration result;
    result.name = "seed " + std::to_string(seed);
    result.shapes = shapes_to_try()[random() % shapes_to_try().size()];
    result.packet.mtu = Bytes(std::array<std::int64_t, 3>{4096, 256, 1000}[random() % 3]);
    result.packet.header = Bytes(std::array<std::int64_t, 3>{64, 0, 16}[random() % 3]);
    const Bytes packet = result.packet.mtu + result.packet.header;
    switch (random() % 4) {
        case 0:
            result.packet.buffer = packet + Bytes(static_cast<std::int64_t>(random() % 3000));
            break;
        case 1:
            result.packet.buffer = static_cast<std::int64_t>(2 + random() % 20) * packet;
            break;
        default:
            break;
    }
    result.packet.virtual_channels = 2;
    result.mixed = random() % 2 == 0;
    if (random() % 2 == 0) {
        result.packet.arbitration =
            random() % 2 == 0 ? topology::Arbitration::Oldest : topology::Arbitration::RoundRobin;
        result.packet.switching = random() % 2 == 0 ? topology::Switching::CutThrough
                                                    : topology::Switching::StoreAndForward;
        result.packet.speedup = static_cast<std::uint8_t>(random() % 3);
        if (random() % 2 == 0) {
            result.packet.classes = random_classes(random);
        }
    }
    return result;
}

/// Looks at the links of a network at given times.
class Watcher final : private engine::EventHandler {
public:
    Watcher(engine::EventQueue& queue, packet::PacketNetwork& network, std::vector<Time> times)
        : network_(network) {
        for (const Time time : times) {
            queue.schedule(time, engine::EventKey::of(engine::Phase::Issue, 15, 0), *this);
        }
    }

    [[nodiscard]] const std::string& seen() const { return seen_; }

private:
    void handle(std::uint64_t) override {
        network_.settle();
        seen_ += transcript({}, network_.link_use(), network_.packet_hops());
    }

    packet::PacketNetwork& network_;
    std::string seen_;
};

struct Seen {
    std::string transcript;
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
};

Seen run(const Configuration& configuration, const TestNetwork& network, bool trains,
         const std::vector<Time>& looks, std::uint64_t shuffle_seed = 0, std::size_t threads = 1) {
    engine::EventQueue queue;
    if (shuffle_seed != 0) {
        queue.shuffle_insertions(shuffle_seed);
    }
    const topology::NetworkDescription description = network.describe(configuration.packet);
    packet::CreditNetwork machine(
        description, [&network](NodeId from, NodeId to) { return network.route(from, to); }, queue);
    machine.set_fast_forward(trains);
    machine.set_threads(threads, 0);
    const Traffic traffic(configuration.plan, queue, machine);
    const Watcher watcher(queue, machine, looks);
    queue.run();
    return {transcript(traffic, machine) + watcher.seen(), queue.handled(), machine.packet_hops()};
}

void compare(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        Configuration chosen = configuration(seed);
        std::mt19937_64 random(seed + 1'000'000);
        const TestNetwork network(
            chosen.shapes,
            chosen.mixed ? mixed_links(random) : equal_links(Rate(50'000'000'000), Time::ns(500)));
        chosen.plan = long_messages(static_cast<int>(network.graph.npus()),
                                    chosen.packet.mtu.value(), random);
        draw_classes(chosen.plan, chosen.packet.classes.count, random);
        draw_followers_of_ends(chosen.plan, random);
        std::vector<Time> looks;
        for (std::uint64_t i = random() % 4; i > 0; --i) {
            looks.push_back(Time::ps(static_cast<std::int64_t>(random() % 200'000'000)));
        }
        const Seen expected = run(chosen, network, false, looks);
        ASSERT_EQ(run(chosen, network, true, looks).transcript, expected.transcript) << chosen.name;
        ASSERT_EQ(run(chosen, network, true, looks, seed + 1).transcript, expected.transcript)
            << chosen.name << ", insertions shuffled";
        if (seed % 6 == 0) {
            const Seen shared = run(chosen, network, false, looks, 0, 2 + seed % 3);
            ASSERT_EQ(shared.transcript, expected.transcript) << chosen.name << ", threads";
            ASSERT_EQ(shared.events, expected.events) << chosen.name << ", threads";
            ASSERT_EQ(run(chosen, network, true, looks, 0, 3).transcript, expected.transcript)
                << chosen.name << ", trains and threads";
        }
    }
}

/// Events of a run with trains for each packet-hop; it must equal the run without.
double events_per_packet_hop(const Plan& plan, const std::vector<Shape>& shapes,
                             topology::PacketParameters packet = {}) {
    Configuration configuration;
    configuration.shapes = shapes;
    configuration.packet = packet;
    configuration.packet.virtual_channels = 2;
    configuration.plan = plan;
    const TestNetwork network(shapes, equal_links(Rate(50'000'000'000), Time::ns(500)));
    const Seen expected = run(configuration, network, false, {});
    const Seen found = run(configuration, network, true, {});
    EXPECT_EQ(found.transcript, expected.transcript);
    EXPECT_GE(expected.events, expected.packet_hops);
    return static_cast<double>(found.events) / static_cast<double>(found.packet_hops);
}

PlannedMessage message(int from, int to, std::int64_t bytes, Time start = Time()) {
    PlannedMessage planned;
    planned.source = NodeId(from);
    planned.destination = NodeId(to);
    planned.bytes = Bytes(bytes);
    planned.start = start;
    return planned;
}

// For every configuration: each message's times of sending, of its first byte and of its delivery,
// and each link's figures, at the end and at some times before, are those of the run without
// packet trains in one thread; so they are in several threads, with trains and without, and
// without trains as many events are handled.
TEST(SteadyTraffic, EqualsPacketByPacket0) {
    compare(0, 300);
}
TEST(SteadyTraffic, EqualsPacketByPacket1) {
    compare(1000, 300);
}
TEST(SteadyTraffic, EqualsPacketByPacket2) {
    compare(2000, 300);
}
TEST(SteadyTraffic, EqualsPacketByPacket3) {
    compare(3000, 300);
}

// 16 MiB alone over 3 links are 4096 packets and 12 288 packet-hops. The pattern is there when the
// first credit is back after 1083 ns, 13 packets.
TEST(SteadyTraffic, AMessageAloneTakesFewEvents) {
    EXPECT_LT(events_per_packet_hop({message(0, 3, 16 << 20)}, {{DimensionKind::Mesh1D, 4}}), 0.02);
}

// Three senders, one receiver: the links before the switch carry a third of their rate each, by
// credits, once the buffers of 63 packets are full.
TEST(SteadyTraffic, MessagesThatShareALinkTakeFewEvents) {
    const Plan plan{message(0, 3, 16 << 20), message(1, 3, 16 << 20), message(2, 3, 16 << 20)};
    EXPECT_LT(events_per_packet_hop(plan, {{DimensionKind::Switch, 4}}), 0.1);
}

// The one that started later competes for the last two of three links.
TEST(SteadyTraffic, ALaterMessageBreaksThePatternAndMakesAnother) {
    const Plan plan{message(0, 3, 16 << 20), message(1, 3, 8 << 20, Time::ns(40'001))};
    EXPECT_LT(events_per_packet_hop(plan, {{DimensionKind::Mesh1D, 4}}), 0.1);
}

// 64 KiB are 16 packets: nothing to gain, and nothing to lose but an event for each message.
TEST(SteadyTraffic, ShortMessagesAreLeftAlone) {
    Plan plan;
    for (int i = 0; i < 50; ++i) {
        plan.push_back(message(i % 4, (i + 1) % 4, 64 << 10, Time::ns(i)));
    }
    EXPECT_LE(events_per_packet_hop(plan, {{DimensionKind::Ring, 4}}), 1.3);
}

}  // namespace
}  // namespace npunet::packet_test
