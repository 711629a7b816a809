#include "plain_fluid.h"

#include <gmpxx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>

namespace npunet::test {

namespace {

using Fraction = mpq_class;
using topology::FlowControl;
using topology::Switching;

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

Fraction fraction(std::int64_t number) {
    return Fraction(mpz_class(static_cast<long>(number)));
}

/// To the nearest whole picosecond; halves up.
std::int64_t nearest(const Fraction& picoseconds) {
    const Fraction shifted = picoseconds + Fraction(1, 2);
    mpz_class whole;
    mpz_fdiv_q(whole.get_mpz_t(), shifted.get_num_mpz_t(), shifted.get_den_mpz_t());
    return whole.get_si();
}

/// A message at a link of its route.
struct PlainStage {
    std::size_t link = 0;
    std::size_t queue = 0;     ///< at the source: virtual channel
    std::size_t input = 0;     ///< by which it comes
    std::int64_t latency = 0;  ///< of the link
    std::int64_t header = 0;   ///< times of a header, a full packet and the last packet
    std::int64_t full = 0;
    std::int64_t last = 0;
    std::int64_t total = 0;  ///< of all packets
    std::int64_t shift = 0;  ///< from a rate here to that rate on the next link

    Fraction told;                     ///< rate on the next link that it has been told last
    Fraction share;                    ///< of the link, latest
    Fraction arrived;                  ///< time of the link that has come in
    std::int64_t through = never;      ///< when its last packet is, at the earliest
    std::int64_t before = 0;           ///< the same of the packet before it
    Fraction lead;                     ///< time of the link for what it does not wait for
    std::int64_t last_begins = never;  ///< all packets but the last one have left by turns
    /// What another message's packet before its last one is through, and on how many links yet.
    std::int64_t other = 0;
    std::size_t shared = 0;
    bool ended = false;  ///< all has come in
    bool gone = false;
};

struct PlainFlow {
    std::vector<PlainStage> stages;
    std::int64_t packets = 0;
    bool begun = false;
};

/// Messages that start at a node on one virtual channel: packets in turn.
struct PlainRing {
    std::vector<std::size_t> entries;  ///< messages with packets that have not started
    std::vector<std::int64_t> packets;
    std::size_t turn = 0;
    std::optional<std::size_t> served;  ///< whose packet is on the link
    bool ends = false;                  ///< its last one
    Fraction left;                      ///< time of the link for the packet
    Fraction share;
    std::int64_t due = never;
    std::int64_t end = never;  ///< of a message: its last packet leaves in its turn

    [[nodiscard]] bool busy() const { return served || !entries.empty(); }
};

using Mixture = std::map<std::size_t, Fraction>;  ///< rates by message

Fraction sum_of(const Mixture& mixture) {
    Fraction sum;
    for (const auto& [message, rate] : mixture) {
        sum += rate;
    }
    return sum;
}

/// What has come by one input, first in, first out.
struct PlainQueue {
    struct Part {
        Fraction left;
        Mixture mixture;
    };
    std::deque<Part> parts;
    Mixture arriving;
    Fraction share;
    Fraction served;                           ///< since it was idle
    Fraction at_end;                           ///< served when a message had left
    std::int64_t due = never;                  ///< the first part has left
    std::int64_t looks = never;                ///< when a last packet is next by the stream
    std::map<std::size_t, std::int64_t> ends;  ///< when messages leave with it, by themselves

