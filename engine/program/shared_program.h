// Ranks that do the same work need one program: what stands in its slots is found in the traces
// without building the program again.
//
//     const SharedProgram model(nodes_of_rank_0, program_of_rank_0, first_id_of_rank_0);
//     auto binding = model.bind(nodes_of_rank_0, difference_of_rank_1, context_of_rank_1);
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chakra/files/kept_trace.h"
#include "engine/program/program.h"

namespace npunet::engine {

/// In what traces may differ that have one program: attributes whose values end up in slots and
/// nowhere else, and from where ids count, unless the order of the operations follows from them.
[[nodiscard]] chakra::KeptTrace::Allowed allowed_difference(IssueOrder order);

/// Whether a program can serve other ranks: not with roots, whose places in the groups are part of
/// it.
[[nodiscard]] bool can_be_shared(const RankProgram& program);

class SharedProgram {
public:
    /// The program, which can be shared, was built from the nodes, whose lowest id `first_id` is.
    /// Neither is needed any more after the constructor.
    SharedProgram(const std::vector<chakra::Node>& nodes, const RankProgram& program,
                  std::uint64_t first_id);

    /// The binding of another rank, whose nodes are those of the constructor but for an
    /// allowed_difference(). Nothing when that rank's program would have other slots. Throws
    /// InputError for groups and ranks that do not exist.
    [[nodiscard]] std::optional<RankBinding> bind(const std::vector<chakra::Node>& nodes,
                                                  const chakra::TraceDifference& difference,
                                                  const ProgramContext& context) const;

private:
    /// A node whose operation has a slot.
    struct Use {
        std::size_t node = 0;  ///< its place in the file
        bool collective = false;
        std::int32_t slot = 0;
    };
    std::vector<Use> uses_;  ///< as the program comes to them
    std::uint64_t first_id_ = 0;
    std::size_t groups_ = 0;
    std::size_t peers_ = 0;
};

}  // namespace npunet::engine
