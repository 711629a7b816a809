#include "engine/npu/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "base/units.h"
#include "engine/network/link_clock.h"
#include "engine/npu/hold_ups.h"
#include "engine/npu/interval_union.h"
#include "engine/npu/late_members.h"
#include "engine/npu/memory_tracker.h"
#include "topology/network/link_kinds.h"

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

ComputeSums sum_compute(const Workload& workload, const RankRecord& record, Rank rank,
                        const Dialect& dialect, const ComputeModel& compute,
                        const SummaryScope& scope) {
    const RankProgram& program = workload.program(rank);
    ComputeSums sums;
    // The reference starts its sum at 1 ns, against division by zero.
    double total = dialect.reference_statistics ? 1 : 0;
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        const ProgramOperation& operation = program.operations[i];
        const bool computes =
            operation.kind == OperationKind::Compute || operation.kind == OperationKind::Cpu;
        if (!computes || operation.nothing || compute.skipped(operation) ||
            (scope.partial && !has_begun(record, i))) {
            continue;
        }
        const ComputeCost cost = compute.cost(rank, workload.node_of(rank, operation), operation);
        const double duration = static_cast<double>(cost.duration.ps()) / 1000.0;
        // Communication beside it may have slowed it down: longer, and no more work done.
        const double taken = static_cast<double>((record.end[i] - record.start[i]).ps()) / 1000.0;
        total += taken;
        sums.bound += cost.compute_bound ? taken : 0;
        sums.peak_share += cost.peak_share * duration;
        sums.bandwidth_share += cost.bandwidth_share * duration;
        sums.intensity += cost.intensity * taken;
    }
    sums.total = total;
    return sums;
}

/// The intervals of one rank by what they are, each a union.
struct Activities {
    std::vector<Interval> compute;
    std::vector<Interval> cpu;
    struct Communication {
        std::vector<Interval> all;
        std::vector<Interval> carried;  ///< without waiting for members of collectives
        bool waits = false;             ///< ever; else the two are the same
    };
    std::array<Communication, parallelisms> communication;
    std::vector<Interval> memory;
};

Activities activities_of(const Workload& workload, Rank rank, const RankRecord& record,
                         const std::vector<LateMember>& late) {
    const RankProgram& program = workload.program(rank);
    auto next_late = late.begin();
    Activities activities;
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
        const ProgramOperation& operation = program.operations[i];
        const bool waits = next_late != late.end() && next_late->operation == i;
        const Time begun = waits ? next_late++->begun : Time();
        if (operation.nothing || record.end[i] == record.start[i]) {
            continue;
        }
        switch (operation.kind) {
            case OperationKind::Cpu:
                activities.cpu.push_back({record.start[i], record.end[i]});
                [[fallthrough]];
            case OperationKind::Compute:
                activities.compute.push_back({record.start[i], record.end[i]});
                break;
            case OperationKind::Send:
            case OperationKind::Receive:
            case OperationKind::Collective: {
                Activities::Communication& own =
                    activities
                        .communication[static_cast<std::size_t>(workload.dimension_of(rank, i))];
                const Time from = record.communication_from[i];
                own.all.push_back({from, record.end[i]});
                own.carried.push_back({std::max(from, begun), record.end[i]});
                own.waits = own.waits || waits;
                break;
            }
            case OperationKind::Memory:
                activities.memory.push_back({record.start[i], record.end[i]});
                break;
        }
    }
    unite(activities.compute);
    unite(activities.cpu);
    for (Activities::Communication& communication : activities.communication) {
        unite(communication.all);
        if (communication.waits) {
            unite(communication.carried);
        }
    }
    unite(activities.memory);
    return activities;
}

std::vector<Interval> all_communication(const Activities& activities) {
    std::vector<Interval> all;
    for (const auto& [communication, carried, waits] : activities.communication) {
        all = all.empty()             ? communication
              : communication.empty() ? std::move(all)
                                      : united(all, communication);
    }
    return all;
}

