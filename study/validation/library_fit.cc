#include "study/validation/library_fit.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace npunet::study {

namespace {

using engine::CollectiveKind;
using engine::GpuArchitecture;
using engine::LibraryConstants;
using engine::LibraryVersion;

using Rows = std::vector<const MeasuredCollective*>;
using Vector = std::vector<double>;

/// |x| with a rounded corner: errors below one percent count little.
constexpr double corner = 1e-4;
/// Of the pull to the starting values.
constexpr double pull = 0.02;

double& at(Vector& matrix, std::size_t size, std::size_t row, std::size_t column) {
    return matrix[row * size + column];
}

/// Solves a system by elimination; the matrix is positive definite.
Vector solved(Vector matrix, Vector right) {
    const std::size_t size = right.size();
    for (std::size_t pivot = 0; pivot < size; ++pivot) {
        const double divisor = at(matrix, size, pivot, pivot);
        for (std::size_t column = pivot; column < size; ++column) {
            at(matrix, size, pivot, column) /= divisor;
        }
        right[pivot] /= divisor;
        for (std::size_t row = 0; row < size; ++row) {
            const double factor = row == pivot ? 0 : at(matrix, size, row, pivot);
            for (std::size_t column = pivot; factor != 0 && column < size; ++column) {
                at(matrix, size, row, column) -= factor * at(matrix, size, pivot, column);
            }
            right[row] -= factor * right[pivot];
        }
    }
    return right;
}

class Fit {
public:
    Fit(const GpuArchitecture& architecture, const LibraryVersion& version, const Rows& rows,
        const LibraryConstants& start, std::vector<std::size_t> free)
        : architecture_(architecture),
          version_(version),
          rows_(rows),
          start_(start),
          free_(std::move(free)) {}

    [[nodiscard]] LibraryConstants run() {
        LibraryConstants best = start_;
        Vector errors = errors_of(best);
        double cost = cost_of(best, errors);
        double damping = 1e-2;
        for (int step = 0; step < 60 && damping < 1e8; ++step) {
            const auto [matrix, slope] = equations(best, errors);
            for (int trial = 0; trial < 8; ++trial) {
                const LibraryConstants next = moved(best, damped(matrix, slope, damping));
                Vector next_errors = errors_of(next);
                const double next_cost = cost_of(next, next_errors);
                if (next_cost < cost) {
                    best = next;
                    errors = std::move(next_errors);
                    cost = next_cost;
                    damping = std::max(1e-6, damping / 4);
                    break;
                }
                damping *= 4;
            }
        }
        return best;
    }

private:
    static double value(const LibraryConstants& constants, std::size_t number) {
        return engine::all_library_constants()[number].get(constants);
    }
    static void set(LibraryConstants& constants, std::size_t number, double value) {
        engine::all_library_constants()[number].set(constants, value);
    }

    [[nodiscard]] Vector errors_of(const LibraryConstants& constants) const {
        Vector errors;
        errors.reserve(rows_.size());
        for (const MeasuredCollective* row : rows_) {
            errors.push_back(log_error_of(architecture_, version_, constants, *row));
        }
        return errors;
    }

    [[nodiscard]] double away(const LibraryConstants& constants, std::size_t number) const {
        return std::log(value(constants, number) / value(start_, number));
    }

    [[nodiscard]] double cost_of(const LibraryConstants& constants, const Vector& errors) const {
        double cost = 0;
        for (const double error : errors) {
            cost += std::sqrt(error * error + corner);
        }
        for (const std::size_t number : free_) {
            cost += pull * away(constants, number) * away(constants, number);
        }
        return cost;
    }

    /// Of the step: a matrix, and the slope of the cost.
    [[nodiscard]] std::pair<Vector, Vector> equations(const LibraryConstants& constants,
                                                      const Vector& errors) const {
        constexpr double little = 1e-3;
        const std::size_t size = free_.size();
        std::vector<Vector> slopes;
        for (const std::size_t number : free_) {
            LibraryConstants more = constants;
            set(more, number, value(constants, number) * std::exp(little));
            slopes.push_back(errors_of(more));
            for (std::size_t row = 0; row < errors.size(); ++row) {
                slopes.back()[row] = (slopes.back()[row] - errors[row]) / little;
            }
        }
        Vector matrix(size * size, 0);
        Vector slope(size, 0);
        for (std::size_t row = 0; row < errors.size(); ++row) {
            const double weight = 1 / std::sqrt(errors[row] * errors[row] + corner);
            for (std::size_t a = 0; a < size; ++a) {
                slope[a] += weight * slopes[a][row] * errors[row];
                for (std::size_t b = 0; b < size; ++b) {
                    at(matrix, size, a, b) += weight * slopes[a][row] * slopes[b][row];
                }
            }
        }
        for (std::size_t a = 0; a < size; ++a) {
            at(matrix, size, a, a) += 2 * pull;
            slope[a] += 2 * pull * away(constants, free_[a]);
        }
        return {matrix, slope};
    }

