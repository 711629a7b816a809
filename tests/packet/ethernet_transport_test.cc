// The transport on idle links: when the receiver answers, what a sender may send without credit,
// and when it gives up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "network_run.h"
#include "plan_run.h"
#include "tests/support/refusals.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using topology::FlowControl;
using topology::NetworkDescription;
using topology::TransportKind;

std::string stall_of(const NetworkDescription& network, const Plan& plan) {
    return test::message_of<StallError>([&] { return EthernetRun(network, plan).finish(); });
}

// On two links of 4 x 10^18 B/s and 900 s a window of two bandwidth-delay products has 1.4 x 10^22
// bytes: all packets go at once. A round trip of 4 x 10^18 ps, of which the clock knows two, needs
// a timeout of eight, which never comes.
TEST(EthernetTransport, WindowsAndTimeoutsOfLongLinksAreNotNegative) {
    for (const TransportKind kind : {TransportKind::GoBackN, TransportKind::SelectiveRepeat}) {
        const NetworkDescription wide =
            network_of({mesh(2)}, ethernet(kind), Rate(4'000'000'000'000'000'000),
                       Time::ps(900'000'000'000'000));
        const EthernetRun quick(wide, {packets(0, 1, 50)});
        EXPECT_EQ(quick.delivered(0), Time::ps(900'000'000'000'000 + 50));

        const NetworkDescription distant =
            network_of({mesh(2)}, ethernet(kind), rate, Time::ps(2'000'000'000'000'000'000));
        const EthernetRun far(distant, {packets(0, 1, 3)});
        EXPECT_EQ(far.delivered(0), Time::ps(2'000'000'000'000'030'000));
        EXPECT_EQ(far.machine.pairs()[0].use.timeouts, 0);
        EXPECT_EQ(far.sum().retransmissions, 0U);
    }
}

// A GB for each byte per second of the link is more than a queue ever has: nothing is marked where
// packets of 0 and of 1 wait for the link from 1 to 2.
TEST(EthernetTransport, ThresholdsOfMarksAreNotNegative) {
    NetworkDescription network = network_of({mesh(3)}, ethernet(TransportKind::SelectiveRepeat));
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Dctcp);
    network.packet.ecn.per = Rate(1);
    network.packet.ecn.kmin = network.packet.ecn.kmax = Bytes(1'000'000'000);
    const EthernetRun run(network, {packets(0, 2, 50), packets(1, 2, 50)});
    EXPECT_EQ(run.sum().marked, 0U);
}

// One acknowledgement for w packets, of which the last fills the window and asks for it though
// ack_every is 8: it has left after 10 w ns, is in 5 ns later and answered another 5.64 ns later.
// So w packets go in each 10 w + 10.64 ns; those of the last round have not filled the window, but
// the last one ends the message.
TEST(EthernetTransport, AFullWindowIsAnsweredAtOnce) {
    for (const TransportKind kind : {TransportKind::GoBackN, TransportKind::SelectiveRepeat}) {
        for (const int w : {1, 2, 3, 7}) {
            for (const int count : {1, 2, 5, 14, 20}) {
                NetworkDescription network = network_of({mesh(2)}, ethernet(kind));
                network.packet.transport.ack_every = 8;
                network.packet.transport.window = Bytes(w * (mtu + 64));
                const EthernetRun run(network, {packets(0, 1, count)});
                const int rounds = (count - 1) / w;
                const Time start = Time::ps(rounds * (10'000 * w + 10'640));
                const Time delivered = start + Time::ns(10 * (count - rounds * w) + 5);
                EXPECT_EQ(run.delivered(0), delivered) << w << " of " << count;
                EXPECT_EQ(run.outcomes()[0].sent, delivered + Time::ps(5640));
                EXPECT_EQ(run.machine.packet_hops(),
                          static_cast<std::uint64_t>(count + rounds + 1));
                EXPECT_EQ(run.machine.pairs()[0].use.timeouts, 0);
            }
        }
    }
}

// As many packets as ack_every within the window are answered without asking: 8 of 16.
TEST(EthernetTransport, AnOpenWindowIsAnsweredNowAndThen) {
    NetworkDescription network = network_of({mesh(2)}, ethernet(TransportKind::GoBackN));
    network.packet.transport.ack_every = 8;
    network.packet.transport.window = Bytes(16 * (mtu + 64));
    const EthernetRun run(network, {packets(0, 1, 64)});
    EXPECT_EQ(run.delivered(0), Time::ns(645));
    EXPECT_EQ(run.machine.packet_hops(), 64U + 8U);
}

