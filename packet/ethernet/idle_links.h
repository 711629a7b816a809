// Links of an EthernetNetwork on which nothing is under way: what of the past decides how the next
// messages fare there. A word for each link: whose turn it is. Queue pairs must be as new ones, so
// that whatever congestion control has heard of congestion is not idle any more. At rest (all is
// delivered) acknowledgements may be under way: packets, ports and queue pairs are described,
// relative to the present and to the end of their queue pairs.
#pragma once

#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/ethernet_port.h"
#include "packet/transport/transport.h"

#include "base/quantities.h"
#include "engine/network/idle_links.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class EthernetIdleLinks final : public engine::IdleLinks {
public:
    /// The references must outlive this.
    EthernetIdleLinks(const topology::NetworkDescription& description, EthernetNetworkState& state,
                      PriorityFlowControl& flow_control, const EcnMarks& marks,
                      const QueuePairs& pairs, EthernetFastForward& fast_forward);

    /// Where fast-forward is possible, with one traffic class, without start jitter, and with
    /// DCQCN or no congestion control: others never are as when they were made.
    bool idle_state(const Links& links, State& state) override;
    bool has_quiet_messages() const override { return true; }
    bool is_quiet(NodeId from, NodeId to, const Links& links) override;
    bool has_rest_state() const override { return true; }
    bool rest_state(const Links& links, State& state) override;
    void set_idle_state(const Links& links, const State& state,
                        const std::vector<engine::LinkUse>* carried) override;
    std::vector<engine::LinkUse> use_of(const Links& links) const override;
    void forget_longest_queues(const Links& links) override;

    /// Whether a node has had so much in its buffer that a threshold may have decided: not if all
    /// that has ever waited at its ports would have fitted below it at once.
    bool nodes_matter(const std::vector<engine::LinkUse>& elsewhere) const override;

    /// Packets so far for which a mark was drawn, in ps.
    Time contention(const Links& links) const override;

    std::vector<std::uint64_t> packet_numbers(const Links& links) const override;
    void skip_packet_numbers(const Links& links,
                             const std::vector<std::uint64_t>& packets) override;

private:
    bool is_idle(std::uint32_t link) const;
    /// PFC: whether nothing that the link has brought is at the node at its end.
    bool has_brought_nothing(std::uint32_t link) const;
    /// Frees the space of what has left that node.
    void release_past(std::uint32_t link) const;
    /// Whether no data is at the port, and nothing is paused there.
    bool has_no_data(std::uint32_t link) const;
    void describe_port(std::uint32_t link, State& state) const;
    /// False where there is anything but acknowledgements.
    bool describe_queue(const PacketQueue& queue, State& state) const;
    /// False where a queue pair that sends by the port has more to send, or has a past.
    bool describe_pairs(std::uint32_t link, State& state) const;

    bool possible_;
    bool answers_;  ///< there are acknowledgements of all messages
    std::size_t nodes_;
    std::vector<LinkId> shown_;  ///< the links of this network
    std::int64_t largest_;       ///< bytes of the largest packet
    EthernetNetworkState& state_;
    PriorityFlowControl& flow_control_;
    const EcnMarks& marks_;
    const QueuePairs& pairs_;
    EthernetFastForward& fast_forward_;
};

}  // namespace npunet::packet
