#include <fmt/format.h>

#include <array>

#include "report/results/npu_summary.h"
#include "report/results/step_summary.h"

namespace npunet::report {

namespace {

using analysis::Bottleneck;
using analysis::StepSummary;
using engine::NpuResult;
using engine::Parallelism;
using engine::Results;

/// Those that are 0 are left out.
void write_causes(JsonWriter& json, const char* key, const engine::HoldUps::Part& part) {
    json.key(key).begin_object();
    const auto add = [&json](const std::string& name, Time time) {
        if (time > Time()) {
            json.member(name, time);
        }
    };
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        add(fmt::format("{}_ns", key_of(dimension)), part.carried_by(dimension));
    }
    add("compute_ns", part.compute);
    add("memory_ns", part.memory);
    add("unknown_ns", part.unknown);
    json.end_object();
}

}  // namespace

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
                .member("waiting_ns", times.waiting)
                .end_object();
        }
    }
    json.end_object();
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
    json.member("time_ns", bottleneck.time)
        .member("exposed_ns", bottleneck.exposed)
        .member("waiting_ns", bottleneck.waiting);
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
        .member("bubble_percent", bubble_percent(last, results.finish))
        .member("bubble_of_step_percent", bubble_of_step_percent(last, results.finish));
    write_dimension_times(json, last);
    if (last.dimensions && last.dimensions->hold_ups) {
        write_causes(json, "exposed_comm_causes", last.dimensions->hold_ups->exposed);
        write_causes(json, "idle_causes", last.dimensions->hold_ups->idle);
    }
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
