// How fast the fluid network is: flow events per second of processor time beside the bare event
// loop, and how its time grows with the number of messages, for steps and for irregular traffic.
//
//     fluid_benchmark [--repetitions N] [--filter TEXT] [--out FILE]
//
// Prints JSON in Google Benchmark's format. items_per_second are events of the clock;
// bare_loop_ratio is the median over the repetitions of the time that the event queue alone takes
// for as many events, as many of them pending as messages are under way, divided by the time. For
// each kind of traffic of four sizes, "exponent" is the slope of the logarithm of the time over
// that of the number of messages, by least squares.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"

namespace npunet::benchmark {
namespace {

constexpr topology::LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};

/// Leaves of 16 NPUs with `up` links each to as many spines.
topology::NetworkDescription leaf_spine(int npus, int up) {
    const topology::FatTreeShape shape{2, 64, npus, {16, 1}, {up, 1}};
    return topology::make_fat_tree(shape, {speed, speed});
}

struct Sent {
    int from = 0;
    int to = 0;
    Bytes bytes;
};

/// Messages in rows: the first of each row is sent at the start, every other one when the message
/// before it in the row has been delivered.
struct Traffic {
    std::string name;
    topology::NetworkDescription network;
    std::vector<std::vector<Sent>> rows;

    [[nodiscard]] std::size_t messages() const {
        std::size_t sum = 0;
        for (const std::vector<Sent>& row : rows) {
            sum += row.size();
        }
        return sum;
    }
};

/// Of a training step: 32 rounds to the next NPU of a leaf, then 8 to the NPU of the same place in
/// the next leaf, on full bandwidth.
Traffic steps(int npus) {
    Traffic traffic{"steps/" + std::to_string(npus), leaf_spine(npus, 16), {}};
    for (int npu = 0; npu < npus; ++npu) {
        std::vector<Sent> row(32, {npu, npu / 16 * 16 + (npu + 1) % 16, Bytes(1 << 20)});
        row.insert(row.end(), 8, {npu, (npu + 16) % npus, Bytes(4 << 20)});
        traffic.rows.push_back(std::move(row));
    }
    return traffic;
}

/// Two messages of each NPU under way at a time, four one after the other, of 64 KiB to 1 MiB to
/// NPUs at random, up-links for a quarter of the bandwidth.
Traffic irregular(int npus) {
    Traffic traffic{"irregular/" + std::to_string(npus), leaf_spine(npus, 4), {}};
    std::mt19937_64 random(1);
    const auto below = [&random](int bound) {
        return static_cast<int>(random() % static_cast<std::uint64_t>(bound));
    };
    for (int row = 0; row < 2 * npus; ++row) {
        const int npu = row % npus;
        std::vector<Sent> sent;
        for (int i = 0; i < 4; ++i) {
            const std::int64_t kibibytes = std::int64_t{64} << below(5);
            sent.push_back({npu, (npu + 1 + below(npus - 1)) % npus, Bytes(kibibytes << 10)});
        }
        traffic.rows.push_back(std::move(sent));
    }
    return traffic;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Player final : public engine::MessageListener {
public:
    Player(const Traffic& traffic, engine::Network& network, const engine::EventQueue& queue)
        : traffic_(traffic), network_(network), queue_(queue), next_(traffic.rows.size()) {
        network.set_listener(*this);
        for (std::size_t row = 0; row < traffic.rows.size(); ++row) {
            send(row);
        }
    }

    void on_sent(std::uint32_t) override {}
    void on_delivered(std::uint32_t handle, Time) override {
        finish_ = queue_.now();
        send(handle);
    }
    [[nodiscard]] Time finish() const { return finish_; }

private:
    void send(std::size_t row) {
        if (next_[row] == traffic_.rows[row].size()) {
            return;
        }
        const Sent& sent = traffic_.rows[row][next_[row]];
        engine::Message message;
        message.source = NodeId(sent.from);
        message.destination = NodeId(sent.to);
        message.id =
            engine::MessageId(message.source, row * traffic_.rows[row].size() + next_[row]);
        message.bytes = sent.bytes;
        message.handle = static_cast<std::uint32_t>(row);
        message.order_major = row;
        ++next_[row];
        network_.send(message);
    }

    const Traffic& traffic_;
    engine::Network& network_;
    const engine::EventQueue& queue_;
    Time finish_;
    std::vector<std::size_t> next_;  ///< by row
};

struct Measured {
    double seconds = 0;  ///< of processor time
    std::uint64_t events = 0;
    Time finish;
};

Measured fluid(const Traffic& traffic) {
    engine::EventQueue queue;
    const double start = processor_seconds();
    analytical::FluidNetwork network(traffic.network, queue);
    const Player player(traffic, network, queue);
    network.run(queue);
    return {processor_seconds() - start, queue.handled(), player.finish()};
}

/// Every event schedules one.
class Repeater final : public engine::EventHandler {
public:
    Repeater(engine::EventQueue& queue, std::uint64_t events) : queue_(queue), left_(events) {}

    void handle(std::uint64_t payload) override {
        if (left_ > 0) {
            --left_;
            const auto after = static_cast<std::int64_t>(payload * 7919 % 100'003);
            queue_.schedule(queue_.now() + Time::ps(after),
                            engine::EventKey::of(engine::Phase::Arrival, 0, payload), *this,
                            payload + 1);
        }
    }

private:
    engine::EventQueue& queue_;
    std::uint64_t left_;
};

Measured bare_loop(std::uint64_t events, std::size_t pending) {
    engine::EventQueue queue;
    Repeater repeater(queue, events - std::min<std::uint64_t>(events, pending));
    const double start = processor_seconds();
    for (std::size_t i = 0; i < pending; ++i) {
        queue.schedule(Time::ps(static_cast<std::int64_t>(i)),
                       engine::EventKey::of(engine::Phase::Arrival, 0, i), repeater, i);
    }
    queue.run();
    return {processor_seconds() - start, queue.handled(), queue.now()};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The slope of log y over log x, by least squares.
double exponent(const std::vector<std::pair<double, double>>& points) {
    double x = 0;
    double y = 0;
    for (const auto& [flows, seconds] : points) {
        x += std::log(flows) / static_cast<double>(points.size());
        y += std::log(seconds) / static_cast<double>(points.size());
    }
    double products = 0;
    double squares = 0;
    for (const auto& [flows, seconds] : points) {
        products += (std::log(flows) - x) * (std::log(seconds) - y);
        squares += (std::log(flows) - x) * (std::log(flows) - x);
    }
    return products / squares;
}

nlohmann::json measure(const Traffic& traffic, int repetitions) {
    std::vector<double> seconds;
    std::vector<double> ratios;
    Measured last;
    for (int i = 0; i < repetitions; ++i) {
        last = fluid(traffic);
        seconds.push_back(last.seconds);
        ratios.push_back(bare_loop(last.events, traffic.rows.size()).seconds / last.seconds);
    }
    const double middle = median(seconds);
    return {{"name", traffic.name + "_median"},
            {"run_name", traffic.name},
            {"run_type", "aggregate"},
            {"aggregate_name", "median"},
            {"repetitions", repetitions},
            {"iterations", repetitions},
            {"real_time", 1e3 * middle},
            {"cpu_time", 1e3 * middle},
            {"time_unit", "ms"},
            {"items_per_second", static_cast<double>(last.events) / middle},
            {"messages", traffic.messages()},
            {"events", last.events},
            {"bare_loop_ratio", median(ratios)},
            {"simulated_ps", last.finish.ps()}};
}

nlohmann::json run_all(int repetitions, const std::string& filter) {
    nlohmann::json benchmarks = nlohmann::json::array();
    nlohmann::json exponents = nlohmann::json::object();
    struct Kind {
        const char* name;
        Traffic (*make)(int npus);
        std::vector<int> sizes;
    };
    for (const Kind& kind : {Kind{"steps", &steps, {64, 128, 256, 512}},
                             Kind{"irregular", &irregular, {64, 128, 256, 512}}}) {
        std::vector<std::pair<double, double>> points;
        for (const int npus : kind.sizes) {
            const Traffic traffic = kind.make(npus);
            if (traffic.name.find(filter) == std::string::npos) {
                continue;
            }
            benchmarks.push_back(measure(traffic, repetitions));
            points.emplace_back(static_cast<double>(traffic.messages()),
                                benchmarks.back()["cpu_time"].get<double>());
        }
        if (points.size() > 1) {
            exponents[kind.name] = exponent(points);
        }
    }
    return {{"context", {{"executable", "fluid_benchmark"}, {"num_cpus", 1}}},
            {"benchmarks", benchmarks},
            {"exponent", exponents}};
}

}  // namespace
}  // namespace npunet::benchmark

int main(int argc, char** argv) {
    CLI::App app("Events per second of the fluid network, and how its time grows, as JSON");
    int repetitions = 5;
    std::string out;
    std::string filter;
    app.add_option("--repetitions", repetitions, "runs of each measurement")
        ->check(CLI::Range(1, 1000));
    app.add_option("--out", out, "file for the JSON (default: standard output)");
    app.add_option("--filter", filter, "only traffic whose name contains this");
    CLI11_PARSE(app, argc, argv);
    const std::string text = npunet::benchmark::run_all(repetitions, filter).dump(2) + "\n";
    if (out.empty()) {
        std::cout << text;
        return 0;
    }
    std::ofstream file(out);
    file << text;
    return file.good() ? 0 : 1;
}
