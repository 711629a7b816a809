// Predicted beside measured kernel times, row by row: what `npunet validate kernels` prints.
//
//     const KernelTable table = read_kernel_table(path, options);
//     const KernelLedger ledger = kernel_ledger(table, "h100-sxm5-80gb");
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/device/device_profile.h"
#include "engine/device/kernel_table.h"
#include "study/kernels/kernel_errors.h"

namespace npunet::study {

struct KernelLedgerRow {
    PredictedRow row;
    std::string device;       ///< name of the profile; empty: none
    bool calibrated = false;  ///< the profile's values come from this file
    std::string skipped;      ///< why nothing is predicted; else empty
};

/// Rows of one device, type, kernel and condition.
struct KernelLedgerPart {
    std::string name;
    bool calibrated = false;
    KernelErrors errors;
};

struct KernelLedger {
    std::vector<KernelLedgerRow> rows;
    std::vector<KernelLedgerPart> parts;
    KernelErrors all;
};

/// `device`: name or file, of the rows whose file does not name one; may be empty when all do.
[[nodiscard]] KernelLedger kernel_ledger(const KernelTable& table, const std::string& device);

/// Whether values of the profile for such rows come from a file of that name. The source of a fit
/// begins "fitted to FILE, COLUMN=TEXT, ...; "; a row counts that has all these texts.
[[nodiscard]] bool is_calibrated_on(const engine::DeviceProfile& device, const KernelRow& row,
                                    const std::string& file);

}  // namespace npunet::study
