#include "pair_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace npunet::validation {

namespace {

const std::string packet_name = "packet";
const std::string estimate_name = "analytical";

double part_of(Time difference, Time whole) {
    return static_cast<double>(difference.ps()) / static_cast<double>(whole.ps());
}

/// The runs that a comparison needs; null where one is missing.
struct Needed {
    const RunRecord* packet;
    const RunRecord* deep;
    const RunRecord* estimate;
    const RunRecord* model;

    [[nodiscard]] bool complete() const {
        return packet != nullptr && deep != nullptr && estimate != nullptr && model != nullptr;
    }
    [[nodiscard]] std::string failure() const {
        for (const RunRecord* const run : {packet, deep, estimate, model}) {
            if (run != nullptr && !run->failure.empty()) {
                return fmt::format("{}: {}", run->run, run->failure);
            }
        }
        return "";
    }
};

PairOutcome outcome_of(const Pair& pair, const Needed& runs) {
    PairOutcome outcome;
    outcome.pair = &pair;
    outcome.packet = runs.packet->finish;
    outcome.model = part_of(runs.model->finish - outcome.packet, outcome.packet);
    outcome.estimate = part_of(runs.estimate->finish - outcome.packet, outcome.packet);
    outcome.deep = part_of(runs.deep->finish - outcome.packet, outcome.packet);
    outcome.buffer_bound = std::abs(outcome.deep) > buffers_matter;
    outcome.marked = runs.packet->packet_hops == 0
                         ? 0
                         : static_cast<double>(runs.packet->marked) /
                               static_cast<double>(runs.packet->packet_hops);
    outcome.says_buffers = runs.model->says_buffers;
    return outcome;
}

/// A row of errors: of these pairs.
struct ErrorGroup {
    std::vector<double> estimate;
    std::vector<double> model;
    std::size_t farther = 0;  ///< than the estimate, and by more than close_enough

    void add(const PairOutcome& outcome) {
        estimate.push_back(100 * std::abs(outcome.estimate));
        model.push_back(100 * std::abs(outcome.model));
        if (std::abs(outcome.model) > close_enough &&
            std::abs(outcome.model) >= std::abs(outcome.estimate)) {
            ++farther;
        }
    }
    [[nodiscard]] std::vector<std::string> cells() const {
        std::vector<std::string> cells{std::to_string(model.size())};
        for (const std::vector<double>* const errors : {&estimate, &model}) {
            for (const double part : {0.5, 0.95, 1.0}) {
                cells.push_back(decimals(percentile(*errors, part), 2));
            }
        }
        cells.push_back(std::to_string(farther));
        return cells;
    }
};

const char* bound_text(bool bound) {
    return bound ? "buffer-bound" : "with room";
}

std::string signed_percent(double part) {
    return fmt::format("{:+.2f}", 100 * part);
}

}  // namespace

Outcomes outcomes_of(const std::vector<Pair>& pairs, const RunFile& file,
                     const std::string& model) {
    Outcomes outcomes;
    for (const Pair& pair : pairs) {
        if (!pair.traffic.unable.empty()) {
            outcomes.left_out.push_back({&pair, pair.traffic.unable});
            continue;
        }
        const Needed runs{file.find(pair.name, packet_name),
                          file.find(pair.name, deep_packet_run().name),
                          file.find(pair.name, estimate_name), file.find(pair.name, model)};
        if (std::string failure = runs.failure(); !failure.empty()) {
            outcomes.left_out.push_back({&pair, std::move(failure)});
        } else if (!runs.complete()) {
            ++outcomes.not_run;
        } else {
            outcomes.pairs.push_back(outcome_of(pair, runs));
        }
    }
    return outcomes;
}

