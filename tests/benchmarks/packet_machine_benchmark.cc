// How many packets the packet machine moves over links per second of processor time: through ns-3's
// simulator, one by one and in trains, on the bare event queue, and beside two yardsticks in the
// same run, so that figures from different machines can be compared as ratios: the least that any
// packet simulator does (bare_packet_loop.h), and the plain packet network that is the oracle of
// the tests.
//
//     packet_machine_benchmark [--repetitions N] [--filter TEXT] [--out FILE]
//
// Prints JSON in Google Benchmark's format (which itself is not used: its licence and ns-3's do not
// go together). items_per_second are packet-hops; bare_loop_ratio and naive_ratio are medians of
// the ratios to the yardsticks, repetition by repetition.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bare_packet_loop.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "packet/make_packet_network.h"
#include "tests/packet/naive_packet_network.h"
#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"

namespace npunet::benchmark {
namespace {

/// Who sends what to whom once a message has arrived.
struct Workload {
    std::string name;
    topology::NetworkDescription network;
    int steps = 1;  ///< messages of each NPU, one after another
    /// Of a message of a step; a multiple of the mtu.
    std::function<Bytes(int step)> bytes;
    /// Where an NPU sends in a step; every NPU is sent to once.
    std::function<int(int npu, int step)> target;
    bool trains_only = false;  ///< too long for packets one by one

