#include "engine/collective/collective_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/clock_limit.h"

namespace npunet::engine {

namespace {

/// Streams and phases share a word.
constexpr unsigned phase_bits = 8;

std::uint32_t place_of(std::uint32_t stream, std::uint32_t phase) {
    return (stream << phase_bits) | phase;
}

std::uint32_t stream_of(std::uint32_t place) {
    return place >> phase_bits;
}

std::uint32_t phase_of(std::uint32_t place) {
    return place & ((1U << phase_bits) - 1);
}

}  // namespace

CollectiveEngine::CollectiveEngine(const Workload& workload,
                                   const topology::NetworkDescription& network,
                                   const SystemConfig& system, const Dialect& dialect,
                                   const Fold& fold, EventQueue& queue, RankTimers& timers,
                                   Transport& transport, CollectiveListener& listener)
    : workload_(workload),
      system_(system),
      dialect_(dialect),
      fold_(fold),
      queue_(queue),
      timers_(timers),
      transport_(transport),
      listener_(listener),
      planner_(network, system, dialect, workload),
      instances_(workload, fold),
      by_content_(queue.order() == EventQueue::Order::Content),
      turn_(*this) {
    for (const ComputeRate& rate : system.compute_rates(workload.ranks())) {
        memory_gbps_.push_back(rate.memory_bandwidth);
        memory_bandwidth_.push_back(std::llround(rate.memory_bandwidth * 1e9));
    }
}

std::uint32_t CollectiveEngine::run_of(std::uint32_t instance, std::size_t member, Rank rank) {
    std::uint32_t& index = instances_[instance].run_of_member[member];
    if (index == CollectiveInstance::no_run) {
        if (free_runs_.empty()) {
            index = static_cast<std::uint32_t>(runs_.size());
            runs_.push_back(std::make_unique<Run>());
        } else {
            index = free_runs_.back();
            free_runs_.pop_back();
            runs_[index]->started = false;
        }
        runs_[index]->rank = rank;
        runs_[index]->instance = instance;
        runs_[index]->member = static_cast<std::uint32_t>(member);
    }
    return index;
}

bool CollectiveEngine::start(Rank rank, std::uint32_t operation_number) {
    const RankProgram& program = workload_.programs[rank.index()];
    const ProgramOperation& operation = program.operations[operation_number];
    const Group& group = workload_.groups[static_cast<std::size_t>(operation.group)];
    // A barrier carries nothing; who has nothing to send in an unequal all-to-all may receive.
    const bool works_without_bytes =
        operation.collective == CollectiveKind::Barrier || !operation.sizes.empty();
    if (group.ranks.size() < 2 || (operation.bytes == Bytes(0) && !works_without_bytes)) {
        return true;
    }
    const std::size_t member = instances_.member_of(operation.group, rank);
    const std::uint32_t instance_index =
        instances_.join(rank, member, operation, program.names[operation_number], queue_.now());
    const std::uint32_t index = run_of(instance_index, member, rank);
    Run& run = *runs_[index];
    run.operation = operation_number;
    run.started = true;
    run.plan = planner_.plan(rank, member, operation);
    instances_[instance_index].result.algorithm = run.plan.algorithm;
    run.streams.assign(run.plan.streams(), Stream());
    run.streams_left = run.streams.size();
    run.queues.assign(static_cast<std::size_t>(run.plan.queues), Queue());
    run.to_fill.clear();
    for (std::uint32_t stream = 0; stream < run.streams.size(); ++stream) {
        const std::int32_t queue = run.plan.phase(stream, 0).queue;
        if (!by_content_) {
            run.queues[static_cast<std::size_t>(queue)].waiting.push_back(stream);
        }
        if (stream < static_cast<std::uint32_t>(run.plan.lanes)) {
            run.to_fill.push_back(queue);
        }
    }
    for (const Early& message : run.early) {
        keep_early(run.streams[message.stream], message);
    }
    run.early.clear();
    fill_queues(index);
    // Everything may have been there already: then the listener is not called.
    if (runs_[index]->streams_left == 0) {
        runs_[index]->started = false;
        release(*runs_[index]);
        return true;
    }
    return false;
}

void CollectiveEngine::fill_queues(std::uint32_t run_index) {
    Run& run = *runs_[run_index];
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
        Queue& queue = runs_[run_index]->queues[place];
        std::uint32_t stream = 0;
        if (queue.running >= system_.active_chunks_per_dimension ||
            !take_next(*runs_[run_index], queue_index, stream)) {
            return;
        }
        ++queue.running;
        start_phase(run_index, stream);
    }
}

