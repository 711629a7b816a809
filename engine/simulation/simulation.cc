#include "engine/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/units.h"
#include "engine/network/named_errors.h"
#include "engine/npu/statistics.h"
#include "engine/program/bytes_sent.h"
#include "engine/simulation/run_checks.h"
#include "engine/simulation/stall_report.h"

namespace npunet::engine {

namespace {

constexpr std::uint32_t done = RankRecord::done;
constexpr std::uint32_t in_progress = RankRecord::in_progress;

std::uint64_t payload_of(Rank rank, std::uint32_t number) {
    return (static_cast<std::uint64_t>(rank.value()) << 32) | number;
}

/// Nothing has begun.
void set_out(RankRecord& record, const std::vector<ProgramOperation>& operations) {
    record.start.assign(operations.size(), Time());
    record.end.assign(operations.size(), Time());
    record.communication_from.assign(operations.size(), Time());
    record.waiting.resize(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
        record.waiting[i] = operations[i].dependencies;
    }
}

}  // namespace

Simulation::Simulation(const Workload& workload, const topology::NetworkDescription& description,
                       const SystemConfig& system, const Dialect& dialect, EventQueue& queue,
                       Network& network, const Fold& fold, RankShare share,
                       CollectivePlanner* planner)
    : workload_(workload),
      description_(description),
      system_(system),
      dialect_(dialect),
      fold_(fold),
      share_(std::move(share)),
      queue_(queue),
      network_(network),
      timers_(queue, workload.ranks()),
      transport_(network, description, queue),
      collectives_(workload, description, system, dialect, fold, share_, queue, timers_, transport_,
                   *this, network.models_contention(), planner),
      point_to_point_(workload, transport_, *this, dialect.send_ends_at_delivery, fold, share_),
      remote_memory_(system.remote_memory, dialect, description, timers_, *this),
      compute_(system, dialect, description, workload.ranks()),
      rules_(system, dialect, compute_),
      issue_handler_(*this, &Simulation::issue_turn),
      compute_handler_(*this, &Simulation::compute_done),
      fixed_handler_(*this, &Simulation::fixed_start_is_due),
      npus_(workload.ranks()),
      records_(workload.ranks()) {
    check_run({workload, description, system, dialect, fold, share_});
    for (Npu& npu : npus_) {
        npu.ready = make_ready_set(dialect.issue_order);
        npu.free = rules_.places();
    }
    if (queue.order() == EventQueue::Order::Content && share_.whole()) {
        periodic_steps_ =
            std::make_unique<PeriodicSteps>(queue, network, transport_, collectives_, changes_);
    }
}

void Simulation::remember_collectives(CollectiveMemories& memories, LinkLoadRecorder* load) {
    if (queue_.order() == EventQueue::Order::Content && fold_.trivial() && share_.whole() &&
        network_.models_contention() && network_.idle_links() != nullptr &&
        RememberedCollectives::can_on(description_)) {
        collectives_.remember(std::make_unique<RememberedCollectives>(
            memories, queue_, *network_.idle_links(), load));
    }
}

void Simulation::set_observers(Observer started, Observer ended) {
    started_ = std::move(started);
    ended_ = std::move(ended);
}

void Simulation::start() {
    let_go_ = true;
    began_ = queue_.now();
    for (std::size_t index = 0; index < records_.size(); ++index) {
        if (!simulates(Rank(index))) {
            continue;
        }
        const std::vector<ProgramOperation>& operations = workload_.program(Rank(index)).operations;
        set_out(records_[index], operations);
        for (std::uint32_t number = 0; number < operations.size(); ++number) {
            if (operations[number].dependencies == 0 &&
                dialect_.issue_order == IssueOrder::AscendingId) {
                make_ready(Rank(index), number);
            }
        }
        assert((dialect_.issue_order == IssueOrder::AscendingId || operations.empty() ||
                !workload_.program(Rank(index)).first_ready.empty()) &&
               "the workload was laid out for another dialect");
        for (const std::uint32_t number : workload_.program(Rank(index)).first_ready) {
            make_ready(Rank(index), number);
        }
        start_fixed(Rank(index));
    }
    for (std::size_t index = 0; index < records_.size(); ++index) {
        if (share_.has(Rank(index))) {
            follow_up(Rank(index));
        }
    }
}

void Simulation::start_fixed(Rank rank) {
    if (fixed_ == nullptr) {
        return;
    }
    for (const auto& [number, time] : fixed_->of(rank)) {
        timers_.start(rank, time.start, fixed_handler_, payload_of(rank, number));
    }
}

void Simulation::fixed_start_is_due(std::uint64_t rank_and_number) {
    const Rank rank(static_cast<std::int32_t>(rank_and_number >> 32));
    const auto number = static_cast<std::uint32_t>(rank_and_number);
    const ProgramOperation& operation = workload_.program(rank).operations[number];
    npus_[rank.index()].ready->insert({number, operation.id, Resource::None, false, 0});
    follow_up(rank);
}

void Simulation::make_ready(Rank rank, std::uint32_t number) {
    if (fixed(rank, number) != nullptr) {
        return;
    }
    const ProgramOperation& operation = workload_.program(rank).operations[number];
    npus_[rank.index()].ready->insert({number, operation.id, rules_.resource_of(operation),
                                       rules_.holds(operation),
                                       rules_.preference_of(operation, queue_.now())});
}

void Simulation::follow_up(Rank rank) {
    if (dialect_.issue_after_each_completion) {
        issue(rank);
        return;
    }
    Npu& npu = npus_[rank.index()];
    if (!npu.issue_scheduled) {
        npu.issue_scheduled = true;
        const auto content = static_cast<std::uint64_t>(rank.value());
        queue_.schedule(queue_.now(), EventKey::of(Phase::Issue, event_kind::issue, content),
                        issue_handler_, content);
    }
}

void Simulation::issue_turn(std::uint64_t content) {
    const Rank rank(static_cast<std::int32_t>(content));
    npus_[rank.index()].issue_scheduled = false;
    issue(rank);
}

void Simulation::issue(Rank rank) {
    Npu& npu = npus_[rank.index()];
    const std::vector<ProgramOperation>& operations = workload_.program(rank).operations;
    while (!stopped_) {
        std::vector<std::uint32_t> startable;
        npu.ready->choose(npu.free, startable);
        if (rules_.communication_slows()) {
            // Compute last: it has to know what communication begins together with it.
            std::stable_partition(startable.begin(), startable.end(), [&](std::uint32_t number) {
                return operations[number].kind != OperationKind::Compute;
            });
        }
        naming_errors(name_, [&] {
            for (const std::uint32_t number : startable) {
                begin(rank, number);
            }
        });
        // Where nothing is left under way no completion comes after which to look again: the
        // reference waits for ever for what follows an operation that is done at once.
        if (startable.empty() || (dialect_.issue_after_each_completion && npu.in_progress > 0)) {
            return;
        }
    }
}

void Simulation::begin(Rank rank, std::uint32_t number) {
    const RankProgram& program = workload_.program(rank);
    const ProgramOperation& operation = program.operations[number];
    RankRecord& record = records_[rank.index()];
    record.start[number] = queue_.now();
    record.communication_from[number] = queue_.now();
    record.waiting[number] = in_progress;
    ++changes_;
    ++npus_[rank.index()].in_progress;
    npus_[rank.index()].ready->started(operation.id);
    if (started_) {
        started_(rank, operation, program.names[number]);
    }
    if (const FixedTime* time = fixed(rank, number); time != nullptr && time->end != Time::max()) {
        begin_until(rank, number, time->end);
        return;
    }
    if (operation.nothing || compute_.skipped(operation)) {
        end(rank, number);
        return;
    }
    switch (operation.kind) {
        case OperationKind::Compute:
        case OperationKind::Cpu:
            begin_compute(rank, number);
            return;
        case OperationKind::Collective:
            ++npus_[rank.index()].communications;
            if (operation.replayed) {
                timers_.start(rank, std::max(operation.recorded, Time::ns(1)), compute_handler_,
                              payload_of(rank, number));
            } else if (collectives_.start(rank, number)) {
                end_at_once(rank, number);
            }
            return;
        case OperationKind::Send:
            ++npus_[rank.index()].communications;
            collectives_.message_begins(rank, workload_.peer_of(rank, operation));
            point_to_point_.send(rank, number);
            return;
        case OperationKind::Receive: {
            Time first_byte_left;
            if (point_to_point_.receive(rank, number, first_byte_left)) {
                record.communication_from[number] = queue_.now();
                end_at_once(rank, number);
            }
            return;
        }
        case OperationKind::Memory:
            remote_memory_.access(rank, number, operation.bytes);
            return;
    }
}

void Simulation::begin_until(Rank rank, std::uint32_t number, Time until) {
    const OperationKind kind = workload_.program(rank).operations[number].kind;
    if (kind == OperationKind::Send || kind == OperationKind::Collective) {
        ++npus_[rank.index()].communications;
    }
    if (until > queue_.now()) {
        timers_.start(rank, until - queue_.now(), compute_handler_, payload_of(rank, number));
    } else {
        end_at_once(rank, number);
    }
}

void Simulation::begin_compute(Rank rank, std::uint32_t number) {
    const ProgramOperation& operation = workload_.program(rank).operations[number];
    Time duration = compute_.cost(rank, workload_.node_of(rank, operation), operation).duration;
    if (operation.kind == OperationKind::Compute && npus_[rank.index()].communications > 0) {
        duration = rules_.slowed(duration, collectives_.thread_blocks(rank));
    }
    if (duration == Time() && !dialect_.issue_after_each_completion) {
        end(rank, number);
        return;
    }
    timers_.start(rank, duration, compute_handler_, payload_of(rank, number));
}

void Simulation::end(Rank rank, std::uint32_t number) {
    const RankProgram& program = workload_.program(rank);
    const ProgramOperation& operation = program.operations[number];
    RankRecord& record = records_[rank.index()];
    record.end[number] = queue_.now();
    record.waiting[number] = done;
    record.finish = queue_.now();
    ++record.finished;
    ++changes_;
    Npu& npu = npus_[rank.index()];
    --npu.in_progress;
    if (rules_.holds(operation) && fixed(rank, number) == nullptr) {
        ++npu.free[index_of(rules_.resource_of(operation))];
    }
    if (!operation.nothing &&
        (operation.kind == OperationKind::Send || operation.kind == OperationKind::Collective)) {
        --npu.communications;
    }
    for (std::uint32_t c = program.child_begin[number]; c < program.child_begin[number + 1]; ++c) {
        const std::uint32_t child = program.children[c];
        if (fixed(rank, child) != nullptr) {
            continue;
        }
        if (--record.waiting[child] == 0) {
            make_ready(rank, child);
        }
    }
    if (ended_) {
        ended_(rank, operation, program.names[number]);
    }
}

void Simulation::end_at_once(Rank rank, std::uint32_t number) {
    if (dialect_.issue_after_each_completion) {
        // What waits for it is looked at after an event only, so there must be one.
        timers_.start(rank, Time(), compute_handler_, payload_of(rank, number));
    } else {
        end(rank, number);
    }
}

void Simulation::compute_done(std::uint64_t rank_and_number) {
    on_operation_done(Rank(static_cast<std::int32_t>(rank_and_number >> 32)),
                      static_cast<std::uint32_t>(rank_and_number));
}

void Simulation::on_operation_done(Rank rank, std::uint32_t operation) {
    end(rank, operation);
    follow_up(rank);
}

void Simulation::on_receive_done(Rank rank, std::uint32_t operation, Time first_byte_left) {
    RankRecord& record = records_[rank.index()];
    if (!dialect_.waiting_receive_is_communication) {
        record.communication_from[operation] = std::max(record.start[operation], first_byte_left);
    }
    on_operation_done(rank, operation);
}

Results Simulation::run() {
    if (dialect_.issue_order == IssueOrder::AscendingId) {
        start();
        network_.run(queue_);
        collectives_.complete_remembered(is_finished());
        return finish();
    }
    // That order differs between ranks, so that they may pair unequal collectives.
    try {
        start();
        network_.run(queue_);
        collectives_.complete_remembered(is_finished());
        return finish();
    } catch (const StallError& error) {
        throw StallError(fmt::format(
            "{}\nThe issue order of --dialect {} depends on the ids of the nodes and may differ "
            "between ranks: try --dialect astra-sim, which issues in ascending order of the ids",
            error.what(), dialect_.name));
    }
}

bool Simulation::is_finished() const {
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        if (simulates(Rank(rank)) &&
            records_[rank].finished < workload_.program(Rank(rank)).operations.size()) {
            return false;
        }
    }
    return true;
}

