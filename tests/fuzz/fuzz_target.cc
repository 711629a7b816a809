#include "fuzz_target.h"

#include "targets.h"

namespace npunet::fuzz {

const std::vector<FuzzTarget>& fuzz_targets() {
    using namespace std::string_view_literals;
    static const std::vector<FuzzTarget> targets{
        {"frames", run_frames, frames_seeds, ".et", "\0"sv},
        {"json", run_json, json_seeds, ".json", ""sv},
        {"feeder", run_feeder, feeder_seeds, ".et", "\1"sv},
        {"validation", run_validation, validation_seeds, ".et", "\0"sv},
        {"text", run_text, text_seeds, ".txt", "\4\1"sv},
        {"groups", run_groups, groups_seeds, ".json", ""sv},
        {"megatron_log", run_megatron_log, megatron_log_seeds, ".json", ""sv},
        {"parallel_groups", run_parallel_groups, parallel_groups_seeds, ".txt", ""sv},
        {"execution_trace", run_execution_trace, execution_trace_seeds, ".json", ""sv},
        {"profile_conversion", run_profile_conversion, profile_conversion_seeds, ".json", ""sv},
        {"node_view", run_node_view, node_view_seeds, "", ""sv},
        {"profile", run_profile, profile_seeds, ".json", ""sv},
        {"timeline", run_timeline, timeline_seeds, ".pb", ""sv},
        {"round_trip", run_round_trip, round_trip_seeds, ".et", "\0"sv}};
    return targets;
}

const FuzzTarget& fuzz_target(std::string_view name) {
    for (const FuzzTarget& target : fuzz_targets()) {
        if (target.name == name) {
            return target;
        }
    }
    throw std::out_of_range("no fuzz target " + std::string(name));
}

}  // namespace npunet::fuzz
