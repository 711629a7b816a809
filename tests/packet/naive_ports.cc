// NaivePacketNetwork: what stands at a port, and which packet it sends next.
#include <algorithm>
#include <tuple>

#include "naive_packet_network.h"

namespace npunet::packet_test {

using engine::Phase;

void NaivePacketNetwork::ask(LinkId link) {
    at(queue_.now(), Phase::Arbitration, engine::event_kind::port, link.index(),
       [this, link] { arbitrate(link); });
}

void NaivePacketNetwork::arbitrate(LinkId link) {
    const Port& port = ports_[link.index()];
    if (!port.busy && clock_.up_at(link, queue_.now()) == queue_.now()) {
        if (choose(link, true)) {
            at(queue_.now(), Phase::Arbitration, engine::event_kind::port_again, link.index(),
               [this, link] {
                   if (!ports_[link.index()].busy &&
                       clock_.up_at(link, queue_.now()) == queue_.now()) {
                       choose(link, false);
                   }
                   watch_stall(link);
               });
        }
    } else if (!port.busy && clock_.up_at(link, queue_.now()) == Time::max()) {
        for (std::size_t slot = 0; slot < port.queues.size() + channels_; ++slot) {
            if (const auto waiting = head(link, slot)) {
                const Flight& flight = *waiting->first.flight;
                clock_.refuse(link, queue_.now(), flight.message.bytes, Time::ps(flight.key.first));
            }
        }
    }
    watch_stall(link);
}

bool NaivePacketNetwork::input_is_taken(LinkId link, std::size_t slot, bool patient,
                                        bool& yielded) {
    if (parameters_.speedup == 0 || slot >= ports_[link.index()].queues.size()) {
        return false;
    }
    const NodeId node = graph_.link(link).from;
    const Port& input = ports_[graph_.links_to(node)[slot / channels_].index()];
    if (input.reads >= parameters_.speedup) {
        return true;
    }
    if (!patient) {
        return false;
    }
    // Walk on from the output that was served last until this one.
    const std::vector<LinkId>& outputs = graph_.links_from(node);
    std::vector<LinkId> order(outputs.begin(), outputs.end());
    std::sort(order.begin(), order.end());
    const auto after = std::upper_bound(order.begin(), order.end(), input.last_output);
    std::rotate(order.begin(), after, order.end());
    for (const LinkId other : order) {
        if (other == link) {
            return false;
        }
        for (std::size_t channel = 0; channel < channels_; ++channel) {
            const Port& rival = ports_[other.index()];
            if (!rival.busy && !rival.queues[slot / channels_ * channels_ + channel].empty()) {
                yielded = true;
                return true;
            }
        }
    }
    return false;
}

bool NaivePacketNetwork::choose(LinkId link, bool patient) {
    bool yielded = false;
    Port& port = ports_[link.index()];
    const std::size_t slots = port.queues.size() + channels_;
    std::map<std::size_t, std::vector<std::size_t>> by_class;
    std::set<std::size_t> open;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        if (can_go(link, slot) && !input_is_taken(link, slot, patient, yielded)) {
            const std::size_t own = head(link, slot)->first.flight->traffic_class;
            by_class[own].push_back(slot);
            open.insert(own);
        }
    }
    if (open.empty()) {
        return yielded;
    }
    const std::size_t chosen = choose_class(port, open);
    // Oldest: when it left its source, how many messages that had sent before, which source, which
    // slot. Round robin: how far from the turn.
    std::map<std::tuple<Time, std::uint64_t, std::uint64_t, std::size_t>, std::size_t> order;
    for (const std::size_t slot : by_class[chosen]) {
        const Packet packet = head(link, slot)->first;
        const std::uint64_t id = packet.flight->message.id.value();
        const std::uint64_t count = id & ((std::uint64_t{1} << 36) - 1);
        const std::size_t distance = (slot + slots - port.turns[chosen]) % slots;
        const bool oldest = parameters_.arbitration == topology::Arbitration::Oldest;
        order.emplace(oldest ? std::tuple{packet.born, count, id >> 36, slot}
                             : std::tuple{Time(), std::uint64_t{0}, std::uint64_t{0}, distance},
                      slot);
    }
    const std::size_t slot = order.begin()->second;
    port.turns[chosen] = (slot + 1) % slots;
    if (!parameters_.classes.weights.empty()) {
        port.virtual_time = std::max(port.virtual_time, port.finish_tags[chosen]);
        port.finish_tags[chosen] =
            port.virtual_time + static_cast<Wide>(head(link, slot)->first.wire.value()) * 1048576 /
                                    parameters_.classes.weights[chosen];
    }
    send_slot(link, slot);
    return false;
}