bool CollectiveEngine::take_next(Run& run, std::int32_t queue_index, std::uint32_t& stream) const {
    Queue& queue = run.queues[static_cast<std::size_t>(queue_index)];
    if (!by_content_) {
        if (queue.waiting.empty()) {
            return false;
        }
        stream = queue.waiting.front();
        queue.waiting.pop_front();
        return true;
    }
    const CollectivePlan::Turn turn = run.plan.turn(queue_index, queue.begun);
    if (turn.phase == run.plan.phases_per_stream() || run.streams[turn.stream].active ||
        run.streams[turn.stream].phase != turn.phase) {
        return false;
    }
    ++queue.begun;
    stream = static_cast<std::uint32_t>(turn.stream);
    return true;
}

void CollectiveEngine::start_phase(std::uint32_t run_index, std::uint32_t stream_index) {
    Run& run = *runs_[run_index];
    Stream& stream = run.streams[stream_index];
    stream.shape = run.plan.shape(stream_index, stream.phase);
    stream.active = true;
    stream.count = exchange_count(stream.shape);
    stream.reductions = exchange_reductions(stream.shape);
    stream.line = run.plan.phase(stream_index, stream.phase).members->data();
    stream.started = stream.received = stream.completed = 0;
    // Who begins by sending has the message handed over first.
    const bool sends_first = exchange(stream.shape, 0).send_to != Exchange::nobody;
    const Time delay = sends_first ? run.plan.endpoint_delay : Time();
    if (wait_for({run_index, stream_index, Time(), true}, delay)) {
        advance(run_index, stream_index);
    }
}

void CollectiveEngine::end_phase(std::uint32_t run_index, std::uint32_t stream_index) {
    Run& run = *runs_[run_index];
    Stream& stream = run.streams[stream_index];
    const std::int32_t old_queue = run.plan.phase(stream_index, stream.phase).queue;
    stream.active = false;
    --run.queues[static_cast<std::size_t>(old_queue)].running;
    ++stream.phase;
    run.to_fill.push_back(old_queue);
    if (stream.phase == run.plan.phases_per_stream()) {
        --run.streams_left;
    } else {
        const std::int32_t next_queue = run.plan.phase(stream_index, stream.phase).queue;
        if (!by_content_) {
            run.queues[static_cast<std::size_t>(next_queue)].waiting.push_back(stream_index);
        }
        if (next_queue != old_queue) {
            run.to_fill.push_back(next_queue);
        }
    }
    fill_queues(run_index);
}

void CollectiveEngine::advance(std::uint32_t run_index, std::uint32_t stream_index) {
    do {
        for (;;) {
            const Stream& stream = runs_[run_index]->streams[stream_index];
            if (stream.started == stream.count) {
                break;
            }
            const Gate gate = exchange_gate(stream.shape, stream.started);
            if (stream.completed < gate.completed || stream.received < gate.received) {
                break;
            }
            start_exchange(run_index, stream_index);
        }
    } while (take_early(run_index, stream_index));
    const Stream& stream = runs_[run_index]->streams[stream_index];
    if (stream.completed == stream.count) {
        end_phase(run_index, stream_index);
    }
}