/// Leaves in `covered`, which is what computes, what computes or communicates.
DimensionTimes dimension_times(const Activities& activities, std::vector<Interval>& covered) {
    DimensionTimes times;
    Time before = length_of(covered);
    for (const Parallelism dimension : parallelism_by_precedence) {
        const auto& [own, carried, waits] =
            activities.communication[static_cast<std::size_t>(dimension)];
        if (!own.empty()) {
            const Time carrying = waits ? length_of(united(covered, carried)) - before : Time();
            covered = united(covered, own);
            const Time exposed = length_of(covered) - before;
            times[dimension] = {length_of(own), exposed, waits ? exposed - carrying : Time()};
            before += exposed;
        }
    }
    return times;
}

void fill_times(NpuResult& npu, const Workload& workload, Rank rank, const RankRecord& record,
                const Dialect& dialect, Time begin, LateMembers& late) {
    const Activities activities =
        activities_of(workload, rank, record,
                      dialect.reference_statistics ? std::vector<LateMember>() : late.of(rank));
    npu.finish = record.finish;
    npu.communication = length_of(all_communication(activities));
    npu.compute = length_of(activities.compute);
    npu.cpu = length_of(activities.cpu);
    npu.memory = length_of(activities.memory);
    if (dialect.reference_statistics) {
        // GPU computes never overlap each other; CPU operations count as neither.
        const RankProgram& program = workload.program(rank);
        Time gpu;
        for (std::size_t i = 0; i < program.operations.size(); ++i) {
            if (program.operations[i].kind == OperationKind::Compute &&
                !program.operations[i].nothing) {
                gpu += record.end[i] - record.start[i];
            }
        }
        npu.compute = gpu;
        npu.idle = std::min(npu.finish, begin);
        npu.exposed_communication = npu.finish - npu.idle - gpu;
        return;
    }
    std::vector<Interval> covered = activities.compute;
    npu.dimensions = std::make_shared<const DimensionTimes>(dimension_times(activities, covered));
    const Time computing_or_communicating = length_of(covered);
    npu.exposed_communication = computing_or_communicating - npu.compute;
    npu.exposed_memory = length_of(united(covered, activities.memory)) - computing_or_communicating;
    npu.idle = npu.finish - npu.compute - npu.exposed_communication - npu.exposed_memory;
}

/// Whether the communication of two ranks that behave alike serves the same, operation by
/// operation; false where that would take a look at each.
bool serves_the_same(const Workload& workload, Rank a, Rank b) {
    const auto dimension_of_slot = [&workload](Rank rank, std::size_t slot) {
        const std::int32_t group = workload.bindings[rank.index()].groups[slot];
        return workload.groups[static_cast<std::size_t>(group)].dimension;
    };
    const std::size_t slots = workload.bindings[a.index()].groups.size();
    if (workload.program_of[a.index()] != workload.program_of[b.index()] &&
        (workload.program(a).dimensions != workload.program(b).dimensions ||
         workload.bindings[b.index()].groups.size() != slots)) {
        return false;
    }
    const bool one_program = workload.program_of[a.index()] == workload.program_of[b.index()];
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const Parallelism dimension = dimension_of_slot(a, slot);
        if (dimension != dimension_of_slot(b, slot) ||
            (!one_program && dimension != Parallelism::Other)) {
            return false;
        }
    }
    return true;
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

/// What a rank executes, as it starts; the same for the ranks that it stands for.
std::vector<std::uint32_t> order_of_start(const RankProgram& program, const RankRecord& record,
                                          const SummaryScope& scope) {
    std::vector<std::uint32_t> order;
    order.reserve(program.operations.size());
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
        if (!program.operations[i].nothing && (!scope.partial || has_begun(record, i))) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&record](std::uint32_t a, std::uint32_t b) {
        return record.start[a] < record.start[b];
    });
    return order;
}

void add_operations(std::vector<Operation>& operations, Rank rank, const Workload& workload,
                    const RankRecord& record, const std::vector<std::uint32_t>& order) {
    const RankProgram& program = workload.program(rank);
    for (const std::uint32_t i : order) {
        const ProgramOperation& executed = program.operations[i];
        operations.push_back({rank, executed.kind, workload.node_of(rank, executed),
                              program.names[i], record.start[i], record.end[i]});
        Operation& operation = operations.back();
        if (is_of_group(executed)) {
            operation.group = static_cast<std::int32_t>(workload.group_of(rank, executed));
        }
        if (executed.kind == OperationKind::Send || executed.kind == OperationKind::Receive) {
            operation.peer = workload.peer_of(rank, executed);
            operation.tag = executed.tag;
        }
        if (executed.kind == OperationKind::Receive &&
            record.communication_from[i] > record.start[i]) {
            operation.communication_from = record.communication_from[i];
        }
        operation.dimension = workload.dimension_of(rank, i);
        const bool moves =
            executed.kind != OperationKind::Compute && executed.kind != OperationKind::Cpu;
        operation.bytes = moves ? executed.bytes : Bytes(-1);
    }
}

}  // namespace