Results Simulation::finish() const {
    if (is_finished()) {
        return summary(list_collectives_ ? collectives_.results()
                                         : std::vector<CollectiveResult>());
    }
    if (queue_.stopped()) {
        return partial_results();
    }
    throw StallError(explain_stall());
}

Results Simulation::finish(const Largest& largest) {
    const bool stuck = !is_finished();
    if (largest({stuck ? 1 : 0}).front() != 0) {
        throw StallError(stuck ? explain_stall()
                               : "nothing is left to happen, but ranks of other processes have "
                                 "work left");
    }
    exchange_records(workload_, largest, records_);
    return summary(collectives_.results([this](Rank rank, std::uint32_t operation) {
        const RankRecord& record = records_[rank.index()];
        return std::pair(record.start[operation], record.end[operation]);
    }));
}

Simulation::Progress Simulation::progress() const {
    Progress progress;
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        if (share_.has(Rank(rank))) {
            progress.done += records_[fold_.representative(Rank(rank)).index()].finished;
            progress.nodes += workload_.program(Rank(rank)).operations.size();
        }
    }
    return progress;
}

double Simulation::bytes_to_send() const {
    double bytes = 0;
    for (std::size_t index = 0; index < records_.size(); ++index) {
        const Rank rank(index);
        if (!simulates(rank)) {
            continue;
        }
        for (const ProgramOperation& operation : workload_.program(rank).operations) {
            const std::size_t members =
                is_of_group(operation)
                    ? workload_.groups[workload_.group_of(rank, operation)].ranks.size()
                    : 0;
            bytes += engine::bytes_sent(operation, members);
        }
    }
    return bytes;
}

