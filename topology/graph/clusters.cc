#include "topology/graph/clusters.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "base/quantities.h"

namespace npunet::topology {

namespace {

/// One link of the two directions, from < to.
struct CliqueEdge {
    std::int32_t from;
    std::int32_t to;
    std::int64_t rate;
    std::int64_t latency;
};

using CliqueEdges = std::vector<CliqueEdge>;
using Vertices = std::vector<std::int32_t>;

/// Most steps of looking for common neighbours.
constexpr std::size_t most_common_steps = std::size_t{1} << 27;

/// The graph of some edges, its vertices renumbered 0, 1, ... in ascending order.
class CliqueGraph {
public:
    /// `place_of` has room for every vertex; its content is of no consequence.
    CliqueGraph(CliqueEdges::const_iterator begin, CliqueEdges::const_iterator end,
                Vertices& place_of) {
        for (auto edge = begin; edge != end; ++edge) {
            vertices_.push_back(edge->from);
            vertices_.push_back(edge->to);
        }
        std::sort(vertices_.begin(), vertices_.end());
        vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
        for (std::size_t i = 0; i < vertices_.size(); ++i) {
            place_of[static_cast<std::size_t>(vertices_[i])] = static_cast<std::int32_t>(i);
        }
        next_.resize(vertices_.size());
        for (auto edge = begin; edge != end; ++edge) {
            const std::int32_t from = place_of[static_cast<std::size_t>(edge->from)];
            const std::int32_t to = place_of[static_cast<std::size_t>(edge->to)];
            next_[static_cast<std::size_t>(from)].push_back(to);
            next_[static_cast<std::size_t>(to)].push_back(from);
        }
    }

    /// Adds the cliques as sets of the vertices given.
    void add_cliques(std::vector<Vertices>& found) const {
        std::vector<bool> met(next_.size(), false);
        Vertices others;
        for (std::size_t first = 0; first < next_.size(); ++first) {
            if (!met[first]) {
                const Vertices component = component_of(first, met);
                if (is_nearly_complete(component)) {
                    found.push_back(named(component));
                } else {
                    others.insert(others.end(), component.begin(), component.end());
                }
            }
        }
        add_touching_cliques(others, found);
    }

private:
    [[nodiscard]] Vertices named(const Vertices& places) const {
        Vertices names;
        names.reserve(places.size());
        for (const std::int32_t place : places) {
            names.push_back(vertices_[static_cast<std::size_t>(place)]);
        }
        return names;
    }

    [[nodiscard]] Vertices component_of(std::size_t first, std::vector<bool>& met) const {
        Vertices component{static_cast<std::int32_t>(first)};
        met[first] = true;
        for (std::size_t i = 0; i < component.size(); ++i) {
            for (const std::int32_t next : next_[static_cast<std::size_t>(component[i])]) {
                if (!met[static_cast<std::size_t>(next)]) {
                    met[static_cast<std::size_t>(next)] = true;
                    component.push_back(next);
                }
            }
        }
        std::sort(component.begin(), component.end());
        return component;
    }

    [[nodiscard]] bool is_nearly_complete(const Vertices& component) const {
        return std::all_of(component.begin(), component.end(), [&](std::int32_t place) {
            return 3 * next_[static_cast<std::size_t>(place)].size() > 2 * (component.size() - 1);
        });
    }

    /// Two members of a clique of k vertices have k - 2 common neighbours within it. So where a
    /// vertex has exactly k - 1 neighbours with which it has that many, and with none more, they
    /// are its one largest clique, if each of them finds the same set.
    void add_touching_cliques(const Vertices& among, std::vector<Vertices>& found) const {
        std::size_t steps = 0;
        for (const std::int32_t vertex : among) {
            const std::size_t degree = next_[static_cast<std::size_t>(vertex)].size();
            steps += degree * degree;
            if (steps > most_common_steps) {
                return;
            }
        }
        std::vector<Vertices> closest(next_.size());
        std::vector<bool> marked(next_.size(), false);
        for (const std::int32_t vertex : among) {
            closest[static_cast<std::size_t>(vertex)] = closest_to(vertex, marked);
        }
        for (const std::int32_t vertex : among) {
            const Vertices& set = closest[static_cast<std::size_t>(vertex)];
            if (!set.empty() && set.front() == vertex &&
                std::all_of(set.begin(), set.end(), [&](std::int32_t member) {
                    return closest[static_cast<std::size_t>(member)] == set;
                })) {
                found.push_back(named(set));
            }
        }
    }