bool lists_everyone(const Workload& workload, const Fold& fold) {
    constexpr std::size_t most = std::size_t{1} << 22;
    std::size_t operations = 0;
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        operations += workload.program(Rank(rank)).operations.size();
    }
    return fold.trivial() || operations <= most;
}

Results summarize(const Workload& workload, const Dialect& dialect, const ComputeModel& compute,
                  const Fold& fold, const std::vector<RankRecord>& records, SummaryScope scope) {
    Results results;
    results.dialect = dialect.name;
    results.whole_nanoseconds = dialect.whole_nanoseconds;
    results.npus.reserve(records.size());
    const bool everyone = lists_everyone(workload, fold);
    LateMembers late(workload, fold, records, scope.partial);
    std::map<std::uint64_t, std::int32_t> classes;
    std::vector<std::vector<std::uint32_t>> orders(records.size());  // of those simulated
    for (std::size_t index = 0; index < records.size(); ++index) {
        const RankProgram& program = workload.program(Rank(index));
        const Rank like = fold.representative(Rank(index));
        const RankRecord& record = records[like.index()];
        NpuResult npu;
        if (like.index() < index) {
            npu = results.npus[like.index()];
            if (npu.dimensions && !serves_the_same(workload, like, Rank(index))) {
                fill_times(npu, workload, Rank(index), record, dialect, scope.begin, late);
            }
        } else {
            fill_times(npu, workload, like, record, dialect, scope.begin, late);
            fill_rates(npu, sum_compute(workload, record, like, dialect, compute, scope));
            if (scope.memory) {
                npu.peak_memory =
                    peak_memory(program, workload.tensor_names, record.start, record.end, npu.peak);
            }
        }
        npu.rank = Rank(index);
        npu.npu_class =
            classes.emplace(program.signature, static_cast<std::int32_t>(classes.size()))
                .first->second;
        results.finish = std::max(results.finish, npu.finish);
        results.npus.push_back(std::move(npu));
        if (scope.timeline && (like.index() == index || everyone)) {
            std::vector<std::uint32_t>& order = orders[like.index()];
            if (like.index() == index) {
                order = order_of_start(program, record, scope);
            }
            add_operations(results.operations, Rank(index), workload, record, order);
        }
    }
    if (!dialect.reference_statistics && !results.npus.empty()) {
        NpuResult& last = *std::max_element(
            results.npus.begin(), results.npus.end(),
            [](const NpuResult& a, const NpuResult& b) { return a.finish < b.finish; });
        auto times = std::make_shared<DimensionTimes>(*last.dimensions);
        times->hold_ups = hold_ups_of(last.rank, workload, fold, records, late);
        last.dimensions = std::move(times);
    }
    if (scope.timeline) {
        for (const Group& group : workload.groups) {
            results.groups.push_back({group.name, group.ranks});
        }
    }
    if (!everyone) {
        results.notes.push_back(
            fmt::format("{} of {} NPUs stand for the others, which behave alike: collectives and "
                        "timeline are theirs",
                        fold.simulated(records.size()), records.size()));
    }
    return results;
}

void note_idleness(Results& results, Time begin) {
    if (results.finish <= begin) {
        results.notes.push_back(
            "nothing took any time: no rank has an operation that does; npunet trace info counts "
            "what "
            "the traces have");
    }
}

