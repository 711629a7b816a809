// One event of a trace as it is read: every field that the event table may want.
//
// For the sources of this folder only.
#pragma once

#include <cstdint>
#include <string>

#include "profiles/event_table.h"

namespace npunet::profiles {

struct EventDraft {
    char phase = '\0';  ///< of "ph"
    bool has_category = false;
    StringId category = 0;
    StringId name = 0;
    StringId pid = 0;
    StringId tid = 0;
    std::int64_t start_ns = absent;
    std::int64_t duration_ns = absent;
    std::int64_t id = absent;  ///< of a flow

    // Arguments.
    StringId label = 0;  ///< "name" of metadata
    std::int64_t correlation = absent;
    std::int64_t external_id = absent;
    std::int64_t device = absent;
    std::int64_t stream = absent;
    std::int64_t bytes = absent;
    CpuOpArgs cpu_op;
    CollectiveArgs collective;
    OperatorArgs inputs;
    SyncArgs sync;
    bool has_cpu_op = false;
    bool has_collective = false;
    bool has_inputs = false;
    bool has_sync = false;

    /// The first invalid value of the event and what is expected: "'dur' is null, not ..."; empty
    /// if all are valid.
    std::string unusable_time;      ///< of "ts" or "dur": the event is skipped
    std::string unusable_argument;  ///< of a numeric argument, which is left out
};

}  // namespace npunet::profiles
