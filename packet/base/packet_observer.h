#pragma once

#include "base/ids.h"
#include "base/quantities.h"

#include <cstdint>

namespace npunet::packet {

/// Why a packet, or what it carries, does not arrive.
enum class PacketDrop : std::uint8_t {
    NoRoom,     ///< no room in the buffer in front of the link
    Trimmed,    ///< likewise, but only the payload is cut off
    Corrupted,  ///< an error on the link
    LinkDown    ///< the link went down, or never comes back
};

/// Hears of every packet that is put on a link, of what waits for one and for how long, and of what
/// networks without credits do to packets.
class PacketObserver {
public:
    /// @param link the link
    /// @param wire bytes of the packet, header included
    /// @param arrival when its last byte is in at the other end; Time::max() where it is lost
    /// @param waited bytes of it of which packet_queued() has told; 0 where it starts at the node,
    /// or
    ///               has not waited
    virtual void packet_started(LinkId link, Bytes wire, Time arrival, Bytes waited) = 0;

    /// A packet comes in from another part of a split network, in which it has started.
    /// @param link the link
    /// @param wire bytes of the packet, header included
    /// @param arrival when its last byte is in
    virtual void packet_entered(LinkId /* link */, Bytes /* wire */, Time /* arrival */) {}

    /// Told as soon as it is known.
    /// @param link a link that the packet is going to wait for
    /// @param wire bytes of the packet, header included
    /// @param from when it begins to wait: it may leave from then on
    virtual void packet_queued(LinkId link, Bytes wire, Time from) = 0;

    /// A packet of which packet_queued() has told does not wait for the link any more: the link
    /// never comes back, and the packet takes another one, of which packet_queued() tells.
    /// @param link the link
    /// @param wire bytes of the packet, header included
    /// @param from when it ceases to wait: now, or, where it was to begin later, then
    virtual void packet_gave_up(LinkId /* link */, Bytes /* wire */, Time /* from */) {}

    /// A link was idle because its packets waited for credit; one of them leaves now.
    /// @param link the link
    /// @param from when the first of them could have left
    /// @param duration of the wait, without the time in which the link was down
    virtual void credit_stalled(LinkId link, Time from, Time duration) = 0;

    /// A packet is lost: it counts in LinkUse::drops.
    /// @param link in front of which, or on which; then it is told when the packet starts
    /// @param wire bytes of the packet, header included, before a payload is cut off
    /// @param why it is lost
    virtual void packet_lost(LinkId /* link */, Bytes /* wire */, PacketDrop /* why */) {}

    /// A packet is marked: it counts in LinkUse::marked.
    /// @param link that it comes to wait for
    /// @param wire bytes of the packet, header included
    virtual void packet_marked(LinkId /* link */, Bytes /* wire */) {}

    /// A link is told to pause a class, which counts in LinkUse::pauses, or may go on with it.
    /// @param link that sends
    /// @param traffic_class which is meant
    /// @param paused whether it pauses from now on
    virtual void link_paused(LinkId /* link */, std::uint8_t /* trafficClass */,
                             bool /* paused */) {}

protected:
    ~PacketObserver() = default;
};

}  // namespace npunet::packet
