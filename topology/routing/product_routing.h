// Routes on products of dimensions: dimension order, and minimal adaptive.
//
// Link ids follow from arithmetic alone, because the builder numbers the links dimension by
// dimension, line by line, in the order of the line (topology/graph/line.h).
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"
#include "topology/routing/multipath.h"

namespace npunet::topology {

/// Dimension order: the packet settles coordinate 0 first, then coordinate 1, and so on (on a
/// Mesh2D: XY routing). The hops from one NPU to another, empty when they are the same.
/// O(dimensions + hops).
[[nodiscard]] std::vector<Hop> dimension_order_route(const std::vector<Dimension>& dimensions,
                                                     NodeId from, NodeId to);

/// The least number of virtual channels with which dimension-order routing is free of deadlock: 2
/// when some ring has more than three NPUs, else 1.
///
/// Links wait only for links of the same or of a later dimension, so a cycle of waiting stays
/// within the lines of one dimension, and there only a ring whose routes are longer than one hop
/// can close it.
[[nodiscard]] std::uint8_t dimension_order_channels(const std::vector<Dimension>& dimensions);

/// Minimal adaptive routing on products of dimensions: a packet moves in any dimension in which it
/// still has to, by the link that is free soonest; on a ring in either direction if both are
/// equally short.
///
///     network.multipath = std::make_shared<ProductNextHops>(dimensions);
///
/// The highest virtual channel is adaptive: it is taken only if there is buffer space at its end.
/// The others are the escape channels, which follow the dimension-order route from the packet's
/// node. On a ring of more than three NPUs there are two: 0 while the link that closes the ring is
/// still ahead, 1 otherwise (Dally and Seitz, IEEE Trans. Computers C-36, 1987), independently of
/// the packet's path so far. At the switch of a line a packet keeps its channel.
class ProductNextHops : public MultipathRouter {
public:
    explicit ProductNextHops(std::vector<Dimension> dimensions);

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return false; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return static_cast<std::uint8_t>(escapes_ + 1);
    }
    [[nodiscard]] std::string name() const override { return "adaptive"; }

private:
    /// A dimension: its first link, the stride of its coordinate, and the links of one line.
    struct Block {
        std::int64_t first_link = 0;
        std::int64_t stride = 1;
        std::int64_t line_links = 0;
    };
    void add_next_hops(std::size_t dimension, std::int64_t line_link, std::int32_t here,
                       std::int32_t there, bool escape_too,
                       std::vector<OfferedHop>& next_hops) const;
    void list_at_switch(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const;

    std::vector<Dimension> dimensions_;
    std::vector<Block> blocks_;
    std::int64_t npus_ = 1;
    std::uint8_t escapes_ = 1;
};

}  // namespace npunet::topology
