// Reads the log of one rank, event by event: memory does not grow with the file.
//
//     GroupTable groups;
//     read_call_log("comm_log_rank_3.json", Rank(3), groups, [&](const LoggedCall& event) { ... });
//
// As the original logs it, one init_process_group stands there three times and one new_group four
// times; both are passed on as they stand (RepeatedEvents in repeated_events.h takes them
// together). Calls without `ranks` have group -1.
#pragma once

#include <filesystem>
#include <functional>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/logs/call_log.h"

namespace npunet::generators::megatron {

using CallVisitor = std::function<void(const LoggedCall&)>;

/// Throws InputError (file, event number counted from 0 and byte) for what is not a list of
/// events: text that is not JSON or ends too early, unknown operations, data types or reductions,
/// missing or unusable values, ranks twice or negative, shapes beyond 2^62 elements, an event of
/// another rank. Keys that no operation has are ignored. gzip is read by content.
void read_call_log(const std::filesystem::path& path, Rank rank, GroupTable& groups,
                   const CallVisitor& visitor);

}  // namespace npunet::generators::megatron
