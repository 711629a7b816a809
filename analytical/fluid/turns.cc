// When last packets leave: before the even streams do of which they are part.
//
// Shares of a link are the limit, for many packets, of turns. Of inputs that have sent equally much
// by then, the first of a round has sent its last packet before the others have begun theirs, where
// the streams end together. By how much a last packet leaves before its stream, its lead, is what
// the streams of the others have by then of packets that are sent later; in a queue, of packets
// that are complete later. Packets begin in the order in which their streams do, as in a round
// robin.

#include "analytical/fluid/turns.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

using engine::later;

void keep_fair_turns(std::vector<Turn>& turns) {
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
        return std::tie(a.traffic_class, b.share, a.key, a.place) <
               std::tie(b.traffic_class, a.share, b.key, b.place);
    });
    Share most = 0;
    std::uint32_t of = 0;
    std::erase_if(turns, [&](const Turn& turn) {
        if (most == 0 || turn.traffic_class != of) {
            most = turn.share;
            of = turn.traffic_class;
        }
        return most - turn.share > most >> Turn::same_bits;
    });
}

bool order_turns(std::vector<Turn>& turns, std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t i) { return turns.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(begin), at(end), [](const Turn& a, const Turn& b) {
        return std::tie(b.sent, b.size, a.key, a.place) < std::tie(a.sent, a.size, b.key, b.place);
    });
    bool tie = false;
    for (std::size_t first = begin; first < end;) {
        std::size_t next = first;
        const Work same = turns[first].same();
        while (next < end && turns[first].sent - turns[next].sent <= same) {
            ++next;
        }
        const auto order = [&](const Turn& turn) {
            return std::tuple(turn.served / std::max<Work>(same, 1), turn.major, turn.minor);
        };
        std::sort(at(first), at(next), [&](const Turn& a, const Turn& b) {
            return std::tuple(order(a), a.key, a.place) < std::tuple(order(b), b.key, b.place);
        });
        for (++first; first < next; ++first) {
            tie = tie || order(turns[first - 1]) == order(turns[first]);
        }
    }
    return tie;
}

void FluidNetwork::measure_turns(Port& port) {
    turns_.clear();
    for (const std::uint32_t q : port.active) {
        const InputQueue& queue = port.queues[q];
        port.ahead[q] = Time();
        port.last_begins[q] = Time::max();
        if (!queue.waiting()) {
            continue;
        }
        for (const InputQueue::Part& part : queue.first()) {
            Stage& stage = stages_[part.stage];
            if (queue.first_left() > work_of(stage.hop->last)) {
                stage.last_begins = Time::max();
            }
        }
        if (queue.rate() > 0) {
            add_turn(port, q);
        }
    }
    const bool waits = !turns_.empty();
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        port.ring_ahead[r] = Time();
        if (waits && port.rings[r].busy() && port.ring_shares[r] > 0) {
            add_ring_turn(port, r);
        }
    }
    if (turns_.size() < 2) {
        return;
    }
    keep_fair_turns(turns_);
    for (std::size_t begin = 0; begin < turns_.size();) {
        std::size_t end = begin;
        Share total = 0;
        Work sent = 0;
        while (end < turns_.size() && turns_[end].traffic_class == turns_[begin].traffic_class) {
            total += turns_[end].share;
            sent += turns_[end].sent;
            ++end;
        }
        if (end - begin > 1) {
            keep_fold_of_order(order_turns(turns_, begin, end));
            Work before = 0;
            for (std::size_t i = begin; i < end; ++i) {
                before += turns_[i].size;
                take_turn(port, turns_[i], done_at(Time(), before - sent, total));
            }
        }
        begin = end;
    }
}

