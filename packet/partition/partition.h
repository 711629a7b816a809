// One partition of a split network: which nodes it owns, and the link to the other partitions.
//
//     Partition partition(graph, owned, link_to_others);
//     if (partition.is_cut(link)) {
//         partition.begin(CREDIT).add(credit);
//         partition.send_along(link, now);
//     }
#pragma once

#include "packet/partition/boundary_frame.h"
#include "packet/partition/partition_link.h"

#include "base/ids.h"
#include "topology/graph/graph.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class Partition {
public:
    /// `graph` is the whole network, `owned` says for each node whether it is in this partition.
    /// The graph and `cut` must outlive the partition. Throws InputError if a link between two
    /// partitions has no latency.
    Partition(const topology::Graph& graph, std::vector<bool> owned, PartitionLink& cut);

    PartitionLink& cut() { return cut_; }

    bool owns(NodeId node) const { return owned_[node.index()]; }

    /// Whether exactly one end of the link is in this partition.
    bool is_cut(LinkId link) const {
        return owns(graph_.link(link).from) != owns(graph_.link(link).to);
    }

    /// Starts a frame, to which values can be added until the next one is started.
    BoundaryFrame& begin(std::uint8_t kind) {
        frame_.begin(kind);
        return frame_;
    }

    /// Sends the current frame downstream, to the node at which a link to another partition ends.
    void send_along(LinkId link, Time now) {
        cut_.frame_leaves(frame_, graph_.link(link).to, behind_boundary(link, now));
    }

    /// Sends the current frame upstream, to the node from which a link of another partition comes.
    void send_back(LinkId link, Time now) {
        cut_.frame_leaves(frame_, graph_.link(link).from, behind_boundary(link, now));
    }

private:
    /// When a frame sent now enters the other partition. Every transmission takes at least 1 ps in
    /// addition to the latency, so the frame precedes its effects. It comes strictly later than one
    /// latency, so that it is known there before its instant begins.
    Time behind_boundary(LinkId link, Time now) const {
        return now + graph_.link(link).latency + Time::ps(1);
    }

    const topology::Graph& graph_;
    std::vector<bool> owned_;  ///< by node
    PartitionLink& cut_;
    BoundaryFrame frame_;  ///< the one that was begun last
};

}  // namespace npunet::packet
