#include "report/results/step_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/units.h"
#include "engine/npu/statistics.h"
#include "report/results/npu_summary.h"
#include "report/results/step_rates.h"
#include "report/tables.h"

namespace npunet::report {

namespace {

using analysis::Bottleneck;
using analysis::StepSummary;
using engine::NpuResult;
using engine::Parallelism;
using engine::Results;

std::string memory_line(const NpuResult& npu) {
    std::string text = format_bytes(npu.peak_memory);
    if (npu.memory_capacity > Bytes(0)) {
        text += fmt::format(" of {} ({:.1f}%)", format_bytes(npu.memory_capacity),
                            100.0 * static_cast<double>(npu.peak_memory.value()) /
                                static_cast<double>(npu.memory_capacity.value()));
    }
    return text + fmt::format(" on rank {}", npu.rank.value());
}

/// " at 250 ns: weights 512 MiB and 3 more of 511 MiB"; nothing where it is not known.
std::string tensors_at_peak(const engine::MemoryPeak& peak) {
    if (peak.largest.empty()) {
        return "";
    }
    constexpr std::size_t most_named = 3;
    std::string text = fmt::format(" at {}:", format_time(peak.at));
    std::int64_t others = peak.others;
    Bytes others_bytes = peak.others_bytes;
    for (std::size_t i = 0; i < peak.largest.size(); ++i) {
        const engine::MemoryPeak::Tensor& tensor = peak.largest[i];
        if (i < most_named) {
            text += fmt::format("{} {} {}", i == 0 ? "" : ",", printable(tensor.name),
                                format_bytes(tensor.bytes));
        } else {
            ++others;
            others_bytes += tensor.bytes;
        }
    }
    if (others > 0) {
        text += fmt::format(" and {} more of {}", others, format_bytes(others_bytes));
    }
    return text;
}

/// "compute 600 ns (60.0%), exposed communication 300 ns (30.0%), idle 100.25 ns (10.0%); bubble
/// 10.0% of the step"
std::string time_line(const NpuResult& npu, Time run_finish) {
    std::string text =
        fmt::format("compute {}, exposed communication {}", with_share(npu.compute, npu.finish),
                    with_share(npu.exposed_communication, npu.finish));
    if (npu.exposed_memory > Time()) {
        text += ", exposed memory " + with_share(npu.exposed_memory, npu.finish);
    }
    text += ", idle " + with_share(npu.idle, npu.finish);
    return npu.idle > Time() ? text + fmt::format("; bubble {:.1f}% of the step",
                                                  bubble_of_step_percent(npu, run_finish))
                             : text;
}

/// "2.41" times as long.
std::string times_as_long(Time run, Time bound) {
    return fmt::format("{:.2f}x", static_cast<double>(run.ps()) / static_cast<double>(bound.ps()));
}

std::string bounds_line(const Results& results, const StepSummary& summary) {
    std::string text;
    if (const NpuResult& busiest = *summary.busiest; busiest.compute > Time()) {
        text = fmt::format("{} the compute of rank {} ({})",
                           times_as_long(results.finish, busiest.compute), busiest.rank.value(),
                           format_time(busiest.compute));
    }
    const engine::LinkBound& link = results.link_bound;
    if (link.time > Time() && link.time < Time::max() && link.link < results.links.size()) {
        const engine::LinkResult& busiest = results.links[link.link];
        text += fmt::format("{}{} the busiest link ({}, {} -> {})", text.empty() ? "" : ", ",
                            times_as_long(results.finish, link.time), format_time(link.time),
                            printable(busiest.from), printable(busiest.to));
    }
    return text;
}

/// "DP 304.4 ms, compute of other ranks 160.0 ms, TP 32.50 ms": what holds the NPU up, largest
/// first. Empty where it waits for nothing, or hardly.
std::string hold_ups_line(const NpuResult& npu) {
    constexpr std::int64_t least_share = 100;
    if (!npu.dimensions || !npu.dimensions->hold_ups) {
        return "";
    }
    const auto& [exposed, idle] = *npu.dimensions->hold_ups;
    Time waiting = npu.idle;
    std::vector<std::pair<Time, std::string>> causes{
        {exposed.compute + idle.compute, "compute of other ranks"},
        {npu.exposed_memory + exposed.memory + idle.memory, "remote memory"},
        {exposed.unknown + idle.unknown, "nothing under way"}};
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        waiting += (*npu.dimensions)[dimension].waiting;
        causes.emplace_back(
            exposed.carried_by(dimension) + idle.carried_by(dimension),
            dimension == Parallelism::Other ? "other communication" : name_of(dimension));
    }
    if (least_share * waiting < npu.finish) {
        return "";
    }
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [time, cause] : causes) {
        if (time > Time()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause, format_time(time));
        }
    }
    return text;
}

