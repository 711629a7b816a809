#include "packet/credit/fast_forward/periodic_group.h"

#include <algorithm>

namespace npunet::packet {

std::int64_t PeriodicGroup::packets_in_period() const {
    std::int64_t packets = 0;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        packets += present.since(kept, i).packets;
    }
    return packets;
}

std::int64_t PeriodicGroup::periods_left() const {
    std::int64_t periods = never;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::int64_t sent = sent_in_period(i);
        if (sent > 0) {
            // The period after the last counted one must have full packets only, too.
            periods = std::min(periods, (present.remaining(i) - 1) / sent - 1);
        }
    }
    return periods == never ? 0 : periods;
}

void PeriodicGroup::skip(CreditNetworkState& state, std::int64_t periods) const {
    for (std::size_t i = 0; i < messages.size(); ++i) {
        state.count_sent(state.messages[messages[i]], periods * sent_in_period(i),
                         state.partitions.front());
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const PortCounts counts = present.since(kept, i);
        if (counts.packets == 0) {
            continue;  // what waits there stays as it is
        }
        count(state, i, counts, periods);
        shift(state, ports[i], periods * period());
    }
}

void PeriodicGroup::count(CreditNetworkState& state, std::size_t place, const PortCounts& counts,
                          std::int64_t periods) const {
    const std::uint32_t number = ports[place];
    CreditPort& port = state.ports[number];
    port.payload += periods * counts.payload;
    port.wire += periods * counts.wire;
    port.busy += periods * counts.busy;
    if (state.load != nullptr) {
        state.load->add(number, present.at(), present.at() + periods * period(),
                        periods * counts.busy);
    }
    port.packets += periods * counts.packets;
    port.stall += periods * counts.stall;
    const std::size_t classes = state.several ? state.classes.given.count : 0;
    for (std::size_t i = 0; i < classes; ++i) {
        state.classes.of_port(number)[i].wire +=
            periods * present.class_wire_since(kept, place * classes + i);
    }
}

void PeriodicGroup::shift(CreditNetworkState& state, std::uint32_t number, std::int64_t by) {
    CreditPort& port = state.ports[number];
    port.busy_until += by;
    for (std::uint32_t channel = 0; channel < state.channels; ++channel) {
        state.credit(number, channel).shift(by);
    }
    state.reads.shift(number, by);
    state.filled.for_each(port, 0, [&state, by](std::uint32_t queue_number) {
        VirtualOutputQueue& queue = state.queues[queue_number];
        if (queue.upstream == none) {
            return false;
        }
        queue.ready += by;
        for (std::uint32_t place = queue.head; place != none; place = state.packets[place].next) {
            state.packets[place].ready += by;
            if (state.oldest) {
                state.packets.born(place) += by;
            }
        }
        return false;
    });
}

}  // namespace npunet::packet
