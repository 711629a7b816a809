// CollectiveEngine: algorithms from files.
//
// A thread block makes its steps in order. A step begins when the steps that it waits for have been
// made. A message that it receives costs the endpoint delay, then the reduction where one is due;
// one that it sends waits for slots of its connection and is done when it is handed over (of a
// trace: when its last byte has left). Slots are free again when the receiver has used what was in
// them, and its word has come back over the network, which takes the latency of the route and no
// bandwidth. Copies and reductions within a GPU take the time of their accesses to its memory.

#include <algorithm>
#include <cassert>

#include "engine/clock/clock_limit.h"
#include "engine/collective/collective_engine.h"
#include "engine/collective_files/algorithm_check.h"

namespace npunet::engine {

namespace {

/// A block's place among the streams of a run (see place_of()).
constexpr unsigned block_shift = 8;

/// Who reads and who writes: 3 accesses to add, 1 for each further addend, 2 to copy.
std::int64_t accesses_of(const AlgorithmStep& step) {
    return step.type == StepType::Copy ? 2 : step.continues ? 1 : 3;
}

}  // namespace

bool CollectiveEngine::start_file(Run& run) {
    const CollectiveInstance& instance = instances_[run.instance];
    const Group& group = workload_.groups[static_cast<std::size_t>(instance.group)];
    const std::size_t members = group.ranks.size();
    const ProgramOperation& operation = workload_.program(run.rank).operations[run.operation];
    assert(fold_.trivial() && share_.whole() && "checked before the run");
    run.file = std::make_unique<FileRun>(
        *run.plan.file, run.member,
        has_root(run.plan.kind) ? static_cast<std::size_t>(operation.root) : 0,
        size_of_collective(run.plan.kind, run.plan.size, members));
    FileRun& file = *run.file;
    check_slots_once(file);
    run.streams.clear();
    run.streams_left = file.states.size();
    for (std::uint32_t number = 0; number < file.states.size(); ++number) {
        prepare_block(run, number);
    }
    for (const EarlyMessage& message : run.early) {
        file.states[message.stream].arrived.emplace_back(
            static_cast<std::uint32_t>(message.exchange), message.bytes);
    }
    run.early.clear();
    advance_blocks(run);
    if (run.streams_left == 0) {
        run.started = false;
        release(run);
        return true;
    }
    return false;
}

void CollectiveEngine::check_slots_once(const FileRun& file) {
    const std::pair<const FileAlgorithm*, std::int32_t> key(&file.algorithm(), file.per_call());
    if (!file.algorithm().is_trace &&
        std::find(checked_slots_.begin(), checked_slots_.end(), key) == checked_slots_.end()) {
        check_slots(file.algorithm(), file.per_call());
        checked_slots_.push_back(key);
    }
}

void CollectiveEngine::prepare_block(Run& run, std::uint32_t number) {
    FileRun& file = *run.file;
    const ThreadBlock& block = file.block(number);
    BlockState& state = file.states[number];
    if (block.steps.empty()) {
        state.done = true;
        --run.streams_left;
        return;
    }
    if (block.receive_from != ThreadBlock::no_peer) {
        state.slots_wanted = file.slots_received(block) - FifoProtocol::slots;
    }
    if (state.slots_wanted > 0) {
        const Rank sender = rank_of_gpu(run, block.receive_from);
        for (const topology::Hop& hop : network_.route(network_.npu_of_rank[run.rank.index()],
                                                       network_.npu_of_rank[sender.index()])) {
            state.back_to_sender += network_.graph.link(hop.link).latency;
        }
    }
    state.queued = true;
    file.to_advance.push_back(number);
}

Rank CollectiveEngine::rank_of_gpu(const Run& run, std::int32_t gpu) const {
    const std::int32_t group = instances_[run.instance].group;
    const std::size_t member = run.file->member_of(static_cast<std::size_t>(gpu));
    return workload_.groups[static_cast<std::size_t>(group)].ranks[member];
}

void CollectiveEngine::act_on_file(Run& run, const Arrival& arrival) {
    FileRun& file = *run.file;
    const std::uint32_t number = arrival.place >> block_shift;
    BlockState& state = file.states[number];
    if (arrival.exchange == Arrival::exchange_completes) {
        state.delayed = false;
    } else if (arrival.exchange == Arrival::slots_are_free) {
        state.slots_taken -= static_cast<std::int32_t>(arrival.bytes.value());
    } else {
        state.arrived.emplace_back(arrival.exchange, arrival.bytes);
    }
    look_at_block(file, number);
    advance_blocks(run);
}

void CollectiveEngine::look_at_block(FileRun& file, std::uint32_t number) {
    if (!file.states[number].queued) {
        file.states[number].queued = true;
        file.to_advance.push_back(number);
    }
}

void CollectiveEngine::advance_blocks(Run& run) {
    FileRun& file = *run.file;
    for (std::size_t next = 0; next < file.to_advance.size(); ++next) {
        const std::uint32_t number = file.to_advance[next];
        file.states[number].queued = false;
        while (advance_block(run, number)) {
        }
    }
    file.to_advance.clear();
}

bool CollectiveEngine::advance_block(Run& run, std::uint32_t number) {
    FileRun& file = *run.file;
    BlockState& state = file.states[number];
    const ThreadBlock& block = file.block(number);
    if (state.done || state.delayed) {
        return false;
    }
    const AlgorithmStep& step = block.steps[state.step];
    if (!state.begun) {
        if (!file.may_begin(state, step)) {
            return false;
        }
        begin_step(run, number);
        return true;
    }
    if (state.message < state.messages.size()) {
        return advance_message(run, number, step);
    }
    end_step(run, number);
    return true;
}

void CollectiveEngine::begin_step(Run& run, std::uint32_t number) {
    FileRun& file = *run.file;
    BlockState& state = file.states[number];
    const AlgorithmStep& step = file.block(number).steps[state.step];
    state.begun = true;
    state.message = 0;
    state.messages.clear();
    if (sends(step.type) || receives(step.type)) {
        file.list_messages(step, state.piece, state.messages);
    }
    Time delay;
    if (step.type == StepType::Copy || step.type == StepType::Reduce) {
        delay = access_time(run.rank, file.bytes_of(step, state.piece), accesses_of(step));
    } else if (step.type == StepType::Compute) {
        delay = compute_time(run, step);
    } else if (step.type == StepType::Send && state.steps_made == 0 && step.waits == 0) {
        // Who begins by sending has the message handed over first.
        delay = run.plan.endpoint_delay;
    }
    if (delay > Time()) {
        state.delayed = true;
        wait_for(run, number, false, delay, Time());
    }
}

Time CollectiveEngine::compute_time(const Run& run, const AlgorithmStep& step) const {
    if (step.duration > Time()) {
        return step.duration;
    }
    // The reference takes 1 ns.
    return dialect_.whole_nanoseconds
               ? Time::ns(1)
               : access_time(run.rank, run.file->bytes_of(step, 0), accesses_of(step));
}

bool CollectiveEngine::advance_message(Run& run, std::uint32_t number, const AlgorithmStep& step) {
    BlockState& state = run.file->states[number];
    if (receives(step.type) && !state.received) {
        const auto found =
            std::find_if(state.arrived.begin(), state.arrived.end(),
                         [&](const auto& message) { return message.first == state.taken; });
        if (found == state.arrived.end()) {
            return false;
        }
        const Bytes bytes = found->second;
        state.arrived.erase(found);
        ++state.taken;
        state.received = true;
        const Time reduction =
            reduces_received(step.type) ? access_time(run.rank, bytes, 3) : Time();
        if (run.plan.endpoint_delay > Time() || reduction > Time()) {
            state.delayed = true;
            wait_for(run, number, false, run.plan.endpoint_delay, reduction);
        }
        return true;
    }
    const FifoMessage message = state.messages[state.message];
    if (sends(step.type)) {
        if (state.slots_taken + message.slots > FifoProtocol::slots) {
            return false;
        }
        state.slots_taken += message.slots;
        send_message(run, number, message.bytes);
    }
    if (receives(step.type)) {
        give_slots_back(run, number, message.slots);
    }
    state.received = false;
    ++state.message;
    return true;
}

void CollectiveEngine::send_message(Run& run, std::uint32_t number, Bytes bytes) {
    FileRun& file = *run.file;
    const ThreadBlock& block = file.block(number);
    BlockState& state = file.states[number];
    const Rank to = rank_of_gpu(run, block.send_to);
    const CollectiveInstance& instance = instances_[run.instance];
    if (state.peer_run == BlockState::none) {
        const std::size_t member = file.member_of(static_cast<std::size_t>(block.send_to));
        state.peer_run = run_of(run.instance, member, to).index;
        state.peer_operation = by_content_ ? instances_.operation_of(instance, to) : 0;
    }
    const std::uint32_t place = block.sends_to_block << block_shift;
    const std::uint32_t arrives_as = state.sent++;
    // Of a trace the sender is to be found again.
    const bool trace = file.algorithm().is_trace;
    state.delayed = trace;
    ++file_messages_;
    transport_.send(run.rank, to, bytes, *this,
                    {state.peer_run, place, arrives_as, trace ? run.index + 1 : msccl_mark},
                    trace && !dialect_.send_ends_at_delivery, communication_of(run.plan.kind),
                    {state.peer_operation, (static_cast<std::uint64_t>(place) << 32) | arrives_as});
}

void CollectiveEngine::hear_of_delivery(const MessageNote& note) {
    if (note[3] == 0) {
        return;
    }
    --file_messages_;
    if (note[3] != msccl_mark && dialect_.send_ends_at_delivery) {
        end_send_of_trace(note);
    }
}

void CollectiveEngine::end_send_of_trace(const MessageNote& note) {
    Run& sender = *runs_[note[3] - 1];
    const FileRun& file = *sender.file;
    const std::size_t receiver = file.gpu_of(runs_[note[0]]->member);
    const ThreadBlock& block = file.algorithm().gpus[receiver].blocks[note[1] >> block_shift];
    arrive(sender, block.receives_from_block << block_shift, Arrival::exchange_completes, Bytes());
}

void CollectiveEngine::give_slots_back(Run& run, std::uint32_t number, std::int32_t slots) {
    BlockState& state = run.file->states[number];
    if (state.slots_wanted <= 0) {
        return;
    }
    state.slots_wanted -= slots;
    const ThreadBlock& block = run.file->block(number);
    const std::size_t sender = run.file->member_of(static_cast<std::size_t>(block.receive_from));
    const std::uint32_t its_run = instances_[run.instance].run_of_member[sender];
    queue_.schedule(later(queue_.now(), state.back_to_sender),
                    EventKey::of(Phase::Arrival, event_kind::delay, 0), slots_free_,
                    SlotsFree::payload(its_run, block.receives_from_block, slots));
}

void CollectiveEngine::free_slots(std::uint32_t run, std::uint32_t block, std::int32_t slots) {
    arrive(*runs_[run], block << block_shift, Arrival::slots_are_free, Bytes(slots));
}

void CollectiveEngine::end_step(Run& run, std::uint32_t number) {
    FileRun& file = *run.file;
    BlockState& state = file.states[number];
    const ThreadBlock& block = file.block(number);
    state.begun = false;
    ++state.steps_made;
    if (++state.step == block.steps.size()) {
        state.step = 0;
        if (++state.piece == file.pieces()) {
            state.done = true;
            --run.streams_left;
        }
    }
    for (const std::uint32_t follower : block.followed_by) {
        look_at_block(file, follower);
    }
}

}  // namespace npunet::engine
