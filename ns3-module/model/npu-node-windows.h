/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_NODE_WINDOWS_H
#define NPU_NODE_WINDOWS_H

#include "npu-credit-account.h"

#include "topology/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * When the ports of a network have to decide next, node by node: a node's ports lie side by side,
 * and nodes in blocks know the earliest of theirs, so that finding those that are due takes no
 * heap.
 *
 *     NodeWindows windows(graph);
 *     windows.Wake(port, 5000, nobody);
 *     windows.ForEachDue(6000, [&](std::uint32_t node) { ... });
 *
 * Times in picoseconds.
 */
class NodeWindows
{
  public:
    /**
     * @param graph nodes and links
     */
    explicit NodeWindows(const topology::Graph& graph)
        : m_place(graph.links()), m_node(graph.links()), m_first(graph.nodes() + 1),
          m_wakes(graph.links(), NEVER), m_ports(graph.links()), m_nodes(graph.nodes(), NEVER),
          m_blocks(graph.nodes() / BLOCK + 1, NEVER)
    {
        std::uint32_t place = 0;
        for (std::size_t node = 0; node < graph.nodes(); ++node)
        {
            m_first[node] = place;
            for (const LinkId link : graph.links_from(NodeId(node)))
            {
                m_ports[place] = static_cast<std::uint32_t>(link.index());
                m_node[link.index()] = static_cast<std::uint32_t>(node);
                m_place[link.index()] = place++;
            }
            std::sort(m_ports.begin() + m_first[node], m_ports.begin() + place);
            for (std::uint32_t i = m_first[node]; i < place; ++i)
            {
                m_place[m_ports[i]] = i;
            }
        }
        m_first.back() = place;
    }

    /**
     * @param port an output port
     * @param at when it has to decide
     * @param alone the node that is going on and will Leave(), or any other number
     */
    void
    Wake(std::uint32_t port, std::int64_t at, std::uint32_t alone)
    {
        m_wakes[m_place[port]] = at;
        const std::uint32_t node = m_node[port];
        if (node == alone)
        {
            return;
        }
        m_nodes[node] = std::min(m_nodes[node], at);
        m_blocks[node / BLOCK] = std::min(m_blocks[node / BLOCK], at);
    }

    /**
     * @return no port has to decide before; NEVER when none has to
     */
    std::int64_t
    Earliest() const
    {
        return *std::min_element(m_blocks.begin(), m_blocks.end());
    }

    /**
     * Calls a function for every node that has something to decide before a time, until none has.
     * @param limit the time
     * @param function of the node; says afterwards, by Leave(), when the node is due again
     */
    template <class Function>
    void
    ForEachDue(std::int64_t limit, Function function)
    {
        for (std::size_t block = 0; block < m_blocks.size(); ++block)
        {
            if (m_blocks[block] < limit)
            {
                const std::size_t end = std::min((block + 1) * BLOCK, m_nodes.size());
                std::int64_t earliest = NEVER;
                // A node that is due again is due for one before it at the most: see the caller.
                m_blocks[block] = NEVER;
                for (std::size_t node = block * BLOCK; node < end; ++node)
                {
                    if (m_nodes[node] < limit)
                    {
                        function(static_cast<std::uint32_t>(node));
                    }
                    earliest = std::min(earliest, m_nodes[node]);
                }
                m_blocks[block] = std::min(m_blocks[block], earliest);
            }
        }
    }

    /// The first of the ports of a node that have to decide.
    struct Due
    {
        std::int64_t first = NEVER;  ///< when it has to
        std::int64_t second = NEVER; ///< when the next one of the others has to
        std::uint32_t port = 0;      ///< which one
    };

    /**
     * @param node a node
     * @return its first port
     */
    Due
    First(std::uint32_t node) const
    {
        Due due;
        for (std::uint32_t i = m_first[node]; i < m_first[node + 1]; ++i)
        {
            if (m_wakes[i] < due.first)
            {
                due.second = due.first;
                due.first = m_wakes[i];
                due.port = m_ports[i];
            }
            else
            {
                due.second = std::min(due.second, m_wakes[i]);
            }
        }
        return due;
    }

    /**
     * Takes back the wish of a port.
     * @param port the port
     */
    void
    Forget(std::uint32_t port)
    {
        m_wakes[m_place[port]] = NEVER;
    }

    /**
     * @param port a port
     * @return when it has to decide
     */
    std::int64_t
    WakeOf(std::uint32_t port) const
    {
        return m_wakes[m_place[port]];
    }

    /**
     * Calls a function for every port of a node that has to decide at a time, in ascending order,
     * and takes the wish back before.
     * @param node a node
     * @param at the time
     * @param function of the port
     */
    template <class Function>
    void
    ForEachPort(std::uint32_t node, std::int64_t at, Function function)
    {
        for (std::uint32_t i = m_first[node]; i < m_first[node + 1]; ++i)
        {
            if (m_wakes[i] == at)
            {
                m_wakes[i] = NEVER;
                function(m_ports[i]);
            }
        }
    }

    /**
     * Calls a function for every port of a node that has to decide before a time, in ascending
     * order.
     * @param node a node
     * @param limit the time
     * @param function of the port
     */
    template <class Function>
    void
    ForEachPortBefore(std::uint32_t node, std::int64_t limit, Function function)
    {
        for (std::uint32_t i = m_first[node]; i < m_first[node + 1]; ++i)
        {
            if (m_wakes[i] < limit)
            {
                function(m_ports[i]);
            }
        }
    }

    /**
     * @param node a node
     * @param at when its first port has to decide
     */
    void
    Leave(std::uint32_t node, std::int64_t at)
    {
        m_nodes[node] = at;
    }

  private:
    static constexpr std::size_t BLOCK = 32; ///< nodes

    std::vector<std::uint32_t> m_place; ///< by port: its place among those of all nodes
    std::vector<std::uint32_t> m_node;  ///< by port
    std::vector<std::uint32_t> m_first; ///< by node, and one more: place of its first port
    std::vector<std::int64_t> m_wakes;  ///< by place
    std::vector<std::uint32_t> m_ports; ///< by place
    std::vector<std::int64_t> m_nodes;  ///< by node: none of its ports decides before
    std::vector<std::int64_t> m_blocks; ///< by block: none of its nodes decides before
};

} // namespace npunet::packet

#endif /* NPU_NODE_WINDOWS_H */
