// The extensions of docs/extending.md: their closed forms, and that every part of npunet takes
// them. What is added stays for the rest of the program, so they have a program of their own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crossbar_network.h"
#include "engine/machine/system_config.h"
#include "moebius_ladder.h"
#include "neighbor_exchange.h"
#include "parameter_server.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/collectives.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "topology/network/deadlock.h"

namespace extending {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;
using engine::Implementation;
using npunet::test::collective_time;
using npunet::test::TestMachine;
using testing::HasSubstr;

constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

/// t(b): one message over one link.
Time t(std::int64_t bytes) {
    return latency + transfer_time(Bytes(bytes), rate);
}

const engine::Implementation& neighbor_exchange_added() {
    static const engine::Implementation added = neighbor_exchange::add();
    return added;
}

// d places apart along the ring: d links, or one across and n/2 - d along, whichever is less; the
// farthest are floor((n + 2) / 4) links apart. No cycle of waiting with the channels of a ring.
TEST(MoebiusLadder, RoutesAreShortestAndFreeOfDeadlock) {
    for (std::int32_t n = 4; n <= 26; n += 2) {
        const NetworkDescription network = make_moebius_ladder(n, rate, latency);
        std::int32_t farthest = 0;
        for (std::int32_t from = 0; from < n; ++from) {
            for (std::int32_t to = 0; to < n; ++to) {
                const std::int32_t apart = std::min((to - from + n) % n, (from - to + n) % n);
                const std::vector<Hop> hops =
                    from == to ? std::vector<Hop>() : network.route(NodeId(from), NodeId(to));
                ASSERT_EQ(static_cast<std::int32_t>(hops.size()),
                          std::min(apart, 1 + n / 2 - apart));
                NodeId at(from);
                for (const Hop hop : hops) {
                    ASSERT_EQ(network.graph.link(hop.link).from, at);
                    at = network.graph.link(hop.link).to;
                }
                ASSERT_EQ(at, NodeId(to));
                farthest = std::max(farthest, static_cast<std::int32_t>(hops.size()));
            }
        }
        EXPECT_EQ(farthest, (n + 2) / 4);
        EXPECT_TRUE(channel_dependencies(network).find_cycle().empty()) << n;
    }
}

class ReadLadder : public testing::Test {
protected:
    static void SetUpTestSuite() { add_standalone_network("MoebiusLadder", read_moebius_ladder); }

