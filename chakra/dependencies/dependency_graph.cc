#include "chakra/dependencies/dependency_graph.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <utility>

namespace npunet::chakra {

namespace {

constexpr DependencyGraph::Place absent = IdIndex::absent;

/// The strongly connected components of more than one node, by R. Tarjan's algorithm (Depth-first
/// search and linear graph algorithms, 1972) with a stack of our own: a chain of a million nodes
/// would be a million nested calls.
class ComponentFinder {
public:
    using Place = DependencyGraph::Place;

    ComponentFinder(const DependencyGraph& graph, FollowedDeps followed)
        : graph_(graph), followed_(followed), order_(graph.nodes(), 0), low_(graph.nodes(), 0) {}

    /// Each strongly connected component sorted; in the order of their first nodes.
    std::vector<std::vector<Place>> find() {
        // A cycle goes forward in the file somewhere: it is met from there.
        for (std::size_t node = 0; node < graph_.nodes(); ++node) {
            const auto row = graph_.row(static_cast<Place>(node), followed_);
            if (order_[node] == 0 && std::any_of(row.begin(), row.end(), [&](Place dep) {
                    return dep != absent && dep > node;
                })) {
                search(static_cast<Place>(node));
            }
        }
        std::sort(components_.begin(), components_.end());
        return std::move(components_);
    }

private:
    struct Step {
        Place node;
        std::uint32_t seen;  // how many of its dependencies were followed
    };

    void search(Place start) {
        enter(start);
        while (!path_.empty()) {
            Step& step = path_.back();
            const auto row = graph_.row(step.node, followed_);
            if (step.seen == row.size()) {
                leave();
                continue;
            }
            const Place dep = row.first[step.seen++];
            if (dep == absent || low_[dep] == finished) {
                continue;
            }
            if (order_[dep] == 0) {
                enter(dep);  // step is no longer valid
            } else {
                low_[step.node] = std::min(low_[step.node], order_[dep]);
            }
        }
    }

    void enter(Place node) {
        order_[node] = low_[node] = ++entered_;
        open_.push_back(node);
        path_.push_back({node, 0});
    }

    void leave() {
        const Place node = path_.back().node;
        path_.pop_back();
        const std::uint32_t low = low_[node];
        if (low == order_[node]) {
            close_component(node);
        }
        if (!path_.empty()) {
            Place const parent = path_.back().node;
            low_[parent] = std::min(low_[parent], low);
        }
    }

    void close_component(Place node) {
        auto first = open_.end();
        do {
            --first;
            low_[*first] = finished;
        } while (*first != node);
        if (open_.end() - first > 1) {
            components_.emplace_back(first, open_.end());
            std::sort(components_.back().begin(), components_.back().end());
        }
        open_.erase(first, open_.end());
    }

    static constexpr std::uint32_t finished = absent;

    const DependencyGraph& graph_;
    FollowedDeps followed_;
    std::vector<std::uint32_t> order_;  // in which nodes are entered, from 1; 0 = not yet
    std::vector<std::uint32_t> low_;    // the earliest open node within reach, or finished
    std::vector<Place> open_;
    std::vector<Step> path_;
    std::vector<std::vector<Place>> components_;
    std::uint32_t entered_ = 0;
};

/// Breadth first from the component's first node back to it. `from` is absent everywhere before and
/// after.
std::vector<DependencyGraph::Place> shortest_cycle(
    const DependencyGraph& graph, FollowedDeps followed,
    const std::vector<DependencyGraph::Place>& component,
    std::vector<DependencyGraph::Place>& from) {
    using Place = DependencyGraph::Place;
    const Place start = component.front();
    std::vector<Place> reached{start};
    std::vector<Place> cycle;
    for (std::size_t i = 0; cycle.empty(); ++i) {
        assert(i < reached.size());  // every node of a component lies on a cycle
        const Place node = reached[i];
        for (const Place dep : graph.row(node, followed)) {
            if (dep == start && node != start) {
                for (Place back = node; back != start; back = from[back]) {
                    cycle.push_back(back);
                }
                cycle.push_back(start);
                break;
            }
            if (dep != absent && dep != start && from[dep] == absent &&
                std::binary_search(component.begin(), component.end(), dep)) {
                from[dep] = node;
                reached.push_back(dep);
            }
        }
    }
    for (const Place node : reached) {
        from[node] = absent;
    }
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
}

}  // namespace

void DependencyGraph::add(std::uint64_t id, const std::uint64_t* data, std::size_t data_count,
                          const std::uint64_t* ctrl, std::size_t ctrl_count) {
    assert(ids_.size() < absent - 1);
    ids_.push_back(id);
    std::uint64_t before = id;
    name(data, data_count, before);
    name(ctrl, ctrl_count, before);
    data_counts_.push_back(static_cast<std::uint32_t>(data_count));
    begins_.push_back(begins_.back() + data_count + ctrl_count);
}

void DependencyGraph::name(const std::uint64_t* ids, std::size_t count, std::uint64_t& before) {
    constexpr std::size_t at_once = 32;
    std::array<char, at_once * longest_varint> bytes;
    while (count > 0) {
        const std::size_t some = std::min(count, at_once);
        char* end = bytes.data();
        for (std::size_t i = 0; i < some; ++i) {
            const std::uint64_t distance = ids[i] - before;  // modulo 2^64
            end = write_varint(end, distance << 1U ^ (~(distance >> 63U) + 1));
            before = ids[i];
        }
        named_.append(std::string_view(bytes.data(), static_cast<std::size_t>(end - bytes.data())));
        ids += some;
        count -= some;
    }
}

void DependencyGraph::resolve() {
    index_ = IdIndex(ids_);
    deps_.resize(begins_.back());
    ByteBlocksReader named(std::move(named_));
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        const auto node = static_cast<Place>(i);
        Place* const row = deps_.data() + begins_[i];
        const std::size_t data = data_counts_[i];
        const std::size_t ctrl = begins_[i + 1] - begins_[i] - data;
        std::uint64_t before = ids_[i];
        resolve_row(node, DependencyKind::Data, row, data, named, before);
        resolve_row(node, DependencyKind::Ctrl, row + data, ctrl, named, before);
    }
    scratch_ = {};
}

