// Times that a formula gives, and what each fidelity makes of the same case.

#include <functional>
#include <optional>

#include "generators/pipeline/pipeline_benchmark.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/collectives.h"
#include "validation_table.h"

namespace npunet::validation {
namespace {

using chakra::CollectiveType;
using study::Fidelity;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t size = 8 << 20;
constexpr Fidelity every_fidelity[] = {Fidelity::Analytical, Fidelity::CongestionAware,
                                       Fidelity::Packet};

Time ser(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), rate);
}

study::Machine machine_of(const test::TestMachine& from) {
    return {from.dialect, from.network, from.system, {}};
}

/// Packets of the defaults, all of them full, one after the other over h links alone: N + h - 1 of
/// them, one after the other.
Time packet_time(std::int64_t bytes, std::int64_t links) {
    const topology::PacketParameters packet;
    const std::int64_t full = bytes / packet.mtu.value();
    return (full + links - 1) * ser((packet.mtu + packet.header).value()) + links * latency;
}

/// t(b): a message of b bytes over one link alone.
Time step(std::int64_t bytes, Fidelity fidelity) {
    return fidelity == Fidelity::Packet ? packet_time(bytes, 1) : ser(bytes) + latency;
}

/// One time at one fidelity; no form: there is none that is known.
struct Form {
    std::string text;
    Time expected;
};
using FormOf = std::function<std::optional<Form>(Fidelity)>;

/// The same form at every fidelity, of its t(b).
FormOf of_steps(const std::string& text,
                const std::function<Time(const std::function<Time(std::int64_t)>&)>& form) {
    return [=](Fidelity fidelity) {
        return Form{text, form([=](std::int64_t bytes) { return step(bytes, fidelity); })};
    };
}

void add_case(Table& table, const std::string& name, const test::TestMachine& machine,
              const engine::Workload& workload, const FormOf& form_of) {
    for (const Fidelity fidelity : every_fidelity) {
        const std::optional<Form> form = form_of(fidelity);
        if (!form) {
            continue;
        }
        const Time found = study::simulate(workload, machine_of(machine), fidelity).finish;
        table.add({name, name_of(fidelity), form->text, nanoseconds(form->expected),
                   nanoseconds(found), nanoseconds(found - form->expected)},
                  found == form->expected);
    }
}

void add_collective(Table& table, const std::string& name, CollectiveType type,
                    const test::TestMachine& machine, const FormOf& form_of,
                    std::int64_t bytes = size) {
    add_case(
        table, name, machine,
        test::workload_of(machine.network.graph.npus(),
                          [=](Rank) { return std::vector{test::collective_node(1, type, bytes)}; }),
        form_of);
}

test::TestMachine line(DimensionKind kind, std::int64_t npus, const char* algorithm) {
    test::TestMachine machine = test::line_machine(kind, npus, rate, latency);
    machine.use(test::implementation(algorithm));
    return machine;
}

/// Of MiB bytes each to rank 0.
engine::Workload senders(std::size_t ranks, std::int32_t first) {
    return test::workload_of(ranks, [=](Rank rank) {
        std::vector<chakra::Node> nodes;
        for (auto from = first; from < static_cast<std::int32_t>(ranks); ++from) {
            const auto id = static_cast<std::uint64_t>(from);
            if (rank == Rank(0)) {
                nodes.push_back(test::receive_node(id, from, 1 << 20));
            } else if (rank == Rank(from)) {
                nodes.push_back(test::send_node(id, 0, 1 << 20));
            }
        }
        return nodes;
    });
}

