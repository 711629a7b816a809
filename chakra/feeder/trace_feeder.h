// Feeds the nodes of one rank to a simulator in dependency order: whoever executes them asks for
// one that may begin, and says when it has ended.
//
//     chakra::TraceFeeder feeder("gpt.0.et");
//     while (feeder.has_nodes_to_issue()) {
//         while (const chakra::NodeView* node = feeder.next_issuable_node()) {
//             start(node->id(), node->duration_micros());       // ends some time later:
//         }
//         const std::uint64_t id = wait_for_one_to_end();
//         feeder.free_children_nodes(id);
//         feeder.remove_node(id);
//     }
//
// Of the nodes that may begin the one with the lowest id comes first, whatever their order in the
// file; late children, forward references and duplicate dependencies make no difference. The
// calls are those of the feeder that ASTRA-sim uses, with the answers that one would expect of
// them.
//
// Memory does not grow with the trace. First a pass over the file notes which ids there are, in a
// few bits each, and the lowest id of each stretch. Then nodes are read in the order of the file,
// only as far as one with a lower id than the lowest that may begin can still come. A node that has
// to wait is remembered with one of its open dependencies, by number and place in the file; once
// more than a window of them wait, or may begin, the rest goes to sorted runs on disk
// (chakra/feeder/sorted_runs.h). A window with spill, and not an index of the file: an index takes
// memory for each node, the window only for those that wait.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "chakra/dependencies/dependency_check.h"
#include "chakra/trace/trace_format.h"
#include "chakra/wire/node_view.h"

namespace npunet::chakra {

struct FeederOptions {
    FollowedDeps followed = FollowedDeps::Data;
    /// Dependencies on nodes that the trace does not have. Those of control count as satisfied in
    /// any case; with this, those of data too.
    bool ignore_dangling = false;
    /// So many nodes that wait, and so many that may begin, are kept in memory; at least 1.
    std::size_t window_nodes = std::size_t{1} << 17;
    /// Where temporary files go; the system's folder for them when empty.
    std::filesystem::path temporary_folder{};
    ReadOptions read{};
};

class TraceFeeder {
public:
    /// Reads the file once. Throws InputError for a file that is no trace, is truncated, or has an
    /// id twice; MachineError when it cannot be read.
    explicit TraceFeeder(const std::filesystem::path& path, const FeederOptions& options = {});
    ~TraceFeeder();
    TraceFeeder(TraceFeeder&&) noexcept;
    TraceFeeder& operator=(TraceFeeder&&) noexcept;

    /// Of the nodes whose dependencies have ended the one with the lowest id, which is then taken.
    /// Null while none may begin: others have to end first, or all were taken. The view is valid
    /// until the next call of any function. Throws InputError for a malformed node or one
    /// of an unknown type (ReadOptions), for a dependency on an absent node, and when nothing was
    /// taken that could still end but nodes wait: then they wait for each other, and the cycle is
    /// named.
    [[nodiscard]] const NodeView* next_issuable_node();

    /// A taken node is given back: it may begin, and comes again in its turn.
    void push_back_issuable_node(std::uint64_t id);

    /// A taken node has ended: those that waited for nothing else may begin.
    void free_children_nodes(std::uint64_t id);

    /// An ended node is not asked for again.
    void remove_node(std::uint64_t id);

    /// False once every node was taken, has ended and was removed.
    [[nodiscard]] bool has_nodes_to_issue() const;

    /// Any node of the trace that was not removed; valid until the next call of any function.
    /// Throws std::out_of_range when there is none of this id. Quick for nodes that were taken;
    /// for others the stretches of the file are read that can hold the id.
    [[nodiscard]] const NodeView& lookup_node(std::uint64_t id);

    /// Nodes of the trace; of them taken so far, ended, removed.
    [[nodiscard]] std::uint64_t node_count() const;
    [[nodiscard]] std::uint64_t taken_count() const;
    [[nodiscard]] std::uint64_t finished_count() const;

    /// Control dependencies on absent nodes, among the nodes that were read so far.
    [[nodiscard]] std::uint64_t absent_ctrl_deps() const;

    [[nodiscard]] const TraceMetadata& metadata() const;
    [[nodiscard]] const TraceFormat& format() const;

    // push_back_issuable_node, free_children_nodes and remove_node throw std::logic_error for a
    // node that is not in the state that they say.

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace npunet::chakra
