// What a trace says beside its events: whose it is, of which groups, on which devices.
//
// For the sources of this folder only.
#pragma once

#include <string_view>

#include "profiles/event_table.h"

namespace npunet::profiles {

/// Whether the value of this key of the file is wanted at all.
[[nodiscard]] bool is_header_key(std::string_view key);

/// Takes the value of such a key; false when it is not what it should be.
bool read_header(std::string_view key, std::string_view json, EventTable& table);

}  // namespace npunet::profiles
