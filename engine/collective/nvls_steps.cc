#include "engine/collective/nvls_steps.h"

#include <algorithm>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

/// A place is what happens, on which channel, and, of what the switch does for one, the place of
/// the head in its node.
constexpr unsigned what_bits = 4;
constexpr std::uint32_t what_mask = (1U << what_bits) - 1;
constexpr unsigned head_shift = 12;

std::uint32_t channel_of(std::uint32_t place) {
    return (place & ((1U << head_shift) - 1)) >> what_bits;
}

}  // namespace

NvlsRun& NvlsSteps::part(CollectiveRun& run, const std::shared_ptr<const NvlsPlan>& plan) {
    if (run.nvls == nullptr) {
        run.nvls = std::make_unique<NvlsRun>(plan, run.member);
    }
    return *run.nvls;
}

NvlsRun& NvlsSteps::part_of(const CollectiveRun& run, std::size_t member) {
    return part(host_.part_of_member(run, member), run.nvls->plan);
}

void NvlsSteps::start(CollectiveRun& run) {
    const NvlsRun& own = part(run, run.plan.nvls);
    wait(run, 0, begins, later(queue_.now(), own.plan->schedule.start()));
}

void NvlsSteps::wait(const CollectiveRun& run, std::uint32_t channel, What what, Time until) {
    const std::uint32_t timer = timers_.take();
    timers_[timer].run = run.index;
    timers_[timer].place = (channel << what_bits) | what;
    queue_.schedule(until, EventKey::of(Phase::Arrival, event_kind::delay, 0), *this, timer);
}

void NvlsSteps::handle(std::uint64_t timer) {
    const auto number = static_cast<std::uint32_t>(timer);
    const Timer ended = timers_[number];
    timers_.free(number);
    host_.arrive_at(host_.part_number(ended.run), ended.place, 0, Bytes());
}

bool NvlsSteps::act(CollectiveRun& run, std::uint32_t place, std::uint32_t number, Bytes bytes) {
    const std::uint32_t channel = channel_of(place);
    NvlsRun& own = *run.nvls;
    const std::int64_t stride = own.plan->schedule.stride();
    switch (static_cast<What>(place & what_mask)) {
        case begins:
            for (std::uint32_t each = 0; each < own.channels.size(); ++each) {
                scatter(run, each);
            }
            break;
        case request:
            --own.answers_left;
            operations_.answer(static_cast<std::uint32_t>(bytes.value()),
                               own.plan->schedule.place_in_node(run.member));
            break;
        case sum_is_in: {
            NvlsChannel& at = own.channels[channel];
            ++at.read;
            at.due[number] = std::max(at.due[number], at.stage_end);
            add_part(run, channel, number);
            ask(run, channel);
            end_stage(run, channel);
            break;
        }
        case part_is_in:
            add_part(run, channel, number);
            break;
        case result_is_in:
            spread(run, channel, number);
            break;
        case copy_is_in: {
            const NvlsSchedule& schedule = own.plan->schedule;
            const std::size_t head =
                schedule.members_of(schedule.node_of(run.member))[place >> head_shift];
            take_in(run, channel, number / stride,
                    part_of(run, head).channels[channel].due[number]);
            break;
        }
        case scatter_ends:
            end_scatter(run, channel);
            break;
        case stage_ends:
            own.channels[channel].stage_over = true;
            end_stage(run, channel);
            break;
        case gather_ends: {
            NvlsChannel& at = own.channels[channel];
            at.gathering = false;
            own.channels_left -= ++at.gathered == own.plan->schedule.loops() ? 1 : 0;
            gather(run, channel);
            break;
        }
    }
    return own.done();
}

void NvlsSteps::scatter(CollectiveRun& run, std::uint32_t channel) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    if (run.nvls->channels[channel].scattered < schedule.loops()) {
        wait(run, channel, scatter_ends, later(queue_.now(), schedule.stage()));
    }
}

void NvlsSteps::end_scatter(CollectiveRun& run, std::uint32_t channel) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    const auto loop = static_cast<std::size_t>(run.nvls->channels[channel].scattered++);
    for (const std::size_t head : schedule.members_of(schedule.node_of(run.member))) {
        CollectiveRun& other = host_.part_of_member(run, head);
        ++part(other, run.nvls->plan).channels[channel].ready[loop];
        reduce(other, channel);
    }
    scatter(run, channel);
}

