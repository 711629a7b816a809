// Can the nodes of one rank be executed at all? A static check before the simulation, so that a
// broken trace is an error with names and not a simulation that stalls.
//
//     DependencyCheck check("gpt.0.et");
//     while (reader.next(node)) {
//         check.add(node);
//     }
//     const DependencyWarnings warnings = check.finish();
//
// Or, with the nodes in memory: check_dependencies(nodes, "gpt.0.et").
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "chakra/dependencies/dependency_graph.h"
#include "chakra/trace/node.h"

namespace npunet::chakra {

/// A control dependency on a node that the trace does not have. Real traces contain them; they
/// count as satisfied.
struct AbsentCtrlDep {
    std::uint64_t node = 0;
    std::uint64_t absent = 0;
};

inline bool operator==(const AbsentCtrlDep& a, const AbsentCtrlDep& b) {
    return a.node == b.node && a.absent == b.absent;
}

/// What is odd about a trace but does not keep it from being executed.
struct DependencyWarnings {
    std::vector<AbsentCtrlDep> absent_ctrl_deps;  ///< in the order of the file, at
                                                  ///< most DependencyGraph::kept
};

/// Throws at the first problem of a rank; chakra/dependencies/dependency_graph.h finds all of them.
/// Memory: the graph, and the names.
class DependencyCheck {
public:
    /// `file` is where the nodes come from, for the messages.
    explicit DependencyCheck(std::string file, FollowedDeps followed = FollowedDeps::Data);

    /// Adds the next node of the file.
    void add(const Node& node);

    /// Throws InputError (file, node) for an id that stands there twice, a data dependency on a
    /// node that is absent, a node that depends on itself, and nodes that wait for each other in a
    /// cycle. The first of them in this order; within a kind, the first of the file. Call once.
    [[nodiscard]] DependencyWarnings finish();

private:
    using Place = DependencyGraph::Place;

    [[nodiscard]] std::string describe(Place node) const;
    void refuse_duplicates() const;
    void refuse_dangling();
    void refuse_self() const;
    void refuse_cycles() const;

    std::string file_;
    FollowedDeps followed_;
    DependencyWarnings warnings_;
    DependencyGraph graph_;
    std::string names_;  // all names, one after the other
    std::vector<std::size_t> name_ends_;
};

/// All nodes at once. Throws as DependencyCheck does.
DependencyWarnings check_dependencies(const std::vector<Node>& nodes, const std::string& file,
                                      FollowedDeps followed = FollowedDeps::Data);

}  // namespace npunet::chakra
