/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ROUTE_PLAN_H
#define NPU_ROUTE_PLAN_H

#include "base/ids.h"
#include "topology/graph.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet
{

/// The path from one NPU to another: links, and the virtual channel on each.
using RouteFunction = std::function<std::vector<topology::Hop>(NodeId, NodeId)>;

/**
 * @ingroup npunet
 * One hop of a route as the machine needs it.
 */
struct PlannedHop
{
    std::uint32_t port = 0;   ///< output port, which is the link's number
    std::uint32_t queue = 0;  ///< the queue of that port in which the packet waits for it
    std::uint8_t channel = 0; ///< virtual channel on the link
    bool final = false;       ///< whether the link ends at the destination
};

/**
 * @ingroup npunet
 * Numbers the queues of every output port, and translates routes into ports and queues. A route is
 * asked for once per pair of NPUs, when its first message starts.
 *
 * The queues of port p are FirstQueue(p) .. FirstQueue(p) + Queues(p) - 1: for each link that
 * reaches the port's node, in the graph's order, one per virtual channel; then one per virtual
 * channel for the messages that start at the node.
 */
class RoutePlan
{
  public:
    /**
     * @param graph must outlive the plan
     * @param route the routes; links must follow one another, channels be below `channels`
     * @param channels virtual channels of every link, those of all classes
     * @param classes traffic classes
     */
    RoutePlan(const topology::Graph& graph,
              RouteFunction route,
              std::uint32_t channels,
              std::uint32_t classes);

    /**
     * @param source an NPU
     * @param destination another NPU
     * @param number the traffic class
     * @return index of the first hop; the others follow it up to the one that is final
     */
    std::uint32_t
    FirstHop(NodeId source, NodeId destination, std::uint32_t number)
    {
        const std::vector<std::uint32_t>& row = m_firstHop[source.index() * m_classes + number];
        if (!row.empty() && row[destination.index()] != UNKNOWN)
        {
            return row[destination.index()];
        }
        return Plan(source, destination, number);
    }

    /**
     * @return nodes and links
     */
    const topology::Graph&
    GetGraph() const
    {
        return m_graph;
    }

    /**
     * @param hop index
     * @return the hop
     */
    const PlannedHop&
    operator[](std::uint32_t hop) const
    {
        return m_hops[hop];
    }

    /**
     * A hop that is not part of a route asked for. Routes know the channels of one class.
     * @param input the link by which the packet has come, or NONE_YET where it starts
     * @param inputChannel virtual channel of that link; where it starts, that of the hop
     * @param hop the hop
     * @param firstChannel of the packet's traffic class
     * @param destination of the packet
     * @return the hop as the machine needs it
     */
    PlannedHop Planned(std::uint32_t input,
                       std::uint8_t inputChannel,
                       topology::Hop hop,
                       std::uint32_t firstChannel,
                       NodeId destination) const;

    /// No link: the packet starts at the node.
    static constexpr std::uint32_t NONE_YET = 0xffffffff;

    /**
     * Keeps a hop that is not part of a route. Not together with FirstHop().
     * @param index where; operator[] finds it there
     * @param hop the hop; a copy, as it may be one that is kept here
     */
    void
    Keep(std::uint32_t index, PlannedHop hop)
    {
        if (index >= m_hops.size())
        {
            m_hops.resize(index + 1);
        }
        m_hops[index] = hop;
    }

    /**
     * @param port output port
     * @return number of its first queue
     */
    std::uint32_t
    FirstQueue(std::size_t port) const
    {
        return m_firstQueue[port];
    }

    /**
     * @param port output port
     * @return how many queues it has
     */
    std::uint32_t
    Queues(std::size_t port) const
    {
        return m_firstQueue[port + 1] - m_firstQueue[port];
    }

  private:
    static constexpr std::uint32_t UNKNOWN = 0xffffffff; ///< a route not yet asked for

    /**
     * Asks for a route.
     * @param source an NPU
     * @param destination another NPU
     * @param number the traffic class
     * @return index of its first hop
     */
    std::uint32_t Plan(NodeId source, NodeId destination, std::uint32_t number);

    const topology::Graph& m_graph;          ///< nodes and links
    RouteFunction m_route;                   ///< the routes
    std::uint32_t m_channels;                ///< virtual channels of every link
    std::uint32_t m_classes;                 ///< traffic classes
    std::vector<std::uint32_t> m_firstQueue; ///< by port, and one more
    std::vector<std::uint32_t> m_inputRank;  ///< by link: its place at the node it reaches
    std::vector<std::vector<std::uint32_t>> m_firstHop; ///< by source and class, then destination
    std::vector<PlannedHop> m_hops;                     ///< all routes asked for, end to end
};

} // namespace npunet::packet

#endif /* NPU_ROUTE_PLAN_H */
