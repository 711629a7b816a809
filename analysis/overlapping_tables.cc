#include "analysis/overlapping_tables.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/call_roots.h"
#include "analysis/launches.h"
#include "analysis/training_threads.h"

namespace npunet::analysis {

namespace {

constexpr std::array<std::string_view, kernel_table_count> table_names = {
    "bwd_communication",
    "bwd_computation",
    "fwd_communication",
    "fwd_computation",
    "bwd_communication_recompute",
    "bwd_computation_recompute",
    "optimizer_computation",
    "dp_communication",
    "pp_communication"};

/// Makes the tables of one trace.
class TableMaker {
public:
    TableMaker(const EventTable& trace, const PatternTable& patterns)
        : trace_(trace),
          nesting_(trace, Overlap::Spilled),
          marks_(patterns, trace.strings),
          threads_(training_threads(trace, nesting_)),
          roots_(trace, nesting_, marks_, threads_, true),
          launches_(trace) {
        view_.numbers.resize(trace.size());
        for (std::uint32_t i = 0; i < nesting_.order().size(); ++i) {
            view_.numbers[nesting_.order()[i]] = i;
        }
    }

    ReferenceView make() {
        for (const EventId launch : launches_.calls()) {
            for (const EventId kernel : launches_.kernels_of(trace_.correlation[launch])) {
                add_under_roots(launch, kernel);
            }
        }
        add_backward();
        add_recomputed(KernelTable::BackwardComputation, KernelTable::BackwardComputationRecompute);
        add_recomputed(KernelTable::BackwardCommunication,
                       KernelTable::BackwardCommunicationRecompute);
        sort();
        return std::move(view_);
    }

private:
    std::vector<TableRow>& table(KernelTable which) {
        return view_.tables[static_cast<std::size_t>(which)];
    }

    [[nodiscard]] bool communicates(EventId kernel) const {
        return marks_.has(trace_.name[kernel], Mark::CommunicationKernel);
    }
    [[nodiscard]] bool computes(EventId kernel) const {
        return !communicates(kernel) && !marks_.has(trace_.name[kernel], Mark::MemoryKernel);
    }

    void add(KernelTable which, EventId kernel, EventId launch, EventId step) {
        if (step != no_event) {
            table(which).push_back({kernel, launch, step, no_event});
        }
    }

    void add_under_roots(EventId launch, EventId kernel) {
        if (communicates(kernel)) {
            if (roots_.of(Root::Loss, launch) == no_event) {
                add(KernelTable::ForwardCommunication, kernel, launch,
                    roots_.of(Root::Forward, launch));
            }
            add(KernelTable::PipelineCommunication, kernel, launch,
                roots_.of(Root::Pipeline, launch));
            add(KernelTable::DataParallelCommunication, kernel, launch,
                roots_.of(Root::DataParallel, launch));
        } else if (computes(kernel)) {
            add(KernelTable::ForwardComputation, kernel, launch, roots_.of(Root::Forward, launch));
            add(KernelTable::OptimizerComputation, kernel, launch,
                roots_.of(Root::Optimizer, launch));
        }
    }

    /// What autograd's thread launches while a backward step runs on the other.
    void add_backward() {
        std::vector<EventId> launches;
        for (const EventId launch : launches_.calls()) {
            if (trace_.track[launch] == threads_.backward && trace_.duration_ns[launch] > 0) {
                launches.push_back(launch);
            }
        }
        const auto earlier = [&](EventId a, EventId b) {
            return view_.numbers[a] < view_.numbers[b];
        };
        std::sort(launches.begin(), launches.end(), earlier);
        for (const EventId step : roots_.all(Root::Backward, nesting_)) {
            auto launch = std::lower_bound(
                launches.begin(), launches.end(), trace_.start_ns[step],
                [&](EventId one, std::int64_t time) { return trace_.start_ns[one] < time; });
            for (; launch != launches.end() && trace_.start_ns[*launch] <= trace_.end_ns(step);
                 ++launch) {
                for (const EventId kernel : launches_.kernels_of(trace_.correlation[*launch])) {
                    if (communicates(kernel)) {
                        add(KernelTable::BackwardCommunication, kernel, *launch, step);
                    } else if (computes(kernel)) {
                        add(KernelTable::BackwardComputation, kernel, *launch, step);
                    }
                }
            }
        }
    }

    void add_recomputed(KernelTable from, KernelTable to) {
        std::unordered_set<EventId> seen;
        for (const TableRow& row : table(from)) {
            const EventId recompute = roots_.of(Root::Recompute, row.launch);
            if (recompute != no_event && seen.insert(row.kernel).second) {
                table(to).push_back({row.kernel, row.launch, step_around(recompute), recompute});
            }
        }
    }

    /// The backward step in which an event begins; the shortest of several.
    EventId step_around(EventId event) {
        EventId best = no_event;
        if (backward_steps_.empty()) {
            backward_steps_ = roots_.all(Root::Backward, nesting_);
        }
        const std::int64_t time = trace_.start_ns[event];
        // Steps follow each other on one thread: those that can hold the time end at or after it.
        auto step =
            std::lower_bound(backward_steps_.begin(), backward_steps_.end(), time,
                             [&](EventId one, std::int64_t at) { return trace_.end_ns(one) < at; });
        for (; step != backward_steps_.end() && trace_.start_ns[*step] <= time; ++step) {
            if (best == no_event || trace_.duration_ns[*step] < trace_.duration_ns[best]) {
                best = *step;
            }
        }
        return best;
    }

    void sort() {
        for (std::size_t i = 0; i < kernel_table_count; ++i) {
            const bool by_step =
                i != static_cast<std::size_t>(KernelTable::BackwardCommunicationRecompute) &&
                i != static_cast<std::size_t>(KernelTable::BackwardComputationRecompute);
            std::vector<TableRow>& rows = view_.tables[i];
            std::stable_sort(rows.begin(), rows.end(), [&](const TableRow& a, const TableRow& b) {
                if (by_step && a.step != b.step) {
                    return view_.numbers[a.step] < view_.numbers[b.step];
                }
                return view_.numbers[a.kernel] < view_.numbers[b.kernel];
            });
        }
    }

    const EventTable& trace_;
    Nesting nesting_;
    NameMarks marks_;
    TrainingThreads threads_;
    CallRoots roots_;
    Launches launches_;
    ReferenceView view_;
    std::vector<EventId> backward_steps_;
};

}  // namespace

std::string_view name_of(KernelTable table) {
    return table_names[static_cast<std::size_t>(table)];
}

ReferenceView overlapping_tables(const EventTable& trace, const PatternTable& patterns) {
    return TableMaker(trace, patterns).make();
}

}  // namespace npunet::analysis
