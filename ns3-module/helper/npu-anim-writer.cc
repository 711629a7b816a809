// SPDX-License-Identifier: GPL-2.0-only

#include "npu-anim-writer.h"

#include "ns3/npu-channel.h"
#include "ns3/npu-net-device.h"

#include "base/atomic_file.h"
#include "base/units.h"
#include "model/npu-quantities.h"

#include <ns3/node.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

using npunet::NodeId;
using npunet::topology::DimensionKind;
using npunet::topology::Graph;
using npunet::topology::NetworkDescription;
using Position = NpuAnimWriter::Position;

/// Between two neighbors.
constexpr double STEP = 10;

/**
 * @param number of the place
 * @param places round the circle
 * @param radius of the circle
 * @return the place, from the top clockwise
 */
Position
OnCircle(std::size_t number, std::size_t places, double radius)
{
    const double angle =
        2 * std::acos(-1.0) * static_cast<double>(number) / static_cast<double>(places);
    return {radius * std::sin(angle), -radius * std::cos(angle)};
}

/**
 * @param places round the circle
 * @return a radius at which they are a step apart
 */
double
RadiusFor(std::size_t places)
{
    return STEP * static_cast<double>(std::max<std::size_t>(places, 6)) / 6;
}

/**
 * @param network a product
 * @param positions of its NPUs, to be found
 */
void
PlaceProduct(const NetworkDescription& network, std::vector<Position>& positions)
{
    const std::size_t npus = network.graph.npus();
    const bool circle =
        network.dimensions.size() == 1 && network.dimensions.front().kind != DimensionKind::Mesh1D;
    for (std::size_t npu = 0; npu < npus; ++npu)
    {
        if (circle)
        {
            positions[npu] = OnCircle(npu, npus, RadiusFor(npus));
            continue;
        }
        double steps[2] = {1, 1};
        Position& position = positions[npu];
        for (std::size_t d = 0; d < network.dimensions.size(); ++d)
        {
            const double coordinate = network.coordinate(NodeId(npu), d);
            (d % 2 == 0 ? position.x : position.y) += STEP * steps[d % 2] * coordinate;
            // A step of blank parts the copies of the inner dimensions.
            steps[d % 2] *=
                network.dimensions[d].size + (d + 2 < network.dimensions.size() ? 1 : 0);
        }
    }
    for (std::size_t node = npus; node < positions.size(); ++node)
    {
        const auto& links = network.graph.links_from(NodeId(node));
        Position& middle = positions[node];
        for (const npunet::LinkId link : links)
        {
            const Position& other = positions[network.graph.link(link).to.index()];
            middle.x += other.x / static_cast<double>(links.size());
            middle.y += other.y / static_cast<double>(links.size());
        }
    }
}

/**
 * @param graph a network
 * @return by node: how many links to the nearest NPU
 */
std::vector<std::size_t>
LevelsOf(const Graph& graph)
{
    std::vector<std::size_t> levels(graph.nodes(), 1);
    std::vector<bool> met(graph.nodes(), false);
    std::vector<NodeId> open;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu)
    {
        levels[npu] = 0;
        met[npu] = true;
        open.emplace_back(npu);
    }
    for (std::size_t i = 0; i < open.size(); ++i)
    {
        for (const npunet::LinkId link : graph.links_to(open[i]))
        {
            const NodeId next = graph.link(link).from;
            if (!met[next.index()])
            {
                met[next.index()] = true;
                levels[next.index()] = levels[open[i].index()] + 1;
                open.push_back(next);
            }
        }
    }
    return levels;
}

/**
 * @param graph a network without dimensions
 * @param positions of its nodes, to be found
 */
void
PlaceLevels(const Graph& graph, std::vector<Position>& positions)
{
    const std::vector<std::size_t> levels = LevelsOf(graph);
    std::map<std::size_t, std::vector<std::size_t>> rows;
    std::size_t widest = 1;
    for (std::size_t node = 0; node < levels.size(); ++node)
    {
        rows[levels[node]].push_back(node);
        widest = std::max(widest, rows[levels[node]].size());
    }
    for (const auto& [level, nodes] : rows)
    {
        const double width = static_cast<double>(widest) / static_cast<double>(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i)
        {
            positions[nodes[i]] = {STEP * width * (static_cast<double>(i) + 0.5),
                                   -3 * STEP * static_cast<double>(level)};
        }
    }
}

