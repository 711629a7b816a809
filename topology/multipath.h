// Routing that chooses packet by packet: spraying over equal paths, adaptive routing, UGAL. Where
// the routes of a Router are fixed, a MultipathRouter names the ways on from wherever a packet is,
// and the packet machine takes one of them.
//
//     std::vector<Way> ways;
//     network.multipath->list_next_hops(network.graph, place, ways);     // at least one
//
// The choice (the packet machine's part): a way with `needs_room` is open only while the buffer at
// its end has room for the packet that is not promised to others, and promises it; an `escape` is
// open only when no other way is; of those that are open the one with the least
// weight x time that its link needs to send all that has chosen it and the packet (a full packet
// more while it is sending), the first of equals. A packet keeps to its choice. So packets wait for
// room only on ways without `needs_room`, and the network is free of deadlock when the waiting for
// these has no circle, whoever waits (waiting_dependencies(); Duato, "A new theory of deadlock-free
// adaptive routing in wormhole networks", IEEE Trans. Parallel Distrib. Syst. 4, 1993, for packets
// that are stored whole).
//
// The other fidelities send by NetworkDescription::route(), one of the paths.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/graph.h"
#include "topology/hop.h"

namespace npunet::topology {

/// Where a packet is, and what it knows.
struct PacketPlace {
    NodeId at;
    NodeId source;
    NodeId destination;  ///< not `at`
    /// By which link and virtual channel it came; the link is invalid at its source.
    Hop in;
    /// Looks random; the same for a packet wherever it is.
    std::uint64_t hash = 0;
    /// Way::memory of the way taken last; 0 at the source.
    std::uint32_t memory = 0;
};

struct OfferedHop {
    Hop hop;
    /// Where valid: the hop behind it, which is taken without a choice and waited for.
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

    /// Replaces the content of `ways` by the ways on, at least one; a pure function. If any has
    /// `needs_room`, there is an escape.
    virtual void list_next_hops(const Graph& graph, const PacketPlace& place,
                                std::vector<OfferedHop>& next_hops) const = 0;
    /// There is never more than one way, whatever the state of the network: no choice is needed.
    [[nodiscard]] virtual bool is_oblivious() const = 0;
    /// The least number of virtual channels with which packets cannot wait in a circle.
    [[nodiscard]] virtual std::uint8_t virtual_channels_needed() const = 0;
    /// As in network.yml: "spray", "adaptive", "ugal".
    [[nodiscard]] virtual std::string name() const = 0;
};

/// What a router makes of equal paths: every packet takes one of them at random, or the one that
/// is free soonest.
enum class Spread : std::uint8_t { Spray, Adaptive };

[[nodiscard]] constexpr const char* name_of(Spread spread) {
    return spread == Spread::Spray ? "spray" : "adaptive";
}

/// "spray", "adaptive"; nothing for other words.
[[nodiscard]] std::optional<Spread> spread_named(const std::string& word);

/// Ends the work of routers whose equal ways all are waited for: keeps one of the ways (Spray: by
/// the number drawn), or lets the list begin with that one, so that equals are spread (Adaptive).
void spread_next_hops(Spread spread, std::uint64_t drawn, std::vector<OfferedHop>& next_hops);

}  // namespace npunet::topology
