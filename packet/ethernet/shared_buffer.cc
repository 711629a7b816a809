/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/shared_buffer.h"

#include "topology/headroom.h"

#include <algorithm>

namespace npunet::packet
{

SharedBuffer::SharedBuffer(const topology::NetworkDescription& description,
                           std::int64_t largest,
                           const std::vector<std::uint32_t>& reverse)
    : m_alpha(description.packet.shared_buffer.alpha), m_classes(description.packet.classes.count),
      m_hysteresis(2 * largest), m_nodes(description.graph.nodes())
{
    const topology::Graph& graph = description.graph;
    for (std::size_t node = 0; node < m_nodes.size(); ++node)
    {
        m_nodes[node].room = description.shared_buffer_of(NodeId(node)).value();
    }
    if (description.packet.flow_control != topology::FlowControl::Pfc)
    {
        return;
    }
    m_inputs.resize(graph.links() * m_classes);
    const std::int64_t given = description.packet.shared_buffer.headroom.value();
    for (std::size_t link = 0; link < graph.links(); ++link)
    {
        const LinkId back(std::size_t{reverse[link]});
        m_headrooms.push_back(
            given > 0 ? given
                      : topology::lossless_headroom(
                            graph.link(LinkId(link)), graph.link(back), Bytes(largest), m_classes)
                            .value());
    }
}

SharedBuffer::Verdict
SharedBuffer::TakeOrPause(std::size_t nodeNumber,
                          std::uint32_t link,
                          std::uint32_t trafficClass,
                          std::int64_t bytes)
{
    Node& node = m_nodes[nodeNumber];
    Input& input = m_inputs[link * m_classes + trafficClass];
    if (input.headroom == 0 && input.shared + bytes <= Threshold(node) &&
        node.used + bytes <= node.room)
    {
        node.used += bytes;
        input.shared += bytes;
        return Verdict::TAKEN;
    }
    if (input.headroom + bytes > m_headrooms[link])
    {
        return Verdict::DROPPED;
    }
    input.headroom += bytes;
    if (input.paused)
    {
        return Verdict::TAKEN;
    }
    input.paused = true;
    return Verdict::TAKEN_PAUSES;
}

bool
SharedBuffer::TakeOrDrop(std::size_t nodeNumber, std::int64_t queued, std::int64_t bytes)
{
    Node& node = m_nodes[nodeNumber];
    if (queued + bytes > Threshold(node) || node.used + bytes > node.room)
    {
        return false;
    }
    node.used += bytes;
    return true;
}

bool
SharedBuffer::ReleaseAndResume(std::size_t nodeNumber,
                               std::uint32_t link,
                               std::uint32_t trafficClass,
                               std::int64_t bytes)
{
    Node& node = m_nodes[nodeNumber];
    Input& input = m_inputs[link * m_classes + trafficClass];
    const std::int64_t above = std::min(bytes, input.headroom);
    input.headroom -= above;
    input.shared -= bytes - above;
    node.used -= bytes - above;
    if (!input.paused || input.headroom > 0 ||
        (input.shared > 0 && input.shared + m_hysteresis > Threshold(node)))
    {
        return false;
    }
    input.paused = false;
    return true;
}

void
SharedBuffer::Scan(engine::StateScan& scan)
{
    for (const Node& node : m_nodes)
    {
        scan.same(node.used);
    }
    for (std::size_t number = 0; number < m_inputs.size(); ++number)
    {
        const Input& input = m_inputs[number];
        if (input.shared != 0 || input.headroom != 0 || input.paused)
        {
            scan.same(static_cast<std::int64_t>(number));
            scan.same(input.shared);
            scan.same(input.headroom);
            scan.same(std::int64_t{input.paused});
        }
    }
}

} // namespace npunet::packet