void note_recorded_durations(Results& results, const Workload& workload,
                             const ComputeModel& compute, const Fold& fold) {
    if (compute.recorded_on() == nullptr) {
        return;
    }
    struct Recorded {
        std::int64_t operations = 0;
        std::int64_t staying = 0;
        double time = 0;
        double staying_time = 0;
    };
    Recorded all;
    std::vector<Recorded> ranks(workload.ranks());
    for (std::size_t index = 0; index < ranks.size(); ++index) {
        const Rank rank(index);
        Recorded& own = ranks[index];
        own = ranks[fold.representative(rank).index()];
        if (fold.representative(rank).index() == index) {
            for (const ProgramOperation& operation : workload.program(rank).operations) {
                if (operation.nothing || !compute.moves(operation)) {
                    continue;
                }
                const auto time = static_cast<double>(operation.recorded.ps());
                const bool stays = compute.stays_recorded(rank, operation);
                own.operations += 1;
                own.staying += stays ? 1 : 0;
                own.time += time;
                own.staying_time += stays ? time : 0;
            }
        }
        all.operations += own.operations;
        all.staying += own.staying;
        all.time += own.time;
        all.staying_time += own.staying_time;
    }
    if (all.operations == 0) {
        results.notes.push_back(
            "recorded-on has no effect: no operation of a GPU has a recorded duration");
    } else if (all.staying > 0) {
        results.notes.push_back(fmt::format(
            "{} of {} recorded durations of GPU operations, {:.3g} % of their time, stay as on {}: "
            "these operations say neither which kernel they are nor their operations and bytes",
            all.staying, all.operations, 100 * all.staying_time / all.time,
            compute.recorded_on()->name));
    }
}

std::string capacity_note(const Results& results) {
    std::size_t count = 0;
    const NpuResult* worst = nullptr;
    const auto excess = [](const NpuResult& npu) {
        return npu.memory_capacity > Bytes(0) ? npu.peak_memory - npu.memory_capacity : Bytes(0);
    };
    for (const NpuResult& npu : results.npus) {
        if (excess(npu) > Bytes(0)) {
            ++count;
            worst = worst == nullptr || excess(npu) > excess(*worst) ? &npu : worst;
        }
    }
    return worst == nullptr
               ? ""
               : fmt::format(
                     "does not fit in memory: {} of {} NPUs use more than their "
                     "memory-capacity; rank {} most, {} of {}: {} too much",
                     count, results.npus.size(), worst->rank.value(),
                     format_bytes(worst->peak_memory), format_bytes(worst->memory_capacity),
                     format_bytes(excess(*worst)));
}

void set_capacities(Results& results, const std::vector<Bytes>& capacities) {
    for (NpuResult& npu : results.npus) {
        npu.memory_capacity = capacities[npu.rank.index()];
    }
    if (std::string note = capacity_note(results); !note.empty()) {
        results.notes.push_back(std::move(note));
    }
}

void add_links(Results& results, const topology::NetworkDescription& description,
               const std::vector<LinkUse>& use) {
    const topology::Graph& graph = description.graph;
    const LinkClock clock(description);
    const topology::LinkKinds kinds(description);
    results.link_classes = kinds.names();
    results.link_bound = LinkBound();
    for (std::size_t index = 0; index < use.size(); ++index) {
        const topology::Link& link = graph.link(LinkId(index));
        LinkResult result;
        result.from = graph.name(link.from);
        result.to = graph.name(link.to);
        result.payload = use[index].payload;
        result.wire = use[index].wire;
        result.busy = use[index].busy;
        result.max_queue = use[index].max_queue;
        result.packets = use[index].packets;
        result.retransmissions = use[index].retransmissions;
        result.credit_stall = use[index].credit_stall;
        result.pauses = use[index].pauses;
        result.marked = use[index].marked;
        result.drops = use[index].drops;
        result.notifications = use[index].notifications;
        result.link_class = kinds.kind_of(LinkId(index));
        result.queue_times = use[index].queue_times;
        result.classes_wire = use[index].classes_wire;
        if (result.wire > Bytes()) {
            result.bound = clock.end_if_ever(LinkId(index), Time(), result.wire);
        }
        if (results.whole_nanoseconds && result.bound < Time::max()) {
            result.bound -= Time::ps(result.bound.ps() % 1000);
        }
        if (result.bound > results.link_bound.time) {
            results.link_bound = {result.bound, index};
        }
        if (results.finish > Time()) {
            result.utilization_percent = 100.0 * static_cast<double>(use[index].busy.ps()) /
                                         static_cast<double>(results.finish.ps());
        }
        results.links.push_back(result);
    }
}

}  // namespace npunet::engine