void FluidNetwork::add_turn(const Port& port, std::uint32_t q) {
    const InputQueue& queue = port.queues[q];
    Turn turn;
    turn.key = port.keys[q];
    turn.place = q;
    turn.traffic_class = port.classes[q];
    turn.share = queue.rate();
    turn.served = queue.served();
    turn.major = turn.minor = ~std::uint64_t{0};
    std::size_t messages = 0;
    for (const InputQueue::Part& part : queue.first()) {
        if (part.share == 0) {
            continue;
        }
        const Stage& stage = stages_[part.stage];
        const engine::Message& message = flows_[stage.flow].message;
        std::tie(turn.major, turn.minor) =
            std::min(std::tuple(turn.major, turn.minor),
                     std::tuple(message.order_major, message.order_minor));
        turn.size = std::max(turn.size, work_of(packet_of(stage)));
        turn.stage = part.stage;
        ++messages;
    }
    if (messages == 0) {
        return;
    }
    if (messages > 1 || !stages_[turn.stage].ended || !queue.ends_with_first(turn.stage)) {
        turn.stage = none;
    }
    if (turn.stage == none) {
        turn.sent = queue.served_since_end() % turn.size;
    } else {
        const Work last = work_of(stages_[turn.stage].hop->last);
        const Work left = std::max<Work>(queue.first_left(), 0);
        if (left <= last + (last >> Turn::same_bits) ||
            done_at(queue_.now(), left - last, turn.share) <= queue_.now()) {
            turn.stage = none;
            turn.size = last;
            turn.sent = last - std::min(left, last);
        } else {
            turn.rest = left - last;
            turn.sent = turn.size - 1 - (turn.rest - 1) % turn.size;
        }
    }
    turns_.push_back(turn);
}

void FluidNetwork::add_ring_turn(const Port& port, std::size_t r) {
    const SourceRing& ring = port.rings[r];
    Turn& turn = turns_.emplace_back();
    turn.key = Turn::own_messages;
    turn.place = static_cast<std::uint32_t>(r);
    turn.traffic_class = class_of_buffer(ring.buffer());
    turn.share = port.ring_shares[r];
    turn.served = Work{1} << 126;  // behind the queues
    turn.minor = ring.buffer();
    if (ring.serving() && ring.ends()) {
        turn.size = work_of(stages_[ring.served()].hop->last);
        turn.sent = turn.size - std::min(ring.to_next(), turn.size);
    } else {
        turn.size = work_of(port.full);
        turn.sent = ring.serving() ? ring.sent() : 0;
    }
}

void FluidNetwork::take_turn(Port& port, const Turn& turn, Time packet) {
    const Time stream = done_at(Time(), turn.size - turn.sent, turn.share);
    const Time lead = stream - std::min(stream, packet);
    if (turn.key == Turn::own_messages) {
        // Where links go down, what has left its source early could not come back.
        port.ring_ahead[turn.place] = epochs_ == nullptr ? lead : Time();
    } else if (turn.stage == none) {
        port.ahead[turn.place] = lead;
    } else {
        // It is looked at again when its last packet is next: what the others have sent by then
        // counts.
        const Time begins = done_at(queue_.now(), turn.rest, turn.share);
        port.last_begins[turn.place] = begins;
        stages_[turn.stage].last_begins = begins - std::min(begins, lead);
    }
}

Time FluidNetwork::packet_of(const Stage& stage) const {
    return paths_[flows_[stage.flow].path].packets == 1 ? stage.hop->last : stage.hop->full;
}

void FluidNetwork::keep_fold_of_order(bool tie) const {
    if (fold_ != nullptr && tie) {
        throw FoldBroken();
    }
}

void FluidNetwork::measure_lead(std::uint32_t number, const InputQueue& queue,
                                const std::vector<std::uint32_t>& ends) {
    Stage& stage = stages_[number];
    stage.lead = 0;
    const auto order = [&](const Stage& its) {
        const engine::Message& message = flows_[its.flow].message;
        return std::tuple(message.order_major, message.order_minor);
    };
    const std::vector<InputQueue::Part>& parts = queue.arriving();
    Work missing = 0;
    Work beside = 0;  // a packet of each other message by the same input
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Stage& other = stages_[parts[i].stage];
        if (parts[i].stage == number) {
            missing = work_of(stage.hop->total - packet_of(stage)) - queue.came(i);
        } else if (other.input == stage.input) {
            beside += parts[i].share > 0 ? work_of(packet_of(other)) : 0;
        } else if (std::find(ends.begin(), ends.end(), parts[i].stage) != ends.end()) {
            keep_fold_of_order(order(stage) == order(other));
            if (std::tuple(order(stage), stage.input) < std::tuple(order(other), other.input)) {
                stage.lead += work_of(other.hop->last);
            }
        }
    }
    // By one input packets come one after the other, and streams a packet later: what else is
    // missing of this message has come in of the others.
    stage.lead += std::clamp<Work>(missing, 0, beside);
}

