// What a rank's trace says about communication, as little as comparing ranks needs.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "chakra/trace/node.h"

namespace npunet::chakra {

struct MessageRecord {
    std::uint64_t node = 0;
    std::int64_t tag = 0;
    std::int64_t bytes = 0;
    Rank peer;  ///< the other end
    bool send = false;
};

struct CollectiveRecord {
    std::uint64_t node = 0;
    std::int64_t bytes = 0;  ///< of a barrier: 0
    std::int32_t group = 0;  ///< number in ValidatedGroups
    std::int32_t root = -1;  ///< -1: the first of the group, or a collective without root
    CollectiveType type = CollectiveType::AllReduce;
    bool unequal = false;  ///< an all-to-all with a size for each rank; comm_size then may differ
};

/// Both in trace order.
struct RankCommunication {
    std::vector<MessageRecord> messages;
    std::vector<CollectiveRecord> collectives;
};

/// Block or not, it is the same collective.
[[nodiscard]] inline CollectiveType plain_type(CollectiveType type) {
    return type == CollectiveType::ReduceScatterBlock ? CollectiveType::ReduceScatter : type;
}

}  // namespace npunet::chakra