    [[nodiscard]] bool waiting() const { return !parts.empty(); }
    /// Nothing of the message comes behind the first part.
    [[nodiscard]] bool ends_with_first(std::size_t message) const {
        const Mixture& behind = parts.size() > 1 ? parts[1].mixture : arriving;
        return behind.count(message) == 0;
    }
};

/// What an input of a link has on it, or next.
struct PlainTurn {
    PlainQueue* queue = nullptr;
    PlainRing* ring = nullptr;  ///< messages that start at the node
    std::size_t key = std::numeric_limits<std::size_t>::max();
    Fraction share;
    Fraction size;
    Fraction sent;
    Fraction served = 1'000'000'000'000;
    PlainStage* ends = nullptr;  ///< whose last packet is not next
    Fraction rest;               ///< of it, before its last packet
};

/// Packets are at the same place up to a 256th of one.
Fraction same_place(const Fraction& packet) {
    return packet / 256;
}

/// What is left of the last packet that has begun, where all take `packet`.
Fraction remainder(const Fraction& work, const Fraction& packet) {
    const Fraction count = work / packet;
    mpz_class whole;
    mpz_fdiv_q(whole.get_mpz_t(), count.get_num_mpz_t(), count.get_den_mpz_t());
    return work - packet * Fraction(whole);
}

struct PlainLink {
    std::map<std::size_t, PlainRing> rings;    ///< by virtual channel
    std::map<std::size_t, PlainQueue> queues;  ///< by input
};

struct Pending {
    enum Kind { Rate, Arrival, Close, Issue };
    Kind kind;
    std::size_t message;
    std::size_t hop;
    Fraction rate;
};

class PlainFluid {
public:
    PlainFluid(const packet_test::Plan& plan, const topology::NetworkDescription& description)
        : plan_(plan), description_(description), links_(description.graph.links()) {
        for (std::size_t i = 0; i < plan.size(); ++i) {
            flows_.push_back(flow_of(plan[i]));
            if (plan[i].after < 0) {
                add(plan[i].start.ps(), {Pending::Issue, i, 0, {}});
            }
        }
        delivered_.resize(plan.size(), Time::ps(-1));
    }

    std::vector<Time> run() {
        while (true) {
            std::int64_t next = pending_.empty() ? never : pending_.begin()->first;
            for (const PlainLink& link : links_) {
                for (const auto& [channel, ring] : link.rings) {
                    next = std::min({next, ring.due, ring.end});
                }
                for (const auto& [input, queue] : link.queues) {
                    next = std::min({next, queue.due, queue.looks});
                    for (const auto& [message, time] : queue.ends) {
                        next = std::min(next, time);
                    }
                }
            }
            if (next == never) {
                return delivered_;
            }
            advance(next);
            happen();
            for (std::size_t link = 0; link < links_.size(); ++link) {
                share_out(links_[link]);
            }
        }
    }

private:
    void add(std::int64_t at, const Pending& what) { pending_.emplace(at, what); }

    [[nodiscard]] PlainFlow flow_of(const packet_test::PlannedMessage& message) const {
        const topology::PacketParameters& packet = description_.packet;
        PlainFlow flow;
        flow.packets = std::max<std::int64_t>(
            1, (message.bytes.value() + packet.mtu.value() - 1) / packet.mtu.value());
        const Bytes last = message.bytes - (flow.packets - 1) * packet.mtu + packet.header;
        const Bytes full = flow.packets > 1 ? packet.mtu + packet.header : last;
        const std::vector<topology::Hop> hops =
            description_.route(message.source, message.destination);
        for (std::size_t h = 0; h < hops.size(); ++h) {
            const topology::Link& link = description_.graph.link(hops[h].link);
            PlainStage stage;
            stage.link = hops[h].link.index();
            if (h == 0) {
                stage.queue = hops[h].virtual_channel;
            } else if (packet.flow_control == FlowControl::Credit) {
                stage.queue = hops[h - 1].link.index() * 256 + hops[h - 1].virtual_channel;
            }
            if (h > 0) {
                stage.input = hops[h - 1].link.index() * 256 + hops[h - 1].virtual_channel;
            }
            stage.latency = link.latency.ps();
            const auto time = [&](Bytes bytes) {
                return transfer_time(std::max(bytes, Bytes(1)), link.rate).ps();
            };
            stage.full = time(full);
            stage.last = time(last);
            stage.header = std::min(time(packet.header), stage.full);
            stage.total = (flow.packets - 1) * stage.full + stage.last;
            flow.stages.push_back(stage);
        }
        for (std::size_t h = 0; h + 1 < hops.size(); ++h) {
            // At full rate, the first packet is through the next link when it is on an idle
            // network.
            PlainStage& here = flow.stages[h];
            const PlainStage& next = flow.stages[h + 1];
            const std::int64_t idle = ready(here, here.full, here.full, next.full) + next.full;
            here.shift = idle - std::max(here.full, next.full);
        }
        return flow;
    }

    /// When a packet whose last byte leaves a link at `end` can start on the next one.
    [[nodiscard]] std::int64_t ready(const PlainStage& here, std::int64_t end, std::int64_t time,
                                     std::int64_t time_next) const {
        if (description_.packet.switching == Switching::StoreAndForward) {
            return end + here.latency;
        }
        return here.latency + std::max(end - time + std::min(here.header, time), end - time_next);
    }

