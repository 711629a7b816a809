// The packet fidelity behind the interface of all networks.

#include "packet/make_packet_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <type_traits>

#include "base/errors.h"
#include "network_run.h"
#include "plan_run.h"
#include "tests/support/refusals.h"
#include "topology/builders/builder.h"
#include "topology/network/injection.h"
#include "topology/yaml/network_reader.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

/// Networks with credits and those of Ethernet-like switches.
template <class NetworkType>
class IdleNetwork : public testing::Test {
protected:
    static topology::PacketParameters packet() {
        return std::is_same_v<NetworkType, packet::EthernetNetwork> ? ethernet() : parameters();
    }
};

using BothNetworks = testing::Types<packet::CreditNetwork, packet::EthernetNetwork>;
struct NetworkNames {
    template <class NetworkType>
    static std::string GetName(int) {
        return std::is_same_v<NetworkType, packet::EthernetNetwork> ? "Ethernet" : "Credits";
    }
};
TYPED_TEST_SUITE(IdleNetwork, BothNetworks, NetworkNames);

// On an idle network of equal links n >= 2 packets over h hops take
//     (n + h - 2) ser(full) + ser(last) + h latency,
// and one packet takes h (ser + latency): the last packet waits nowhere, because those before it
// are no shorter.
TYPED_TEST(IdleNetwork, FollowsTheClosedForm) {
    const topology::NetworkDescription network = network_of({mesh(6)}, this->packet());
    const Time full = transfer_time(Bytes(mtu + 64), rate);
    for (const std::int64_t bytes : sizes_to_try) {
        const std::int64_t count = Packets(bytes).count;
        const Time last = transfer_time(Packets(bytes).last, rate);
        for (int hops = 1; hops <= 5; ++hops) {
            PlannedMessage planned = message(0, hops, bytes);
            planned.wants_sent = true;
            const NetworkRun<TypeParam> run(network, {planned});
            const Time expected = count == 1 ? hops * (last + latency)
                                             : (count + hops - 2) * full + last + hops * latency;
            EXPECT_EQ(run.delivered(0), expected) << bytes << " bytes, " << hops << " hops";
            EXPECT_EQ(run.outcomes()[0].sent, (count - 1) * full + last);
            EXPECT_EQ(run.machine.packet_hops(), static_cast<std::uint64_t>(count * hops));
        }
    }
}

topology::NetworkDescription torus() {
    const auto ring = topology::make_dimension(topology::DimensionKind::Ring, 4,
                                               Rate(50'000'000'000), Time::ns(500));
    return topology::make_network({ring, ring});
}

// A handler that throws ends the run; the next one is not affected.
TEST(PacketNetwork, SurvivesAnExceptionInARun) {
    struct Thrower final : engine::EventHandler {
        void handle(std::uint64_t /* payload */) override { throw StallError("enough"); }
    } thrower;
    const topology::NetworkDescription description = torus();
    for (int round = 0; round < 2; ++round) {
        engine::EventQueue queue;
        const std::unique_ptr<engine::Network> network = make_packet_network(description, queue);
        queue.schedule(Time::ns(3), engine::EventKey::of(engine::Phase::Issue, 0, 0), thrower);
        EXPECT_THROW(network->run(queue), StallError);
    }
}

// Limits of this fidelity alone are no matter for the reader; their messages name the file, also
// where ports for injection have made another network of it.
TEST(PacketNetwork, NamesTheFileOfWhatItRefuses) {
    for (const char* injection : {"", ", injection: 50"}) {
        const topology::NetworkDescription description = topology::parse_network(
            std::string("topology: [Switch]\nnpus_count: [3500]\nbandwidth: [50]\nlatency: [5]\n"
                        "packet: {virtual_channels: 32") +
                injection + "}\n",
            "net.yml");
        engine::EventQueue queue;
        EXPECT_THAT(test::message_of<InputError>(
                        [&] { static_cast<void>(make_packet_network(description, queue)); }),
                    testing::StartsWith("net.yml: network: found "));
    }
}

// With ports for injection the times are those of the network that has them; its own links are not
// reported.
TEST(PacketNetwork, AppliesInjection) {
    topology::NetworkDescription description = torus();
    description.packet.injection = Rate(60'000'000'000);
    std::mt19937_64 random(1);
    const Plan plan = make_plan(Pattern::Random, 16, 50'000, 4096, random);

    const topology::NetworkDescription split =
        topology::with_injection(description, description.packet.injection);
    const CreditRun bare(split, plan);

    engine::EventQueue queue;
    const std::unique_ptr<engine::Network> network = make_packet_network(description, queue);
    const Traffic traffic(plan, queue, *network);
    network->run(queue);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        ASSERT_EQ(traffic.outcomes()[i].delivered, bare.delivered(i));
    }
    const auto uses = network->link_use();
    ASSERT_EQ(uses.size(), description.graph.links());
    std::uint64_t hops = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        EXPECT_EQ(uses[i].wire, bare.machine.link_use()[i].wire);
        hops += uses[i].packets;
    }
    EXPECT_EQ(network->packet_hops(), hops);
}

}  // namespace
}  // namespace npunet::packet_test
