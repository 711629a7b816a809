#include "analysis/step_summary.h"

#include <algorithm>
#include <vector>

namespace npunet::analysis {

namespace {

using engine::NpuResult;

/// Of `capacity_share` at first, then of the peak; the first of equals.
const NpuResult* fullest_of(const engine::Results& results) {
    const auto share = [](const NpuResult& npu) {
        return npu.memory_capacity > Bytes(0) ? static_cast<double>(npu.peak_memory.value()) /
                                                    static_cast<double>(npu.memory_capacity.value())
                                              : 0.0;
    };
    const NpuResult* fullest = nullptr;
    for (const NpuResult& npu : results.npus) {
        if (npu.peak_memory > Bytes(0) &&
            (fullest == nullptr || share(npu) > share(*fullest) ||
             (share(npu) == share(*fullest) && npu.peak_memory > fullest->peak_memory))) {
            fullest = &npu;
        }
    }
    return fullest;
}

/// The utilization is of the compute time.
double hfu_percent(const engine::Results& results) {
    double sum = 0;
    for (const NpuResult& npu : results.npus) {
        sum += npu.compute_utilization_percent * static_cast<double>(npu.compute.ps());
    }
    return sum / static_cast<double>(results.finish.ps()) /
           static_cast<double>(results.npus.size());
}

/// The largest of its parts.
Bottleneck largest_of(const std::vector<Bottleneck>& parts, const Bottleneck& otherwise) {
    const auto largest = std::max_element(
        parts.begin(), parts.end(),
        [](const Bottleneck& a, const Bottleneck& b) { return a.holds_up() < b.holds_up(); });
    return largest->holds_up() > Time() ? *largest : otherwise;
}

/// What an NPU does and waits for while it does not compute.
std::vector<Bottleneck> parts_of(const NpuResult& npu, const engine::HoldUps& causes) {
    using Kind = Bottleneck::Kind;
    std::vector<Bottleneck> parts;
    Time waiting;
    for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
        const engine::DimensionTimes::Entry& times = (*npu.dimensions)[dimension];
        const Time carried = times.exposed - times.waiting;
        const Time all = causes.exposed.carried_by(dimension) + causes.idle.carried_by(dimension);
        parts.push_back(
            {Kind::Communication, dimension, times.communication, carried, all - carried});
        waiting += times.waiting;
    }
    constexpr auto other = engine::Parallelism::Other;
    parts.push_back({Kind::Memory, other, npu.memory, npu.exposed_memory,
                     causes.exposed.memory + causes.idle.memory});
    parts.push_back({Kind::Waiting, other, npu.idle + waiting,
                     causes.exposed.compute + causes.exposed.unknown + causes.idle.compute +
                         causes.idle.unknown});
    return parts;
}

/// The same where the causes are not known.
std::vector<Bottleneck> parts_of(const NpuResult& npu) {
    using Kind = Bottleneck::Kind;
    constexpr auto other = engine::Parallelism::Other;
    std::vector<Bottleneck> parts;
    for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
        if (npu.dimensions) {
            const engine::DimensionTimes::Entry& times = (*npu.dimensions)[dimension];
            parts.push_back({Kind::Communication, dimension, times.communication, times.exposed});
        }
    }
    if (!npu.dimensions) {
        parts.push_back({Kind::Communication, other, npu.communication, npu.exposed_communication});
    }
    parts.push_back({Kind::Memory, other, npu.memory, npu.exposed_memory});
    parts.push_back({Kind::Waiting, other, npu.idle, npu.idle});
    return parts;
}

Bottleneck bottleneck_of(const NpuResult& npu) {
    const Bottleneck compute{Bottleneck::Kind::Compute, engine::Parallelism::Other, npu.compute,
                             npu.compute};
    if (static_cast<double>(npu.compute.ps()) >=
        Bottleneck::compute_share * static_cast<double>(npu.finish.ps())) {
        return compute;
    }
    const bool known = npu.dimensions && npu.dimensions->hold_ups;
    return largest_of(known ? parts_of(npu, *npu.dimensions->hold_ups) : parts_of(npu), compute);
}

}  // namespace

const NpuResult* last_to_finish(const engine::Results& results) {
    const auto last = std::max_element(
        results.npus.begin(), results.npus.end(),
        [](const NpuResult& a, const NpuResult& b) { return a.finish < b.finish; });
    return last == results.npus.end() ? nullptr : &*last;
}

std::optional<StepSummary> step_summary(const engine::Results& results) {
    StepSummary summary;
    summary.last = last_to_finish(results);
    if (summary.last == nullptr || summary.last->finish <= Time() || results.finish <= Time()) {
        return std::nullopt;
    }
    summary.bottleneck = bottleneck_of(*summary.last);
    summary.fullest = fullest_of(results);
    summary.busiest = &*std::max_element(
        results.npus.begin(), results.npus.end(),
        [](const NpuResult& a, const NpuResult& b) { return a.compute < b.compute; });
    summary.hfu_percent = hfu_percent(results);
    return summary;
}

}  // namespace npunet::analysis