void NvlsSteps::reduce(CollectiveRun& run, std::uint32_t channel) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    NvlsChannel& at = run.nvls->channels[channel];
    const std::size_t members = schedule.members_of(schedule.node_of(run.member)).size();
    if (at.reducing || at.reduced == schedule.loops() ||
        static_cast<std::size_t>(at.ready[static_cast<std::size_t>(at.reduced)]) < members) {
        return;
    }
    at.reducing = true;
    at.stage_over = false;
    at.stage_end = later(queue_.now(), schedule.stage());
    at.asked = at.read = 0;
    wait(run, channel, stage_ends, at.stage_end);
    ask(run, channel);
}

void NvlsSteps::ask(CollectiveRun& run, std::uint32_t channel) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    NvlsChannel& at = run.nvls->channels[channel];
    const auto place = static_cast<std::int32_t>(channel);
    const std::int64_t units = schedule.units(run.member, place, at.reduced);
    while (at.asked < units && (!schedule.reduces() || at.asked == at.read)) {
        const auto unit = static_cast<std::uint32_t>(at.reduced * schedule.stride() + at.asked++);
        if (schedule.reduces()) {
            operations_.read_sum(operation(run, channel, unit));
        } else {
            ++at.read;
            at.due[unit] = at.stage_end;
            add_part(run, channel, unit);
        }
    }
}

void NvlsSteps::end_stage(CollectiveRun& run, std::uint32_t channel) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    NvlsChannel& at = run.nvls->channels[channel];
    if (at.stage_over && at.reducing &&
        at.read == schedule.units(run.member, static_cast<std::int32_t>(channel), at.reduced)) {
        ++at.reduced;
        at.reducing = false;
        // Of a loop that brings the member nothing, nothing else tells it.
        gather(run, channel);
        reduce(run, channel);
    }
}

void NvlsSteps::add_part(CollectiveRun& run, std::uint32_t channel, std::uint32_t unit) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    NvlsChannel& at = run.nvls->channels[channel];
    const auto place = static_cast<std::int32_t>(channel);
    if (!schedule.multicasts()) {
        take_in(run, channel, unit / schedule.stride(), at.due[unit]);
        return;
    }
    if (!run.nvls->plan->trees.empty()) {
        push(run, channel, unit);
        return;
    }
    const std::size_t parts = 1 + schedule.children(run.member, place).size();
    if (static_cast<std::size_t>(++at.parts[unit]) < parts) {
        return;
    }
    const std::size_t parent = schedule.parent(run.member, place);
    if (parent == NvlsSchedule::none) {
        spread(run, channel, unit);
    } else {
        send(run, channel, unit, parent, part_is_in);
    }
}

void NvlsSteps::send(CollectiveRun& run, std::uint32_t channel, std::uint32_t unit, std::size_t to,
                     What what) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    CollectiveRun& other = host_.part_of_member(run, to);
    Time& due = part(other, run.nvls->plan).channels[channel].due[unit];
    due = std::max(
        due, later(std::max(queue_.now(), run.nvls->channels[channel].due[unit]), schedule.hop()));
    const std::int64_t stride = schedule.stride();
    const Bytes bytes = schedule.bytes(run.member, static_cast<std::int32_t>(channel),
                                       unit / stride, unit % stride);
    const SwitchOperation like = operation(run, channel, unit);
    transport_.send(run.rank, other.rank, bytes, *this,
                    {other.index, (channel << what_bits) | what, unit, 0}, false, like.kind,
                    {other.operation, like.order.minor});
}

void NvlsSteps::push(const CollectiveRun& run, std::uint32_t channel, std::uint32_t unit) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    const std::size_t head = schedule.place_in_node(run.member);
    const std::size_t node = schedule.node_of(run.member);
    PushedSlice slice;
    slice.collective = run.instance;
    slice.part = channel * static_cast<std::uint32_t>(schedule.members_of(node).size()) +
                 static_cast<std::uint32_t>(head);
    slice.number = unit;
    slice.listener = this;
    slice.run = run.index;
    slice.tree = &run.nvls->plan->trees[head];
    slice.bytes = schedule.bytes(run.member, static_cast<std::int32_t>(channel),
                                 unit / schedule.stride(), unit % schedule.stride());
    slice.kind = communication_of(run.plan.kind);
    pushes_.push(
        slice, node,
        later(std::max(queue_.now(), run.nvls->channels[channel].due[unit]), schedule.hop()));
}

CollectiveRun& NvlsSteps::head_of(const PushedSlice& slice, std::size_t node) {
    const CollectiveRun& like = host_.part_number(slice.run);
    const NvlsSchedule& schedule = like.nvls->plan->schedule;
    const std::size_t head = schedule.place_in_node(like.member);
    return host_.part_of_member(like, schedule.members_of(node)[head]);
}

