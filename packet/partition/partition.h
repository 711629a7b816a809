#pragma once

#include "packet/partition/boundary_frame.h"
#include "packet/partition/partition_link.h"

#include "base/ids.h"
#include "topology/graph.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// One part of a split network: which nodes are its own, and what joins it to the others.
class Partition {
public:
    /// @param graph the whole network; must outlive this
    /// @param owned by node: whether it is in this part
    /// @param cut joins the parts; must outlive this
    ///
    /// Throws InputError where a link between two parts has no latency.
    Partition(const topology::Graph& graph, std::vector<bool> owned, PartitionLink& cut);

    /// @return what joins the parts
    PartitionLink& cut() { return cut_; }

    /// @param node a node
    /// @return whether it is in this part
    bool owns(NodeId node) const { return owned_[node.index()]; }

    /// @param link a link
    /// @return whether one of its ends is in this part, and the other is not
    bool is_cut(LinkId link) const {
        return owns(graph_.link(link).from) != owns(graph_.link(link).to);
    }

    /// @param kind of a frame
    /// @return the frame, to which values can be added until the next one begins
    BoundaryFrame& begin(std::uint8_t kind) {
        frame_.begin(kind);
        return frame_;
    }

    /// What begins now is told where a link ends.
    /// @param link to another part
    /// @param now the time
    void send_along(LinkId link, Time now) {
        cut_.frame_leaves(frame_, graph_.link(link).to, behind_boundary(link, now));
    }

    /// What begins now is told where a link comes from.
    /// @param link from another part
    /// @param now the time
    void send_back(LinkId link, Time now) {
        cut_.frame_leaves(frame_, graph_.link(link).from, behind_boundary(link, now));
    }

private:
    /// Whatever leaves takes a picosecond at least besides the latency, so this is in time. Later
    /// than the latency, it is told behind the border before its instant has begun there.
    /// @param link between two parts
    /// @param now the time
    /// @return when what happens now is told at the other end of the link
    Time behind_boundary(LinkId link, Time now) const {
        return now + graph_.link(link).latency + Time::ps(1);
    }

    const topology::Graph& graph_;  ///< the whole network
    std::vector<bool> owned_;       ///< by node: whether it is in this part
    PartitionLink& cut_;            ///< joins the parts
    BoundaryFrame frame_;           ///< the one that was begun last
};

}  // namespace npunet::packet
