// Which fidelity offers what, and slow NPUs at all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "packet/make_packet_network.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::study::fidelity_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

Machine machine_of(const test::TestMachine& from, const char* dialect = "npunet") {
    Machine machine;
    machine.dialect = engine::Dialect::named(dialect);
    machine.network = from.network;
    machine.system = from.system;
    return machine;
}

std::string refusal(const Machine& machine, Fidelity fidelity) {
    const engine::Workload workload = test::workload_of(
        machine.network.graph.npus(), [](Rank) { return std::vector{test::compute_node(1, 10)}; });
    return test::message_of<InputError>(
        [&] { static_cast<void>(simulate(workload, machine, fidelity)); });
}

TEST(Fidelity, NamesGoBothWays) {
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
        EXPECT_EQ(fidelity_named(name_of(fidelity)), fidelity);
    }
    EXPECT_THAT(test::message_of<InputError>([] { static_cast<void>(fidelity_named("flow")); }),
                HasSubstr("analytical, fluid, packet or congestion-aware"));
}

TEST(Fidelity, ReferenceKnowsOneDimensionOnly) {
    const test::TestMachine torus = test::torus_machine(3, 3, rate, latency);
    EXPECT_THAT(refusal(machine_of(torus, "astra-sim"), Fidelity::CongestionAware),
                AllOf(HasSubstr("2 dimensions"), HasSubstr("--dialect npunet does several")));
    EXPECT_EQ(refusal(machine_of(torus, "astra-sim"), Fidelity::Analytical), "no error");
    EXPECT_EQ(refusal(machine_of(torus), Fidelity::CongestionAware), "no error");
}

TEST(Fidelity, ReferenceHasNoFaults) {
    test::TestMachine ring = test::ring_machine(4, rate, latency);
    ring.network.faults.npus = {{NodeId(1), topology::Factor{2 * topology::Factor::one}}};
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
        EXPECT_THAT(refusal(machine_of(ring, "astra-sim"), fidelity),
                    AllOf(HasSubstr("faults with --dialect astra-sim"), HasSubstr("npunet")));
    }
}

TEST(Fidelity, LinkFaultsWhereTheyAreModelled) {
    test::TestMachine ring = test::ring_machine(4, rate, latency);
    ring.network.faults.links = {{LinkId(0), Time(), Time::max(), topology::Factor{0}, Time()}};
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
        EXPECT_EQ(refusal(machine_of(ring), fidelity), "no error");
    }
}

// 100 us of compute, 130 us on the slow NPU, whatever carries the messages.
TEST(Fidelity, SlowNpusAtEveryFidelity) {
    test::TestMachine ring = test::ring_machine(4, rate, latency);
    ring.network.faults.npus = {{NodeId(1), topology::Factor{1'300'000'000}}};
    const engine::Workload workload =
        test::workload_of(4, [](Rank) { return std::vector{test::compute_node(1, 100)}; });
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
        const engine::Results results = simulate(workload, machine_of(ring), fidelity);
        EXPECT_EQ(results.fidelity, name_of(fidelity));
        EXPECT_EQ(results.npus[0].finish, Time::ns(100'000));
        EXPECT_EQ(results.npus[1].finish, Time::ns(130'000));
        EXPECT_EQ(results.npus[1].compute, Time::ns(130'000));
    }
}

std::vector<std::string> notes_at(const Machine& machine, Fidelity fidelity) {
    const engine::Workload workload = test::workload_of(
        machine.network.graph.npus(),
        [](Rank) {
            return std::vector{
                test::collective_node(1, chakra::CollectiveType::AllReduce, 1 << 20)};
        },
        {}, workload_options(machine));
    return simulate(workload, machine, fidelity).notes;
}

TEST(Fidelity, FluidSaysWhatItLeavesOut) {
    using testing::Contains;
    using testing::Not;
    test::TestMachine line = test::line_machine(topology::DimensionKind::Switch, 4, rate, latency);
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::Fluid),
                Not(Contains(HasSubstr("fluid leaves out"))));
    topology::PacketParameters& packet = line.network.packet;
    packet.flow_control = topology::FlowControl::Pfc;
    packet.transport.kind = topology::TransportKind::GoBackN;
    packet.congestion_control = topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::Fluid),
                Contains("fluid leaves out how dcqcn finds its rates; packet has it"));
    packet = topology::PacketParameters();
    packet.classes.count = 2;
    packet.injection = rate;
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::Fluid),
                Not(Contains(HasSubstr("leaves out"))));
    packet.speedup = 1;
    packet.arbitration = topology::Arbitration::Oldest;
    EXPECT_THAT(
        notes_at(machine_of(line), Fidelity::Fluid),
        Contains("fluid leaves out the limit of what leaves an input (speedup), arbitration "
                 "by age; packet has them"));
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::Packet),
                Not(Contains(HasSubstr("leaves out"))));
}

