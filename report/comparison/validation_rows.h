// What was measured beside what is simulated, row by row: as a table, and as JSON. For every
// subcommand of `npunet validate`.
//
//     out << report::validation_table(report);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace npunet::report {

struct ValidationRow {
    std::string id;
    std::string group;
    std::string device;
    std::string operation;
    std::string band;    ///< of sizes: "1 to 16 MiB"
    std::string series;  ///< curve that the row is a point of: "8 GPUs"
    std::string how;     ///< what was simulated: "Ring LL128, 24 channels"
    double size = 0;     ///< of the x axis of curves; 0: none
    double measured = 0;
    double simulated = 0;
    std::string unit;
    bool calibrated = false;  ///< constants were calibrated on the row's group
    std::string skipped;      ///< why it has not been simulated; else empty

    /// ln(simulated / measured)
    [[nodiscard]] double log_error() const;
};

struct ValidationRows {
    std::string title;  ///< "collectives, nccl-2.29.2"
    std::vector<ValidationRow> rows;
};

/// Of some rows.
struct ValidationMean {
    std::size_t rows = 0;
    std::size_t answered = 0;
    double mean = 0;        ///< of |log_error|
    double percentile = 0;  ///< 90th
    double bias = 0;        ///< mean of log_error
};

[[nodiscard]] ValidationMean mean_of(const std::vector<const ValidationRow*>& rows);

/// Every row that was answered, the reasons of those skipped, and means by device, operation, band.
[[nodiscard]] std::string validation_table(const ValidationRows& rows);
/// {"rows": [...], "summary": {...}}
[[nodiscard]] std::string validation_json(const ValidationRows& rows);

}  // namespace npunet::report