/// Nothing where it would tell no more than MFU does.
std::string executed_flops_line(const Results& results, double hfu_percent) {
    if (hfu_percent <= 0 || (results.rates && hfu_percent >= results.rates->mfu_percent)) {
        return "";
    }
    return fmt::format(
        "{:.1f}% of peak performance over the run, by the operations of the traces (HFU){}",
        hfu_percent,
        results.rates
            ? ": less than MFU, which counts the attention scores above the diagonal that "
              "kernels skip"
            : "");
}

struct Line {
    const char* label;  ///< on the console
    const char* name;   ///< on a page
    std::string value;
    bool of_workload = false;  ///< the same in every run of it, or nearly so
};

std::vector<Line> lines_of(const Results& results, bool with_tensors) {
    const std::optional<StepSummary> summary = analysis::step_summary(results);
    if (!summary) {
        return {};
    }
    std::vector<Line> lines{
        {"time", "Time",
         fmt::format("rank {}, the last to finish: {}", summary->last->rank.value(),
                     time_line(*summary->last, results.finish))}};
    if (std::string executed = executed_flops_line(results, summary->hfu_percent);
        !executed.empty()) {
        lines.push_back({"FLOPs", "FLOPs utilization", std::move(executed)});
    }
    if (std::string exposed = exposed_by_dimension(*summary->last); !exposed.empty()) {
        lines.push_back({"exposed", "Exposed communication", std::move(exposed)});
    }
    if (std::string causes = hold_ups_line(*summary->last); !causes.empty()) {
        lines.push_back({"held up by", "Held up by", std::move(causes)});
    }
    if (summary->fullest != nullptr) {
        lines.push_back({"peak memory", "Peak memory",
                         memory_line(*summary->fullest) +
                             (with_tensors ? tensors_at_peak(summary->fullest->peak) : ""),
                         true});
    }
    lines.push_back({"bottleneck", "Bottleneck", bottleneck_sentence(results, *summary)});
    if (std::string bounds = bounds_line(results, *summary); !bounds.empty()) {
        lines.push_back(
            {"bounds", "Distance to bounds", "the run takes " + std::move(bounds), true});
    }
    return lines;
}

}  // namespace

const char* key_of(Parallelism dimension) {
    static constexpr std::array<const char*, engine::parallelisms> keys{"tp", "pp", "dp",
                                                                        "ep", "cp", "other"};
    return keys[static_cast<std::size_t>(dimension)];
}

std::string exposed_by_dimension(const NpuResult& npu) {
    constexpr std::int64_t least_share = 100;
    std::string text;
    bool known = false;
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        const auto [communication, exposed, waiting] =
            npu.dimensions ? (*npu.dimensions)[dimension] : engine::DimensionTimes::Entry();
        if (exposed > Time()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(dimension),
                                format_time(exposed));
            text += least_share * waiting >= exposed
                        ? fmt::format(" ({} of it waiting for late ranks)", format_time(waiting))
                        : "";
            known = known || dimension != Parallelism::Other;
        }
    }
    return known ? text : "";
}

std::string step_summary_text(const Results& results) {
    std::string text = results.rates ? step_rates_text(*results.rates) + '\n' : "";
    for (const Line& line : lines_of(results, true)) {
        text += fmt::format("{}: {}\n", line.label, line.value);
    }
    return text;
}

std::vector<std::string> step_summary_lines(const Results& results) {
    std::vector<std::string> lines;
    if (results.rates) {
        lines.push_back(step_rates_text(*results.rates));
    }
    for (const Line& line : lines_of(results, false)) {
        if (!line.of_workload) {
            lines.push_back(fmt::format("{}: {}", line.label, line.value));
        }
    }
    return lines;
}

std::vector<std::pair<std::string, std::string>> step_summary_facts(const Results& results) {
    std::vector<std::pair<std::string, std::string>> facts;
    if (std::string warning = engine::capacity_note(results); !warning.empty()) {
        facts.emplace_back("WARNING", std::move(warning));
    }
    for (Line& line : lines_of(results, false)) {
        facts.emplace_back(line.name, std::move(line.value));
    }
    return facts;
}

}  // namespace npunet::report
