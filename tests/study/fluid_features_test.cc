// What the fluid fidelity makes of faults, traffic classes, ports for injection and errors, against
// packets: random cases, whose errors are printed and bounded.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "engine/clock/event_queue.h"
#include "study/fidelity_network.h"
#include "study/jobs.h"
#include "tests/packet/traffic.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::fluid_features_test {
namespace {

using packet_test::Plan;
using test::Draw;
using topology::Factor;
using topology::NetworkDescription;

/// The first `redundant` ones have another route round any link.
constexpr std::size_t redundant = 3;
constexpr const char* networks[] = {
    "{topology: [Ring], npus_count: [8], bandwidth: [50], latency: [500]}",
    "{topology: [Torus2D], npus_count: [[4, 4]], bandwidth: [50], latency: [500]}",
    "{topology: [Mesh2D], npus_count: [[4, 3]], bandwidth: [50], latency: [300]}",
    "{topology: [Switch], npus_count: [8], bandwidth: [50], latency: [500]}",
    "{topology: [FullyConnected, Switch], npus_count: [4, 4], bandwidth: [100, 25], latency: [50, "
    "700]}",
    "{FatTree: {radix: 8, levels: 2, npus: 24, bandwidth: 50, latency: 500}}"};

/// Messages of 64 KiB to 2 MiB: a permutation, several senders to one NPU, or any.
Plan draw_plan(Draw& draw, int npus) {
    Plan plan;
    const auto size = [&] { return draw.from_to(16, 512) * 4096; };
    const auto pattern = draw.below(3);
    const auto shift = static_cast<int>(draw.from_to(1, npus - 1));
    for (int from = 0; from < npus; ++from) {
        const std::int64_t bytes = size();
        const Time start = Time::ns(pattern == 2 ? draw.below(20'000) : 0);
        const auto any = static_cast<int>(draw.from_to(1, npus - 1));
        if (pattern == 1 && (from == 0 || from > 4)) {
            continue;
        }
        const int to = pattern == 0   ? (from + shift) % npus
                       : pattern == 1 ? 0
                                      : (from + any) % npus;
        plan.push_back(packet_test::message(from, to, bytes, start));
    }
    return plan;
}

Time finish(const Machine& machine, Fidelity fidelity, const Plan& plan) {
    engine::EventQueue queue;
    const std::unique_ptr<engine::Network> network =
        make_network(machine, fidelity, queue, RunOptions());
    packet_test::Traffic traffic(plan, queue, *network);
    network->run(queue);
    EXPECT_TRUE(packet_test::all_came_once(traffic.outcomes())) << name_of(fidelity);
    return packet_test::latest_delivery(traffic.outcomes());
}

/// Errors of the finish of random cases, in percent.
class Errors {
public:
    void add(const Machine& machine, const Plan& plan, const std::string& name) {
        add(finish(machine, Fidelity::Packet, plan), finish(machine, Fidelity::Fluid, plan), name);
    }
    void add(Time of_packets, Time of_fluid, const std::string& name) {
        const auto packets = static_cast<double>(of_packets.ps());
        const auto fluid = static_cast<double>(of_fluid.ps());
        const double error = 100.0 * (fluid / packets - 1);
        if (std::getenv("NPUNET_TEST_PRINT") != nullptr) {
            fmt::print("{}: packet {:.3f} us, fluid {:.3f} us, {:+.2f} %\n", name, packets / 1e6,
                       fluid / 1e6, error);
        }
        errors_.push_back(std::abs(error));
    }

    void expect_at_most(double median, double worst) {
        std::sort(errors_.begin(), errors_.end());
        const double middle = errors_[errors_.size() / 2];
        fmt::print("{} cases: median {:.2f} %, 90th percentile {:.2f} %, worst {:.2f} %\n",
                   errors_.size(), middle, errors_[errors_.size() * 9 / 10], errors_.back());
        EXPECT_LE(middle, median);
        EXPECT_LE(errors_.back(), worst);
        test::count_cases(errors_.size());
    }

private:
    std::vector<double> errors_;
};

/// Of the first networks.
Machine draw_machine(Draw& draw, std::size_t first = std::size(networks)) {
    Machine machine;
    machine.network = topology::parse_network(networks[draw.below(first)], "test");
    return machine;
}

/// Random messages on the first networks, each of which `change` adds something to.
Errors errors_of_cases(
    std::size_t first,
    const std::function<void(Draw&, NetworkDescription&, std::uint64_t)>& change) {
    Errors errors;
    const std::uint64_t cases = test::random_cases(24, 400);
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        Draw draw(seed);
        Machine machine = draw_machine(draw, first);
        change(draw, machine.network, seed);
        const Plan plan = draw_plan(draw, static_cast<int>(machine.network.graph.npus()));
        errors.add(machine, plan, fmt::format("{} {}", seed, machine.network.name));
    }
    return errors;
}

/// Slow and late links, some of them for a while.
void draw_slow_links(Draw& draw, NetworkDescription& network) {
    for (auto faults = draw.from_to(1, 4); faults > 0; --faults) {
        topology::LinkFault fault;
        fault.link = LinkId(
            static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(network.graph.links()))));
        if (draw.one_in(2)) {
            fault.at = Time::ns(draw.below(40'000));
            fault.until = fault.at + Time::ns(draw.from_to(5'000, 60'000));
        }
        fault.bandwidth = Factor{draw.from_to(1, 12) * Factor::one / 10};
        if (draw.one_in(3)) {
            fault.latency_add = Time::ns(draw.below(3'000));
        }
        network.faults.links.push_back(fault);
    }
}

TEST(FluidAgainstPackets, SlowLinks) {
    errors_of_cases(std::size(networks), [](Draw& draw, NetworkDescription& network,
                                            std::uint64_t /*seed*/) {
        draw_slow_links(draw, network);
    }).expect_at_most(0.1, 5);
}

/// Links that go down and come back, both directions of each.
void draw_outages(Draw& draw, NetworkDescription& network, bool for_ever) {
    for (auto faults = draw.from_to(1, 3); faults > 0; --faults) {
        topology::LinkFault fault;
        fault.link = LinkId(
            static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(network.graph.links()))));
        fault.at = Time::ns(draw.one_in(4) ? 0 : draw.below(40'000));
        fault.until = for_ever ? Time::max() : fault.at + Time::ns(draw.from_to(5'000, 100'000));
        fault.bandwidth = Factor{0};
        network.faults.links.push_back(fault);
        const topology::Link& link = network.graph.link(fault.link);
        for (const LinkId back : network.graph.links_from(link.to)) {
            if (network.graph.link(back).to == link.from) {
                fault.link = back;
                network.faults.links.push_back(fault);
                break;
            }
        }
    }
}

TEST(FluidAgainstPackets, LinksThatComeBack) {
    errors_of_cases(std::size(networks), [](Draw& draw, NetworkDescription& network,
                                            std::uint64_t /*seed*/) {
        draw_outages(draw, network, false);
    }).expect_at_most(0.1, 10);
}

TEST(FluidAgainstPackets, LinksThatFailForGood) {
    errors_of_cases(redundant, [](Draw& draw, NetworkDescription& network, std::uint64_t /*seed*/) {
        draw_outages(draw, network, true);
        network.faults.links.resize(2);
    }).expect_at_most(0.1, 5);
}

TEST(FluidAgainstPackets, OutagesWithATransport) {
    errors_of_cases(redundant, [](Draw& draw, NetworkDescription& network, std::uint64_t seed) {
        network.packet.flow_control = topology::FlowControl::Pfc;
        network.packet.transport.kind = topology::TransportKind::GoBackN;
        draw_outages(draw, network, seed % 2 == 0);
        network.faults.links.resize(2);
    }).expect_at_most(0.5, 40);
}

/// Two or three jobs that share the machine, each with some collectives one after the other.
std::vector<Job> draw_jobs(Draw& draw, const Machine& machine) {
    constexpr chakra::CollectiveType types[] = {
        chakra::CollectiveType::AllReduce, chakra::CollectiveType::AllGather,
        chakra::CollectiveType::ReduceScatter, chakra::CollectiveType::AllToAll};
    std::vector<NodeId> npus = machine.network.npu_of_rank;
    if (draw.one_in(2)) {
        draw.shuffle(npus);
    }
    std::vector<Job> jobs;
    const auto count = static_cast<std::size_t>(draw.from_to(2, 3));
    for (std::size_t i = 0; i < count; ++i) {
        Job job;
        job.name = "job" + std::to_string(i);
        job.npus.assign(npus.begin() + static_cast<std::ptrdiff_t>(npus.size() * i / count),
                        npus.begin() + static_cast<std::ptrdiff_t>(npus.size() * (i + 1) / count));
        job.start = Time::ns(draw.below(20'000));
        std::vector<chakra::Node> nodes;
        for (auto left = draw.from_to(1, 3); left > 0; --left) {
            const auto id = static_cast<std::uint64_t>(nodes.size() + 1);
            const std::vector<std::uint64_t> after =
                nodes.empty() ? std::vector<std::uint64_t>() : std::vector{id - 1};
            const chakra::CollectiveType type = types[draw.below(4)];
            const std::int64_t bytes = draw.from_to(1, 64) * 65'536;
            nodes.push_back(test::collective_node(id, type, bytes, "", after));
        }
        job.workload = test::workload_of(
            job.npus.size(), [&](Rank) { return nodes; }, {},
            workload_options(machine_of(machine, job.npus)));
        jobs.push_back(std::move(job));
    }
    return jobs;
}

TEST(FluidAgainstPackets, SeveralJobsInSomePlacement) {
    Errors errors;
    const std::uint64_t cases = test::random_cases(24, 400);
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        Draw draw(seed);
        Machine machine = draw_machine(draw);
        machine.system = engine::default_system_config(machine.dialect);
        const std::vector<Job> jobs = draw_jobs(draw, machine);
        const engine::JobsResults packets = simulate_jobs(jobs, machine, Fidelity::Packet);
        const engine::JobsResults fluid = simulate_jobs(jobs, machine, Fidelity::Fluid);
        for (std::size_t job = 0; job < jobs.size(); ++job) {
            errors.add(packets.jobs[job].finish() - jobs[job].start,
                       fluid.jobs[job].finish() - jobs[job].start,
                       fmt::format("{} {} {}", seed, machine.network.name, jobs[job].name));
        }
    }
    errors.expect_at_most(0.1, 10);
}

TEST(FluidAgainstPackets, TrafficClasses) {
    Errors errors;
    const std::uint64_t cases = test::random_cases(24, 400);
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        Draw draw(seed);
        Machine machine = draw_machine(draw);
        topology::TrafficClasses& classes = machine.network.packet.classes;
        classes.count = static_cast<std::uint8_t>(draw.from_to(2, 4));
        for (int i = 0; i < classes.count && seed % 3 != 0; ++i) {
            classes.weights.push_back(draw.any_of<std::uint8_t>({1, 3, 7}));
        }
        const auto npus = static_cast<int>(machine.network.graph.npus());
        Plan plan = draw_plan(draw, npus);
        for (const packet_test::PlannedMessage& more : draw_plan(draw, npus)) {
            plan.push_back(more);
        }
        for (packet_test::PlannedMessage& each : plan) {
            each.traffic_class = static_cast<std::uint8_t>(draw.below(classes.count));
        }
        errors.add(machine, plan, fmt::format("{} {}", seed, machine.network.name));
    }
    errors.expect_at_most(0.1, 5);
}

TEST(FluidAgainstPackets, Injection) {
    errors_of_cases(std::size(networks), [](Draw& draw, NetworkDescription& network,
                                            std::uint64_t /*seed*/) {
        network.packet.injection = Rate(draw.from_to(10, 100) * 1'000'000'000);
    }).expect_at_most(0.1, 5);
}

// Errors are drawn packet by packet, so that runs differ by chance.
TEST(FluidAgainstPackets, ErrorsOfLinks) {
    errors_of_cases(std::size(networks), [](Draw& draw, NetworkDescription& network,
                                            std::uint64_t /*seed*/) {
        network.packet.error_rate = draw.any_of({0.001, 0.01, 0.03});
    }).expect_at_most(5, 30);
}

}  // namespace
}  // namespace npunet::study::fluid_features_test
