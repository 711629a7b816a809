// Buffer space of all nodes (SharedBuffer) and priority flow control: a node short of space sends
// PAUSE to the other end of a link, and RESUME later (IEEE 802.1Qbb). Without PFC, data that is not
// accepted is dropped.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/shared_buffer.h"
#include "packet/routing/ethernet_port.h"

#include "engine/clock/state_scan.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class PriorityFlowControl {
public:
    /// The references must outlive this. Sets the reverse links of the ports. Throws InputError if
    /// a link that may have to pause has no reverse link.
    PriorityFlowControl(const topology::NetworkDescription& description,
                        EthernetNetworkState& state);

    PriorityFlowControl(const PriorityFlowControl&) = delete;
    PriorityFlowControl& operator=(const PriorityFlowControl&) = delete;

    /// Whether PFC is on.
    bool pauses() const { return pauses_; }

    /// Data arrives at a node; `queued`: bytes of its class that wait for its output. If the
    /// verdict is TakenPauses, ask_to_pause() must be called once the data has joined its queue.
    SharedBuffer::Verdict take(const EthernetPacket& packet, std::uint32_t node,
                               std::int64_t queued) {
        // What is not released yet only takes room.
        const bool fits =
            pauses_ ? buffer_.take_shared(node, packet.input, packet.traffic_class, packet.wire)
                    : buffer_.take_or_drop(node, queued, packet.wire);
        return fits ? SharedBuffer::Verdict::Taken : take_tightly(packet, node, queued);
    }

    /// Frees the buffer space of the packet that the port has sent last.
    void release(EthernetPort& port) {
        if (port.leaving_input == none) {
            return;
        }
        const std::uint32_t input = port.leaving_input;
        port.leaving_input = none;
        free_room(port.node, input, port.leaving_class, port.leaving_bytes);
    }

    /// Whether a port of the node has to decide when a packet has left, for its space: links wait
    /// for it. Otherwise it may be freed when it is needed: until then the packet only takes room
    /// that nothing asks for.
    bool releases_at_once(std::uint32_t node) const { return pauses_ && buffer_.pauses_any(node); }

    /// Frees the space of the node's packets that left before `time`, in ps.
    void release_past(std::uint32_t node, std::int64_t time);

    /// The same for all nodes.
    void release_past(std::int64_t time);

    /// Whether a packet that the port has sent takes room in this instant, in which no port has
    /// decided yet.
    bool is_leaving(const EthernetPort& port) const {
        return port.leaving_input != none && port.busy_until >= state_.clock.now();
    }

    /// A packet that arrived by link `input` with `bytes` has left the node.
    void free_room(std::uint32_t node, std::uint32_t input, std::uint8_t traffic_class,
                   std::int64_t bytes) {
        if (!pauses_) {
            buffer_.release(node, bytes);
        } else if (buffer_.release_and_resume(node, input, traffic_class, bytes)) {
            ask(input, PacketKind::Resume, traffic_class);
        }
    }

    /// Sends PAUSE to the upstream port of the link.
    void ask_to_pause(std::uint32_t link, std::uint8_t traffic_class) {
        ask(link, PacketKind::Pause, traffic_class);
    }

    /// A PAUSE or RESUME frame has arrived by the link.
    void obey(std::uint32_t link, const EthernetPacket& packet);

    /// The link has failed permanently and can bring no RESUME: its reverse port resumes all
    /// classes.
    void forget(std::uint32_t link);

    /// Packets that have left may still count there until release_past().
    const SharedBuffer& buffer() const { return buffer_; }

    void scan(engine::StateScan& scan) { buffer_.scan(scan); }

private:
    /// take() where space is tight.
    SharedBuffer::Verdict take_tightly(const EthernetPacket& packet, std::uint32_t node,
                                       std::int64_t queued);

    /// Enqueues a PAUSE or RESUME frame at the reverse link, or cancels the opposite one queued
    /// there.
    void ask(std::uint32_t link, PacketKind kind, std::uint8_t traffic_class);

    /// Notifies the observer that the port has paused or resumed the class.
    void tell(std::uint32_t number, std::uint8_t traffic_class, bool paused);

    /// No class of the port is paused any more.
    void end_pause(std::uint32_t number);

    EthernetNetworkState& state_;
    bool pauses_;  ///< else data is dropped
    SharedBuffer buffer_;
    std::vector<std::uint32_t> first_port_;  ///< by node, and one more: index into ports_by_node_
    std::vector<std::uint32_t> ports_by_node_;
};

}  // namespace npunet::packet
