// From the profiles of a run to Chakra traces that simulations run.
//
//     ProfileConversion options;
//     options.files = {"traces"};
//     const ConversionSummary summary = convert_profiles(folder, options, {});
//
// docs/profiles.md says what becomes of what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "chakra/trace/trace_format.h"
#include "generators/profiler/communication_matching.h"
#include "generators/profiler/measured_replay.h"
#include "generators/profiler/profile_folder.h"
#include "generators/profiler/rank_graph.h"
#include "generators/workload_files.h"

namespace npunet::generators::profiler {

/// When the ranks begin.
enum class BeginModel : std::uint8_t {
    Measured,  ///< as their profiles do, by their clocks
    Together
};

struct ProfileConversion {
    CpuModel cpu = CpuModel::Gap;
    BeginModel begin = BeginModel::Measured;
    MatchingOptions matching;
    WorkloadFiles files;
    std::size_t threads = 0;  ///< as for_each_in_parallel
};

struct ConversionSummary {
    struct Kind {
        std::int64_t nodes = 0;
        std::int64_t bytes = 0;  ///< comm_size
    };
    std::int32_t ranks = 0;
    std::int64_t nodes = 0;
    std::int64_t operations = 0;  ///< of GPUs, communication among them
    std::int64_t compute_ns = 0;  ///< of those, recorded
    std::int64_t cpu_ns = 0;      ///< of CPU segments
    std::map<std::string, Kind> communication;
    std::int64_t groups = 0;
    std::int64_t joined = 0;  ///< communications that execution traces knew
    ReplayTimes replay;       ///< with the begins as measured
    std::vector<std::string> warnings;
    chakra::Losses losses;
};

/// Reads the profiles and writes a trace a rank and the file of groups, ranks in parallel; `read`
/// is called after each profile that was read, by one thread at a time. Throws InputError as the
/// readers, the matching and TraceWriter do.
ConversionSummary convert_profiles(const ProfileFolder& folder, const ProfileConversion& options,
                                   const std::function<void()>& read);

}  // namespace npunet::generators::profiler
