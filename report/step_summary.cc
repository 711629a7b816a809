#include "report/step_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "report/npu_summary.h"
#include "report/step_rates.h"
#include "report/tables.h"

namespace npunet::report {

namespace {

using analysis::Bottleneck;
using analysis::StepSummary;
using engine::NpuResult;
using engine::Parallelism;
using engine::Results;

/// "tensor-parallel "; a word before what is communicated.
const char* adjective_of(Parallelism dimension) {
    static constexpr std::array<const char*, engine::parallelisms> adjectives{
        "tensor-parallel ", "pipeline ",         "data-parallel ",
        "expert-parallel ", "context-parallel ", ""};
    return adjectives[static_cast<std::size_t>(dimension)];
}

bool waits_alike(const NpuResult& a, const NpuResult& b, const Bottleneck& bottleneck) {
    const auto exposed = [&bottleneck](const NpuResult& npu) {
        switch (bottleneck.kind) {
            case Bottleneck::Kind::Compute:
                return npu.compute;
            case Bottleneck::Kind::Communication:
                return npu.dimensions ? (*npu.dimensions)[bottleneck.dimension].exposed
                                      : npu.exposed_communication;
            case Bottleneck::Kind::Memory:
                return npu.exposed_memory;
            case Bottleneck::Kind::Waiting:
                break;
        }
        return npu.idle;
    };
    return a.npu_class == b.npu_class && exposed(a) == exposed(b);
}

/// "rank 3", "ranks 0-15": all of the same work and the same figure.
std::string ranks_like(const Results& results, const StepSummary& summary) {
    std::vector<Rank> ranks;
    for (const NpuResult& npu : results.npus) {
        if (waits_alike(npu, *summary.last, summary.bottleneck)) {
            ranks.push_back(npu.rank);
        }
    }
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", format_ranks(ranks));
}

const engine::Carrier* carrier_of(const Results& results, Parallelism dimension) {
    const auto found = std::find_if(
        results.carriers.begin(), results.carriers.end(),
        [dimension](const engine::Carrier& one) { return one.dimension == dimension; });
    return found == results.carriers.end() ? nullptr : &*found;
}

/// "data-parallel all_gather and reduce_scatter"
std::string what_is_carried(const engine::Carrier* carrier, Parallelism dimension) {
    std::string operations;
    for (const std::string& operation :
         carrier == nullptr ? std::vector<std::string>() : carrier->operations) {
        operations += (operations.empty() ? "" : " and ") + operation;
    }
    return adjective_of(dimension) + (operations.empty() ? "communication" : operations);
}

std::string communication_sentence(const Results& results, const StepSummary& summary,
                                   const std::string& ranks) {
    const Bottleneck& bottleneck = summary.bottleneck;
    const engine::Carrier* const carrier = carrier_of(results, bottleneck.dimension);
    const std::string carried = what_is_carried(carrier, bottleneck.dimension);
    const std::string times = fmt::format(
        "for {}, {} of it exposed ({} of the run)", format_time(bottleneck.time),
        format_time(bottleneck.exposed), format_share(bottleneck.exposed, summary.last->finish));
    if (carrier == nullptr || carrier->links.empty()) {
        return fmt::format("{}: {} {}", ranks, carried, times);
    }
    const std::string& links = carrier->links;
    const bool of_dimension = links.rfind("dimension", 0) == 0;
    return fmt::format("{} {} {} of {} {}",
                       links == "NIC" ? "the NICs"
                       : of_dimension ? links
                                      : fmt::format("the {} links", links),
                       of_dimension ? "carries" : "carry", carried, ranks, times);
}

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
/// 11.1%"
std::string time_line(const NpuResult& npu, Time run_finish) {
    std::string text =
        fmt::format("compute {}, exposed communication {}", with_share(npu.compute, npu.finish),
                    with_share(npu.exposed_communication, npu.finish));
    if (npu.exposed_memory > Time()) {
        text += ", exposed memory " + with_share(npu.exposed_memory, npu.finish);
    }
    text += ", idle " + with_share(npu.idle, npu.finish);
    const double bubble = bubble_percent(npu, run_finish);
    return std::isfinite(bubble) && npu.idle > Time()
               ? text + fmt::format("; bubble {:.1f}%", bubble)
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
    if (!results.rates && summary->hfu_percent > 0) {
        lines.push_back(
            {"FLOPs", "FLOPs utilization",
             fmt::format("{:.1f}% of peak performance over the run, by the operations of "
                         "the traces (HFU)",
                         summary->hfu_percent)});
    }
    if (std::string exposed = exposed_by_dimension(*summary->last); !exposed.empty()) {
        lines.push_back({"exposed", "Exposed communication", std::move(exposed)});
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

/// Of communication, the class that carries it; empty where there is none.
std::string links_of(const Results& results, const Bottleneck& bottleneck) {
    const auto* const carrier = bottleneck.kind == Bottleneck::Kind::Communication
                                    ? carrier_of(results, bottleneck.dimension)
                                    : nullptr;
    return carrier == nullptr ? "" : carrier->links;
}

/// "DP over NIC, 6.6% exposed"; `share` is what of the run is exposed.
std::string words_of(const Bottleneck& bottleneck, const std::string& links,
                     const std::string& share) {
    switch (bottleneck.kind) {
        case Bottleneck::Kind::Compute:
            return "compute, " + share;
        case Bottleneck::Kind::Communication:
            return fmt::format("{}{}{}, {} exposed",
                               bottleneck.dimension == Parallelism::Other
                                   ? "communication"
                                   : name_of(bottleneck.dimension),
                               links.empty() ? "" : " over ", links, share);
        case Bottleneck::Kind::Memory:
            return fmt::format("remote memory, {} exposed", share);
        case Bottleneck::Kind::Waiting:
            break;
    }
    return "idle, " + share;
}

}  // namespace

const char* key_of(Parallelism dimension) {
    static constexpr std::array<const char*, engine::parallelisms> keys{"tp", "pp", "dp",
                                                                        "ep", "cp", "other"};
    return keys[static_cast<std::size_t>(dimension)];
}

std::string exposed_by_dimension(const NpuResult& npu) {
    std::string text;
    bool known = false;
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        const Time exposed = npu.dimensions ? (*npu.dimensions)[dimension].exposed : Time();
        if (exposed > Time()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(dimension),
                                format_time(exposed));
            known = known || dimension != Parallelism::Other;
        }
    }
    return known ? text : "";
}

std::string bottleneck_sentence(const Results& results, const StepSummary& summary) {
    const Bottleneck& bottleneck = summary.bottleneck;
    const std::string ranks = ranks_like(results, summary);
    const std::string exposed = format_time(bottleneck.exposed);
    const std::string share = format_share(bottleneck.exposed, summary.last->finish);
    switch (bottleneck.kind) {
        case Bottleneck::Kind::Compute:
            return fmt::format("compute: {} for {} ({} of the run)", ranks, exposed, share);
        case Bottleneck::Kind::Communication:
            return communication_sentence(results, summary, ranks);
        case Bottleneck::Kind::Memory:
            return fmt::format(
                "remote memory: accesses of {} for {}, {} of it exposed ({} of the run)", ranks,
                format_time(bottleneck.time), exposed, share);
        case Bottleneck::Kind::Waiting:
            break;
    }
    const bool in_pipeline =
        summary.last->dimensions &&
        (*summary.last->dimensions)[Parallelism::Pipeline].communication > Time();
    return fmt::format("{}: {} idle for {} ({} of the run)",
                       in_pipeline ? "the pipeline bubble" : "waiting for other ranks", ranks,
                       exposed, share);
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
    for (Line& line : lines_of(results, false)) {
        facts.emplace_back(line.name, std::move(line.value));
    }
    return facts;
}

void write_dimension_times(JsonWriter& json, const NpuResult& npu) {
    if (!npu.dimensions) {
        return;
    }
    json.key("by_dimension").begin_object();
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        const engine::DimensionTimes::Entry& times = (*npu.dimensions)[dimension];
        if (times.communication > Time()) {
            json.key(key_of(dimension))
                .begin_object()
                .member("comm_ns", times.communication)
                .member("exposed_comm_ns", times.exposed)
                .end_object();
        }
    }
    json.end_object();
}

