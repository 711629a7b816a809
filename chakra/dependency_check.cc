#include "chakra/dependency_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/errors.h"

namespace npunet::chakra {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// A cycle of a thousand nodes is no better understood than its beginning.
constexpr std::size_t max_printed_cycle = 16;

std::size_t begin_of(const std::vector<std::size_t>& ends, std::size_t node) {
    return node == 0 ? 0 : ends[node - 1];
}

}  // namespace

DependencyCheck::DependencyCheck(std::string file, FollowedDeps followed)
    : file_(std::move(file)), followed_(followed) {}

void DependencyCheck::add(const Node& node) {
    assert(ids_.size() < none);
    ids_.push_back(node.id);
    names_ += node.name;
    name_ends_.push_back(names_.size());
    deps_.insert(deps_.end(), node.data_deps.begin(), node.data_deps.end());
    dep_ends_.push_back(deps_.size());
    ctrl_deps_.insert(ctrl_deps_.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
    ctrl_dep_ends_.push_back(ctrl_deps_.size());
}

DependencyWarnings DependencyCheck::finish() {
    build_index();
    resolve();
    check_cycles();
    return std::move(warnings_);
}

void DependencyCheck::build_index() {
    if (ids_.empty()) {
        return;
    }
    const auto [lowest, highest] = std::minmax_element(ids_.begin(), ids_.end());
    const std::uint64_t span = *highest - *lowest;
    if (span / 4 < ids_.size()) {
        build_dense_index(*lowest, span);
    } else {
        build_sorted_index();
    }
}

void DependencyCheck::build_dense_index(std::uint64_t lowest, std::uint64_t span) {
    lowest_ = lowest;
    dense_.assign(static_cast<std::size_t>(span) + 1, none);
    for (Index node = 0; node < ids_.size(); ++node) {
        Index& slot = dense_[static_cast<std::size_t>(ids_[node] - lowest_)];
        if (slot != none) {
            fail_duplicate(slot, node);
        }
        slot = node;
    }
}

void DependencyCheck::build_sorted_index() {
    sorted_.resize(ids_.size());
    std::iota(sorted_.begin(), sorted_.end(), Index{0});
    std::sort(sorted_.begin(), sorted_.end(), [&](Index a, Index b) {
        return std::make_pair(ids_[a], a) < std::make_pair(ids_[b], b);
    });
    Index first = none;
    Index second = none;
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
        if (ids_[sorted_[i - 1]] == ids_[sorted_[i]] && sorted_[i] < second) {
            first = sorted_[i - 1];
            second = sorted_[i];
        }
    }
    if (second != none) {
        fail_duplicate(first, second);
    }
}

DependencyCheck::Index DependencyCheck::find(std::uint64_t id) const {
    if (!dense_.empty()) {
        const std::uint64_t slot = id - lowest_;  // wraps to a large number when id < lowest_
        return slot < dense_.size() ? dense_[static_cast<std::size_t>(slot)] : none;
    }
    const auto found =
        std::lower_bound(sorted_.begin(), sorted_.end(), id,
                         [&](Index node, std::uint64_t wanted) { return ids_[node] < wanted; });
    return found != sorted_.end() && ids_[*found] == id ? *found : none;
}

void DependencyCheck::resolve() {
    for (Index node = 0; node < ids_.size(); ++node) {
        for (std::size_t i = begin_of(dep_ends_, node); i < dep_ends_[node]; ++i) {
            const Index dep = find(deps_[i]);
            if (dep == none) {
                throw InputError({file_, describe(node),
                                  fmt::format("a data dependency on node {}", deps_[i]),
                                  "dependencies on nodes of the same trace",
                                  "The trace is incomplete; generate it again"});
            }
            deps_[i] = dep;
        }
        for (std::size_t i = begin_of(ctrl_dep_ends_, node); i < ctrl_dep_ends_[node]; ++i) {
            const Index dep = find(ctrl_deps_[i]);
            if (dep == none) {
                warnings_.absent_ctrl_deps.push_back({ids_[node], ctrl_deps_[i]});
            }
            ctrl_deps_[i] = dep;
        }
    }
}

