// A fat tree (folded Clos network) of equal switches, with two or three levels.
//
//     FatTreeShape shape{2, 8, 32, {4, 0}, {4, 0}};
//     NetworkDescription network = make_fat_tree(shape, {host, up});
//
// Two levels: a leaf has down[0] NPUs and up[0] up-links, one to each of up[0] spines. Three: a
// leaf's up-links lead to the up[0] aggregation switches of its pod, which has down[1] leaves; an
// aggregation switch has up[1] up-links, and aggregation switch j of every pod is linked with the
// cores j up[1] .. (j + 1) up[1] - 1. A leaf and an aggregation switch have `radix` ports in all;
// the highest switches have one port for each leaf or pod, up to `radix`. The last leaf and the
// last pod may be filled in part.
//
// Routes go up only as far as they must, then down: no channel below waits for one above, so one
// virtual channel suffices. The up-link is free to choose: of the destination d,
//     at the leaf d mod up[0], at the aggregation switch floor(d / up[0]) mod up[1]
// (D-mod-k: Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
// global collectives", J. Parallel Distrib. Comput. 72, 2012). Then two flows of a shift
// (i to i + s for all i) never share a link where leaves have as many up-links as NPUs, pods are
// full, and so on up.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/network_description.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

struct FatTreeShape {
    std::int32_t levels = 2;
    std::int64_t radix = 0;
    std::int64_t npus = 0;
    std::array<std::int64_t, 2> down{};  ///< ports towards the NPUs: of a leaf, of an aggregation
    std::array<std::int64_t, 2> up{};    ///< the others; the second entries only with three levels

    [[nodiscard]] std::int64_t most_npus() const;
    [[nodiscard]] std::int64_t leaves() const { return (npus + down[0] - 1) / down[0]; }
    [[nodiscard]] std::int64_t pods() const { return (leaves() + down[1] - 1) / down[1]; }
    [[nodiscard]] std::int64_t aggregations() const { return levels == 3 ? pods() * up[0] : 0; }
    /// Spines or cores.
    [[nodiscard]] std::int64_t tops() const { return levels == 3 ? up[0] * up[1] : up[0]; }
    [[nodiscard]] std::int64_t switches() const { return leaves() + aggregations() + tops(); }
    /// Directed: of the NPUs, of the leaves' up-links, of those of the aggregation switches.
    [[nodiscard]] std::int64_t links() const {
        return 2 * (npus + leaves() * up[0] + aggregations() * up[1]);
    }
};

/// Which of the equal up-links a route takes.
enum class UpLinks : std::uint8_t { ByDestination, ByHash };

/// The routing as network.yml calls it.
[[nodiscard]] constexpr const char* name_of(UpLinks up_links) {
    return up_links == UpLinks::ByHash ? "ecmp" : "up-down";
}

/// Adds switches and links of a tree whose host i is the node host(i); the switches' names begin
/// with the prefix. `speeds`: of the hosts' links, of the leaves' up-links, and so on.
void add_fat_tree(Graph& graph, const FatTreeShape& shape, const std::vector<LinkSpeed>& speeds,
                  const std::function<NodeId(std::int64_t)>& host, const std::string& prefix);

/// Appends the hops between two different hosts of a tree whose first link is `first_link`. `hash`
/// chooses with UpLinks::ByHash. O(1).
void append_fat_tree_route(const FatTreeShape& shape, std::int64_t from, std::int64_t to,
                           UpLinks up_links, std::uint64_t hash, std::int64_t first_link,
                           std::vector<Hop>& hops);

class FatTreeRouter : public Router {
public:
    FatTreeRouter(const FatTreeShape& shape, UpLinks up_links, std::uint64_t seed)
        : shape_(shape), up_links_(up_links), seed_(seed) {}

    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }
    [[nodiscard]] std::string name() const override { return name_of(up_links_); }

private:
    FatTreeShape shape_;
    UpLinks up_links_;
    std::uint64_t seed_;
};

/// The network by itself, NPU i being host i, with D-mod-k routing. One speed a level.
[[nodiscard]] NetworkDescription make_fat_tree(const FatTreeShape& shape,
                                               const std::vector<LinkSpeed>& speeds);

/// The next hops from the switches of a tree. Knows what has to be counted for them.
class FatTreeSwitches {
public:
    explicit FatTreeSwitches(const FatTreeShape& shape);

    /// Replaces the content of `next_hops` by the next hops from a switch towards host `to`. The
    /// switch is given by its index among the tree's switches (leaves, aggregation switches, top),
    /// the tree by the first of its links.
    void list_next_hops(std::int64_t tree_switch, std::int64_t to, std::int64_t first_link,
                        std::vector<OfferedHop>& next_hops) const;

private:
    std::array<std::int64_t, 2> down_;
    std::array<std::int64_t, 2> up_;
    std::int64_t leaves_;
    std::int64_t aggregations_;
    std::int64_t leaf_links_;  ///< the first one upwards from a leaf; after it the one back
    std::int64_t top_links_;   ///< the first one upwards from an aggregation switch
};

/// Multipath routing on fat trees over all equal-cost up-links: sprayed, or by the link that is
/// free soonest.
///
///     network.multipath = std::make_shared<FatTreeNextHops>(shape, Spread::Spray);
///
/// A packet goes up only as far as it must; every up-link leads towards a switch above the
/// destination, and there is one route down. Down-channels never wait for up-channels, so one
/// virtual channel suffices whatever is chosen.
class FatTreeNextHops : public EqualCostRouter {
public:
    FatTreeNextHops(const FatTreeShape& shape, Spread spread)
        : EqualCostRouter(spread), npus_(shape.npus), switches_(shape) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }

private:
    std::int64_t npus_;
    FatTreeSwitches switches_;
};

}  // namespace npunet::topology
