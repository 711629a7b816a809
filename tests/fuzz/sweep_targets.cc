// The spec of a sweep with its list of points, the expressions in it, and the records of its
// journal.
#include <algorithm>
#include <optional>

#include "base/yaml_document.h"
#include "memory_folder.h"
#include "memory_watch.h"
#include "study/sweep/design_space.h"
#include "study/sweep/expression.h"
#include "study/sweep/journal.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using namespace study;

constexpr std::size_t sweep_bytes_for_each = 60;
/// More combinations cost time and show nothing.
constexpr std::size_t most_points = 4096;
constexpr std::size_t most_sweep_values = 20'000;
/// A point with a row of each axis; the networks and models that the spec names, which are read.
constexpr std::size_t points_bytes = std::size_t{8} << 20;

/// More than most_points where there are more than `values` values, aliases followed.
std::size_t product_of_lists(const YAML::Node& node, std::size_t& values) {
    if (values == 0) {
        return most_points + 1;
    }
    --values;
    std::size_t product = node.IsSequence() ? std::max<std::size_t>(node.size(), 1) : 1;
    const auto times = [&](const YAML::Node& value) {
        product = std::min(product * product_of_lists(value, values), most_points + 1);
    };
    if (node.IsSequence()) {
        for (const YAML::Node& item : node) {
            times(item);
        }
    } else if (node.IsMap()) {
        for (const auto& entry : node) {
            times(entry.second);
        }
    }
    return product;
}

}  // namespace

// Beside the spec lie network.yml, system.json and model.yml, and points.csv when there is a second
// file.
void run_sweep(std::string_view input) {
    const std::vector<std::string_view> files = files_of(input, 2);
    std::size_t combinations = most_points + 1;
    accepts_written([&] {
        std::size_t values = most_sweep_values;
        combinations = product_of_lists(parse_yaml("sweep.yml", std::string(files[0])), values);
    });
    if (files.size() > 1) {
        combinations *=
            static_cast<std::size_t>(std::count(files[1].begin(), files[1].end(), '\n') + 1);
    }
    if (combinations > most_points) {
        return;
    }
    const MemoryFolder folder;
    folder.write("sweep.yml", files[0]);
    folder.write("network.yml",
                 "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n");
    folder.write("system.json", "{}");
    folder.write("model.yml", "hidden: 64\nlayers: 4\nheads: 4\nffn: 256\nvocab: 1000\nseq: 128\n");
    folder.write("trace.0.et", "");
    if (files.size() > 1) {
        folder.write("points.csv", files[1]);
    }
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(sweep_bytes_for_each * input.size(), points_bytes));
        const DesignSpace space = read_design_space(folder / "sweep.yml");
        watch.check();
        expect(!space.points.empty(), "a sweep without points");
        for (const Point& point : space.points) {
            expect(point.rows.size() == space.axes.size(), "a point of other axes");
            static_cast<void>(space.describe(point));
        }
        expect(read_design_space(folder / "sweep.yml").fingerprint == space.fingerprint,
               "a sweep that reads as another");
    });
}

std::vector<std::string> sweep_seeds() {
    const std::string mark(file_mark);
    const std::string machine = "systems: [system.json]\nnetworks: [network.yml]\n";
    return {
        "workload: {model: model.yml, batch: 8, seq: 64}\n"
        "plan: {dp: [1, 2, 4], tp: [1, 2], pp: [1], recompute: [none, full], zero: [0, 1]}\n"
        "where: dp * tp * pp <= npus and not (dp == 1 or tp % 2 == 1)\n"
        "sample: {count: 2, seed: 3}\nfidelity: [analytical, congestion-aware]\n"
        "limits: {memory: 80GB}\nthen: {fidelity: congestion-aware, top: 2}\n" +
            machine,
        "workload: {collective: {type: [all_reduce, all_gather], size: [1KiB, 1MB], repeat: "
        "2}}\ndialects: [npunet, astra-sim]\n" +
            machine,
        "workload: {prefix: [trace, trace], comm_group: system.json}\n" + machine,
        "workload: {dialect: stage, dvocal: 100, dmodel: 64, batch: 4}\nplan: {dp: [1, 2]}\n" +
            machine,
        "workload: {model: [model.yml], batch: [8]}\npoints: points.csv\n" + machine + mark +
            "dp, tp , recompute\n1,4,full\n\"2\",2,\"none\"\n"};
}

// The first byte: what the names stand for.
void run_expression(std::string_view input) {
    const auto first = static_cast<std::int64_t>(take_byte(input));
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(20 * input.size(), reader_buffers));
        const Expression expression = Expression::parse(input, "sweep.yml: where");
        watch.check();
        for (const std::int64_t step : {std::int64_t{1}, std::int64_t{-3}, std::int64_t{1} << 57}) {
            accepts_written([&] {
                static_cast<void>(expression.evaluate([&](std::size_t name) {
                    return first + static_cast<std::int64_t>(name % 16) * step;
                }));
            });
        }
    });
}

std::vector<std::string> expression_seeds() {
    std::vector<std::string> seeds{"1dp * tp * cp * pp == 64",
                                   "1a / b - -7 % (c + 2) <= 9223372036854775807",
                                   "2not a or b > 1 and c >= 2 or d != 3 and e < 4", "3(((a)))"};
    seeds.push_back("4" + std::string(1500, '('));
    seeds.push_back("5" + std::string(1500, '-') + "1");
    return seeds;
}

// One line, without the checksum that keeps damaged ones away.
void run_journal(std::string_view input) {
    std::optional<Outcome> outcome;
    {
        const MemoryWatch watch(memory_limit(sweep_bytes_for_each * input.size(), reader_buffers));
        outcome = read_outcome(input);
        watch.check();
    }
    if (outcome) {
        const std::string line = outcome_line(*outcome);
        const auto again = read_outcome(line);
        expect(again && outcome_line(*again) == line, "an outcome that reads as another");
    }
    std::size_t number = 0;
    Outcome whole;
    static_cast<void>(read_journal_record(input, number, whole));
}

std::vector<std::string> journal_seeds() {
    Outcome good;
    good.first.finish = Time::ps(12);
    good.largest.peak_memory = Bytes(1 << 30);
    good.slowest.rank = 3;
    return {outcome_line(good), outcome_line(failed("stalled", "rank 3\nwaits")),
            journal_record(7, good), "[1e300,2]", "[" + std::string(300, '[')};
}

}  // namespace npunet::fuzz
