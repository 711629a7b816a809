// Barrier: in round t every member tells the one 2^t places after it that it has come; after
// ceil(log2 n) rounds it has heard, through others, of all.
//
// ceil(log2 n) a, for any n (Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization",
// 1988). Messages carry no bytes.
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::dissemination {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::dissemination
