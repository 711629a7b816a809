#include "fuzz_target.h"

#include "targets.h"

namespace npunet::fuzz {

std::vector<std::string_view> files_of(std::string_view input, std::size_t most) {
    std::vector<std::string_view> files;
    while (files.size() + 1 < most) {
        const std::size_t end = input.find(file_mark);
        if (end == std::string_view::npos) {
            break;
        }
        files.push_back(input.substr(0, end));
        input.remove_prefix(end + file_mark.size());
    }
    files.push_back(input);
    return files;
}

const std::vector<FuzzTarget>& fuzz_targets() {
    using namespace std::string_view_literals;
    static const std::vector<FuzzTarget> targets{
        {"frames", run_frames, frames_seeds, ".et", "\0"sv},
        {"json", run_json, json_seeds, ".json", ""sv},
        {"feeder", run_feeder, feeder_seeds, ".et", "\1"sv},
        {"validation", run_validation, validation_seeds, ".et", "\0"sv},
        {"text", run_text, text_seeds, ".txt", "\4\1"sv},
        {"groups", run_groups, groups_seeds, ".json", ""sv},
        {"msccl", run_msccl, msccl_seeds, "", ""sv},
        {"megatron_log", run_megatron_log, megatron_log_seeds, ".json", ""sv},
        {"parallel_groups", run_parallel_groups, parallel_groups_seeds, ".txt", ""sv},
        {"execution_trace", run_execution_trace, execution_trace_seeds, ".json", ""sv},
        {"profile_conversion", run_profile_conversion, profile_conversion_seeds, ".json", ""sv},
        {"node_view", run_node_view, node_view_seeds, "", ""sv},
        {"profile", run_profile, profile_seeds, ".json", ""sv},
        {"timeline", run_timeline, timeline_seeds, ".pb", ""sv},
        {"round_trip", run_round_trip, round_trip_seeds, ".et", "\0"sv},
        {"network", run_network, network_seeds, "", ""sv},
        {"system", run_system, system_seeds, "", ""sv},
        {"remote_memory", run_remote_memory, remote_memory_seeds, "", ""sv},
        {"model", run_model, model_seeds, "", ""sv},
        {"segment_times", run_segment_times, segment_times_seeds, "", ""sv},
        {"log_folder", run_log_folder, log_folder_seeds, "", ""sv},
        {"sweep", run_sweep, sweep_seeds, "", ""sv},
        {"expression", run_expression, expression_seeds, "", ""sv},
        {"journal", run_journal, journal_seeds, "", ""sv},
        {"jobs", run_jobs, jobs_seeds, "", ""sv},
        {"cluster", run_cluster, cluster_seeds, "", ""sv},
        {"layer_profile", run_layer_profile, layer_profile_seeds, "", ""sv},
        {"patterns", run_patterns, patterns_seeds, "", ""sv},
        {"timeline_comparison", run_timeline_comparison, timeline_comparison_seeds, "", ""sv}};
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