void CollectiveEngine::turn_to(std::uint32_t run_index, std::uint32_t stream_index, Rank peer) {
    const CollectiveInstance& instance = instances_[runs_[run_index]->instance];
    const std::size_t member = instances_.member_of(instance.group, peer);
    std::uint32_t peer_run = 0;
    if (fold_.represents(peer)) {
        peer_run = run_of(runs_[run_index]->instance, member, peer);
    } else {
        // Who stands for the peer is in the collective of the same number in its own group.
        const Rank like = fold_.representative(peer);
        const std::int32_t group = fold_.group_like(instance.group, peer);
        peer_run =
            run_of(instances_.at(group, instance.number), instances_.member_of(group, like), like);
    }
    Stream& stream = runs_[run_index]->streams[stream_index];
    stream.peer = peer;
    stream.peer_run = peer_run;
    stream.peer_operation = by_content_ ? instances_.operation_of(instance, member) : 0;
}

void CollectiveEngine::start_exchange(std::uint32_t run_index, std::uint32_t stream_index) {
    Stream* stream = &runs_[run_index]->streams[stream_index];
    const Exchange next = exchange(stream->shape, stream->started++);
    if (next.receive_from == Exchange::nobody) {
        ++stream->received;
        ++stream->completed;
    }
    if (next.send_to == Exchange::nobody) {
        return;
    }
    const Rank to = stream->line[next.send_to];
    if (stream->peer != to) {
        turn_to(run_index, stream_index, to);
        stream = &runs_[run_index]->streams[stream_index];
    }
    const std::uint32_t place = place_of(stream_index, stream->phase);
    const auto arrives_in = static_cast<std::uint32_t>(next.arrives_in);
    transport_.send(
        runs_[run_index]->rank, to, next.bytes, *this, {stream->peer_run, place, arrives_in, 0},
        false, {stream->peer_operation, (static_cast<std::uint64_t>(place) << 32) | arrives_in});
}

void CollectiveEngine::keep_early(Stream& stream, const Early& message) {
    stream.early.push_back(message);
    std::push_heap(stream.early.begin(), stream.early.end());
}

bool CollectiveEngine::take_early(std::uint32_t run_index, std::uint32_t stream_index) {
    Stream& stream = runs_[run_index]->streams[stream_index];
    bool completed = false;
    while (!stream.early.empty() && stream.early.front().phase == stream.phase &&
           stream.early.front().exchange < stream.started) {
        const Early message = stream.early.front();
        std::pop_heap(stream.early.begin(), stream.early.end());
        stream.early.pop_back();
        completed = receive(run_index, stream_index, message.exchange, message.bytes) || completed;
    }
    return completed;
}

bool CollectiveEngine::receive(std::uint32_t run_index, std::uint32_t stream_index,
                               std::int32_t exchange_number, Bytes bytes) {
    Run& run = *runs_[run_index];
    Stream& stream = run.streams[stream_index];
    const std::int32_t reception = stream.received++;
    const Bytes reduced =
        !dialect_.schedules.every_reduction_is_charged
            ? reduced_bytes_in_reference(stream.shape, reception, exchange_number, bytes)
        : exchange_number < stream.reductions ? bytes
                                              : Bytes();
    const Time reduction = reduced > Bytes() ? reduction_time(run.rank, reduced) : Time();
    const Time endpoint = run.plan.endpoint_delay;
    // By content both delays are one; the reference has an event for each.
    const bool at_once =
        by_content_ || endpoint == Time()
            ? wait_for({run_index, stream_index, Time(), false}, later(endpoint, reduction))
            : wait_for({run_index, stream_index, reduction, false}, endpoint);
    stream.completed += at_once ? 1 : 0;
    return at_once;
}

bool CollectiveEngine::wait_for(const Delay& delay, Time first) {
    if (first == Time()) {
        return true;
    }
    std::uint32_t slot = 0;
    if (free_delays_.empty()) {
        slot = static_cast<std::uint32_t>(delays_.size());
        delays_.push_back(delay);
    } else {
        slot = free_delays_.back();
        free_delays_.pop_back();
        delays_[slot] = delay;
    }
    timers_.start(runs_[delay.run]->rank, first, *this, slot);
    return false;
}

