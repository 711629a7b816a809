// Measured collectives from a CSV file, as calls of a communication library.
//
// Columns (a file may lack any but `value`; unknown ones are ignored): id, group, gpu, gpus,
// gpus_per_node, intra_link, inter_link, bytes (as the library counts them: of an all-gather the
// result, of a reduce-scatter the input), library ("nccl-2.29.2"), precision ("int8" is no type
// that switches add), quantity ("all_reduce_time", "all_gather_busbw", "all_to_all_algbw"), value,
// unit (us, ms, s, GB/s), notes. Of the notes, "NVLS_ENABLE=0", "picks Ring" (or NVLS, Tree) and a
// last word "; Ring" give the algorithm.
//
//     const std::vector<MeasuredCollective> rows = read_measured_collectives("validation/x.csv");
#pragma once

#include <string>
#include <vector>

#include "engine/collective_library/library_call.h"
#include "engine/collective_library/library_tuner.h"
#include "engine/collective_library/library_version.h"

namespace npunet::study {

struct MeasuredCollective {
    std::string id;
    std::string group;
    std::string device;  ///< as the file has it: "H100-SXM 80GB"
    std::string gpu;     ///< as profiles name it: "h100"
    engine::LibraryCall call;
    engine::LibraryMachine machine;
    engine::LibraryOverride override;
    /// 0.0.0 where the file does not say.
    engine::LibraryVersion version;
    double value = 0;
    std::string unit;
    std::string quantity;  ///< "time", "busbw" or "algbw"
    std::string skipped;   ///< why it cannot be simulated; else empty

    /// Time in us.
    [[nodiscard]] double measured_us() const;
    /// That time as the row's quantity, in its unit.
    [[nodiscard]] double in_unit(double us) const;

    /// Of 10^9 bytes per second, or units of time, in the row's unit.
    [[nodiscard]] double bytes_per_us_factor() const;
};

/// Every row of the file, those that are no collectives as skipped ones. Throws InputError for a
/// file that is no CSV table with a column `value`.
[[nodiscard]] std::vector<MeasuredCollective> read_measured_collectives(const std::string& path);

/// The rows that come with npunet: PREFIX/share/npunet/validation, or those of the sources.
[[nodiscard]] std::string measured_collectives_file();

}  // namespace npunet::study
