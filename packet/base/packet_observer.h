// Notifications about every packet that starts on a link or waits for one, and about stalls, drops,
// marks and pauses. Sizes include headers.
//
//     class Counter final : public PacketObserver { ... };
//     network.set_observer(&counter);
#pragma once

#include "base/ids.h"
#include "base/quantities.h"

#include <cstdint>

namespace npunet::packet {

/// Why a packet, or its payload, is lost.
enum class PacketDrop : std::uint8_t {
    NoRoom,     ///< no space in the buffer in front of the link
    Trimmed,    ///< the same, but only the payload is dropped
    Corrupted,  ///< an error on the link
    LinkDown    ///< the link went down during the transmission, or is down permanently
};

class PacketObserver {
public:
    /// A packet starts on a link. `arrival`: of its last byte; Time::max() if it is lost. `waited`:
    /// its bytes as announced by packet_queued(); 0 if it starts at the node or did not wait.
    virtual void packet_started(LinkId link, Bytes wire, Time arrival, Bytes waited) = 0;

    /// A packet that started in another partition enters. `arrival`: of its last byte.
    virtual void packet_entered(LinkId /* link */, Bytes /* wire */, Time /* arrival */) {}

    /// A packet will wait for a link from `from` on, when it may leave. Called as soon as this is
    /// known.
    virtual void packet_queued(LinkId link, Bytes wire, Time from) = 0;

    /// A packet announced by packet_queued() is rerouted, as the link is down permanently;
    /// packet_queued() follows for its new link. `from`: when it stops waiting, which is now, or
    /// its announced time if that is later.
    virtual void packet_gave_up(LinkId /* link */, Bytes /* wire */, Time /* from */) {}

    /// A packet leaves now by a link that was idle because its packets waited for credit. `from`:
    /// when the first of them could have left; `duration`: without the time in which the link was
    /// down. With PFC: a pause of the link ends.
    virtual void credit_stalled(LinkId link, Time from, Time duration) = 0;

    /// A packet is lost in front of a link, or on it (called when the packet starts); counted in
    /// LinkUse::drops. `wire`: including a trimmed payload.
    virtual void packet_lost(LinkId /* link */, Bytes /* wire */, PacketDrop /* why */) {}

    /// A packet is marked when it joins the queue of the link; counted in LinkUse::marked.
    virtual void packet_marked(LinkId /* link */, Bytes /* wire */) {}

    /// A class of the sending link is paused, counted in LinkUse::pauses, or resumed.
    virtual void link_paused(LinkId /* link */, std::uint8_t /* traffic_class */,
                             bool /* paused */) {}

protected:
    ~PacketObserver() = default;
};

}  // namespace npunet::packet
