// The interface of packet networks, which can be observed and partitioned: CreditNetwork if links
// have credits, EthernetNetwork otherwise, TieredNetwork if some have.
//
//     std::unique_ptr<PacketNetwork> network = make_network(description, queue);
//     network->set_observer(&observer);
#pragma once

#include "packet/base/datagram_listener.h"
#include "packet/base/packet_observer.h"
#include "packet/partition/partition_link.h"

#include "base/ids.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace npunet::packet {

class PacketNetwork : public engine::Network {
public:
    /// Whether send_datagram() sends datagrams. Networks that lose nothing do not, nor does a
    /// network that is split.
    virtual bool carries_datagrams() const { return false; }

    /// Sends a separate message of one packet, of at most the mtu, as a datagram: without a
    /// transport, so that it is sent once and may be lost, and without congestion control. The
    /// datagrams from one NPU to another in one traffic class share the source's ports like the
    /// messages of a queue pair. `can_be_marked`: whether switches mark it (ECN) as they mark other
    /// data, whether or not a congestion control uses marks. Requires carries_datagrams() and a
    /// DatagramListener.
    virtual void send_datagram(const engine::Message& message, bool /* can_be_marked */) {
        send(message);
    }

    /// Before the first datagram; must outlive the network.
    virtual void set_datagram_listener(DatagramListener& /* listener */) {}

    /// Calls the function like PacketObserver::packet_queued() for every packet that waits for the
    /// link, or will when it arrives.
    virtual void list_queued(LinkId link,
                             const std::function<void(LinkId, Bytes, Time)>& function) = 0;

    /// Makes this network one partition, which simulates the owned nodes only; other instances,
    /// possibly in other processes, simulate the rest. Together they give the results of one. A
    /// message is sent in the partition of its source and delivered in that of its destination,
    /// which notifies the listener if the message started there, and `cut` otherwise. link_use()
    /// covers the links that leave owned nodes.
    ///
    /// Before the first message. `owned` is by node; `cut` must outlive the network. Throws
    /// InputError if a link between two partitions has no latency.
    virtual void split(std::vector<bool> owned, PartitionLink& cut) = 0;

    /// A frame of another partition (BoundaryFrame::bytes()) enters this one. Before any other
    /// event of the present instant.
    virtual void enter(const std::uint8_t* data, std::size_t size) = 0;

    /// Whether the link crosses a partition boundary of this network.
    virtual bool is_cut(LinkId link) const = 0;

    /// Null: no observer.
    void set_observer(PacketObserver* observer) {
        settle();
        observer_ = observer;
        observer_changes();
    }

    /// Enables or disables the fast-forward of periodic traffic, which does not change results;
    /// enabled by default. Before the first message.
    virtual void set_fast_forward(bool /* wanted */) {}

    /// Packets of a lookahead window from which on it is worth waking threads.
    static constexpr std::uint64_t packets_worth_threads = 400;

    /// Allows `threads` (at least 1) to share lookahead windows, if the network supports it, which
    /// does not change results. One thread runs a window if the previous one had fewer than
    /// `least_packets`. Before the first message.
    virtual void set_threads(std::size_t /* threads */,
                             std::uint64_t /* least_packets */ = packets_worth_threads) {}

    /// Brings the observable state up to the present.
    virtual void settle() {}

protected:
    /// observer_ has changed.
    virtual void observer_changes() {}

    PacketObserver* observer_ = nullptr;  ///< or null
};

/// Throws InputError for parameters that are invalid in every packet network: sizes out of range, a
/// buffer smaller than one packet, errors with cut-through, invalid classes. `file` is named in the
/// message and may be empty.
void check_packet_parameters(const topology::PacketParameters& parameters, const std::string& file);

}  // namespace npunet::packet
