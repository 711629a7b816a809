// A graph as the text of a network.yml of kind Custom.
#pragma once

#include <fmt/format.h>

#include <string>

#include "topology/graph/graph.h"

namespace npunet::test {

inline std::string custom_text(const topology::Graph& graph) {
    std::string text = "Custom:\n  nodes:\n";
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        text += fmt::format("    - {{name: {}, kind: {}}}\n", graph.name(NodeId(node)),
                            node < graph.npus() ? "npu" : "switch");
    }
    text += "  links:\n";
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        text +=
            fmt::format("    - {{from: {}, to: {}, bandwidth: {}, latency: {}ps, both: false}}\n",
                        graph.name(link.from), graph.name(link.to),
                        static_cast<double>(link.rate.bytes_per_second()) / 1e9, link.latency.ps());
    }
    return text;
}

}  // namespace npunet::test
