// The targets, and what they share. fuzz_target.h has them by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "fuzz_target.h"

namespace npunet::fuzz {

/// Compressed inputs that become longer than this are left alone: they cost time and show nothing.
inline constexpr std::size_t most_input_bytes = std::size_t{1} << 22;
/// A reader's buffer for frames (256 KiB), those of zlib (64 KiB in, 128 KiB out), and room for its
/// state, what detection counts, and messages.
inline constexpr std::size_t reader_buffers = std::size_t{640} << 10;
/// Between the files of one input.
inline constexpr std::string_view file_mark = "\xFF==\xFF";

/// Takes the first byte away; 0 when there is none.
inline unsigned char take_byte(std::string_view& input) {
    if (input.empty()) {
        return 0;
    }
    const auto byte = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    return byte;
}

inline void expect(bool holds, const char* what) {
    if (!holds) {
        throw FuzzFailure(what);
    }
}

/// Whether an error needs to say what to do. Of a file that people write, what was expected may say
/// it.
enum class Remedy { Needed, Optional };

/// Calls what reads; false when it refused the input, with an error that says something.
template <class Reading>
bool accepts(Reading&& reading, Remedy remedy = Remedy::Needed) {
    try {
        reading();
        return true;
    } catch (const InputError& error) {
        const InputProblem& problem = error.problem();
        expect(!problem.file.empty() && !problem.found.empty() && !problem.expected.empty() &&
                   (remedy == Remedy::Optional || !problem.remedy.empty()),
               "an error with nothing to say");
    } catch (const MachineError& error) {
        expect(*error.what() != '\0', "an error with nothing to say");
    }
    return false;
}

/// The same for files that people write.
template <class Reading>
bool accepts_written(Reading&& reading) {
    return accepts(std::forward<Reading>(reading), Remedy::Optional);
}

/// The files of one input, at most so many; the last one has what is left.
[[nodiscard]] std::vector<std::string_view> files_of(std::string_view input, std::size_t most);

void run_frames(std::string_view input);
std::vector<std::string> frames_seeds();
void run_json(std::string_view input);
std::vector<std::string> json_seeds();
void run_feeder(std::string_view input);
std::vector<std::string> feeder_seeds();
void run_validation(std::string_view input);
std::vector<std::string> validation_seeds();
void run_text(std::string_view input);
std::vector<std::string> text_seeds();
void run_groups(std::string_view input);
std::vector<std::string> groups_seeds();
void run_msccl(std::string_view input);
std::vector<std::string> msccl_seeds();
void run_megatron_log(std::string_view input);
std::vector<std::string> megatron_log_seeds();
void run_parallel_groups(std::string_view input);
std::vector<std::string> parallel_groups_seeds();
void run_execution_trace(std::string_view input);
std::vector<std::string> execution_trace_seeds();
void run_profile_conversion(std::string_view input);
std::vector<std::string> profile_conversion_seeds();
void run_node_view(std::string_view input);
std::vector<std::string> node_view_seeds();
void run_profile(std::string_view input);
std::vector<std::string> profile_seeds();
void run_timeline(std::string_view input);
std::vector<std::string> timeline_seeds();
void run_round_trip(std::string_view input);
std::vector<std::string> round_trip_seeds();
void run_network(std::string_view input);
std::vector<std::string> network_seeds();
void run_system(std::string_view input);
std::vector<std::string> system_seeds();
void run_remote_memory(std::string_view input);
std::vector<std::string> remote_memory_seeds();
void run_model(std::string_view input);
std::vector<std::string> model_seeds();
void run_segment_times(std::string_view input);
std::vector<std::string> segment_times_seeds();
void run_log_folder(std::string_view input);
std::vector<std::string> log_folder_seeds();
void run_sweep(std::string_view input);
std::vector<std::string> sweep_seeds();
void run_expression(std::string_view input);
std::vector<std::string> expression_seeds();
void run_journal(std::string_view input);
std::vector<std::string> journal_seeds();
void run_jobs(std::string_view input);
std::vector<std::string> jobs_seeds();
void run_cluster(std::string_view input);
std::vector<std::string> cluster_seeds();
void run_layer_profile(std::string_view input);
std::vector<std::string> layer_profile_seeds();
void run_patterns(std::string_view input);
std::vector<std::string> patterns_seeds();
void run_timeline_comparison(std::string_view input);
std::vector<std::string> timeline_comparison_seeds();

}  // namespace npunet::fuzz
