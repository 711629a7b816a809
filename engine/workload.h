// A workload in memory: one program per rank and the communicator groups they name.
//
//     Workload workload = load_workload("traces/step", "traces/groups.json", options);
//
// C++17-clean.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "chakra/node.h"
#include "engine/program.h"
#include "topology/network_description.h"

namespace npunet::engine {

struct Group {
    std::string name;
    std::vector<Rank> ranks;  ///< in listed order
    /// Made of whole dimensions of the machine (attribute involve_dims).
    bool by_dimensions = false;
};

struct Workload {
    std::vector<RankProgram> programs;  ///< by rank
    std::vector<Group> groups;          ///< named ones, the world, those made of dimensions
    std::size_t world = 0;              ///< which group is the world: every rank, ascending
    std::vector<std::string> notes;     ///< what the user should know
    NameTable tensor_names;             ///< of all programs, where tensors are kept

    [[nodiscard]] std::size_t ranks() const { return programs.size(); }
};

struct WorkloadOptions {
    bool collectives_in_program_order = true;
    bool tensors = false;
    IssueOrder issue_order = IssueOrder::AscendingId;
    bool broadcasts_replay = false;
    /// The machine, for collectives that name its dimensions; null: there are none. Must outlive
    /// the call only.
    const topology::NetworkDescription* network = nullptr;
};

/// Gives the nodes of a rank; called once per rank, ascending.
using NodeSource = std::function<std::vector<chakra::Node>(Rank)>;

/// Builds a workload of `ranks` ranks from nodes in memory. `label(rank)` names the source in
/// messages. Groups by name, ranks in listed order. Throws InputError.
[[nodiscard]] Workload make_workload(std::size_t ranks, const NodeSource& nodes,
                                     const std::function<std::string(Rank)>& label,
                                     const std::vector<Group>& groups,
                                     const WorkloadOptions& options);

/// Reads PREFIX.<rank>.et for `npus` ranks and the group file (empty: no groups). Throws InputError
/// for missing, truncated, cyclic or contradictory input.
[[nodiscard]] Workload load_workload(const std::string& prefix, const std::string& group_file,
                                     std::size_t npus, const WorkloadOptions& options);

}  // namespace npunet::engine
