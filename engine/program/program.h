// The trace of one rank, checked and laid out for execution.
//
// Operations are numbered by ascending node id, so the lowest ready number is the lowest ready id.
// Dependencies are kept both as a count per operation and as the list of operations that wait.
// Communicators and other ranks are slots, numbered as the program comes to them: ranks that do the
// same work have the same program, and each has a binding that says what stands in its slots and
// from where its ids count.
//
//     BuiltProgram built = build_program(nodes, context);
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "chakra/trace/node.h"
#include "engine/collective_algorithms/implementation.h"
#include "engine/device/kernel.h"
#include "engine/program/issue_order.h"
#include "engine/program/name_table.h"
#include "engine/results/parallelism.h"
#include "engine/results/results.h"

namespace npunet::engine {

/// One operation of a rank; its number is its place in RankProgram::operations.
struct ProgramOperation {
    std::uint64_t id = 0;         ///< in the trace, counted from RankBinding::first_id
    std::int64_t operations = 0;  ///< floating-point operations; -1 = not given
    /// Compute and memory: bytes touched; communication: the size as in the trace.
    Bytes bytes;
    Time recorded;            ///< recorded duration
    std::int64_t tag = 0;     ///< point-to-point
    std::int32_t peer = -1;   ///< point-to-point: slot of the other rank
    std::int32_t group = -1;  ///< collective: slot of the communicator group
    std::int32_t root = -1;   ///< collective with a root: its place in the group
    /// Unequal all-to-all: bytes to each member of the group, in its order; empty when equal.
    std::vector<std::int64_t> sizes;
    std::uint32_t dependencies = 0;  ///< how many operations it waits for
    std::int32_t priority = 0;       ///< communication: higher first, where priorities count
    OperationKind kind = OperationKind::Compute;
    CollectiveKind collective = CollectiveKind::AllReduce;
    /// Not executed: it finishes the moment it is ready (metadata, invalid nodes).
    bool nothing = false;
    /// Runs on the host; matters for what is neither compute nor communication.
    bool on_cpu = false;
    /// A collective that takes its recorded duration on this rank alone, without messages.
    bool replayed = false;
    /// Collective: of its elements, where the trace tells.
    DataType type = DataType::None;
    /// Compute: the kernel, where the trace tells; else null.
    std::shared_ptr<const KernelCall> kernel;
};

/// Equal but for names: of the node, its tag, other ranks and communicators.
[[nodiscard]] bool same_work(const ProgramOperation& x, const ProgramOperation& y);

/// A collective that the members of its group are to carry out together.
[[nodiscard]] inline bool is_of_group(const ProgramOperation& operation) {
    return operation.kind == OperationKind::Collective && !operation.nothing && !operation.replayed;
}

/// One that gives them something to do: a barrier carries nothing; who has nothing to send in an
/// unequal all-to-all may receive; any other without bytes is done at once, and no turn of the
/// group's.
[[nodiscard]] inline bool exchanges_messages(const ProgramOperation& operation) {
    return is_of_group(operation) &&
           (operation.bytes > Bytes(0) || operation.collective == CollectiveKind::Barrier ||
            !operation.sizes.empty());
}

/// A tensor that an operation reads or writes.
struct TensorUse {
    std::uint32_t tensor = 0;  ///< index into RankProgram::tensor_bytes
    bool write = false;
    friend bool operator==(TensorUse a, TensorUse b) {
        return a.tensor == b.tensor && a.write == b.write;
    }
};

struct RankProgram {
    std::vector<ProgramOperation> operations;
    std::vector<std::string> names;
    /// What the names of communication say that it serves, by operation; empty where they were not
    /// read.
    std::vector<Parallelism> dimensions;
    /// Who waits for operation i: children[child_begin[i] .. child_begin[i + 1]).
    std::vector<std::uint32_t> child_begin;
    std::vector<std::uint32_t> children;
    /// Tensors of operation i: tensor_uses[tensor_begin[i] .. tensor_begin[i + 1]); empty when the
    /// trace does not tell.
    std::vector<std::uint32_t> tensor_begin;
    std::vector<TensorUse> tensor_uses;
    std::vector<double> tensor_bytes;
    std::vector<std::uint32_t> tensor_names;  ///< in Workload::tensor_names
    /// IssueOrder::HashWalk only: what is ready at the start, in the order of the walk.
    std::vector<std::uint32_t> first_ready;
    /// The collectives that exchange messages, in trace order.
    std::vector<std::uint32_t> collectives;
    /// The same, of each group slot by itself, in the order in which they run (program_order.h).
    std::vector<std::vector<std::uint32_t>> collectives_of;
    /// Hash of everything but names, ids, peers and groups: equal for ranks that do the same work.
    std::uint64_t signature = 0;
};

/// What a rank adds to its program.
struct RankBinding {
    std::vector<std::int32_t> groups;  ///< indices into Workload::groups
    std::vector<Rank> peers;
    /// The lowest id of the trace; IssueOrder::HashWalk, to which ids matter: 0.
    std::uint64_t first_id = 0;
};

struct BuiltProgram {
    RankProgram program;
    RankBinding binding;
    /// By operation: the root that the trace names, invalid for none; empty when it names none.
    /// Their places in the groups are for the caller to find.
    std::vector<Rank> roots;
};

/// Everything is equal but what the bindings say.
[[nodiscard]] bool operator==(const RankProgram& a, const RankProgram& b);

/// What the nodes of one rank are checked against.
struct ProgramContext {
    std::string file;  ///< for messages
    Rank rank;
    std::size_t ranks = 0;  ///< ranks of the workload
    /// Communicator groups by name: index into Workload::groups, -1 when there is no such group.
    const std::vector<std::pair<std::string, std::int32_t>>* groups = nullptr;
    std::int32_t world_group = -1;
    /// The group of the ranks that differ from this one in the marked dimensions only, for the
    /// attribute involve_dims; -1 when the list does not fit the machine. May be empty: no machine.
    std::function<std::int32_t(Rank, const std::vector<bool>&)> group_of_dimensions;
    /// Where to keep the names of the tensors of the attributes "inputs" and "outputs"; null: do
    /// not keep tensors.
    NameTable* tensor_names = nullptr;
    IssueOrder issue_order = IssueOrder::AscendingId;
    /// A broadcast takes its recorded duration on each rank alone.
    bool broadcasts_replay = false;
    /// Groups are identified by the leading integer of their name: `groups` is sorted by it, and
    /// pg_name is reduced to it.
    bool group_names_are_numbers = false;
    /// pg_name "0" means all ranks, even if `groups` has a group 0.
    bool group_zero_is_all = false;
};

/// Trace order: that in which the operations are handed out when every one ends at once, receives
/// too, the lowest ready id first.
[[nodiscard]] std::vector<std::uint32_t> trace_order(const RankProgram& program);

/// Checks and lays out the nodes of one rank. Throws InputError with file and node. Control
/// dependencies on absent nodes are counted in `dangling_controls` and taken as satisfied.
[[nodiscard]] BuiltProgram build_program(const std::vector<chakra::Node>& nodes,
                                         const ProgramContext& context,
                                         std::size_t& dangling_controls);

}  // namespace npunet::engine