void add_messages(Table& table) {
    constexpr std::int64_t bytes = 1 << 20;
    add_case(table, "1 MiB over 3 links",
             test::line_machine(DimensionKind::Mesh1D, 4, rate, latency), senders(4, 3),
             [](Fidelity fidelity) -> std::optional<Form> {
                 switch (fidelity) {
                     case Fidelity::Analytical:
                         return Form{"b / r + 3 L", ser(bytes) + 3 * latency};
                     case Fidelity::CongestionAware:
                         return Form{"3 (b / r + L)", 3 * (ser(bytes) + latency)};
                     case Fidelity::Fluid:
                     case Fidelity::Packet:
                         break;
                 }
                 return Form{"(N + 2) p / r + 3 L", packet_time(bytes, 3)};
             });
    add_case(table, "1 MiB from each of 4 to one NPU, switch",
             test::line_machine(DimensionKind::Switch, 5, rate, latency), senders(5, 1),
             [](Fidelity fidelity) -> std::optional<Form> {
                 switch (fidelity) {
                     case Fidelity::Analytical:
                         return Form{"4 b / r + 2 L", 4 * ser(bytes) + 2 * latency};
                     case Fidelity::CongestionAware:
                         return Form{"5 b / r + 2 L", 5 * ser(bytes) + 2 * latency};
                     case Fidelity::Fluid:
                     case Fidelity::Packet:
                         break;
                 }
                 return Form{"(4 N + 1) p / r + 2 L", packet_time(4 * bytes, 2)};
             });
}

void add_rings(Table& table) {
    const auto ring = line(DimensionKind::Ring, 8, "ring");
    add_collective(table, "all-reduce, ring, ring of 8", CollectiveType::AllReduce, ring,
                   of_steps("2 (n - 1) t(S / n)", [](const auto& t) { return 14 * t(size / 8); }));
    add_collective(table, "reduce-scatter, ring, ring of 8", CollectiveType::ReduceScatter, ring,
                   of_steps("(n - 1) t(S / n)", [](const auto& t) { return 7 * t(size / 8); }));
    add_collective(table, "all-gather, ring, ring of 8", CollectiveType::AllGather, ring,
                   of_steps("(n - 1) t(S / n)", [](const auto& t) { return 7 * t(size / 8); }),
                   size / 8);
    add_collective(table, "all-to-all, ring, ring of 8", CollectiveType::AllToAll, ring,
                   of_steps("sum of t(i S / n), i = 1 .. n - 1", [](const auto& t) {
                       Time sum;
                       for (std::int64_t blocks = 1; blocks < 8; ++blocks) {
                           sum += t(blocks * size / 8);
                       }
                       return sum;
                   }));
    add_collective(
        table, "all-reduce, bidirectional ring, ring of 8", CollectiveType::AllReduce,
        line(DimensionKind::Ring, 8, "bidirectionalRing"),
        of_steps("2 (n - 1) t(S / 2 n)", [](const auto& t) { return 14 * t(size / 16); }));
    add_collective(table, "all-reduce, ring by dimension, torus 4 x 4", CollectiveType::AllReduce,
                   test::torus_machine(4, 4, rate, latency),
                   of_steps("6 t(S / 4) + 6 t(S / 16)",
                            [](const auto& t) { return 6 * t(size / 4) + 6 * t(size / 16); }));
}

void add_cliques(Table& table) {
    const auto clique = [](const char* algorithm) {
        return line(DimensionKind::FullyConnected, 8, algorithm);
    };
    add_collective(table, "all-reduce, direct, clique of 8", CollectiveType::AllReduce,
                   clique("direct"),
                   of_steps("2 t(S / n)", [](const auto& t) { return 2 * t(size / 8); }));
    add_collective(table, "all-reduce, halving-doubling, clique of 8", CollectiveType::AllReduce,
                   clique("halvingDoubling"),
                   of_steps("2 (t(S / 2) + t(S / 4) + t(S / 8))", [](const auto& t) {
                       return 2 * (t(size / 2) + t(size / 4) + t(size / 8));
                   }));
    add_collective(table, "all-reduce, recursive doubling, clique of 8", CollectiveType::AllReduce,
                   clique("recursiveDoubling"),
                   of_steps("3 t(S)", [](const auto& t) { return 3 * t(size); }));
    add_collective(table, "all-reduce, double binary tree, clique of 8", CollectiveType::AllReduce,
                   clique("doubleBinaryTree"),
                   of_steps("6 t(S / 2)", [](const auto& t) { return 6 * t(size / 2); }));
    add_collective(table, "all-to-all, Bruck, clique of 8", CollectiveType::AllToAll,
                   clique("halvingDoubling"),
                   of_steps("3 t(S / 2)", [](const auto& t) { return 3 * t(size / 2); }));
    add_collective(
        table, "all-to-all, direct, switch of 8", CollectiveType::AllToAll,
        line(DimensionKind::Switch, 8, "direct"), [](Fidelity fidelity) -> std::optional<Form> {
            switch (fidelity) {
                case Fidelity::Analytical:
                    return Form{"(n - 1) S / (n r) + 2 L", 7 * ser(size / 8) + 2 * latency};
                case Fidelity::CongestionAware:
                    return Form{"S / r + 2 L", 8 * ser(size / 8) + 2 * latency};
                case Fidelity::Fluid:
                case Fidelity::Packet:
                    break;
            }
            return std::nullopt;
        });
}