    [[nodiscard]] static Vector damped(Vector matrix, const Vector& slope, double damping) {
        for (std::size_t a = 0; a < slope.size(); ++a) {
            at(matrix, slope.size(), a, a) *= 1 + damping;
        }
        return solved(std::move(matrix), slope);
    }

    [[nodiscard]] LibraryConstants moved(const LibraryConstants& from, const Vector& by) const {
        LibraryConstants to = from;
        for (std::size_t a = 0; a < free_.size(); ++a) {
            set(to, free_[a], value(from, free_[a]) * std::exp(-std::clamp(by[a], -1.0, 1.0)));
        }
        return to;
    }

    const GpuArchitecture& architecture_;
    const LibraryVersion& version_;
    const Rows& rows_;
    LibraryConstants start_;
    std::vector<std::size_t> free_;
};

bool begins_with(std::string_view name, std::string_view begin) {
    return name.substr(0, begin.size()) == begin;
}

enum class Part { Collectives, Sends, Network };

Part part_of(std::string_view constant) {
    return begins_with(constant, "send-")                                      ? Part::Sends
           : begins_with(constant, "network-") || constant == "nvls-tree-base" ? Part::Network
                                                                               : Part::Collectives;
}

Part part_of(const MeasuredCollective& row) {
    return row.call.nodes > 1                          ? Part::Network
           : row.call.kind == CollectiveKind::AllToAll ? Part::Sends
                                                       : Part::Collectives;
}

bool depends(const GpuArchitecture& architecture, const LibraryVersion& version,
             const LibraryConstants& constants, std::size_t number, const Rows& rows) {
    LibraryConstants more = constants;
    const auto& constant = engine::all_library_constants()[number];
    constant.set(more, constant.get(constants) * 1.01);
    return std::any_of(rows.begin(), rows.end(), [&](const MeasuredCollective* row) {
        return std::abs(log_error_of(architecture, version, more, *row) -
                        log_error_of(architecture, version, constants, *row)) > 1e-6;
    });
}

}  // namespace

LibraryConstants starting_constants(const GpuArchitecture& architecture) {
    const double links = architecture.link_total;
    LibraryConstants start;
    // Of the tuner: src/graph/tuning.cc.
    start.base = {6.6, 14, 8.4};
    start.hop = {0.6, 1.9, 3.4};
    start.network_hop = 14;
    start.nvls_base = 18;
    start.nvls_tree_base = 60;
    // Of the links.
    start.flag_link = start.simple_link = links;
    start.nvls_link = 0.95 * links;
    start.send_link = 0.9 * links;
    start.send_copy = 3 * links;
    start.network_share = 0.92;
    // Of one block: a little more than its share of the links.
    start.block = {1.5 * links / architecture.channels, 1.5 * links / architecture.channels};
    start.copy = 2 * links / architecture.channels;
    start.send_block = 1.5 * links / architecture.channels;
    start.block_start = 1;
    start.slice = 0.5;
    start.nvls_loop = 5;
    start.send_base = {8, 12};
    start.send_slot = 5;
    return start;
}

double log_error_of(const GpuArchitecture& architecture, const LibraryVersion& version,
                    const LibraryConstants& constants, const MeasuredCollective& row) {
    const LibraryVersion& own = row.version == LibraryVersion() ? version : row.version;
    const engine::LibraryModel model(architecture, own, constants);
    const auto timing = model.time(row.call, row.machine, row.override);
    return timing && timing->time > Time()
               ? std::log(static_cast<double>(timing->time.ps()) * 1e-6 / row.measured_us())
               : 0;
}

FittedGpu fit_library_gpu(const GpuArchitecture& architecture, const LibraryVersion& version,
                          const std::vector<MeasuredCollective>& measured) {
    constexpr std::int64_t least_far = 16 << 20;
    FittedGpu fitted;
    fitted.constants = starting_constants(architecture);
    for (const Part part : {Part::Collectives, Part::Sends, Part::Network}) {
        Rows rows;
        for (const MeasuredCollective& row : measured) {
            if (row.skipped.empty() && part_of(row) == part &&
                (part != Part::Network || row.call.bytes >= least_far)) {
                rows.push_back(&row);
            }
        }
        std::vector<std::size_t> free;
        for (std::size_t number = 0; number < engine::library_constants; ++number) {
            if (part_of(engine::all_library_constants()[number].name) == part &&
                depends(architecture, version, fitted.constants, number, rows)) {
                free.push_back(number);
                fitted.calibrated[number] = true;
            }
        }
        fitted.constants = Fit(architecture, version, rows, fitted.constants, free).run();
        for (const MeasuredCollective* row : rows) {
            fitted.mean_error +=
                std::abs(log_error_of(architecture, version, fitted.constants, *row));
        }
        fitted.rows += rows.size();
    }
    fitted.mean_error /= std::max<double>(1, static_cast<double>(fitted.rows));
    return fitted;
}

}  // namespace npunet::study
