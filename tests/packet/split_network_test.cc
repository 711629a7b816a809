// Networks of both kinds that are split, worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"
#include "plan_run.h"
#include "split_network.h"
#include "tests/support/refusals.h"

namespace npunet::packet_test {
namespace {

struct SplitKind {
    std::string name;
    topology::PacketParameters packet;
    Time sent;                      ///< of three packets over two links
    std::uint64_t packet_hops = 0;  ///< of all that goes there and back
};

class SplitNetworks : public testing::TestWithParam<SplitKind> {};

// A line 0 - 1 - 2 of packets of 10 ns, 1000 bytes, and links of 5 ns, split between 1 and 2: of
// three packets from 0 to 2 the last is in at 30 + 10 + 2 x 5 = 50, whichever part NPU 1 is in, and
// 2 hears what the sender had to say. With credits the last one has left at 30. With a transport
// its acknowledgement, of 64 bytes, starts at 50, and is back 2 x (0.64 + 5) = 11.28 later.
TEST_P(SplitNetworks, ALineWorkedOutByHand) {
    const topology::NetworkDescription network = network_of({mesh(3)}, GetParam().packet);
    for (const Parts& parts : {Parts{0, 0, 1}, Parts{0, 1, 1}, Parts{0, 1, 0}, Parts{0, 1, 2}}) {
        const SplitResult result = run_split(network, {packets(0, 2, 3)}, parts, 1);
        EXPECT_EQ(result.outcomes[0].sent, GetParam().sent);
        EXPECT_EQ(result.outcomes[0].delivered, Time::ns(50));
        EXPECT_EQ(result.outcomes[0].first_byte_left, Time::ns(0));
        EXPECT_EQ(result.packet_hops, GetParam().packet_hops);
    }
}

// What happens on one side of a link without latency is felt on the other at once.
TEST_P(SplitNetworks, RefusesToCutALinkWithoutLatency) {
    const topology::NetworkDescription network =
        network_of({mesh(2)}, GetParam().packet, rate, Time());
    EXPECT_THAT(test::message_of<InputError>([&] {
                    return run_split(network, {}, {0, 1}, 1);
                }),
                testing::HasSubstr("from 'npu0' to 'npu1'"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SplitNetworks,
                         testing::Values(SplitKind{"Credits", parameters(), Time::ns(30), 6},
                                         SplitKind{"Ethernet",
                                                   ethernet(topology::TransportKind::GoBackN),
                                                   Time::ps(61'280), 12}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace npunet::packet_test
