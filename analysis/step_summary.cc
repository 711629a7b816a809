#include "analysis/step_summary.h"

#include <algorithm>

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

Bottleneck bottleneck_of(const NpuResult& npu) {
    using Kind = Bottleneck::Kind;
    constexpr auto other = engine::Parallelism::Other;
    const Bottleneck compute{Kind::Compute, other, npu.compute, npu.compute};
    if (static_cast<double>(npu.compute.ps()) >=
        Bottleneck::compute_share * static_cast<double>(npu.finish.ps())) {
        return compute;
    }
    Bottleneck most{Kind::Communication, other, npu.communication, Time()};
    const auto offer = [&most](const Bottleneck& candidate) {
        most = candidate.exposed > most.exposed ? candidate : most;
    };
    if (npu.dimensions) {
        for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
            const engine::DimensionTimes::Entry& times = (*npu.dimensions)[dimension];
            offer({Kind::Communication, dimension, times.communication, times.exposed});
        }
    } else {
        offer({Kind::Communication, other, npu.communication, npu.exposed_communication});
    }
    offer({Kind::Memory, other, npu.memory, npu.exposed_memory});
    offer({Kind::Waiting, other, npu.idle, npu.idle});
    return most.exposed > Time() ? most : compute;
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