// Eight senders share a link, and congestion control makes their windows, 83 packets at first,
// smaller than what is under way, packets that have not asked for an answer among them: none
// waits for a timeout, which would be 500 us, when 8 x 400 packets take 32 us.
TEST(EthernetTransport, AWindowThatClosesLaterIsNoWait) {
    NetworkDescription network =
        network_of({star(9)}, ethernet(TransportKind::GoBackN), rate, Time::ns(200));
    network.packet.ecn = {Bytes(5000), Bytes(20'000), 1, Rate()};
    using topology::CongestionAlgorithm;
    for (const CongestionAlgorithm algorithm :
         {CongestionAlgorithm::Hpcc, CongestionAlgorithm::Swift, CongestionAlgorithm::Dctcp}) {
        network.packet.congestion_control = topology::standard_choice(algorithm);
        for (const std::int32_t every : {2, 5, 20, 60}) {
            network.packet.transport.ack_every = every;
            Plan plan;
            for (int npu = 1; npu < 9; ++npu) {
                plan.push_back(packets(npu, 0, 400));
            }
            const EthernetRun run(network, plan);
            for (const packet::QueuePair& pair : run.machine.pairs()) {
                EXPECT_EQ(pair.use.timeouts, 0) << topology::name_of(algorithm) << " " << every;
            }
        }
    }
}

// A message of one packet each 12 ns, acknowledged after 20.64 ns: one or two are under way, no
// more than the first window (a bandwidth-delay product: 2.064 packets), so each goes at once,
// without a request for credit. With one each 10 ns the third finds two under way, and waits.
TEST(EthernetTransport, SmallMessagesNeedNoCreditWithinTheFirstWindow) {
    NetworkDescription network = network_of({mesh(2)}, ethernet(TransportKind::SelectiveRepeat));
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::ReceiverCredit);
    Plan plan;
    for (int i = 0; i < 50; ++i) {
        plan.push_back(packets(0, 1, 1, Time::ns(12 * i)));
    }
    const EthernetRun run(network, plan);
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(run.delivered(static_cast<std::size_t>(i)), Time::ns(12 * i + 15));
    }
    EXPECT_EQ(run.machine.packet_hops(), 100U);
    for (int i = 0; i < 50; ++i) {
        plan[static_cast<std::size_t>(i)].start = Time::ns(10 * i);
    }
    const EthernetRun fast(network, plan);
    EXPECT_EQ(fast.delivered(1), Time::ns(25));
    EXPECT_GT(fast.delivered(2), Time::ns(35));
    EXPECT_GT(fast.machine.packet_hops(), 100U);
}