void DependencyGraph::resolve_row(Place node, DependencyKind kind, Place* resolved,
                                  std::size_t count, ByteBlocksReader& named,
                                  std::uint64_t& before) {
    counts_[static_cast<std::size_t>(kind)].all += count;
    for (std::size_t i = 0; i < count; ++i) {
        before += static_cast<std::uint64_t>(zigzag_decoded(named.varint()));
        const Place dep = resolved[i] = index_.find(before);
        if (dep >= node) {  // or absent
            note_odd(node, kind, dep, before);
        }
    }
    if (count > 2 || (count == 2 && resolved[0] == resolved[1])) {
        find_repeated(node, kind, resolved, count);
    }
}

void DependencyGraph::note_odd(Place node, DependencyKind kind, Place dep, std::uint64_t id) {
    Counts& counts = counts_[static_cast<std::size_t>(kind)];
    if (dep == absent) {
        if (++counts.dangling <= kept) {
            dangling_.push_back({node, kind, id});
        }
    } else if (dep == node) {
        if (++counts.self <= kept) {
            self_.push_back({node, kind, id});
        }
    } else {
        ++counts.forward;
    }
}

void DependencyGraph::find_repeated(Place node, DependencyKind kind, const Place* resolved,
                                    std::size_t count) {
    scratch_.assign(resolved, resolved + count);
    std::sort(scratch_.begin(), scratch_.end());
    Counts& counts = counts_[static_cast<std::size_t>(kind)];
    for (std::size_t i = 1; i < count; ++i) {
        if (scratch_[i] == scratch_[i - 1] && scratch_[i] != absent && ++counts.repeated <= kept) {
            repeated_.push_back({node, kind, ids_[scratch_[i]]});
        }
    }
}

bool DependencyGraph::acyclic(FollowedDeps followed) const {
    const bool with_ctrl = followed == FollowedDeps::DataAndCtrl;
    const bool self = counts(DependencyKind::Data).self > 0 ||
                      (with_ctrl && counts(DependencyKind::Ctrl).self > 0);
    return !self && cycles(followed).empty();
}

std::vector<std::vector<DependencyGraph::Place>> DependencyGraph::cycles(
    FollowedDeps followed) const {
    const bool with_ctrl = followed == FollowedDeps::DataAndCtrl;
    if (counts(DependencyKind::Data).forward == 0 &&
        (!with_ctrl || counts(DependencyKind::Ctrl).forward == 0)) {
        return {};
    }
    std::vector<std::vector<Place>> cycles = ComponentFinder(*this, followed).find();
    std::vector<Place> from(cycles.empty() ? 0 : nodes(), absent);
    for (std::vector<Place>& cycle : cycles) {
        cycle = shortest_cycle(*this, followed, cycle, from);
    }
    return cycles;
}

}  // namespace npunet::chakra
