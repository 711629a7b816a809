// The object "resolved" of results.json: what a run worked with where its inputs left that to
// defaults. Every key is explained in docs/results.md.
//
//     json.key("resolved");
//     write_resolved(json, *results.resolved);
#pragma once

#include "engine/resolved.h"
#include "report/json_writer.h"

namespace npunet::report {

void write_resolved(JsonWriter& json, const engine::Resolved& resolved);

}  // namespace npunet::report
