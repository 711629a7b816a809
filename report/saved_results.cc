#include "report/saved_results.h"

#include <timeline.pb.h>

namespace npunet::report {

namespace {

using engine::CollectiveResult;
using engine::LinkResult;
using engine::NpuResult;

constexpr std::int32_t most_ranks = 1 << 22;

bool is_rank(std::int32_t rank) {
    return rank >= 0 && rank < most_ranks;
}

void save(const NpuResult& npu, timeline::Npu& entry) {
    entry.set_rank(npu.rank.value());
    entry.set_npu_class(npu.npu_class);
    entry.set_finish(npu.finish.ps());
    entry.set_compute(npu.compute.ps());
    entry.set_communication(npu.communication.ps());
    entry.set_exposed_communication(npu.exposed_communication.ps());
    entry.set_exposed_memory(npu.exposed_memory.ps());
    entry.set_idle(npu.idle.ps());
    entry.set_memory(npu.memory.ps());
    entry.set_cpu(npu.cpu.ps());
    entry.set_peak_memory(npu.peak_memory.value());
    entry.set_compute_bound_percent(npu.compute_bound_percent);
    entry.set_compute_utilization_percent(npu.compute_utilization_percent);
    entry.set_memory_utilization_percent(npu.memory_utilization_percent);
    entry.set_operation_intensity(npu.operation_intensity);
}

NpuResult restored(const timeline::Npu& entry) {
    NpuResult npu;
    npu.rank = Rank(entry.rank());
    npu.npu_class = entry.npu_class();
    npu.finish = Time::ps(entry.finish());
    npu.compute = Time::ps(entry.compute());
    npu.communication = Time::ps(entry.communication());
    npu.exposed_communication = Time::ps(entry.exposed_communication());
    npu.exposed_memory = Time::ps(entry.exposed_memory());
    npu.idle = Time::ps(entry.idle());
    npu.memory = Time::ps(entry.memory());
    npu.cpu = Time::ps(entry.cpu());
    npu.peak_memory = Bytes(entry.peak_memory());
    npu.compute_bound_percent = entry.compute_bound_percent();
    npu.compute_utilization_percent = entry.compute_utilization_percent();
    npu.memory_utilization_percent = entry.memory_utilization_percent();
    npu.operation_intensity = entry.operation_intensity();
    return npu;
}

void save(const CollectiveResult& collective, timeline::Collective& entry) {
    entry.set_id(collective.id);
    entry.set_name(collective.name);
    entry.set_type(collective.type);
    for (const Rank rank : collective.group) {
        entry.add_ranks(rank.value());
    }
    entry.set_algorithm(collective.algorithm);
    entry.set_bytes(collective.bytes.value());
    entry.set_first_start(collective.first_start.ps());
    entry.set_last_start(collective.last_start.ps());
    entry.set_end(collective.end.ps());
    entry.set_bandwidth_gbps(collective.bandwidth_gbps);
    entry.set_least(collective.least.ps());
    entry.set_bandwidth_bound_gbps(collective.bandwidth_bound_gbps);
}

CollectiveResult restored(const timeline::Collective& entry) {
    CollectiveResult collective;
    collective.id = entry.id();
    collective.name = entry.name();
    collective.type = entry.type();
    for (const std::int32_t rank : entry.ranks()) {
        if (is_rank(rank)) {
            collective.group.emplace_back(rank);
        }
    }
    collective.algorithm = entry.algorithm();
    collective.bytes = Bytes(entry.bytes());
    collective.first_start = Time::ps(entry.first_start());
    collective.last_start = Time::ps(entry.last_start());
    collective.end = Time::ps(entry.end());
    collective.bandwidth_gbps = entry.bandwidth_gbps();
    collective.least = Time::ps(entry.least());
    collective.bandwidth_bound_gbps = entry.bandwidth_bound_gbps();
    return collective;
}

void save(const LinkResult& link, timeline::LinkUse& entry) {
    entry.set_from(link.from);
    entry.set_to(link.to);
    entry.set_payload(link.payload.value());
    entry.set_wire(link.wire.value());
    entry.set_busy(link.busy.ps());
    entry.set_utilization_percent(link.utilization_percent);
    entry.set_max_queue(link.max_queue.value());
    entry.set_credit_stall(link.credit_stall.ps());
    entry.set_packets(link.packets);
    entry.set_retransmissions(link.retransmissions);
    entry.set_pauses(link.pauses);
    entry.set_marked(link.marked);
    entry.set_drops(link.drops);
    for (const Time time : link.queue_times) {
        entry.add_queue_times(time.ps());
    }
    for (const Bytes bytes : link.classes_wire) {
        entry.add_classes_wire(bytes.value());
    }
}

LinkResult restored(const timeline::LinkUse& entry) {
    LinkResult link;
    link.from = entry.from();
    link.to = entry.to();
    link.payload = Bytes(entry.payload());
    link.wire = Bytes(entry.wire());
    link.busy = Time::ps(entry.busy());
    link.utilization_percent = entry.utilization_percent();
    link.max_queue = Bytes(entry.max_queue());
    link.credit_stall = Time::ps(entry.credit_stall());
    link.packets = entry.packets();
    link.retransmissions = entry.retransmissions();
    link.pauses = entry.pauses();
    link.marked = entry.marked();
    link.drops = entry.drops();
    for (const std::int64_t time : entry.queue_times()) {
        link.queue_times.push_back(Time::ps(time));
    }
    for (const std::int64_t bytes : entry.classes_wire()) {
        link.classes_wire.emplace_back(bytes);
    }
    return link;
}

void save(const engine::StepRates& rates, timeline::StepRates& entry) {
    entry.set_tokens_per_s(rates.tokens_per_s);
    entry.set_samples_per_s(rates.samples_per_s);
    entry.set_model_tflops_per_npu(rates.model_tflops_per_npu);
    entry.set_mfu_percent(rates.mfu_percent);
    entry.set_mfu_palm_percent(rates.mfu_palm_percent);
    entry.set_peak_tflops_per_npu(rates.peak_tflops_per_npu);
    entry.set_peak_source(rates.peak_source);
}

engine::StepRates restored(const timeline::StepRates& entry) {
    return {entry.tokens_per_s(), entry.samples_per_s(),    entry.model_tflops_per_npu(),
            entry.mfu_percent(),  entry.mfu_palm_percent(), entry.peak_tflops_per_npu(),
            entry.peak_source()};
}

}  // namespace

void save_results(const engine::Results& results, timeline::Results& message) {
    message.set_fidelity(results.fidelity);
    message.set_dialect(results.dialect);
    message.set_whole_nanoseconds(results.whole_nanoseconds);
    message.set_finish(results.finish.ps());
    for (const NpuResult& npu : results.npus) {
        save(npu, *message.add_npus());
    }
    for (const CollectiveResult& collective : results.collectives) {
        save(collective, *message.add_collectives());
    }
    for (const LinkResult& link : results.links) {
        save(link, *message.add_links());
    }
    if (results.rates) {
        save(*results.rates, *message.mutable_rates());
    }
}

engine::Results restored_results(const timeline::Results& message) {
    engine::Results results;
    results.fidelity = message.fidelity();
    results.dialect = message.dialect();
    results.whole_nanoseconds = message.whole_nanoseconds();
    results.finish = Time::ps(message.finish());
    for (const timeline::Npu& entry : message.npus()) {
        if (is_rank(entry.rank())) {
            results.npus.push_back(restored(entry));
        }
    }
    for (const timeline::Collective& entry : message.collectives()) {
        results.collectives.push_back(restored(entry));
    }
    for (const timeline::LinkUse& entry : message.links()) {
        results.links.push_back(restored(entry));
    }
    if (message.has_rates()) {
        results.rates = restored(message.rates());
    }
    return results;
}

}  // namespace npunet::report