void add_roofline(Table& table) {
    test::TestMachine machine = test::ring_machine(1, rate, latency);
    machine.system.roofline = true;
    machine.system.compute = {1, 1};
    add_case(table, "3 x 10^9 operations on 6 MB, 1 TFLOPS, 1 GB/s", machine,
             test::workload_of(1,
                               [](Rank) {
                                   chakra::Node node = test::compute_node(1, 0);
                                   node.set_integer("num_ops", 3'000'000'000);
                                   node.set_integer("tensor_size", 6'000'000);
                                   return std::vector{node};
                               }),
             [](Fidelity) {
                 return Form{"max(operations / peak, bytes / bandwidth)", Time::ns(6'000'000)};
             });
}

}  // namespace

Table closed_forms() {
    Table table{
        "Closed forms",
        {"case", "fidelity", "closed form", "expected, ns", "simulated, ns", "difference, ns"},
        {},
        {}};
    add_messages(table);
    add_rings(table);
    add_cliques(table);
    add_roofline(table);
    return table;
}

Table pipeline_bubbles() {
    using generators::Schedule;
    Table table{"Pipeline bubbles",
                {"schedule", "fidelity", "published bubble", "expected, ns", "simulated, ns",
                 "difference, ns"},
                {},
                {}};
    struct Published {
        const char* name;
        Schedule schedule;
        std::int64_t chunks;
        const char* form;
        std::int64_t times;  ///< of a pass, or of tF + tB - tW
    };
    const Time forward = Time::ns(1000);
    const Time backward = Time::ns(1300);
    const Time weight = Time::ns(900);
    for (const Published& row : {
             Published{"GPipe", Schedule::GPipe, 1, "(p - 1) (tF + tB + tW)", 3},
             Published{"1F1B", Schedule::OneForwardOneBackward, 1, "(p - 1) (tF + tB + tW)", 3},
             Published{"interleaved 1F1B, 2 chunks", Schedule::Interleaved, 2,
                       "(p - 1) (tF + tB + tW), times of a chunk", 3},
             Published{"ZB-H1", Schedule::ZeroBubble, 1, "(p - 1) (tF + tB - tW)", 1},
         }) {
        generators::PipelineBenchmark benchmark;
        benchmark.shape = {row.schedule, 4, row.chunks, 8};
        benchmark.forward = forward;
        benchmark.backward = backward;
        benchmark.weight = weight;
        const Time expected =
            3 * (row.times == 3 ? forward + backward + weight : forward + backward - weight);
        for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
            const study::Machine machine = machine_of(test::ring_machine(4, rate, Time()));
            const Time finish =
                study::simulate(study::workload_from(generators::generate(benchmark),
                                                     study::workload_options(machine)),
                                machine, fidelity)
                    .finish;
            const Time bubble = finish - 8 * row.chunks * (forward + backward + weight);
            table.add({row.name, name_of(fidelity), row.form, nanoseconds(expected),
                       nanoseconds(bubble), nanoseconds(bubble - expected)},
                      bubble == expected);
        }
    }
    return table;
}

}  // namespace npunet::validation
