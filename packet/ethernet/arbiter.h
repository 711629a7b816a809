// Selects the packet that an idle port of an EthernetNetwork sends next: PAUSE and RESUME frames,
// other control packets, then data. Data: first the class (strict priority or weights), then
// alternately packets that arrived by other links and packets that start at the node.
#pragma once

#include "packet/base/constants.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet {

class EthernetArbiter {
public:
    EthernetArbiter(EthernetNetworkState& state, OutputQueues& queues, QueuePairs& pairs)
        : state_(state), queues_(queues), pairs_(pairs) {}

    /// Removes the packet to send at `now`, in ps, from its queue; none: there is none. The port is
    /// idle.
    std::uint32_t choose(std::uint32_t number, std::int64_t now) {
        const std::uint32_t control = queues_.take_control(number, now);
        if (control != none) {
            return control;
        }
        if (state_.class_count > 1) {
            return choose_by_class(number, now);
        }
        const bool open = state_.ports[number].paused == 0 && has_data(number, 0, now);
        return open ? take_data(number, 0, now) : none;
    }

    /// Removes a datagram of the class that is the next of its queue, paused or not; none: there is
    /// none.
    std::uint32_t take_datagram(std::uint32_t number, std::uint32_t traffic_class,
                                std::int64_t now);

    /// When an idle port may next have a packet to send, in ps; never: only a new packet or a
    /// RESUME wakes it.
    std::int64_t next_time(std::uint32_t number) const;

    /// Bytes of data of the class that arrived by other links and wait for the port.
    std::int64_t queued(std::uint32_t number, std::uint32_t traffic_class) const {
        return queues_.of(number, traffic_class).bytes;
    }

    /// Whether anything but PAUSE and RESUME frames waits for the port.
    bool is_wanted(std::uint32_t number) const;

private:
    /// choose() with several classes and no control packet.
    std::uint32_t choose_by_class(std::uint32_t number, std::int64_t now);

    /// Whether the class, which is not paused, has a packet that may leave at `now`.
    bool has_data(std::uint32_t number, std::uint32_t traffic_class, std::int64_t now) {
        return queues_.has_data(number, traffic_class, now) ||
               (state_.ports[number].starts_here &&
                pairs_.send_queues().has_packet(number, traffic_class, now));
    }

    /// Removes the next data packet of a class for which has_data() holds.
    std::uint32_t take_data(std::uint32_t number, std::uint32_t traffic_class, std::int64_t now);

    EthernetNetworkState& state_;
    OutputQueues& queues_;
    QueuePairs& pairs_;
};

}  // namespace npunet::packet
