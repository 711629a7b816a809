#include "report/results/saved_results.h"

#include <timeline.pb.h>

#include <algorithm>
#include <memory>

namespace npunet::report {

namespace {

using engine::CollectiveResult;
using engine::LinkResult;
using engine::NpuResult;
using engine::Parallelism;

constexpr std::int32_t most_ranks = 1 << 22;

bool is_rank(std::int32_t rank) {
    return rank >= 0 && rank < most_ranks;
}

void save(const engine::HoldUps::Part& part, timeline::Causes& entry) {
    entry.set_compute(part.compute.ps());
    entry.set_memory(part.memory.ps());
    entry.set_unknown(part.unknown.ps());
    for (const Time time : part.carried) {
        entry.add_carried(time.ps());
    }
}

engine::HoldUps::Part restored(const timeline::Causes& entry) {
    engine::HoldUps::Part part;
    part.compute = Time::ps(entry.compute());
    part.memory = Time::ps(entry.memory());
    part.unknown = Time::ps(entry.unknown());
    const auto dimensions =
        std::min(part.carried.size(), static_cast<std::size_t>(entry.carried_size()));
    for (std::size_t i = 0; i < dimensions; ++i) {
        part.carried[i] = Time::ps(entry.carried(static_cast<int>(i)));
    }
    return part;
}

/// Those without communication are left out.
void save(const engine::DimensionTimes& times, timeline::Npu& npu) {
    npu.set_has_dimensions(true);
    if (times.hold_ups) {
        save(times.hold_ups->exposed, *npu.mutable_exposed_causes());
        save(times.hold_ups->idle, *npu.mutable_idle_causes());
    }
    for (const Parallelism dimension : engine::parallelism_by_precedence) {
        if (const auto& [communication, exposed, waiting] = times[dimension];
            communication > Time()) {
            timeline::DimensionTimes& entry = *npu.add_dimensions();
            entry.set_dimension(static_cast<std::uint32_t>(dimension));
            entry.set_communication(communication.ps());
            entry.set_exposed(exposed.ps());
            entry.set_waiting(waiting.ps());
        }
    }
}

std::shared_ptr<const engine::DimensionTimes> restored_dimensions(const timeline::Npu& npu) {
    if (!npu.has_dimensions()) {
        return nullptr;
    }
    const auto times = std::make_shared<engine::DimensionTimes>();
    for (const timeline::DimensionTimes& entry : npu.dimensions()) {
        if (entry.dimension() < engine::parallelisms) {
            (*times)[static_cast<Parallelism>(entry.dimension())] = {
                Time::ps(entry.communication()), Time::ps(entry.exposed()),
                Time::ps(entry.waiting())};
        }
    }
    if (npu.has_exposed_causes()) {
        times->hold_ups =
            engine::HoldUps{restored(npu.exposed_causes()), restored(npu.idle_causes())};
    }
    return times;
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
    entry.set_memory_capacity(npu.memory_capacity.value());
    if (npu.dimensions) {
        save(*npu.dimensions, entry);
    }
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
    npu.memory_capacity = Bytes(entry.memory_capacity());
    npu.dimensions = restored_dimensions(entry);
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
    entry.set_notifications(link.notifications);
    entry.set_link_class(link.link_class);
    entry.set_bound(link.bound.ps());
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
    link.notifications = entry.notifications();
    link.link_class = entry.link_class();
    link.bound = Time::ps(entry.bound());
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

/// Trusts no class of a link; those of files without classes have one without a name.
void restore_links(const timeline::Results& message, engine::Results& results) {
    results.link_classes.assign(message.link_classes().begin(), message.link_classes().end());
    if (results.link_classes.empty() && message.links_size() > 0) {
        results.link_classes.emplace_back();
    }
    for (const timeline::LinkUse& entry : message.links()) {
        LinkResult link = restored(entry);
        link.link_class =
            std::min(link.link_class, static_cast<std::uint32_t>(results.link_classes.size() - 1));
        if (link.bound > results.link_bound.time) {
            results.link_bound = {link.bound, results.links.size()};
        }
        results.links.push_back(std::move(link));
    }
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
    for (const std::string& name : results.link_classes) {
        message.add_link_classes(name);
    }
    for (const engine::Carrier& carrier : results.carriers) {
        timeline::Carrier& entry = *message.add_carriers();
        entry.set_dimension(static_cast<std::uint32_t>(carrier.dimension));
        entry.set_links(carrier.links);
        for (const std::string& operation : carrier.operations) {
            entry.add_operations(operation);
        }
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
    restore_links(message, results);
    for (const timeline::Carrier& entry : message.carriers()) {
        if (entry.dimension() < engine::parallelisms) {
            results.carriers.push_back({static_cast<Parallelism>(entry.dimension()),
                                        entry.links(),
                                        {entry.operations().begin(), entry.operations().end()}});
        }
    }
    if (message.has_rates()) {
        results.rates = restored(message.rates());
    }
    return results;
}

}  // namespace npunet::report
