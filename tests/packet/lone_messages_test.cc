// Messages that are computed while they are alone (packet/credit/lone): whatever meets them,
// whenever, the results are those of all packets one by one.

#include "packet/credit/lone/lone_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fast_forward_run.h"
#include "network_run.h"
#include "packet/credit/lone/lone_profile.h"
#include "random_parameters.h"
#include "test_networks.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "traffic.h"

namespace npunet::packet_test::lone_messages_test {
namespace {

using packet::LoneLink;
using packet::LonePackets;
using packet::LoneProfile;

struct Meeting {
    std::string name;
    topology::PacketParameters packet;
    std::vector<topology::LinkFault> faults;
    Plan plan;
    std::vector<Time> looks;
    Time observed = Time::max();  ///< an observer is set
};

const std::vector<std::vector<Shape>> shapes_to_try{
    {mesh(2)},          {mesh(4)}, {ring(4), ring(3)}, {star(3)},         {star(5)},
    {full(4), star(2)}, {ring(6)}, {mesh(3), mesh(3)}, {ring(3), star(3)}};

LinkMaker links(std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            return mixed_links(random);
        case 1:
            return equal_links(Rate(50'000'000'000), Time());
        case 2:
            // Fast links beside slow ones of the same latency.
            return [&random](NodeId from, NodeId to) {
                return topology::Link{
                    from,          to, Rate(random() % 2 == 0 ? 50'000'000'000 : 200'000'000'000),
                    Time::ns(500), -1, false};
            };
        default:
            return equal_links(Rate(50'000'000'000), Time::ns(500));
    }
}

/// Draws messages, and others that meet them at every phase of their lives.
class MeetingPlanner {
public:
    MeetingPlanner(const TestNetwork& network, const topology::NetworkDescription& description,
                   std::mt19937_64& random)
        : network_(network), description_(description), draw_(random) {
        packets_.mtu = description.packet.mtu.value();
        packets_.header = description.packet.header.value();
        packets_.header_bytes = std::max<std::int64_t>(packets_.header, 1);
        packets_.cut_through = description.packet.switching == topology::Switching::CutThrough;
    }

    /// A message of a random pair at a random time.
    void add_base() {
        const std::pair<int, int> pair = any_pair();
        add(pair, size(), draw_.any_of({std::int64_t{0}, draw_.below(20'000'000)}));
    }

    /// A message that comes to a link of another one when something happens there.
    void add_meeting() {
        const Known met = known_[static_cast<std::size_t>(draw_.below(count(known_)))];
        if (!met.profile.possible) {
            return;
        }
        const std::size_t hop = static_cast<std::size_t>(draw_.below(count(met.route)));
        const std::int64_t at = instant(met, hop);
        for (int attempt = 0; attempt < 20; ++attempt) {
            const std::pair<int, int> pair = any_pair();
            const std::vector<topology::Hop> route =
                network_.route(NodeId(pair.first), NodeId(pair.second));
            for (std::size_t k = 0; k < route.size(); ++k) {
                if (route[k].link != met.route[hop].link) {
                    continue;
                }
                const std::int64_t bytes = size();
                const LoneProfile profile = lone_profile(links_of(route), packets_, bytes);
                const std::int64_t lead = profile.possible ? profile.hops[k].first : 0;
                add(pair, bytes, std::max<std::int64_t>(at - lead, 0));
                return;
            }
        }
    }

    /// When something happens to one of the messages.
    Time any_instant() {
        const Known known = known_[static_cast<std::size_t>(draw_.below(count(known_)))];
        return Time::ps(
            known.profile.possible
                ? std::max<std::int64_t>(
                      instant(known, static_cast<std::size_t>(draw_.below(count(known.route)))), 0)
                : draw_.below(20'000'000));
    }

    Plan plan;

private:
    struct Known {
        std::vector<topology::Hop> route;
        LoneProfile profile;
        std::int64_t start = 0;
    };

    template <class Item>
    static std::int64_t count(const std::vector<Item>& items) {
        return static_cast<std::int64_t>(items.size());
    }

    std::pair<int, int> any_pair() {
        const auto npus = static_cast<std::int64_t>(network_.graph.npus());
        const std::int64_t from = draw_.below(npus);
        const std::int64_t to = (from + 1 + draw_.below(npus - 1)) % npus;
        return {static_cast<int>(from), static_cast<int>(to)};
    }

    std::int64_t size() {
        const std::int64_t more = draw_.one_in(2) ? 0 : draw_.below(packets_.mtu + 1);
        return draw_.below(draw_.any_of({2, 8, 60})) * packets_.mtu + more;
    }

    std::vector<LoneLink> links_of(const std::vector<topology::Hop>& route) const {
        std::vector<LoneLink> result;
        for (const topology::Hop& hop : route) {
            const topology::Link& link = network_.graph.link(hop.link);
            result.push_back(
                {link.rate, link.latency.ps(), description_.buffer_of(hop.link).value()});
        }
        return result;
    }

    void add(std::pair<int, int> pair, std::int64_t bytes, std::int64_t start) {
        Known known;
        known.route = network_.route(NodeId(pair.first), NodeId(pair.second));
        known.profile = lone_profile(links_of(known.route), packets_, bytes);
        known.start = start;
        PlannedMessage one = message(pair.first, pair.second, bytes, Time::ps(start));
        one.wants_sent = draw_.one_in(3);
        if (!plan.empty() && draw_.one_in(4)) {
            one.after = static_cast<int>(draw_.below(count(plan)));
            const PlannedMessage& before = plan[static_cast<std::size_t>(one.after)];
            one.after_sent = before.wants_sent && draw_.one_in(2);
        }
        plan.push_back(one);
        known_.push_back(known);
    }

    /// A packet of the message starts, ends, may leave or gives its credit back, or the message is
    /// delivered, or that will be a picosecond later or was one before.
    std::int64_t instant(const Known& known, std::size_t hop) {
        const LoneProfile& profile = known.profile;
        const std::int64_t packet =
            draw_.any_of({std::int64_t{0}, profile.packets - 1, draw_.below(profile.packets)});
        std::int64_t at = known.start;
        switch (draw_.below(6)) {
            case 0:
                at += profile.start(packet, hop);
                break;
            case 1:
                at += profile.end(packet, hop);
                break;
            case 2:
                at += hop > 0 ? profile.ready(packet, hop) : 0;
                break;
            case 3:
                at += profile.credit_back(packet, hop);
                break;
            case 4:
                at += profile.arrival();
                break;
            default:
                at += draw_.below(profile.hops[hop].credit_end + 1);
                break;
        }
        return at + draw_.any_of({0, 0, 0, -1, 1});
    }

    const TestNetwork& network_;
    const topology::NetworkDescription& description_;
    LonePackets packets_;
    test::DrawFrom draw_;
    std::vector<Known> known_;
};

topology::PacketParameters parameters(std::mt19937_64& random) {
    test::DrawFrom draw(random);
    topology::PacketParameters packet;
    packet.mtu = Bytes(draw.any_of({4096, 256, 1000}));
    packet.header = Bytes(draw.any_of({64, 0, 16}));
    packet.virtual_channels = 2;
    if (draw.one_in(4)) {
        packet.buffer = draw.from_to(1, 12) * (packet.mtu + packet.header);
    }
    packet.arbitration =
        draw.any_of({topology::Arbitration::Oldest, topology::Arbitration::RoundRobin});
    packet.switching =
        draw.any_of({topology::Switching::CutThrough, topology::Switching::StoreAndForward});
    return packet;
}

Meeting draw_meeting(const TestNetwork& network, std::uint64_t seed, std::mt19937_64& random) {
    test::DrawFrom draw(random);
    Meeting meeting;
    meeting.name = "seed " + std::to_string(seed);
    meeting.packet = parameters(random);
    const topology::NetworkDescription description = network.describe(meeting.packet);
    MeetingPlanner planner(network, description, random);
    for (std::int64_t i = draw.from_to(1, 5); i > 0; --i) {
        planner.add_base();
    }
    for (std::int64_t i = draw.from_to(0, 4); i > 0; --i) {
        planner.add_meeting();
    }
    for (std::int64_t i = draw.from_to(0, 3); i > 0; --i) {
        meeting.looks.push_back(planner.any_instant());
    }
    if (draw.one_in(10)) {
        meeting.observed = planner.any_instant();
    }
    if (draw.one_in(10)) {
        meeting.faults.push_back(draw_slowdown(network.graph, Time::ps(30'000'000),
                                               {0, 100'000'000, 2'500'000'000}, random));
    }
    meeting.plan = planner.plan;
    return meeting;
}

/// Sets an observer at a given time.
class Observing final : private engine::EventHandler, private packet::PacketObserver {
public:
    Observing(engine::EventQueue& queue, packet::PacketNetwork& network, Time at)
        : network_(network) {
        if (at < Time::max()) {
            queue.schedule(at, engine::EventKey::of(engine::Phase::Issue, 14, 0), *this);
        }
    }

private:
    void handle(std::uint64_t) override { network_.set_observer(this); }
    void packet_started(LinkId, const packet::ObservedPacket&, Time, Bytes) override {}
    void packet_queued(LinkId, Bytes, Time) override {}
    void credit_stalled(LinkId, Time, Time) override {}

    packet::PacketNetwork& network_;
};

Told run(const Meeting& meeting, const TestNetwork& network, bool fast_forward,
         std::uint64_t shuffle_seed = 0, std::size_t threads = 1) {
    engine::EventQueue queue;
    topology::NetworkDescription description = network.describe(meeting.packet);
    description.faults.links = meeting.faults;
    packet::CreditNetwork machine(
        description, [&network](NodeId from, NodeId to) { return network.route(from, to); },
        shuffled(queue, shuffle_seed));
    machine.set_fast_forward(fast_forward);
    machine.set_threads(threads, 0);
    const Observing observing(queue, machine, meeting.observed);
    return run_and_look(meeting.plan, meeting.looks, queue, machine);
}

// For every configuration: each message's times of sending, of its first byte and of its delivery,
// and each link's figures, at the end and at some times before, are those of the packets one by
// one; also with shuffled insertions and several threads. Messages meet at the instants at which
// packets start, end, may leave or return credit, and a picosecond before and after, on links of
// equal and unequal rates, with and without latency. The runs take fewer events, so messages
// are computed.
TEST(LoneMessages, EqualPacketByPacket) {
    const std::uint64_t cases = test::random_cases(3000, 60'000);
    std::uint64_t events = 0;
    std::uint64_t of_packets = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        std::mt19937_64 random(seed);
        const TestNetwork network(shapes_to_try[random() % shapes_to_try.size()], links(random));
        const Meeting meeting = draw_meeting(network, seed, random);
        const Told expected = run(meeting, network, false);
        const Told told = run(meeting, network, true);
        ASSERT_EQ(told.transcript, expected.transcript) << meeting.name;
        events += told.events;
        of_packets += expected.events;
        if (seed % 4 == 0) {
            ASSERT_EQ(run(meeting, network, true, seed + 1).transcript, expected.transcript)
                << meeting.name << ", insertions shuffled";
        }
        if (seed % 16 == 1) {
            ASSERT_EQ(run(meeting, network, true, 0, 3).transcript, expected.transcript)
                << meeting.name << ", threads";
        }
    }
    EXPECT_LT(4 * events, 3 * of_packets);
    test::count_cases(cases);
}

Told run(const Plan& plan, const TestNetwork& network, bool fast_forward) {
    Meeting meeting;
    meeting.packet.virtual_channels = 2;
    meeting.plan = plan;
    return run(meeting, network, fast_forward);
}

// Each is delivered by one event, though the second starts at the end of the first and the third
// waits for the second's last packet; the fourth wants to know when it was sent.
TEST(LoneMessages, TakeOneEventEach) {
    const TestNetwork network({mesh(4)}, equal_links(Rate(50'000'000'000), Time::ns(500)));
    constexpr std::int64_t packet = 83'200;  // ps
    Plan plan{message(0, 3, 40 * 4096), message(0, 3, 40 * 4096, Time::ps(40 * packet)),
              message(0, 2, 40 * 4096, Time::ps(80 * packet - 1)), message(3, 0, 40 * 4096)};
    plan.back().wants_sent = true;
    const Told expected = run(plan, network, false);
    const Told told = run(plan, network, true);
    EXPECT_EQ(told.transcript, expected.transcript);
    EXPECT_EQ(told.events, 4U + 4 + 1);
    EXPECT_EQ(told.packet_hops, 40U * 11);
}

// A message that crosses another one's last link before it comes there leaves it alone.
TEST(LoneMessages, FitBeforeEarlierBookings) {
    const TestNetwork network({mesh(4)}, equal_links(Rate(50'000'000'000), Time::ns(500)));
    const Plan plan{message(0, 3, 40 * 4096), message(2, 3, 4 * 4096, Time::ps(1))};
    const Told expected = run(plan, network, false);
    const Told told = run(plan, network, true);
    EXPECT_EQ(told.transcript, expected.transcript);
    EXPECT_EQ(told.events, 4U);
}

}  // namespace
}  // namespace npunet::packet_test::lone_messages_test
