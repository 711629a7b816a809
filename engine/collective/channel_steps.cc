// CollectiveEngine: collectives of a communication library.
//
// Every block makes its slices in order (engine/collective_library/library_schedule.h). A slice
// that sends hands its bytes to the network when it begins, and they may be used one hop after it
// ends, or when the network has delivered them, whichever is later: where the network is idle and
// at least as fast as the library takes it to be, times are those of the closed forms. A slot is
// free again one hop after its slice was used; of what is pushed to switches, when its own result
// was.

#include <algorithm>
#include <cassert>
#include <span>

#include "engine/clock/clock_limit.h"
#include "engine/collective/collective_engine.h"

namespace npunet::engine {

namespace {

/// A block's place among the streams of a run (see place_of()), and the connection by which it
/// receives.
constexpr unsigned channel_shift = 8;
constexpr std::uint32_t end_mask = (1U << channel_shift) - 1;

/// The connections that a call uses.
template <typename End>
std::span<End> used(std::vector<End>& ends, std::int32_t connection) {
    return connection == LibrarySchedule::all
               ? std::span<End>(ends)
               : std::span<End>(ends).subspan(static_cast<std::size_t>(connection), 1);
}
template <typename End>
std::span<const End> used(const std::vector<End>& ends, std::int32_t connection) {
    return connection == LibrarySchedule::all
               ? std::span<const End>(ends)
               : std::span<const End>(ends).subspan(static_cast<std::size_t>(connection), 1);
}

}  // namespace

void CollectiveEngine::start_in_closed_form(Run& run) {
    run.streams.clear();
    run.streams_left = 1;
    const std::uint32_t instance = run.instance;
    const std::vector<Rank>& members =
        workload_.groups[static_cast<std::size_t>(instances_[instance].group)].ranks;
    for (std::size_t member = 0; member < members.size(); ++member) {
        Run& other = run_like(instance, member, members[member]);
        if (++other.present == members.size()) {
            traffic_.count(other.rank, other.operation, *other.plan.estimate);
            wait_for(other, 0, false, other.plan.estimate->time, Time());
        }
    }
}

ChannelRun& CollectiveEngine::channels_of(Run& run,
                                          const std::shared_ptr<const LibrarySchedule>& schedule) {
    if (run.channels == nullptr) {
        run.channels = std::make_unique<ChannelRun>(schedule, run.member);
    }
    return *run.channels;
}

Rank CollectiveEngine::rank_of_member(const Run& run, std::size_t member) const {
    const std::int32_t group = instances_[run.instance].group;
    return workload_.groups[static_cast<std::size_t>(group)].ranks[member];
}

CollectiveRun& CollectiveEngine::part_of_member(const Run& run, std::size_t member) {
    const Rank rank = rank_of_member(run, member);
    Run& part = run_of(run.instance, member, rank);
    if (!part.started) {
        part.operation = instances_.operation_of(instances_[run.instance], rank);
    }
    return part;
}

void CollectiveEngine::arrive_at(Run& run, std::uint32_t place, std::uint32_t number, Bytes bytes) {
    arrive(run, place, number, bytes);
}

void CollectiveEngine::start_channels(Run& run) {
    assert(fold_.trivial() && share_.whole() && "checked before the run");
    const std::shared_ptr<const LibrarySchedule>& schedule = run.plan.library;
    ChannelRun& channels = channels_of(run, schedule);
    run.streams.clear();
    run.streams_left = 0;
    for (std::uint32_t number = 0; number < channels.blocks.size(); ++number) {
        ChannelBlock& block = channels.blocks[number];
        if (block.idle()) {
            block.next.done = true;
            continue;
        }
        ++run.streams_left;
        block.busy = true;
        if (run.plan.launch != nullptr) {
            std::deque<std::uint32_t>& parts = launches_[launch_channel(run, number)];
            if (parts.empty() || parts.back() != run.index) {
                parts.push_back(run.index);
            }
        }
        wait_for(run, number, false, schedule->start(), Time());
    }
}

void CollectiveEngine::act_on_channel(Run& run, const Arrival& arrival) {
    const std::uint32_t number = arrival.place >> channel_shift;
    ChannelBlock& block = run.channels->blocks[number];
    if (arrival.exchange == Arrival::exchange_completes) {
        end_slice(run, number);
    } else if (arrival.exchange == Arrival::slots_are_free) {
        ++block.outputs[static_cast<std::size_t>(arrival.bytes.value())].freed;
    } else {
        block.inputs[arrival.place & end_mask].ready.push_back(arrival.exchange);
    }
    if (!block.busy && !block.next.done) {
        start_slice(run, number);
    }
}

void CollectiveEngine::end_slice(Run& run, std::uint32_t number) {
    ChannelRun& channels = *run.channels;
    ChannelBlock& block = channels.blocks[number];
    block.busy = false;
    if (!block.begun) {
        block.begun = true;
        return;
    }
    if (channels.schedule->receives(block.next.call)) {
        give_slots_back(run, block);
    }
    channels.schedule->advance(block.next);
    if (block.next.done) {
        --run.streams_left;
        leave_channel(run, number);
    }
}

CollectiveEngine::LaunchChannel CollectiveEngine::launch_channel(const Run& run,
                                                                 std::uint32_t number) const {
    return {run.rank, instances_[run.instance].group, run.plan.launch->launch,
            run.plan.launch->first +
                run.channels->schedule->channel_of(static_cast<std::int32_t>(number))};
}

bool CollectiveEngine::has_channel(const Run& run, std::uint32_t number) const {
    return run.plan.launch == nullptr ||
           launches_.at(launch_channel(run, number)).front() == run.index;
}

void CollectiveEngine::leave_channel(const Run& run, std::uint32_t number) {
    if (run.plan.launch == nullptr) {
        return;
    }
    const auto blocks_of_channel = [](const Run& part, std::int32_t channel) {
        std::vector<std::uint32_t> blocks;
        for (std::uint32_t block = 0; block < part.channels->blocks.size(); ++block) {
            if (part.channels->schedule->channel_of(static_cast<std::int32_t>(block)) == channel) {
                blocks.push_back(block);
            }
        }
        return blocks;
    };
    const LaunchChannel channel = launch_channel(run, number);
    const std::int32_t place = std::get<3>(channel);
    for (const std::uint32_t block : blocks_of_channel(run, place - run.plan.launch->first)) {
        if (!run.channels->blocks[block].next.done) {
            return;
        }
    }
    const auto parts = launches_.find(channel);
    parts->second.pop_front();
    if (parts->second.empty()) {
        launches_.erase(parts);
        return;
    }
    Run& next = *runs_[parts->second.front()];
    for (const std::uint32_t number_there :
         blocks_of_channel(next, place - next.plan.launch->first)) {
        const ChannelBlock& block = next.channels->blocks[number_there];
        if (!block.busy && !block.next.done) {
            start_slice(next, number_there);
        }
    }
}

bool CollectiveEngine::may_start_slice(const LibrarySchedule& schedule, const ChannelBlock& block) {
    const std::int32_t call = block.next.call;
    if (schedule.receives(call)) {
        for (const ChannelInput& input : used(block.inputs, schedule.connection_in(call))) {
            const auto wanted = static_cast<std::uint32_t>(input.received);
            if (std::find(input.ready.begin(), input.ready.end(), wanted) == input.ready.end()) {
                return false;
            }
        }
    }
    if (!schedule.sends(call)) {
        return true;
    }
    const auto outputs = used(block.outputs, schedule.connection_out(call));
    return std::all_of(outputs.begin(), outputs.end(), [&](const ChannelOutput& output) {
        return output.sent - output.freed < schedule.slots();
    });
}

void CollectiveEngine::start_slice(Run& run, std::uint32_t number) {
    const LibrarySchedule& schedule = *run.channels->schedule;
    ChannelBlock& block = run.channels->blocks[number];
    if (!may_start_slice(schedule, block) || !has_channel(run, number)) {
        return;
    }
    const std::int32_t call = block.next.call;
    if (schedule.receives(call)) {
        for (ChannelInput& input : used(block.inputs, schedule.connection_in(call))) {
            const auto wanted = static_cast<std::uint32_t>(input.received++);
            input.ready.erase(std::find(input.ready.begin(), input.ready.end(), wanted));
        }
    }
    const Time takes = schedule.takes(block.next);
    if (schedule.sends(call)) {
        for (ChannelOutput& output : used(block.outputs, schedule.connection_out(call))) {
            if (output.to.member == BlockEnd::switches) {
                push_slice(run, number, output, takes);
            } else {
                send_slice(run, number, output, takes);
            }
            ++output.sent;
        }
    }
    block.busy = true;
    if (takes > Time()) {
        wait_for(run, number, false, takes, Time());
    } else {
        arrive(run, number << channel_shift, Arrival::exchange_completes, Bytes());
    }
}

void CollectiveEngine::send_slice(Run& run, std::uint32_t number, ChannelOutput& output,
                                  Time takes) {
    const std::shared_ptr<const LibrarySchedule>& schedule = run.channels->schedule;
    const ChannelBlock& block = run.channels->blocks[number];
    const Rank to = rank_of_member(run, output.to.member);
    if (output.run == ChannelOutput::none) {
        output.run = run_of(run.instance, output.to.member, to).index;
        output.operation = by_content_ ? instances_.operation_of(instances_[run.instance], to) : 0;
    }
    const auto block_there = static_cast<std::uint32_t>(output.to.block);
    ChannelInput& input = channels_of(*runs_[output.run], schedule)
                              .blocks[block_there]
                              .inputs[static_cast<std::size_t>(output.to.place)];
    input.usable.push_back(
        later(queue_.now(), later(takes, schedule->hop(run.member, output.to.member))));
    input.run = run.index;
    const auto slice = static_cast<std::uint32_t>(output.sent);
    const std::uint32_t place =
        (block_there << channel_shift) | static_cast<std::uint32_t>(output.to.place);
    transport_.send(
        run.rank, to, schedule->bytes(run.member, static_cast<std::int32_t>(number), block.next),
        *this, {output.run, place, slice, channel_mark}, false, communication_of(run.plan.kind),
        {output.operation, (static_cast<std::uint64_t>(place) << 32) | slice});
}

void CollectiveEngine::hear_of_slice(const MessageNote& note) {
    Run& run = *runs_[note[0]];
    take_slice(
        run, note[1], note[2],
        run.channels->blocks[note[1] >> channel_shift].inputs[note[1] & end_mask].usable[note[2]]);
}

void CollectiveEngine::push_slice(const Run& run, std::uint32_t number, const ChannelOutput& output,
                                  Time takes) {
    const LibrarySchedule& schedule = *run.channels->schedule;
    const ChannelBlock& block = run.channels->blocks[number];
    const auto own = static_cast<std::int32_t>(number);
    PushedSlice slice;
    slice.collective = run.instance;
    slice.part = number;
    slice.number = static_cast<std::uint32_t>(output.sent);
    slice.listener = this;
    slice.run = run.index;
    slice.tree = &schedule.tree(own);
    slice.bytes = schedule.bytes(run.member, own, block.next);
    slice.kind = communication_of(run.plan.kind);
    std::size_t place = 0;
    while (schedule.member_of_tree(own, place) != run.member) {
        ++place;
    }
    pushes_.push(slice, place,
                 later(queue_.now(), later(takes, schedule.hop(run.member, BlockEnd::switches))));
}

std::uint64_t CollectiveEngine::operation_of(const PushedSlice& slice, std::size_t member) {
    const Run& like = *runs_[slice.run];
    return part_of_member(like, like.channels->schedule->member_of_tree(
                                    static_cast<std::int32_t>(slice.part), member))
        .operation;
}

void CollectiveEngine::on_result(const PushedSlice& slice, std::size_t member, Time due) {
    const Run& like = *runs_[slice.run];
    const auto block = static_cast<std::int32_t>(slice.part);
    const LibrarySchedule& schedule = *like.channels->schedule;
    Run& run = part_of_member(like, schedule.member_of_tree(block, member));
    const auto block_there =
        static_cast<std::uint32_t>(schedule.sends_to(run.member, block).front().block);
    take_slice(run, block_there << channel_shift, slice.number, due);
}

void CollectiveEngine::take_slice(Run& run, std::uint32_t place, std::uint32_t number,
                                  Time usable) {
    if (usable <= queue_.now()) {
        slice_is_usable(run, place, number);
        return;
    }
    std::uint32_t slot = 0;
    if (free_slices_.empty()) {
        slot = static_cast<std::uint32_t>(slices_on_hop_.size());
        slices_on_hop_.emplace_back();
    } else {
        slot = free_slices_.back();
        free_slices_.pop_back();
    }
    slices_on_hop_[slot] = {run.index, place, number};
    queue_.schedule(usable, EventKey::of(Phase::Arrival, event_kind::delay, 0), hop_end_, slot);
}

void CollectiveEngine::end_hop(std::uint32_t slot) {
    const SliceOnHop slice = slices_on_hop_[slot];
    free_slices_.push_back(slot);
    slice_is_usable(*runs_[slice.run], slice.place, slice.number);
}

void CollectiveEngine::slice_is_usable(Run& run, std::uint32_t place, std::uint32_t number) {
    if (run.started) {
        arrive(run, place, number, Bytes());
    } else {
        run.channels->blocks[place >> channel_shift].inputs[place & end_mask].ready.push_back(
            number);
    }
}

void CollectiveEngine::give_slots_back(Run& run, const ChannelBlock& block) {
    const LibrarySchedule& schedule = *run.channels->schedule;
    const std::int32_t connection = schedule.connection_in(block.next.call);
    for (const ChannelInput& input : used(block.inputs, connection)) {
        if (input.received + schedule.slots() > schedule.slices()) {
            continue;  // its sender needs no more
        }
        if (input.from.member == BlockEnd::switches) {
            arrive(run, static_cast<std::uint32_t>(input.from.block) << channel_shift,
                   Arrival::slots_are_free, Bytes(input.from.place));
            continue;
        }
        queue_.schedule(later(queue_.now(), schedule.hop(input.from.member, run.member)),
                        EventKey::of(Phase::Arrival, event_kind::delay, 0), slots_free_,
                        SlotsFree::payload(input.run, static_cast<std::uint32_t>(input.from.block),
                                           input.from.place));
    }
}

}  // namespace npunet::engine
