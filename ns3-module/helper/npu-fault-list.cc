// SPDX-License-Identifier: GPL-2.0-only

#include "npu-fault-list.h"

#include "base/errors.h"
#include "model/npu-quantities.h"

#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param value of a factor
 * @param least that it may have
 * @param most that it may have
 * @param place for messages
 * @return the factor
 */
npunet::topology::Factor
MakeFactor(double value, double least, double most, const std::string& place)
{
    constexpr auto one = static_cast<double>(npunet::topology::Factor::one);
    const bool within = value >= least && value <= most;
    if (!within || (value > 0 && std::llround(value * one) == 0))
    {
        std::ostringstream found;
        std::ostringstream expected;
        found << value;
        expected << "a factor from " << least << " to " << most << ", 0 or at least 1e-9";
        throw npunet::InputError({"", place, found.str(), expected.str(), ""});
    }
    return {std::llround(value * one)};
}

/**
 * @param graph the network
 * @param from number of a node
 * @param to number of a node
 * @return the links from one to the other
 */
std::vector<npunet::LinkId>
LinksBetween(const npunet::topology::Graph& graph, uint32_t from, uint32_t to)
{
    std::vector<npunet::LinkId> links;
    if (from < graph.nodes() && to < graph.nodes())
    {
        for (const npunet::LinkId link : graph.links_from(npunet::NodeId(std::size_t{from})))
        {
            if (graph.link(link).to.index() == to)
            {
                links.push_back(link);
            }
        }
    }
    return links;
}

} // namespace

void
NpuFaultList::AddLinkFault(
    uint32_t from, uint32_t to, Time at, Time until, double rateFactor, Time extraDelay, bool both)
{
    const std::string place =
        "AddLinkFault(" + std::to_string(from) + ", " + std::to_string(to) + ")";
    if (at.IsStrictlyNegative() || until <= at)
    {
        throw npunet::InputError(
            {"", place, "a fault that ends before it begins", "0 <= at < until", ""});
    }
    if (extraDelay.IsStrictlyNegative() || extraDelay > Seconds(1000))
    {
        throw npunet::InputError({"", place, "such an extra delay", "0 to 1000 s", ""});
    }
    LinkFault added{from, to, both, {}};
    added.fault.bandwidth = MakeFactor(rateFactor, 0, 1000, place);
    added.fault.at = TimeOf(at);
    added.fault.until = until == Time::Max() ? npunet::Time::max() : TimeOf(until);
    added.fault.latency_add = TimeOf(extraDelay);
    m_links.push_back(added);
}

void
NpuFaultList::AddNpuSlowdown(uint32_t npu, double slowdown)
{
    const std::string place = "AddNpuSlowdown(" + std::to_string(npu) + ")";
    for (const npunet::topology::NpuFault& other : m_npus)
    {
        if (other.npu.index() == npu)
        {
            throw npunet::InputError(
                {"", place, "the NPU a second time", "one slowdown for an NPU", ""});
        }
    }
    m_npus.push_back({npunet::NodeId(std::size_t{npu}), MakeFactor(slowdown, 1e-3, 1e6, place)});
}

void
NpuFaultList::AddTo(npunet::topology::NetworkDescription& network) const
{
    for (const LinkFault& added : m_links)
    {
        std::vector<npunet::LinkId> links = LinksBetween(network.graph, added.from, added.to);
        if (links.empty())
        {
            throw npunet::InputError({"",
                                      "AddLinkFault()",
                                      "no link from node " + std::to_string(added.from) + " to " +
                                          std::to_string(added.to),
                                      "two neighbors of " + network.name,
                                      "NPUs are numbered from 0, switches after them"});
        }
        if (added.both)
        {
            const auto back = LinksBetween(network.graph, added.to, added.from);
            links.insert(links.end(), back.begin(), back.end());
        }
        for (const npunet::LinkId link : links)
        {
            network.faults.links.push_back(added.fault);
            network.faults.links.back().link = link;
        }
    }
    for (const npunet::topology::NpuFault& added : m_npus)
    {
        if (added.npu.index() >= network.graph.npus())
        {
            throw npunet::InputError({"",
                                      "AddNpuSlowdown()",
                                      "NPU " + std::to_string(added.npu.value()),
                                      "0 to " + std::to_string(network.graph.npus() - 1),
                                      ""});
        }
        for (const npunet::topology::NpuFault& other : network.faults.npus)
        {
            if (other.npu == added.npu)
            {
                throw npunet::InputError(
                    {"",
                     "AddNpuSlowdown(" + std::to_string(added.npu.value()) + ")",
                     "an NPU that is slow in the network already",
                     "one slowdown for an NPU",
                     ""});
            }
        }
        network.faults.npus.push_back(added);
    }
}

} // namespace ns3
