// Execution traces of a run: from its logs, or straight from its program without any.
//
//     ConversionOptions options;
//     options.compute = ComputeSource::Roofline;
//     convert_run(run, options, {"traces"}, {});               // a resolved run
//     convert_logs(open_log_folder("comm_logs/..."), options, {"traces"}, {});
//
// A log has no computation and does not say what runs beside what. Both come from the program that
// Megatron-LM runs by the folder's configuration, with which the log is compared call by call; a
// log that is another program's can be converted without (ComputeSource::None), its calls one after
// the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "chakra/trace/trace_format.h"
#include "generators/megatron/conversion/segment_times.h"
#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/program/training_run.h"
#include "generators/workload_files.h"

namespace npunet::generators::megatron {

enum class ComputeSource : std::uint8_t {
    Roofline,  ///< FLOPs and bytes, for the roofline of the system that simulates
    Times,     ///< measured ones
    None
};

struct ConversionOptions {
    ComputeSource compute = ComputeSource::Roofline;
    std::optional<SegmentTimes> times;  ///< of ComputeSource::Times
    bool set_up = true;                 ///< also what is called before the first micro-batch
    bool barriers = true;
    std::int64_t micro_batch = 0;  ///< sequences; 0: as in the run. Needs the program
    double scale = 1.0;            ///< of sizes, FLOPs and times
};

struct ConversionTotals {
    struct Kind {
        std::int64_t calls = 0;
        std::int64_t bytes = 0;  ///< comm_size
    };
    std::int64_t nodes = 0;
    std::int64_t computations = 0;
    double flops = 0;                   ///< of computations without a time
    std::map<std::string, Kind> kinds;  ///< by the operation's name
    std::int64_t groups = 0;
    chakra::Losses losses;
};

/// Writes a trace a rank, ranks in parallel, and the file of groups; `written` is called after each
/// rank, by one thread at a time. Throws InputError as TraceWriter does and for options that do not
/// fit.
ConversionTotals convert_run(const TrainingRun& run, const ConversionOptions& options,
                             const WorkloadFiles& files, const std::function<void()>& written);

/// The same from logs. Throws InputError (file, event) where a log is not what the configuration
/// makes, and whatever its reader throws.
ConversionTotals convert_logs(const LogFolder& folder, const ConversionOptions& options,
                              const WorkloadFiles& files, const std::function<void()>& written);

}  // namespace npunet::generators::megatron
