#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/queue_histogram.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/routing/ethernet_port.h"
#include "packet/transport/transport_wire.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet {

/// What waits for output ports: requests to pause or to resume, other control packets, and data
/// that has come by other links, a queue for each port and class. What starts at a node waits in
/// the transport.
class OutputQueues final : public TransportWire {
public:
    /// @param description the network
    /// @param state of the network; must outlive this
    /// @param routes the ways of packets; must outlive this
    /// @param schedule wakes ports; must outlive this
    OutputQueues(const topology::NetworkDescription& description, EthernetNetworkState& state,
                 const EthernetNextHop& routes, EthernetPortSchedule& schedule);

    OutputQueues(const OutputQueues&) = delete;
    OutputQueues& operator=(const OutputQueues&) = delete;

    void send_control(std::uint32_t place) override;

    void wake_port(std::uint32_t port, std::int64_t at) override { schedule_.wake_port(port, at); }

    /// A control packet joins its line.
    /// @param number of the port
    /// @param place of the packet
    void join_control(std::uint32_t number, std::uint32_t place);

    /// Data that has come by another link joins its queue.
    /// @param number of the port
    /// @param place of the data
    void join(std::uint32_t number, std::uint32_t place);

    /// @param number of a port
    /// @param now in picoseconds
    /// @return place of a control packet that goes now, which is taken out, requests first; none:
    ///         there is none
    std::uint32_t take_control(std::uint32_t number, std::int64_t now) {
        EthernetPort& port = state_.ports[number];
        if (port.requests.head != none) {
            return port.requests.pop(state_.packets);
        }
        if (port.control.head != none && state_.packets[port.control.head].ready <= now) {
            return port.control.pop(state_.packets);
        }
        return none;
    }

    /// @param number of a port
    /// @param traffic_class a class
    /// @param now in picoseconds
    /// @return whether data of the class may leave
    bool has_data(std::uint32_t number, std::uint32_t traffic_class, std::int64_t now) const {
        return (state_.ports[number].filled >> traffic_class & 1U) != 0 &&
               state_.packets[of(number, traffic_class).line.head].ready <= now;
    }

    /// @param number of a port
    /// @param traffic_class for which there is data
    /// @return place of the first data of the class, which is taken out
    std::uint32_t take(std::uint32_t number, std::uint32_t traffic_class);

    /// Data that take() gave leaves by the port.
    /// @param number of the port
    /// @param packet the data
    /// @param now in picoseconds
    void depart(std::uint32_t number, const EthernetPacket& packet, std::int64_t now) {
        EthernetPort& port = state_.ports[number];
        port.leaving_input = packet.input;
        port.leaving_class = packet.traffic_class;
        port.leaving_bytes = packet.wire;
        if (!histograms_.empty()) {
            histograms_[number].depart(now, packet.wire);
        }
    }

    /// @param number of a port
    /// @param traffic_class a class for which data waits
    /// @return the queue
    const ClassQueue& of(std::uint32_t number, std::uint32_t traffic_class) const {
        return queues_[number * state_.class_count + traffic_class];
    }

    /// @param number of a port
    /// @param traffic_class a class
    /// @return when its first data may leave, in picoseconds; never: there is none
    std::int64_t next_time(std::uint32_t number, std::uint32_t traffic_class) const {
        return (state_.ports[number].filled >> traffic_class & 1U) == 0
                   ? never
                   : state_.packets[of(number, traffic_class).line.head].ready;
    }

    /// @param node a node
    /// @param traffic_class a class
    /// @param input a link to the node
    /// @return the first port of the node that is paused in the class while data waits there that
    ///         came by the link; none: there is none
    std::uint32_t blocked(NodeId node, std::uint32_t traffic_class, std::uint32_t input) const;

    /// @param link a link
    /// @param function called as PacketNetwork::list_queued() says
    void list(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) const;

    /// @return whether histograms are kept
    bool have_histograms() const { return !histograms_.empty(); }

    /// @param number of a port
    /// @return how long how much waited, by powers of two; empty where no histograms are kept
    std::vector<Time> times_of(std::size_t number) const {
        return histograms_.empty() ? std::vector<Time>() : histograms_[number].times();
    }

private:
    const topology::Graph& graph_;            ///< the network
    EthernetNetworkState& state_;             ///< ports and packets
    const EthernetNextHop& routes_;           ///< the ways of packets
    EthernetPortSchedule& schedule_;          ///< wakes ports
    std::vector<ClassQueue> queues_;          ///< by link and class
    std::vector<QueueHistogram> histograms_;  ///< by link, where they are asked for
};

}  // namespace npunet::packet
