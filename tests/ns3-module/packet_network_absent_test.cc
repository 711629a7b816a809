// The packet fidelity in builds without ns-3.

#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"
#include "ns3-module/api/packet_network.h"
#include "tests/support/refusals.h"
#include "topology/builder.h"

namespace npunet::packet_test {
namespace {

TEST(PacketNetwork, SaysHowToGetIt) {
    EXPECT_FALSE(packet_fidelity_available());
    const topology::NetworkDescription description =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Ring, 4,
                                                         Rate(50'000'000'000), Time::ns(500))});
    engine::EventQueue queue;
    EXPECT_NE(test::message_of<InputError>([&] {
                  return make_packet_network(description, queue);
              }).find("libns3-dev"),
              std::string::npos);
}

}  // namespace
}  // namespace npunet::packet_test
