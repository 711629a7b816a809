// SPDX-License-Identifier: GPL-2.0-only

#include "npu-topology-helper.h"

#include "base/errors.h"
#include "topology/yaml/network_reader.h"

#include <iomanip>
#include <limits>
#include <sstream>

namespace ns3
{

// The description is put together as the text of a network.yml: its reader has the builders, the
// checks and the routings of every topology, and whatever is added there is there for scripts, too.

namespace
{

using Link = NpuTopologyHelper::Link;

/**
 * @param values texts
 * @return "[a, b]"
 */
std::string
List(const std::vector<std::string>& values)
{
    std::string text;
    for (const std::string& value : values)
    {
        text += (text.empty() ? "" : ", ") + value;
    }
    return "[" + text + "]";
}

/**
 * @param text any
 * @return the text in quotes, as YAML reads it
 */
std::string
Quoted(const std::string& text)
{
    static const char* const digits = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char each : text)
    {
        const auto code = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\')
        {
            quoted += '\\';
        }
        if (code < 0x20)
        {
            quoted += std::string("\\x") + digits[code >> 4] + digits[code & 15];
            continue;
        }
        quoted += each;
    }
    return quoted + "\"";
}

/**
 * @param link that can be
 * @return its rate
 */
std::string
Rate(const Link& link)
{
    NpuTopologyHelper::Check(link);
    return std::to_string(link.rate.GetBitRate()) + "bps";
}

/**
 * @param link that can be
 * @return its delay
 */
std::string
Delay(const Link& link)
{
    return std::to_string(link.delay.GetPicoSeconds()) + "ps";
}

/**
 * @param links each of which can be
 * @return the keys bandwidth and latency
 */
std::string
Speeds(const std::vector<Link>& links)
{
    std::vector<std::string> rates;
    std::vector<std::string> delays;
    for (const Link& link : links)
    {
        rates.push_back(Rate(link));
        delays.push_back(Delay(link));
    }
    if (links.size() == 1)
    {
        return "bandwidth: " + rates.front() + ", latency: " + delays.front();
    }
    return "bandwidth: " + List(rates) + ", latency: " + List(delays);
}

/**
 * @param tree a fat tree
 * @return its keys
 */
std::string
Keys(const NpuTopologyHelper::FatTree& tree)
{
    std::ostringstream text;
    text << "{levels: " << tree.levels << ", radix: " << tree.radix << ", ";
    if (tree.npus > 0)
    {
        text << "npus: " << tree.npus << ", ";
    }
    if (!tree.oversubscription.empty())
    {
        std::vector<std::string> ratios;
        for (const double ratio : tree.oversubscription)
        {
            std::ostringstream number;
            number << std::setprecision(std::numeric_limits<double>::max_digits10) << ratio;
            ratios.push_back(number.str());
        }
        text << "oversubscription: " << List(ratios) << ", ";
    }
    text << Speeds(tree.links) << "}";
    return text.str();
}

} // namespace

void
NpuTopologyHelper::Check(const Link& link)
{
    if (link.rate.GetBitRate() < 8)
    {
        throw npunet::InputError({"",
                                  "the DataRate of a link",
                                  std::to_string(link.rate.GetBitRate()) + " bit/s",
                                  "at least 8 bit/s",
                                  ""});
    }
    if (link.delay.IsStrictlyNegative() || link.delay > Seconds(1000))
    {
        std::ostringstream delay;
        delay << link.delay.As(Time::NS);
        throw npunet::InputError(
            {"", "the Delay of a link", delay.str(), "a time from 0 to 1000 s", ""});
    }
}

void
NpuTopologyHelper::SetProduct(const std::vector<Dimension>& dimensions)
{
    std::vector<std::string> kinds;
    std::vector<std::string> sizes;
    std::vector<std::string> rates;
    std::vector<std::string> delays;
    for (const Dimension& dimension : dimensions)
    {
        kinds.push_back(Quoted(dimension.kind));
        sizes.push_back(std::to_string(dimension.size));
        rates.push_back(Rate(dimension.link));
        delays.push_back(Delay(dimension.link));
    }
    m_text = "topology: " + List(kinds) + "\nnpus_count: " + List(sizes) +
             "\nbandwidth: " + List(rates) + "\nlatency: " + List(delays) + "\n";
}

void
NpuTopologyHelper::SetProduct(const std::string& kind,
                              const std::vector<uint32_t>& sizes,
                              const Link& link)
{
    std::vector<Dimension> dimensions;
    for (const uint32_t size : sizes)
    {
        dimensions.push_back({kind, size, link});
    }
    SetProduct(dimensions);
}

void
NpuTopologyHelper::SetFatTree(const FatTree& tree)
{
    m_text = "FatTree: " + Keys(tree) + "\n";
}

void
NpuTopologyHelper::SetDragonfly(
    uint32_t a, uint32_t p, uint32_t h, uint32_t groups, const std::vector<Link>& links)
{
    m_text = "Dragonfly: {a: " + std::to_string(a) + ", p: " + std::to_string(p) +
             ", h: " + std::to_string(h) + ", groups: " + std::to_string(groups) + ", " +
             Speeds(links) + "}\n";
}

void
NpuTopologyHelper::SetRail(uint32_t servers,
                           uint32_t npusPerServer,
                           const std::string& scaleUp,
                           const Link& scaleUpLink,
                           const FatTree& rail)
{
    m_text = "Rail: {servers: " + std::to_string(servers) +
             ", npus_per_server: " + std::to_string(npusPerServer) +
             ", scale_up: {kind: " + Quoted(scaleUp) + ", " + Speeds({scaleUpLink}) +
             "}, scale_out: " + Keys(rail) + "}\n";
}

void
NpuTopologyHelper::AddNode(const std::string& name, const std::string& kind)
{
    m_text.clear();
    m_nodes.push_back("    - {name: " + Quoted(name) + ", kind: " + kind + "}\n");
}

void
NpuTopologyHelper::AddLink(
    const std::string& from, const std::string& to, const Link& link, uint32_t count, bool both)
{
    m_text.clear();
    m_cables.push_back("    - {from: " + Quoted(from) + ", to: " + Quoted(to) + ", " +
                       Speeds({link}) + ", count: " + std::to_string(count) +
                       ", both: " + (both ? "true" : "false") + "}\n");
}

npunet::topology::NetworkDescription
NpuTopologyHelper::Describe(const std::string& routing, uint64_t seed, bool pauses) const
{
    std::string text = m_text;
    if (text.empty())
    {
        text = "Custom:\n  nodes:\n";
        for (const std::string& node : m_nodes)
        {
            text += node;
        }
        text += "  links:\n";
        for (const std::string& cable : m_cables)
        {
            text += cable;
        }
    }
    text += "packet: {routing: " + Quoted(routing) + ", seed: " + std::to_string(seed) +
            (pauses ? ", flow_control: pfc}\n" : "}\n");
    return npunet::topology::parse_network(text, "the network of NpuTopologyHelper");
}

} // namespace ns3
