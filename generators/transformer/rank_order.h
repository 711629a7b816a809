// The order in which the parallel dimensions number the ranks, as text.
//
//     plan.rank_order = rank_order_named("tp-cp-ep-dp-pp");   // the fastest first
//     rank_order_name(plan.rank_order);                       // "tp-cp-ep-dp-pp"
#pragma once

#include <cstdint>
#include <string>

#include "generators/transformer/plan.h"

namespace npunet::generators {

/// A permutation of tp, cp, ep, dp and pp, joined by '-'. Throws InputError that names `source`.
[[nodiscard]] RankOrder rank_order_named(const std::string& text, const std::string& source);
[[nodiscard]] std::string rank_order_name(const RankOrder& order);

/// The order as one number, and back.
[[nodiscard]] std::int64_t rank_order_number(const RankOrder& order);
[[nodiscard]] RankOrder rank_order_of(std::int64_t number);

}  // namespace npunet::generators
