// Measured collectives beside the closed forms of a communication library's profile.
//
//     const report::ValidationRows rows = validate_collectives(profile, measured);
#pragma once

#include <vector>

#include "engine/collective_library/library_profile.h"
#include "report/comparison/validation_rows.h"
#include "study/validation/measured_collectives.h"

namespace npunet::study {

/// Each row with the constants of its GPU and the tuner of its own version, of the profile's where
/// the row has none.
[[nodiscard]] report::ValidationRows validate_collectives(
    const engine::LibraryProfile& profile, const std::vector<MeasuredCollective>& measured);

}  // namespace npunet::study
