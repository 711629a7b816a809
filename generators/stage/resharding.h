// Which collectives bring an operand from the layout in which it is made to the one wanted.
//
//     const SplitSymbols split(arguments);
//     for (const ReshardingStep& step : resharding(made, wanted, split)) ...   // in this order
//
// A layout says for each of dp, tp and sp whether a dimension is split over it, or the parts have
// yet to be summed over it, or neither. In the order dp, tp, sp:
//
//     split       -> whole            all-gather
//     split       -> split otherwise  all-to-all
//     partial sum -> split            reduce-scatter
//     partial sum -> whole            all-reduce
//
// As in STAGE a dimension counts as split over the first symbol only that no dimension before it
// has claimed. So a weight of Dff/tp x Dmodel/(dp*sp) is gathered over dp and not over sp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chakra/trace/node.h"
#include "generators/stage/stage_arguments.h"
#include "generators/stage/tensor_graph.h"

namespace npunet::generators::stage_dialect {

/// The group slots of the dialect's workloads.
inline constexpr std::size_t group_slots = 3;
inline constexpr std::array<Symbol, group_slots> group_symbols{Symbol::Dp, Symbol::Tp, Symbol::Sp};

struct ReshardingStep {
    std::int32_t slot = 0;
    chakra::CollectiveType type = chakra::CollectiveType::AllReduce;
};

/// Which of dp, tp and sp are above 1.
class SplitSymbols {
public:
    explicit SplitSymbols(const StageArguments& arguments)
        : split_{arguments.dp > 1, arguments.tp > 1, arguments.sp > 1} {}
    [[nodiscard]] bool operator[](std::size_t slot) const { return split_[slot]; }

private:
    std::array<bool, group_slots> split_;
};

/// The layouts of `made` and `wanted` are of one tensor, and `wanted` is never split over what
/// `made` is whole in: no module asks for that.
[[nodiscard]] std::vector<ReshardingStep> resharding(const Layout& made, const Shape& wanted,
                                                     const SplitSymbols& split);

}  // namespace npunet::generators::stage_dialect
