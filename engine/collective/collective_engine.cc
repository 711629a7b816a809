#include "engine/collective/collective_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/clock/clock_limit.h"
#include "engine/collective/stream_place.h"
#include "engine/program/bytes_sent.h"

namespace npunet::engine {

CollectiveEngine::CollectiveEngine(const Workload& workload,
                                   const topology::NetworkDescription& network,
                                   const SystemConfig& system, const Dialect& dialect,
                                   const Fold& fold, const RankShare& share, EventQueue& queue,
                                   RankTimers& timers, Transport& transport,
                                   OperationListener& listener, bool contention,
                                   CollectivePlanner* planner)
    : workload_(workload),
      network_(network),
      dialect_(dialect),
      fold_(fold),
      share_(share),
      queue_(queue),
      timers_(timers),
      transport_(transport),
      listener_(listener),
      own_planner_(planner != nullptr
                       ? nullptr
                       : std::make_unique<CollectivePlanner>(network, system, dialect, workload)),
      planner_(planner != nullptr ? *planner : *own_planner_),
      instances_(workload, fold, share),
      by_content_(queue.order() == EventQueue::Order::Content),
      contention_(contention),
      blocks_of_rank_(workload.ranks(), 0),
      reference_reductions_(!dialect.schedules.every_reduction_is_charged),
      turn_(*this),
      delay_end_(*this),
      slots_free_(*this),
      hop_end_(*this),
      traffic_(network, workload, fold),
      pushes_(network, queue, transport),
      nvls_(network, queue, transport, pushes_, *this) {
    transport_.add_owner(*this);
    for (const ComputeRate& rate : system.compute_rates(workload.ranks())) {
        memory_gbps_.push_back(rate.memory_bandwidth);
        memory_bandwidth_.push_back(std::llround(rate.memory_bandwidth * 1e9));
    }
}

CollectiveRun& CollectiveEngine::run_of(std::uint32_t instance, std::size_t member, Rank rank) {
    std::uint32_t& index = instances_[instance].run_of_member[member];
    if (index == CollectiveInstance::no_run) {
        if (free_runs_.empty()) {
            index = static_cast<std::uint32_t>(runs_.size());
            runs_.push_back(std::make_unique<Run>());
        } else {
            index = free_runs_.back();
            free_runs_.pop_back();
        }
        Run& run = *runs_[index];
        run.started = false;
        run.present = 0;
        run.blocks = 0;
        run.recalled = false;
        run.mirrored = false;
        run.file.reset();
        run.channels.reset();
        run.nvls.reset();
        run.index = index;
        run.rank = rank;
        run.instance = instance;
        run.member = static_cast<std::uint32_t>(member);
    }
    return *runs_[index];
}

bool CollectiveEngine::start(Rank rank, std::uint32_t operation_number) {
    const RankProgram& program = workload_.program(rank);
    const ProgramOperation& operation = program.operations[operation_number];
    const std::size_t group_number = workload_.group_of(rank, operation);
    const Group& group = workload_.groups[group_number];
    if (group.ranks.size() < 2 || !exchanges_messages(operation)) {
        return true;
    }
    const std::size_t member = instances_.member_of(static_cast<std::int32_t>(group_number), rank);
    const std::uint32_t instance_index =
        instances_.join(rank, member, operation, program.names[operation_number], queue_.now());
    Run& run = run_of(instance_index, member, rank);
    run.operation = operation_number;
    run.started = true;
    run.plan = planner_.plan(rank, member, operation);
    instances_[instance_index].result.algorithm = run.plan.algorithm;
    const bool held = remembered_ != nullptr && hold(run, operation);
    if (run.plan.file != nullptr) {
        return start_file(run);
    }
    run.blocks = is_in_closed_form(run) ? run.plan.estimate->blocks : run.plan.blocks;
    blocks_of_rank_[rank.index()] += run.blocks;
    if (is_in_closed_form(run)) {
        instances_[instance_index].result.algorithm = run.plan.estimate->algorithm;
        start_in_closed_form(run);
        return false;
    }
    if (held) {
        return false;
    }
    // Everything may have been there already: then the listener is not called.
    if (begin_steps(run)) {
        run.started = false;
        end_followers(run);
        release(run);
        return true;
    }
    return false;
}

bool CollectiveEngine::begin_steps(Run& run) {
    if (run.plan.library != nullptr) {
        start_channels(run);
        return false;
    }
    if (run.plan.nvls != nullptr) {
        run.streams.clear();
        run.streams_left = 1;
        nvls_.start(run);
        return false;
    }
    run.make_streams();
    if (!by_content_) {
        for (const Stream& stream : run.streams) {
            run.queue_of(stream).waiting.push_back(stream.index);
        }
    }
    for (const EarlyMessage& message : run.early) {
        run.streams[message.stream].keep(message);
    }
    run.early.clear();
    fill_queues(run);
    return run.streams_left == 0;
}

void CollectiveEngine::fill_queues(Run& run) {
    if (run.filling) {
        return;
    }
    run.filling = true;
    for (std::size_t next = 0; next < run.to_fill.size(); ++next) {
        fill_queue(run, run.to_fill[next]);
    }
    run.to_fill.clear();
    run.filling = false;
}

void CollectiveEngine::fill_queue(Run& run, std::int32_t queue_index) {
    std::uint32_t stream = 0;
    while (by_content_ ? run.take_next(queue_index, stream)
                       : run.take_waiting(queue_index, stream)) {
        start_phase(run, run.streams[stream]);
    }
}

void CollectiveEngine::start_phase(Run& run, Stream& stream) {
    // Who begins by sending has the message handed over first.
    const bool sends_first = stream.enter_phase(run.plan);
    if (sends_first && run.plan.endpoint_delay > Time()) {
        wait_for(run, stream.index, true, run.plan.endpoint_delay, Time());
    } else {
        advance(run, stream);
    }
}

void CollectiveEngine::end_phase(Run& run, Stream& stream) {
    run.leave_phase(stream);
    if (!by_content_ && stream.phase < run.plan.phases_per_stream()) {
        run.queue_of(stream).waiting.push_back(stream.index);
    }
    fill_queues(run);
}

void CollectiveEngine::advance(Run& run, Stream& stream) {
    do {
        while (stream.next_may_start()) {
            start_exchange(run, stream);
        }
    } while (stream.has_early && take_early(run, stream));
    if (stream.completed == stream.count) {
        end_phase(run, stream);
    }
}

void CollectiveEngine::turn_to(const Run& run, Stream& stream, Rank peer) {
    const CollectiveInstance& instance = instances_[run.instance];
    const std::size_t member = instances_.member_of(instance.group, peer);
    stream.peer = peer;
    stream.peer_operation = by_content_ ? instances_.operation_of(instance, peer) : 0;
    if (share_.has(peer)) {
        stream.peer_run = run_like(run.instance, member, peer).index;
    }
}

CollectiveRun& CollectiveEngine::run_like(std::uint32_t instance_index, std::size_t member,
                                          Rank rank) {
    if (fold_.represents(rank)) {
        return run_of(instance_index, member, rank);
    }
    // Who stands for the rank is in the collective of the same number in its own group.
    const Rank like = fold_.representative(rank);
    const CollectiveInstance& instance = instances_[instance_index];
    const std::int32_t group = fold_.group_like(instance.group, rank);
    const std::uint32_t index = instances_.at(group, instance.number);
    return run_of(index, instances_.member_of(group, like), like);
}

void CollectiveEngine::start_exchange(Run& run, Stream& stream) {
    const Exchange next = exchange(stream.shape, stream.started++);
    if (next.receive_from == Exchange::no_rank) {
        ++stream.received;
        ++stream.completed;
    }
    if (next.send_to == Exchange::no_rank) {
        return;
    }
    const Rank to = stream.line[next.send_to];
    if (stream.peer != to) {
        turn_to(run, stream, to);
    }
    const std::uint32_t place = place_of(stream.index, stream.phase);
    const auto arrives_in = static_cast<std::uint32_t>(next.arrives_in);
    const MessageNote note = share_.has(to) ? MessageNote{stream.peer_run, place, arrives_in, 0}
                                            : MessageNote{run.instance, place, arrives_in,
                                                          static_cast<std::uint32_t>(to.value())};
    const CollectiveInstance& instance = instances_[run.instance];
    const Communication kind = communication_of(instance.kind);
    const MessageOrder order{stream.peer_operation,
                             (static_cast<std::uint64_t>(place) << 32) | arrives_in};
    // Chunks at a time that share a port would all be late together, in every phase; and where
    // nothing comes in, nothing holds the next chunk back.
    const bool several = run.plan.in_order && run.plan.active_chunks > 1;
    if (by_content_ && run.plan.chunks > 1 && (several || next.receive_from == Exchange::no_rank)) {
        transport_.send_in_turn(run.rank, to, next.bytes, *this, note, kind, order, instance.group);
    } else {
        transport_.send(run.rank, to, next.bytes, *this, note, false, kind, order);
    }
}

bool CollectiveEngine::take_early(Run& run, Stream& stream) {
    bool completed = false;
    while (stream.early_message_is_due()) {
        const EarlyMessage message = stream.take_early();
        completed = receive(run, stream, message.exchange, message.bytes) || completed;
    }
    return completed;
}

bool CollectiveEngine::receive(Run& run, Stream& stream, std::int32_t exchange_number,
                               Bytes bytes) {
    const std::int32_t reception = stream.received++;
    Bytes reduced;
    if (reference_reductions_) {
        reduced = reduced_bytes_in_reference(stream.shape, reception, exchange_number, bytes);
    } else if (exchange_number < stream.reductions) {
        reduced = bytes;
    }
    const Time reduction = reduced > Bytes() ? reduction_time(run.rank, reduced) : Time();
    const Time endpoint = run.plan.endpoint_delay;
    if (endpoint == Time() && reduction == Time()) {
        ++stream.completed;
        return true;
    }
    wait_for(run, stream.index, false, endpoint, reduction);
    return false;
}

void CollectiveEngine::wait_for(const Run& run, std::uint32_t stream, bool opens_phase, Time first,
                                Time then) {
    // By content both delays are one; the reference has an event for each.
    if (by_content_) {
        queue_.schedule(later(queue_.now(), later(first, then)),
                        EventKey::of(Phase::Arrival, event_kind::delay, 0), delay_end_,
                        DelayEnd::payload(run.index, stream, opens_phase));
    } else if (first == Time()) {
        start_timer(run.rank, {run.index, stream, Time(), opens_phase}, then);
    } else {
        start_timer(run.rank, {run.index, stream, then, opens_phase}, first);
    }
}

void CollectiveEngine::start_timer(Rank rank, const Delay& delay, Time first) {
    std::uint32_t slot = 0;
    if (free_delays_.empty()) {
        slot = static_cast<std::uint32_t>(delays_.size());
        delays_.push_back(delay);
    } else {
        slot = free_delays_.back();
        free_delays_.pop_back();
        delays_[slot] = delay;
    }
    timers_.start(rank, first, *this, slot);
}

void CollectiveEngine::handle(std::uint64_t slot) {
    const Delay delay = delays_[slot];
    free_delays_.push_back(static_cast<std::uint32_t>(slot));
    if (delay.then > Time()) {
        start_timer(runs_[delay.run]->rank, {delay.run, delay.stream, Time(), delay.opens_phase},
                    delay.then);
        return;
    }
    end_delay(delay.run, delay.stream, delay.opens_phase);
}

void CollectiveEngine::arrive(Run& run, std::uint32_t place, std::uint32_t exchange_number,
                              Bytes bytes) {
    const Arrival arrival{run.who(), place, exchange_number, bytes, &run};
    if (by_content_) {
        if (arrivals_.empty()) {
            queue_.request_turn(turn_);
        }
        arrivals_.push_back(arrival);
    } else {
        act_on(arrival);
    }
}

void CollectiveEngine::end_delay(std::uint32_t run_index, std::uint32_t stream, bool opens_phase) {
    Run& run = *runs_[run_index];
    arrive(run, place_of(stream, run.streams.empty() ? 0 : run.streams[stream].phase),
           opens_phase ? Arrival::phase_opens : Arrival::exchange_completes, Bytes());
}

void CollectiveEngine::on_delivered(const MessageNote& note, Bytes bytes, Time) {
    if (note[3] == channel_mark) {
        hear_of_slice(note);
        return;
    }
    Run& run = *runs_[note[0]];
    if (file_messages_ > 0) {
        hear_of_delivery(note);
    }
    if (run.started) {
        arrive(run, note[1], note[2], bytes);
    } else {
        keep_early(run, note, bytes);
    }
}

MessageLabel CollectiveEngine::label_of(const MessageNote& note) const {
    const CollectiveInstance& instance = instances_[note[0]];
    return {{static_cast<std::uint32_t>(instance.group),
             static_cast<std::uint32_t>(instance.number), note[1], note[2], note[3]}};
}

MessageNote CollectiveEngine::note_of(const MessageLabel& label) {
    const auto group = static_cast<std::int32_t>(label.words[0]);
    const Rank rank(static_cast<std::int32_t>(label.words[4]));
    const std::uint32_t instance = instances_.at(group, label.words[1]);
    const Run& run = run_of(instance, instances_.member_of(group, rank), rank);
    return {run.index, label.words[2], label.words[3], 0};
}

std::vector<CollectiveResult> CollectiveEngine::results(const SpanOf& span_of) {
    CollectiveBounds bounds = make_bounds();
    return instances_.results(
        bounds,
        [&](std::int32_t group, std::uint64_t number,
            std::size_t member) -> std::optional<CollectiveInstances::Part> {
            const Rank rank = workload_.groups[static_cast<std::size_t>(group)].ranks[member];
            const std::uint32_t part = instances_.operation_of(group, number, rank);
            const auto [start, end] = span_of(rank, part);
            const ProgramOperation& operation = workload_.program(rank).operations[part];
            return CollectiveInstances::Part{
                start, end, member == 0 ? planner_.plan(rank, member, operation).algorithm : ""};
        });
}

void CollectiveEngine::keep_early(Run& run, const MessageNote& note, Bytes bytes) {
    run.early.push_back(
        {stream_of(note[1]), phase_of(note[1]), static_cast<std::int32_t>(note[2]), bytes});
}

void CollectiveEngine::take_turn() {
    acting_.swap(arrivals_);
    if (acting_.size() > 1) {
        sort_acting();
    }
    for (const Arrival& arrival : acting_) {
        act_on(arrival);
    }
    acting_.clear();
    if (step_listener_ != nullptr) {
        step_listener_->on_steps();
    }
}

void CollectiveEngine::sort_acting() {
    const auto earlier = [](const Arrival& a, const Arrival& b) { return a.before(b); };
    const auto end_of_order = std::is_sorted_until(acting_.begin(), acting_.end(), earlier);
    if (end_of_order != acting_.end()) {
        // Round a ring what comes from the last member to the first one comes late.
        if (std::is_sorted(end_of_order, acting_.end(), earlier) &&
            !earlier(acting_.front(), acting_.back())) {
            std::rotate(acting_.begin(), end_of_order, acting_.end());
        } else {
            std::sort(acting_.begin(), acting_.end(), earlier);
        }
    }
}

void CollectiveEngine::keep_early(Stream& stream, const Arrival& arrival) {
    stream.keep({stream.index, phase_of(arrival.place), static_cast<std::int32_t>(arrival.exchange),
                 arrival.bytes});
}

void CollectiveEngine::act_on(const Arrival& arrival) {
    Run& run = *arrival.run;
    if (run.file != nullptr) {
        act_on_file(run, arrival);
        finish_if_done(run);
        return;
    }
    if (is_in_closed_form(run) || run.recalled) {
        run.streams_left = 0;
        finish_if_done(run);
        return;
    }
    if (run.channels != nullptr) {
        act_on_channel(run, arrival);
        finish_if_done(run);
        return;
    }
    if (run.nvls != nullptr) {
        if (nvls_.act(run, arrival.place, arrival.exchange, arrival.bytes)) {
            run.streams_left = 0;
            finish_if_done(run);
        }
        return;
    }
    Stream& stream = run.streams[stream_of(arrival.place)];
    if (arrival.exchange == Arrival::exchange_completes) {
        ++stream.completed;
    } else if (arrival.exchange != Arrival::phase_opens) {
        const auto number = static_cast<std::int32_t>(arrival.exchange);
        if (!stream.active || stream.phase != phase_of(arrival.place) || number >= stream.started) {
            keep_early(stream, arrival);
            return;
        }
        if (!receive(run, stream, number, arrival.bytes)) {
            return;
        }
    }
    advance(run, stream);
    finish_if_done(run);
}

void CollectiveEngine::finish_if_done(Run& run) {
    if (run.streams_left == 0) {
        const Rank rank = run.rank;
        const std::uint32_t operation = run.operation;
        blocks_of_rank_[rank.index()] -= run.blocks;
        end_followers(run);
        release(run);
        listener_.on_operation_done(rank, operation);
    }
}

void CollectiveEngine::release(Run& run) {
    run.plan.amounts.reset();
    if (is_in_closed_form(run) || run.recalled) {
        const std::int32_t number = instances_[run.instance].group;
        const Group& group = workload_.groups[static_cast<std::size_t>(number)];
        const RankProgram& program = workload_.program(run.rank);
        bytes_not_sent_ += bytes_sent(program.operations[run.operation], group.ranks.size());
    }
    // The runs outlive the instance's list of them.
    const CollectiveInstance& instance = instances_[run.instance];
    if (instance.finished + 1 == instance.expected) {
        for (const std::uint32_t index : instance.run_of_member) {
            if (index != CollectiveInstance::no_run) {
                free_runs_.push_back(index);
            }
        }
    }
    if (instances_.leave(run.instance, run.member, queue_.now()) && remembered_ != nullptr) {
        remembered_->done(run.instance);
    }
}

Time CollectiveEngine::access_time(Rank rank, Bytes bytes, std::int64_t accesses) const {
    if (memory_bandwidth_[rank.index()] <= 0) {
        return Time();
    }
    if (dialect_.whole_nanoseconds) {
        const double bandwidth = memory_gbps_[rank.index()];
        const double once = static_cast<double>(bytes.value()) / (bandwidth * 1e9) * 1e9;
        return truncated_ns(static_cast<double>(accesses) * std::trunc(once));
    }
    return time_for(accesses * bytes.value(), memory_bandwidth_[rank.index()]);
}

}  // namespace npunet::engine
