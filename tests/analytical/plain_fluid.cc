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
    std::int64_t latency = 0;  ///< of the link
    std::int64_t header = 0;   ///< times of a header, a full packet and the last packet
    std::int64_t full = 0;
    std::int64_t last = 0;
    std::int64_t total = 0;  ///< of all packets
    std::int64_t shift = 0;  ///< from a rate here to that rate on the next link

    Fraction told;                 ///< rate on the next link that it has been told last
    Fraction share;                ///< of the link, latest
    Fraction arrived;              ///< time of the link that has come in
    std::int64_t through = never;  ///< when its last packet is, at the earliest
    std::int64_t before = 0;       ///< the same of the packet before it
    bool ended = false;            ///< all has come in
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
    std::int64_t due = never;                  ///< the first part has left
    std::map<std::size_t, std::int64_t> ends;  ///< when messages leave with it, by themselves

    [[nodiscard]] bool waiting() const { return !parts.empty(); }
};

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
                    next = std::min(next, ring.due);
                }
                for (const auto& [input, queue] : link.queues) {
                    next = std::min(next, queue.due);
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
                    queue.parts.front().left -= queue.share * span;
                    queue.parts.back().left += sum_of(queue.arriving) * span;
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
        queue.arriving[what.message] = what.rate;
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
        if (ring.ends) {
            leave(*ring.served, 0);
        }
        ring.served.reset();
        ring.ends = false;
        ring.due = never;
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
            const std::int64_t left =
                here.before > now_ ? now_ - took : std::max(now_ - took, here.before);
            next.before = before = ready(here, left, here.full, next.full) + next.full;
        }
        next.through = std::max(before, ready(here, now_, here.last, next.last)) + next.last;
        add(now_ + here.latency, {Pending::Arrival, message, hop + 1, {}});
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
        end_in_turn(link);
        for (auto& [channel, ring] : link.rings) {
            ring.share = shares[place++];
            ring.due = ring.served
                           ? now_ + std::max<std::int64_t>(nearest(ring.left / ring.share), 0)
                           : never;
            if (ring.busy()) {
                tell_of(ring);
            }
        }
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

    /// In the last round of a message that queues, its last packet leaves in the turn of its queue:
    /// before what starts at the node.
    void end_in_turn(PlainLink& link) {
        std::int64_t queues = 0;
        std::int64_t round = 0;
        for (const auto& [input, queue] : link.queues) {
            queues += queue.waiting() ? 1 : 0;
        }
        for (const auto& [channel, ring] : link.rings) {
            round += ring.busy() ? 1 : 0;
        }
        round += queues;
        const std::int64_t packet = packet_time(link);
        for (auto& [input, queue] : link.queues) {
            queue.ends.clear();
            if (queue.due == never) {
                continue;
            }
            std::int64_t ahead = 0;
            if (queue.share < 1 && queues < round) {
                ahead = (nearest(fraction(packet) / queue.share) - packet) / (round - 1) *
                        (round - queues);
            }
            const Mixture& behind =
                queue.parts.size() > 1 ? queue.parts[1].mixture : queue.arriving;
            for (const auto& [message, rate] : queue.parts.front().mixture) {
                const PlainStage& stage = at(message, link);
                if (behind.count(message) == 0 && stage.ended && !stage.gone &&
                    stage.through <= queue.due) {
                    const std::int64_t early = std::max(stage.through, queue.due - ahead);
                    queue.ends[message] = std::max(now_, std::min(queue.due, early));
                }
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