// Depth first along the dependencies with a stack of our own: a chain of a million nodes would be
// a million nested calls. The stack is the path from the start, so a dependency on a node that is
// on it closes a cycle.
void DependencyCheck::check_cycles() const {
    enum class State : std::uint8_t { New, OnPath, Done };
    const bool with_ctrl = followed_ == FollowedDeps::DataAndCtrl;
    std::vector<State> state(ids_.size(), State::New);
    std::vector<Index> path;
    std::vector<std::size_t> cursors;  // how many dependencies of each node of the path were seen

    const auto dep_of = [&](Index node, std::size_t cursor) -> std::uint64_t {
        const std::size_t begin = begin_of(dep_ends_, node);
        const std::size_t data = dep_ends_[node] - begin;
        return cursor < data ? deps_[begin + cursor]
                             : ctrl_deps_[begin_of(ctrl_dep_ends_, node) + cursor - data];
    };
    const auto dep_count = [&](Index node) {
        const std::size_t data = dep_ends_[node] - begin_of(dep_ends_, node);
        return data + (with_ctrl ? ctrl_dep_ends_[node] - begin_of(ctrl_dep_ends_, node) : 0);
    };

    for (Index start = 0; start < ids_.size(); ++start) {
        if (state[start] != State::New) {
            continue;
        }
        path.assign(1, start);
        cursors.assign(1, 0);
        state[start] = State::OnPath;
        while (!path.empty()) {
            const Index node = path.back();
            if (cursors.back() == dep_count(node)) {
                state[node] = State::Done;
                path.pop_back();
                cursors.pop_back();
                continue;
            }
            const auto dep = static_cast<Index>(dep_of(node, cursors.back()++));
            if (dep == none || state[dep] == State::Done) {
                continue;
            }
            if (state[dep] == State::OnPath) {
                fail_cycle({std::find(path.begin(), path.end(), dep), path.end()});
            }
            state[dep] = State::OnPath;
            path.push_back(dep);
            cursors.push_back(0);
        }
    }
}

std::string DependencyCheck::describe(Index node) const {
    const std::size_t begin = begin_of(name_ends_, node);
    const std::string_view name = std::string_view(names_).substr(begin, name_ends_[node] - begin);
    return fmt::format("node {} '{}'", ids_[node], name);
}

void DependencyCheck::fail_duplicate(Index first, Index second) const {
    throw InputError({file_, describe(second), fmt::format("the id of {}", describe(first)),
                      "ids that are unique within a trace", "Generate the trace again"});
}

void DependencyCheck::fail_cycle(std::vector<Index> cycle) const {
    if (cycle.size() == 1) {
        throw InputError({file_, describe(cycle.front()), "a dependency on itself",
                          "dependencies on other nodes", "Generate the trace again"});
    }
    // Where the search met the cycle is our affair; it begins at its first node of the file.
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    std::string text = fmt::format("a cycle of {} nodes: {}", cycle.size(), describe(cycle[0]));
    for (std::size_t i = 1; i < cycle.size() && i < max_printed_cycle; ++i) {
        text += " waits for " + describe(cycle[i]);
    }
    if (cycle.size() > max_printed_cycle) {
        text += fmt::format(" waits for {} more", cycle.size() - max_printed_cycle);
    }
    text += " waits for " + describe(cycle[0]);
    throw InputError({file_, describe(cycle[0]), std::move(text), "dependencies without cycles",
                      "Generate the trace again"});
}

DependencyWarnings check_dependencies(const std::vector<Node>& nodes, const std::string& file,
                                      FollowedDeps followed) {
    DependencyCheck check(file, followed);
    for (const Node& node : nodes) {
        check.add(node);
    }
    return check.finish();
}

}  // namespace npunet::chakra
