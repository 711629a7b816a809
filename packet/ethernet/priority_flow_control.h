#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/shared_buffer.h"
#include "packet/routing/ethernet_port.h"

#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The room in the nodes' buffers (SharedBuffer) and the requests that go with it: a node that is
/// short of room asks the other end of a link to pause a class, and to go on later (IEEE 802.1Qbb).
/// Without pauses what finds no room is lost.
class PriorityFlowControl {
public:
    /// @param description the network
    /// @param state of the network, whose ports learn of their links back; must outlive this
    /// @param schedule wakes ports; must outlive this
    ///
    /// Throws InputError where a link that may have to pause has no link back.
    PriorityFlowControl(const topology::NetworkDescription& description,
                        EthernetNetworkState& state, EthernetPortSchedule& schedule);

    PriorityFlowControl(const PriorityFlowControl&) = delete;
    PriorityFlowControl& operator=(const PriorityFlowControl&) = delete;

    /// @return whether nodes ask for pauses
    bool pauses() const { return pauses_; }

    /// Data comes to a node.
    /// @param packet the data
    /// @param node the node
    /// @param queued bytes that wait for its output in its class
    /// @return what becomes of it; where the link by which it came has to pause, ask_to_pause() is
    /// to
    ///         be called when it has joined its queue
    SharedBuffer::Verdict take(const EthernetPacket& packet, std::uint32_t node,
                               std::int64_t queued) {
        if (pauses_) {
            return buffer_.take_or_pause(node, packet.input, packet.traffic_class, packet.wire);
        }
        return buffer_.take_or_drop(node, queued, packet.wire) ? SharedBuffer::Verdict::Taken
                                                               : SharedBuffer::Verdict::Dropped;
    }

    /// What a port has sent leaves the buffer of its node.
    /// @param port the port
    void release(EthernetPort& port) {
        if (port.leaving_input == none) {
            return;
        }
        const std::uint32_t input = port.leaving_input;
        port.leaving_input = none;
        free_room(port.node, input, port.leaving_class, port.leaving_bytes);
    }

    /// A packet that had come by a link has left a node.
    /// @param node the node
    /// @param input the link
    /// @param traffic_class of the packet
    /// @param bytes of it when it came
    void free_room(std::uint32_t node, std::uint32_t input, std::uint8_t traffic_class,
                   std::int64_t bytes) {
        if (!pauses_) {
            buffer_.release(node, bytes);
        } else if (buffer_.release_and_resume(node, input, traffic_class, bytes)) {
            ask(input, PacketKind::Resume, traffic_class);
        }
    }

    /// @param link by which too much has come
    /// @param traffic_class which is meant
    void ask_to_pause(std::uint32_t link, std::uint8_t traffic_class) {
        ask(link, PacketKind::Pause, traffic_class);
    }

    /// A request to pause or to go on is in.
    /// @param link by which it came
    /// @param packet the request
    void heed(std::uint32_t link, const EthernetPacket& packet);

    /// A link is down for ever: nobody could take back what its node has asked for, and so the
    /// other end goes on.
    /// @param link the link
    void forget(std::uint32_t link);

    /// @param scan of the whole network
    void scan(engine::StateScan& scan) { buffer_.scan(scan); }

private:
    /// @param description the network
    /// @param state of the network, whose ports learn of their links back
    /// @param schedule wakes ports
    /// @param back by link: the link back, or none
    PriorityFlowControl(const topology::NetworkDescription& description,
                        EthernetNetworkState& state, EthernetPortSchedule& schedule,
                        const std::vector<std::uint32_t>& back);

    /// Asks the other end of a link to pause, or to go on, or takes the opposite back.
    /// @param link the link
    /// @param kind PAUSE or RESUME
    /// @param traffic_class which is meant
    void ask(std::uint32_t link, PacketKind kind, std::uint8_t traffic_class);

    /// Tells the observer that a port pauses, or goes on.
    /// @param number of the port
    /// @param traffic_class which is meant
    /// @param paused whether it pauses
    void tell(std::uint32_t number, std::uint8_t traffic_class, bool paused);

    /// A port may send in all classes again.
    /// @param number of the port
    void end_pause(std::uint32_t number);

    EthernetNetworkState& state_;     ///< ports and packets
    EthernetPortSchedule& schedule_;  ///< wakes ports
    bool pauses_;                     ///< else packets are dropped
    SharedBuffer buffer_;             ///< of all nodes
};

}  // namespace npunet::packet
