#include "bottleneck.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <queue>
#include <tuple>

namespace npunet::packet_test {

namespace {

using packet::Acknowledgement;
using packet::CongestionControl;
using packet::HopTelemetry;

constexpr std::int64_t us = 1'000'000;
constexpr std::int64_t ms = 1000 * us;

enum class EventKind { Depart, Arrive, Acknowledge, Notify, Send };

struct Packet {
    int flow = 0;
    std::int64_t sent_at = 0;
    std::uint64_t number = 0;
    bool marked = false;
    HopTelemetry seen;
};

struct Event {
    std::int64_t time = 0;
    EventKind kind = EventKind::Send;
    Packet packet;
    [[nodiscard]] auto key() const {
        return std::make_tuple(time, kind, packet.flow, packet.number);
    }
    bool operator>(const Event& other) const { return key() > other.key(); }
};

struct Sender {
    std::unique_ptr<CongestionControl> control;
    std::int64_t next_start = 0;
    std::int64_t in_flight = 0;
    std::uint64_t next = 0;
    std::int64_t notified = -1;  ///< by the receiver, last
    bool waiting = false;        ///< for an acknowledgement
};

class Run {
public:
    Run(const Bottleneck& setup, const topology::CongestionControlChoice& choice)
        : setup_(setup), interval_(topology::needs_of(choice).notification_interval) {
        for (int flow = 0; flow < setup.flows; ++flow) {
            Sender sender;
            sender.control = packet::make_congestion_control(choice, setup.path());
            senders_.push_back(std::move(sender));
            events_.push({flow * setup.stagger, EventKind::Send, {flow, 0, 0, false, {}}});
        }
        delivered_.resize(senders_.size());
    }

    Sharing until(std::int64_t end, std::int64_t from) {
        for (; events_.top().time < end; events_.pop()) {
            const Event event = events_.top();
            counts_ = event.time >= from;
            handle(event);
        }
        Sharing result;
        const double capacity =
            static_cast<double>(setup_.rate) * static_cast<double>(end - from) / 1e12;
        for (const std::int64_t bytes : delivered_) {
            result.rates.push_back(static_cast<double>(bytes) / capacity);
        }
        result.utilisation = std::accumulate(result.rates.begin(), result.rates.end(), 0.0);
        result.most_queue = static_cast<double>(most_queue_);
        return result;
    }

private:
    [[nodiscard]] std::int64_t time_of(std::int64_t rate) const {
        return static_cast<std::int64_t>(static_cast<double>(setup_.packet) * 1e12 /
                                         static_cast<double>(rate));
    }

    [[nodiscard]] std::int64_t waiting_bytes() const {
        return static_cast<std::int64_t>(queue_.size()) * setup_.packet;
    }

    void handle(const Event& event) {
        switch (event.kind) {
            case EventKind::Send:
                senders_[index(event)].waiting = true;
                send(event.packet.flow, event.time);
                break;
            case EventKind::Arrive:
                arrive(event);
                break;
            case EventKind::Depart:
                depart(event.time);
                break;
            case EventKind::Acknowledge:
                acknowledge(event);
                break;
            case EventKind::Notify:
                senders_[index(event)].control->notified(event.time);
                break;
        }
    }

    static std::size_t index(const Event& event) {
        return static_cast<std::size_t>(event.packet.flow);
    }

    void send(int flow, std::int64_t now) {
        Sender& sender = senders_[static_cast<std::size_t>(flow)];
        if (!sender.waiting || now < sender.next_start || waiting_bytes() > setup_.room ||
            (sender.in_flight > 0 && sender.in_flight + setup_.packet > sender.control->window())) {
            return;
        }
        sender.waiting = false;
        sender.control->packet_sent(now, setup_.packet);
        sender.in_flight += setup_.packet;
        events_.push({now + time_of(setup_.link) + setup_.delay,
                      EventKind::Arrive,
                      {flow, now, sender.next++, false, {}}});
        sender.next_start = now + time_of(std::min(setup_.link, sender.control->rate(now)));
        events_.push({sender.next_start, EventKind::Send, {flow, 0, sender.next, false, {}}});
    }

    void arrive(const Event& event) {
        const std::int64_t waiting = waiting_bytes();
        queue_.push_back(event.packet);
        queue_.back().marked = is_marked(waiting, event.packet);
        most_queue_ = counts_ ? std::max(most_queue_, waiting) : 0;
        if (queue_.size() == 1) {
            events_.push({event.time + time_of(setup_.rate), EventKind::Depart, event.packet});
        }
    }

