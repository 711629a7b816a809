/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_NODE_WINDOWS_H
#define NPU_NODE_WINDOWS_H

#include "packet/base/credit_account.h"

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
 *     NodeWindows windows(graph, 1);
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
     * @param parts into which the nodes are divided, each a range with about as many ports
     */
    NodeWindows(const topology::Graph& graph, std::size_t parts)
        : m_place(graph.links()), m_node(graph.links()), m_first(graph.nodes() + 1),
          m_wakes(graph.links(), NEVER), m_ports(graph.links()), m_nodes(graph.nodes(), NEVER),
          m_blockOf(graph.nodes())
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
        MakeBlocks(parts);
    }

    /**
     * @return how many parts there are, none of them empty
     */
    std::uint32_t
    Parts() const
    {
        return static_cast<std::uint32_t>(m_firstBlock.size() - 1);
    }

    /**
     * @param node a node
     * @return number of its part
     */
    std::uint32_t
    PartOf(std::uint32_t node) const
    {
        return m_blocks[m_blockOf[node]].part;
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
        std::int64_t& earliest = m_blocks[m_blockOf[node]].earliest;
        earliest = std::min(earliest, at);
    }

    /// No port has to decide any more.
    void
    Clear()
    {
        std::fill(m_wakes.begin(), m_wakes.end(), NEVER);
        std::fill(m_nodes.begin(), m_nodes.end(), NEVER);
        for (Block& block : m_blocks)
        {
            block.earliest = NEVER;
        }
    }

    /**
     * @return no port has to decide before; NEVER when none has to
     */
    std::int64_t
    Earliest() const
    {
        std::int64_t earliest = NEVER;
        for (const Block& block : m_blocks)
        {
            earliest = std::min(earliest, block.earliest);
        }
        return earliest;
    }

    /**
     * Calls a function for every node that has something to decide before a time, until none has or
     * the function does not want to go on.
     * @param limit the time
     * @param function of the node; says afterwards, by Leave(), when the node is due again, and
     *        returns whether to go on with others
     */
    template <class Function>
    void
    ForEachDue(std::int64_t limit, Function function)
    {
        for (std::uint32_t part = 0; part < Parts(); ++part)
        {
            if (!ForEachDue(part, limit, function))
            {
                return;
            }
        }
    }

    /**
     * The same for one part.
     * @param part number of the part
     * @param limit the time
     * @param function of the node
     * @return whether to go on with others
     */
    template <class Function>
    bool
    ForEachDue(std::uint32_t part, std::int64_t limit, Function function)
    {
        bool goesOn = true;
        for (std::size_t i = m_firstBlock[part]; goesOn && i < m_firstBlock[part + 1]; ++i)
        {
            Block& block = m_blocks[i];
            if (block.earliest < limit)
            {
                std::int64_t earliest = NEVER;
                // Whoever is woken in a node that is done says so here.
                block.earliest = NEVER;
                for (std::uint32_t node = block.first; node < block.end; ++node)
                {
                    if (goesOn && m_nodes[node] < limit)
                    {
                        goesOn = function(node);
                    }
                    earliest = std::min(earliest, m_nodes[node]);
                }
                block.earliest = std::min(block.earliest, earliest);
            }
        }
        return goesOn;
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
    static constexpr std::uint32_t BLOCK = 32; ///< nodes, at the most

    /// Some nodes of one part.
    struct alignas(64) Block
    {
        std::int64_t earliest = NEVER; ///< none of its nodes decides before
        std::uint32_t first = 0;       ///< node
        std::uint32_t end = 0;         ///< node behind the last one
        std::uint32_t part = 0;        ///< number of the part
    };

    /**
     * @param parts wanted
     */
    void
    MakeBlocks(std::size_t parts)
    {
        const auto nodes = static_cast<std::uint32_t>(m_nodes.size());
        const std::size_t ports = m_ports.size();
        std::uint32_t node = 0;
        for (std::size_t number = 1; number <= parts; ++number)
        {
            const std::size_t share = ports * number / parts;
            std::uint32_t end = node;
            while (end < nodes && (number == parts || m_first[end + 1] <= share))
            {
                ++end;
            }
            if (end == node)
            {
                continue;
            }
            const auto part = static_cast<std::uint32_t>(m_firstBlock.size());
            m_firstBlock.push_back(m_blocks.size());
            for (; node < end; node = m_blocks.back().end)
            {
                Block block;
                block.first = node;
                block.end = std::min(node + BLOCK, end);
                block.part = part;
                for (std::uint32_t i = block.first; i < block.end; ++i)
                {
                    m_blockOf[i] = static_cast<std::uint32_t>(m_blocks.size());
                }
                m_blocks.push_back(block);
            }
        }
        m_firstBlock.push_back(m_blocks.size());
    }

    std::vector<std::uint32_t> m_place;    ///< by port: its place among those of all nodes
    std::vector<std::uint32_t> m_node;     ///< by port
    std::vector<std::uint32_t> m_first;    ///< by node, and one more: place of its first port
    std::vector<std::int64_t> m_wakes;     ///< by place
    std::vector<std::uint32_t> m_ports;    ///< by place
    std::vector<std::int64_t> m_nodes;     ///< by node: none of its ports decides before
    std::vector<std::uint32_t> m_blockOf;  ///< by node
    std::vector<Block> m_blocks;           ///< in the order of their nodes
    std::vector<std::size_t> m_firstBlock; ///< by part, and one more
};

} // namespace npunet::packet

#endif /* NPU_NODE_WINDOWS_H */
