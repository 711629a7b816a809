// CollectiveEngine: collectives of a communication library.
//
// Every block makes its slices in order (engine/collective_library/library_schedule.h). A slice
// that sends hands its bytes to the network when it begins, and they may be used one hop after it
// ends, or when the network has delivered them, whichever is later: where the network is idle and
// at least as fast as the library takes it to be, times are those of the closed forms. A slot is
// free again one hop after its slice was used.

#include <algorithm>
#include <cassert>

#include "engine/clock/clock_limit.h"
#include "engine/collective/collective_engine.h"

namespace npunet::engine {

namespace {

/// A block's place among the streams of a run (see place_of()).
constexpr unsigned channel_shift = 8;

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
            wait_for(other, 0, false, other.plan.estimate->time, Time());
        }
    }
}

ChannelRun& CollectiveEngine::channels_of(Run& run, std::int32_t blocks) {
    if (run.channels == nullptr) {
        run.channels = std::make_unique<ChannelRun>();
        run.channels->blocks.resize(static_cast<std::size_t>(blocks));
    }
    return *run.channels;
}

Rank CollectiveEngine::rank_of_member(const Run& run, std::size_t member) const {
    const std::int32_t group = instances_[run.instance].group;
    return workload_.groups[static_cast<std::size_t>(group)].ranks[member];
}

void CollectiveEngine::start_channels(Run& run) {
    assert(fold_.trivial() && share_.whole() && "checked before the run");
    const std::shared_ptr<const LibrarySchedule>& schedule = run.plan.library;
    ChannelRun& channels = channels_of(run, schedule->blocks());
    channels.schedule = schedule;
    run.streams.clear();
    run.streams_left = channels.blocks.size();
    for (std::uint32_t number = 0; number < channels.blocks.size(); ++number) {
        channels.blocks[number].busy = true;
        wait_for(run, number, false, schedule->start(), Time());
    }
}

void CollectiveEngine::act_on_channel(Run& run, const Arrival& arrival) {
    const std::uint32_t number = arrival.place >> channel_shift;
    ChannelBlock& block = run.channels->blocks[number];
    if (arrival.exchange == Arrival::exchange_completes) {
        end_slice(run, number);
    } else if (arrival.exchange == Arrival::slots_are_free) {
        block.freed += arrival.bytes.value();
    } else {
        block.ready.push_back(arrival.exchange);
    }
    if (!block.busy && !block.done) {
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
    if (block.call > 0) {
        give_slot_back(run, number);
    }
    channels.advance(block);
    run.streams_left -= block.done ? 1 : 0;
}

void CollectiveEngine::start_slice(Run& run, std::uint32_t number) {
    const LibrarySchedule& schedule = *run.channels->schedule;
    ChannelBlock& block = run.channels->blocks[number];
    const bool receives = block.call > 0;
    const bool sends = block.call + 1 < schedule.calls();
    const auto wanted = static_cast<std::uint32_t>(block.received);
    const auto found = std::find(block.ready.begin(), block.ready.end(), wanted);
    if ((receives && found == block.ready.end()) ||
        (sends && block.sent - block.freed >= schedule.slots())) {
        return;
    }
    if (receives) {
        block.ready.erase(found);
        ++block.received;
    }
    const RingLoops& like = schedule.work()[block.like];
    const Time takes = sends ? like.send : like.receive;
    if (sends) {
        send_slice(run, number, takes);
    }
    block.busy = true;
    if (takes > Time()) {
        wait_for(run, number, false, takes, Time());
    } else {
        arrive(run, number << channel_shift, Arrival::exchange_completes, Bytes());
    }
}

void CollectiveEngine::send_slice(Run& run, std::uint32_t number, Time takes) {
    const LibrarySchedule& schedule = *run.channels->schedule;
    ChannelBlock& block = run.channels->blocks[number];
    const auto channel = static_cast<std::int32_t>(number);
    const std::size_t member = schedule.sends_to(run.member, channel);
    const Rank to = rank_of_member(run, member);
    if (block.peer_run == ChannelBlock::none) {
        block.peer_run = run_of(run.instance, member, to).index;
        block.peer_operation =
            by_content_ ? instances_.operation_of(instances_[run.instance], to) : 0;
    }
    ChannelBlock& receiver = channels_of(*runs_[block.peer_run], schedule.blocks()).blocks[number];
    const auto slice = static_cast<std::uint32_t>(block.sent++);
    receiver.usable.push_back(later(queue_.now(), later(takes, schedule.hop(run.member, member))));
    receiver.source_run = run.index;
    const std::uint32_t place = number << channel_shift;
    transport_.send(
        run.rank, to, schedule.bytes(run.member, channel, block.loops, block.call, block.slice),
        *this, {block.peer_run, place, slice, channel_mark}, false, communication_of(run.plan.kind),
        {block.peer_operation, (static_cast<std::uint64_t>(place) << 32) | slice});
}

void CollectiveEngine::hear_of_slice(const MessageNote& note) {
    Run& run = *runs_[note[0]];
    const Time usable = run.channels->blocks[note[1] >> channel_shift].usable[note[2]];
    if (usable <= queue_.now()) {
        slice_is_usable(run, note[1], note[2]);
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
    slices_on_hop_[slot] = {note[0], note[1], note[2]};
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
        run.channels->blocks[place >> channel_shift].ready.push_back(number);
    }
}

void CollectiveEngine::give_slot_back(Run& run, std::uint32_t number) {
    const LibrarySchedule& schedule = *run.channels->schedule;
    const ChannelBlock& block = run.channels->blocks[number];
    if (block.received + schedule.slots() > schedule.slices_of_block()) {
        return;  // its sender needs no more
    }
    const std::size_t from = schedule.receives_from(run.member, static_cast<std::int32_t>(number));
    queue_.schedule(later(queue_.now(), schedule.hop(from, run.member)),
                    EventKey::of(Phase::Arrival, event_kind::delay, 0), slots_free_,
                    SlotsFree::payload(block.source_run, number, 1));
}

}  // namespace npunet::engine