// The astra-sim dialects reproduce a simulator that does so.
TEST(Fidelity, CongestionAwareSaysThatItStoresWholeMessages) {
    using testing::Contains;
    using testing::Not;
    test::TestMachine line = test::line_machine(topology::DimensionKind::Switch, 4, rate, latency);
    const auto says = [](const char* fidelity) {
        return Contains(std::string("congestion-aware stores whole messages at every hop, where "
                                    "packets go on before the rest has arrived; ") +
                        fidelity + " lets messages share links as packets do");
    };
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::CongestionAware), says("fluid"));
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::Analytical),
                Not(Contains(HasSubstr("stores whole messages"))));
    // Which fluid refuses.
    topology::LinkFault fault;
    fault.link = LinkId(0);
    fault.bandwidth = topology::Factor{topology::Factor::one / 2};
    line.network.faults.links = {fault};
    EXPECT_THAT(notes_at(machine_of(line), Fidelity::CongestionAware), says("packet"));
    line.network.faults.links.clear();
    topology::Dimension& switched = line.network.dimensions[0];
    switched.bandwidth_gbps = 50;
    switched.latency_ns = 500;
    EXPECT_THAT(notes_at(machine_of(line, "astra-sim"), Fidelity::CongestionAware),
                Not(Contains(HasSubstr("stores whole messages"))));
}

// NPUs 0, 1 and 4 send to NPU 3 of a switch, 0 to NPU 2 as well: small buffers hold back what goes
// to 2, where nothing else goes.
TEST(Fidelity, FluidSaysThatFullBuffersHeldBack) {
    test::TestMachine line = test::line_machine(topology::DimensionKind::Switch, 5, rate, latency);
    const auto notes = [&] {
        const engine::Workload workload = test::workload_of(5, [](Rank rank) {
            std::vector<chakra::Node> nodes;
            if (rank.value() != 2 && rank.value() != 3) {
                nodes.push_back(test::send_node(1, 3, 8 << 20, 1));
            }
            if (rank.value() == 0) {
                nodes.push_back(test::send_node(2, 2, 8 << 20, 2));
            }
            if (rank.value() == 3) {
                nodes.push_back(test::receive_node(1, 0, 8 << 20, 1));
                nodes.push_back(test::receive_node(2, 1, 8 << 20, 1));
                nodes.push_back(test::receive_node(3, 4, 8 << 20, 1));
            }
            if (rank.value() == 2) {
                nodes.push_back(test::receive_node(1, 0, 8 << 20, 2));
            }
            return nodes;
        });
        return simulate(workload, machine_of(line), Fidelity::Fluid).notes;
    };
    line.network.packet.buffer = Bytes(1 << 30);
    EXPECT_THAT(notes(), testing::Not(testing::Contains(HasSubstr("finite buffers"))));
    line.network.packet.buffer = Bytes(100'000);
    EXPECT_THAT(notes(),
                testing::Contains(HasSubstr("finite buffers may have decided the finish")));
}

}  // namespace
}  // namespace npunet::study::fidelity_test
