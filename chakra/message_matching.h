// Sends and receives of all ranks: the k-th send from one rank to another with a tag meets the k-th
// receive, and both are of one size.
//
//     match_messages(ranks, findings);
//
// Ranks whose trace is not there, or not whole, are left out: what they would have is not known.
// Time: n log n in the messages; memory: 48 bytes a message.
//
// C++17-clean.
#pragma once

#include <vector>

#include "base/ids.h"
#include "chakra/communication_record.h"
#include "chakra/finding.h"

namespace npunet::chakra {

/// A rank whose trace was read to its end.
struct ComparedRank {
    Rank rank;
    TraceNumber trace = no_trace;
    const RankCommunication* communication = nullptr;
};

/// The ranks sorted and different.
void match_messages(const std::vector<ComparedRank>& ranks, FindingList& findings);

}  // namespace npunet::chakra
