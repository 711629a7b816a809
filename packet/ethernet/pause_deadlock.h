// Links that stay paused for ever, because packets wait for each other in a cycle. For stall
// reports: costs as much as a look at all links and at what waits for paused ones.
//
// A link is in it, for one class, if its receiving node has told it to pause, no RESUME frame is
// under way, and the node will not let it resume: all packets that this link has brought wait for
// other such links, or those that do keep its queue above the threshold even when everything else
// has left the node. What else may still arrive only takes more room. It is the largest such set.
//
//     const PauseDeadlock deadlock(graph, state, queues, flow_control);
//     if (!deadlock.empty()) { ... deadlock.cycle() ... }
#pragma once

#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"

#include "base/ids.h"
#include "topology/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class PauseDeadlock {
public:
    /// Computes the set as of now. The references must outlive this. In a partition, links that
    /// leave it are taken for able to resume.
    PauseDeadlock(const topology::Graph& graph, const EthernetNetworkState& state,
                  const OutputQueues& queues, const PriorityFlowControl& flow_control);

    bool empty() const { return members_.empty(); }

    bool has(LinkId link, std::uint32_t traffic_class) const {
        return stays_paused_[index_of(static_cast<std::uint32_t>(link.index()), traffic_class)];
    }

    /// Links of one class, each paused by a node whose packets wait for the next link, and the last
    /// one for the first. Not if empty().
    std::vector<topology::Hop> cycle() const;

    /// The class of cycle().
    std::uint32_t traffic_class() const { return members_.front() % state_.class_count; }

private:
    std::uint32_t index_of(std::uint32_t link, std::uint32_t traffic_class) const {
        return link * state_.class_count + traffic_class;
    }

    /// Whether the link is paused in the class, and no frame under way changes that.
    bool is_paused(std::uint32_t link, std::uint32_t traffic_class) const;

    /// By link and class: bytes that it has brought and that wait for links that stay paused.
    std::vector<std::int64_t> blocked_bytes() const;

    /// Removes the links that can resume while those bytes stay. Returns whether there were any.
    bool remove_resuming(const std::vector<std::int64_t>& blocked);

    /// The first link of the set for which packets wait that came by `link`.
    std::uint32_t waits_for(std::uint32_t link, std::uint32_t traffic_class) const;

    const topology::Graph& graph_;
    const EthernetNetworkState& state_;
    const OutputQueues& queues_;
    const PriorityFlowControl& flow_control_;
    std::vector<bool> stays_paused_;      ///< by link and class
    std::vector<std::uint32_t> members_;  ///< the indices that are set
};

}  // namespace npunet::packet
