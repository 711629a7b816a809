// Errors of predicted times over the times that were measured: a panel a series, those with the
// most points first. Discs are points that the prediction was calibrated on, rings others.
#pragma once

#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

struct LedgerPoint {
    std::string series;        ///< "megatron-nemo-24, h100-sxm5-80gb"
    double measured_s = 0;     ///< above 0
    double error_percent = 0;  ///< above 0 where the prediction is longer
    bool calibrated = false;
};

/// At most six panels.
[[nodiscard]] Figure ledger_figure(const std::string& title,
                                   const std::vector<LedgerPoint>& points);

}  // namespace npunet::report
