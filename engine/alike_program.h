// Ranks that do the same work need one program: what stands in its slots is found in the traces
// without building the program again.
//
//     const AlikeProgram model(rank_0_trace.nodes(), program_of_rank_0);
//     if (const auto binding = model.bind(nodes_of_rank_0, difference_of_rank_1,
//     context_of_rank_1))
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chakra/kept_trace.h"
#include "engine/program.h"

namespace npunet::engine {

/// The attributes whose values end up in slots and nowhere else in a program.
[[nodiscard]] const std::vector<std::string_view>& attributes_of_slots();

class AlikeProgram {
public:
    /// The program was built from the nodes, with this binding. None of them is needed any more
    /// after the constructor.
    AlikeProgram(const std::vector<chakra::Node>& nodes, const RankProgram& program,
                 std::uint64_t first_id);

    /// The binding of another rank, whose nodes are those of the constructor but for a difference
    /// in attributes_of_slots(). Nothing when that rank's program would have other slots, may have
    /// other roots (their places in the groups are part of it), or is laid out by ids that differ.
    /// Throws InputError for groups and ranks that do not exist.
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
    bool roots_ = false;
    std::size_t groups_ = 0;
    std::size_t peers_ = 0;
};

}  // namespace npunet::engine
