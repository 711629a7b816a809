// Compares the communication of all ranks: every send has its receive, and the members of a
// communicator run the same collectives in the same order.
//
//     match_messages(ranks, findings);
//     match_collectives(ranks, groups, findings);
//
// Ranks whose trace is not there, or not whole, are left out: what they would have is not known.
//
// C++17-clean.
#pragma once

#include <vector>

#include "base/ids.h"
#include "chakra/validation/communication_record.h"
#include "chakra/validation/finding.h"
#include "chakra/validation/validated_groups.h"

namespace npunet::chakra {

/// A rank whose trace was read to its end.
struct ComparedRank {
    Rank rank;
    TraceNumber trace = no_trace;
    const RankCommunication* communication = nullptr;
};

// The ranks are sorted and different.

/// The k-th send from one rank to another with a tag meets the k-th receive, and both are of one
/// size. Time: n log n in the messages; memory: 48 bytes a message.
void match_messages(const std::vector<ComparedRank>& ranks, FindingList& findings);

/// Members are compared with the sequence that most of them have; of each other one the first
/// difference is a finding: an error, but a warning where who belongs to the communicator is only
/// known from its use.
void match_collectives(const std::vector<ComparedRank>& ranks, const ValidatedGroups& groups,
                       FindingList& findings);

}  // namespace npunet::chakra