/**
 * @param text any
 * @return the text as the value of an attribute in XML
 */
std::string
Escaped(const std::string& text)
{
    static const std::map<char, std::string> names{
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    std::string escaped;
    for (const char each : text)
    {
        const auto name = names.find(each);
        // XML has no other control characters.
        const bool printable = static_cast<unsigned char>(each) >= 0x20;
        escaped += name != names.end() ? name->second : std::string(1, printable ? each : ' ');
    }
    return escaped;
}

} // namespace

std::vector<Position>
NpuAnimWriter::Layout(const NetworkDescription& network)
{
    const std::size_t nodes = network.graph.nodes();
    const std::size_t npus = network.graph.npus();
    std::vector<Position> positions(nodes);
    if (!network.dimensions.empty())
    {
        PlaceProduct(network, positions);
    }
    else if (network.name == "Dragonfly")
    {
        const double inner = RadiusFor(nodes - npus);
        for (std::size_t node = 0; node < nodes; ++node)
        {
            positions[node] =
                node < npus ? OnCircle(node, npus, std::max(inner + 3 * STEP, RadiusFor(npus)))
                            : OnCircle(node - npus, nodes - npus, inner);
        }
    }
    else
    {
        PlaceLevels(network.graph, positions);
    }
    // Two may have the same middle; the later one moves on, by less than a step.
    std::map<std::pair<int64_t, int64_t>, int> taken;
    double left = std::numeric_limits<double>::max();
    double top = left;
    for (Position& position : positions)
    {
        const auto place = [&]() {
            return std::make_pair(std::llround(position.x * 1000), std::llround(position.y * 1000));
        };
        while (taken[place()]++ > 0)
        {
            position.x += STEP / 4;
            position.y += STEP / 5;
        }
        left = std::min(left, position.x);
        top = std::min(top, position.y);
    }
    for (Position& position : positions)
    {
        position.x += STEP - left;
        position.y += STEP - top;
    }
    return positions;
}

void
NpuAnimWriter::Write(const std::string& path, Ptr<const NpuFabric> fabric)
{
    const NetworkDescription& network = fabric->GetDescription();
    const std::vector<Position> positions = Layout(network);
    npunet::AtomicFile file(path);
    std::ostream& out = file.stream();
    out << std::setprecision(10) << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        << "<anim ver=\"netanim-3.108\" filetype=\"animation\" >\n";
    for (std::size_t node = 0; node < positions.size(); ++node)
    {
        out << "<node id=\"" << fabric->GetNodeId(node) << "\" sysId=\"0\" locX=\""
            << positions[node].x << "\" locY=\"" << positions[node].y << "\" />\n";
    }
    for (std::size_t node = 0; node < positions.size(); ++node)
    {
        out << "<nu p=\"d\" t=\"0\" id=\"" << fabric->GetNodeId(node) << "\" descr=\""
            << Escaped(network.graph.name(NodeId(node))) << "\" />\n";
    }
    for (std::size_t node = 0; node < positions.size(); ++node)
    {
        const Ptr<NpuNetDevice> device = fabric->GetDevice(node);
        for (std::size_t i = 0; i < device->GetNChannels(); ++i)
        {
            const Ptr<NpuChannel> cable = device->GetChannel(i);
            if (cable->GetDevice(0) != device)
            {
                continue;
            }
            std::ostringstream description;
            description << std::setprecision(12)
                        << static_cast<double>(cable->GetDataRate().GetBitRate()) / 1e9 << " Gbps, "
                        << npunet::format_ns(TimeOf(cable->GetDelay())) << " ns";
            out << "<link fromId=\"" << device->GetNode()->GetId() << "\" toId=\""
                << cable->GetDevice(1)->GetNode()->GetId() << "\" fd=\"\" td=\"\" ld=\""
                << Escaped(description.str()) << "\" />\n";
        }
    }
    out << "</anim>\n";
    file.commit();
}

} // namespace ns3
