// Which algorithm carries out a collective: one entry of an "*-implementation" list.
//
//     Implementation ring = *Implementation::named("oneRing");      // flat ring over all NPUs
//     Implementation four = *Implementation::named("direct4");      // four peers at a time
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/communication.h"

namespace npunet::engine {

/// Which collectives are executed.
enum class CollectiveKind : std::uint8_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Barrier
};

/// "all_reduce", "all_gather", ...
[[nodiscard]] const char* name_of(CollectiveKind kind);

/// The key of system.json that names its algorithms: "all-reduce-implementation", ...
[[nodiscard]] std::string key_of(CollectiveKind kind);

/// What its messages are part of.
[[nodiscard]] constexpr Communication communication_of(CollectiveKind kind) {
    static_assert(static_cast<int>(CollectiveKind::AllReduce) ==
                  static_cast<int>(Communication::AllReduce));
    static_assert(static_cast<int>(CollectiveKind::Barrier) ==
                  static_cast<int>(Communication::Barrier));
    return static_cast<Communication>(kind);
}

/// The kinds in which one member, the root, has a part of its own.
[[nodiscard]] constexpr bool has_root(CollectiveKind kind) {
    return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce ||
           kind == CollectiveKind::Gather || kind == CollectiveKind::Scatter;
}

/// Schedules of messages over one line of members; each has a file of its own.
enum class Algorithm : std::uint8_t {
    Ring,
    Direct,
    HalvingDoubling,
    RecursiveDoubling,
    DoubleBinaryTree,
    BinomialTree,
    Dissemination
};

struct Implementation {
    Algorithm algorithm = Algorithm::Ring;
    /// Direct: how many peers at a time; 0 = all.
    std::int32_t window = 0;
    /// The names with "flat-", or "one" as in ASTRA-sim: one line over the whole group whatever the
    /// dimensions or tiers.
    bool flat = false;
    /// Half of every chunk goes round the ring the other way.
    bool bidirectional = false;
    /// Equal shares of every chunk start in each dimension and go in both directions.
    bool all_dimensions_at_once = false;

    /// The implementation of that name; nothing when there is none.
    [[nodiscard]] static std::optional<Implementation> named(const std::string& name);
    /// The name as it is written in system.json, without a window and without "flat-".
    [[nodiscard]] const char* name() const;
    /// The name as spelled in system.json: "flat-direct4".
    [[nodiscard]] std::string spelled() const;
    /// The same as ASTRA-sim spells it: "oneDirect4".
    [[nodiscard]] std::string spelled_in_reference() const;
    /// Whether the published algorithm does this kind of collective.
    [[nodiscard]] bool does(CollectiveKind kind) const;
    /// Every implementation that does(kind), without windows. With `several` dimensions those of
    /// one line over the whole group, too.
    [[nodiscard]] static std::vector<Implementation> offered(CollectiveKind kind, bool several);
    /// The names that do(kind), for messages: "ring, direct, ...".
    [[nodiscard]] static std::string names_for(CollectiveKind kind);
};

}  // namespace npunet::engine
