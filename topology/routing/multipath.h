// Routing that chooses packet by packet: spraying over equal-cost paths, adaptive routing, UGAL.
// While the routes of a Router are fixed, a MultipathRouter offers the next hops from wherever a
// packet is, and the packet-level network takes one of them.
//
//     std::vector<OfferedHop> next_hops;
//     network.multipath->list_next_hops(network.graph, place, next_hops);     // at least one
//
// How the network chooses: a hop with `needs_room` is available only while the buffer at its end
// has space for the packet that is not reserved for others, and reserves it; an `escape` is
// available only if no other hop is; of the available hops the one with the least weight x time
// that its link needs to send the packet and all that have chosen it (one full packet more while it
// is sending), the first of equals. A choice is final. So packets wait for space only on hops
// without `needs_room`, and the network is deadlock-free if the dependencies of these waits are
// acyclic for all packets (waiting_dependencies(); Duato, "A new theory of deadlock-free adaptive
// routing in wormhole networks", IEEE Trans. Parallel Distrib. Syst. 4, 1993, for packets that are
// stored whole).
//
// The other fidelities use NetworkDescription::route(), one of the paths.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

/// Where a packet is, and what it knows.
struct PacketPlace {
    NodeId at;
    NodeId source;
    NodeId destination;  ///< not `at`
    /// The link and virtual channel by which it came; the link is invalid at its source.
    Hop in;
    /// Pseudo-random; the same for a packet at every node.
    std::uint64_t hash = 0;
    /// OfferedHop::memory of the last hop taken; 0 at the source.
    std::uint32_t memory = 0;
    /// Counts the packets of a message, and of a queue pair: consecutive packets have consecutive
    /// numbers, modulo 2^32, and messages of an NPU begin one after the other. For routers that
    /// spread packets evenly instead of at random.
    std::uint32_t sequence = 0;
};

struct OfferedHop {
    Hop hop;
    /// Where valid: the hop after it, which is taken without a choice and waited for.
    Hop then;
    std::uint16_t weight = 1;
    bool needs_room = false;
    bool escape = false;
    std::uint32_t memory = 0;
};

class MultipathRouter {
public:
    MultipathRouter() = default;
    MultipathRouter(const MultipathRouter&) = delete;
    MultipathRouter& operator=(const MultipathRouter&) = delete;
    virtual ~MultipathRouter() = default;

    /// Replaces the content of `next_hops` by at least one; a pure function. If any has
    /// `needs_room`, there is an escape.
    virtual void list_next_hops(const Graph& graph, const PacketPlace& place,
                                std::vector<OfferedHop>& next_hops) const = 0;
    /// Always offers a single hop, whatever the state of the network: no choice is needed.
    [[nodiscard]] virtual bool is_oblivious() const = 0;
    /// The least number of virtual channels for deadlock freedom.
    [[nodiscard]] virtual std::uint8_t virtual_channels_needed() const = 0;
    /// As in network.yml: "spray", "adaptive", "ugal".
    [[nodiscard]] virtual std::string name() const = 0;
};

/// How a router uses equal-cost paths: every packet takes one at random, or the one that is free
/// soonest.
enum class Spread : std::uint8_t { Spray, Adaptive };

[[nodiscard]] constexpr const char* name_of(Spread spread) {
    return spread == Spread::Spray ? "spray" : "adaptive";
}

/// "spray", "adaptive"; nothing for other words.
[[nodiscard]] std::optional<Spread> spread_named(const std::string& word);

/// A router whose next hops are of equal cost and can all be waited for: each packet takes one at
/// random, or the one that is free soonest.
class EqualCostRouter : public MultipathRouter {
public:
    [[nodiscard]] bool is_oblivious() const override { return spread_ == Spread::Spray; }
    [[nodiscard]] std::string name() const override { return name_of(spread_); }

protected:
    explicit EqualCostRouter(Spread spread) : spread_(spread) {}
    /// Last step of list_next_hops(): draws one for the packet at its place, and keeps it alone
    /// (Spray) or moves it to the front, so that ties are spread (Adaptive).
    void spread_over(const PacketPlace& place, std::vector<OfferedHop>& next_hops) const;

private:
    Spread spread_;
};

}  // namespace npunet::topology