    void advance(std::int64_t to) {
        const Fraction span = fraction(to - now_);
        now_ = to;
        if (span == 0) {
            return;
        }
        for (PlainLink& link : links_) {
            for (auto& [channel, ring] : link.rings) {
                ring.left -= ring.share * span;
            }
            for (auto& [input, queue] : link.queues) {
                for (const auto& [message, rate] : queue.arriving) {
                    at(message, link).arrived += rate * span;
                }
                if (queue.waiting()) {
                    queue.served += queue.share * span;
                    queue.parts.front().left -= queue.share * span;
                    queue.parts.back().left += sum_of(queue.arriving) * span;
                } else {
                    queue.served += sum_of(queue.arriving) * span;
                }
            }
        }
    }

    /// The message on that link.
    PlainStage& at(std::size_t message, const PlainLink& link) {
        const auto number = static_cast<std::size_t>(&link - links_.data());
        return *std::find_if(flows_[message].stages.begin(), flows_[message].stages.end(),
                             [&](const PlainStage& stage) { return stage.link == number; });
    }

    std::size_t hop_at(std::size_t message, const PlainLink& link) {
        return static_cast<std::size_t>(&at(message, link) - flows_[message].stages.data());
    }

    PlainQueue& queue_of(const PlainStage& stage) { return links_[stage.link].queues[stage.queue]; }

    /// Behind what waits, another mixture begins.
    static void begin_part(PlainQueue& queue) {
        if (queue.waiting() && queue.parts.back().mixture != queue.arriving) {
            queue.parts.push_back({0, queue.arriving});
        }
    }

    /// All that happens now, in the order of the kinds.
    void happen() {
        std::vector<Pending> now;
        while (!pending_.empty() && pending_.begin()->first == now_) {
            now.push_back(pending_.begin()->second);
            pending_.erase(pending_.begin());
        }
        std::stable_sort(now.begin(), now.end(), [](const Pending& a, const Pending& b) {
            return std::pair(a.kind, a.message) < std::pair(b.kind, b.message);
        });
        std::vector<const PlainStage*> last_packets;
        for (const Pending& what : now) {
            const PlainStage& stage = flows_[what.message].stages[what.hop];
            if (what.kind == Pending::Arrival && !stage.ended && !stage.gone) {
                last_packets.push_back(&stage);
            }
        }
        for (const Pending& what : now) {
            if (what.kind == Pending::Arrival) {
                measure_lead(what.message, what.hop, last_packets);
            }
        }
        for (const Pending& what : now) {
            if (what.kind == Pending::Rate) {
                set_rate(what);
            } else if (what.kind == Pending::Arrival) {
                end_arrival(what.message, what.hop, false);
            } else if (what.kind == Pending::Close) {
                end_arrival(what.message, what.hop, true);
            }
        }
        for (PlainLink& link : links_) {
            for (auto& [input, queue] : link.queues) {
                begin_part(queue);
                const std::map<std::size_t, std::int64_t> ends = queue.ends;
                for (const auto& [message, time] : ends) {
                    if (time == now_) {
                        leave(message, hop_at(message, link));
                    }
                }
                while (queue.due == now_) {
                    pop(link, queue);
                }
            }
            for (auto& [channel, ring] : link.rings) {
                if (ring.end == now_) {
                    leave(*ring.served, 0);
                }
                if (ring.due == now_) {
                    end_packet(ring);
                }
            }
        }
        for (const Pending& what : now) {
            if (what.kind == Pending::Issue) {
                const PlainStage& first = flows_[what.message].stages.front();
                PlainRing& ring = links_[first.link].rings[first.queue];
                ring.entries.push_back(what.message);
                ring.packets.push_back(flows_[what.message].packets);
            }
        }
    }

    void set_rate(const Pending& what) {
        PlainStage& stage = flows_[what.message].stages[what.hop];
        if (stage.ended || stage.gone) {
            return;
        }
        PlainQueue& queue = queue_of(stage);
        if (queue.arriving.empty() && !queue.waiting()) {
            queue.served = queue.at_end = 0;
        }
        queue.arriving[what.message] = what.rate;
    }

