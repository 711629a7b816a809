#include "engine/collective/collective_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/errors.h"

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
      members_(workload.ranks()),
      groups_(workload.groups.size()) {
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        memory_bandwidth_.push_back(
            system.compute_of(static_cast<std::int32_t>(rank)).memory_bandwidth);
    }
    for (std::size_t group = 0; group < workload.groups.size(); ++group) {
        const std::vector<Rank>& ranks = workload.groups[group].ranks;
        for (std::size_t member = 0; member < ranks.size(); ++member) {
            members_[ranks[member].index()].emplace_back(group, member);
        }
    }
}

std::size_t CollectiveEngine::member_of(std::int32_t group, Rank rank) const {
    const auto& list = members_[rank.index()];  // groups ascending
    const auto found = std::lower_bound(list.begin(), list.end(), std::make_pair(group, 0));
    assert(found != list.end() && found->first == group && "checked when the workload was made");
    return static_cast<std::size_t>(found->second);
}

void CollectiveEngine::check_agreement(const Instance& instance, Rank rank,
                                       const ProgramOperation& operation,
                                       const std::string& name) const {
    if (instance.kind == operation.collective && instance.result.bytes == operation.bytes) {
        return;
    }
    const Group& group = workload_.groups[static_cast<std::size_t>(instance.group)];
    throw StallError(fmt::format(
        "the members of communicator '{}' disagree about their next collective: rank {} runs {} of "
        "{} bytes (node {} '{}'), rank {} runs {} of {} bytes ('{}'). All members of a "
        "communicator "
        "must run the same collectives in the same order; check the traces",
        group.name, rank.value(), name_of(operation.collective), operation.bytes.value(),
        operation.node, name, instance.first_rank.value(), instance.result.type,
        instance.result.bytes.value(), instance.result.name));
}

std::uint32_t CollectiveEngine::instance_for(std::int32_t group, std::size_t member, Rank rank,
                                             const ProgramOperation& operation,
                                             const std::string& name) {
    GroupState& state = groups_[static_cast<std::size_t>(group)];
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    state.started_by_member.resize(ranks.size(), 0);
    const std::uint64_t number = state.started_by_member[member]++ - state.first_instance;
    if (number == state.instances.size()) {
        Instance instance;
        instance.group = group;
        instance.kind = operation.collective;
        instance.first_rank = rank;
        instance.run_of_member.assign(ranks.size(), none);
        instance.result.name = name;
        instance.result.type = name_of(operation.collective);
        instance.result.bytes = operation.bytes;
        instance.result.first_start = queue_.now();
        state.instances.push_back(static_cast<std::uint32_t>(instances_.size()));
        instances_.push_back(std::move(instance));
    }
    const std::uint32_t index = state.instances[number];
    check_agreement(instances_[index], rank, operation, name);
    return index;
}

