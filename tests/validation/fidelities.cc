// The same cases at every fidelity: how far they are apart, and of what.

#include "generators/transformer/training_step.h"
#include "study/gap.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/collectives.h"
#include "tests/support/models.h"
#include "validation_table.h"

namespace npunet::validation {
namespace {

using chakra::CollectiveType;
using study::Fidelity;
using topology::DimensionKind;

constexpr Rate link_rate(50'000'000'000);
constexpr Time link_latency = Time::ns(500);
constexpr std::int64_t mib = 1 << 20;

std::string ratio(Time time, Time to) {
    return decimals(static_cast<double>(time.ps()) / static_cast<double>(to.ps()), 3);
}

void add_case(Table& table, const std::string& name, const engine::Workload& workload,
              const study::Machine& machine) {
    std::vector<engine::Results> runs;
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        runs.push_back(study::simulate(workload, machine, fidelity));
    }
    const Time estimate = runs[0].finish;
    const report::Gap parts = study::explain_gap({runs[0], runs[2]}, workload, machine).total;
    table.add(
        {name, nanoseconds(estimate), ratio(runs[1].finish, estimate),
         ratio(runs[2].finish, estimate), nanoseconds(parts.header), nanoseconds(parts.latency),
         nanoseconds(parts.contention), nanoseconds(parts.flow_control),
         nanoseconds(parts.dependency), nanoseconds(runs[2].finish - estimate - parts.total())},
        parts.total() == runs[2].finish - estimate);
}

void add_collective(Table& table, const std::string& name, CollectiveType type, std::int64_t bytes,
                    test::TestMachine machine, const char* algorithm) {
    machine.use(test::implementation(algorithm));
    add_case(
        table, name,
        test::workload_of(machine.network.graph.npus(),
                          [=](Rank) { return std::vector{test::collective_node(1, type, bytes)}; }),
        {machine.dialect, machine.network, machine.system, {}});
}

void add_step(Table& table, const std::string& name, const test::TestMachine& from) {
    study::Machine machine{from.dialect, from.network, from.system, {}};
    machine.system.roofline = true;
    machine.system.compute = {300, 2000};
    generators::Plan plan;
    plan.dp = 2;
    plan.tp = 4;
    plan.pp = 2;
    plan.batch = 8;
    add_case(table, name,
             study::workload_from(generators::generate(test::tiny_model(), plan),
                                  study::workload_options(machine)),
             machine);
}

}  // namespace

Table fidelities() {
    Table table{"Estimate and packets",
                {"case", "analytical, ns", "congestion-aware / analytical", "packet / analytical",
                 "header, ns", "latency, ns", "contention, ns", "flow control, ns",
                 "dependency, ns", "unexplained, ns"},
                {},
                {}};
    add_collective(table, "all-reduce of 64 MiB, ring, ring of 16", CollectiveType::AllReduce,
                   64 * mib, test::ring_machine(16, link_rate, link_latency), "ring");
    add_collective(table, "all-reduce of 64 MiB, ring by dimension, torus 8 x 8",
                   CollectiveType::AllReduce, 64 * mib,
                   test::torus_machine(8, 8, link_rate, link_latency), "ring");
    add_collective(table, "all-reduce of 64 MiB, ring by dimension, mesh 4 x 4",
                   CollectiveType::AllReduce, 64 * mib,
                   test::mesh_machine(4, 4, link_rate, link_latency), "ring");
    add_collective(table, "all-reduce of 64 MiB, halving-doubling, ring of 16",
                   CollectiveType::AllReduce, 64 * mib,
                   test::ring_machine(16, link_rate, link_latency), "halvingDoubling");
    add_collective(table, "all-to-all of 16 MiB, direct, switch of 16", CollectiveType::AllToAll,
                   16 * mib, test::line_machine(DimensionKind::Switch, 16, link_rate, link_latency),
                   "direct");
    add_collective(table, "all-to-all of 16 MiB, direct, ring of 16", CollectiveType::AllToAll,
                   16 * mib, test::ring_machine(16, link_rate, link_latency), "direct");
    add_step(table, "training step, dp 2, tp 4, pp 2, torus 4 x 4",
             test::torus_machine(4, 4, link_rate, link_latency));
    add_step(table, "training step, dp 2, tp 4, pp 2, mesh 4 x 4",
             test::mesh_machine(4, 4, link_rate, link_latency));
    return table;
}

}  // namespace npunet::validation