    [[nodiscard]] int npus() const { return static_cast<int>(network.graph.npus()); }
};

topology::NetworkDescription grid(topology::DimensionKind kind, const std::vector<int>& sizes) {
    std::vector<topology::Dimension> dimensions;
    for (const int size : sizes) {
        dimensions.push_back(
            topology::make_dimension(kind, size, Rate(50'000'000'000), Time::ns(500)));
    }
    return topology::make_network(dimensions);
}

std::function<Bytes(int)> always(std::int64_t bytes) {
    return [bytes](int) { return Bytes(bytes); };
}

/// All-reduce of 64 MiB on a torus of 8 x 8 by the rings of one dimension after the other: 7 steps
/// of 8 MiB in the first, 14 of 1 MiB in the second (to and fro), 7 of 8 MiB in the first.
Workload rings_of_dimensions() {
    const auto inner = [](int step) { return step < 7 || step >= 21; };
    return {"all_reduce/torus_8x8", grid(topology::DimensionKind::Ring, {8, 8}), 28,
            [inner](int step) { return Bytes((inner(step) ? 8 : 1) << 20); },
            [inner](int npu, int step) {
                return inner(step) ? npu / 8 * 8 + (npu + 1) % 8 : (npu + 8) % 64;
            }};
}

/// Each of 128 NPUs sends 1 MiB to another one, all of them different, eight times over.
Workload permutations(std::string name, topology::NetworkDescription network) {
    constexpr int npus = 128;
    std::mt19937_64 random(1);
    std::vector<std::vector<int>> targets(8, std::vector<int>(npus));
    for (std::vector<int>& target : targets) {
        // One cycle through all NPUs in random order (Sattolo, 1986): no NPU sends to itself.
        std::iota(target.begin(), target.end(), 0);
        for (std::size_t last = npus - 1; last > 0; --last) {
            std::swap(target[last], target[random() % last]);
        }
    }
    return {std::move(name), std::move(network), 8, always(1 << 20), [targets](int npu, int step) {
                return targets[static_cast<std::size_t>(step)][static_cast<std::size_t>(npu)];
            }};
}

/// Three levels of switches with 8 ports, as much bandwidth up as down; D-mod-k routes.
topology::NetworkDescription fat_tree_128() {
    const topology::FatTreeShape shape{3, 8, 128, {4, 4}, {4, 4}};
    const topology::LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};
    return topology::make_fat_tree(shape, {speed, speed, speed});
}

/// The same with Ethernet-like switches: priority flow control, go-back-N, DCQCN. Acknowledgements
/// are packets, too.
topology::NetworkDescription with_dcqcn(topology::NetworkDescription network) {
    network.packet.flow_control = topology::FlowControl::Pfc;
    network.packet.transport.kind = topology::TransportKind::GoBackN;
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
    return network;
}

/// Ring all-reduce of 64 MiB among n = 16 NPUs: 2 (n - 1) steps of 4 MiB to the next NPU, each sent
/// when the one before has arrived. All-to-all: to each other NPU in turn, 1 MiB at a time.
std::vector<Workload> workloads() {
    const auto next = [](int npu, int) { return (npu + 1) % 16; };
    const auto each = [](int npu, int step) { return (npu + 1 + step % 15) % 16; };
    using topology::DimensionKind;
    return {
        rings_of_dimensions(),
        permutations("permutation/switch_16x8", grid(DimensionKind::Switch, {16, 8})),
        permutations("permutation/fat_tree_128", fat_tree_128()),
        permutations("permutation/fat_tree_128_dcqcn", with_dcqcn(fat_tree_128())),
        {"ring_all_reduce/torus_4x4", grid(DimensionKind::Ring, {4, 4}), 30, always(4 << 20), next},
        {"ring_all_reduce/mesh_4x4", grid(DimensionKind::Mesh1D, {4, 4}), 30, always(4 << 20),
         next},
        {"all_to_all/torus_4x4", grid(DimensionKind::Ring, {4, 4}), 60, always(1 << 20), each},
        {"ring_all_reduce/ring_64_1GiB", grid(DimensionKind::Ring, {64}), 126, always(16 << 20),
         [](int npu, int) { return (npu + 1) % 64; }, true},
    };
}

struct Measured {
    double seconds = 0;  ///< of processor time
    std::uint64_t packet_hops = 0;
    Time finish;
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Plays a workload: an NPU's next message leaves when the message of the same step has reached it.
class Player final : public engine::MessageListener {
public:
    Player(const Workload& workload, engine::Network& network)
        : workload_(workload), network_(network) {
        network.set_listener(*this);
        for (int npu = 0; npu < workload.npus(); ++npu) {
            send(npu, 0);
        }
    }

    void on_sent(std::uint32_t) override {}
    void on_delivered(std::uint32_t handle, Time) override {
        const int npus = workload_.npus();
        const int step = static_cast<int>(handle) / npus + 1;
        if (step < workload_.steps) {
            send(workload_.target(static_cast<int>(handle) % npus, step - 1), step);
        }
    }

private:
    void send(int npu, int step) {
        engine::Message message;
        message.id = engine::MessageId(NodeId(npu), static_cast<std::uint64_t>(step));
        message.source = NodeId(npu);
        message.destination = NodeId(workload_.target(npu, step));
        message.bytes = workload_.bytes(step);
        message.handle = static_cast<std::uint32_t>(step * workload_.npus() + npu);
        network_.send(message);
    }

    const Workload& workload_;
    engine::Network& network_;
};

Measured measure(const Workload& workload, engine::EventQueue& queue, engine::Network& network) {
    const Player player(workload, network);
    Measured result;
    const double start = processor_seconds();
    network.run(queue);
    result.seconds = processor_seconds() - start;
    result.packet_hops = network.packet_hops();
    result.finish = queue.now();
    return result;
}

Measured packets(const Workload& workload, bool trains) {
    engine::EventQueue queue;
    PacketOptions options;
    options.fast_forward = trains;
    const auto network = make_packet_network(workload.network, queue, options);
    return measure(workload, queue, *network);
}

Measured naive(const Workload& workload) {
    engine::EventQueue queue;
    topology::NetworkDescription network = workload.network;
    network.packet.virtual_channels = network.virtual_channels();
    packet_test::NaivePacketNetwork plain(
        network, [&network](NodeId from, NodeId to) { return network.route(from, to); }, queue);
    return measure(workload, queue, plain);
}

Measured bare_loop(const Workload& workload) {
    BarePacketLoop loop(workload.network);
    const int npus = workload.npus();
    const auto send = [&](int npu, int step) {
        loop.send(NodeId(npu), NodeId(workload.target(npu, step)), workload.bytes(step),
                  static_cast<std::uint32_t>(step * npus + npu));
    };
    for (int npu = 0; npu < npus; ++npu) {
        send(npu, 0);
    }
    Measured result;
    const double start = processor_seconds();
    loop.run([&](std::uint32_t handle) {
        const int step = static_cast<int>(handle) / npus + 1;
        if (step < workload.steps) {
            send(workload.target(static_cast<int>(handle) % npus, step - 1), step);
        }
    });
    result.seconds = processor_seconds() - start;
    result.packet_hops = loop.packet_hops();
    result.finish = loop.now();
    return result;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The median of yardstick time / time, repetition by repetition.
double ratio(const std::vector<Measured>& runs, const std::vector<Measured>& yardstick) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ratios.push_back(yardstick[i].seconds / runs[i].seconds);
    }
    return median(ratios);
}

/// The repetitions of one workload.
struct Runs {
    std::vector<Measured> loop;
    std::vector<Measured> naive;
    std::vector<Measured> queue;
    std::vector<Measured> trains;
};

nlohmann::json aggregate(const std::string& name, const std::vector<Measured>& measured) {
    std::vector<double> seconds;
    for (const Measured& run : measured) {
        seconds.push_back(run.seconds);
    }
    const double middle = median(seconds);
    return {{"name", name + "_median"},
            {"run_name", name},
            {"run_type", "aggregate"},
            {"aggregate_name", "median"},
            {"repetitions", measured.size()},
            {"iterations", measured.size()},
            {"real_time", 1e3 * middle},
            {"cpu_time", 1e3 * middle},
            {"time_unit", "ms"},
            {"items_per_second", static_cast<double>(measured.front().packet_hops) / middle},
            {"packet_hops", measured.front().packet_hops},
            {"simulated_ps", measured.front().finish.ps()}};
}

nlohmann::json report(const std::string& name, const std::vector<Measured>& measured,
                      const Runs& runs) {
    nlohmann::json result = aggregate(name, measured);
    if (!runs.loop.empty()) {
        result["bare_loop_ratio"] = ratio(measured, runs.loop);
    }
    if (!runs.naive.empty()) {
        result["naive_ratio"] = ratio(measured, runs.naive);
    }
    return result;
}

nlohmann::json run_all(int repetitions, const std::string& filter) {
    nlohmann::json benchmarks = nlohmann::json::array();
    for (const Workload& workload : workloads()) {
        if (workload.name.find(filter) == std::string::npos) {
            continue;
        }
        Runs runs;
        for (int i = 0; i < repetitions; ++i) {
            runs.trains.push_back(packets(workload, true));
            if (workload.trains_only) {
                continue;
            }
            runs.loop.push_back(bare_loop(workload));
            runs.queue.push_back(packets(workload, false));
            // The plain network has credits only.
            if (workload.network.packet.flow_control == topology::FlowControl::Credit) {
                runs.naive.push_back(naive(workload));
            }
        }
        if (!runs.trains.empty()) {
            benchmarks.push_back(report(workload.name + "/trains", runs.trains, runs));
        }
        if (!runs.loop.empty()) {
            benchmarks.push_back(report(workload.name + "/queue", runs.queue, runs));
            benchmarks.push_back(report(workload.name + "/bare_loop", runs.loop, runs));
        }
        if (!runs.naive.empty()) {
            benchmarks.push_back(report(workload.name + "/naive", runs.naive, runs));
        }
    }
    return {{"context", {{"executable", "packet_machine_benchmark"}, {"num_cpus", 1}}},
            {"benchmarks", benchmarks}};
}

}  // namespace
}  // namespace npunet::benchmark

int main(int argc, char** argv) {
    CLI::App app("Packet-hops per second of the packet machine, as JSON");
    int repetitions = 5;
    std::string out;
    std::string filter;
    app.add_option("--repetitions", repetitions, "runs of each measurement")
        ->check(CLI::Range(1, 1000));
    app.add_option("--out", out, "file for the JSON (default: standard output)");
    app.add_option("--filter", filter, "only workloads whose name contains this");
    CLI11_PARSE(app, argc, argv);
    const std::string text = npunet::benchmark::run_all(repetitions, filter).dump(2) + "\n";
    if (out.empty()) {
        std::cout << text;
    } else {
        std::ofstream(out) << text;
    }
    return 0;
}
