// Errors of predicted kernel times, over the rows of a table that matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/device/kernel_table.h"

namespace npunet::study {

using engine::KernelRow;
using engine::KernelTable;
using engine::KernelTableKind;

/// Which rows count.
enum class KernelRows : std::uint8_t {
    All,
    LargeProducts,  ///< m, n and k from 512
    Products,       ///< from 10^8 operations
    LongAttention,  ///< sequences from 1024, batch x heads from 8
};

[[nodiscard]] const char* name_of(KernelRows rows);
[[nodiscard]] bool counts(KernelRows rows, const KernelRow& row);
/// Those that a table of the kind is judged by, all rows last.
[[nodiscard]] std::vector<KernelRows> judged_rows(KernelTableKind kind);

struct ErrorSummary {
    std::size_t rows = 0;      ///< of the kind
    std::size_t answered = 0;  ///< predicted
    double mean = 0;           ///< of |error|, percent
    double percentile = 0;     ///< the 95th
    double most = 0;
    double bias = 0;  ///< mean of errors with their sign
};

struct NamedSummary {
    KernelRows which = KernelRows::All;
    ErrorSummary summary;
};
using KernelErrors = std::vector<NamedSummary>;

/// One row and its prediction; nothing predicted: 0.
struct PredictedRow {
    const KernelRow* row = nullptr;
    double predicted_us = 0;

    [[nodiscard]] double error_percent() const {
        return 100 * (predicted_us / row->measured_us - 1);
    }
};

[[nodiscard]] KernelErrors kernel_errors(KernelTableKind kind,
                                         const std::vector<PredictedRow>& rows);

}  // namespace npunet::study