std::uint32_t CollectiveEngine::run_of(std::uint32_t instance, std::size_t member, Rank rank) {
    std::uint32_t& index = instances_[instance].run_of_member[member];
    if (index == none) {
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
    const std::size_t member = member_of(operation.group, rank);
    const std::uint32_t instance_index =
        instance_for(operation.group, member, rank, operation, program.names[operation_number]);
    Instance& instance = instances_[instance_index];
    ++instance.started;
    instance.result.last_start = queue_.now();
    const std::uint32_t index = run_of(instance_index, member, rank);
    Run& run = runs_[index];
    run.operation = operation_number;
    run.started = true;
    run.plan = planner_.plan(operation.group, rank, operation.collective, operation.bytes);
    instance.result.algorithm = run.plan.algorithm;
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
    fill_queue(index, first_queue);
    // Everything may have been there already: then the listener is not called.
    if (runs_[index].streams_left == 0) {
        runs_[index].started = false;
        release(instance_index);
        return true;
    }
    return false;
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
    if (stream.phase == run.plan.phases.size()) {
        --run.streams_left;
        fill_queue(run_index, old_queue);
        return;
    }
    const std::int32_t next_queue = run.plan.phases[stream.phase].queue;
    run.queues[static_cast<std::size_t>(next_queue)].waiting.push_back(stream_index);
    fill_queue(run_index, old_queue);
    if (next_queue != old_queue) {
        fill_queue(run_index, next_queue);
    }
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

bool CollectiveEngine::take_early(std::uint32_t run_index, std::uint32_t stream_index) {
    Run& run = runs_[run_index];
    bool freed = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < run.early.size(); ++i) {
        const Early message = run.early[i];
        const Stream& stream = run.streams[stream_index];
        if (message.stream == stream_index && message.phase == stream.phase && stream.active &&
            message.exchange < stream.started) {
            freed = receive(run_index, stream_index, message.exchange, message.bytes) || freed;
        } else {
            run.early[kept++] = message;
        }
    }
    run.early.resize(kept);
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
    const std::uint32_t run_index = run_of(note[0], member_of(group, rank), rank);
    Run& run = runs_[run_index];
    const bool posted = run.started && run.streams[stream_index].active &&
                        run.streams[stream_index].phase == phase &&
                        exchange_number < run.streams[stream_index].started;
    if (!posted) {
        run.early.push_back({stream_index, phase, exchange_number, bytes});
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
    Instance& instance = instances_[index];
    instance.result.end = queue_.now();
    if (++instance.finished < instance.run_of_member.size()) {
        return;
    }
    // Nobody is left in it: what remains is the result.
    for (const std::uint32_t run : instance.run_of_member) {
        free_runs_.push_back(run);
    }
    instance.run_of_member = {};
    GroupState& state = groups_[static_cast<std::size_t>(instance.group)];
    while (!state.instances.empty() && instances_[state.instances.front()].run_of_member.empty()) {
        state.instances.pop_front();
        ++state.first_instance;
    }
}

Time CollectiveEngine::reduction_time(Rank rank, Bytes bytes) const {
    const double bandwidth = memory_bandwidth_[rank.index()];
    if (bandwidth <= 0) {
        return Time();
    }
    if (dialect_.whole_nanoseconds) {
        const double once = static_cast<double>(bytes.value()) / (bandwidth * 1e9) * 1e9;
        return Time::ns(3 * static_cast<std::int64_t>(once));
    }
    return time_for(3 * bytes.value(), std::llround(bandwidth * 1e9));
}

std::vector<CollectiveResult> CollectiveEngine::results() const {
    std::vector<CollectiveResult> list;
    for (const Instance& instance : instances_) {
        list.push_back(instance.result);
        list.back().group = workload_.groups[static_cast<std::size_t>(instance.group)].ranks;
    }
    const auto lowest = [](const CollectiveResult& result) {
        return std::min_element(result.group.begin(), result.group.end())->value();
    };
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
        return a.first_start < b.first_start ||
               (a.first_start == b.first_start && lowest(a) < lowest(b));
    });
    std::int64_t id = 0;
    for (CollectiveResult& result : list) {
        result.id = id++;
        const Time span = result.end - result.last_start;
        if (span > Time()) {
            result.bandwidth_gbps =
                static_cast<double>(result.bytes.value()) * 1000.0 / static_cast<double>(span.ps());
        }
    }
    return list;
}

std::string CollectiveEngine::explain(Rank rank, std::uint32_t operation_number) const {
    const ProgramOperation& operation =
        workload_.programs[rank.index()].operations[operation_number];
    const Group& group = workload_.groups[static_cast<std::size_t>(operation.group)];
    const GroupState& state = groups_[static_cast<std::size_t>(operation.group)];
    const std::size_t member = member_of(operation.group, rank);
    const std::uint64_t number = state.started_by_member[member];
    std::string absent;
    std::size_t count = 0;
    for (std::size_t other = 0; other < group.ranks.size(); ++other) {
        if (state.started_by_member[other] < number) {
            ++count;
            if (count <= 8) {
                absent +=
                    fmt::format("{}{}", absent.empty() ? "" : ", ", group.ranks[other].value());
            }
        }
    }
    if (count == 0) {
        return "messages of the collective that are still under way";
    }
    return fmt::format(
        "rank{} {}{} of communicator '{}', not yet at this collective (its number {} "
        "there)",
        count == 1 ? "" : "s", absent, count > 8 ? ", ..." : "", group.name, number);
}

}  // namespace npunet::engine
