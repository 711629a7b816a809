/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_NETWORK_PART_H
#define NPU_NETWORK_PART_H

#include "packet/partition/boundary_frame.h"
#include "packet/partition/partition_link.h"

#include "base/ids.h"
#include "topology/graph.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * One part of a split network: which nodes are its own, and what joins it to the others.
 */
class NetworkPart
{
  public:
    /**
     * @param graph the whole network; must outlive this
     * @param owned by node: whether it is in this part
     * @param cut joins the parts; must outlive this
     *
     * Throws InputError where a link between two parts has no latency.
     */
    NetworkPart(const topology::Graph& graph, std::vector<bool> owned, PacketCut& cut);

    /**
     * @return what joins the parts
     */
    PacketCut&
    Cut()
    {
        return m_cut;
    }

    /**
     * @param node a node
     * @return whether it is in this part
     */
    bool
    Owns(NodeId node) const
    {
        return m_owned[node.index()];
    }

    /**
     * @param link a link
     * @return whether one of its ends is in this part, and the other is not
     */
    bool
    IsCut(LinkId link) const
    {
        return Owns(m_graph.link(link).from) != Owns(m_graph.link(link).to);
    }

    /**
     * @param kind of a frame
     * @return the frame, to which values can be added until the next one begins
     */
    BorderFrame&
    Begin(std::uint8_t kind)
    {
        m_frame.Begin(kind);
        return m_frame;
    }

    /**
     * What begins now is told where a link ends.
     * @param link to another part
     * @param now the time
     */
    void
    SendAlong(LinkId link, Time now)
    {
        m_cut.FrameLeaves(m_frame, m_graph.link(link).to, BehindBorder(link, now));
    }

    /**
     * What begins now is told where a link comes from.
     * @param link from another part
     * @param now the time
     */
    void
    SendBack(LinkId link, Time now)
    {
        m_cut.FrameLeaves(m_frame, m_graph.link(link).from, BehindBorder(link, now));
    }

  private:
    /**
     * Whatever leaves takes a picosecond at least besides the latency, so this is in time. Later
     * than the latency, it is told behind the border before its instant has begun there.
     * @param link between two parts
     * @param now the time
     * @return when what happens now is told at the other end of the link
     */
    Time
    BehindBorder(LinkId link, Time now) const
    {
        return now + m_graph.link(link).latency + Time::ps(1);
    }

    const topology::Graph& m_graph; ///< the whole network
    std::vector<bool> m_owned;      ///< by node: whether it is in this part
    PacketCut& m_cut;               ///< joins the parts
    BorderFrame m_frame;            ///< the one that was begun last
};

} // namespace npunet::packet

#endif /* NPU_NETWORK_PART_H */
