#include "engine/statistics.h"

#include <algorithm>
#include <map>

#include "engine/memory_tracker.h"
#include "engine/simulation.h"

namespace npunet::engine {

namespace {

/// Sums over the compute operations of one rank, weighted by their durations.
struct ComputeSums {
    double total = 0;
    double bound = 0;
    double peak_share = 0;
    double bandwidth_share = 0;
    double intensity = 0;
};

ComputeSums sum_compute(const RankProgram& program, Rank rank, const Dialect& dialect,
                        const ComputeModel& compute) {
    ComputeSums sums;
    // The reference starts its sum at 1 ns, against division by zero.
    double total = dialect.reference_statistics ? 1 : 0;
    for (const ProgramOperation& operation : program.operations) {
        const bool computes =
            operation.kind == OperationKind::Compute || operation.kind == OperationKind::Cpu;
        if (!computes || operation.nothing || compute.skipped(operation)) {
            continue;
        }
        const ComputeCost cost = compute.cost(rank, operation);
        const double duration = static_cast<double>(cost.duration.ps()) / 1000.0;
        total += duration;
        sums.bound += cost.compute_bound ? duration : 0;
        sums.peak_share += cost.peak_share * duration;
        sums.bandwidth_share += cost.bandwidth_share * duration;
        sums.intensity += cost.intensity * duration;
    }
    sums.total = total;
    return sums;
}

/// The intervals of one rank by what they are.
struct Activities {
    std::vector<Interval> compute;
    std::vector<Interval> communication;
};

Activities activities_of(const RankProgram& program, const RankRecord& record) {
    Activities activities;
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        const ProgramOperation& operation = program.operations[i];
        if (operation.nothing || record.end[i] == record.start[i]) {
            continue;
        }
        switch (operation.kind) {
            case OperationKind::Compute:
            case OperationKind::Cpu:
                activities.compute.push_back({record.start[i], record.end[i]});
                break;
            case OperationKind::Send:
            case OperationKind::Receive:
            case OperationKind::Collective:
                activities.communication.push_back({record.communication_from[i], record.end[i]});
                break;
            case OperationKind::Memory:
                break;
        }
    }
    return activities;
}

void fill_times(NpuResult& npu, const RankProgram& program, const RankRecord& record,
                const Dialect& dialect) {
    Activities activities = activities_of(program, record);
    npu.finish = record.finish;
    npu.communication = union_length(activities.communication);
    npu.compute = union_length(activities.compute);
    if (dialect.reference_statistics) {
        // GPU computes never overlap each other; CPU operations count as neither.
        Time gpu;
        for (std::size_t i = 0; i < program.operations.size(); ++i) {
            if (program.operations[i].kind == OperationKind::Compute &&
                !program.operations[i].nothing) {
                gpu += record.end[i] - record.start[i];
            }
        }
        npu.compute = gpu;
        npu.exposed_communication = npu.finish - gpu;
        return;
    }
    std::vector<Interval> busy = activities.compute;
    busy.insert(busy.end(), activities.communication.begin(), activities.communication.end());
    npu.exposed_communication = union_length(busy) - npu.compute;
    npu.idle = npu.finish - npu.compute - npu.exposed_communication - npu.exposed_memory;
}

void fill_rates(NpuResult& npu, const ComputeSums& sums) {
    if (sums.total <= 0) {
        return;
    }
    npu.compute_bound_percent = 100 * (sums.bound / sums.total);
    npu.compute_utilization_percent = 100 * (sums.peak_share / sums.total);
    npu.memory_utilization_percent = 100 * (sums.bandwidth_share / sums.total);
    npu.operation_intensity = sums.intensity / sums.total;
}

void add_operations(std::vector<Operation>& operations, Rank rank, const RankProgram& program,
                    const RankRecord& record) {
    const std::size_t first = operations.size();
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        if (!program.operations[i].nothing) {
            operations.push_back({rank, program.operations[i].kind, program.operations[i].node,
                                  program.names[i], record.start[i], record.end[i]});
        }
    }
    std::stable_sort(operations.begin() + static_cast<std::ptrdiff_t>(first), operations.end(),
                     [](const Operation& a, const Operation& b) { return a.start < b.start; });
}

}  // namespace

Time union_length(std::vector<Interval>& intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    Time length;
    Time covered_to;
    for (const Interval& interval : intervals) {
        const Time from = std::max(interval.start, covered_to);
        if (interval.end > from) {
            length += interval.end - from;
            covered_to = interval.end;
        }
    }
    return length;
}

Results summarize(const Workload& workload, const topology::NetworkDescription&,
                  const Dialect& dialect, const ComputeModel& compute,
                  const std::vector<RankRecord>& records, bool memory) {
    Results results;
    results.dialect = dialect.name;
    results.whole_nanoseconds = dialect.whole_nanoseconds;
    std::map<std::uint64_t, std::int32_t> classes;
    for (std::size_t index = 0; index < records.size(); ++index) {
        const RankProgram& program = workload.programs[index];
        NpuResult npu;
        npu.rank = Rank(index);
        npu.npu_class =
            classes.emplace(program.signature, static_cast<std::int32_t>(classes.size()))
                .first->second;
        fill_times(npu, program, records[index], dialect);
        fill_rates(npu, sum_compute(program, npu.rank, dialect, compute));
        if (memory) {
            npu.peak_memory = peak_memory(program, records[index].start, records[index].end);
        }
        results.finish = std::max(results.finish, npu.finish);
        results.npus.push_back(npu);
        add_operations(results.operations, npu.rank, program, records[index]);
    }
    return results;
}

void add_links(Results& results, const topology::NetworkDescription& description,
               const std::vector<LinkUse>& use) {
    const topology::Graph& graph = description.graph;
    for (std::size_t index = 0; index < use.size(); ++index) {
        const topology::Link& link = graph.link(LinkId(index));
        LinkResult result;
        result.from = graph.name(link.from);
        result.to = graph.name(link.to);
        result.payload = use[index].payload;
        result.wire = use[index].wire;
        result.busy = use[index].busy;
        result.max_queue = use[index].max_queue;
        if (results.finish > Time()) {
            result.utilization_percent = 100.0 * static_cast<double>(use[index].busy.ps()) /
                                         static_cast<double>(results.finish.ps());
        }
        results.links.push_back(result);
    }
}

}  // namespace npunet::engine
