// The kinds of links of a network: those of a server, of the NPUs to the network, between leaves
// and spines.
//
//     const LinkKinds kinds(network);
//     kinds.names()[kinds.kind_of(link)]          // "NIC"
//
// Links of a product are of their dimension, which may have a name. Others are of the kinds of the
// nodes that they connect, in either direction, of their rate and their latency; nodes are of one
// kind where their names differ in digits only. C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

struct LinkKind {
    std::int32_t dimension = -1;  ///< of a product, else -1
    // Of networks without dimensions.
    std::string low;  ///< kind of the node nearer to the NPUs: "npu", "leaf"
    std::string high;
    bool of_npus = false;  ///< an end is an NPU
    Rate rate;
    Time latency;
};

class LinkKinds {
public:
    /// Time and memory: proportional to nodes and links.
    explicit LinkKinds(const NetworkDescription& network);

    /// In the order of their first links.
    [[nodiscard]] const std::vector<LinkKind>& kinds() const { return kinds_; }
    /// Different ones: "dimension 0 (Switch of 8)", or what network.yml calls them; "scale-up" and
    /// "NIC" of a Rail network's servers; "npu-leaf", "leaf-spine". With rate and latency where
    /// kinds have the same nodes.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Its place in both.
    [[nodiscard]] std::uint32_t kind_of(LinkId link) const { return kind_of_[link.index()]; }

private:
    void divide_by_dimension(const NetworkDescription& network);
    void divide_by_nodes(const Graph& graph);
    void name_kinds(const NetworkDescription& network);

    std::vector<LinkKind> kinds_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> kind_of_;  ///< by link
};

}  // namespace npunet::topology