    /// The last packet waits only for those of other messages that are before it; `ends`: those of
    /// which the last one arrives now, too.
    void measure_lead(std::size_t message, std::size_t hop,
                      const std::vector<const PlainStage*>& ends) {
        PlainStage& stage = flows_[message].stages[hop];
        if (stage.ended || stage.gone) {
            return;
        }
        stage.lead = 0;
        const PlainQueue& queue = queue_of(stage);
        Fraction beside;
        for (const auto& [other, rate] : queue.arriving) {
            const PlainStage& its = at(other, links_[stage.link]);
            if (other == message) {
                continue;
            }
            if (its.input == stage.input) {
                beside += rate > 0 ? fraction(its.full) : Fraction(0);
            } else if (std::find(ends.begin(), ends.end(), &its) != ends.end() &&
                       stage.input < its.input) {
                stage.lead += fraction(its.last);
            }
        }
        // What is missing, but for the packet by which streams are late, has come of those beside.
        const Fraction missing = fraction(stage.total - stage.full) - stage.arrived;
        if (queue.arriving.count(message) > 0 && missing > 0) {
            stage.lead += std::min(missing, beside);
        }
    }

    /// The last packet has arrived; or, `passes`, it would be through if nothing waits.
    void end_arrival(std::size_t message, std::size_t hop, bool passes) {
        PlainStage& stage = flows_[message].stages[hop];
        if (stage.gone) {
            return;
        }
        PlainQueue& queue = queue_of(stage);
        if (!stage.ended) {
            const auto holds = [&](const PlainQueue::Part& part) {
                return part.mixture.count(message) > 0;
            };
            auto last = std::find_if(queue.parts.rbegin(), queue.parts.rend(), holds);
            if (last == queue.parts.rend()) {
                begin_part(queue);  // it has joined in this instant
                last = std::find_if(queue.parts.rbegin(), queue.parts.rend(), holds);
            }
            const bool waits = last != queue.parts.rend();
            if (waits || passes) {
                queue.arriving.erase(message);
                stage.ended = true;
                queue.at_end = waits ? queue.at_end : queue.served;
            }
            if (waits) {
                // What has not come in by now does so with the last packet.
                last->left += fraction(stage.total) - stage.arrived;
                last->left = last->left < 0 ? Fraction(0) : last->left;
                return;
            }
        }
        if (passes) {
            leave(message, hop);
        } else {
            add(stage.through, {Pending::Close, message, hop, {}});
        }
    }

    void pop(PlainLink& link, PlainQueue& queue) {
        const Mixture gone = queue.parts.front().mixture;
        for (const auto& [message, rate] : gone) {
            if (queue.ends_with_first(message)) {
                queue.at_end = queue.served;
            }
        }
        queue.parts.pop_front();
        const Mixture& behind = queue.waiting() ? queue.parts.front().mixture : queue.arriving;
        for (const auto& [message, rate] : gone) {
            PlainStage& stage = at(message, link);
            if (behind.count(message) == 0 && stage.ended && !stage.gone) {
                const std::size_t hop = hop_at(message, link);
                if (now_ < stage.through) {
                    add(stage.through, {Pending::Close, message, hop, {}});
                } else {
                    leave(message, hop);
                }
            }
        }
        queue.due = never;
        if (queue.waiting() && queue.parts.front().left <= 0) {
            if (queue.parts.size() > 1 || queue.share >= sum_of(queue.arriving)) {
                queue.due = now_;
            }
        }
    }

    void end_packet(PlainRing& ring) {
        ring.served.reset();
        ring.ends = false;
        ring.due = ring.end = never;
    }

    /// The last packet has left a link.
    void leave(std::size_t message, std::size_t hop) {
        PlainFlow& flow = flows_[message];
        PlainStage& here = flow.stages[hop];
        here.gone = true;
        if (hop + 1 == flow.stages.size()) {
            delivered_[message] = Time::ps(now_ + here.latency);
            for (std::size_t i = 0; i < plan_.size(); ++i) {
                if (plan_[i].after == static_cast<int>(message)) {
                    add(now_ + here.latency, {Pending::Issue, i, 0, {}});
                }
            }
            return;
        }
        PlainStage& next = flow.stages[hop + 1];
        // As on an idle network, the packet before it included.
        std::int64_t before = 0;
        if (flow.packets > 1) {
            const Fraction share = hop > 0 && here.share > 0 ? here.share : Fraction(1);
            const std::int64_t took = nearest(fraction(here.last) / share);
            std::int64_t left = std::min(now_ - took, here.last_begins);
            left = here.before > now_ ? left : std::max(left, here.before);
            next.before = before = ready(here, left, here.full, next.full) + next.full;
        }
        share_hops(message, hop);
        if (here.shared > 0) {
            next.other = ready(here, here.other, here.full, next.full) + next.full;
            next.shared = here.shared - 1;
            before = std::max(before, next.other);
        }
        next.through = std::max(before, ready(here, now_, here.last, next.last)) + next.last;
        add(now_ + here.latency, {Pending::Arrival, message, hop + 1, {}});
    }

