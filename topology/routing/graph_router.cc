#include "topology/routing/graph_router.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <utility>

#include "base/splitmix64.h"
#include "topology/routing/channel_dependencies.h"
#include "topology/routing/pair_hash.h"
#include "topology/routing/up_down_order.h"

namespace npunet::topology {

GraphRouter::GraphRouter(const Graph& graph, GraphRoutes kind, std::uint64_t seed)
    : kind_(kind), seed_(seed), distances_(graph.npus()) {
    assert(graph.nodes() < nowhere);
    if (kind == GraphRoutes::UpDown) {
        order_ = up_down_order(graph, [](LinkId) { return true; });
    }
    std::map<std::pair<std::int32_t, std::int32_t>, LinkId> first;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        first_parallel_.push_back(
            first.try_emplace({link.from.value(), link.to.value()}, LinkId(i)).first->second);
    }
}

GraphRouter::GraphRouter(const Graph& graph, std::vector<std::uint32_t> order)
    : kind_(GraphRoutes::UpDown), seed_(0), order_(std::move(order)), distances_(graph.npus()) {
    assert(graph.nodes() < nowhere);
}

std::optional<GraphRouter::Step> GraphRouter::up_down_step(const Graph& graph, NodeId at,
                                                           bool gone_down, NodeId to) const {
    assert(kind_ == GraphRoutes::UpDown);
    const Distances& distance = towards(graph, to);
    const std::size_t state = 2 * at.index() + (gone_down ? 1 : 0);
    if (distance[state] == nowhere || distance[state] == 0) {
        return std::nullopt;
    }
    std::vector<LinkId> steps;
    list_steps(graph, distance, state, steps);
    return Step{steps.front(), goes_up(graph.link(steps.front()))};
}

std::string GraphRouter::name() const {
    switch (kind_) {
        case GraphRoutes::Ecmp:
            return "ecmp";
        case GraphRoutes::UpDown:
            return "up-down";
        case GraphRoutes::ShortestPath:
            break;
    }
    return "shortest-path";
}

bool GraphRouter::goes_up(const Link& link) const {
    return order_[link.to.index()] < order_[link.from.index()];
}

std::int64_t GraphRouter::state_after(std::size_t state, const Link& link) const {
    if (kind_ != GraphRoutes::UpDown) {
        return link.to.value();
    }
    const bool up = goes_up(link);
    if (up && state % 2 == 1) {
        return -1;
    }
    return 2 * std::int64_t{link.to.value()} + (up ? 0 : 1);
}

GraphRouter::Distances GraphRouter::distances_to(const Graph& graph, NodeId destination) const {
    const std::size_t width = states_per_node();
    Distances distance(graph.nodes() * width, nowhere);
    std::vector<std::size_t> open;
    for (std::size_t phase = 0; phase < width; ++phase) {
        open.push_back(destination.index() * width + phase);
        distance[open.back()] = 0;
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const LinkId id : graph.links_to(NodeId(open[i] / width))) {
            const Link& link = graph.link(id);
            for (std::size_t phase = 0; phase < width; ++phase) {
                const std::size_t before = link.from.index() * width + phase;
                if (distance[before] == nowhere &&
                    state_after(before, link) == static_cast<std::int64_t>(open[i])) {
                    distance[before] = static_cast<std::uint16_t>(distance[open[i]] + 1);
                    open.push_back(before);
                }
            }
        }
    }
    return distance;
}

const GraphRouter::Distances& GraphRouter::towards(const Graph& graph, NodeId destination) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    Distances& distance = distances_[destination.index()];
    if (distance.empty()) {
        distance = distances_to(graph, destination);
    }
    return distance;
}

void GraphRouter::list_steps(const Graph& graph, const Distances& distance, std::size_t state,
                             std::vector<LinkId>& steps) const {
    list_steps(graph, distance, state, kind_ == GraphRoutes::Ecmp, steps);
}