void FluidNetwork::order_wholes(const std::vector<std::uint32_t>& numbers) {
    const auto order = [&](std::uint32_t number) {
        const Stage& stage = stages_[number];
        const Flow& flow = flows_[stage.flow];
        return std::tuple(stage.ends.last - std::min(stage.ends.last, stage.hop->last),
                          flow.message.order_major, flow.message.order_minor, flow.packet);
    };
    for (const std::uint32_t number : numbers) {
        Stage& stage = stages_[number];
        stage.lead = 0;
        for (const std::uint32_t other : numbers) {
            keep_fold_of_order(other != number && order(number) == order(other));
            if (std::tuple(order(number), stage.input) <
                std::tuple(order(other), stages_[other].input)) {
                stage.lead += work_of(stages_[other].hop->total);
            }
        }
    }
}

Time FluidNetwork::lead_of(const Port& port, std::uint32_t q, std::uint32_t number) const {
    const Share rate = port.queues[q].rate();
    const Work lead = stages_[number].lead;
    return lead > 0 && rate > 0 ? later(port.ahead[q], done_at(Time(), lead, rate)) : port.ahead[q];
}

void FluidNetwork::share_last_hops(const Port& port, std::uint32_t q) {
    const InputQueue& queue = port.queues[q];
    const Time now = queue_.now();
    const Time next = queue.next(now);
    if (next == Time::max()) {
        return;
    }
    for (const InputQueue::Part& part : queue.first()) {
        Stage& stage = stages_[part.stage];
        const bool leaves = stage.ended && !stage.gone &&
                            next - std::min(next, lead_of(port, q, part.stage)) <= now;
        stage.shared = leaves ? shared_hops(part.stage) : 0;
    }
}

std::size_t FluidNetwork::shared_hops(std::uint32_t number) {
    const Stage& stage = stages_[number];
    const Port& port = ports_[stage.hop->link];
    std::size_t most = 0;
    if (stage.is_last || paths_[flows_[stage.flow].path].packets == 1) {
        return most;
    }
    for (const std::uint32_t q : port.active) {
        const InputQueue& queue = port.queues[q];
        if (!queue.waiting()) {
            continue;
        }
        for (const InputQueue::Part& part : queue.first()) {
            std::uint32_t here = number;
            std::uint32_t there = part.stage;
            if (part.share == 0 || stages_[there].flow == stage.flow ||
                paths_[flows_[stages_[there].flow].path].packets == 1) {
                continue;
            }
            std::size_t shared = 0;
            while (!stages_[here].is_last && !stages_[there].is_last &&
                   stages_[++here].hop->link == stages_[++there].hop->link) {
                ++shared;
            }
            if (fold_ != nullptr && shared > 0) {
                shared = shared_hops_of_fold(number, part.stage);
            }
            most = std::max(most, shared);
        }
    }
    return most;
}

std::size_t FluidNetwork::shared_hops_of_fold(std::uint32_t a, std::uint32_t b) {
    const auto place = [&](std::uint32_t number) {
        const Flow& flow = flows_[stages_[number].flow];
        const Path& path = paths_[flow.path];
        return LinkFold::Place{path.source, path.destination, path.plane,
                               number - flow.first_stage};
    };
    const std::pair key(place(a), place(b));
    const auto known = shared_hops_.find(key);
    if (known != shared_hops_.end()) {
        return known->second;
    }
    const std::optional<std::size_t> shared = fold_->shared_hops(key.first, key.second);
    if (!shared) {
        throw FoldBroken();
    }
    return shared_hops_[key] = *shared;
}

}  // namespace npunet::analytical
