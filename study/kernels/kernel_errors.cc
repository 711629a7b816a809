#include "study/kernels/kernel_errors.h"

#include <algorithm>
#include <cmath>

namespace npunet::study {

namespace {

ErrorSummary error_summary_of(KernelRows which, const std::vector<PredictedRow>& rows) {
    ErrorSummary summary;
    std::vector<double> errors;
    for (const PredictedRow& one : rows) {
        if (!counts(which, *one.row)) {
            continue;
        }
        ++summary.rows;
        if (one.predicted_us > 0) {
            const double error = one.error_percent();
            errors.push_back(std::abs(error));
            summary.mean += std::abs(error);
            summary.bias += error;
        }
    }
    summary.answered = errors.size();
    if (errors.empty()) {
        return summary;
    }
    std::sort(errors.begin(), errors.end());
    summary.mean /= static_cast<double>(errors.size());
    summary.bias /= static_cast<double>(errors.size());
    summary.percentile = errors[(errors.size() - 1) * 95 / 100];
    summary.most = errors.back();
    return summary;
}

}  // namespace

const char* name_of(KernelRows rows) {
    switch (rows) {
        case KernelRows::LargeProducts:
            return "m, n, k >= 512";
        case KernelRows::Products:
            return ">= 1e8 operations";
        case KernelRows::LongAttention:
            return "seq >= 1024, batch x heads >= 8";
        default:
            return "all";
    }
}

bool counts(KernelRows rows, const KernelRow& row) {
    const engine::MatmulShape& shape = row.matmul;
    switch (rows) {
        case KernelRows::LargeProducts:
            return shape.m >= 512 && shape.n >= 512 && shape.k >= 512;
        case KernelRows::Products:
            return 2 * static_cast<double>(shape.batch) * static_cast<double>(shape.m) *
                       static_cast<double>(shape.n) * static_cast<double>(shape.k) >=
                   1e8;
        case KernelRows::LongAttention:
            return row.attention.queries >= 1024 &&
                   row.attention.sequences * row.attention.heads >= 8;
        default:
            return true;
    }
}

std::vector<KernelRows> judged_rows(KernelTableKind kind) {
    switch (kind) {
        case KernelTableKind::Matmul:
            return {KernelRows::LargeProducts, KernelRows::Products, KernelRows::All};
        case KernelTableKind::Attention:
            return {KernelRows::LongAttention, KernelRows::All};
        default:
            return {KernelRows::All};
    }
}

KernelErrors kernel_errors(KernelTableKind kind, const std::vector<PredictedRow>& rows) {
    KernelErrors errors;
    for (const KernelRows which : judged_rows(kind)) {
        errors.push_back({which, error_summary_of(which, rows)});
    }
    return errors;
}

}  // namespace npunet::study
