/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/partition/partition.h"

#include "base/errors.h"

#include <cassert>
#include <string>
#include <utility>

namespace npunet::packet
{

NetworkPart::NetworkPart(const topology::Graph& graph, std::vector<bool> owned, PacketCut& cut)
    : m_graph(graph), m_owned(std::move(owned)), m_cut(cut)
{
    assert(m_owned.size() == graph.nodes());
    for (std::size_t number = 0; number < graph.links(); ++number)
    {
        const topology::Link& link = graph.link(LinkId(number));
        if (IsCut(LinkId(number)) && link.latency == Time())
        {
            throw InputError({"",
                              "network",
                              "a link without latency between two parts, from '" +
                                  graph.name(link.from) + "' to '" + graph.name(link.to) + "'",
                              "links with a latency where the network is split",
                              "keep the two nodes together"});
        }
    }
}

} // namespace npunet::packet
