// What no algorithm can beat: the least time of a collective among NPUs with given ports in a given
// network.
//
// A message between two members leaves and enters NPUs by the links of the dimensions in which the
// group's members differ (all links, where there are no dimensions). With n members, S bytes in the
// trace, R(i) the rate of member i's ports in one direction and R their sum (Patarasuk and Yuan,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009; Chan, Heimlich,
// Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007):
//     all-reduce                    max of 2 (n-1) S / R and S / least R(i)
//     all-gather (S a shard)        (n-1) S / least R(i)
//     reduce-scatter, all-to-all    (n-1)/n S / least R(i)
//     broadcast, reduce             S / least R(i), which is more than (n-1) S / R
//     gather, scatter               (n-1) S, (n-1)/n S / R(root)
//
// The same arguments hold with the blocks of a tier in the place of members, as nothing is lost if
// what happens within a block takes no time. Into a block with k of the members, and out of it, go
// at least
//                       in               out
//     all-reduce        S                S                and 2 (B-1) S in all, of B blocks
//     all-gather        (n-k) S          k S
//     reduce-scatter    k/n S            (n-k)/n S
//     all-to-all        k (n-k)/n S      k (n-k)/n S
//     broadcast         S                0                of the root's block 0 and S
//     reduce            0                S                of the root's block S and 0
//     gather            0                k S              of the root's block (n-k) S and 0
//     scatter           k/n S            0                of the root's block 0 and (n-k)/n S
// over what can cross its border (topology/network/tier_cuts.h); of all tiers, that have at least
// two blocks with members. (All-reduce: each byte's sum needs B-1 transfers between blocks to be
// formed and B-1 to be known everywhere, as 2 (B-1) one-way calls spread all gossip: Harary and
// Schwenk, "The communication problem on graphs and digraphs", 1974.)
//
// Of an all-reduce by switches that add up, the sums over all members or blocks, 2 (n-1) S / R and
// 2 (B-1) S, do not hold: switches form sums that no member sends. What a member, or a block, sends
// and receives at least still does.
//
// To the largest of all these one link's latency is added. The time from the first member's start
// to the end is never less where messages share links; from the last member's start it may be,
// because the others were at work before.
//
//     CollectiveBounds bounds(network);
//     const Time least = bounds.least_time(CollectiveKind::AllReduce, ranks, Bytes{1 << 20}, {});
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"
#include "topology/network/network_description.h"
#include "topology/network/tier_cuts.h"

namespace npunet::engine {

/// What bounds a collective: the members' ports alone, or the borders of the tiers' blocks too.
enum class BoundBy : std::uint8_t { Ports, PortsAndCuts };

/// Whether collectives may be carried out by the switches that reduce, where all members have one.
enum class ReduceIn : std::uint8_t { Npus, Switches };

class CollectiveBounds {
public:
    /// The description must outlive this.
    explicit CollectiveBounds(const topology::NetworkDescription& network,
                              BoundBy by = BoundBy::PortsAndCuts,
                              ReduceIn reduce_in = ReduceIn::Npus);

    /// `bytes` as in the trace; `root` counts only where the kind has one. Zero for fewer than two
    /// ranks. Rates are those of network.yml: faults that slow links down leave it a bound. Time:
    /// proportional to the members; the first time for a set of dimensions to the network.
    [[nodiscard]] Time least_time(CollectiveKind kind, const std::vector<Rank>& ranks, Bytes bytes,
                                  Rank root);

    /// The same of an all-to-all whose parts differ: `rows` has, by sender, the bytes to each of
    /// the ranks. A member sends and receives all but its own part, a block what is not of its
    /// members alone. Equal parts: least_time(). Time: proportional to the number of parts.
    [[nodiscard]] Time least_time_of_parts(
        const std::vector<Rank>& ranks, const std::vector<const std::vector<std::int64_t>*>& rows);

    /// Whether the ranks, at least one, differ in each dimension of the network: the links of these
    /// dimensions are those that the bounds count.
    [[nodiscard]] std::vector<bool> dimensions_of(const std::vector<Rank>& ranks) const;

private:
    using Sum = topology::RateSum;

    /// A block's share in a group.
    struct Part {
        std::int32_t block = 0;
        std::int64_t members = 0;
        topology::BlockCut cut;
    };
    /// The parts of a group by the blocks of a tier, at least two.
    struct Division {
        const topology::TierCuts* tier = nullptr;
        std::vector<Part> parts;
        topology::BlockCut all;  ///< added up
    };

    /// The ports of a group's members, and the borders between them.
    struct Ports {
        std::vector<Rank> ranks;
        std::vector<bool> dimensions;  ///< in which members differ
        Sum all = 0;                   ///< in one direction, all members together
        Sum least = 0;                 ///< of the member with the slowest ports
        Time latency;                  ///< of the quickest link
        bool has_switches = true;      ///< that may reduce, at every member
        std::vector<Division> divisions;
    };

    [[nodiscard]] const Ports& ports_of(const std::vector<Rank>& ranks);
    [[nodiscard]] Sum rate_of(Rank rank, const std::vector<bool>& dimensions) const;
    /// Of all tiers but the last.
    [[nodiscard]] const std::vector<topology::TierCuts>& cuts_for(
        const std::vector<bool>& dimensions);
    void divide(const topology::TierCuts& tier);
    [[nodiscard]] Time least_by_ports(CollectiveKind kind, Bytes bytes, Rank root) const;
    [[nodiscard]] Time least_by_cuts(CollectiveKind kind, const Division& division, Bytes bytes,
                                     Rank root) const;
    using Rows = std::vector<const std::vector<std::int64_t>*>;
    [[nodiscard]] Time least_by_ports(const Rows& rows) const;
    [[nodiscard]] Time least_by_cuts(const Division& division, const Rows& rows) const;

    const topology::NetworkDescription& network_;
    BoundBy by_;
    std::vector<bool> may_reduce_;  ///< by node; empty: none
    Ports latest_;                  ///< one group has many collectives, mostly one after the other
    std::map<std::vector<bool>, std::vector<topology::TierCuts>> cuts_;  ///< by dimensions
    std::vector<std::int64_t> members_;                                  ///< by block, zeros
};

}  // namespace npunet::engine
