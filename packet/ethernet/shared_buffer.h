#pragma once

#include "base/quantities.h"
#include "engine/state_scan.h"

#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The buffers of all nodes: each node has one, which its packets share, with dynamic thresholds
/// (topology::SharedBufferParameters). Bytes with headers; all of a packet counts from when it
/// comes (with cut-through: its header) until its last byte has left.
///
/// With pauses packets are counted by the link and class by which they came. A packet that finds
/// less room than it needs below the threshold, alpha x what is free (rounded down), or in what is
/// free, or that finds others in the headroom of its link and class, goes into that headroom, and
/// the link is told to pause; where the headroom has no room for it, it is lost. The link may go on
/// when none of its packets is in the headroom and two of the largest packets would fit below the
/// threshold, or nothing of it is left; whether so is asked when one of its packets leaves. Packets
/// that leave are taken off the headroom first.
///
/// The headroom of a link and class, where it is automatic: what comes during the time that the
/// link back needs for the largest packet and a request of each class, and both latencies, and two
/// largest packets.
///
/// Without pauses a packet is taken if it fits into what is free and, with it, what waits for its
/// output in its class is at most alpha x what is free.
class SharedBuffer {
public:
    /// What becomes of a packet that comes in.
    enum class Verdict : std::uint8_t {
        Taken,        ///< there is room
        TakenPauses,  ///< there is headroom only, and the link has to pause; told once
        Dropped       ///< there is no room
    };

    /// @param description the network
    /// @param largest bytes of the largest packet on the wire, with telemetry of 64 ports
    /// @param reverse by link: the link back, or none
    SharedBuffer(const topology::NetworkDescription& description, std::int64_t largest,
                 const std::vector<std::uint32_t>& reverse);

    /// Pauses: a packet comes in.
    /// @param node it comes to
    /// @param link by which
    /// @param traffic_class of it
    /// @param bytes of it
    /// @return what becomes of it
    Verdict take_or_pause(std::size_t node, std::uint32_t link, std::uint32_t traffic_class,
                          std::int64_t bytes);

    /// No pauses: a packet comes in.
    /// @param node it comes to
    /// @param queued bytes that wait for its output in its class
    /// @param bytes of it
    /// @return whether it is taken
    bool take_or_drop(std::size_t node, std::int64_t queued, std::int64_t bytes);

    /// Pauses: a packet has left.
    /// @param node it leaves
    /// @param link by which it had come
    /// @param traffic_class of it
    /// @param bytes of it when it came
    /// @return whether the link, which was told to pause, may go on; told once
    bool release_and_resume(std::size_t node, std::uint32_t link, std::uint32_t traffic_class,
                            std::int64_t bytes);

    /// No pauses: a packet has left.
    /// @param node it leaves
    /// @param bytes of it when it came
    void release(std::size_t node, std::int64_t bytes) { nodes_[node].used -= bytes; }

    /// @param link a link
    /// @param traffic_class a class
    /// @return whether the link is told to pause the class
    bool pauses(std::uint32_t link, std::uint32_t traffic_class) const {
        return inputs_[link * classes_ + traffic_class].paused;
    }

    /// @param scan of the whole network
    void scan(engine::StateScan& scan);

private:
    /// The buffer of a node, without headroom.
    struct Node {
        std::int64_t room = 0;  ///< bytes
        std::int64_t used = 0;  ///< bytes of them
    };

    /// What has come in by a link in a class.
    struct Input {
        std::int64_t shared = 0;    ///< bytes in the shared room
        std::int64_t headroom = 0;  ///< bytes in the headroom
        bool paused = false;        ///< the link is told to pause
    };

    /// @param node a node
    /// @return bytes below which a queue must stay
    std::int64_t threshold(const Node& node) const {
        return capped_whole(alpha_ * static_cast<double>(node.room - node.used));
    }

    double alpha_;                         ///< times what is free is for one queue
    std::uint32_t classes_;                ///< how many
    std::int64_t hysteresis_;              ///< bytes below the threshold at which a link goes on
    std::vector<Node> nodes_;              ///< by number
    std::vector<Input> inputs_;            ///< by link and class
    std::vector<std::int64_t> headrooms_;  ///< by link, of each class, in bytes
};

}  // namespace npunet::packet
