// What no algorithm can beat: the least time of a collective among NPUs with given ports.
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
// and one link's latency. The time from the first member's start to the end is never less; from the
// last member's start it may be, because the others were at work before.
//
//     CollectiveBounds bounds(network);
//     const Time least = bounds.least_time(CollectiveKind::AllReduce, ranks, Bytes{1 << 20}, {});
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class CollectiveBounds {
public:
    /// The description must outlive this.
    explicit CollectiveBounds(const topology::NetworkDescription& network) : network_(network) {}

    /// `bytes` as in the trace; `root` counts only where the kind has one. Zero for fewer than two
    /// ranks. Rates are those of network.yml: faults that slow links down leave it a bound.
    [[nodiscard]] Time least_time(CollectiveKind kind, const std::vector<Rank>& ranks, Bytes bytes,
                                  Rank root);

private:
    /// Bytes per second of many links: 64 bits would not hold 2^25 links of any rate that there is.
    __extension__ using Sum = unsigned __int128;

    /// The ports of a group's members.
    struct Ports {
        std::vector<Rank> ranks;
        Sum all = 0;    ///< in one direction, all members together
        Sum least = 0;  ///< of the member with the slowest ports
        Time latency;   ///< of the quickest link
    };

    [[nodiscard]] const Ports& ports_of(const std::vector<Rank>& ranks);
    [[nodiscard]] std::vector<bool> dimensions_of(const std::vector<Rank>& ranks) const;
    [[nodiscard]] Sum rate_of(Rank rank, const std::vector<bool>& dimensions) const;

    const topology::NetworkDescription& network_;
    Ports latest_;  ///< one group has many collectives, mostly one after the other
};

}  // namespace npunet::engine
