#include "report/results/results_json.h"

#include <sys/resource.h>

#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/link_classes.h"
#include "report/results/flow_summary.h"
#include "report/results/npu_summary.h"
#include "report/results/results_lists.h"
#include "report/results/step_rates.h"
#include "report/results/step_summary.h"
#include "report/results/what_if.h"

namespace npunet::report {

namespace {

using engine::NpuResult;
using Layout = JsonWriter::Layout;

void write_peak(JsonWriter& json, const engine::MemoryPeak& peak) {
    json.member("peak_memory_ns", peak.at).key("alive_at_peak").begin_array();
    for (const engine::MemoryPeak::Tensor& tensor : peak.largest) {
        json.begin_object().member("name", tensor.name).member("bytes", tensor.bytes).end_object();
    }
    json.end_array();
    json.key("alive_besides")
        .begin_object()
        .member("tensors", peak.others)
        .member("bytes", peak.others_bytes)
        .end_object();
}

void write_figures(JsonWriter& json, const NpuResult& npu, Time run_finish) {
    json.member("finish_ns", npu.finish)
        .member("compute_ns", npu.compute)
        .member("comm_ns", npu.communication)
        .member("exposed_comm_ns", npu.exposed_communication)
        .member("exposed_memory_ns", npu.exposed_memory)
        .member("idle_ns", npu.idle)
        .member("peak_memory_bytes", npu.peak_memory)
        .member("compute_bound_percent", npu.compute_bound_percent)
        .member("compute_utilization_percent", npu.compute_utilization_percent)
        .member("memory_utilization_percent", npu.memory_utilization_percent)
        .member("operation_intensity", npu.operation_intensity)
        .member("memory_ns", npu.memory)
        .member("bubble_percent", bubble_percent(npu, run_finish))
        .member("bubble_of_step_percent", bubble_of_step_percent(npu, run_finish));
    write_dimension_times(json, npu);
    if (npu.memory_capacity > Bytes(0)) {
        json.member("memory_capacity_bytes", npu.memory_capacity);
    }
    if (npu.peak_memory > Bytes(0)) {
        write_peak(json, npu.peak);
    }
}

/// By dimension, communication, exposed and waiting.
std::vector<std::int64_t> dimensions_of(const NpuResult& npu) {
    std::vector<std::int64_t> times;
    if (npu.dimensions) {
        for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
            const engine::DimensionTimes::Entry& entry = (*npu.dimensions)[dimension];
            times.push_back(entry.communication.ps());
            times.push_back(entry.exposed.ps());
            times.push_back(entry.waiting.ps());
        }
    }
    return times;
}

/// Everything but the rank: NPUs are equal when their traces and all their figures are. Doubles are
/// compared by their bits, which orders even those that are not numbers.
auto figures_of(const NpuResult& npu) {
    const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
    std::vector<std::pair<std::string, Bytes>> largest;
    for (const engine::MemoryPeak::Tensor& tensor : npu.peak.largest) {
        largest.emplace_back(tensor.name, tensor.bytes);
    }
    return std::make_tuple(npu.npu_class, npu.finish, npu.compute, npu.communication,
                           npu.exposed_communication, dimensions_of(npu), npu.memory_capacity,
                           npu.exposed_memory, npu.idle, npu.memory, npu.peak_memory, npu.peak.at,
                           std::move(largest), npu.peak.others, npu.peak.others_bytes,
                           bits(npu.compute_bound_percent), bits(npu.compute_utilization_percent),
                           bits(npu.memory_utilization_percent), bits(npu.operation_intensity));
}

struct EqualNpus {
    const NpuResult* figures;
    std::vector<Rank> ranks;
};

/// In order of their lowest rank.
std::vector<EqualNpus> group_equal(const std::vector<NpuResult>& npus) {
    std::vector<EqualNpus> groups;
    std::map<decltype(figures_of(npus.front())), std::size_t> group_of;
    for (const NpuResult& npu : npus) {
        const auto [entry, is_new] = group_of.try_emplace(figures_of(npu), groups.size());
        if (is_new) {
            groups.push_back({&npu, {}});
        }
        groups[entry->second].ranks.push_back(npu.rank);
    }
    return groups;
}

void write_npus(JsonWriter& json, const std::vector<NpuResult>& npus, Time run_finish) {
    json.key("npus").begin_array(Layout::Lines);
    if (npus.size() <= most_listed_npus) {
        for (const NpuResult& npu : npus) {
            json.begin_object().member("rank", npu.rank.value());
            write_figures(json, npu, run_finish);
            json.end_object();
        }
    } else {
        for (const EqualNpus& group : group_equal(npus)) {
            json.begin_object().key("ranks");
            write_ranks(json, group.ranks);
            write_figures(json, *group.figures, run_finish);
            json.end_object();
        }
    }
    json.end_array();
}

/// Totals over all links, so that drops or pauses without marks are easy to notice.
void write_congestion(JsonWriter& json, const engine::Results& results) {
    const analysis::LinkClassUse all = analysis::use_of_all(results);
    json.key("congestion")
        .begin_object()
        .member("marked", all.marked)
        .member("drops", all.drops)
        .member("pauses", all.pauses)
        .member("retransmissions", all.retransmissions)
        .member("notifications", all.notifications)
        .end_object();
}

/// For which parts of the run messages got in each other's way.
void write_congestion_times(JsonWriter& json, const engine::CongestionTimes& times, Time finish) {
    const auto percent = [&](Time time) {
        return finish > Time()
                   ? 100.0 * static_cast<double>(time.ps()) / static_cast<double>(finish.ps())
                   : 0.0;
    };
    json.key("contention")
        .begin_object()
        .member("back_pressure_percent", percent(times.back_pressure))
        .member("incast_percent", percent(times.incast))
        .member("marks_percent", percent(times.marks))
        .end_object();
}

void write_link_classes(JsonWriter& json, const engine::Results& results) {
    json.key("link_classes").begin_array(Layout::Lines);
    for (const analysis::LinkClassUse& use : analysis::use_by_class(results)) {
        json.begin_object()
            .member("class", use.name)
            .member("links", std::uint64_t{use.links})
            .member("mean_utilization_percent", use.mean_percent)
            .member("max_utilization_percent", use.max_percent)
            .member("payload_bytes", use.payload)
            .member("wire_bytes", use.wire)
            .member("max_queue_bytes", use.max_queue)
            .member("packets", use.packets)
            .member("retransmissions", use.retransmissions)
            .member("credit_stall_ns", use.credit_stall)
            .member("pauses", use.pauses)
            .member("marked", use.marked)
            .member("drops", use.drops)
            .member("notifications", use.notifications)
            .end_object();
    }
    json.end_array();
}

void write_partial(JsonWriter& json, const engine::Partial& partial) {
    json.key("partial")
        .begin_object()
        .member("reason", partial.reason)
        .member("nodes_done", partial.nodes_done)
        .member("nodes", partial.nodes)
        .end_object();
}

void write_jobs(JsonWriter& json, const std::vector<engine::JobResult>& jobs) {
    json.key("jobs").begin_array(Layout::Lines);
    for (const engine::JobResult& job : jobs) {
        json.begin_object().member("name", job.name).key("npus").begin_array();
        for (const NodeId npu : job.npus) {
            json.value(npu.value());
        }
        json.end_array()
            .member("start_ns", job.start)
            .member("finish_ns", job.finish())
            .member("duration_ns", job.duration());
        if (job.results.partial) {
            write_partial(json, *job.results.partial);
        }
        json.end_object();
    }
    json.end_array();
}

/// `jobs`: those that share the run; empty where it is one workload.
void write_document(JsonWriter& json, const engine::Results& results,
                    const std::vector<engine::JobResult>& jobs, Bytes peak_memory,
                    const std::string& command, const OutputScope& scope) {
    json.begin_object(Layout::Lines).member("schema", 1);
    if (!command.empty()) {
        json.member("command", command);
    }
    json.member("fidelity", results.fidelity)
        .member("dialect", results.dialect)
        .member("finish_ns", results.finish)
        .member_or_null("link_bound_ns", results.link_bound.time);
    if (results.rates) {
        write_step_rates(json, *results.rates);
    }
    write_step_summary(json, results);
    if (scope.what_if != nullptr) {
        json.key("what_if");
        write_what_if(json, *scope.what_if);
    }
    if (!jobs.empty()) {
        write_jobs(json, jobs);
    }
    write_npus(json, results.npus, results.finish);
    if (are_truncated(results) && !scope.full_lists) {
        json.member("truncated", true);
    }
    if (!scope.cut_files.empty()) {
        json.key("truncated_files").begin_array();
        for (const std::string& file : scope.cut_files) {
            json.value(file);
        }
        json.end_array();
    }
    write_collectives(json, results, scope.full_lists);
    if (scope.detail != nullptr) {
        json.key("collective_choices");
        write_collective_choices(json, scope.detail->choices);
    }
    write_link_classes(json, results);
    write_links(json, results, scope.full_lists);
    if (results.resolved) {
        if (results.resolved->packet && !results.resolved->packet->has_credits()) {
            write_congestion(json, results);
        }
        json.key("resolved");
        write_resolved(json, *results.resolved);
    }
    if (results.congestion) {
        write_congestion_times(json, *results.congestion, results.finish);
    }
    if (results.flows) {
        json.key("flows");
        write_flow_summary(json, *results.flows);
    }
    if (results.partial) {
        write_partial(json, *results.partial);
    }
    if (!results.notes.empty()) {
        json.key("notes").begin_array(Layout::Lines);
        for (const std::string& note : results.notes) {
            json.value(note);
        }
        json.end_array();
    }
    json.key("performance")
        .begin_object()
        .member("wall_s", results.wall_seconds)
        .member("events", results.events)
        .member("packet_hops", results.packet_hops)
        .member("simulated_npus", results.simulated_npus)
        .member("peak_rss_bytes", peak_memory)
        .end_object();
    json.end_object();
}

}  // namespace

Bytes peak_resident_memory() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return Bytes(0);
    }
    return Bytes(static_cast<std::int64_t>(usage.ru_maxrss) * 1024);
}

void write_results(JsonWriter& json, const engine::Results& results, Bytes peak_memory,
                   const OutputScope& scope) {
    write_document(json, results, {}, peak_memory, "", scope);
}

std::string results_json(const engine::Results& results, Bytes peak_memory,
                         const std::string& command, const OutputScope& scope) {
    JsonWriter json;
    write_document(json, results, {}, peak_memory, command, scope);
    return json.text() + '\n';
}

std::string results_json(const engine::JobsResults& results, Bytes peak_memory,
                         const std::string& command, const OutputScope& scope) {
    JsonWriter json;
    write_document(json, results.all, results.jobs, peak_memory, command, scope);
    return json.text() + '\n';
}

}  // namespace npunet::report