    study::Machine machine_of(const std::string& parameters) const {
        const auto file = folder_.write("net.yml", "MoebiusLadder: " + parameters + "\n");
        return study::load_machine(file.string(), "", "npunet");
    }

private:
    npunet::test::TemporaryFolder folder_;
};

TEST_F(ReadLadder, NetworkYmlKnowsItsSection) {
    EXPECT_EQ(machine_of("{npus: 8, bandwidth: 50, latency: 500}").network.graph.links(), 24U);
    EXPECT_THAT(npunet::test::message_of<InputError>(
                    [&] { return machine_of("{npus: 7, bandwidth: 1, latency: 1}"); }),
                HasSubstr("an even number"));
    EXPECT_THROW(add_standalone_network("FatTree", read_moebius_ladder), std::invalid_argument);
}

// To the one opposite is one link, at every fidelity; packets of 4096 bytes with 64 of header.
TEST_F(ReadLadder, EveryFidelityTakesIt) {
    const study::Machine machine = machine_of("{npus: 8, bandwidth: 50, latency: 500}");
    const engine::Workload workload = npunet::test::workload_of(8, [](Rank rank) {
        std::vector<chakra::Node> nodes;
        if (rank == Rank(1)) {
            nodes = {npunet::test::send_node(1, 5, 4096)};
        } else if (rank == Rank(5)) {
            nodes = {npunet::test::receive_node(1, 1, 4096)};
        }
        return nodes;
    });
    const auto time = [&](study::Fidelity fidelity) {
        return study::simulate(workload, machine, fidelity).finish;
    };
    EXPECT_EQ(time(study::Fidelity::Analytical), t(4096));
    EXPECT_EQ(time(study::Fidelity::CongestionAware), t(4096));
    EXPECT_EQ(time(study::Fidelity::Packet), t(4096 + 64));
}

// n even: t(S/n) + (n/2 - 1) t(2S/n) on a ring, whose links it uses one message at a time; n odd:
// the ring's (n - 1) t(S/n). S/n is what a rank gives in.
TEST(NeighborExchange, FollowsItsClosedForm) {
    for (std::int32_t n = 3; n <= 20; ++n) {
        TestMachine machine = npunet::test::ring_machine(n, rate, latency);
        machine.use(neighbor_exchange_added());
        const Time expected = n % 2 == 0 ? t(mib) + (n / 2 - 1) * t(2 * mib) : (n - 1) * t(mib);
        EXPECT_EQ(collective_time(CollectiveType::AllGather, mib, machine), expected) << n;
    }
}

// Every send meets its receive, and every member gets the bytes of all parts but its own, whatever
// their sizes.
TEST(NeighborExchange, BringsEveryPartToEverybody) {
    for (std::int32_t n = 2; n <= 20; n += 2) {
        engine::PhaseShape shape;
        shape.algorithm = neighbor_exchange_added().algorithm;
        shape.kind = CollectiveKind::AllGather;
        shape.members = n;
        shape.set_total(Bytes(1000 * n + 7));
        std::vector<Bytes> received(static_cast<std::size_t>(n));
        for (std::int32_t round = 0; round < engine::exchange_count(shape); ++round) {
            for (shape.me = 0; shape.me < n; ++shape.me) {
                const engine::Exchange sent = engine::exchange(shape, round);
                engine::PhaseShape other = shape;
                other.me = sent.send_to;
                EXPECT_EQ(engine::exchange(other, round).receive_from, shape.me);
                received[static_cast<std::size_t>(sent.send_to)] += sent.bytes;
            }
        }
        for (std::int32_t me = 0; me < n; ++me) {
            EXPECT_EQ(received[static_cast<std::size_t>(me)], shape.total() - shape.part(me));
        }
    }
}

TEST(NeighborExchange, SystemJsonKnowsItsName) {
    const engine::Implementation& added = neighbor_exchange_added();
    EXPECT_STREQ(added.name(), "neighborExchange");
    EXPECT_EQ(Implementation::named("neighborExchange")->algorithm, added.algorithm);
    EXPECT_TRUE(Implementation::named("oneNeighborExchange")->flat);
    EXPECT_TRUE(added.does(CollectiveKind::AllGather));
    EXPECT_FALSE(added.does(CollectiveKind::AllReduce));
    EXPECT_THAT(Implementation::names_for(CollectiveKind::AllGather),
                HasSubstr(", neighborExchange"));
    EXPECT_THROW(neighbor_exchange::add(), std::invalid_argument);
}

// n - 1 messages leave one port one after the other: (n - 1) ser(b) + a for all of them, however
// far they go; where each NPU sends to one other, t(b).
TEST(CrossbarNetwork, SharesThePortsOfSources) {
    TestMachine machine = npunet::test::ring_machine(8, rate, latency);
    machine.use(npunet::test::implementation("direct"));
    const engine::Workload all_to_all = npunet::test::workload_of(8, [](Rank) {
        return std::vector{npunet::test::collective_node(1, CollectiveType::AllToAll, 8 * mib)};
    });
    EXPECT_EQ(npunet::test::run<CrossbarNetwork>(all_to_all, machine).finish,
              7 * transfer_time(Bytes(mib), rate) + latency);
    const engine::Workload shift = npunet::test::workload_of(8, [](Rank rank) {
        return std::vector{npunet::test::send_node(1, (rank.value() + 3) % 8, mib),
                           npunet::test::receive_node(2, (rank.value() + 5) % 8, mib)};
    });
    EXPECT_EQ(npunet::test::run<CrossbarNetwork>(shift, machine).finish, t(mib));
}

// Each step: compute, gradients to the server, update, weights back, on links of their own.
TEST(ParameterServer, StepsTakeComputeAndTwoMessages) {
    ParameterServer job;
    job.workers = 7;
    job.steps = 3;
    job.gradients = Bytes(mib);
    job.worker_ns = 100'000;
    job.server_ns = 10'000;
    study::Machine machine;
    machine.dialect = engine::Dialect::named("npunet");
    machine.network =
        npunet::test::line_machine(DimensionKind::FullyConnected, 8, rate, latency).network;
    machine.system = engine::default_system_config(machine.dialect);
    const engine::Workload workload =
        study::workload_from(generate(job), study::workload_options(machine));
    EXPECT_EQ(study::simulate(workload, machine, study::Fidelity::Analytical).finish,
              3 * (Time::ns(100'000) + t(mib) + Time::ns(10'000) + t(mib)));
}

}  // namespace
}  // namespace extending
