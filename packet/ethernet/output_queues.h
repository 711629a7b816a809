// Queues of output ports: PAUSE and RESUME frames, other control packets, and data that arrived by
// other links, one queue for each port and class. Data that starts at a node waits in the
// transport.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/queue_histogram.h"
#include "packet/ethernet/network_state.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/routing/ethernet_port.h"
#include "packet/transport/transport_wire.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet {

class OutputQueues final : public TransportWire {
public:
    /// The references must outlive this.
    OutputQueues(const topology::NetworkDescription& description, EthernetNetworkState& state,
                 const EthernetNextHop& routes);

    OutputQueues(const OutputQueues&) = delete;
    OutputQueues& operator=(const OutputQueues&) = delete;

    void send_control(std::uint32_t place) override;

    void wake_port(std::uint32_t port, std::int64_t at) override {
        state_.schedule.wake_port(port, at);
    }

    /// Appends a control packet to the port's queue. `ready`: as in PacketQueue.
    void join_control(std::uint32_t number, std::uint32_t place, std::int64_t ready);

    /// Appends data that arrived by another link to its queue.
    void join(std::uint32_t number, std::uint32_t place, std::int64_t ready);

    /// Removes the control packet that may leave at `now`, PAUSE and RESUME frames first; none:
    /// there is none.
    std::uint32_t take_control(std::uint32_t number, std::int64_t now) {
        EthernetPort& port = state_.ports[number];
        if (port.requests.head != none) {
            return port.requests.pop(state_.packets);
        }
        if (port.control.first_ready <= now) {
            return port.control.pop(state_.packets);
        }
        return none;
    }

    /// Whether data of the class may leave at `now`, in ps.
    bool has_data(std::uint32_t number, std::uint32_t traffic_class, std::int64_t now) const {
        return (state_.ports[number].filled >> traffic_class & 1U) != 0 &&
               of(number, traffic_class).packets.first_ready <= now;
    }

    /// Removes the first data packet of a class that has data.
    std::uint32_t take(std::uint32_t number, std::uint32_t traffic_class);

    /// Data that take() returned starts at the port.
    void depart(std::uint32_t number, const EthernetPacket& packet, std::int64_t now) {
        EthernetPort& port = state_.ports[number];
        port.leaving_input = packet.input;
        port.leaving_class = packet.traffic_class;
        port.leaving_bytes = packet.wire;
        histograms_.depart(number, now, packet.wire);
    }

    /// `number`: of a port.
    ClassQueue& of(std::uint32_t number, std::uint32_t traffic_class) {
        return queues_[number * state_.class_count + traffic_class];
    }
    const ClassQueue& of(std::uint32_t number, std::uint32_t traffic_class) const {
        return queues_[number * state_.class_count + traffic_class];
    }

    /// When the class's first data may leave, in ps; never: there is none.
    std::int64_t next_time(std::uint32_t number, std::uint32_t traffic_class) const {
        return of(number, traffic_class).packets.first_ready;
    }

    /// Whether data of the class waits for the port that arrived by link `input`.
    bool any_from(std::uint32_t number, std::uint32_t traffic_class, std::uint32_t input) const;

    /// As PacketNetwork::list_queued().
    void list(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function);

    const QueueHistograms& histograms() const { return histograms_; }

private:
    EthernetNetworkState& state_;
    const EthernetNextHop& routes_;
    std::vector<ClassQueue> queues_;  ///< by link and class
    QueueHistograms histograms_;
};

}  // namespace npunet::packet
