#include "engine/collective/collective_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/clock_limit.h"

namespace npunet::engine {

CollectiveEngine::CollectiveEngine(const Workload& workload,
                                   const topology::NetworkDescription& network,
                                   const SystemConfig& system, const Dialect& dialect,
                                   EventQueue& queue, RankTimers& timers, Transport& transport,
                                   CollectiveListener& listener)
    : workload_(workload),
      system_(system),
      dialect_(dialect),
      queue_(queue),
      timers_(timers),
      transport_(transport),
      listener_(listener),
      planner_(network, system, dialect, workload),
      instances_(workload) {
    for (const ComputeRate& rate : system.compute_rates(workload.ranks())) {
        memory_bandwidth_.push_back(rate.memory_bandwidth);
    }
}

std::uint32_t CollectiveEngine::run_of(std::uint32_t instance, std::size_t member, Rank rank) {
    std::uint32_t& index = instances_[instance].run_of_member[member];
    if (index == CollectiveInstance::no_run) {
        if (free_runs_.empty()) {
            index = static_cast<std::uint32_t>(runs_.size());
            runs_.emplace_back();
        } else {
            index = free_runs_.back();
            free_runs_.pop_back();
            runs_[index] = Run();
        }
        runs_[index].rank = rank;
        runs_[index].instance = instance;
    }
    return index;
}

bool CollectiveEngine::start(Rank rank, std::uint32_t operation_number) {
    const RankProgram& program = workload_.programs[rank.index()];
    const ProgramOperation& operation = program.operations[operation_number];
    const Group& group = workload_.groups[static_cast<std::size_t>(operation.group)];
    if (group.ranks.size() < 2 || operation.bytes == Bytes(0)) {
        return true;
    }
    const std::size_t member = instances_.member_of(operation.group, rank);
    const std::uint32_t instance_index =
        instances_.join(rank, member, operation, program.names[operation_number], queue_.now());
    const std::uint32_t index = run_of(instance_index, member, rank);
    Run& run = runs_[index];
    run.operation = operation_number;
    run.started = true;
    run.plan = planner_.plan(operation.group, rank, member, operation.collective, operation.bytes);
    instances_[instance_index].result.algorithm = run.plan.algorithm;
    run.streams.resize(run.plan.chunks());
    run.streams_left = run.streams.size();
    std::int32_t queues = 0;
    for (const PlannedPhase& phase : run.plan.phases) {
        queues = std::max(queues, phase.queue + 1);
    }
    run.queues.resize(static_cast<std::size_t>(queues));
    const std::int32_t first_queue = run.plan.phases.front().queue;
    for (std::uint32_t stream = 0; stream < run.streams.size(); ++stream) {
        run.queues[static_cast<std::size_t>(first_queue)].waiting.push_back(stream);
    }
    for (const Early& message : run.early) {
        keep_early(run.streams[message.stream], message);
    }
    run.early = {};
    run.to_fill.push_back(first_queue);
    fill_queues(index);
    // Everything may have been there already: then the listener is not called.
    if (runs_[index].streams_left == 0) {
        runs_[index].started = false;
        release(instance_index);
        return true;
    }
    return false;
}

void CollectiveEngine::fill_queues(std::uint32_t run_index) {
    Run& run = runs_[run_index];  // runs are made at the start of an event only
    if (run.filling) {
        return;
    }
    run.filling = true;
    for (std::size_t next = 0; next < run.to_fill.size(); ++next) {
        fill_queue(run_index, run.to_fill[next]);
    }
    run.to_fill.clear();
    run.filling = false;
}

void CollectiveEngine::fill_queue(std::uint32_t run_index, std::int32_t queue_index) {
    const auto place = static_cast<std::size_t>(queue_index);
    for (;;) {
        Queue& queue = runs_[run_index].queues[place];
        if (queue.waiting.empty() || queue.running >= system_.active_chunks_per_dimension) {
            return;
        }
        const std::uint32_t stream = queue.waiting.front();
        queue.waiting.pop_front();
        ++queue.running;
        start_phase(run_index, stream);
    }
}

void CollectiveEngine::start_phase(std::uint32_t run_index, std::uint32_t stream_index) {
    Run& run = runs_[run_index];
    Stream& stream = run.streams[stream_index];
    stream.shape = run.plan.shape(stream_index, stream.phase);
    stream.active = true;
    stream.count = exchange_count(stream.shape);
    stream.window = exchange_window(stream.shape);
    stream.barrier = exchange_barrier(stream.shape);
    stream.started = stream.received = stream.completed = stream.free_tokens = 0;
    bool any = false;
    for (std::int32_t token = 0; token < stream.window; ++token) {
        if (pay(run_index, stream_index, run.plan.endpoint_delay, Time(), true)) {
            free_token(stream, true);
            any = true;
        }
    }
    if (any) {
        advance(run_index, stream_index);
    }
}

void CollectiveEngine::end_phase(std::uint32_t run_index, std::uint32_t stream_index) {
    Run& run = runs_[run_index];
    Stream& stream = run.streams[stream_index];
    const std::int32_t old_queue = run.plan.phases[stream.phase].queue;
    stream.active = false;
    --run.queues[static_cast<std::size_t>(old_queue)].running;
    ++stream.phase;
    run.to_fill.push_back(old_queue);
    if (stream.phase == run.plan.phases.size()) {
        --run.streams_left;
    } else {
        const std::int32_t next_queue = run.plan.phases[stream.phase].queue;
        run.queues[static_cast<std::size_t>(next_queue)].waiting.push_back(stream_index);
        if (next_queue != old_queue) {
            run.to_fill.push_back(next_queue);
        }
    }
    fill_queues(run_index);
}

void CollectiveEngine::free_token(Stream& stream, bool initial) {
    ++stream.free_tokens;
    stream.completed += initial ? 0 : 1;
}

void CollectiveEngine::advance(std::uint32_t run_index, std::uint32_t stream_index) {
    for (;;) {
        Run& run = runs_[run_index];
        Stream& stream = run.streams[stream_index];
        // The reference opens the barrier when all messages are in, reduced or not.
        const std::int32_t passed =
            dialect_.every_reduction_is_charged ? stream.completed : stream.received;
        while (stream.started < stream.count && stream.free_tokens > 0 &&
               (stream.started < stream.barrier || passed >= stream.barrier)) {
            start_exchange(run, stream_index);
        }
        if (!take_early(run_index, stream_index)) {
            break;
        }
    }
    const Stream& stream = runs_[run_index].streams[stream_index];
    if (stream.started == stream.count && stream.free_tokens == stream.window) {
        end_phase(run_index, stream_index);
    }
}

void CollectiveEngine::start_exchange(Run& run, std::uint32_t stream_index) {
    Stream& stream = run.streams[stream_index];
    const Exchange next = exchange(stream.shape, stream.started);
    --stream.free_tokens;
    const std::vector<Rank>& line = *run.plan.phases[stream.phase].members;
    const Rank to = line[static_cast<std::size_t>(next.send_to)];
    transport_.send(
        run.rank, to, next.bytes, *this,
        {run.instance, static_cast<std::uint32_t>(to.value()), (stream_index << 8) | stream.phase,
         static_cast<std::uint32_t>(stream.started)},
        false);
    ++stream.started;
}

void CollectiveEngine::keep_early(Stream& stream, const Early& message) {
    stream.early.push_back(message);
    std::push_heap(stream.early.begin(), stream.early.end());
}

bool CollectiveEngine::take_early(std::uint32_t run_index, std::uint32_t stream_index) {
    Stream& stream = runs_[run_index].streams[stream_index];
    bool freed = false;
    while (!stream.early.empty() && stream.early.front().phase == stream.phase &&
           stream.early.front().exchange < stream.started) {
        const Early message = stream.early.front();
        std::pop_heap(stream.early.begin(), stream.early.end());
        stream.early.pop_back();
        freed = receive(run_index, stream_index, message.exchange, message.bytes) || freed;
    }
    return freed;
}

bool CollectiveEngine::receive(std::uint32_t run_index, std::uint32_t stream_index,
                               std::int32_t exchange_number, Bytes bytes) {
    Run& run = runs_[run_index];
    Stream& stream = run.streams[stream_index];
    const std::int32_t reception = stream.received++;
    const Time reduction = reception_reduces(stream.shape, reception, exchange_number)
                               ? reduction_time(run.rank, bytes)
                               : Time();
    if (!pay(run_index, stream_index, run.plan.endpoint_delay, reduction, false)) {
        return false;
    }
    free_token(stream, false);
    return true;
}

bool CollectiveEngine::pay(std::uint32_t run_index, std::uint32_t stream_index, Time endpoint,
                           Time reduction, bool initial) {
    if (endpoint == Time() && reduction == Time()) {
        return true;
    }
    // The endpoint delay first; without one the reduction starts at once.
    const Time now_due = endpoint == Time() ? reduction : endpoint;
    const Token token{run_index, stream_index, endpoint == Time() ? Time() : reduction, initial};
    std::uint32_t slot = 0;
    if (free_tokens_.empty()) {
        slot = static_cast<std::uint32_t>(tokens_.size());
        tokens_.push_back(token);
    } else {
        slot = free_tokens_.back();
        free_tokens_.pop_back();
        tokens_[slot] = token;
    }
    timers_.start(runs_[run_index].rank, now_due, *this, slot);
    return false;
}

void CollectiveEngine::handle(std::uint64_t slot) {
    const Token token = tokens_[slot];
    free_tokens_.push_back(static_cast<std::uint32_t>(slot));
    if (!pay(token.run, token.stream, Time(), token.reduction, token.initial)) {
        return;
    }
    free_token(runs_[token.run].streams[token.stream], token.initial);
    advance(token.run, token.stream);
    Run& run = runs_[token.run];
    if (run.streams_left == 0) {
        const Rank rank = run.rank;
        const std::uint32_t operation = run.operation;
        release(run.instance);
        listener_.on_collective_done(rank, operation);
    }
}

void CollectiveEngine::on_delivered(const MessageNote& note, Bytes bytes, Time) {
    const Rank rank(static_cast<std::int32_t>(note[1]));
    const std::uint32_t stream_index = note[2] >> 8;
    const std::uint32_t phase = note[2] & 0xff;
    const auto exchange_number = static_cast<std::int32_t>(note[3]);
    const std::int32_t group = instances_[note[0]].group;
    const std::uint32_t run_index = run_of(note[0], instances_.member_of(group, rank), rank);
    Run& run = runs_[run_index];
    const bool posted = run.started && run.streams[stream_index].active &&
                        run.streams[stream_index].phase == phase &&
                        exchange_number < run.streams[stream_index].started;
    if (!posted) {
        const Early message{stream_index, phase, exchange_number, bytes};
        if (run.started) {
            keep_early(run.streams[stream_index], message);
        } else {
            run.early.push_back(message);
        }
        return;
    }
    if (!receive(run_index, stream_index, exchange_number, bytes)) {
        return;
    }
    advance(run_index, stream_index);
    if (runs_[run_index].streams_left == 0) {
        const std::uint32_t operation = runs_[run_index].operation;
        release(note[0]);
        listener_.on_collective_done(rank, operation);
    }
}

void CollectiveEngine::release(std::uint32_t index) {
    // The runs outlive the instance's list of them.
    const std::vector<std::uint32_t>& runs = instances_[index].run_of_member;
    if (instances_[index].finished + 1 == runs.size()) {
        free_runs_.insert(free_runs_.end(), runs.begin(), runs.end());
    }
    instances_.leave(index, queue_.now());
}

Time CollectiveEngine::reduction_time(Rank rank, Bytes bytes) const {
    const double bandwidth = memory_bandwidth_[rank.index()];
    if (bandwidth <= 0) {
        return Time();
    }
    if (dialect_.whole_nanoseconds) {
        const double once = static_cast<double>(bytes.value()) / (bandwidth * 1e9) * 1e9;
        return truncated_ns(3 * std::trunc(once));
    }
    return time_for(3 * bytes.value(), std::llround(bandwidth * 1e9));
}

}  // namespace npunet::engine