    /// A vertex with the neighbours with which it has most common neighbours; empty where these are
    /// no clique by their number, or have none. `marked` is all false before and after.
    [[nodiscard]] Vertices closest_to(std::int32_t vertex, std::vector<bool>& marked) const {
        const Vertices& own = next_[static_cast<std::size_t>(vertex)];
        for (const std::int32_t next : own) {
            marked[static_cast<std::size_t>(next)] = true;
        }
        std::int64_t most = 0;
        Vertices set;
        for (const std::int32_t next : own) {
            const Vertices& theirs = next_[static_cast<std::size_t>(next)];
            const std::int64_t common = std::count_if(
                theirs.begin(), theirs.end(),
                [&](std::int32_t third) { return marked[static_cast<std::size_t>(third)]; });
            if (common > most) {
                most = common;
                set.clear();
            }
            if (common == most) {
                set.push_back(next);
            }
        }
        for (const std::int32_t next : own) {
            marked[static_cast<std::size_t>(next)] = false;
        }
        if (most == 0 || static_cast<std::int64_t>(set.size()) != most + 1) {
            return {};
        }
        set.push_back(vertex);
        std::sort(set.begin(), set.end());
        return set;
    }

    Vertices vertices_;
    std::vector<Vertices> next_;
};

CliqueEdges edges_of(const Neighbours& neighbours) {
    CliqueEdges edges;
    for (std::size_t from = 0; from < neighbours.size(); ++from) {
        for (const Neighbour& to : neighbours[from]) {
            if (static_cast<std::size_t>(to.node) > from) {
                edges.push_back({static_cast<std::int32_t>(from), to.node, to.rate, to.latency});
            }
        }
    }
    return edges;
}

/// Adds the cliques of each kind of edges; those of a kind are neighbours in the list.
template <class SameKind>
void add_cliques_of_kinds(const CliqueEdges& edges, std::size_t vertices, const SameKind& same,
                          std::vector<Vertices>& found) {
    Vertices place_of(vertices);
    for (auto begin = edges.begin(); begin != edges.end();) {
        auto end = std::next(begin);
        while (end != edges.end() && same(*begin, *end)) {
            ++end;
        }
        CliqueGraph(begin, end, place_of).add_cliques(found);
        begin = end;
    }
}

Cluster cluster_of(const Neighbours& neighbours, const char* kind, Vertices members) {
    Cluster cluster{kind, std::move(members), {}, false};
    for (const std::int32_t member : cluster.members) {
        Reach reach;
        std::int64_t links = 0;
        std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
        auto inside = cluster.members.begin();
        for (const Neighbour& to : neighbours[static_cast<std::size_t>(member)]) {
            inside = std::lower_bound(inside, cluster.members.end(), to.node);
            if (inside != cluster.members.end() && *inside == to.node) {
                ++links;
                slowest = std::min(slowest, to.rate);
                reach.latency = std::max(reach.latency, to.latency);
            }
        }
        reach.rate = capped_product(links, slowest);
        cluster.reach.push_back(reach);
    }
    return cluster;
}

/// Whether any member has no link faster than all that it has into the cluster. Of many links with
/// rates of their own each is a clique of two; few of them are the fastest of a vertex.
bool is_first_choice(const Neighbours& neighbours, const Cluster& cluster) {
    for (std::size_t i = 0; i < cluster.members.size(); ++i) {
        const auto& list = neighbours[static_cast<std::size_t>(cluster.members[i])];
        if (std::all_of(list.begin(), list.end(),
                        [&](const Neighbour& to) { return to.rate <= cluster.reach[i].rate; })) {
            return true;
        }
    }
    return false;
}

}  // namespace

void add_cliques(const Neighbours& neighbours, const char* kind, std::vector<Cluster>& clusters) {
    CliqueEdges edges = edges_of(neighbours);
    const std::size_t vertices = neighbours.size();
    const auto speed = [](const CliqueEdge& edge) { return std::pair(edge.rate, edge.latency); };
    const auto same_rate = [](const CliqueEdge& a, const CliqueEdge& b) {
        return a.rate == b.rate;
    };
    const auto same_speed = [&](const CliqueEdge& a, const CliqueEdge& b) {
        return speed(a) == speed(b);
    };
    std::vector<Vertices> found;
    add_cliques_of_kinds(
        edges, vertices, [](const CliqueEdge&, const CliqueEdge&) { return true; }, found);
    std::stable_sort(edges.begin(), edges.end(),
                     [&](const CliqueEdge& a, const CliqueEdge& b) { return speed(a) > speed(b); });
    const auto count_kinds = [&](const auto& same) {
        std::size_t kinds = edges.empty() ? 0 : 1;
        for (std::size_t i = 1; i < edges.size(); ++i) {
            kinds += same(edges[i - 1], edges[i]) ? 0 : 1;
        }
        return kinds;
    };
    const std::size_t rates = count_kinds(same_rate);
    if (rates > 1) {
        add_cliques_of_kinds(edges, vertices, same_rate, found);
    }
    if (count_kinds(same_speed) > rates) {
        add_cliques_of_kinds(edges, vertices, same_speed, found);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (Vertices& members : found) {
        Cluster cluster = cluster_of(neighbours, kind, std::move(members));
        if (is_first_choice(neighbours, cluster)) {
            clusters.push_back(std::move(cluster));
        }
    }
}

void merge_clusters(std::vector<Cluster>& clusters) {
    std::stable_sort(clusters.begin(), clusters.end(),
                     [](const Cluster& a, const Cluster& b) { return a.members < b.members; });
    std::vector<Cluster> merged;
    for (Cluster& cluster : clusters) {
        if (merged.empty() || merged.back().members != cluster.members) {
            merged.push_back(std::move(cluster));
            continue;
        }
        merged.back().leads_on = merged.back().leads_on || cluster.leads_on;
        for (std::size_t i = 0; i < cluster.reach.size(); ++i) {
            Reach& reach = merged.back().reach[i];
            reach.rate = capped_rate_sum(reach.rate, cluster.reach[i].rate);
            reach.latency = std::max(reach.latency, cluster.reach[i].latency);
        }
    }
    clusters = std::move(merged);
}

std::vector<std::int32_t> preferred_clusters(std::size_t vertices,
                                             const std::vector<Cluster>& clusters) {
    std::vector<std::int32_t> chosen(vertices, -1);
    std::vector<bool> tied(vertices, false);
    // Of a vertex's clusters the best so far; larger is better.
    std::vector<std::tuple<std::int64_t, bool, std::int64_t, std::size_t>> best(vertices);
    for (std::size_t number = 0; number < clusters.size(); ++number) {
        const Cluster& cluster = clusters[number];
        for (std::size_t i = 0; i < cluster.members.size(); ++i) {
            const auto vertex = static_cast<std::size_t>(cluster.members[i]);
            const std::tuple value(cluster.reach[i].rate, !cluster.leads_on,
                                   -cluster.reach[i].latency, cluster.members.size());
            if (chosen[vertex] < 0 || value > best[vertex]) {
                best[vertex] = value;
                chosen[vertex] = static_cast<std::int32_t>(number);
                tied[vertex] = false;
            } else if (value == best[vertex]) {
                tied[vertex] = true;
            }
        }
    }
    for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
        chosen[vertex] = tied[vertex] ? -1 : chosen[vertex];
    }
    return chosen;
}

}  // namespace npunet::topology