Table error_table(const Outcomes& outcomes, const std::string& model) {
    Table table{"Errors by class",
                {"control", "buffers", "traffic", "pairs", "estimate: median", "95th", "max",
                 model + ": median", "95th", "max", "farther than the estimate"},
                {},
                {}};
    std::map<std::tuple<Control, bool>, ErrorGroup> sums;
    std::map<std::tuple<Control, bool, TrafficClass>, ErrorGroup> groups;
    for (const PairOutcome& outcome : outcomes.pairs) {
        const Control control = outcome.pair->control;
        sums[{control, outcome.buffer_bound}].add(outcome);
        groups[{control, outcome.buffer_bound, outcome.pair->traffic.kind}].add(outcome);
    }
    const auto row = [&](Control control, bool bound, const char* kind, const ErrorGroup& group) {
        std::vector<std::string> cells{name_of(control), bound_text(bound), kind};
        for (std::string& cell : group.cells()) {
            cells.push_back(std::move(cell));
        }
        table.add(std::move(cells), true);
    };
    for (const auto& [key, sum] : sums) {
        row(std::get<0>(key), std::get<1>(key), "all", sum);
        for (const TrafficClass kind : traffic_classes) {
            const auto group = groups.find({std::get<0>(key), std::get<1>(key), kind});
            if (group != groups.end()) {
                row(std::get<0>(key), std::get<1>(key), name_of(kind), group->second);
            }
        }
    }
    return table;
}

Table worst_table(const Outcomes& outcomes, std::size_t count) {
    Table table{"Farthest from packets",
                {"pair", "packets, ns", "error, %", "estimate's error, %",
                 "finish moves with 256 MiB by, %", "marked, %"},
                {},
                {}};
    std::vector<PairOutcome> worst = outcomes.pairs;
    std::stable_sort(worst.begin(), worst.end(), [](const PairOutcome& a, const PairOutcome& b) {
        return std::abs(a.model) > std::abs(b.model);
    });
    worst.resize(std::min(count, worst.size()));
    for (const PairOutcome& outcome : worst) {
        table.add({outcome.pair->name, nanoseconds(outcome.packet), signed_percent(outcome.model),
                   signed_percent(outcome.estimate), signed_percent(outcome.deep),
                   decimals(100 * outcome.marked, 2)},
                  true);
    }
    return table;
}

Table left_out_table(const Outcomes& outcomes) {
    Table table{"Not compared", {"pair", "why"}, {}, {}};
    for (const LeftOut& left : outcomes.left_out) {
        std::string reason = left.reason.substr(0, left.reason.find('\n'));
        table.add({left.pair->name, std::move(reason)}, true);
    }
    return table;
}

Table time_table(const Outcomes& outcomes, const RunFile& file, const std::string& model) {
    Table table{
        "Processor time",
        {"pairs", "count", "analytical, s", model + ", s", "packet, s", "packet / " + model},
        {},
        {}};
    const auto row = [&](const std::string& name, const Selection& selects) {
        double seconds[3] = {};
        std::size_t count = 0;
        for (const PairOutcome& outcome : outcomes.pairs) {
            if (!selects(outcome)) {
                continue;
            }
            ++count;
            std::size_t place = 0;
            for (const std::string& run : {estimate_name, model, packet_name}) {
                seconds[place++] += file.find(outcome.pair->name, run)->seconds;
            }
        }
        table.add(
            {name, std::to_string(count), decimals(seconds[0], 2), decimals(seconds[1], 2),
             decimals(seconds[2], 2), seconds[1] > 0 ? decimals(seconds[2] / seconds[1], 1) : ""},
            true);
    };
    row("steps with credits", [](const PairOutcome& outcome) {
        return outcome.pair->control == Control::Credits &&
               outcome.pair->traffic.kind == TrafficClass::Step;
    });
    for (const Control control : controls) {
        row(name_of(control),
            [control](const PairOutcome& outcome) { return outcome.pair->control == control; });
    }
    return table;
}

std::string outcomes_csv(const Outcomes& outcomes) {
    std::string text =
        "pair,traffic,control,packet_ps,model_error,estimate_error,moves_with_256MiB,buffer_bound,"
        "marked,says_buffers\n";
    for (const PairOutcome& outcome : outcomes.pairs) {
        text +=
            fmt::format("{},{},{},{},{:.6f},{:.6f},{:.6f},{},{:.6f},{}\n", outcome.pair->name,
                        name_of(outcome.pair->traffic.kind), name_of(outcome.pair->control),
                        outcome.packet.ps(), outcome.model, outcome.estimate, outcome.deep,
                        outcome.buffer_bound ? 1 : 0, outcome.marked, outcome.says_buffers ? 1 : 0);
    }
    return text;
}

}  // namespace npunet::validation
