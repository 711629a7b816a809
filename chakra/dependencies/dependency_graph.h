// Who waits for whom in one trace, in compressed rows: the one mechanism behind every check of
// dependencies.
//
//     DependencyGraph graph;
//     while (reader.next(node)) {
//         graph.add(node);                    // in the order of the file
//     }
//     graph.resolve();
//     graph.counts(DependencyKind::Data).dangling;
//     graph.cycles(FollowedDeps::Data);       // none: the trace can be executed
//
// A node is known by its place in the file. Time is linear in nodes and dependencies when ids are
// nearly consecutive, n log n otherwise; no recursion. Memory: 20 bytes a node; a dependency takes
// one or two bytes mostly until resolve(), which replaces them by 4.
//
// C++17-clean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chakra/dependencies/id_index.h"
#include "chakra/trace/node.h"
#include "chakra/wire/byte_blocks.h"

namespace npunet::chakra {

/// Which dependencies hold a node back.
enum class FollowedDeps : std::uint8_t {
    Data,        ///< data_deps only, as most producers mean it
    DataAndCtrl  ///< the union with ctrl_deps
};

enum class DependencyKind : std::uint8_t { Data, Ctrl };

class DependencyGraph {
public:
    using Place = IdIndex::Place;

    /// A dependency that something is odd about.
    struct Dependency {
        Place node = 0;  ///< who has it
        DependencyKind kind = DependencyKind::Data;
        std::uint64_t on = 0;  ///< the id that it names
    };

    /// So many odd dependencies of one sort are kept; all are counted.
    static constexpr std::size_t kept = std::size_t{1} << 16;

    /// How many dependencies of one kind there are; a repeated one counts every time.
    struct Counts {
        std::uint64_t all = 0;
        std::uint64_t dangling = 0;  ///< on nodes that the file does not have
        std::uint64_t forward = 0;   ///< on nodes that stand later in the file
        std::uint64_t self = 0;      ///< on the node itself
        std::uint64_t repeated = 0;  ///< named before in the same list
    };

    /// A contiguous part of the graph's memory; entries may be IdIndex::absent (dangling).
    struct Row {
        const Place* first;
        const Place* last;
        [[nodiscard]] const Place* begin() const { return first; }
        [[nodiscard]] const Place* end() const { return last; }
        [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(last - first); }
    };

    /// Adds the next node of the file.
    void add(std::uint64_t id, const std::uint64_t* data, std::size_t data_count,
             const std::uint64_t* ctrl, std::size_t ctrl_count);
    void add(const Node& node) {
        add(node.id, node.data_deps.data(), node.data_deps.size(), node.ctrl_deps.data(),
            node.ctrl_deps.size());
    }

    /// Finds the nodes that the dependencies name. Call once, after the last add(); what follows
    /// is for after it.
    void resolve();

    [[nodiscard]] std::size_t nodes() const { return ids_.size(); }
    [[nodiscard]] std::uint64_t id_of(Place node) const { return ids_[node]; }
    [[nodiscard]] const IdIndex& index() const { return index_; }
    [[nodiscard]] const Counts& counts(DependencyKind kind) const {
        return counts_[static_cast<std::size_t>(kind)];
    }

    /// Each in the order of the file, data before control within a node, the first `kept` of a
    /// kind.
    [[nodiscard]] const std::vector<Dependency>& dangling() const { return dangling_; }
    [[nodiscard]] const std::vector<Dependency>& self() const { return self_; }
    /// Named more than once in the same list of a node; each repetition.
    [[nodiscard]] const std::vector<Dependency>& repeated() const { return repeated_; }

    /// The dependencies of a node: data, or data and then control.
    [[nodiscard]] Row row(Place node, FollowedDeps followed) const {
        const Place* first = deps_.data() + begins_[node];
        return {first, followed == FollowedDeps::Data
                           ? first + data_counts_[node]
                           : deps_.data() + begins_[std::size_t{node} + 1]};
    }

    /// Whether no node waits for itself, directly or through others. Dangling dependencies count
    /// as satisfied.
    [[nodiscard]] bool acyclic(FollowedDeps followed) const;

    /// Of every strongly connected component, a shortest cycle through its first node of the file:
    /// each node waits for the next one, the last for the first. In the order of their first nodes.
    /// Dependencies of a node on itself are not looked at: see self().
    [[nodiscard]] std::vector<std::vector<Place>> cycles(FollowedDeps followed) const;

private:
    void name(const std::uint64_t* ids, std::size_t count, std::uint64_t& before);
    /// Finds the `count` dependencies from `resolved` on, of which the ids are read from `named`.
    void resolve_row(Place node, DependencyKind kind, Place* resolved, std::size_t count,
                     ByteBlocksReader& named, std::uint64_t& before);
    void note_odd(Place node, DependencyKind kind, Place dep, std::uint64_t id);
    void find_repeated(Place node, DependencyKind kind, const Place* resolved, std::size_t count);

    std::vector<std::uint64_t> ids_;
    ByteBlocks named_;  // ids of dependencies, each by what it is from the one before or its node
    std::vector<std::size_t> begins_{0};  // of the rows; one more than nodes
    std::vector<std::uint32_t> data_counts_;
    std::vector<Place> deps_;
    std::vector<Place> scratch_;
    IdIndex index_;
    std::array<Counts, 2> counts_;
    std::vector<Dependency> dangling_;
    std::vector<Dependency> self_;
    std::vector<Dependency> repeated_;
};

}  // namespace npunet::chakra
