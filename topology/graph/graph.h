// The machine's interconnect as a graph: NPUs, switches, and directed links with rate and latency;
// and the hops of routes over it.
//
// One description serves every fidelity. Nodes 0 .. npus() - 1 are the NPUs, switches follow. A
// directed link is at the same time the output port of its source node; both directions of a cable
// are two links. Graph only stores; builders make it (topology/builders/builder.h) and routing
// functions walk it (topology/routing/router.h).
//
//     Graph graph;
//     NodeId a = graph.add_node(NodeKind::Npu, "npu0");
//     NodeId b = graph.add_node(NodeKind::Npu, "npu1");
//     graph.add_link({a, b, Rate{50'000'000'000}, Time::ns(500)});
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::topology {

enum class NodeKind : std::uint8_t { Npu, Switch };

/// One direction of one cable.
struct Link {
    NodeId from;
    NodeId to;
    Rate rate;     ///< bytes per second, positive
    Time latency;  ///< of the signal, first byte in to first byte out; not negative
    /// The dimension of the product that the link belongs to; -1 where there are no dimensions.
    std::int32_t dimension = -1;
    /// The link closes a ring: it is the dateline where the virtual channel changes.
    bool wraps = false;
};

/// Rate and latency of the links of one kind.
struct LinkSpeed {
    Rate rate;     ///< bytes per second of one direction
    Time latency;  ///< not negative
};

/// One hop of a route: the link, and the virtual channel that the packet uses on it.
struct Hop {
    LinkId link;
    std::uint8_t virtual_channel = 0;

    friend constexpr bool operator==(Hop a, Hop b) {
        return a.link == b.link && a.virtual_channel == b.virtual_channel;
    }
    friend constexpr bool operator!=(Hop a, Hop b) { return !(a == b); }
    friend constexpr bool operator<(Hop a, Hop b) {
        return a.link != b.link ? a.link < b.link : a.virtual_channel < b.virtual_channel;
    }
};

class Graph {
public:
    /// Makes room for that many nodes and links; only for speed.
    void reserve(std::size_t nodes, std::size_t links);
    /// NPUs must be added before switches.
    NodeId add_node(NodeKind kind, std::string name);
    LinkId add_link(const Link& link);
    /// Takes a link out of links_from(), links_to(), find_link() and shown_links(); it keeps its
    /// number.
    void hide(LinkId link);

    [[nodiscard]] std::size_t npus() const { return npus_; }
    [[nodiscard]] std::size_t nodes() const { return kinds_.size(); }
    /// Hidden ones included.
    [[nodiscard]] std::size_t links() const { return links_.size(); }
    /// The links that are not hidden, ascending.
    [[nodiscard]] std::vector<LinkId> shown_links() const;

    [[nodiscard]] NodeKind kind(NodeId node) const { return kinds_[node.index()]; }
    [[nodiscard]] const std::string& name(NodeId node) const { return names_[node.index()]; }
    [[nodiscard]] const Link& link(LinkId id) const { return links_[id.index()]; }
    /// The links that leave a node, in the order in which they were added.
    [[nodiscard]] const std::vector<LinkId>& links_from(NodeId node) const {
        return outgoing_[node.index()];
    }
    /// The links that reach a node, in the order in which they were added.
    [[nodiscard]] const std::vector<LinkId>& links_to(NodeId node) const {
        return incoming_[node.index()];
    }
    /// The first link from `from` to `to`; invalid when there is none.
    [[nodiscard]] LinkId find_link(NodeId from, NodeId to) const;

private:
    std::size_t npus_ = 0;
    std::vector<NodeKind> kinds_;
    std::vector<std::string> names_;
    std::vector<Link> links_;
    std::vector<std::vector<LinkId>> outgoing_;
    std::vector<std::vector<LinkId>> incoming_;
};

}  // namespace npunet::topology
