#include "chakra/dependencies/dependency_check.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/errors.h"
#include "chakra/dependencies/cycle_text.h"

namespace npunet::chakra {

namespace {

/// A cycle of a thousand nodes is no better understood than its beginning.

}  // namespace

DependencyCheck::DependencyCheck(std::string file, FollowedDeps followed)
    : file_(std::move(file)), followed_(followed) {}

void DependencyCheck::add(const Node& node) {
    graph_.add(node);
    names_ += node.name;
    name_ends_.push_back(names_.size());
}

DependencyWarnings DependencyCheck::finish() {
    graph_.resolve();
    refuse_duplicates();
    refuse_dangling();
    refuse_self();
    refuse_cycles();
    return std::move(warnings_);
}

void DependencyCheck::refuse_duplicates() const {
    if (graph_.index().duplicates().empty()) {
        return;
    }
    const auto [first, second] = graph_.index().duplicates().front();
    throw InputError({file_, describe(second), fmt::format("the id of {}", describe(first)),
                      "ids that are unique within a trace", "Generate the trace again"});
}

void DependencyCheck::refuse_dangling() {
    for (const DependencyGraph::Dependency& dangling : graph_.dangling()) {
        if (dangling.kind == DependencyKind::Data) {
            throw InputError({file_, describe(dangling.node),
                              fmt::format("a data dependency on node {}", dangling.on),
                              "dependencies on nodes of the same trace",
                              "The trace is incomplete; generate it again"});
        }
        warnings_.absent_ctrl_deps.push_back({graph_.id_of(dangling.node), dangling.on});
    }
}

void DependencyCheck::refuse_self() const {
    for (const DependencyGraph::Dependency& self : graph_.self()) {
        if (self.kind == DependencyKind::Data || followed_ == FollowedDeps::DataAndCtrl) {
            throw InputError({file_, describe(self.node), "a dependency on itself",
                              "dependencies on other nodes", "Generate the trace again"});
        }
    }
}

void DependencyCheck::refuse_cycles() const {
    const std::vector<std::vector<Place>> cycles = graph_.cycles(followed_);
    if (cycles.empty()) {
        return;
    }
    const std::vector<Place>& cycle = cycles.front();
    std::string text = cycle_text(cycle.size(), [&](std::size_t i) { return describe(cycle[i]); });
    throw InputError({file_, describe(cycle[0]), std::move(text), "dependencies without cycles",
                      "Generate the trace again"});
}

std::string DependencyCheck::describe(Place node) const {
    const std::size_t begin = node == 0 ? 0 : name_ends_[node - 1];
    const std::string_view name = std::string_view(names_).substr(begin, name_ends_[node] - begin);
    return fmt::format("node {} '{}'", graph_.id_of(node), name);
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
