// The quick estimate, where a route to a port is met for the first time while a message, alone
// until then, is still on its way into it.

#include <gtest/gtest.h>

#include "analytical/congestion_unaware.h"
#include "tests/analytical/traffic_networks.h"

namespace npunet::shared_ports_test {
namespace {

using packet_test::Plan;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t bytes = 1'000'000;
constexpr Time whole = Time::ns(20'000);

packet_test::PlannedMessage message(std::int32_t from, std::int32_t to, Time start) {
    return {NodeId(from), NodeId(to), Bytes(bytes), start, -1, true};
}

// NPUs 0 - 1 - 2 in a line. The message from 1 is in at 500 ns + 20 us. The one from 0 crosses both
// links, has its head at the port of 2 at its start + 1 us, and waits there until the other is in;
// whether the other's head was in when it started (1 us), or not yet (200 ns).
TEST(SharedPorts, ALaterRouteWaitsForTheMessageBefore) {
    const topology::NetworkDescription line = topology::make_network(
        {topology::make_dimension(topology::DimensionKind::Mesh1D, 3, rate, latency)});
    for (const Time start : {Time::ns(200), Time::ns(1000)}) {
        const Plan plan{message(1, 2, Time()), message(0, 2, start)};
        const test::NaiveRun run = test::run_traffic<analytical::CongestionUnaware>(plan, line);
        EXPECT_EQ(run.outcomes[0].delivered, latency + whole);
        EXPECT_EQ(run.outcomes[1].delivered, latency + 2 * whole);
    }
}

}  // namespace
}  // namespace npunet::shared_ports_test