void GraphRouter::list_steps(const Graph& graph, const Distances& distance, std::size_t state,
                             bool all, std::vector<LinkId>& steps) const {
    steps.clear();
    const NodeId node(state / states_per_node());
    for (const LinkId id : graph.links_from(node)) {
        const std::int64_t next = state_after(state, graph.link(id));
        if (next < 0 || distance[static_cast<std::size_t>(next)] == nowhere ||
            distance[static_cast<std::size_t>(next)] + 1 != distance[state]) {
            continue;
        }
        const bool other_neighbour =
            !steps.empty() && graph.link(id).to != graph.link(steps.front()).to;
        if (all || !other_neighbour) {
            steps.push_back(id);
        }
    }
}

void GraphRouter::list_links_towards(const Graph& graph, NodeId at, NodeId to,
                                     std::vector<LinkId>& links) const {
    assert(kind_ != GraphRoutes::UpDown);
    list_steps(graph, towards(graph, to), at.index(), links);
}

void GraphRouter::list_shortest_steps(const Graph& graph, NodeId at, NodeId to,
                                      std::vector<LinkId>& links) const {
    assert(kind_ != GraphRoutes::UpDown);
    list_steps(graph, towards(graph, to), at.index(), true, links);
}

std::vector<Hop> GraphRouter::route(const Graph& graph, NodeId from, NodeId to) const {
    const Distances& distance = towards(graph, to);
    const std::uint8_t layer = layer_towards(to);
    std::uint64_t hash = pair_hash(seed_, from, to);
    std::vector<Hop> hops;
    std::vector<LinkId> steps;
    std::size_t state = from.index() * states_per_node();
    while (distance[state] > 0) {
        list_steps(graph, distance, state, steps);
        assert(!steps.empty() && "the network is connected");
        const LinkId link = steps[hash % steps.size()];
        hash = splitmix64(hash);
        hops.push_back(Hop{link, layer});
        state = static_cast<std::size_t>(state_after(state, graph.link(link)));
    }
    return hops;
}

template <class Add>
void GraphRouter::visit_dependencies(const Graph& graph, NodeId destination, Add&& add) const {
    const Distances distance = distances_to(graph, destination);
    std::vector<bool> seen(distance.size(), false);
    std::vector<std::size_t> open;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
        open.push_back(npu * states_per_node());
        seen[open.back()] = true;
    }
    std::vector<std::vector<LinkId>> steps(distance.size());
    const auto steps_from = [&](std::size_t state) -> const std::vector<LinkId>& {
        if (steps[state].empty() && distance[state] != nowhere) {
            list_steps(graph, distance, state, steps[state]);
        }
        return steps[state];
    };
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::size_t state = open[i];
        for (const LinkId held : steps_from(state)) {
            const auto next = static_cast<std::size_t>(state_after(state, graph.link(held)));
            for (const LinkId wanted : steps_from(next)) {
                add(Hop{first_parallel_[held.index()], 0}, Hop{first_parallel_[wanted.index()], 0});
            }
            if (!seen[next]) {
                seen[next] = true;
                open.push_back(next);
            }
        }
    }
}

std::vector<Hop> GraphRouter::find_cycle(const Graph& graph) const {
    ChannelDependencies dependencies(graph.links(), 1);
    for (std::size_t to = 0; to < graph.npus(); ++to) {
        visit_dependencies(graph, NodeId(to),
                           [&](Hop held, Hop wanted) { dependencies.add(held, wanted); });
    }
    return dependencies.find_cycle();
}

bool GraphRouter::reaches_all(const Graph& graph) const {
    for (std::size_t to = 0; to < graph.npus(); ++to) {
        const Distances distance = distances_to(graph, NodeId(to));
        for (std::size_t from = 0; from < graph.npus(); ++from) {
            if (distance[from * states_per_node()] == nowhere) {
                return false;
            }
        }
    }
    return true;
}