std::uint64_t NvlsSteps::operation_of(const PushedSlice& slice, std::size_t node) {
    return head_of(slice, node).operation;
}

void NvlsSteps::on_result(const PushedSlice& slice, std::size_t node, Time due) {
    CollectiveRun& run = head_of(slice, node);
    const auto heads = static_cast<std::uint32_t>(run.nvls->plan->schedule.members_of(node).size());
    const std::uint32_t channel = slice.part / heads;
    run.nvls->channels[channel].due[slice.number] = due;
    host_.arrive_at(run, (channel << what_bits) | result_is_in, slice.number, Bytes());
}

void NvlsSteps::spread(CollectiveRun& run, std::uint32_t channel, std::uint32_t unit) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    if (!run.nvls->plan->trees.empty()) {
        operations_.write_to_all(operation(run, channel, unit));
        return;
    }
    for (const std::size_t child :
         schedule.children(run.member, static_cast<std::int32_t>(channel))) {
        send(run, channel, unit, child, result_is_in);
    }
    operations_.write_to_all(operation(run, channel, unit));
}

SwitchOperation NvlsSteps::operation(const CollectiveRun& run, std::uint32_t channel,
                                     std::uint32_t unit) const {
    const NvlsPlan& plan = *run.nvls->plan;
    const std::size_t node = plan.schedule.node_of(run.member);
    const std::size_t head = plan.schedule.place_in_node(run.member);
    const std::int64_t stride = plan.schedule.stride();
    SwitchOperation what;
    what.of_switch = plan.switch_of(run.member, static_cast<std::int32_t>(channel), unit);
    what.asker = run.rank;
    what.members = &plan.ranks[node];
    what.bytes = plan.schedule.bytes(run.member, static_cast<std::int32_t>(channel), unit / stride,
                                     unit % stride);
    what.kind = communication_of(run.plan.kind);
    what.order = {run.operation, (std::uint64_t{unit} << 32) | (std::uint64_t{channel} << 24) |
                                     static_cast<std::uint64_t>(head)};
    what.note = {run.index,
                 (static_cast<std::uint32_t>(head) << head_shift) | (channel << what_bits), unit,
                 0};
    return what;
}

void NvlsSteps::on_delivered(const MessageNote& note, Bytes /*bytes*/, Time /*first_byte_left*/) {
    host_.arrive_at(host_.part_number(note[0]), note[1], note[2], Bytes());
}

CollectiveRun& NvlsSteps::part_of_other(const SwitchOperation& what, std::size_t member) {
    const CollectiveRun& head = host_.part_number(what.note[0]);
    const NvlsSchedule& schedule = head.nvls->plan->schedule;
    return host_.part_of_member(head, schedule.members_of(schedule.node_of(head.member))[member]);
}

std::uint64_t NvlsSteps::operation_of(const SwitchOperation& what, std::size_t member) {
    return part_of_other(what, member).operation;
}

void NvlsSteps::on_request(std::uint32_t operation, const SwitchOperation& what,
                           std::size_t member) {
    host_.arrive_at(part_of_other(what, member), what.note[1] | request, what.note[2],
                    Bytes(operation));
}

void NvlsSteps::on_sum(const SwitchOperation& what) {
    host_.arrive_at(host_.part_number(what.note[0]), what.note[1] | sum_is_in, what.note[2],
                    Bytes());
}

void NvlsSteps::on_copy(const SwitchOperation& what, std::size_t member) {
    host_.arrive_at(part_of_other(what, member), what.note[1] | copy_is_in, what.note[2], Bytes());
}

void NvlsSteps::take_in(CollectiveRun& run, std::uint32_t channel, std::int64_t loop, Time due) {
    NvlsChannel& at = run.nvls->channels[channel];
    const auto place = static_cast<std::size_t>(loop);
    --at.missing[place];
    at.gather_from[place] = std::max(at.gather_from[place], due);
    gather(run, channel);
}

void NvlsSteps::gather(CollectiveRun& run, std::uint32_t channel) {
    const NvlsSchedule& schedule = run.nvls->plan->schedule;
    NvlsChannel& at = run.nvls->channels[channel];
    const auto loop = static_cast<std::size_t>(at.gathered);
    if (at.gathering || at.gathered == at.reduced || at.missing[loop] > 0) {
        return;
    }
    at.gathering = true;
    wait(run, channel, gather_ends,
         later(std::max(queue_.now(), at.gather_from[loop]), schedule.stage()));
}

}  // namespace npunet::engine