    /// On how many more links a packet of another message is before the last one of this one.
    void share_hops(std::size_t message, std::size_t hop) {
        PlainStage& here = flows_[message].stages[hop];
        std::size_t most = 0;
        bool waits = false;
        for (const auto& [input, queue] : links_[here.link].queues) {
            waits = waits || queue.waiting();
            if (hop == 0 || !queue.waiting()) {
                continue;
            }
            for (const auto& [other, rate] : queue.parts.front().mixture) {
                std::size_t shared = 0;
                const std::vector<PlainStage>& ours = flows_[message].stages;
                const std::vector<PlainStage>& its = flows_[other].stages;
                const std::size_t there = hop_at(other, links_[here.link]);
                while (other != message && rate > 0 && hop + shared + 1 < ours.size() &&
                       there + shared + 1 < its.size() &&
                       ours[hop + shared + 1].link == its[there + shared + 1].link) {
                    ++shared;
                }
                most = std::max(most, shared);
            }
        }
        if (waits) {
            here.shared = most;
            here.other = now_ - here.last;
        }
    }

    void share_out(PlainLink& link) {
        for (auto& [channel, ring] : link.rings) {
            if (!ring.served && !ring.entries.empty()) {
                start_packet(ring);
            }
        }
        std::vector<std::optional<Fraction>> demands;  // without a value: all that there is
        for (const auto& [input, queue] : link.queues) {
            demands.push_back(queue.waiting() ? std::nullopt
                                              : std::optional(sum_of(queue.arriving)));
        }
        for (const auto& [channel, ring] : link.rings) {
            demands.push_back(ring.busy() ? std::nullopt : std::optional(Fraction(0)));
        }
        const std::vector<Fraction> shares = max_min(demands);
        std::size_t place = 0;
        for (auto& [input, queue] : link.queues) {
            serve(link, queue, shares[place++]);
        }
        for (auto& [channel, ring] : link.rings) {
            ring.share = shares[place++];
            ring.due = ring.served
                           ? now_ + std::max<std::int64_t>(nearest(ring.left / ring.share), 0)
                           : never;
            if (ring.busy()) {
                tell_of(ring);
            }
        }
        end_in_turn(link);
    }

    /// Each message gets an even part, until its last packet has left; one that has only its last
    /// packet to send keeps its rate.
    void tell_of(const PlainRing& ring) {
        const std::size_t messages = ring.entries.size() + (ring.ends ? 1 : 0);
        const Fraction even = ring.share / fraction(static_cast<std::int64_t>(messages));
        for (std::size_t i = 0; i < ring.entries.size(); ++i) {
            const PlainFlow& flow = flows_[ring.entries[i]];
            if (flow.begun && (ring.packets[i] > 1 || flow.stages[0].told == 0)) {
                tell(ring.entries[i], 0, even);
            }
        }
        if (ring.ends && flows_[*ring.served].stages[0].told == 0) {
            tell(*ring.served, 0, even);
        }
    }

