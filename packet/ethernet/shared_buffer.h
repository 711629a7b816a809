// Shared buffers of all nodes: one a node, shared by its packets, with dynamic thresholds
// (topology::SharedBufferParameters). Sizes include headers; all of a packet counts from its
// arrival (with cut-through: of its header) until its last byte has left.
//
// The threshold is alpha x free space, rounded down.
//
// With PFC, packets are counted by the link and class by which they arrived. A packet that exceeds
// the threshold or the free space, or finds others in the headroom of its link and class, goes into
// that headroom, and the link is told to pause; if it exceeds the headroom, it is lost. The link
// may resume when none of its packets is in the headroom, and either two packets of the largest
// size would fit below the threshold or none of its packets is left; this is checked when one of
// its packets leaves. Packets that leave are subtracted from the headroom first.
//
// Automatic headroom of a link and class: two packets of the largest size, plus what can arrive in
// both latencies and the time that the reverse link takes for the largest packet and one PAUSE
// frame of each class.
//
// Without PFC a packet is accepted if it fits into the free space, and with it, what waits for its
// output in its class stays within the threshold.
#pragma once

#include "base/quantities.h"
#include "engine/clock/state_scan.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class SharedBuffer {
public:
    /// What happens to a packet that arrives.
    enum class Verdict : std::uint8_t {
        Taken,
        TakenPauses,  ///< in the headroom; the link has to pause; returned once until it resumes
        Dropped
    };

    /// `largest`: bytes of the largest packet, with telemetry of 64 ports; `reverse`: by link, its
    /// reverse link or none.
    SharedBuffer(const topology::NetworkDescription& description, std::int64_t largest,
                 const std::vector<std::uint32_t>& reverse);

    /// PFC: whether a packet that arrives at the node by the link has room in shared space, which
    /// it takes.
    bool take_shared(std::size_t node_number, std::uint32_t link, std::uint32_t traffic_class,
                     std::int64_t bytes) {
        Node& node = nodes_[node_number];
        Input& input = inputs_[link * classes_ + traffic_class];
        const bool fits = input.headroom == 0 && input.shared + bytes <= threshold(node) &&
                          node.used + bytes <= node.room;
        if (fits) {
            node.used += bytes;
            input.shared += bytes;
        }
        return fits;
    }

    /// PFC: a packet arrives at the node by the link.
    Verdict take_or_pause(std::size_t node, std::uint32_t link, std::uint32_t traffic_class,
                          std::int64_t bytes);

    /// No PFC: whether a packet that arrives at the node is accepted. `queued`: bytes of its class
    /// that wait for its output.
    bool take_or_drop(std::size_t node, std::int64_t queued, std::int64_t bytes);

    /// PFC: a packet leaves that arrived by the link with `bytes`. Returns whether the paused link
    /// may resume, once.
    bool release_and_resume(std::size_t node, std::uint32_t link, std::uint32_t traffic_class,
                            std::int64_t bytes);

    /// No PFC: a packet leaves that arrived with `bytes`.
    void release(std::size_t node, std::int64_t bytes) { nodes_[node].used -= bytes; }

    /// PFC: whether the node has told any link to pause, and not to resume.
    bool pauses_any(std::size_t node) const { return nodes_[node].paused > 0; }

    // For PauseDeadlock.

    /// PFC: whether the link has been told to pause in the class, and not to resume.
    bool is_paused(std::uint32_t link, std::uint32_t traffic_class) const {
        return inputs_[link * classes_ + traffic_class].paused;
    }

    /// PFC: bytes of what the link has brought in the class that are in shared space once all but
    /// `left` of them have left the node.
    std::int64_t left_shared(std::uint32_t link, std::uint32_t traffic_class,
                             std::int64_t left) const {
        return left_of(link, traffic_class, left).shared;
    }

    /// PFC: whether the paused link may resume then, with `used` bytes of the node's shared space.
    /// Not if none of its packets leaves, as that is when it is checked.
    bool would_resume(std::size_t node, std::uint32_t link, std::uint32_t traffic_class,
                      std::int64_t left, std::int64_t used) const {
        const Input& input = inputs_[link * classes_ + traffic_class];
        return left == 0 ||
               (left < input.shared + input.headroom &&
                may_resume({nodes_[node].room, used, 0}, left_of(link, traffic_class, left)));
    }

    /// Whether no threshold of the node decides anything while it has at most this number of bytes.
    bool has_room_for(std::size_t node, std::int64_t most) const {
        return most <= nodes_[node].room && most <= threshold({nodes_[node].room, most, 0});
    }

    /// PFC: nothing of what the link has brought is there, and it is not paused.
    bool has_nothing_of(std::uint32_t link) const;

    /// PFC: appends what the link has brought and is there, by class: in shared space, and in
    /// headroom with whether it is paused.
    void describe(std::uint32_t link, std::vector<std::uint64_t>& words) const;

    void scan(engine::StateScan& scan);

private:
    /// The buffer of a node, in bytes, without headroom.
    struct Node {
        std::int64_t room = 0;  ///< total
        std::int64_t used = 0;
        std::uint32_t paused = 0;  ///< links, by class, that have been told to pause
    };

    /// What a link has brought in one class, in bytes.
    struct Input {
        std::int64_t shared = 0;
        std::int64_t headroom = 0;
        bool paused = false;  ///< the link has been told to pause
    };

    /// The input once all but `left` bytes have left.
    Input left_of(std::uint32_t link, std::uint32_t traffic_class, std::int64_t left) const;

    /// Whether a link that has been told to pause may resume.
    bool may_resume(const Node& node, const Input& input) const {
        return input.headroom == 0 &&
               (input.shared == 0 || input.shared + hysteresis_ <= threshold(node));
    }

    /// Limit of a queue, in bytes.
    std::int64_t threshold(const Node& node) const {
        return capped_whole(alpha_ * static_cast<double>(node.room - node.used));
    }

    double alpha_;
    std::uint32_t classes_;
    std::int64_t hysteresis_;  ///< bytes below the threshold at which a link resumes
    std::vector<Node> nodes_;
    std::vector<Input> inputs_;            ///< by link and class
    std::vector<std::int64_t> headrooms_;  ///< by link, for each class, in bytes
};

}  // namespace npunet::packet
