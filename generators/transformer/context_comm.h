// The names of ways to exchange keys and values: p2p, all_gather, a2a.
#pragma once

#include <string>
#include <vector>

#include "generators/transformer/plan.h"

namespace npunet::generators {

/// By the value of ContextComm.
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
