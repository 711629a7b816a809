// Values of a plan as text, as options and files have them.
//
//     plan.rank_order = rank_order_named("tp-cp-ep-dp-pp", "--rank-order");   // the fastest first
//     rank_order_name(plan.rank_order);                                       // "tp-cp-ep-dp-pp"
//     plan.context_comm = context_comm_named("all_gather");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/transformer/plan.h"

namespace npunet::generators {

/// A permutation of tp, cp, ep, dp and pp, joined by '-'. Throws InputError that names `source`.
[[nodiscard]] RankOrder rank_order_named(const std::string& text, const std::string& source);
[[nodiscard]] std::string rank_order_name(const RankOrder& order);

/// The order as one number, and back.
[[nodiscard]] std::int64_t rank_order_number(const RankOrder& order);
[[nodiscard]] RankOrder rank_order_of(std::int64_t number);

/// By the value of ContextComm: p2p, all_gather, a2a.
[[nodiscard]] inline const std::vector<std::string>& context_comm_names() {
    static const std::vector<std::string> names{"p2p", "all_gather", "a2a"};
    return names;
}

/// `name` is one of them.
[[nodiscard]] inline ContextComm context_comm_named(const std::string& name) {
    return name == "p2p"          ? ContextComm::PointToPoint
           : name == "all_gather" ? ContextComm::AllGather
                                  : ContextComm::AllToAll;
}

}  // namespace npunet::generators
