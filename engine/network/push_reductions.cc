#include "engine/network/push_reductions.h"

#include <algorithm>
#include <limits>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

/// The send queue of a port (Transport::send_in_turn): units leave in the order in which they
/// became ready.
constexpr std::int32_t pushed = -3;

/// A word of a note is what a message is and where it comes from.
constexpr unsigned from_shift = 3;

}  // namespace

PushReductions::PushReductions(const topology::NetworkDescription& description, EventQueue& queue,
                               Transport& transport)
    : description_(description),
      queue_(queue),
      transport_(transport),
      entries_(description.reducing_switches.size()) {}

std::int64_t PushReductions::unit_of(const topology::ReductionTree& tree) const {
    std::int64_t unit = std::numeric_limits<std::int64_t>::max();
    for (const topology::ReductionTree::Switch& one : tree.switches) {
        unit = std::min(unit, description_.reducing_switches[one.place].unit.value());
    }
    return unit;
}

Bytes PushReductions::unit_bytes(const Slice& slice, std::uint32_t unit) const {
    const std::int64_t most = unit_of(*slice.what.tree);
    return Bytes(
        std::clamp<std::int64_t>(slice.what.bytes.value() - std::int64_t{unit} * most, 0, most));
}

NodeId PushReductions::node_of(const topology::ReductionTree& tree, std::uint32_t at) const {
    return description_.reducing_switches[tree.switches[at].place].node;
}

PushReductions::Place& PushReductions::place_of(const Arrival& arrival) {
    Slice& slice = slices_[arrival.slice];
    return slice.places[arrival.unit * slice.what.tree->switches.size() + arrival.at];
}

const topology::ReductionTree::Switch& PushReductions::switch_of(const Arrival& arrival) const {
    return slices_[arrival.slice].what.tree->switches[arrival.at];
}

bool PushReductions::has_all(const Arrival& arrival) {
    return place_of(arrival).arrived == switch_of(arrival).children();
}

std::uint32_t PushReductions::slice_of(const PushedSlice& what) {
    const auto [found, is_new] = known_.try_emplace({what.collective, what.part, what.number}, 0);
    if (!is_new) {
        return found->second;
    }
    const std::uint32_t number = found->second = slices_.take();
    Slice& slice = slices_[number];
    slice.what = what;
    const std::int64_t unit = unit_of(*what.tree);
    slice.units = static_cast<std::uint32_t>(
        std::max<std::int64_t>(1, (what.bytes.value() + unit - 1) / unit));
    const std::size_t members = what.tree->npus.size();
    slice.places.resize(slice.units * what.tree->switches.size());
    slice.missing.resize(members, slice.units);
    slice.members_left = members;
    slice.entries_left = slice.places.size();
    slice.operation = what.listener->operation_of(what, 0);
    return number;
}

void PushReductions::push(const PushedSlice& what, std::size_t member, Time due) {
    const std::uint32_t number = slice_of(what);
    slices_[number].due = std::max(slices_[number].due, due);
    const topology::ReductionTree& tree = *what.tree;
    const std::uint32_t at = tree.switch_of_member[member];
    const std::uint64_t operation = what.listener->operation_of(what, member);
    for (std::uint32_t unit = 0; unit < slices_[number].units; ++unit) {
        send(tree.npus[member], node_of(tree, at), {number, unit, none, given}, at, false,
             operation);
    }
}

void PushReductions::send(NodeId from, NodeId to, const Arrival& arrival, std::uint32_t end,
                          bool wants_sent, std::uint64_t operation) {
    const Slice& slice = slices_[arrival.slice];
    const MessageOrder order{operation, (std::uint64_t{slice.what.number} << 32) |
                                            (std::uint64_t{arrival.unit & 0xffffU} << 16) |
                                            slice.what.part};
    transport_.send_in_turn(
        from, to, unit_bytes(slice, arrival.unit), *this,
        {arrival.slice, (arrival.at << from_shift) | arrival.what, end, arrival.unit}, wants_sent,
        slice.what.kind, order, pushed);
}

void PushReductions::on_sent(const MessageNote& note) {
    arrive({note[0], note[3], note[1] >> from_shift, left});
}

void PushReductions::on_delivered(const MessageNote& note, Bytes /*bytes*/,
                                  Time /*first_byte_left*/) {
    const auto what = static_cast<What>(note[1] & ((1U << from_shift) - 1));
    if (what != result) {
        arrive({note[0], note[3], note[2], what});
        return;
    }
    Slice& slice = slices_[note[0]];
    if (--slice.missing[note[2]] > 0) {
        return;
    }
    --slice.members_left;
    slice.what.listener->on_result(slice.what, note[2], slice.due);
    forget_if_done(note[0]);
}

void PushReductions::forget_if_done(std::uint32_t number) {
    const Slice& slice = slices_[number];
    if (slice.members_left == 0 && slice.entries_left == 0) {
        known_.erase({slice.what.collective, slice.what.part, slice.what.number});
        slices_.free(number);
    }
}

