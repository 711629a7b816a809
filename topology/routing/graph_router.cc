#include "topology/routing/graph_router.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/splitmix64.h"
#include "topology/graph/neighbours.h"
#include "topology/routing/channel_dependencies.h"
#include "topology/routing/pair_hash.h"
#include "topology/routing/up_down_order.h"

namespace npunet::topology {

GraphRouter::GraphRouter(const Graph& graph, GraphRoutes kind, std::uint64_t seed)
    : kind_(kind), seed_(seed), distances_(graph.npus()) {
    assert(graph.nodes() < nowhere);
    if (kind == GraphRoutes::UpDown || kind == GraphRoutes::Balanced) {
        order_ = up_down_order(graph, [](LinkId) { return true; });
    }
    std::map<std::pair<std::int32_t, std::int32_t>, LinkId> first;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        first_parallel_.push_back(
            first.try_emplace({link.from.value(), link.to.value()}, LinkId(i)).first->second);
    }
    if (kind == GraphRoutes::Balanced) {
        const Neighbours neighbours = neighbours_of(graph);
        groups_ = GroupRoutes(graph, neighbours);
        if (!groups_.found()) {
            product_ = DimensionOrder(graph, neighbours);
        }
        if (product_.is_product()) {
            layers_ = product_.virtual_channels_needed();
        } else if (!groups_.found()) {
            turns_.open(graph);
            if (graph.nodes() > graph.npus()) {
                take_turns(graph);
            }
        }
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
    list_steps(graph, distance, to, state, steps);
    return Step{steps.front(), goes_up(graph.link(steps.front()))};
}

std::string GraphRouter::name() const {
    switch (kind_) {
        case GraphRoutes::Balanced:
            return "balanced";
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

GraphRouter::Distances GraphRouter::distances_to(const Graph& graph, NodeId destination,
                                                 std::vector<std::size_t>& met) const {
    const std::size_t width = states_per_node();
    Distances distance(graph.nodes() * width, nowhere);
    std::vector<std::size_t>& open = met;
    open.clear();
    for (std::size_t phase = 0; phase < width; ++phase) {
        open.push_back(destination.index() * width + phase);
        distance[open.back()] = 0;
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const LinkId id : graph.links_to(NodeId(open[i] / width))) {
            const Link& link = graph.link(id);
            if (!groups_.may_take(link, destination)) {
                continue;
            }
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

GraphRouter::Distances GraphRouter::distances_to(const Graph& graph, NodeId destination) const {
    std::vector<std::size_t> met;
    return distances_to(graph, destination, met);
}

const GraphRouter::Distances& GraphRouter::towards(const Graph& graph, NodeId destination) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    Distances& distance = distances_[destination.index()];
    if (distance.empty()) {
        distance = distances_to(graph, destination);
    }
    return distance;
}

void GraphRouter::list_steps(const Graph& graph, const Distances& distance, NodeId destination,
                             std::size_t state, std::vector<LinkId>& steps) const {
    if (product_.is_product()) {
        product_.list_steps(graph, NodeId(state), destination, steps);
        return;
    }
    const bool all = kind_ == GraphRoutes::Ecmp || groups_.found();
    const bool turns = kind_ == GraphRoutes::Balanced &&
                       graph.kind(NodeId(state / states_per_node())) == NodeKind::Switch;
    const Reach reach = all ? Reach::All : turns ? Reach::Alike : Reach::Lowest;
    list_steps(graph, distance, destination, state, reach, steps);
    if (kind_ == GraphRoutes::Balanced && !groups_.found() && steps.size() > 1) {
        if (const LinkId turn = turns_.find(destination, graph.link(steps.front()).from);
            turn.valid()) {
            steps.assign(1, turn);
        }
    }
}

void GraphRouter::list_steps(const Graph& graph, const Distances& distance, NodeId destination,
                             std::size_t state, Reach reach, std::vector<LinkId>& steps) const {
    steps.clear();
    const NodeId node(state / states_per_node());
    for (const LinkId id : graph.links_from(node)) {
        const std::int64_t next = state_after(state, graph.link(id));
        if (next < 0 || distance[static_cast<std::size_t>(next)] == nowhere ||
            distance[static_cast<std::size_t>(next)] + 1 != distance[state] ||
            !groups_.may_take(graph.link(id), destination)) {
            continue;
        }
        if (reach == Reach::All || steps.empty() ||
            graph.link(id).to == graph.link(steps.front()).to ||
            (reach == Reach::Alike && use_in_turn(graph, steps.front(), id))) {
            steps.push_back(id);
        }
    }
    if (reach == Reach::Alike) {
        std::stable_sort(steps.begin(), steps.end(),
                         [&](LinkId a, LinkId b) { return graph.link(a).to < graph.link(b).to; });
    }
}

void GraphRouter::take_turns(const Graph& graph) {
    std::vector<bool> seen;
    std::vector<NodeId> open;
    std::vector<LinkId> steps;
    for (std::size_t to = 0; to < graph.npus(); ++to) {
        const Distances distance = distances_to(graph, NodeId(to));
        seen.assign(graph.nodes(), false);
        open.clear();
        const auto meet = [&](NodeId node) {
            if (!seen[node.index()] && distance[node.index()] != nowhere) {
                seen[node.index()] = true;
                open.push_back(node);
            }
        };
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            meet(NodeId(npu));
        }
        for (std::size_t i = 0; i < open.size(); ++i) {
            const NodeId node = open[i];
            list_steps(graph, distance, NodeId(to), node.index(), Reach::Alike, steps);
            if (steps.size() > 1 && graph.kind(node) == NodeKind::Switch &&
                graph.kind(graph.link(steps.front()).to) == NodeKind::Switch) {
                steps.assign(1, turns_.take(NodeId(to), node, steps));
            }
            // Of the links of an NPU, and of parallel ones to an NPU, routes and planes take any.
            for (const LinkId step : steps) {
                meet(graph.link(step).to);
            }
        }
        turns_.close(NodeId(to));
    }
}

std::size_t GraphRouter::preferred(const std::vector<LinkId>& links, NodeId at, NodeId to,
                                   std::uint64_t hash) const {
    const bool turns = kind_ == GraphRoutes::Balanced && !groups_.found() && !product_.is_product();
    const LinkId turn = turns ? turns_.find(to, at) : LinkId();
    const auto found = std::find(links.begin(), links.end(), turn);
    return found == links.end() ? static_cast<std::size_t>(hash % links.size())
                                : static_cast<std::size_t>(found - links.begin());
}

void GraphRouter::set_channels(const Graph& graph, NodeId to, std::vector<Hop>& route) const {
    if (product_.is_product()) {
        product_.set_channels(graph, to, route);
        return;
    }
    std::uint8_t channel = layer_towards(to);
    bool gone_down = false;
    if (groups_.found()) {
        if (by_turns_) {
            groups_.set_channels(graph, route);
        }
        return;
    }
    for (Hop& hop : route) {
        if (by_turns_) {
            const bool up = goes_up(graph.link(hop.link));
            channel = static_cast<std::uint8_t>(channel + (up && gone_down ? 1 : 0));
            gone_down = !up;
        }
        hop.virtual_channel = channel;
    }
}

std::uint32_t GraphRouter::channels_towards(const Graph& graph, NodeId destination) const {
    std::vector<std::size_t> met;
    const Distances distance = distances_to(graph, destination, met);
    // By node, twice the most turns of routes that come there, and one if the last step went down.
    std::vector<std::int64_t> most(graph.nodes(), -1);
    std::fill_n(most.begin(), graph.npus(), 0);
    std::vector<LinkId> steps;
    for (std::size_t i = met.size(); i-- > 1;) {
        const std::int64_t so_far = most[met[i]];
        if (so_far < 0) {
            continue;
        }
        list_steps(graph, distance, destination, met[i], steps);
        for (const LinkId step : steps) {
            const Link& link = graph.link(step);
            const std::int64_t then = goes_up(link) ? so_far + so_far % 2 : so_far | 1;
            most[link.to.index()] = std::max(most[link.to.index()], then);
        }
    }
    return static_cast<std::uint32_t>(most[destination.index()] / 2 + 1);
}

bool GraphRouter::count_turns(const Graph& graph, std::uint8_t most) {
    assert(kind_ == GraphRoutes::Balanced);
    if (product_.is_product()) {
        return layers_ <= most;
    }
    std::uint32_t channels = groups_.found() ? 2 : 1;
    for (std::size_t to = 0; !groups_.found() && to < graph.npus() && channels <= most; ++to) {
        channels = std::max(channels, channels_towards(graph, NodeId(to)));
    }
    if (channels > most) {
        return false;
    }
    by_turns_ = channels > 1;
    layers_ = static_cast<std::uint8_t>(channels);
    return true;
}

bool GraphRouter::is_free_of_deadlock(const Graph& graph, std::uint8_t most) {
    // Routes that never go up after down, as on trees, need no search for cycles.
    return count_turns(graph, 1) || look_for_cycle(graph).is_free() || count_turns(graph, most);
}

void GraphRouter::list_links_towards(const Graph& graph, NodeId at, NodeId to,
                                     std::vector<LinkId>& links) const {
    assert(kind_ != GraphRoutes::UpDown);
    list_steps(graph, towards(graph, to), to, at.index(), links);
}

void GraphRouter::list_shortest_steps(const Graph& graph, NodeId at, NodeId to,
                                      std::vector<LinkId>& links) const {
    assert(kind_ != GraphRoutes::UpDown);
    list_steps(graph, towards(graph, to), to, at.index(), Reach::All, links);
}

std::vector<Hop> GraphRouter::route(const Graph& graph, NodeId from, NodeId to) const {
    if (product_.is_product()) {
        return product_.route(graph, from, to, pair_hash(seed_, from, to));
    }
    const Distances& distance = towards(graph, to);
    std::vector<Hop> hops;
    if (groups_.found()) {
        hops = groups_.route(graph, from, to, [&](NodeId at, std::vector<LinkId>& steps) {
            list_steps(graph, distance, to, at.index(), steps);
        });
    } else {
        std::uint64_t hash = pair_hash(seed_, from, to);
        std::vector<LinkId> steps;
        std::size_t state = from.index() * states_per_node();
        while (distance[state] > 0) {
            list_steps(graph, distance, to, state, steps);
            assert(!steps.empty() && "the network is connected");
            const LinkId link = steps[hash % steps.size()];
            hash = splitmix64(hash);
            hops.push_back(Hop{link, 0});
            state = static_cast<std::size_t>(state_after(state, graph.link(link)));
        }
    }
    set_channels(graph, to, hops);
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
            list_steps(graph, distance, destination, state, steps[state]);
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
    return look_for_cycle(graph, std::numeric_limits<std::uint64_t>::max()).cycle;
}

GraphRouter::CycleSearch GraphRouter::look_for_cycle(const Graph& graph, std::uint64_t most) const {
    if (product_.is_product()) {
        return {product_.find_cycle(), true};
    }
    ChannelDependencies dependencies(graph.links(), 1);
    std::uint64_t work = 0;
    std::size_t next_look = 1;
    for (std::size_t to = 0; to < graph.npus(); ++to) {
        if (work > most) {
            return {dependencies.find_cycle(), false};
        }
        work += graph.nodes() + graph.links();
        visit_dependencies(graph, NodeId(to), [&](Hop held, Hop wanted) {
            work += 1 + dependencies.wanted_by(held);
            dependencies.add(held, wanted);
        });
        // Most cycles close after few destinations.
        if (to + 1 == next_look) {
            next_look *= 2;
            if (std::vector<Hop> cycle = dependencies.find_cycle(); !cycle.empty()) {
                return {std::move(cycle), true};
            }
        }
    }
    return {dependencies.find_cycle(), true};
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
