// A profile of a communication library as a file, which read_library_profile() reads back
// (engine/collective_library/library_profile.h).
#pragma once

#include <string>

#include "engine/collective_library/library_profile.h"

namespace npunet::report {

[[nodiscard]] std::string library_profile_text(const engine::LibraryProfile& profile);

}  // namespace npunet::report
