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

#include <cstdint>
#include <string>
#include <vector>

#include "chakra/node.h"

namespace npunet::chakra {

/// Which dependencies hold a node back.
enum class FollowedDeps {
    Data,        ///< data_deps only, as most producers mean it
    DataAndCtrl  ///< the union with ctrl_deps
};

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
    std::vector<AbsentCtrlDep> absent_ctrl_deps;  ///< in the order of the file
};

/// Collects the ids and dependencies of one rank, then checks them. Time is linear in nodes and
/// dependencies when ids are nearly consecutive, n log n otherwise; no recursion. Memory: 8 bytes a
/// dependency, some 50 bytes a node, and the names.
class DependencyCheck {
public:
    /// `file` is where the nodes come from, for the messages.
    explicit DependencyCheck(std::string file, FollowedDeps followed = FollowedDeps::Data);

    /// Adds a node; nodes may come in any order.
    void add(const Node& node);

    /// Throws InputError (file, node) for an id that stands there twice, a data dependency on a
    /// node that is absent, a node that depends on itself, and nodes that wait for each other in a
    /// circle. The first of them in this order; within a kind, the first of the file. Call once.
    [[nodiscard]] DependencyWarnings finish();

private:
    using Index = std::uint32_t;

    void build_index();
    void build_dense_index(std::uint64_t lowest, std::uint64_t span);
    void build_sorted_index();
    [[nodiscard]] Index find(std::uint64_t id) const;
    void resolve();
    void check_cycles() const;
    [[nodiscard]] std::string describe(Index node) const;
    [[noreturn]] void fail_duplicate(Index first, Index second) const;
    [[noreturn]] void fail_cycle(std::vector<Index> cycle) const;

    std::string file_;
    FollowedDeps followed_;
    DependencyWarnings warnings_;
    std::vector<std::uint64_t> ids_;
    std::string names_;  // all names, one after the other
    std::vector<std::size_t> name_ends_;
    std::vector<std::uint64_t> deps_;  // of all nodes; ids, then (resolve) indices
    std::vector<std::size_t> dep_ends_;
    std::vector<std::uint64_t> ctrl_deps_;
    std::vector<std::size_t> ctrl_dep_ends_;
    std::vector<Index> dense_;   // id - lowest_ -> index; empty when ids are scattered
    std::vector<Index> sorted_;  // indices by id, otherwise
    std::uint64_t lowest_ = 0;
};

/// All nodes at once. Throws as DependencyCheck does.
DependencyWarnings check_dependencies(const std::vector<Node>& nodes, const std::string& file,
                                      FollowedDeps followed = FollowedDeps::Data);

}  // namespace npunet::chakra
