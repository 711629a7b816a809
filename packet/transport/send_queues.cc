#include "packet/transport/send_queues.h"

#include <algorithm>

namespace npunet::packet {

void SendQueues::join(std::uint32_t number) {
    QueuePair& pair = pairs_[number];
    const std::int64_t now = network_.clock.now();
    EthernetNextHop& routes = network_.routes;
    if (routes.are_chosen()) {
        pair.port = routes.choose_for_pair(
            number, pair.source, pair.destination, routes.draw(pair.key, pair.transmissions),
            static_cast<std::uint32_t>(full_wire_), now, std::max(pair.next_start, now));
    }
    SendRoundRobin& round_robin = round_robins_[pair.port * classes_ + pair.traffic_class];
    if (pair.next_start > now) {
        round_robin.wait(pairs_.all(), number);
    } else {
        round_robin.join(pairs_.all(), number, now);
    }
    network_.wire.wake_port(pair.port, std::max(pair.next_start, now));
}

std::vector<std::uint32_t> SendQueues::empty() {
    std::vector<std::uint32_t> numbers;
    for (SendRoundRobin& round_robin : round_robins_) {
        round_robin.empty(pairs_.all(), numbers);
    }
    return numbers;
}

void SendQueues::scan(engine::StateScan& scan, std::uint32_t port) {
    for (std::uint32_t number = 0; number < classes_; ++number) {
        round_robins_[port * classes_ + number].scan(pairs_.all(), scan);
    }
}

}  // namespace npunet::packet