    /// Drawn from what the packet is.
    [[nodiscard]] bool is_marked(std::int64_t waiting, const Packet& packet) const {
        if (waiting < setup_.mark_from) {
            return false;
        }
        if (waiting >= setup_.mark_all) {
            return true;
        }
        std::uint64_t mix = (packet.number + 1) * 0x9e3779b97f4a7c15U +
                            static_cast<std::uint64_t>(packet.flow) * 0xbf58476d1ce4e5b9U;
        mix = (mix ^ (mix >> 31)) * 0x94d049bb133111ebU;
        const double drawn = static_cast<double>(mix >> 11) / 9007199254740992.0;
        return drawn < setup_.mark_most * static_cast<double>(waiting - setup_.mark_from) /
                           static_cast<double>(setup_.mark_all - setup_.mark_from);
    }

    void depart(std::int64_t now) {
        Packet packet = queue_.front();
        queue_.pop_front();
        sent_ += setup_.packet;
        packet.seen = {now, sent_, waiting_bytes(), setup_.rate};
        if (!queue_.empty()) {
            events_.push({now + time_of(setup_.rate), EventKind::Depart, queue_.front()});
        }
        if (counts_) {
            delivered_[static_cast<std::size_t>(packet.flow)] += setup_.packet;
        }
        events_.push({now + setup_.delay, EventKind::Acknowledge, packet});
        Sender& sender = senders_[static_cast<std::size_t>(packet.flow)];
        if (packet.marked && interval_ > 0 &&
            (sender.notified < 0 || now - sender.notified >= interval_)) {
            sender.notified = now;
            events_.push({now + setup_.delay, EventKind::Notify, packet});
        }
        for (int flow = 0; flow < setup_.flows; ++flow) {
            send(flow, now);
        }
    }

    void acknowledge(const Event& event) {
        Sender& sender = senders_[index(event)];
        sender.in_flight -= setup_.packet;
        Acknowledgement acknowledgement;
        acknowledgement.now = event.time;
        acknowledgement.bytes = setup_.packet;
        acknowledgement.marked = event.packet.marked ? setup_.packet : 0;
        acknowledgement.round_trip = event.time - event.packet.sent_at;
        acknowledgement.next = event.packet.number + 1;
        acknowledgement.sent = sender.next;
        acknowledgement.telemetry = &event.packet.seen;
        acknowledgement.hops = 1;
        sender.control->acknowledged(acknowledgement);
        // The next packet may be paced faster now, but not earlier than the link is free.
        send(event.packet.flow, event.time);
    }

    const Bottleneck& setup_;
    std::int64_t interval_;
    std::vector<Sender> senders_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::deque<Packet> queue_;  ///< the first one is on the wire
    std::vector<std::int64_t> delivered_;
    std::int64_t sent_ = 0;
    std::int64_t most_queue_ = 0;
    bool counts_ = false;
};

}  // namespace

double Sharing::fairness() const {
    double sum = 0;
    double squares = 0;
    for (const double rate : rates) {
        sum += rate;
        squares += rate * rate;
    }
    return sum * sum / (static_cast<double>(rates.size()) * squares);
}

packet::FlowPath Bottleneck::path() const {
    packet::FlowPath path;
    path.rate = link;
    path.slowest = std::min(link, rate);
    path.packet = packet;
    path.hops = 2;
    const double ps = static_cast<double>(packet) * 1e12;
    path.round_trip = 2 * delay + static_cast<std::int64_t>(ps / static_cast<double>(link)) +
                      static_cast<std::int64_t>(ps / static_cast<double>(rate));
    return path;
}

Sharing Bottleneck::run(const topology::CongestionControlChoice& choice, std::int64_t end,
                        std::int64_t from) const {
    return Run(*this, choice).until(end, from);
}

SharingScenario one_flow() {
    SharingScenario scenario{{}, 2 * ms, 1 * ms};
    scenario.bottleneck.flows = 1;
    return scenario;
}

SharingScenario one_fast_flow() {
    SharingScenario scenario{{}, 20 * ms, 10 * ms};
    scenario.bottleneck.flows = 1;
    scenario.bottleneck.link = 2 * scenario.bottleneck.rate;
    return scenario;
}

SharingScenario two_flows() {
    SharingScenario scenario{{}, 30 * ms, 10 * ms};
    scenario.bottleneck.delay = 8 * us;
    scenario.bottleneck.stagger = 100 * us;
    return scenario;
}

SharingScenario eight_flows() {
    SharingScenario scenario{{}, 30 * ms, 10 * ms};
    scenario.bottleneck.flows = 8;
    scenario.bottleneck.stagger = 20 * us;
    return scenario;
}

}  // namespace npunet::packet_test
