/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-shared-buffer.h"

#include "npu-ethernet-port.h"

#include "base/quantities.h"

#include <algorithm>

namespace npunet::packet
{

namespace
{

/**
 * What can still come by a link after a packet in it has made its node ask for a pause: that
 * packet, what the link is sending when it hears of it, and all that it sends until then. The
 * request waits for the packet that is on the link back, and for those of other classes.
 * @param forth the link
 * @param back the link back
 * @param largest bytes of a packet
 * @param classes that may ask at once
 * @return bytes
 */
std::int64_t
HeadroomOf(const topology::Link& forth,
           const topology::Link& back,
           std::int64_t largest,
           std::int64_t classes)
{
    __extension__ using Wide = __int128;
    const Time asked = transfer_time(Bytes(largest + classes * PAUSE_BYTES), back.rate);
    const Wide span = Wide{asked.ps()} + back.latency.ps() + forth.latency.ps();
    const Wide bytes = span * forth.rate.bytes_per_second() / 1'000'000'000'000 + 1 + 2 * largest;
    return static_cast<std::int64_t>(std::min<Wide>(bytes, std::int64_t{1} << 60));
}

} // namespace

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
                      : HeadroomOf(graph.link(LinkId(link)), graph.link(back), largest, m_classes));
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

} // namespace npunet::packet