void PushReductions::arrive(const Arrival& arrival) {
    if (arrivals_.empty()) {
        queue_.request_turn(*this);
    }
    arrivals_.push_back(arrival);
}

bool PushReductions::is_before(const Arrival& a, const Arrival& b) const {
    const auto content = [&](const Arrival& arrival) {
        const Slice& slice = slices_[arrival.slice];
        return std::make_tuple(arrival.what, slice.operation, slice.what.number, arrival.unit,
                               slice.what.part, slice.what.tree->npus.front(), arrival.at);
    };
    return content(a) < content(b);
}

void PushReductions::handle(std::uint64_t payload) {
    if (payload > 0) {
        const auto timer = static_cast<std::uint32_t>(payload - 1);
        const Arrival ended = timers_[timer].arrival;
        timers_.free(timer);
        arrive(ended);
        return;
    }
    acting_.swap(arrivals_);
    std::sort(acting_.begin(), acting_.end(),
              [&](const Arrival& a, const Arrival& b) { return is_before(a, b); });
    for (const Arrival& arrival : acting_) {
        act(arrival);
    }
    acting_.clear();
}

void PushReductions::act(const Arrival& arrival) {
    switch (arrival.what) {
        case left:
            leave(arrival);
            break;
        case reduced:
            send_sum(arrival);
            break;
        case given:
            add(arrival);
            break;
        default:
            send_copies(arrival);
            break;
    }
}

void PushReductions::add(const Arrival& arrival) {
    Place& place = place_of(arrival);
    ++place.arrived;
    if (place.open) {
        complete(arrival);
        return;
    }
    const std::uint32_t of_switch = switch_of(arrival).place;
    if (place.arrived == 1) {
        entries_[of_switch].waiting.push_back(arrival);
    }
    admit(of_switch);
}

void PushReductions::admit(std::uint32_t of_switch) {
    Entries& entries = entries_[of_switch];
    const std::int32_t all = description_.reducing_switches[of_switch].entries;
    while (entries.used < all && !entries.waiting.empty()) {
        auto next = entries.waiting.begin();
        if (all - entries.used == 1) {
            next = std::find_if(entries.waiting.begin(), entries.waiting.end(),
                                [&](const Arrival& one) { return has_all(one); });
        }
        if (next == entries.waiting.end()) {
            return;
        }
        const Arrival opened = *next;
        entries.waiting.erase(next);
        ++entries.used;
        place_of(opened).open = true;
        complete(opened);
    }
}

void PushReductions::complete(const Arrival& arrival) {
    if (!has_all(arrival)) {
        return;
    }
    Arrival sum = arrival;
    sum.what = reduced;
    const std::uint32_t of_switch = switch_of(arrival).place;
    const Time ready = entries_[of_switch].adder.add(
        description_.reducing_switches[of_switch], unit_bytes(slices_[arrival.slice], arrival.unit),
        queue_.now());
    if (ready == queue_.now()) {
        send_sum(sum);
        return;
    }
    const std::uint32_t timer = timers_.take();
    timers_[timer].arrival = sum;
    queue_.schedule(ready, EventKey::of(Phase::Arrival, event_kind::delay, 2), *this,
                    std::uint64_t{timer} + 1);
}

void PushReductions::send_sum(const Arrival& arrival) {
    const topology::ReductionTree::Switch& one = switch_of(arrival);
    if (one.parent == topology::ReductionTree::none) {
        place_of(arrival).to_leave = static_cast<std::uint32_t>(one.children());
        send_copies(arrival);
        return;
    }
    place_of(arrival).to_leave = 1;
    const Slice& slice = slices_[arrival.slice];
    Arrival sum = arrival;
    sum.what = given;
    send(node_of(*slice.what.tree, arrival.at), node_of(*slice.what.tree, one.parent), sum,
         one.parent, true, slice.operation);
}

void PushReductions::send_copies(const Arrival& arrival) {
    const topology::ReductionTree& tree = *slices_[arrival.slice].what.tree;
    const topology::ReductionTree::Switch& one = tree.switches[arrival.at];
    const bool is_root = one.parent == topology::ReductionTree::none;
    const NodeId from = node_of(tree, arrival.at);
    Arrival copy = arrival;
    copy.what = copied;
    for (const std::uint32_t below : one.switches) {
        send(from, node_of(tree, below), copy, below, is_root, slices_[arrival.slice].operation);
    }
    copy.what = result;
    for (const std::uint32_t member : one.members) {
        const PushedSlice& slice = slices_[arrival.slice].what;
        send(from, tree.npus[member], copy, member, is_root,
             slice.listener->operation_of(slice, member));
    }
}

void PushReductions::leave(const Arrival& arrival) {
    Place& place = place_of(arrival);
    if (--place.to_leave > 0) {
        return;
    }
    const std::uint32_t of_switch = switch_of(arrival).place;
    --entries_[of_switch].used;
    --slices_[arrival.slice].entries_left;
    forget_if_done(arrival.slice);
    admit(of_switch);
}

}  // namespace npunet::engine
