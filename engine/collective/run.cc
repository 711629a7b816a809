#include "engine/collective/run.h"

namespace npunet::engine {

bool Stream::enter_phase(const CollectivePlan& plan) {
    const PlannedPhase& planned = plan.phase(index, phase);
    shape = plan.shape(index, phase);
    active = true;
    count = planned.idle ? 0 : exchange_count(shape);
    reductions = exchange_reductions(shape);
    in_sequence = exchanges_in_sequence(shape);
    line = planned.members->data();
    started = received = completed = 0;
    return count > 0 && exchange(shape, 0).send_to != Exchange::no_rank;
}

void CollectiveRun::make_streams() {
    streams.clear();
    streams.resize(plan.streams());
    streams_left = streams.size();
    queues.assign(static_cast<std::size_t>(plan.queues), StreamQueue());
    to_fill.clear();
    for (std::uint32_t stream = 0; stream < streams.size(); ++stream) {
        streams[stream].index = stream;
        if (stream < static_cast<std::uint32_t>(plan.lanes)) {
            to_fill.push_back(plan.phase(stream, 0).queue);
        }
    }
}

bool CollectiveRun::take_next(std::int32_t queue_index, std::uint32_t& stream) {
    StreamQueue& queue = queues[static_cast<std::size_t>(queue_index)];
    if (queue.running >= plan.active_chunks) {
        return false;
    }
    const CollectivePlan::Turn turn = plan.turn(queue_index, queue.begun);
    if (turn.phase == plan.phases_per_stream() || streams[turn.stream].active ||
        streams[turn.stream].phase != turn.phase) {
        return false;
    }
    ++queue.begun;
    ++queue.running;
    stream = static_cast<std::uint32_t>(turn.stream);
    return true;
}

bool CollectiveRun::take_waiting(std::int32_t queue_index, std::uint32_t& stream) {
    StreamQueue& queue = queues[static_cast<std::size_t>(queue_index)];
    if (queue.running >= plan.active_chunks || queue.waiting.empty()) {
        return false;
    }
    stream = queue.waiting.front();
    queue.waiting.pop_front();
    ++queue.running;
    return true;
}

void CollectiveRun::leave_phase(Stream& stream) {
    const std::int32_t old_queue = plan.phase(stream.index, stream.phase).queue;
    stream.active = false;
    --queues[static_cast<std::size_t>(old_queue)].running;
    ++stream.phase;
    to_fill.push_back(old_queue);
    if (stream.phase == plan.phases_per_stream()) {
        --streams_left;
        return;
    }
    const std::int32_t next_queue = plan.phase(stream.index, stream.phase).queue;
    if (next_queue != old_queue) {
        to_fill.push_back(next_queue);
    }
}

}  // namespace npunet::engine
