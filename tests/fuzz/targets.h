// The targets, and what they share. fuzz_target.h has them by name.
#pragma once

#include <string>
#include <string_view>
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

/// Calls what reads; false when it refused the input, with an error that says something.
template <class Reading>
bool accepts(Reading&& reading) {
    try {
        reading();
        return true;
    } catch (const InputError& error) {
        expect(!error.problem().file.empty() && !error.problem().found.empty() &&
                   !error.problem().expected.empty() && !error.problem().remedy.empty(),
               "an error with nothing to say");
    } catch (const MachineError& error) {
        expect(*error.what() != '\0', "an error with nothing to say");
    }
    return false;
}

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

}  // namespace npunet::fuzz
