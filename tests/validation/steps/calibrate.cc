// Fits the scalars of the stack profiles to measured training steps, and prints which groups it
// saw and the errors on them. scripts/calibrate-stacks runs it.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "base/errors.h"
#include "engine/device/stack_profile.h"
#include "study/steps/measured_steps.h"
#include "study/steps/stack_fit.h"

namespace {

using npunet::study::MeasuredStep;

// Larger steps take too long.
constexpr std::int64_t most_gpus = 300;
constexpr std::int64_t most_layer_passes = 30'000;

/// Devices that share scalars, and those that take them over without steps of their own.
struct DeviceSet {
    std::vector<std::string> fitted;
    std::vector<std::string> like;
};

const std::vector<DeviceSet> device_sets{{{"a100-sxm4-40gb", "a100-sxm4-80gb"}, {}},
                                         {{"h100-sxm5-80gb"}, {"h200", "b200", "gb200"}}};
/// Groups whose rows leave too much open, or measure another stack.
const std::vector<std::string> prefixes{"sc21t1-", "kor-", "dgxc-", "mpt-"};

bool is_for_fit(const MeasuredStep& step) {
    return step.skipped.empty() && step.gpus <= most_gpus &&
           step.model.layers * step.plan.micro_batches() <= most_layer_passes &&
           std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
               return step.group.compare(0, prefix.size(), prefix) == 0;
           });
}

void calibrate(const std::string& file, const std::vector<MeasuredStep>& steps) {
    npunet::engine::StackProfile profile = npunet::engine::read_stack_profile(file);
    std::set<std::string> groups;
    profile.devices.clear();
    for (const DeviceSet& set : device_sets) {
        std::vector<MeasuredStep> of_set;
        for (const MeasuredStep& step : steps) {
            if (is_for_fit(step) && step.stack == profile.name &&
                std::find(set.fitted.begin(), set.fitted.end(), step.device) != set.fitted.end()) {
                of_set.push_back(step);
                groups.insert(step.group);
            }
        }
        if (of_set.empty()) {
            continue;
        }
        const npunet::study::StackFit fit = fit_stack(profile, set.fitted, of_set);
        fmt::print("{} on {}: {} rows, mean {:.1f} %, max {:.1f} %\n", profile.name,
                   set.fitted.back(), fit.rows, fit.mean_percent, fit.most_percent);
        std::fflush(stdout);
        for (const std::string& device : set.fitted) {
            profile.devices[device] = fit.scalars;
        }
        for (const std::string& device : set.like) {
            profile.devices[device] = fit.scalars;
            profile.devices[device].residual_percent = 0;
            profile.sources["devices." + device] = "those of " + set.fitted.back();
        }
    }
    profile.calibrated_on.assign(groups.begin(), groups.end());
    fmt::print("  groups: {}\n", fmt::join(profile.calibrated_on, ", "));
    std::ofstream(file) << npunet::engine::stack_profile_text(profile);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: calibrate_stacks ROWS.csv STACK.json ...\n");
        return 2;
    }
    try {
        const std::vector<MeasuredStep> steps = npunet::study::read_measured_steps(argv[1]);
        for (int i = 2; i < argc; ++i) {
            calibrate(argv[i], steps);
        }
    } catch (const npunet::InputError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
    return 0;
}
