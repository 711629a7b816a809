#pragma once

#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet {

/// Which packet an idle port of an EthernetNetwork sends: requests to pause or to resume, other
/// control packets, then data, the class first, and in it in turns what has come by other links and
/// what starts at the node.
class EthernetArbiter {
public:
    /// All of these must outlive this.
    /// @param state of the network
    /// @param queues of its ports
    /// @param pairs whose packets start at its NPUs
    EthernetArbiter(EthernetNetworkState& state, OutputQueues& queues, QueuePairs& pairs)
        : state_(state), queues_(queues), pairs_(pairs) {}

    /// @param number of an idle port
    /// @param now in picoseconds
    /// @return place of the packet that is sent now, taken out of its queue, or none
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

    /// @param number of an idle port that has sent nothing
    /// @return when it may have something to send, in picoseconds; never: somebody will wake it
    std::int64_t next_time(std::uint32_t number) const;

    /// @param number of a port
    /// @param traffic_class a class
    /// @return bytes of data that have come by other links and wait for it
    std::int64_t queued(std::uint32_t number, std::uint32_t traffic_class) const {
        return queues_.of(number, traffic_class).bytes;
    }

    /// @param number of a port
    /// @return whether anything waits for it but requests
    bool is_wanted(std::uint32_t number) const;

private:
    /// @copydoc choose
    /// There are several classes, and no control packet.
    std::uint32_t choose_by_class(std::uint32_t number, std::int64_t now);

    /// @param number of an idle port
    /// @param traffic_class a class that is not paused
    /// @param now in picoseconds
    /// @return whether data of the class could be sent
    bool has_data(std::uint32_t number, std::uint32_t traffic_class, std::int64_t now) {
        return queues_.has_data(number, traffic_class, now) ||
               (state_.ports[number].starts_here &&
                pairs_.lines().has_packet(number, traffic_class, now));
    }

    /// @param number of an idle port
    /// @param traffic_class for which has_data() holds
    /// @param now in picoseconds
    /// @return place of its next data
    std::uint32_t take_data(std::uint32_t number, std::uint32_t traffic_class, std::int64_t now);

    EthernetNetworkState& state_;  ///< ports and packets
    OutputQueues& queues_;         ///< what has come by other links
    QueuePairs& pairs_;            ///< what starts at NPUs
};

}  // namespace npunet::packet
