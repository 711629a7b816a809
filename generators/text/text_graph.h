// The nodes of a text workload on one rank: what is computed and sent in each pass, and in which
// order.
//
//     const Role role = text_graph(workload, 2, {16, 16});
//
// A type of workload is a line in a table of rules (text_graph.cc); one builder reads all of them.
#pragma once

#include <array>
#include <cstdint>

#include "generators/text/text_workload.h"
#include "generators/workload.h"

namespace npunet::generators {

/// Group slots: who shares activations and their gradients, and who shares gradients of weights.
/// Without has_groups() everything is in the first one.
inline constexpr std::int32_t activation_group = 0;
inline constexpr std::int32_t weight_gradient_group = 1;
/// And, in HYBRID_TRANSFORMER_FWD_IN_BCKWD, who shares the experts, and their replicas.
inline constexpr std::int32_t expert_slot = 2;
inline constexpr std::int32_t data_expert_slot = 3;
inline constexpr std::size_t text_group_slots = 4;

/// Members of the groups, by slot.
using TextGroupSizes = std::array<std::int64_t, text_group_slots>;

/// Throws InputError when the rank would have more nodes than TextConversion::most_nodes.
[[nodiscard]] Role text_graph(const TextWorkload& workload, std::int32_t passes,
                              const TextGroupSizes& group_sizes);

}  // namespace npunet::generators
