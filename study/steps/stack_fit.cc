#include "study/steps/stack_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.h"
#include "study/steps/step_ledger.h"

namespace npunet::study {

namespace {

using engine::StackScalars;

/// A scalar: what it is without steps to tell, how far from that it usually is, by how much it is
/// changed to see what it does, and the most that a round moves it.
struct Direction {
    double StackScalars::*value;
    double prior;
    double spread;
    double change;
    double reach;
    double least;
    double most;
};
constexpr std::array<Direction, 3> directions{
    {{&StackScalars::compute_rate, 1, 0.15, -0.03, 0.1, 0.5, 1},
     {&StackScalars::memory_time, 1, 0.7, 0.2, 0.6, 0.3, 5},
     {&StackScalars::tensor_overlap, 0, 0.4, 0.1, 0.3, 0, 1}}};
constexpr int rounds = 4;
/// Of the times of steps: repeats, releases, what no scalar stands for.
constexpr double noise = 0.04;

using Row = std::array<double, directions.size()>;

/// The solution of a symmetric positive definite system, by elimination.
Row solution_of(std::array<Row, directions.size()> matrix, Row right, std::size_t size) {
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

    StackScalars best() {
        // Only splits show what hides their communication.
        const bool splits = std::any_of(steps_.begin(), steps_.end(),
                                        [](const MeasuredStep& step) { return step.plan.tp > 1; });
        size_ = splits ? directions.size() : directions.size() - 1;
        StackScalars scalars;
        std::vector<double> at = errors(scalars);
        for (int round = 0; round < rounds; ++round) {
            const Row step = step_from(scalars, at);
            double share = 1;
            for (int attempt = 0; attempt < 3; ++attempt, share /= 2) {
                const StackScalars next = moved(scalars, step, share);
                std::vector<double> there = errors(next);
                if (square(next, there) < square(scalars, at)) {
                    scalars = next;
                    at = std::move(there);
                    break;
                }
            }
        }
        return scalars;
    }

private:
    /// What is to be least: errors over their noise, scalars over their spread.
    [[nodiscard]] double square(const StackScalars& scalars,
                                const std::vector<double>& errors) const {
        double sum = 0;
        for (const double error : errors) {
            sum += error * error / (noise * noise);
        }
        for (std::size_t i = 0; i < size_; ++i) {
            const double off =
                (scalars.*directions[i].value - directions[i].prior) / directions[i].spread;
            sum += off * off;
        }
        return sum;
    }

    [[nodiscard]] StackScalars moved(const StackScalars& scalars, const Row& step,
                                     double share) const {
        StackScalars next = scalars;
        for (std::size_t i = 0; i < size_; ++i) {
            const Direction& direction = directions[i];
            const double value = scalars.*direction.value + share * step[i];
            next.*direction.value =
                std::clamp(std::round(value * 1e3) / 1e3, direction.least, direction.most);
        }
        return next;
    }

    /// The solution; a scalar that would leave its bounds stops there, and the others are solved
    /// again.
    [[nodiscard]] Row within_bounds(const StackScalars& scalars,
                                    std::array<Row, directions.size()> matrix, Row right) const {
        Row step{};
        for (std::size_t pass = 0; pass <= size_; ++pass) {
            step = solution_of(matrix, right, size_);
            for (std::size_t i = 0; i < size_; ++i) {
                const double value = scalars.*directions[i].value;
                const double most = directions[i].most - value;
                const double least = directions[i].least - value;
                if (step[i] >= least && step[i] <= most) {
                    continue;
                }
                const double fixed = std::clamp(step[i], least, most);
                for (std::size_t row = 0; row < size_; ++row) {
                    right[row] -= matrix[row][i] * fixed;
                    matrix[row][i] = 0;
                    matrix[i][row] = 0;
                }
                matrix[i][i] = 1;
                right[i] = fixed;
                break;
            }
        }
        return step;
    }

    /// Gauss and Newton's, shortened to what a round may move.
    Row step_from(const StackScalars& scalars, const std::vector<double>& at) {
        std::vector<std::vector<double>> slopes;
        for (std::size_t i = 0; i < size_; ++i) {
            const Direction& direction = directions[i];
            const double value = scalars.*direction.value;
            const bool over = value + direction.change > direction.most ||
                              value + direction.change < direction.least;
            const double change = over ? -direction.change : direction.change;
            StackScalars changed = scalars;
            changed.*direction.value = value + change;
            std::vector<double> slope = errors(changed);
            for (std::size_t row = 0; row < slope.size(); ++row) {
                slope[row] = (slope[row] - at[row]) / change;
            }
            slopes.push_back(std::move(slope));
        }
        std::array<Row, directions.size()> matrix{};
        Row right{};
        for (std::size_t i = 0; i < size_; ++i) {
            const Direction& direction = directions[i];
            const double weight = 1 / (direction.spread * direction.spread);
            matrix[i][i] = weight;
            right[i] = -weight * (scalars.*direction.value - direction.prior);
            for (std::size_t row = 0; row < at.size(); ++row) {
                right[i] -= slopes[i][row] * at[row] / (noise * noise);
                for (std::size_t j = 0; j < size_; ++j) {
                    matrix[i][j] += slopes[i][row] * slopes[j][row] / (noise * noise);
                }
            }
        }
        Row step = within_bounds(scalars, matrix, right);
        double shorter = 1;
        for (std::size_t i = 0; i < size_; ++i) {
            shorter = std::max(shorter, std::abs(step[i]) / directions[i].reach);
        }
        for (double& value : step) {
            value /= shorter;
        }
        return step;
    }

    std::size_t size_ = directions.size();  ///< scalars that are fitted
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
