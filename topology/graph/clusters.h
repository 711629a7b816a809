// Clusters: vertices of a graph that reach each other by one link, or nearly so, and the choice
// among overlapping ones.
//
//     std::vector<Cluster> clusters;
//     add_cliques(neighbours, clusters);
//     const std::vector<std::int32_t> chosen = preferred_clusters(neighbours.size(), clusters);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/neighbours.h"

namespace npunet::topology {

/// How a vertex reaches the rest of its cluster.
struct Reach {
    /// Bytes per second that it can send evenly to the others: in a clique the number of its links
    /// times the slowest one.
    std::int64_t rate = 0;
    std::int64_t latency = 0;  ///< ps, the largest to another member
};

struct Cluster {
    const char* kind = "";              ///< what it is to be called
    std::vector<std::int32_t> members;  ///< vertices in ascending order, two or more
    std::vector<Reach> reach;           ///< by member
    bool leads_on = false;              ///< switches that join the members lead to others as well
};

/// Adds the cliques of a graph: sets of vertices each of which is linked with more than two thirds
/// of the others (so that a few links may be missing) and, by the same kind of link, with none
/// outside; and cliques that share vertices with others but no links, if each member is in no
/// larger one (the groups of a dragonfly, where links between groups are like those within). Kinds
/// of links are looked at three times: all links as one kind, then by rate, then by rate and
/// latency. Cliques of which every member has a link faster than all that it has into the clique
/// are left out. `neighbours` is symmetric. O(E log E) for E links and, for the second sort of
/// cliques, the sum of the squared degrees; where that is beyond 2^27 these are not looked for.
void add_cliques(const Neighbours& neighbours, const char* kind, std::vector<Cluster>& clusters);

/// Makes one cluster of those with the same members: rates added, the largest latency, the kind of
/// the first. They come in the order of their members.
void merge_clusters(std::vector<Cluster>& clusters);

/// By vertex: the cluster that it reaches at the highest rate, of equals one that does not lead on,
/// then with the least latency, then the largest one; -1 where two are equal in all that, or there
/// is none.
[[nodiscard]] std::vector<std::int32_t> preferred_clusters(std::size_t vertices,
                                                           const std::vector<Cluster>& clusters);

}  // namespace npunet::topology
