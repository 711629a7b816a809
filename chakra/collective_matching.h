// Collectives of all ranks: the members of a communicator run the same ones in the same order.
//
//     match_collectives(ranks, groups, findings);
//
// Members are compared with the sequence that most of them have; of each other one the first
// difference is a finding.
//
// C++17-clean.
#pragma once

#include <vector>

#include "chakra/finding.h"
#include "chakra/message_matching.h"
#include "chakra/validated_groups.h"

namespace npunet::chakra {

/// The ranks sorted and different. Members whose trace is not there are left out. Differences are
/// errors, but warnings where who belongs to the communicator is only known from its use.
void match_collectives(const std::vector<ComparedRank>& ranks, const ValidatedGroups& groups,
                       FindingList& findings);

}  // namespace npunet::chakra
