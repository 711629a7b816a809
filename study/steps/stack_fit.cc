#include "study/steps/stack_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.h"
#include "study/steps/step_ledger.h"

namespace npunet::study {

namespace {

using engine::StackScalars;

/// A scalar, and the first step along it.
struct Direction {
    double StackScalars::*value;
    double step;
    double least;
    double most;
};
constexpr std::array<Direction, 3> directions{{{&StackScalars::compute_rate, 0.04, 0.5, 1.3},
                                               {&StackScalars::memory_time, 0.4, 0.3, 5},
                                               {&StackScalars::tensor_overlap, 0.2, 0, 1}}};
constexpr int rounds = 4;

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

    double square(const StackScalars& scalars) {
        double sum = 0;
        for (const double error : errors(scalars)) {
            sum += error * error;
        }
        return sum;
    }

    StackScalars best() {
        const bool splits = std::any_of(steps_.begin(), steps_.end(),
                                        [](const MeasuredStep& step) { return step.plan.tp > 1; });
        StackScalars scalars;
        double least = square(scalars);
        double scale = 1;
        for (int round = 0; round < rounds; ++round, scale /= 2) {
            for (const Direction& direction : directions) {
                if (direction.value == &StackScalars::tensor_overlap && !splits) {
                    continue;
                }
                for (const double sign : {1.0, -1.0}) {
                    go(scalars, least, direction, sign * scale * direction.step);
                }
            }
        }
        return scalars;
    }

private:
    /// As far as it helps.
    void go(StackScalars& scalars, double& least, const Direction& direction, double step) {
        for (;;) {
            StackScalars next = scalars;
            double& value = next.*direction.value;
            value =
                std::clamp(std::round((value + step) * 1e4) / 1e4, direction.least, direction.most);
            if (value == scalars.*direction.value) {
                return;
            }
            const double sum = square(next);
            if (!(sum < least)) {
                return;
            }
            least = sum;
            scalars = next;
        }
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