/// Strict: the lowest; weights: the one with the least start tag, max(virtual time, finish tag).
std::size_t NaivePacketNetwork::choose_class(Port& port, const std::set<std::size_t>& open) {
    if (parameters_.classes.weights.empty()) {
        return *open.begin();
    }
    return *std::min_element(open.begin(), open.end(), [&port](std::size_t a, std::size_t b) {
        return std::pair(std::max(port.virtual_time, port.finish_tags[a]), a) <
               std::pair(std::max(port.virtual_time, port.finish_tags[b]), b);
    });
}

void NaivePacketNetwork::watch_stall(LinkId link) {
    Port& port = ports_[link.index()];
    bool wanted = false;
    for (std::size_t slot = 0; slot < port.queues.size() + channels_; ++slot) {
        wanted = wanted || head(link, slot);
    }
    if (port.stalled) {
        uses_[link.index()].credit_stall += queue_.now() - port.stalled_since;
    }
    port.stalled = wanted && !port.busy && clock_.up_at(link, queue_.now()) == queue_.now();
    port.stalled_since = queue_.now();
}

void NaivePacketNetwork::change_waiting(Port& port, Bytes by) {
    if (parameters_.queue_histogram && port.waiting > Bytes(0) &&
        queue_.now() > port.waiting_since) {
        int power = 0;
        while (port.waiting.value() >> (power + 1) > 0) {
            ++power;
        }
        port.queue_times[power] += queue_.now() - port.waiting_since;
    }
    port.waiting_since = queue_.now();
    port.waiting += by;
}

std::optional<std::pair<NaivePacketNetwork::Packet, std::size_t>> NaivePacketNetwork::head(
    LinkId link, std::size_t slot) {
    Port& port = ports_[link.index()];
    if (slot < port.queues.size()) {
        if (port.queues[slot].empty()) {
            return std::nullopt;
        }
        const Packet& packet = port.queues[slot].front();
        return std::pair(packet, channel_of(*packet.flight, packet.hop));
    }
    const std::size_t channel = slot - port.queues.size();
    auto& starting = port.starting[channel];
    if (starting.empty()) {
        return std::nullopt;
    }
    auto turn = starting.upper_bound(port.served[channel]);
    if (turn == starting.end()) {
        turn = starting.begin();
    }
    const std::shared_ptr<Flight> flight = turn->second;
    Packet packet;
    packet.flight = flight;
    packet.hop = flight->next.hop;
    packet.choice = flight->next;
    packet.number = flight->number;
    packet.born = queue_.now();
    packet.payload = std::min(flight->unsent, parameters_.mtu);
    packet.wire = std::max(packet.payload + parameters_.header, Bytes(1));
    packet.last = flight->unsent == packet.payload;
    return std::pair(packet, channel);
}

bool NaivePacketNetwork::can_go(LinkId link, std::size_t slot) {
    const auto packet = head(link, slot);
    return packet && ports_[link.index()].credit[packet->second] >= packet->first.wire;
}

void NaivePacketNetwork::send_slot(LinkId link, std::size_t slot) {
    Port& port = ports_[link.index()];
    const auto [packet, channel] = *head(link, slot);
    if (ways_ != nullptr) {
        leave_choice(*packet.flight, packet.choice, packet.wire);
    }
    port.busy = true;
    port.credit[channel] -= packet.wire;
    if (slot < port.queues.size()) {
        port.queues[slot].pop_front();
        Port& input = ports_[packet.before->link.index()];
        ++input.reads;
        input.last_output = link;
        change_waiting(port, Bytes(0) - packet.wire);
    } else {
        Flight& flight = *packet.flight;
        port.served[channel] = flight.key;
        flight.unsent -= packet.payload;
        if (!flight.started) {
            flight.started = true;
            flight.first_byte_left = queue_.now();
        }
        if (packet.last || ways_ != nullptr) {
            port.starting[channel].erase(flight.key);
        }
        if (ways_ != nullptr && !packet.last) {
            ++flight.number;
            start_here(packet.flight);
        }
    }
    start(link, packet);
}

}  // namespace npunet::packet_test
