// One event of a log of calls: what a rank logged, with what tells where in the step it was.
//
// A log is a JSON list of objects, `op` first. docs/megatron.md lists the keys of each operation
// and what the two dialects write; readers take both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "generators/megatron/program/call.h"
#include "generators/megatron/program/program.h"

namespace npunet::generators::megatron {

struct LoggedCall {
    Call call;  ///< group: a number of the reader's GroupTable
    std::int64_t call_id = 0;
    Rank owner;                   ///< src_rank: whose log it is; invalid where the key is missing
    std::string backend;          ///< of init_process_group and new_group; empty for null
    std::int64_t world_size = 0;  ///< of init_process_group
    // Of the npunet dialect.
    std::string group_name;  ///< "tp", "dp-cp", ...; empty where the key is missing
    std::optional<Phase> phase{};
    std::int32_t micro_batch = -1;
    std::int32_t chunk = -1;
    std::int32_t layer = -1;
};

}  // namespace npunet::generators::megatron
