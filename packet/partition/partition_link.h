// The interface that joins the partitions of a split network (PacketNetwork::split()). It takes
// the frames that leave one partition and passes each to PacketNetwork::enter() of the partition
// that owns the target node, at the requested time. That time is later than now plus one latency of
// the link, and not later than any effect of the frame.
#pragma once

#include "packet/partition/boundary_frame.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network/network.h"

#include <cstdint>

namespace npunet::packet {

/// The description of a message that its packets carry into another partition. Times in
/// picoseconds.
struct BoundaryMessage {
    std::uint64_t id = 0;               ///< engine::MessageId
    std::int64_t start = 0;             ///< when it was sent
    std::int64_t bytes = 0;             ///< payload
    std::int64_t first_byte_left = -1;  ///< start of its first packet
    NodeId source;
    NodeId destination;
    std::uint32_t traffic_class = 0;
    engine::MessageLabel label;  ///< from PartitionLink::label_of()
};

class PartitionLink {
public:
    /// A message to another partition starts: returns what its receiver must know of it. `handle`
    /// is Message::handle.
    virtual engine::MessageLabel label_of(std::uint32_t handle) = 0;

    /// Sends a frame to the partition that owns `to`, which it enters at `at`.
    virtual void frame_leaves(const BoundaryFrame& frame, NodeId to, Time at) = 0;

    /// The last packet of a message to another partition has left its source or, with a transport,
    /// its last acknowledgement is in. Called after on_sent(), if that is wanted; no call for the
    /// message follows in this partition. `handle` is Message::handle.
    virtual void message_has_left(std::uint32_t handle) = 0;

    /// A message from another partition is delivered now.
    virtual void message_arrives(const BoundaryMessage& message) = 0;

protected:
    ~PartitionLink() = default;
};

}  // namespace npunet::packet
