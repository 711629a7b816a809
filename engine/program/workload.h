// A workload in memory: what every rank executes, and the communicator groups.
//
// Ranks with equal programs share one, so that a job of thousands of ranks takes the memory of a
// handful; what differs, groups and other ranks, is in each rank's binding.
//
//     Workload workload = make_workload(ranks, nodes, label, groups, options);
//     const ProgramOperation& first = workload.program(Rank(3)).operations[0];
//     const Group& group = workload.groups[workload.group_of(Rank(3), first)];
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "chakra/files/kept_trace.h"
#include "chakra/trace/node.h"
#include "engine/program/program.h"
#include "engine/program/shared_program.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

struct Group {
    std::string name;
    std::vector<Rank> ranks;  ///< in listed order
    /// Made of whole dimensions of the machine (attribute involve_dims).
    bool by_dimensions = false;
    Parallelism dimension = Parallelism::Other;  ///< that it is known to serve
};

struct Workload {
    std::vector<RankProgram> programs;      ///< different ones
    std::vector<std::uint32_t> program_of;  ///< by rank: index into programs
    std::vector<RankBinding> bindings;      ///< by rank
    std::vector<Group> groups;              ///< named ones, the world, those made of dimensions
    std::size_t world = 0;                  ///< which group is the world: every rank, ascending
    std::vector<std::string> notes;         ///< what the user should know
    NameTable tensor_names;                 ///< of all programs, where tensors are kept

    [[nodiscard]] std::size_t ranks() const { return program_of.size(); }
    [[nodiscard]] const RankProgram& program(Rank rank) const {
        return programs[program_of[rank.index()]];
    }
    /// Index into groups of a collective's communicator.
    [[nodiscard]] std::size_t group_of(Rank rank, const ProgramOperation& operation) const {
        return static_cast<std::size_t>(
            bindings[rank.index()].groups[static_cast<std::size_t>(operation.group)]);
    }
    /// What communication serves: by the name of the operation or, where that does not say, of the
    /// communicator.
    [[nodiscard]] Parallelism dimension_of(Rank rank, std::uint32_t operation) const;
    /// The id of an operation in the trace.
    [[nodiscard]] std::uint64_t node_of(Rank rank, const ProgramOperation& operation) const {
        return bindings[rank.index()].first_id + operation.id;
    }
    /// The other rank of a send or receive.
    [[nodiscard]] Rank peer_of(Rank rank, const ProgramOperation& operation) const {
        return bindings[rank.index()].peers[static_cast<std::size_t>(operation.peer)];
    }
};

/// How to treat a workload in which no rank has anything to do: most likely the traces were cut
/// off, but it may be intended.
enum class EmptyTraces : std::uint8_t { Refused, Allowed };

struct WorkloadOptions {
    /// Collectives of one communicator run one at a time (program_order.h); not with
    /// IssueOrder::HashWalk.
    bool collectives_in_program_order = true;
    /// But those that wait for the same operations together: a library launches them so.
    bool launches_groups = false;
    bool tensors = false;
    IssueOrder issue_order = IssueOrder::AscendingId;
    bool broadcasts_replay = false;
    /// Groups are identified by the leading integer of their name.
    bool group_names_are_numbers = false;
    /// pg_name "0" means all ranks, even if there is a group of this name.
    bool group_zero_is_all = false;
    /// Applies to traces read from files.
    EmptyTraces empty_traces = EmptyTraces::Refused;
    /// The machine, for collectives that name its dimensions; null: there are none. Must outlive
    /// the call only.
    const topology::NetworkDescription* network = nullptr;
};

/// Puts a workload together rank by rank, ascending.
///
///     WorkloadBuilder builder(ranks, groups, options);
///     builder.add(Rank(0), nodes, "rank0.et");
///     builder.add_like(Rank(0), binding);     // rank 1: the same work with other ranks
///     Workload workload = builder.take();
class WorkloadBuilder {
public:
    /// Groups by name, ranks in listed order. Throws InputError for groups that cannot be.
    WorkloadBuilder(std::size_t ranks, const std::vector<Group>& groups,
                    const WorkloadOptions& options);
    ~WorkloadBuilder();
    WorkloadBuilder(const WorkloadBuilder&) = delete;
    WorkloadBuilder& operator=(const WorkloadBuilder&) = delete;

    /// `label` names the source in messages. Throws InputError.
    void add(Rank rank, const std::vector<chakra::Node>& nodes, const std::string& label);
    /// The next rank has the program of one that was added, with other groups (it is a member of
    /// each) and other ranks in its slots.
    void add_like(Rank like, RankBinding binding);
    /// The next rank has the nodes of one that was added, but for an
    /// allowed_difference(); `model` was made from that one's nodes and program. False, and
    /// nothing added, when its program has to be built. Throws InputError.
    [[nodiscard]] bool add_alike(Rank like, const SharedProgram& model,
                                 const std::vector<chakra::Node>& nodes,
                                 const chakra::TraceDifference& difference,
                                 const std::string& label);
    /// What stands in the slots of a rank that was added.
    [[nodiscard]] const RankBinding& binding(Rank rank) const;
    /// The program of a rank that was added; valid until the next one is added.
    [[nodiscard]] const RankProgram& program(Rank rank) const;

    /// After the last rank.
    [[nodiscard]] Workload take();

private:
    class State;
    std::unique_ptr<State> state_;
};

/// Gives the nodes of a rank; called once per rank, ascending.
using NodeSource = std::function<std::vector<chakra::Node>(Rank)>;

/// Builds a workload of `ranks` ranks from nodes in memory. `label(rank)` names the source in
/// messages. Groups by name, ranks in listed order. Throws InputError.
[[nodiscard]] Workload make_workload(std::size_t ranks, const NodeSource& nodes,
                                     const std::function<std::string(Rank)>& label,
                                     const std::vector<Group>& groups,
                                     const WorkloadOptions& options);

}  // namespace npunet::engine
