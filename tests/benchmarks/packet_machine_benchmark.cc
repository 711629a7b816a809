// How many packets the packet machine moves over links per second of processor time: through ns-3's
// simulator, on the bare event queue, and beside a yardstick (bare_packet_loop.h) in the same run,
// so that figures from different machines can be compared as ratios.
//
//     packet_machine_benchmark [--repetitions N] [--out FILE]
//
// Prints JSON in Google Benchmark's format (which itself is not used: its licence and ns-3's do not
// go together). items_per_second are packet-hops; bare_loop_ratio is the median of the ratios to
// the yardstick, repetition by repetition.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bare_packet_loop.h"
#include "engine/event_queue.h"
#include "engine/network.h"
#include "ns3-module/api/packet_network.h"
#include "ns3-module/model/npu-packet-machine.h"
#include "topology/builder.h"

namespace npunet::benchmark {
namespace {

/// Who sends what to whom once a message has arrived.
struct Workload {
    std::string name;
    topology::NetworkDescription network;
    Bytes bytes;    ///< of one message; a multiple of the mtu
    int steps = 1;  ///< messages of each NPU, one after another
    /// Where an NPU sends in a step.
    std::function<int(int npu, int step)> target;
};

topology::NetworkDescription grid(topology::DimensionKind kind) {
    const auto line = topology::make_dimension(kind, 4, Rate(50'000'000'000), Time::ns(500));
    return topology::make_network({line, line});
}

/// Ring all-reduce of 64 MiB among n = 16 NPUs: 2 (n - 1) steps of 4 MiB to the next NPU, each sent
/// when the one before has arrived. All-to-all: to each other NPU in turn, 1 MiB at a time.
std::vector<Workload> workloads() {
    const auto next = [](int npu, int) { return (npu + 1) % 16; };
    const auto each = [](int npu, int step) { return (npu + 1 + step % 15) % 16; };
    using topology::DimensionKind;
    return {
        {"ring_all_reduce/torus_4x4", grid(DimensionKind::Ring), Bytes(4 << 20), 30, next},
        {"ring_all_reduce/mesh_4x4", grid(DimensionKind::Mesh1D), Bytes(4 << 20), 30, next},
        {"all_to_all/torus_4x4", grid(DimensionKind::Ring), Bytes(1 << 20), 60, each},
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
    Player(const Workload& workload, engine::EventQueue& queue, engine::Network& network)
        : workload_(workload), queue_(queue), network_(network) {
        network.set_listener(*this);
        for (int npu = 0; npu < 16; ++npu) {
            send(npu, 0);
        }
    }

    void on_sent(std::uint32_t) override {}
    void on_delivered(std::uint32_t handle, Time) override {
        const int step = static_cast<int>(handle) / 16 + 1;
        if (step < workload_.steps) {
            send(workload_.target(static_cast<int>(handle) % 16, step - 1), step);
        }
    }

private:
    void send(int npu, int step) {
        engine::Message message;
        message.id = engine::MessageId(NodeId(npu), static_cast<std::uint64_t>(step));
        message.source = NodeId(npu);
        message.destination = NodeId(workload_.target(npu, step));
        message.bytes = workload_.bytes;
        message.handle = static_cast<std::uint32_t>(step * 16 + npu);
        network_.send(message);
    }

    const Workload& workload_;
    engine::EventQueue& queue_;
    engine::Network& network_;
};

Measured measure(const Workload& workload, engine::EventQueue& queue, engine::Network& network) {
    const Player player(workload, queue, network);
    Measured result;
    const double start = processor_seconds();
    network.run(queue);
    result.seconds = processor_seconds() - start;
    result.packet_hops = network.packet_hops();
    result.finish = queue.now();
    return result;
}

Measured on_bare_queue(const Workload& workload) {
    engine::EventQueue queue;
    packet::PacketMachine machine(workload.network, queue);
    return measure(workload, queue, machine);
}

Measured through_ns3(const Workload& workload) {
    engine::EventQueue queue;
    const auto network = make_packet_network(workload.network, queue);
    return measure(workload, queue, *network);
}

Measured bare_loop(const Workload& workload) {
    BarePacketLoop loop(workload.network);
    const auto send = [&](int npu, int step) {
        loop.send(NodeId(npu), NodeId(workload.target(npu, step)), workload.bytes,
                  static_cast<std::uint32_t>(step * 16 + npu));
    };
    for (int npu = 0; npu < 16; ++npu) {
        send(npu, 0);
    }
    Measured result;
    const double start = processor_seconds();
    loop.run([&](std::uint32_t handle) {
        const int step = static_cast<int>(handle) / 16 + 1;
        if (step < workload.steps) {
            send(workload.target(static_cast<int>(handle) % 16, step - 1), step);
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

nlohmann::json report(const std::string& name, const std::vector<Measured>& runs,
                      const std::vector<Measured>& yardstick) {
    std::vector<double> seconds;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        seconds.push_back(runs[i].seconds);
        ratios.push_back(yardstick[i].seconds / runs[i].seconds);
    }
    const double middle = median(seconds);
    return {{"name", name + "_median"},
            {"run_name", name},
            {"run_type", "aggregate"},
            {"aggregate_name", "median"},
            {"repetitions", runs.size()},
            {"iterations", runs.size()},
            {"real_time", 1e3 * middle},
            {"cpu_time", 1e3 * middle},
            {"time_unit", "ms"},
            {"items_per_second", static_cast<double>(runs.front().packet_hops) / middle},
            {"packet_hops", runs.front().packet_hops},
            {"simulated_ps", runs.front().finish.ps()},
            {"bare_loop_ratio", median(ratios)}};
}

nlohmann::json run_all(int repetitions) {
    nlohmann::json benchmarks = nlohmann::json::array();
    for (const Workload& workload : workloads()) {
        std::vector<Measured> ns3;
        std::vector<Measured> queue;
        std::vector<Measured> loop;
        for (int i = 0; i < repetitions; ++i) {
            loop.push_back(bare_loop(workload));
            queue.push_back(on_bare_queue(workload));
            if (packet_fidelity_available()) {
                ns3.push_back(through_ns3(workload));
            }
        }
        if (!ns3.empty()) {
            benchmarks.push_back(report(workload.name + "/ns3", ns3, loop));
        }
        benchmarks.push_back(report(workload.name + "/queue", queue, loop));
        benchmarks.push_back(report(workload.name + "/bare_loop", loop, loop));
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
    app.add_option("--repetitions", repetitions, "runs of each measurement")
        ->check(CLI::Range(1, 1000));
    app.add_option("--out", out, "file for the JSON (default: standard output)");
    CLI11_PARSE(app, argc, argv);
    const std::string text = npunet::benchmark::run_all(repetitions).dump(2) + "\n";
    if (out.empty()) {
        std::cout << text;
    } else {
        std::ofstream(out) << text;
    }
    return 0;
}