Results Simulation::partial_results() const {
    const Time now = queue_.now();
    std::vector<RankRecord> records = records_;
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        RankRecord& record = records[rank];
        const std::vector<ProgramOperation>& operations = workload_.program(Rank(rank)).operations;
        if (!let_go_) {
            set_out(record, operations);
        }
        for (std::size_t i = 0; i < record.waiting.size(); ++i) {
            record.end[i] = record.waiting[i] == in_progress ? now : record.end[i];
        }
        const bool finished = record.finished == operations.size();
        record.finish = finished ? record.finish : now;
    }
    std::vector<CollectiveResult> collectives = collectives_.results();
    collectives.erase(
        std::remove_if(collectives.begin(), collectives.end(),
                       [](const CollectiveResult& collective) { return collective.end == Time(); }),
        collectives.end());
    // Peaks of memory follow from whole programs.
    Results results =
        summary(records, {false, timeline_, let_go_ ? began_ : now, true}, std::move(collectives));
    const Progress so_far = progress();
    results.partial = Partial{now, "", so_far.done, so_far.nodes};
    return results;
}

Results Simulation::summary(std::vector<CollectiveResult> collectives) const {
    Results results =
        summary(records_, {system_.track_memory, timeline_, began_}, std::move(collectives));
    note_idleness(results, began_);
    if (std::string unreceived = point_to_point_.explain_unreceived(); !unreceived.empty()) {
        results.notes.push_back(std::move(unreceived));
    }
    return results;
}

Results Simulation::summary(const std::vector<RankRecord>& records, SummaryScope scope,
                            std::vector<CollectiveResult> collectives) const {
    Results results = summarize(workload_, dialect_, compute_, fold_, records, scope);
    results.collectives = std::move(collectives);
    std::vector<LinkUse> use = network_.link_use();
    collectives_.add_unsimulated_to(use);
    add_links(results, description_, use);
    results.notes.insert(results.notes.begin(), workload_.notes.begin(), workload_.notes.end());
    note_recorded_durations(results, workload_, compute_, fold_);
    set_capacities(results, system_.memory_capacities(workload_.ranks()));
    results.events = queue_.handled();
    results.simulated_npus = fold_.simulated(records_.size());
    results.packet_hops = network_.packet_hops();
    if (collectives_.remembered() != nullptr) {
        results.packet_hops += collectives_.remembered()->packet_hops(results.packet_hops);
    }
    return results;
}

std::string Simulation::explain_stall() const {
    return engine::explain_stall({workload_, records_,
                                  [this](Rank rank) { return simulates(rank); }, rules_,
                                  point_to_point_, collectives_, network_, queue_.now()});
}

}  // namespace npunet::engine
