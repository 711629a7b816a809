#include "packet/credit/statistics.h"

#include <algorithm>

namespace npunet::packet {

CreditStatistics::CreditStatistics(const topology::NetworkDescription& description,
                                   CreditNetworkState& state, const CreditLinks& links)
    : state_(state), links_(links), histograms_(description) {}

void CreditStatistics::give_up(std::uint32_t port_number, std::uint32_t wire, std::int64_t at) {
    leave(port_number, wire, at);
    if (state_.observer != nullptr) {
        state_.observer->packet_gave_up(LinkId(std::size_t{port_number}), Bytes(wire),
                                        Time::ps(at));
    }
}

std::vector<engine::LinkUse> CreditStatistics::use() const {
    std::vector<engine::LinkUse> uses;
    uses.reserve(state_.ports.size());
    for (std::size_t link = 0; link < state_.ports.size(); ++link) {
        uses.push_back(use_of(link));
    }
    return uses;
}

engine::LinkUse CreditStatistics::use_of(std::size_t link) const {
    const CreditPort& port = state_.ports[link];
    engine::LinkUse use;
    use.payload = Bytes(port.payload);
    use.wire = Bytes(port.wire);
    use.busy = Time::ps(port.busy);
    use.max_queue = Bytes(port.max_queue);
    use.packets = static_cast<std::uint64_t>(port.packets);
    use.retransmissions = static_cast<std::uint64_t>(links_.retransmissions(link));
    use.credit_stall = Time::ps(port.stall);
    use.queue_times = histograms_.times_of(link);
    use.classes_wire = state_.classes.wire_of(link);
    return use;
}

std::uint64_t CreditStatistics::hops() const {
    std::int64_t hops = 0;
    for (const CreditPort& port : state_.ports) {
        hops += port.packets;
    }
    return static_cast<std::uint64_t>(hops);
}

void CreditStatistics::list_queued(LinkId link,
                                   const std::function<void(LinkId, Bytes, Time)>& function) const {
    state_.filled.for_each(state_.ports[link.index()], 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state_.queues[number];
        std::uint32_t place = queue.upstream == none ? none : queue.head;
        for (; place != none; place = state_.packets[place].next) {
            const QueuedPacket& packet = state_.packets[place];
            function(link, Bytes(state_.wire_bytes(packet.payload)), Time::ps(packet.ready));
        }
        return false;
    });
}

void CreditStatistics::count_more(CreditPort& port, std::int64_t now) {
    state_.filled.for_each(port, 0, [&](std::uint32_t number) {
        VirtualOutputQueue& queue = state_.queues[number];
        if (queue.upstream == none) {
            return true;
        }
        while (queue.unarrived != none && state_.packets[queue.unarrived].ready <= now) {
            const QueuedPacket& packet = state_.packets[queue.unarrived];
            port.arrived += state_.wire_bytes(packet.payload);
            queue.unarrived = packet.next;
        }
        return false;
    });
    port.max_queue = std::max(port.max_queue, port.arrived);
}

std::int64_t CreditStatistics::first_of(const RoundRobinList& send_queue) {
    if (state_.paths.router == nullptr) {
        return state_.messages[send_queue.first].start;
    }
    std::int64_t first = never;
    for (std::uint32_t message = send_queue.first; message != none;
         message = state_.messages[message].next) {
        first = std::min(first, state_.paths.of_message(message).since);
    }
    return first;
}

void CreditStatistics::count_stall(std::uint32_t port_number, std::int64_t now) {
    CreditPort& port = state_.ports[port_number];
    port.starved = 0;
    if (port.busy_until >= now) {
        return;
    }
    // Nothing has left since the port became free: every head was there then, or was the first
    // packet of its queue.
    std::int64_t first = now;
    state_.filled.for_each(port, 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state_.queues[number];
        if (queue.upstream == none) {
            const RoundRobinList& send_queue = state_.send_queue(port_number, queue.channel);
            first = std::min(first, first_of(send_queue));
        } else {
            first = std::min(first, queue.ready);
        }
        return false;
    });
    const std::int64_t from = std::max(first, port.busy_until);
    const std::int64_t stall = links_.up_between(port_number, from, now);
    port.stall += stall;
    if (state_.observer != nullptr && stall > 0) {
        state_.observer->credit_stalled(LinkId(std::size_t{port_number}), Time::ps(from),
                                        Time::ps(stall));
    }
}

}  // namespace npunet::packet