std::optional<BoundBy> bound_by(const Results& results) {
    const std::optional<StepSummary> summary = analysis::step_summary(results);
    if (!summary) {
        return std::nullopt;
    }
    const Bottleneck& bottleneck = summary->bottleneck;
    const std::string links = links_of(results, bottleneck);
    return BoundBy{
        bottleneck, links,
        words_of(bottleneck, links, format_share(bottleneck.exposed, summary->last->finish))};
}

void write_bound(JsonWriter& json, const BoundBy& bound) {
    static constexpr std::array<const char*, 4> kinds{"compute", "communication", "memory",
                                                      "waiting"};
    const Bottleneck& bottleneck = bound.bottleneck;
    json.member("kind", kinds[static_cast<std::size_t>(bottleneck.kind)]);
    if (bottleneck.kind == Bottleneck::Kind::Communication) {
        json.member("dimension", key_of(bottleneck.dimension));
    }
    if (!bound.links.empty()) {
        json.member("links", bound.links);
    }
    json.member("time_ns", bottleneck.time).member("exposed_ns", bottleneck.exposed);
}

void write_step_summary(JsonWriter& json, const Results& results) {
    const std::optional<StepSummary> summary = analysis::step_summary(results);
    if (!summary) {
        return;
    }
    const NpuResult& last = *summary->last;
    json.key("summary")
        .begin_object()
        .member("rank", last.rank.value())
        .member("compute_ns", last.compute)
        .member("exposed_comm_ns", last.exposed_communication)
        .member("exposed_memory_ns", last.exposed_memory)
        .member("idle_ns", last.idle)
        .member("bubble_percent", bubble_percent(last, results.finish));
    write_dimension_times(json, last);
    if (summary->hfu_percent > 0) {
        json.member("hfu_percent", summary->hfu_percent);
    }
    if (const NpuResult* const fullest = summary->fullest; fullest != nullptr) {
        json.member("memory_rank", fullest->rank.value())
            .member("peak_memory_bytes", fullest->peak_memory);
        if (fullest->memory_capacity > Bytes(0)) {
            json.member("memory_capacity_bytes", fullest->memory_capacity);
        }
    }
    json.member("compute_limit_rank", summary->busiest->rank.value())
        .member("compute_limit_ns", summary->busiest->compute);
    json.key("bottleneck").begin_object();
    write_bound(json, *bound_by(results));
    json.member("sentence", bottleneck_sentence(results, *summary)).end_object();
    json.end_object();
}

}  // namespace npunet::report