void CollectiveEngine::handle(std::uint64_t slot) {
    const Delay delay = delays_[slot];
    free_delays_.push_back(static_cast<std::uint32_t>(slot));
    if (!wait_for({delay.run, delay.stream, Time(), delay.opens_phase}, delay.then)) {
        return;
    }
    const std::uint32_t phase = runs_[delay.run]->streams[delay.stream].phase;
    arrive(delay.run, place_of(delay.stream, phase),
           delay.opens_phase ? Arrival::phase_opens : Arrival::exchange_completes, Bytes());
}

void CollectiveEngine::on_delivered(const MessageNote& note, Bytes bytes, Time) {
    Run& run = *runs_[note[0]];
    if (!run.started) {
        run.early.push_back(
            {stream_of(note[1]), phase_of(note[1]), static_cast<std::int32_t>(note[2]), bytes});
        return;
    }
    arrive(note[0], note[1], note[2], bytes);
}

void CollectiveEngine::arrive(std::uint32_t run_index, std::uint32_t place,
                              std::uint32_t exchange_number, Bytes bytes) {
    const Run& run = *runs_[run_index];
    const Arrival arrival{(static_cast<std::uint64_t>(run.rank.value()) << 32) | run.operation,
                          place, exchange_number, bytes, run_index};
    if (!by_content_) {
        act_on(arrival);
        return;
    }
    arrivals_.push_back(arrival);
    if (!turn_scheduled_) {
        turn_scheduled_ = true;
        queue_.schedule(queue_.now(), EventKey::of(Phase::Issue, event_kind::collectives, 0),
                        turn_);
    }
}

void CollectiveEngine::take_turn() {
    turn_scheduled_ = false;
    acting_.swap(arrivals_);
    const auto earlier = [](const Arrival& a, const Arrival& b) { return a.before(b); };
    if (!std::is_sorted(acting_.begin(), acting_.end(), earlier)) {
        std::sort(acting_.begin(), acting_.end(), earlier);
    }
    for (const Arrival& arrival : acting_) {
        act_on(arrival);
    }
    acting_.clear();
}

void CollectiveEngine::act_on(const Arrival& arrival) {
    const std::uint32_t stream_index = stream_of(arrival.place);
    Stream& stream = runs_[arrival.run]->streams[stream_index];
    if (arrival.exchange == Arrival::exchange_completes) {
        ++stream.completed;
    } else if (arrival.exchange != Arrival::phase_opens) {
        const auto number = static_cast<std::int32_t>(arrival.exchange);
        const bool started =
            stream.active && stream.phase == phase_of(arrival.place) && number < stream.started;
        if (!started) {
            keep_early(stream, {stream_index, phase_of(arrival.place), number, arrival.bytes});
            return;
        }
        if (!receive(arrival.run, stream_index, number, arrival.bytes)) {
            return;
        }
    }
    advance(arrival.run, stream_index);
    const Run& run = *runs_[arrival.run];
    if (run.streams_left == 0) {
        const Rank rank = run.rank;
        const std::uint32_t operation = run.operation;
        release(run);
        listener_.on_collective_done(rank, operation);
    }
}

void CollectiveEngine::release(const Run& run) {
    // The runs outlive the instance's list of them.
    const CollectiveInstance& instance = instances_[run.instance];
    if (instance.finished + 1 == instance.expected) {
        for (const std::uint32_t index : instance.run_of_member) {
            if (index != CollectiveInstance::no_run) {
                free_runs_.push_back(index);
            }
        }
    }
    instances_.leave(run.instance, run.member, queue_.now());
}

Time CollectiveEngine::reduction_time(Rank rank, Bytes bytes) const {
    if (memory_bandwidth_[rank.index()] <= 0) {
        return Time();
    }
    if (dialect_.whole_nanoseconds) {
        const double bandwidth = memory_gbps_[rank.index()];
        const double once = static_cast<double>(bytes.value()) / (bandwidth * 1e9) * 1e9;
        return truncated_ns(3 * std::trunc(once));
    }
    return time_for(3 * bytes.value(), memory_bandwidth_[rank.index()]);
}

}  // namespace npunet::engine
