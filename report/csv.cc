#include "report/csv.h"

#include <fmt/format.h>

#include <iterator>

#include "analysis/link_classes.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "report/npu_summary.h"

namespace npunet::report {

std::string blank_separated(const std::vector<Rank>& ranks) {
    std::string text;
    for (const Rank rank : ranks) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", rank.value());
    }
    return text;
}

std::string ns_field(Time time) {
    return time == Time::max() ? "inf" : format_ns(time);
}

namespace {

/// By precedence, with a comma before each; empty fields where they are not known.
std::string dimension_fields(const engine::NpuResult& npu,
                             Time engine::DimensionTimes::Entry::*figure) {
    std::string fields;
    for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
        fields += ',';
        if (npu.dimensions) {
            fields += format_ns((*npu.dimensions)[dimension].*figure);
        }
    }
    return fields;
}

}  // namespace

std::string npus_csv(const engine::Results& results) {
    std::string csv =
        "rank,class,finish_ns,compute_ns,comm_ns,exposed_comm_ns,exposed_memory_ns,idle_ns,"
        "peak_memory_bytes,compute_bound_percent,compute_utilization_percent,"
        "memory_utilization_percent,operation_intensity_flop_per_byte,bubble_percent,"
        "exposed_tp_ns,exposed_cp_ns,exposed_ep_ns,exposed_pp_ns,exposed_dp_ns,exposed_other_ns,"
        "memory_capacity_bytes,"
        "waiting_tp_ns,waiting_cp_ns,waiting_ep_ns,waiting_pp_ns,waiting_dp_ns,waiting_other_ns,"
        "bubble_of_step_percent\n";
    for (const engine::NpuResult& npu : results.npus) {
        fmt::format_to(
            std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{}{},{}{},{}\n",
            npu.rank.value(), npu.npu_class, format_ns(npu.finish), format_ns(npu.compute),
            format_ns(npu.communication), format_ns(npu.exposed_communication),
            format_ns(npu.exposed_memory), format_ns(npu.idle), npu.peak_memory.value(),
            shortest(npu.compute_bound_percent), shortest(npu.compute_utilization_percent),
            shortest(npu.memory_utilization_percent), shortest(npu.operation_intensity),
            shortest(bubble_percent(npu, results.finish)),
            dimension_fields(npu, &engine::DimensionTimes::Entry::exposed),
            npu.memory_capacity.value(),
            dimension_fields(npu, &engine::DimensionTimes::Entry::waiting),
            shortest(bubble_of_step_percent(npu, results.finish)));
    }
    return csv;
}

std::string collectives_csv(const engine::Results& results) {
    std::string csv =
        "id,name,type,group,algorithm,bytes,first_start_ns,last_start_ns,end_ns,bandwidth_GBps,"
        "bound_ns,bandwidth_bound_GBps\n";
    for (const engine::CollectiveResult& collective : results.collectives) {
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       collective.id, csv_field(collective.name), csv_field(collective.type),
                       blank_separated(collective.group), csv_field(collective.algorithm),
                       collective.bytes.value(), format_ns(collective.first_start),
                       format_ns(collective.last_start), format_ns(collective.end),
                       shortest(collective.bandwidth_gbps), format_ns(collective.least),
                       shortest(collective.bandwidth_bound_gbps));
    }
    return csv;
}

std::string links_csv(const engine::Results& results) {
    std::string csv =
        "from,to,payload_bytes,wire_bytes,busy_ns,utilization_percent,max_queue_bytes,"
        "packets,retransmissions,credit_stall_ns,link_bound_ns,link_class,pauses,marked,drops,"
        "notifications";
    const std::size_t classes = results.links.empty() ? 0 : results.links[0].classes_wire.size();
    for (std::size_t i = 0; i < classes; ++i) {
        fmt::format_to(std::back_inserter(csv), ",class_{}_wire_bytes", i);
    }
    csv += '\n';
    for (const engine::LinkResult& link : results.links) {
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                       csv_field(link.from), csv_field(link.to), link.payload.value(),
                       link.wire.value(), format_ns(link.busy), shortest(link.utilization_percent),
                       link.max_queue.value(), link.packets, link.retransmissions,
                       format_ns(link.credit_stall), ns_field(link.bound),
                       csv_field(analysis::class_of(results, link)), link.pauses, link.marked,
                       link.drops, link.notifications);
        for (const Bytes bytes : link.classes_wire) {
            fmt::format_to(std::back_inserter(csv), ",{}", bytes.value());
        }
        csv += '\n';
    }
    return csv;
}

}  // namespace npunet::report
