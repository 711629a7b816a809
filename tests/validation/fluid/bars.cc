#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pair_report.h"

namespace npunet::validation {

namespace {

using Pairs = std::vector<PairOutcome>;

std::vector<double> errors_of(const Pairs& pairs) {
    std::vector<double> errors;
    for (const PairOutcome& pair : pairs) {
        errors.push_back(100 * std::abs(pair.model));
    }
    return errors;
}

/// Of 100.
double share(const Pairs& pairs, const Selection& has) {
    return 100 * static_cast<double>(std::count_if(pairs.begin(), pairs.end(), has)) /
           static_cast<double>(pairs.size());
}

Bar error_bar(std::string name, Selection selects, double part, double limit) {
    std::string rule = part == 50 ? fmt::format("median at most {} %", limit)
                                  : fmt::format("{}th percentile at most {} %", part, limit);
    return {std::move(name),
            std::move(rule),
            std::move(selects),
            [part](const Pairs& pairs) { return percentile(errors_of(pairs), part / 100); },
            limit,
            true};
}

Selection by(Control control) {
    return [control](const PairOutcome& outcome) { return outcome.pair->control == control; };
}

/// Credits, and pauses without congestion control: the same bars.
void add_lossless_bars(Control control, std::vector<Bar>& bars) {
    const std::string name = name_of(control);
    const auto with_room = [control](const PairOutcome& outcome) {
        return outcome.pair->control == control && !outcome.buffer_bound;
    };
    const auto regular = [with_room](const PairOutcome& outcome) {
        const TrafficClass kind = outcome.pair->traffic.kind;
        return with_room(outcome) &&
               (kind == TrafficClass::Step || kind == TrafficClass::AllReduce ||
                kind == TrafficClass::AllGather || kind == TrafficClass::ReduceScatter);
    };
    const auto bound = [control](const PairOutcome& outcome) {
        return outcome.pair->control == control && outcome.buffer_bound;
    };
    bars.push_back(error_bar(name + ", not buffer-bound", with_room, 50, 0.1));
    bars.push_back(error_bar(name + ", not buffer-bound", with_room, 95, 3));
    bars.push_back(error_bar(name + ", not buffer-bound: steps, collectives but all-to-alls",
                             regular, 95, 1.5));
    bars.push_back(error_bar(name + ", buffer-bound", bound, 50, 4));
    bars.push_back(error_bar(name + ", buffer-bound", bound, 95, 12));
}

void add_window_bars(const std::string& name, const Selection& selects, std::vector<Bar>& bars) {
    bars.push_back(error_bar(name, selects, 50, 1));
    bars.push_back(error_bar(name, selects, 80, 6));
    bars.push_back(error_bar(name, selects, 95, 15));
}

void add_congestion_bars(std::vector<Bar>& bars) {
    add_window_bars("swift", by(Control::Swift), bars);
    add_window_bars(
        "dcqcn, fewer than 1 % of packets marked",
        [](const PairOutcome& outcome) {
            return outcome.pair->control == Control::Dcqcn && outcome.marked < hardly_marked;
        },
        bars);
    bars.push_back(error_bar("hpcc", by(Control::Hpcc), 50, 2));
}

void add_note_bars(std::vector<Bar>& bars) {
    const auto note = [](const Pairs& pairs) {
        return share(pairs, [](const PairOutcome& pair) { return pair.says_buffers; });
    };
    bars.push_back({"buffer-bound", "note on buffers in at least 90 %",
                    [](const PairOutcome& outcome) { return outcome.buffer_bound; }, note, 90,
                    false});
    bars.push_back({"not buffer-bound", "note on buffers in at most 10 %",
                    [](const PairOutcome& outcome) { return !outcome.buffer_bound; }, note, 10,
                    true});
}

void add_estimate_bar(std::vector<Bar>& bars) {
    const auto good = [](const PairOutcome& pair) {
        return std::abs(pair.model) <= close_enough ||
               std::abs(pair.model) < std::abs(pair.estimate);
    };
    bars.push_back({"all", "closer than the estimate or within 1 % in at least 97 %",
                    [](const PairOutcome&) { return true; },
                    [good](const Pairs& pairs) { return share(pairs, good); }, 97, false});
}

}  // namespace

double percentile(std::vector<double> values, double part) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    const auto place = static_cast<std::size_t>(std::max(1.0, std::ceil(part * count - 1e-9)));
    return values[std::min(place, values.size()) - 1];
}

const std::vector<Bar>& bars() {
    static const std::vector<Bar> all = [] {
        std::vector<Bar> bars;
        add_lossless_bars(Control::Credits, bars);
        add_lossless_bars(Control::Pfc, bars);
        add_congestion_bars(bars);
        add_note_bars(bars);
        add_estimate_bar(bars);
        return bars;
    }();
    return all;
}

Table bar_table(const Outcomes& outcomes) {
    Table table{"Fluid against packets", {"pairs", "bar", "count", "figure, %", "holds"}, {}, {}};
    for (const Bar& bar : bars()) {
        Pairs selected;
        std::copy_if(outcomes.pairs.begin(), outcomes.pairs.end(), std::back_inserter(selected),
                     bar.selects);
        if (selected.empty()) {
            table.add({bar.name, bar.rule, "0", "", ""}, true);
            continue;
        }
        const double figure = bar.figure(selected);
        const bool holds = bar.at_most ? figure <= bar.limit : figure >= bar.limit;
        table.add({bar.name, bar.rule, std::to_string(selected.size()), decimals(figure, 2),
                   holds ? "yes" : "NO"},
                  holds);
    }
    return table;
}

}  // namespace npunet::validation
