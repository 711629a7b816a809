#pragma once

#include "packet/partition/boundary_frame.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network.h"

#include <cstdint>

namespace npunet::packet {

/// A message, as its packets tell of it where they come into another part of a split network. Times
/// in picoseconds.
struct BoundaryMessage {
    std::uint64_t id = 0;               ///< engine::MessageId
    std::int64_t start = 0;             ///< when it was sent
    std::int64_t bytes = 0;             ///< payload
    std::int64_t first_byte_left = -1;  ///< start of its first packet
    NodeId source;                      ///< an NPU
    NodeId destination;                 ///< another NPU
    std::uint32_t traffic_class = 0;    ///< its class
    engine::MessageLabel label;         ///< what its sender has said
};

/// What joins the parts of a split network (PacketNetwork::split()): it takes what leaves one part
/// and hands it to PacketNetwork::enter() of the part where the link ends, or begins, at the time
/// that it was told. That time is later than one latency of the link from now, and not later than
/// anything that follows from it.
class PartitionLink {
public:
    /// A message to another part starts.
    /// @param handle Message::handle
    /// @return what its receiver must know of it
    virtual engine::MessageLabel label_of(std::uint32_t handle) = 0;

    /// @param frame leaves this part
    /// @param to a node of the part for which it is
    /// @param at when it is to enter that part
    virtual void frame_leaves(const BoundaryFrame& frame, NodeId to, Time at) = 0;

    /// The last packet of a message to another part has left its source, or, with a transport, its
    /// last acknowledgement is in, and who wanted to has heard of it: nobody here hears of the
    /// message again.
    /// @param handle Message::handle
    virtual void message_has_left(std::uint32_t handle) = 0;

    /// A message from another part is delivered now.
    /// @param message the message
    virtual void message_arrives(const BoundaryMessage& message) = 0;

protected:
    ~PartitionLink() = default;
};

}  // namespace npunet::packet
