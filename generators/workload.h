// A generated workload in memory: communicator groups, and a trace for every rank.
//
// Ranks that do the same work share a role: one list of node templates in which a communicator is a
// slot and a neighbour is a slot. A rank binds the slots to its own groups and peers, so that a job
// of thousands of ranks costs the memory of a handful.
//
//     GeneratedWorkload workload = generate(model, plan);       // transformer/training_step.h
//     for (const chakra::Node& node : workload.nodes(Rank(3))) ...
//     write_workload(workload, {folder});                       // workload_files.h
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "chakra/node.h"

namespace npunet::generators {

/// A communicator of two ranks or more.
struct RankGroup {
    std::string id;           ///< the name in traces and in the group file
    std::string kind;         ///< what it is for: "tensor", "gradient", ...
    std::int32_t slot = 0;    ///< which slot of its members' bindings it fills
    std::vector<Rank> ranks;  ///< in ring order
};

/// A node of a role. Its id is its position in the role, counted from 1; the order is topological.
struct NodeTemplate {
    std::string name;
    chakra::NodeType type = chakra::NodeType::Compute;
    std::vector<std::uint32_t> data_deps;  ///< ids, ascending, each smaller than the node's own
    std::int64_t flops = 0;                ///< compute: 2 per multiply-add
    std::int64_t bytes = 0;  ///< compute: memory read and written; otherwise comm_size
    chakra::CollectiveType collective = chakra::CollectiveType::AllReduce;
    std::int32_t slot = 0;  ///< of the group (collective) or of the peer (send, receive)
    std::int32_t tag = 0;   ///< of a send or receive
};

struct Role {
    std::vector<NodeTemplate> nodes;
};

struct RankBinding {
    std::int32_t role = 0;
    std::vector<std::int32_t> groups;  ///< by slot: index into groups(), -1 for none
    std::vector<Rank> peers;           ///< by slot; invalid for none
};

class GeneratedWorkload {
public:
    GeneratedWorkload(std::vector<RankGroup> groups, std::vector<Role> roles,
                      std::vector<RankBinding> ranks);

    [[nodiscard]] std::int32_t rank_count() const;
    // Not of a temporary: for (... : generate(model, plan).roles()) would outlive its workload.
    [[nodiscard]] const std::vector<RankGroup>& groups() const& { return groups_; }
    [[nodiscard]] const std::vector<Role>& roles() const& { return roles_; }
    void groups() && = delete;
    void roles() && = delete;
    [[nodiscard]] const RankBinding& binding(Rank rank) const { return ranks_[rank.index()]; }
    [[nodiscard]] const Role& role_of(Rank rank) const;

    /// The rank's trace. Attributes: compute num_ops (int64), tensor_size (uint64); collectives
    /// comm_type, comm_size (int64), pg_name; sends and receives comm_size (int64), comm_tag,
    /// comm_src, comm_dst (int32, global ranks); all is_cpu_op (bool, false).
    [[nodiscard]] std::vector<chakra::Node> nodes(Rank rank) const;
    /// The same nodes in the same order, one at a time.
    void visit(Rank rank, const std::function<void(const chakra::Node&)>& visitor) const;

private:
    std::vector<RankGroup> groups_;
    std::vector<Role> roles_;
    std::vector<RankBinding> ranks_;
};

}  // namespace npunet::generators
