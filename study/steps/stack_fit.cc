#include "study/steps/stack_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.h"
#include "study/steps/step_ledger.h"

namespace npunet::study {

namespace {

using engine::StackScalars;

/// A scalar, and by how much it is changed to see what it does.
struct Direction {
    double StackScalars::*value;
    double change;
    double least;
    double most;
};
constexpr std::array<Direction, 3> directions{{{&StackScalars::compute_rate, -0.03, 0.5, 1.3},
                                               {&StackScalars::memory_time, 0.1, 0.3, 5},
                                               {&StackScalars::tensor_overlap, 0.1, 0, 1}}};
constexpr std::size_t scalars_at_most = directions.size();
constexpr int rounds = 3;

using Row = std::array<double, scalars_at_most>;

/// The solution of a symmetric positive definite system, by elimination.
Row solution_of(std::array<Row, scalars_at_most> matrix, Row right, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = i + 1; j < size; ++j) {
            const double factor = matrix[j][i] / matrix[i][i];
            for (std::size_t k = i; k < size; ++k) {
                matrix[j][k] -= factor * matrix[i][k];
            }
            right[j] -= factor * right[i];
        }
    }
    for (std::size_t i = size; i-- > 0;) {
        for (std::size_t k = i + 1; k < size; ++k) {
            right[i] -= matrix[i][k] * right[k];
        }
        right[i] /= matrix[i][i];
    }
    return right;
}

class Fit {
public:
    Fit(const engine::StackProfile& profile, const std::vector<std::string>& devices,
        std::vector<MeasuredStep> steps)
        : profile_(profile), devices_(devices), steps_(std::move(steps)) {
        steps_.erase(std::remove_if(steps_.begin(), steps_.end(),
                                    [](const MeasuredStep& step) { return !step.skipped.empty(); }),
                     steps_.end());
    }

    /// ln(predicted / measured) of every step.
    std::vector<double> errors(const StackScalars& scalars) {
        for (const std::string& device : devices_) {
            profile_.devices[device] = scalars;
        }
        const std::vector<double> seconds = predict_steps(
            steps_, [this](const MeasuredStep&) -> const engine::StackProfile& { return profile_; },
            {});
        std::vector<double> errors;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (steps_[i].skipped.empty()) {
                errors.push_back(std::log(seconds[i] / measured_seconds(steps_[i])));
            }
        }
        return errors;
    }

    /// Gauss and Newton's steps.
    StackScalars best() {
        const bool splits = std::any_of(steps_.begin(), steps_.end(),
                                        [](const MeasuredStep& step) { return step.plan.tp > 1; });
        const std::size_t size = splits ? scalars_at_most : scalars_at_most - 1;
        StackScalars scalars;
        std::vector<double> at = errors(scalars);
        for (int round = 0; round < rounds; ++round) {
            const Row step = step_from(scalars, at, size);
            double share = 1;
            for (int attempt = 0; attempt < 3; ++attempt, share /= 2) {
                const StackScalars next = moved(scalars, step, share, size);
                const std::vector<double> there = errors(next);
                if (square(there) < square(at)) {
                    scalars = next;
                    at = there;
                    break;
                }
            }
        }
        return scalars;
    }

private:
    static double square(const std::vector<double>& errors) {
        double sum = 0;
        for (const double error : errors) {
            sum += error * error;
        }
        return sum;
    }

    static StackScalars moved(const StackScalars& scalars, const Row& step, double share,
                              std::size_t size) {
        StackScalars next = scalars;
        for (std::size_t i = 0; i < size; ++i) {
            const Direction& direction = directions[i];
            const double value = scalars.*direction.value + share * step[i];
            next.*direction.value =
                std::clamp(std::round(value * 1e3) / 1e3, direction.least, direction.most);
        }
        return next;
    }

    Row step_from(const StackScalars& scalars, const std::vector<double>& at, std::size_t size) {
        std::vector<std::vector<double>> slopes;
        for (std::size_t i = 0; i < size; ++i) {
            const Direction& direction = directions[i];
            const double value = scalars.*direction.value;
            const double change =
                value + direction.change > direction.most ? -direction.change : direction.change;
            StackScalars changed = scalars;
            changed.*direction.value = value + change;
            std::vector<double> slope = errors(changed);
            for (std::size_t row = 0; row < slope.size(); ++row) {
                slope[row] = (slope[row] - at[row]) / change;
            }
            slopes.push_back(std::move(slope));
        }
        std::array<Row, scalars_at_most> matrix{};
        Row right{};
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t row = 0; row < at.size(); ++row) {
                right[i] -= slopes[i][row] * at[row];
                for (std::size_t j = 0; j < size; ++j) {
                    matrix[i][j] += slopes[i][row] * slopes[j][row];
                }
            }
            // Scalars that the steps say nothing of stay as they are.
            matrix[i][i] += 1e-4 * static_cast<double>(at.size());
        }
        return solution_of(matrix, right, size);
    }

    engine::StackProfile profile_;
    std::vector<std::string> devices_;
    std::vector<MeasuredStep> steps_;
};

}  // namespace

StackFit fit_stack(const engine::StackProfile& profile, const std::vector<std::string>& devices,
                   std::vector<MeasuredStep> steps) {
    Fit search(profile, devices, std::move(steps));
    StackFit fit;
    fit.scalars = search.best();
    const std::vector<double> errors = search.errors(fit.scalars);
    if (errors.empty()) {
        throw InputError({"measured steps", "", "none that can be predicted",
                          "steps of the devices of the profile", "Check the rows"});
    }
    double squares = 0;
    for (const double error : errors) {
        const double percent = 100 * std::abs(std::expm1(error));
        fit.mean_percent += percent;
        fit.most_percent = std::max(fit.most_percent, percent);
        squares += percent * percent;
    }
    fit.rows = errors.size();
    fit.mean_percent /= static_cast<double>(fit.rows);
    fit.scalars.residual_percent =
        std::round(100 * std::sqrt(squares / static_cast<double>(fit.rows))) / 100;
    return fit;
}

}  // namespace npunet::study