// A packet hardly ever crosses five links that lose 9 of 10. It goes at 0, 20, 60 and 140 us, and
// the fourth timeout, at 300 us, is one more than three retries.
TEST(EthernetTransport, GivesUpWhatIsSentInVain) {
    for (const TransportKind kind : {TransportKind::GoBackN, TransportKind::SelectiveRepeat}) {
        NetworkDescription network = network_of({mesh(6)}, ethernet(kind));
        network.packet.error_rate = 0.9;
        network.packet.transport.rto = Time::ns(20'000);
        network.packet.transport.retries = 3;
        const std::string text = stall_of(network, {packets(0, 5, 1)});
        EXPECT_THAT(text, StartsWith("at 300000000 ps " + network.graph.name(NodeId(0)) +
                                     " gave up to send to " + network.graph.name(NodeId(5)) +
                                     " (class 0) after 4 timeouts in a row without an answer; "
                                     "the link "));
        EXPECT_THAT(text, HasSubstr(" has lost "));
        EXPECT_THAT(text, HasSubstr("packet.transport.retries"));
        network.packet.transport.retries = topology::TransportParameters().retries;
        EXPECT_THAT(stall_of(network, {packets(0, 5, 1)}), HasSubstr("after 33 timeouts"));
    }
}

// Half of all packets are lost on a link and half of the answers: one of four attempts succeeds.
TEST(EthernetTransport, SendsAgainForEverWhereItIsTold) {
    NetworkDescription network = network_of({mesh(2)}, ethernet(TransportKind::GoBackN));
    network.packet.error_rate = 0.5;
    network.packet.transport.retries = 1;
    EXPECT_THAT(stall_of(network, {packets(0, 1, 100)}), HasSubstr("after 2 timeouts"));
    network.packet.transport.retries = 0;
    EXPECT_EQ(stall_of(network, {packets(0, 1, 100)}), "no error");
}

/// Two NPUs send 400 messages of 16 packets each to a third one through a buffer of 16 packets;
/// each has a window of 18 packets.
struct TwoIntoOne {
    TwoIntoOne(Time jitter, std::uint64_t seed, std::uint64_t shuffle_seed = 0)
        : machine(network(jitter, seed)), run(machine, plan(), shuffle_seed) {}

    static constexpr int count = 400;

    static NetworkDescription network(Time jitter, std::uint64_t seed) {
        topology::PacketParameters packet;
        packet.flow_control = FlowControl::None;
        packet.buffer = Bytes(16 * 4160);
        packet.shared_buffer.alpha = 8;
        packet.seed = seed;
        packet.transport.kind = TransportKind::GoBackN;
        packet.transport.rto = Time::ns(50'000);
        packet.transport.retries = 0;
        packet.transport.start_jitter = jitter;
        return network_of({star(3)}, packet, Rate(12'500'000'000), Time::ns(500));
    }
    static Plan plan() {
        Plan plan;
        for (int i = 0; i < 2 * count; ++i) {
            plan.push_back(message(1 + i % 2, 0, 16 * 4096));
        }
        return plan;
    }
    [[nodiscard]] std::int64_t repeated(std::size_t flow) const {
        return run.machine.pairs()[flow].use.repeated;
    }
    /// Messages delivered by the slower flow per message of the faster one, when one of them is
    /// done.
    [[nodiscard]] double share() const {
        const Time end = std::min(run.delivered(2 * count - 2), run.delivered(2 * count - 1));
        std::array<int, 2> done{};
        for (std::size_t i = 0; i < 2 * count; ++i) {
            done[i % 2] += run.delivered(i) <= end ? 1 : 0;
        }
        return static_cast<double>(std::min(done[0], done[1])) / std::max(done[0], done[1]);
    }

    NetworkDescription machine;
    EthernetRun run;
};

// Packets of both arrive at the same times, and those of the lower link always get the freed room:
// one flow loses nothing, the other one nearly everything. With a start jitter of three packet
// times both have losses, and on average over ten seeds they share the link.
TEST(EthernetTransport, AStartJitterTakesSendersOutOfStep) {
    const TwoIntoOne in_step(Time(), 1);
    EXPECT_EQ(std::min(in_step.repeated(0), in_step.repeated(1)), 0);
    EXPECT_GT(std::max(in_step.repeated(0), in_step.repeated(1)), 500);
    EXPECT_LT(in_step.share(), 0.15);
    double shares = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const TwoIntoOne jittered(Time::ns(1000), seed);
        EXPECT_GT(jittered.repeated(0), 0) << "seed " << seed;
        EXPECT_GT(jittered.repeated(1), 0) << "seed " << seed;
        shares += jittered.share();
        const TwoIntoOne again(Time::ns(1000), seed, 7);
        EXPECT_EQ(again.run.transcript(), jittered.run.transcript());
    }
    EXPECT_GT(shares / 10, 0.6);
}

// A packet alone on an idle link of 5 ns, which takes 10 ns to send, arrives 15 ns after its drawn
// start. The start is uniform: the mean of 1000 draws from 0 to 999 ns is within four standard
// deviations, 1000 / sqrt(12 x 1000) = 9.1 ns, of 499.5 ns.
TEST(EthernetTransport, StartsAreDrawnUniformly) {
    NetworkDescription network = network_of({mesh(2)}, ethernet(TransportKind::GoBackN));
    network.packet.transport.start_jitter = Time::ps(999'999);
    Plan plan;
    for (int i = 0; i < 1000; ++i) {
        plan.push_back(packets(0, 1, 1, Time::ns(2000 * i)));
    }
    const EthernetRun run(network, plan);
    Time sum;
    Time least = Time::max();
    Time most;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const Time waited = run.delivered(i) - plan[i].start - Time::ns(15);
        sum += waited;
        least = std::min(least, waited);
        most = std::max(most, waited);
    }
    EXPECT_NEAR(static_cast<double>(sum.ps()) / 1e6, 499.5, 36.4);
    EXPECT_GE(least, Time());
    EXPECT_LT(least, Time::ns(20));
    EXPECT_GT(most, Time::ns(980));
    EXPECT_LT(most, Time::ns(1000));
    network.packet.transport.start_jitter = Time();
    EXPECT_EQ(EthernetRun(network, plan).delivered(999), plan[999].start + Time::ns(15));
}

// A packet is acknowledged after 20.64 ns; a timeout of 1 ns runs out at 1 and, sent again when the
// link is free at 10, of 2 ns at 12.
TEST(EthernetTransport, SaysThatTheTimeoutIsTooShort) {
    NetworkDescription network = network_of({mesh(2)}, ethernet(TransportKind::GoBackN));
    network.packet.transport.rto = Time::ns(1);
    network.packet.transport.retries = 1;
    const std::string text = stall_of(network, {packets(0, 1, 1)});
    EXPECT_THAT(text, StartsWith("at 12000 ps "));
    EXPECT_THAT(text, HasSubstr("retransmission timeout, 1 ns: raise packet.transport.rto"));
}

}  // namespace
}  // namespace npunet::packet_test
