// What a run would take with a part of the machine twice as good, by closed forms.
#include "study/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "base/errors.h"
#include "engine/device/kernel_time.h"
#include "study/better_devices.h"
#include "tests/study/as_machine.h"
#include "tests/study/library_machines.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::what_if_test {
namespace {

using chakra::CollectiveType;
using report::WhatIf;
using report::WhatIfLine;
using testing::ElementsAre;
using testing::HasSubstr;

engine::Workload workload_of(const Machine& machine, const test::NodesOf& nodes) {
    return engine::make_workload(
        machine.network.npu_of_rank.size(), nodes, [](Rank) { return std::string("test"); }, {},
        workload_options(machine));
}

WhatIf answers_of(const Machine& machine, const engine::Workload& workload,
                  Fidelity fidelity = Fidelity::Analytical, std::size_t threads = 1) {
    WhatIfOptions options;
    options.threads = threads;
    return what_if(workload, machine, fidelity, simulate(workload, machine, fidelity), options);
}

WhatIf answers_of(const Machine& machine, const test::NodesOf& nodes,
                  Fidelity fidelity = Fidelity::Analytical) {
    return answers_of(machine, workload_of(machine, nodes), fidelity);
}

std::vector<std::string> parts_of(const WhatIf& answers) {
    std::vector<std::string> parts;
    for (const WhatIfLine& line : answers.lines) {
        parts.push_back(line.part);
    }
    return parts;
}

const WhatIfLine& line_of(const WhatIf& answers, const std::string& part) {
    for (const WhatIfLine& line : answers.lines) {
        if (line.part == part) {
            return line;
        }
    }
    ADD_FAILURE() << "no line " << part;
    return answers.lines.front();
}

Time finish_of(const WhatIf& answers, const std::string& part) {
    return line_of(answers, part).finish.value_or(Time());
}

/// Recorded compute, in us, and then an all-reduce.
test::NodesOf step_of(std::uint64_t micros, std::int64_t bytes) {
    return [=](Rank) {
        std::vector<chakra::Node> nodes{test::compute_node(1, micros)};
        if (bytes > 0) {
            nodes.push_back(test::collective_node(2, CollectiveType::AllReduce, bytes, "", {1}));
        }
        return nodes;
    };
}

// A ring all-reduce of S bytes among n NPUs takes 2 (n - 1) (S / n / B + L): with L = 0 half of it
// at 2 B, with S / n / B much below L half of it at L / 2. Compute before it stays.
TEST(WhatIfLinks, RateAndLatencyHalveTheirTerms) {
    const auto machine = [](Time latency) {
        return as_machine(test::ring_machine(4, Rate(50'000'000'000), latency));
    };
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
        const WhatIf rate = answers_of(machine(Time()), step_of(0, 400'000'000), fidelity);
        EXPECT_EQ(rate.finish, 6 * Time::ns(2'000'000));
        EXPECT_EQ(2 * finish_of(rate, "link_rate"), rate.finish);
        EXPECT_EQ(finish_of(rate, "latency"), rate.finish);
        EXPECT_EQ(finish_of(rate, "compute"), rate.finish);
        EXPECT_DOUBLE_EQ(report::change_percent(rate, line_of(rate, "link_rate")).value_or(0), -50);
        const WhatIf both = answers_of(machine(Time::ns(500)), step_of(3, 400'000), fidelity);
        EXPECT_EQ(both.finish, Time::ns(3'000 + 6 * (2'000 + 500)));
        EXPECT_EQ(finish_of(both, "link_rate"), Time::ns(3'000 + 6 * (1'000 + 500)));
        EXPECT_EQ(finish_of(both, "latency"), Time::ns(3'000 + 6 * (2'000 + 250)));
    }
}

// Recorded durations are what is known: T / 2, and communication stays.
TEST(WhatIfCompute, HalvesRecordedDurations) {
    const Machine machine = as_machine(test::ring_machine(4, Rate(50'000'000'000), Time::ns(500)));
    const WhatIf alone = answers_of(machine, step_of(100, 0));
    EXPECT_EQ(alone.finish, Time::ns(100'000));
    EXPECT_EQ(finish_of(alone, "compute"), Time::ns(50'000));
    EXPECT_EQ(finish_of(alone, "link_rate"), alone.finish);
    EXPECT_THAT(parts_of(alone), ElementsAre("link_rate", "latency", "compute"));
    const WhatIf both = answers_of(machine, step_of(100, 400'000));
    EXPECT_EQ(finish_of(both, "compute"), Time::ns(50'000 + 6 * 2'500));
}

// max(operations / P, bytes / M): the larger term halves with its own rate, until the other one is
// the larger.
TEST(WhatIfCompute, FollowsTheRoofline) {
    test::TestMachine made = test::ring_machine(2, Rate(50'000'000'000), Time());
    made.system.roofline = true;
    made.system.compute = {100, 1000};  // 10^14 operations/s, 10^12 bytes/s
    const auto step = [](std::int64_t operations, std::int64_t bytes) {
        return [=](Rank) {
            chakra::Node node = test::compute_node(1, 0);
            node.set_integer("num_ops", operations);
            node.set_integer("tensor_size", bytes);
            return std::vector<chakra::Node>{node};
        };
    };
    const WhatIf compute = answers_of(as_machine(made), step(100'000'000'000, 700'000'000));
    EXPECT_EQ(compute.finish, Time::ns(1'000'000));
    EXPECT_EQ(finish_of(compute, "compute"), Time::ns(700'000));
    EXPECT_EQ(finish_of(compute, "memory_bandwidth"), compute.finish);
    const WhatIf memory = answers_of(as_machine(made), step(10'000'000'000, 1'000'000'000));
    EXPECT_EQ(memory.finish, Time::ns(1'000'000));
    EXPECT_EQ(finish_of(memory, "compute"), memory.finish);
    EXPECT_EQ(finish_of(memory, "memory_bandwidth"), Time::ns(500'000));
}

// A measured time t of a shape becomes t x formula(2 P) / formula(P), which for a large product
// lies between t / 2 and t.
TEST(WhatIfCompute, ScalesMeasuredTimesAsTheFormula) {
    const engine::DeviceProfile plain = engine::load_device_profile("h100-sxm5-80gb");
    const engine::KernelCall call{
        engine::Kernel::Matmul, engine::DataType::Bf16, false, 1, {1, 8192, 8192, 8192}};
    const double formula = engine::kernel_us(plain, call, 0);
    auto device = std::make_shared<engine::DeviceProfile>(plain);
    device->times[call] = 3 * formula;
    engine::SystemConfig system;
    system.device = device;
    const engine::SystemConfig faster = with_faster_compute(system, 2);
    engine::DeviceProfile doubled = plain;
    for (auto& [type, peak] : doubled.peak_tflops) {
        peak *= 2;
    }
    const double at_twice = engine::kernel_us(doubled, call, 0);
    EXPECT_LT(at_twice, 0.7 * formula);
    EXPECT_NEAR(engine::kernel_us(*faster.device, call, 0), 3 * at_twice, 1e-9 * formula);
    EXPECT_EQ(device->times.at(call), 3 * formula);
    // A product that computing bounds hardly feels the memory.
    const engine::SystemConfig memory = with_faster_memory(system, 2);
    EXPECT_GT(engine::kernel_us(*memory.device, call, 0), 2.7 * formula);
    EXPECT_LE(engine::kernel_us(*memory.device, call, 0), 3 * formula);
}

const char* const rails =
    "Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, latency: 0}, "
    "scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: 0}}\n";

Machine machine_of(const std::string& yaml) {
    test::TestMachine made;
    made.network = topology::parse_network(yaml, "network.yml");
    return as_machine(made);
}

/// Rank 0 sends to the ranks that are given.
test::NodesOf sends(std::int64_t bytes, std::int32_t to) {
    return [=](Rank rank) {
        std::vector<chakra::Node> nodes;
        if (rank == Rank(0)) {
            nodes.push_back(test::send_node(1, to, bytes));
        } else if (rank == Rank(to)) {
            nodes.push_back(test::receive_node(1, 0, bytes));
        }
        return nodes;
    };
}

// A message from rank 0 crosses links of one kind only: that kind alone halves its time.
TEST(WhatIfLinks, EachTierHasALine) {
    const Machine machine = machine_of(rails);
    const WhatIf far = answers_of(machine, sends(50'000'000, 4));
    EXPECT_THAT(parts_of(far),
                ElementsAre("scale_up_rate", "scale_out_rate", "latency", "compute"));
    EXPECT_EQ(2 * finish_of(far, "scale_out_rate"), far.finish);
    EXPECT_EQ(finish_of(far, "scale_up_rate"), far.finish);
    EXPECT_THAT(line_of(far, "scale_out_rate").classes, ElementsAre("NIC", "leaf-spine"));
    EXPECT_EQ(line_of(far, "scale_out_rate").name, "scale-out rate x 2 (NIC, leaf-spine)");
    const WhatIf near = answers_of(machine, sends(45'000'000, 1));
    EXPECT_EQ(2 * finish_of(near, "scale_up_rate"), near.finish);
    EXPECT_EQ(finish_of(near, "scale_out_rate"), near.finish);
}

// Dimensions with different links have a line each, those with equal links one together; a switch
// of slower links around others is between servers; without servers there is no scale-up.
TEST(WhatIfLinks, TiersWithoutLinksHaveNone) {
    const auto parts = [](const std::string& yaml) {
        return parts_of(answers_of(machine_of(yaml), step_of(1, 0)));
    };
    EXPECT_THAT(parts("{topology: [Switch, Switch], npus_count: [4, 2], bandwidth: [450, 50], "
                      "latency: [100, 500]}"),
                ElementsAre("scale_up_rate", "scale_out_rate", "latency", "compute"));
    EXPECT_THAT(parts("{topology: [Ring, Ring], npus_count: [4, 4], bandwidth: [100, 50], latency: "
                      "[100, 500]}"),
                ElementsAre("dimension_rate", "dimension_rate", "latency", "compute"));
    EXPECT_THAT(parts("{topology: [Torus2D], npus_count: [16], bandwidth: [50], latency: [500]}"),
                ElementsAre("link_rate", "latency", "compute"));
    EXPECT_THAT(parts("FatTree: {levels: 2, radix: 4, npus: 8, bandwidth: 50, latency: 500}"),
                ElementsAre("link_rate", "latency", "compute"));
}

// At every fidelity, threads or not: the same bits.
TEST(WhatIfRuns, DoNotDependOnThreads) {
    const Machine machine = machine_of(rails);
    const engine::Workload workload = workload_of(machine, step_of(10, 4'000'000));
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid, Fidelity::Packet}) {
        const WhatIf one = answers_of(machine, workload, fidelity, 1);
        const WhatIf four = answers_of(machine, workload, fidelity, 4);
        EXPECT_EQ(report::what_if_table(one), report::what_if_table(four));
        EXPECT_LT(finish_of(one, "scale_out_rate"), one.finish);
        EXPECT_LT(finish_of(one, "compute"), one.finish);
    }
}

// All-to-all of 4 MiB for each of 8: 7 parts over links of twice 319.4 GB/s, one copied at 5120
// GB/s, after 11.4 us; parts of 128 KiB fill a quarter of a slot of 13.94 us. What blocks send
// takes less, and stays.
TEST(WhatIfLinks, ALibrarysLinksFollowTheirRate) {
    Machine machine =
        machine_of("{topology: [Switch], npus_count: [8], bandwidth: [450], latency: [50]}");
    machine.system.library = library_of("h100");
    const double part = 4 << 20;
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid}) {
        const WhatIf answers = answers_of(
            machine,
            [&](Rank) {
                return std::vector<chakra::Node>{
                    test::collective_node(1, CollectiveType::AllToAll, std::int64_t{32} << 20)};
            },
            fidelity);
        const auto us = [&](double factor) {
            return 11.4 + 7 * part / (factor * 319.4e3) + part / 5120e3 + 13.94 / 4;
        };
        EXPECT_LT(8 * part / 32 / 37.58e3, us(2) - 11.4 - 13.94 / 4);
        EXPECT_NEAR(static_cast<double>(answers.finish.ps()), us(1) * 1e6, 0.02 * us(1) * 1e6);
        EXPECT_NEAR(static_cast<double>(finish_of(answers, "link_rate").ps()), us(2) * 1e6,
                    (fidelity == Fidelity::Analytical ? 1e-6 : 0.02) * us(2) * 1e6);
        EXPECT_THAT(line_of(answers, "link_rate").note,
                    HasSubstr("thread blocks were measured on this GPU and stay"));
    }
}

// With a library's closed forms the NICs' rate is the network's; copies and starts were measured,
// and a line that changes nothing for that reason says so and not 0 %.
TEST(WhatIfLinks, SaysWhereALibraryDoesNotFollow) {
    Machine machine = machine_of(
        "{topology: [Switch, Switch], npus_count: [8, 2], bandwidth: [450, 12.5], latency: [50, "
        "500]}");
    machine.system.library = library_of("h100");
    const auto answers = [&](CollectiveType type) {
        return answers_of(machine, [=](Rank) {
            return std::vector<chakra::Node>{
                test::collective_node(1, type, std::int64_t{256} << 20)};
        });
    };
    const WhatIf all = answers(CollectiveType::AllReduce);
    const WhatIfLine& near = all.lines[0];
    const WhatIfLine& far = all.lines[1];
    EXPECT_EQ(far.name, "scale-out rate x 2 (dimension 1)");
    EXPECT_LT(far.finish.value_or(Time::max()), all.finish);
    EXPECT_EQ(far.note, "");
    EXPECT_THAT(near.note, HasSubstr("links of nccl-2.29.2 within nodes x 2"));
    EXPECT_FALSE(report::change_percent(all, near).has_value());
    EXPECT_THAT(line_of(all, "latency").note, HasSubstr("hops and starts of nccl-2.29.2"));
}

TEST(WhatIfRuns, CanBeStopped) {
    const Machine machine = machine_of(rails);
    const engine::Workload workload = workload_of(machine, step_of(10, 4'000'000));
    const engine::Results results = simulate(workload, machine, Fidelity::Analytical);
    WhatIfOptions options;
    options.stop = [] { return true; };
    EXPECT_THROW(
        static_cast<void>(what_if(workload, machine, Fidelity::Analytical, results, options)),
        WhatIfStopped);
}

}  // namespace
}  // namespace npunet::study::what_if_test