    /// Inputs that wait send a packet each in turn: what is first in a round leaves before the
    /// stream does of which it is part.
    void end_in_turn(PlainLink& link) {
        std::vector<PlainTurn> turns = turns_of(link);
        Fraction total;
        Fraction sent;
        for (const PlainTurn& turn : turns) {
            total += turn.share;
            sent += turn.sent;
        }
        for (auto& [input, queue] : link.queues) {
            queue.ends.clear();
            queue.looks = never;
            if (turns.size() < 2) {
                leave_with_first(link, queue, 0);
            }
        }
        Fraction before;
        for (PlainTurn& turn : turns) {
            before += turn.size;
            const std::int64_t stream = nearest((turn.size - turn.sent) / turn.share);
            const std::int64_t packet = std::max<std::int64_t>(nearest((before - sent) / total), 0);
            const std::int64_t ahead = turns.size() < 2 ? 0 : stream - std::min(stream, packet);
            if (turn.ring != nullptr) {
                const bool leaves = turn.ring->ends && !flows_[*turn.ring->served].stages[0].gone;
                turn.ring->end = leaves ? std::max(now_, turn.ring->due - ahead) : never;
            }
            if (turn.queue == nullptr || turns.size() < 2) {
                continue;
            }
            if (turn.ends != nullptr) {
                turn.queue->looks = now_ + nearest(turn.rest / turn.share);
                turn.ends->last_begins = turn.queue->looks - ahead;
            }
            leave_with_first(link, *turn.queue, turn.ends != nullptr ? 0 : ahead);
        }
    }

    /// Those that wait for the link, in the order of their turns.
    std::vector<PlainTurn> turns_of(PlainLink& link) {
        std::vector<PlainTurn> turns;
        for (auto& [input, queue] : link.queues) {
            if (queue.waiting() && queue.share > 0) {
                turns.push_back(turn_of(link, input, queue));
            }
        }
        for (auto& [channel, ring] : link.rings) {
            if (ring.busy()) {
                PlainTurn turn;
                turn.ring = &ring;
                turn.share = ring.share;
                turn.size = ring.ends ? fraction(flows_[*ring.served].stages[0].last)
                                      : fraction(packet_time(link));
                if (ring.served) {
                    turn.sent = std::max(Fraction(0), Fraction(turn.size - ring.left));
                }
                turns.push_back(turn);
            }
        }
        std::stable_sort(turns.begin(), turns.end(),
                         [](const PlainTurn& a, const PlainTurn& b) { return a.sent > b.sent; });
        for (std::size_t begin = 0, end = 0; begin < turns.size(); begin = end) {
            const Fraction same = same_place(turns[begin].size);
            while (end < turns.size() && turns[begin].sent - turns[end].sent <= same) {
                turns[end].served = (turns[end].served - remainder(turns[end].served, same)) / same;
                ++end;
            }
            std::stable_sort(turns.begin() + static_cast<std::ptrdiff_t>(begin),
                             turns.begin() + static_cast<std::ptrdiff_t>(end),
                             [](const PlainTurn& a, const PlainTurn& b) {
                                 return a.served < b.served ||
                                        (a.served == b.served && a.key < b.key);
                             });
        }
        return turns;
    }

    PlainTurn turn_of(PlainLink& link, std::size_t key, PlainQueue& queue) {
        PlainTurn turn;
        turn.queue = &queue;
        turn.key = key;
        turn.share = queue.share;
        turn.served = queue.served;
        const PlainQueue::Part& first = queue.parts.front();
        std::size_t messages = 0;
        for (const auto& [message, rate] : first.mixture) {
            if (rate > 0) {
                PlainStage& stage = at(message, link);
                turn.size = std::max(turn.size, fraction(stage.full));
                turn.ends = ++messages == 1 && stage.ended && queue.ends_with_first(message)
                                ? &stage
                                : nullptr;
            }
        }
        if (turn.ends == nullptr) {
            turn.sent = remainder(queue.served - queue.at_end, turn.size);
            return turn;
        }
        const Fraction last = fraction(turn.ends->last);
        if (first.left <= last + same_place(last)) {
            turn.size = last;
            turn.sent = last - std::max(Fraction(0), std::min(first.left, last));
            turn.ends = nullptr;
        } else {
            turn.rest = first.left - last;
            const Fraction part = remainder(turn.rest, turn.size);
            turn.sent = part == 0 ? Fraction(0) : Fraction(turn.size - part);
        }
        return turn;
    }

    void leave_with_first(PlainLink& link, PlainQueue& queue, std::int64_t ahead) {
        if (queue.due == never) {
            return;
        }
        for (const auto& [message, rate] : queue.parts.front().mixture) {
            const PlainStage& stage = at(message, link);
            if (queue.ends_with_first(message) && stage.ended && !stage.gone &&
                stage.through <= queue.due) {
                const std::int64_t lead = ahead + nearest(stage.lead / queue.share);
                const std::int64_t early = std::max(stage.through, queue.due - lead);
                queue.ends[message] = std::max(now_, std::min(queue.due, early));
            }
        }
    }