bool GraphRouter::assign_layers(const Graph& graph, std::uint8_t most) {
    if (graph.npus() > most_layered_npus) {
        return false;
    }
    layer_of_.assign(graph.npus(), 0);
    std::vector<std::size_t> left(graph.npus());
    std::iota(left.begin(), left.end(), std::size_t{0});
    for (layers_ = 0; !left.empty() && layers_ < most; ++layers_) {
        ChannelDependencies layer(graph.links(), 1);
        std::vector<std::size_t> later;
        // All at once where they fit, else half by half: most of a layer is filled in few steps.
        std::vector<std::vector<std::size_t>> open{left};
        while (!open.empty()) {
            const std::vector<std::size_t> batch = std::move(open.back());
            open.pop_back();
            ChannelDependencies trial = layer;
            for (const std::size_t to : batch) {
                visit_dependencies(graph, NodeId(to),
                                   [&](Hop held, Hop wanted) { trial.add(held, wanted); });
            }
            if (trial.find_cycle().empty()) {
                layer = std::move(trial);
                for (const std::size_t to : batch) {
                    layer_of_[to] = layers_;
                }
            } else if (batch.size() == 1) {
                later.push_back(batch.front());
            } else {
                const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
                open.emplace_back(middle, batch.end());
                open.emplace_back(batch.begin(), middle);
            }
        }
        left = std::move(later);
    }
    return left.empty();
}

std::shared_ptr<const GraphRouter> automatic_router(const Graph& graph, std::uint64_t seed) {
    auto shortest = std::make_shared<GraphRouter>(graph, GraphRoutes::ShortestPath, seed);
    const std::vector<Hop> cycle = shortest->find_cycle(graph);
    if (cycle.empty()) {
        return shortest;
    }
    const std::string waits = "shortest paths would wait for each other in a cycle of links, " +
                              describe_cycle(graph, cycle) + "; ";
    auto up_down = std::make_shared<GraphRouter>(graph, GraphRoutes::UpDown, seed);
    if (up_down->reaches_all(graph)) {
        up_down->set_note(waits + "up*/down* routing is used");
        return up_down;
    }
    if (!shortest->assign_layers(graph, most_layers)) {
        return nullptr;
    }
    shortest->set_note(waits + std::to_string(shortest->virtual_channels_needed()) +
                       " layers of virtual channels are assigned, as up*/down* routing does not "
                       "reach all NPUs");
    return shortest;
}

void GraphNextHops::list_next_hops(const Graph& graph, const PacketPlace& place,
                                   std::vector<OfferedHop>& next_hops) const {
    std::vector<LinkId> links;
    paths_->list_links_towards(graph, place.at, place.destination, links);
    next_hops.clear();
    for (const LinkId link : links) {
        next_hops.emplace_back();
        next_hops.back().hop = Hop{link, paths_->layer_towards(place.destination)};
    }
    if (is_oblivious()) {
        take_turn(place, next_hops);
    } else {
        spread_over(place, next_hops);
    }
}

void GraphNextHops::take_turn(const PacketPlace& place, std::vector<OfferedHop>& next_hops) const {
    // Reroutes has the highest bits of the memory; a message has fewer packets than these links
    // have combinations beyond.
    constexpr std::uint64_t most_combinations = std::uint64_t{1} << 29U;
    const std::uint64_t so_far = std::max(place.memory, std::uint32_t{1});
    const std::uint64_t links = next_hops.size();
    const std::uint64_t first = pair_hash(paths_->seed(), place.source, place.at) % links;
    const std::uint64_t turn = place.sequence / so_far + place.sequence % so_far;
    const OfferedHop chosen = next_hops[static_cast<std::size_t>((first + turn) % links)];
    next_hops.assign(1, chosen);
    next_hops.front().memory =
        static_cast<std::uint32_t>(std::min(so_far * links, most_combinations));
}

}  // namespace npunet::topology
