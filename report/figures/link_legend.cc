#include "report/figures/link_legend.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "topology/network/link_kinds.h"

namespace npunet::report {

namespace {

constexpr std::size_t most_colours = 6;

}  // namespace

// The last of the palette is grey, for all further kinds.
Colour kind_colour(std::size_t kind) {
    return palette(kind < most_colours ? kind : 7);
}

std::vector<LegendEntry> link_legend(const topology::NetworkDescription& network,
                                     const std::string& route) {
    std::vector<LegendEntry> entries{{"NPU", npu_marker_colour, Canvas::Marker::Disc}};
    if (network.graph.nodes() > network.graph.npus()) {
        entries.push_back({"switch", switch_marker_colour, Canvas::Marker::Square});
    }
    const topology::LinkKinds kinds(network);
    std::vector<std::size_t> counts(kinds.kinds().size(), 0);
    for (std::size_t link = 0; link < network.graph.links(); ++link) {
        ++counts[kinds.kind_of(LinkId(link))];
    }
    std::size_t others = 0;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        if (kind >= most_colours) {
            others += counts[kind];
            continue;
        }
        const topology::LinkKind& links = kinds.kinds()[kind];
        // Names of kinds that differ in their speed alone have it.
        std::string name = kinds.names()[kind];
        if (name.find(" GB/s") != std::string::npos) {
            name.erase(name.rfind(" ("));
        }
        const std::string speed =
            fmt::format("{} GB/s, {}", static_cast<double>(links.rate.bytes_per_second()) / 1e9,
                        format_time(links.latency));
        entries.push_back({fmt::format("{}: {}, {} links", name, speed, counts[kind]),
                           kind_colour(kind), Canvas::Marker::Square, true, false, 2.4});
    }
    if (others > 0) {
        entries.push_back({fmt::format("{} other links", others), kind_colour(most_colours),
                           Canvas::Marker::Square, true, false, 2.4});
    }
    if (!route.empty()) {
        entries.push_back({route, route_colour, Canvas::Marker::Square, true, false, 2.6});
    }
    return entries;
}

}  // namespace npunet::report
