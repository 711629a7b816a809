// Where the members of a collective are, as a communication library sees them: nodes, the NICs
// between them, and which switches add up for them.
//
// The switches of a node reduce where all its members have a link to and from them; between nodes
// there are trees of switches (topology/network/reduction_tree.h), where system.json says so. A
// communicator has a group at each of these switches as long as all have one to give
// (ReducingSwitch::groups): communicators get theirs in the order of the workload, those that have
// any collective of the library.
//
//     LibraryPlacement placement(network, library, workload);
//     const PlacedCall where = placement.of(layout, task);
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/ids.h"
#include "engine/collective/communicator_layout.h"
#include "engine/collective/plan_builder.h"
#include "engine/collective_algorithms/lower_bound.h"
#include "engine/collective_library/library_in_use.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"
#include "topology/network/reduction_tree.h"

namespace npunet::engine {

/// A call, and where its members are.
struct PlacedCall {
    LibraryCall call;
    LibraryMachine machine;
    std::vector<std::int32_t> node_of_member;
    /// By node: places in NetworkDescription::reducing_switches. Empty where some node has none.
    std::vector<std::vector<std::uint32_t>> switches;
    /// Between nodes, of the members of each place; null where there are none, or switches
    /// between nodes are not to add up.
    std::shared_ptr<const std::vector<topology::ReductionTrees>> trees;

    /// A tree for each of `parts` parts of an all-reduce: part p has tree p of the members of place
    /// p, both modulo how many there are. `trees` is not null.
    [[nodiscard]] std::vector<topology::ReductionTree> trees_of_parts(std::int32_t parts) const;
};

class LibraryPlacement {
public:
    /// The references must outlive this. `library`: null where there is none.
    LibraryPlacement(const topology::NetworkDescription& network, const LibraryInUse* library,
                     const Workload& workload);

    /// The layout is that of the task's ranks, and outlives this.
    [[nodiscard]] PlacedCall of(const CommunicatorLayout& layout, const CollectiveTask& task);
    /// ReduceIn::Switches where there is a library, which lets switches add up, and messages can
    /// address those of the network.
    [[nodiscard]] ReduceIn reduces_in() const { return reduces_in_; }

private:
    using Switches = std::vector<std::vector<std::uint32_t>>;
    using Trees = std::shared_ptr<const std::vector<topology::ReductionTrees>>;
    /// Of a communicator, whatever the call.
    struct Members {
        std::vector<std::int32_t> node_of_member;
        std::int32_t nodes = 1;
        Switches switches;
        Trees trees;
        LibraryMachine machine;
    };
    [[nodiscard]] const Members& members_of(const CommunicatorLayout& layout,
                                            const std::vector<Rank>& ranks);
    [[nodiscard]] Members work_out(const CommunicatorLayout& layout,
                                   const std::vector<Rank>& ranks) const;
    [[nodiscard]] std::vector<std::int32_t> nodes_of(const CommunicatorLayout& layout,
                                                     const std::vector<Rank>& ranks) const;
    [[nodiscard]] Switches switches_of_nodes(const Members& members,
                                             const std::vector<Rank>& ranks) const;
    /// Those that reduce and have one link to each of these NPUs and one from it.
    [[nodiscard]] std::vector<std::uint32_t> switches_of(const std::vector<Rank>& ranks) const;
    [[nodiscard]] Trees trees_between(const Members& members, const std::vector<Rank>& ranks) const;
    /// What lies between the nodes: one NIC a member, as fast as the slowest link from the first
    /// member to one of another node; and what switches add up at most.
    [[nodiscard]] LibraryMachine machine_of(const Members& members,
                                            const std::vector<Rank>& ranks) const;
    void add_rates_of_switches(const Members& members, LibraryMachine& machine) const;
    /// Which communicators have no group, where switches have few.
    void give_groups(const Workload& workload);

    const topology::NetworkDescription& network_;
    const LibraryInUse* library_;
    ReduceIn reduces_in_;
    std::map<NodeId, std::uint32_t> place_of_switch_;  ///< of those that reduce
    std::set<std::vector<Rank>> without_group_;
    std::map<const CommunicatorLayout*, Members> members_;
};

}  // namespace npunet::engine
