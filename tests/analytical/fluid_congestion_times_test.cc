// For how long messages are held back, come in faster than an NPU takes them, and wait in queues
// that mark: closed forms of an incast, and what the note on full buffers says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/event_queue.h"
#include "tests/packet/traffic.h"
#include "topology/builders/builder.h"
#include "topology/network/marking.h"

namespace npunet::fluid_congestion_times_test {
namespace {

using packet_test::message;
using packet_test::Plan;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr Time packet = Time::ps(83'200);  // 4160 bytes
constexpr std::int64_t mtu = 4096;

struct Measured {
    engine::CongestionTimes times;
    Time finish;
    std::vector<std::string> notes;
};

Measured run(const Plan& plan, const topology::NetworkDescription& network) {
    engine::EventQueue queue;
    analytical::FluidNetwork fluid(network, queue);
    packet_test::Traffic traffic(plan, queue, fluid);
    queue.run();
    Measured result;
    for (const packet_test::Outcome& outcome : traffic.outcomes()) {
        result.finish = std::max(result.finish, outcome.delivered);
    }
    result.times = fluid.congestion_times(result.finish).value();
    result.notes = fluid.notes(result.finish);
    return result;
}

topology::NetworkDescription line(DimensionKind kind, std::int32_t size) {
    return topology::make_network({topology::make_dimension(kind, size, rate, latency)});
}

// n messages of m packets come in from S + a on for m S, at n times the rate at which they leave:
// the queue lasts until all have left, n m S later, but for the packets that are sent then.
TEST(FluidCongestionTimes, IncastLastsUntilTheQueueIsEmpty) {
    for (const std::int32_t n : {1, 2, 7}) {
        constexpr std::int64_t m = 500;
        Plan plan;
        for (std::int32_t i = 1; i <= n; ++i) {
            plan.push_back(message(i, 0, m * mtu));
        }
        topology::NetworkDescription network = line(DimensionKind::Switch, n + 1);
        network.packet.buffer = Bytes(std::int64_t{1} << 40);
        const Measured result = run(plan, network);
        EXPECT_NEAR(static_cast<double>(result.times.incast.ps()),
                    n == 1 ? 0 : static_cast<double>((n * m * packet).ps()),
                    static_cast<double>(((n + 1) * packet).ps()))
            << n;
        EXPECT_EQ(result.times.back_pressure, Time());
        EXPECT_EQ(result.times.marks, Time());
    }
}

// Of NPU i to NPU i + d each NPU takes from one other only, though on a ring d messages share each
// link, of which one ends there.
TEST(FluidCongestionTimes, PermutationsAreNoIncast) {
    constexpr std::int32_t n = 8;
    for (const DimensionKind kind : {DimensionKind::Switch, DimensionKind::Ring}) {
        for (const std::int32_t d : {1, 2, 3}) {
            Plan plan;
            for (std::int32_t i = 0; i < n; ++i) {
                plan.push_back(message(i, (i + d) % n, 500 * mtu));
                plan.push_back(message(i, (i + d) % n, 300 * mtu));
            }
            const Measured result = run(plan, line(kind, n));
            EXPECT_GT(result.finish, 500 * packet);
            EXPECT_EQ(result.times.incast, Time()) << static_cast<int>(kind) << ' ' << d;
        }
    }
}

// The incast with DCQCN: the queue grows by (n - 1) / n of what comes in, for m S, and then shrinks
// at the rate of the link. It is longer than K, the time of kmin on the link, from K / (n - 1)
// after its beginning to K before its end.
TEST(FluidCongestionTimes, MarksLastWhileTheQueueIsLong) {
    constexpr std::int32_t n = 7;
    constexpr std::int64_t m = 500;
    Plan plan;
    for (std::int32_t i = 1; i <= n; ++i) {
        plan.push_back(message(i, 0, m * mtu));
    }
    topology::NetworkDescription network = line(DimensionKind::Switch, n + 1);
    network.packet.flow_control = topology::FlowControl::None;
    network.packet.transport.kind = topology::TransportKind::SelectiveRepeat;
    network.packet.transport.window = Bytes(std::int64_t{1} << 30);
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
    const Time kmin = transfer_time(topology::marks_begin(network.packet.ecn, rate), rate);
    const Measured result = run(plan, network);
    const Time expected = n * m * packet - kmin - Time::ps(kmin.ps() / (n - 1));
    EXPECT_NEAR(static_cast<double>(result.times.marks.ps()), static_cast<double>(expected.ps()),
                static_cast<double>(((n + 1) * packet).ps()));
    EXPECT_GT(result.times.incast, result.times.marks);
}

// Three NPUs want the link to NPU 3, of which NPU 0 has half of its own link at first: what it
// sends to NPU 4 is held back with the rest when the buffer is full. The note tells of the same
// time.
TEST(FluidCongestionTimes, BackPressureIsThatOfTheNote) {
    constexpr std::int64_t m = 2000;
    const Plan plan{message(0, 3, m * mtu), message(1, 3, m * mtu), message(2, 3, m * mtu),
                    message(0, 4, 3 * m * mtu)};
    const Measured result = run(plan, line(DimensionKind::Switch, 5));
    EXPECT_GT(result.times.back_pressure, Time());
    EXPECT_LT(result.times.back_pressure, result.finish);
    ASSERT_EQ(result.notes.size(), 1U);
    const double percent = 100.0 * static_cast<double>(result.times.back_pressure.ps()) /
                           static_cast<double>(result.finish.ps());
    const std::size_t place = result.notes[0].find("for ") + 4;
    EXPECT_NEAR(std::stod(result.notes[0].substr(place)), percent, 0.05 + 1e-9);
}

}  // namespace
}  // namespace npunet::fluid_congestion_times_test
