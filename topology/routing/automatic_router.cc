#include "topology/routing/automatic_router.h"

#include <string>
#include <utility>
#include <vector>

#include "topology/routing/channel_dependencies.h"

namespace npunet::topology {

namespace {

std::string describe(const Graph& graph, const GraphRouter::CycleSearch& search) {
    return search.cycle.empty()
               ? "may wait for each other in a cycle of links (not all of them were looked at)"
               : "would wait for each other in a cycle of links, " +
                     describe_cycle(graph, search.cycle);
}

/// Where up*/down* does not reach all NPUs: balanced, or the shortest paths in layers if that takes
/// fewer virtual channels; null where neither does with as many as there can be.
std::shared_ptr<const GraphRouter> router_without_up_down(const Graph& graph,
                                                          std::shared_ptr<GraphRouter> shortest,
                                                          const std::string& reason) {
    auto balanced = std::make_shared<GraphRouter>(graph, GraphRoutes::Balanced, shortest->seed());
    const bool turns = balanced->count_turns(graph, most_layers);
    const int fewer = turns ? balanced->virtual_channels_needed() - 1 : int{most_layers};
    if (!shortest->assign_layers(graph, static_cast<std::uint8_t>(fewer))) {
        return turns ? balanced : nullptr;
    }
    shortest->set_note(
        reason + ", up*/down* does not reach all NPUs, and " +
        (turns ? "balanced routes need " + std::to_string(balanced->virtual_channels_needed())
               : "balanced routes need more than " + std::to_string(most_layers)) +
        " virtual channels; shortest-path on " +
        std::to_string(shortest->virtual_channels_needed()) + " virtual channels is used");
    return shortest;
}

}  // namespace

std::shared_ptr<const GraphRouter> automatic_router(const Graph& graph, std::uint64_t seed,
                                                    std::uint8_t most) {
    auto balanced = std::make_shared<GraphRouter>(graph, GraphRoutes::Balanced, seed);
    if (balanced->is_free_of_deadlock(graph, most)) {
        return balanced;
    }
    balanced.reset();  // its turns take half of the memory
    auto shortest = std::make_shared<GraphRouter>(graph, GraphRoutes::ShortestPath, seed);
    const GraphRouter::CycleSearch search = shortest->look_for_cycle(graph);
    if (search.is_free()) {
        return shortest;
    }
    const std::string reason = "shortest paths " + describe(graph, search);
    auto up_down = std::make_shared<GraphRouter>(graph, GraphRoutes::UpDown, seed);
    if (up_down->reaches_all(graph)) {
        up_down->set_note(reason + ", and need more than " + std::to_string(most) +
                          " virtual channel" + (most == 1 ? "" : "s") +
                          "; up*/down* routing is used");
        return up_down;
    }
    return router_without_up_down(graph, std::move(shortest), reason);
}

}  // namespace npunet::topology
