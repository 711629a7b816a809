#pragma once

#include "packet/base/packet_observer.h"
#include "packet/partition/partition_link.h"

#include "base/ids.h"
#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace npunet::packet {

/// A network of packets that can be observed: CreditNetwork where links have credits,
/// EthernetNetwork where they have not.
class PacketNetwork : public engine::Network {
public:
    /// @param link a link
    /// @param function called as PacketObserver::packet_queued() for every packet that waits for
    /// the
    ///                 link or is on its way to wait for it
    virtual void list_queued(LinkId link,
                             const std::function<void(LinkId, Bytes, Time)>& function) = 0;

    /// Lets this network move the packets of some nodes only, while others, or those of other
    /// processes, move the rest: all of them together do what one would do alone. Messages are sent
    /// in the part of their source and delivered in that of their destination, from which the
    /// listener hears of those that have started here; of the others the cut does. link_use() has
    /// what leaves the part's own nodes. Before the first message.
    /// @param owned by node: whether it is in this part
    /// @param cut joins the parts; must outlive the network
    ///
    /// Throws InputError where a link between two parts has no latency.
    virtual void split(std::vector<bool> owned, PartitionLink& cut) = 0;

    /// A frame enters this part, before anything happens here now.
    /// @param data what another part has handed to the cut (BoundaryFrame::bytes())
    /// @param size in bytes
    virtual void enter(const std::uint8_t* data, std::size_t size) = 0;

    /// @param link a link
    /// @return whether one of its ends is in another part of the network, where it is split
    virtual bool is_cut(LinkId link) const = 0;

    /// @param observer hears of every packet from now on; null for nobody
    void set_observer(PacketObserver* observer) {
        settle();
        observer_ = observer;
        observer_changes();
    }

    /// Before the first message.
    /// @param wanted whether packets that follow a pattern may be moved together, where the network
    ///               can do so, with the same results; they may
    virtual void set_trains(bool /* wanted */) {}

    /// Packets of a window of time that are worth waking threads for.
    static constexpr std::uint64_t packets_worth_threads = 400;

    /// Before the first message.
    /// @param threads how many may move packets at the same time, where the network can do so, with
    ///                the same results; at least 1
    /// @param least_packets of the window before, below which one thread does it
    virtual void set_threads(std::size_t /* threads */,
                             std::uint64_t /* leastPackets */ = packets_worth_threads) {}

    /// Brings what can be looked at up to the present.
    virtual void settle() {}

protected:
    /// observer_ is another one.
    virtual void observer_changes() {}

    PacketObserver* observer_ = nullptr;  ///< hears of packets
};

}  // namespace npunet::packet
