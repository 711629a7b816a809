// The object "resolved" of results.json: values used by a run where its inputs leave them to
// defaults. docs/results.md explains every key.
//
//     json.key("resolved");
//     write_resolved(json, *results.resolved);
#pragma once

#include "base/json_writer.h"
#include "engine/resolved.h"

namespace npunet::report {

void write_resolved(JsonWriter& json, const engine::Resolved& resolved);

}  // namespace npunet::report