    [[nodiscard]] std::int64_t packet_time(const PlainLink& link) const {
        const auto number = static_cast<std::size_t>(&link - links_.data());
        return transfer_time(
                   std::max(description_.packet.mtu + description_.packet.header, Bytes(1)),
                   description_.graph.link(LinkId(number)).rate)
            .ps();
    }

    /// Nothing more than wanted, and the same for all that get less than they want.
    static std::vector<Fraction> max_min(const std::vector<std::optional<Fraction>>& demands) {
        std::vector<std::optional<Fraction>> shares(demands.size());
        Fraction left = 1;
        for (std::size_t open = demands.size(); open > 0;) {
            const Fraction even = left / fraction(static_cast<std::int64_t>(open));
            bool satisfied = false;
            for (std::size_t i = 0; i < demands.size(); ++i) {
                if (!shares[i] && demands[i] && *demands[i] <= even) {
                    shares[i] = *demands[i];
                    left -= *demands[i];
                    --open;
                    satisfied = true;
                }
            }
            if (!satisfied) {
                for (std::optional<Fraction>& share : shares) {
                    share = share ? *share : even;
                }
                break;
            }
        }
        std::vector<Fraction> result;
        for (const std::optional<Fraction>& share : shares) {
            result.push_back(*share);
        }
        return result;
    }

    void start_packet(PlainRing& ring) {
        ring.turn = ring.turn >= ring.entries.size() ? 0 : ring.turn;
        const std::size_t message = ring.entries[ring.turn];
        PlainFlow& flow = flows_[message];
        flow.begun = true;
        ring.served = message;
        ring.ends = --ring.packets[ring.turn] == 0;
        ring.left = fraction(ring.ends ? flow.stages[0].last : flow.stages[0].full);
        if (ring.ends) {
            ring.entries.erase(ring.entries.begin() + static_cast<std::ptrdiff_t>(ring.turn));
            ring.packets.erase(ring.packets.begin() + static_cast<std::ptrdiff_t>(ring.turn));
        } else {
            ++ring.turn;
        }
    }

    void serve(PlainLink& link, PlainQueue& queue, const Fraction& share) {
        const Fraction in = sum_of(queue.arriving);
        queue.share = share;
        if (!queue.waiting() && share < in) {
            queue.parts.push_back({0, queue.arriving});
        }
        const bool waiting = queue.waiting();
        const Mixture leaving = waiting ? queue.parts.front().mixture : queue.arriving;
        const Fraction sum = waiting ? sum_of(leaving) : Fraction(1);
        for (const auto& [message, rate] : leaving) {
            PlainStage& stage = at(message, link);
            stage.share = waiting ? Fraction(rate * share / sum) : rate;
            if (!stage.gone) {
                tell(message, hop_at(message, link), stage.share);
            }
        }
        queue.due = never;
        if (waiting) {
            const Fraction drains = queue.parts.size() > 1 ? share : Fraction(share - in);
            if (drains > 0) {
                queue.due =
                    now_ + std::max<std::int64_t>(nearest(queue.parts.front().left / drains), 0);
            }
        }
    }

    /// The next link learns of a share of this one, unless it knows it.
    void tell(std::size_t message, std::size_t hop, const Fraction& share) {
        PlainStage& stage = flows_[message].stages[hop];
        if (hop + 1 == flows_[message].stages.size()) {
            return;
        }
        const PlainStage& next = flows_[message].stages[hop + 1];
        const Fraction rate = share * fraction(next.total) / fraction(stage.total);
        if (rate != stage.told) {
            stage.told = rate;
            add(now_ + stage.shift, {Pending::Rate, message, hop + 1, rate});
        }
    }

    const packet_test::Plan& plan_;
    const topology::NetworkDescription& description_;
    std::vector<PlainFlow> flows_;
    std::vector<PlainLink> links_;
    std::multimap<std::int64_t, Pending> pending_;
    std::int64_t now_ = 0;
    std::vector<Time> delivered_;
};

}  // namespace

std::vector<Time> run_plain_fluid(const packet_test::Plan& plan,
                                  const topology::NetworkDescription& description) {
    return PlainFluid(plan, description).run();
}

}  // namespace npunet::test
