#include "engine/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/units.h"
#include "engine/statistics.h"

namespace npunet::engine {

namespace {

constexpr std::uint32_t done = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t under_way = done - 1;

std::uint64_t payload_of(Rank rank, std::uint32_t number) {
    return (static_cast<std::uint64_t>(rank.value()) << 32) | number;
}

}  // namespace

void Simulation::ReadyHeap::push(std::uint32_t number) {
    heap.push_back(number);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

std::uint32_t Simulation::ReadyHeap::pop() {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const std::uint32_t number = heap.back();
    heap.pop_back();
    return number;
}

Simulation::Simulation(const Workload& workload, const topology::NetworkDescription& description,
                       const SystemConfig& system, const Dialect& dialect, EventQueue& queue,
                       Network& network)
    : workload_(workload),
      description_(description),
      system_(system),
      dialect_(dialect),
      queue_(queue),
      network_(network),
      timers_(queue, workload.ranks()),
      transport_(network, description),
      collectives_(workload, description, system, dialect, queue, timers_, transport_, *this),
      point_to_point_(workload, transport_, *this, dialect.send_ends_at_delivery),
      compute_(system, dialect, description, workload.ranks()),
      issue_handler_(*this, &Simulation::issue_turn),
      compute_handler_(*this, &Simulation::compute_done),
      npus_(workload.ranks()),
      records_(workload.ranks()) {
    if (workload.ranks() != description.graph.npus()) {
        throw InputError({"the workload", "", fmt::format("{} ranks", workload.ranks()),
                          fmt::format("{}, the NPUs of the network", description.graph.npus()),
                          "Give as many traces as the network has NPUs"});
    }
    for (const auto& [rank, rate] : system.overrides) {
        if (static_cast<std::size_t>(rank) >= workload.ranks()) {
            throw InputError({"system.json", "npus", fmt::format("rank {}", rank),
                              fmt::format("0 to {}", workload.ranks() - 1), ""});
        }
    }
}

void Simulation::set_observers(Observer started, Observer ended) {
    started_ = std::move(started);
    ended_ = std::move(ended);
}

void Simulation::start() {
    for (std::size_t index = 0; index < records_.size(); ++index) {
        const std::vector<ProgramOperation>& operations = workload_.programs[index].operations;
        RankRecord& record = records_[index];
        record.start.assign(operations.size(), Time());
        record.end.assign(operations.size(), Time());
        record.communication_from.assign(operations.size(), Time());
        record.waiting.resize(operations.size());
        for (std::uint32_t number = 0; number < operations.size(); ++number) {
            record.waiting[number] = operations[number].dependencies;
            if (operations[number].dependencies == 0) {
                make_ready(Rank(index), number);
            }
        }
    }
    for (std::size_t index = 0; index < records_.size(); ++index) {
        follow_up(Rank(index));
    }
}

Simulation::Resource Simulation::resource_of(const ProgramOperation& operation) {
    if (operation.nothing) {
        return Resource::None;
    }
    switch (operation.kind) {
        case OperationKind::Compute:
            return Resource::Compute;
        case OperationKind::Cpu:
            return Resource::Cpu;
        case OperationKind::Send:
        case OperationKind::Collective:
            return Resource::Communication;
        default:
            return Resource::None;
    }
}

std::int32_t Simulation::places(Resource resource) const {
    if (resource != Resource::Communication) {
        return 1;
    }
    if (dialect_.one_communication_at_a_time) {
        return 1;
    }
    return system_.max_concurrent_comms > 0 ? system_.max_concurrent_comms
                                            : std::numeric_limits<std::int32_t>::max();
}

void Simulation::make_ready(Rank rank, std::uint32_t number) {
    const Resource resource = resource_of(workload_.programs[rank.index()].operations[number]);
    npus_[rank.index()].ready[static_cast<std::size_t>(resource)].push(number);
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

std::vector<std::uint32_t> Simulation::take_startable(Npu& npu, Rank rank) {
    const std::vector<ProgramOperation>& operations = workload_.programs[rank.index()].operations;
    std::vector<std::uint32_t> list;
    for (const Resource resource :
         {Resource::Compute, Resource::Cpu, Resource::Communication, Resource::None}) {
        const auto place = static_cast<std::size_t>(resource);
        ReadyHeap& ready = npu.ready[place];
        while (!ready.empty() &&
               (resource == Resource::None || npu.running[place] < places(resource))) {
            const std::uint32_t number = ready.pop();
            list.push_back(number);
            // A skipped operation gives its place back at once.
            if (resource != Resource::None && !compute_.skipped(operations[number])) {
                ++npu.running[place];
            }
        }
    }
    std::sort(list.begin(), list.end());
    return list;
}

void Simulation::issue(Rank rank) {
    Npu& npu = npus_[rank.index()];
    for (;;) {
        const std::vector<std::uint32_t> startable = take_startable(npu, rank);
        for (const std::uint32_t number : startable) {
            begin(rank, number);
        }
        if (startable.empty() || dialect_.issue_after_each_completion) {
            return;
        }
    }
}

void Simulation::begin(Rank rank, std::uint32_t number) {
    const RankProgram& program = workload_.programs[rank.index()];
    const ProgramOperation& operation = program.operations[number];
    RankRecord& record = records_[rank.index()];
    record.start[number] = queue_.now();
    record.communication_from[number] = queue_.now();
    record.waiting[number] = under_way;
    if (started_) {
        started_(rank, operation, program.names[number]);
    }
    if (operation.nothing || compute_.skipped(operation)) {
        end(rank, number);
        return;
    }
    switch (operation.kind) {
        case OperationKind::Compute:
        case OperationKind::Cpu: {
            const Time duration = compute_.cost(rank, operation).duration;
            if (duration == Time() && !dialect_.issue_after_each_completion) {
                end(rank, number);
                return;
            }
            timers_.start(rank, duration, compute_handler_, payload_of(rank, number));
            return;
        }
        case OperationKind::Collective:
            if (collectives_.start(rank, number)) {
                end_at_once(rank, number);
            }
            return;
        case OperationKind::Send:
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
            return;
    }
}

void Simulation::end(Rank rank, std::uint32_t number) {
    const RankProgram& program = workload_.programs[rank.index()];
    const ProgramOperation& operation = program.operations[number];
    RankRecord& record = records_[rank.index()];
    record.end[number] = queue_.now();
    record.waiting[number] = done;
    record.finish = queue_.now();
    ++record.finished;
    const Resource resource = resource_of(operation);
    if (resource != Resource::None && !compute_.skipped(operation)) {
        --npus_[rank.index()].running[static_cast<std::size_t>(resource)];
    }
    for (std::uint32_t c = program.child_begin[number]; c < program.child_begin[number + 1]; ++c) {
        const std::uint32_t child = program.children[c];
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

void Simulation::end_and_follow_up(Rank rank, std::uint32_t number) {
    end(rank, number);
    follow_up(rank);
}

void Simulation::compute_done(std::uint64_t rank_and_number) {
    end_and_follow_up(Rank(static_cast<std::int32_t>(rank_and_number >> 32)),
                      static_cast<std::uint32_t>(rank_and_number));
}

void Simulation::on_collective_done(Rank rank, std::uint32_t operation) {
    end_and_follow_up(rank, operation);
}

void Simulation::on_send_done(Rank rank, std::uint32_t operation) {
    end_and_follow_up(rank, operation);
}

void Simulation::on_receive_done(Rank rank, std::uint32_t operation, Time first_byte_left) {
    RankRecord& record = records_[rank.index()];
    if (!dialect_.waiting_receive_is_communication) {
        record.communication_from[operation] = std::max(record.start[operation], first_byte_left);
    }
    end_and_follow_up(rank, operation);
}

Results Simulation::run() {
    start();
    network_.run(queue_);
    return finish();
}

Results Simulation::finish() const {
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        if (records_[rank].finished < workload_.programs[rank].operations.size()) {
            throw StallError(explain_stall());
        }
    }
    Results results =
        summarize(workload_, description_, dialect_, compute_, records_, system_.track_memory);
    results.collectives = collectives_.results();
    add_links(results, description_, network_.link_use());
    results.notes = workload_.notes;
    results.events = queue_.handled();
    results.packet_hops = network_.packet_hops();
    return results;
}

std::string Simulation::explain_stall() const {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t stuck = 0;
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        if (records_[rank].finished == workload_.programs[rank].operations.size()) {
            continue;
        }
        if (++stuck <= most) {
            text += "\n  " + explain_stall(Rank(rank));
        }
    }
    if (stuck > most) {
        text += fmt::format("\n  ... and {} more", stuck - most);
    }
    return fmt::format("at {} nothing is left to happen, but {} of {} ranks have work left:{}",
                       format_time(queue_.now()), stuck, records_.size(), text);
}

std::string Simulation::explain_stall(Rank rank) const {
    const RankProgram& program = workload_.programs[rank.index()];
    const RankRecord& record = records_[rank.index()];
    const std::size_t left = program.operations.size() - record.finished;
    std::string text = fmt::format("rank {} ({} of {} nodes left): ", rank.value(), left,
                                   program.operations.size());
    // The first operation under way is what everything else waits for; without one the first ready
    // one is blocked by its resource.
    for (std::uint32_t number = 0; number < program.operations.size(); ++number) {
        if (record.waiting[number] != under_way) {
            continue;
        }
        const ProgramOperation& operation = program.operations[number];
        text += fmt::format("node {} '{}' ", operation.node, program.names[number]);
        switch (operation.kind) {
            case OperationKind::Receive:
                return text + "waits for " + point_to_point_.explain_receive(rank, number);
            case OperationKind::Collective:
                return text + fmt::format("({}) waits for ", name_of(operation.collective)) +
                       collectives_.explain(rank, operation.group);
            default:
                return text + "never ends";
        }
    }
    for (std::uint32_t number = 0; number < program.operations.size(); ++number) {
        if (record.waiting[number] == 0) {
            return text + fmt::format("node {} '{}' is ready and was not started",
                                      program.operations[number].node, program.names[number]);
        }
    }
    return text + "no node is ready";
}

}  // namespace npunet::engine
