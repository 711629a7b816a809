#include "chakra/dependencies/trace_order.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <queue>

namespace npunet::chakra {

namespace {

using Place = DependencyGraph::Place;

/// All nodes by ascending id; of one id, as they stand in the file.
std::vector<Place> by_id(const DependencyGraph& graph) {
    std::vector<Place> order(graph.nodes());
    std::iota(order.begin(), order.end(), Place{0});
    const auto before = [&](Place a, Place b) { return graph.id_of(a) < graph.id_of(b); };
    if (!std::is_sorted(order.begin(), order.end(), before)) {
        std::stable_sort(order.begin(), order.end(), before);
    }
    return order;
}

/// Whether every node comes after all that it waits for.
bool respects_dependencies(const DependencyGraph& graph, FollowedDeps followed,
                           const std::vector<Place>& number) {
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        for (const Place dep : graph.row(static_cast<Place>(node), followed)) {
            if (dep != IdIndex::absent && number[dep] >= number[node]) {
                return false;
            }
        }
    }
    return true;
}

/// Who waits for whom, the other way round: the nodes that wait for node i are
/// nodes[begin[i] .. begin[i + 1]).
struct Waiting {
    std::vector<std::size_t> begin;
    std::vector<Place> nodes;
};

Waiting waiting_in(const DependencyGraph& graph, FollowedDeps followed,
                   std::vector<std::size_t>& missing) {
    Waiting waiting{std::vector<std::size_t>(graph.nodes() + 1, 0), {}};
    const auto each = [&](const auto& visit) {
        for (std::size_t node = 0; node < graph.nodes(); ++node) {
            for (const Place dep : graph.row(static_cast<Place>(node), followed)) {
                if (dep != IdIndex::absent) {
                    visit(static_cast<Place>(node), dep);
                }
            }
        }
    };
    each([&](Place node, Place dep) {
        ++missing[node];
        ++waiting.begin[std::size_t{dep} + 1];
    });
    std::partial_sum(waiting.begin.begin(), waiting.begin.end(), waiting.begin.begin());
    waiting.nodes.resize(waiting.begin.back());
    std::vector<std::size_t> next(waiting.begin.begin(), waiting.begin.end() - 1);
    each([&](Place node, Place dep) { waiting.nodes[next[dep]++] = node; });
    return waiting;
}

}  // namespace

std::vector<Place> trace_order(const DependencyGraph& graph, FollowedDeps followed) {
    std::vector<Place> sorted = by_id(graph);
    std::vector<Place> number(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        number[sorted[i]] = static_cast<Place>(i);
    }
    if (respects_dependencies(graph, followed, number)) {
        return sorted;
    }
    std::vector<std::size_t> missing(graph.nodes(), 0);
    const Waiting waiting = waiting_in(graph, followed, missing);
    std::priority_queue<Place, std::vector<Place>, std::greater<>> ready;  // numbers
    std::vector<bool> started(graph.nodes(), false);
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        if (missing[node] == 0) {
            ready.push(number[node]);
        }
    }
    std::vector<Place> order;
    order.reserve(graph.nodes());
    while (!ready.empty()) {
        const Place node = sorted[ready.top()];
        ready.pop();
        started[node] = true;
        order.push_back(node);
        for (std::size_t i = waiting.begin[node]; i < waiting.begin[std::size_t{node} + 1]; ++i) {
            if (--missing[waiting.nodes[i]] == 0) {
                ready.push(number[waiting.nodes[i]]);
            }
        }
    }
    std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(order),
                 [&](Place node) { return !started[node]; });
    return order;
}

}  // namespace npunet::chakra
