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
#include "chakra/trace/node.h"
#include "generators/kernel.h"
#include "generators/trace_style.h"

namespace npunet::generators {

/// A communicator: two ranks or more, except where a dialect lists single ranks too.
struct RankGroup {
    std::string id;           ///< the name in traces and in the group file
    std::string kind;         ///< what it is for: "tensor", "gradient", ...
    std::int32_t slot = 0;    ///< which slot of its members' bindings it fills
    std::vector<Rank> ranks;  ///< in ring order
};

/// A tensor that nodes of a role read and write; its life is what memory tracking sums up.
struct TensorTemplate {
    std::string name;
    std::int64_t bytes = 0;
    std::string size_text = {};  ///< how the size is written; empty: as a whole number
    /// What differs from rank to rank: the number given to AmountsOfRank, whose `bytes` then are
    /// the size; -1: nothing does.
    std::int32_t varying = -1;
};

/// Where a node's id counts from.
enum class IdSpace : std::uint8_t {
    Rank,    ///< RankBinding::first_id
    Message  ///< RankBinding::first_message_id: sends and receives that are numbered apart
};

/// A node of a role. Dependencies are positions in the role, counted from 1.
struct NodeTemplate {
    std::string name;
    chakra::NodeType type = chakra::NodeType::Compute;
    std::uint64_t id = 0;  ///< relative to its space; 0: the node's position, counted from 1
    IdSpace id_space = IdSpace::Rank;
    std::vector<std::uint32_t> data_deps;  ///< positions
    std::vector<std::uint32_t> ctrl_deps;  ///< positions
    std::int64_t flops = 0;                ///< compute: 2 per multiply-add
    std::int64_t bytes = 0;         ///< compute: memory read and written; otherwise comm_size
    std::int64_t recorded_ns = -1;  ///< compute: its duration; -1: the roofline tells
    chakra::CollectiveType collective = chakra::CollectiveType::AllReduce;
    DataType element = DataType::None;  ///< of a collective; None: not told
    std::int32_t slot = 0;  ///< of the group (collective) or of the peer (send, receive)
    /// Compute: index into Role::kernels; -1: not told, or as the amounts say where they vary.
    std::int32_t kernel = -1;
    std::int32_t tag = 0;              ///< of a send or receive, relative to RankBinding::first_tag
    std::vector<std::uint32_t> reads;  ///< indices into Role::tensors
    std::vector<std::uint32_t> writes;  ///< indices into Role::tensors
    /// What differs from rank to rank: the number given to RankAmounts; -1: nothing does.
    std::int32_t varying = -1;
};

struct Role {
    std::vector<NodeTemplate> nodes;
    std::vector<TensorTemplate> tensors;
    std::vector<KernelInfo> kernels;  ///< each once: nodes are many, kernels few
};

struct RankBinding {
    std::int32_t role = 0;
    std::vector<std::int32_t> groups;    ///< by slot: index into groups(), -1 for none
    std::vector<Rank> peers;             ///< by slot; invalid for none
    std::uint64_t first_id = 0;          ///< added to the ids of IdSpace::Rank
    std::uint64_t first_message_id = 0;  ///< added to the ids of IdSpace::Message
    std::int32_t first_tag = 0;          ///< added to tags
};

/// The amounts of one node on one rank, where ranks of a role differ (tokens of an expert).
struct RankAmounts {
    std::int64_t flops = 0;
    std::int64_t bytes = 0;
    std::vector<std::int64_t> sizes;  ///< all-to-all: bytes to each member, attribute comm_sizes
    KernelInfo kernel = {};           ///< compute: with this rank's shape
};
/// Amounts by rank and NodeTemplate::varying. A pure function: threads call it at once.
using AmountsOfRank = std::function<RankAmounts(Rank, std::int32_t)>;

class GeneratedWorkload {
public:
    /// `amounts` may be empty when no node varies.
    GeneratedWorkload(std::vector<RankGroup> groups, std::vector<Role> roles,
                      std::vector<RankBinding> ranks, AmountsOfRank amounts = {},
                      TraceStyle style = {});

    [[nodiscard]] std::int32_t rank_count() const;
    // Not of a temporary: for (... : generate(model, plan).roles()) would outlive its workload.
    [[nodiscard]] const std::vector<RankGroup>& groups() const& { return groups_; }
    [[nodiscard]] const std::vector<Role>& roles() const& { return roles_; }
    void groups() && = delete;
    void roles() && = delete;
    [[nodiscard]] const RankBinding& binding(Rank rank) const { return ranks_[rank.index()]; }
    [[nodiscard]] const Role& role_of(Rank rank) const;
    [[nodiscard]] const AmountsOfRank& amounts() const { return amounts_; }
    [[nodiscard]] const TraceStyle& style() const { return style_; }

    /// The rank's trace, with the attributes of its style.
    [[nodiscard]] std::vector<chakra::Node> nodes(Rank rank) const;
    /// The same nodes in the same order, one at a time.
    void visit(Rank rank, const std::function<void(const chakra::Node&)>& visitor) const;

private:
    std::vector<RankGroup> groups_;
    std::vector<Role> roles_;
    std::vector<RankBinding> ranks_;
    AmountsOfRank amounts_;
    TraceStyle style_;
};

}  // namespace npunet::generators
