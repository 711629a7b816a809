// A line: the NPUs that differ in one coordinate only, and the links that a dimension puts on them.
//
// The four kinds of lines (RingLine, Mesh1DLine, FullyConnectedLine, SwitchLine) all offer the same
// members, and with them a product network needs neither tables nor searches:
//
//     links()                      number of directed links on the line
//     link(i)                      the ends of link i, 0 <= i < links()
//     switches()                   0 or 1; the switch stands at position `size`
//     route(from, to, first, hops) appends the hops between two positions; link i of the line has
//                                  the id first + i
//     links_across_middle()        links from the positions below size / 2 to the others
//     virtual_channels_needed()    the least without deadlock
//
//     visit_line(dimension, [](const auto& line) { return line.links(); });
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"

namespace npunet::topology {

/// The ends of one directed link on a line, as positions 0 .. size - 1; the line's switch, where
/// there is one, stands at position `size`.
struct LineLink {
    std::int32_t from = 0;
    std::int32_t to = 0;
    bool wraps = false;  ///< the link closes a ring of more than two
};

/// A ring: every NPU is linked with the next and the previous one, the last with the first. A ring
/// of two has one link each way, a ring of one none.
///
/// Routes go in the shorter direction, at equal distance towards the larger coordinate. Packets use
/// virtual channel 0 up to the wrap link and 1 from it on (Dally and Seitz, "Deadlock-free message
/// routing in multiprocessor interconnection networks", 1987: the dateline). A ring of three needs
/// no second channel: every route is one hop, so no link ever waits for another of the same ring.
struct RingLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const {
        return size > 2 ? 2 * std::int64_t{size} : size == 2 ? 2 : 0;
    }
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    [[nodiscard]] std::int64_t links_across_middle() const {
        return size > 2 ? 2 : size > 1 ? 1 : 0;
    }
    /// 2 from size 4 on, where each link in + direction waits for the next one, all round.
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return size > 3 ? 2 : 1; }
};

/// A row of a mesh: every NPU is linked with its neighbours, the ends are not joined. Routes walk
/// along the row; one virtual channel suffices, for no link is reached twice.
struct Mesh1DLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const { return 2 * (std::int64_t{size} - 1); }
    /// Links 2i and 2i + 1 are the two directions between positions i and i + 1.
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    [[nodiscard]] std::int64_t links_across_middle() const { return size > 1 ? 1 : 0; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return 1; }
};

/// A clique: every NPU is linked with every other one, and every route is one hop.
struct FullyConnectedLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const { return std::int64_t{size} * (size - 1); }
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    [[nodiscard]] std::int64_t links_across_middle() const {
        return std::int64_t{size / 2} * (size - size / 2);
    }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return 1; }
};

/// A star: every NPU has one link to the line's switch and one from it; every route is two hops.
/// A line of one NPU has no switch.
struct SwitchLine {
    std::int32_t size;

    [[nodiscard]] std::int64_t links() const { return size > 1 ? 2 * std::int64_t{size} : 0; }
    /// Links 0 .. size - 1 go to the switch, the others come from it.
    [[nodiscard]] LineLink link(std::int64_t index) const;
    [[nodiscard]] std::int32_t switches() const { return size > 1 ? 1 : 0; }
    void route(std::int32_t from, std::int32_t to, std::int64_t first_link,
               std::vector<Hop>& hops) const;
    /// The links of the smaller half: the switch counts to the other one.
    [[nodiscard]] std::int64_t links_across_middle() const { return size / 2; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const { return 1; }
};

/// Calls the visitor with the line that the dimension puts on its NPUs; returns what it returns.
template <class Visitor>
auto visit_line(const Dimension& dimension, Visitor&& visitor) {
    switch (dimension.kind) {
        case DimensionKind::Ring:
            return visitor(RingLine{dimension.size});
        case DimensionKind::FullyConnected:
            return visitor(FullyConnectedLine{dimension.size});
        case DimensionKind::Switch:
            return visitor(SwitchLine{dimension.size});
        case DimensionKind::Mesh1D:
            break;
    }
    return visitor(Mesh1DLine{dimension.size});
}

}  // namespace npunet::topology
