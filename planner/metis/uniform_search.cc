#include "planner/metis/uniform_search.h"

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "planner/metis/cluster.h"
#include "planner/metis/slice_sums.h"

namespace npunet::planner::metis {

namespace {

double sum_of(const std::vector<double>& values, std::int64_t first, std::int64_t end) {
    double sum = 0;
    const auto size = static_cast<std::int64_t>(values.size());
    for (std::int64_t i = first; i < std::min(end, size); ++i) {
        sum += values[static_cast<std::size_t>(i)];
    }
    return sum;
}

/// The first and last layer beside the others, which are divided evenly, the first stages after the
/// first getting one more.
std::vector<std::int64_t> layers_of_stages(std::int64_t layers, std::int64_t pp) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(pp), (layers - 2) / pp);
    for (std::int64_t s = 1; s <= (layers - 2) % pp; ++s) {
        ++counts[static_cast<std::size_t>(s)];
    }
    ++counts.front();
    ++counts.back();
    return counts;
}

class UniformSearch {
public:
    UniformSearch(const Inputs& inputs, const Arguments& arguments, const std::string& type)
        : inputs_(inputs),
          arguments_(arguments),
          type_(type),
          first_(arguments.first_profile.empty() ? inputs.profiles.all().front()
                                                 : *inputs.profiles.named(arguments.first_profile)),
          cluster_(inputs, arguments),
          bandwidth_(cluster_.first_node_bandwidth() * bytes_per_ms) {}

    UniformResult run() {
        const std::int64_t devices = cluster_.devices();
        for (std::int64_t pp = 1; pp <= devices; ++pp) {
            const std::int64_t most_tp = std::min(arguments_.max_profiled_tp_degree, devices / pp);
            for (std::int64_t tp = 1; tp <= most_tp; ++tp) {
                if (devices % (pp * tp) == 0) {
                    try_micro_batches(devices / pp / tp, pp, tp);
                }
            }
        }
        return std::move(result_);
    }

private:
    void try_micro_batches(std::int64_t dp, std::int64_t pp, std::int64_t tp) {
        for (std::int64_t samples = 1; samples * dp <= arguments_.gbs; ++samples) {
            if (arguments_.gbs % samples != 0) {
                continue;
            }
            const LayerProfile* profile = inputs_.profiles.find(type_, tp, samples);
            const double fb_sync =
                profile == nullptr
                    ? 0
                    : profile->forward_backward_ms - sum_of(profile->layer_ms, 0, most_layers);
            if (fb_sync == 0) {
                ++result_.plans_dropped;
                continue;
            }
            UniformPlan plan{dp, pp, tp, samples, 0, {}, 0};
            plan.layers = layers_of_stages(arguments_.num_layers, pp);
            take_cost(plan, *profile, fb_sync);
            result_.plans.push_back(std::move(plan));
        }
    }

    [[nodiscard]] double activation(const UniformPlan& plan, std::int64_t end) const {
        const double positions =
            static_cast<double>(plan.micro_batch) * static_cast<double>(arguments_.sequence_length);
        return end == arguments_.num_layers - 1
                   ? positions * static_cast<double>(arguments_.vocab_size) /
                         static_cast<double>(plan.tp)
                   : positions * static_cast<double>(arguments_.hidden_size);
    }

    [[nodiscard]] std::vector<double> layer_parameters(std::int64_t tp) const {
        const auto devices = static_cast<double>(tp);
        std::vector<double> bytes(static_cast<std::size_t>(arguments_.num_layers),
                                  first_.parameter_bytes[1] / devices);
        bytes.front() = first_.parameter_bytes.front() / devices;
        bytes.back() = first_.parameter_bytes.back() / devices;
        return bytes;
    }

    void take_cost(UniformPlan& plan, const LayerProfile& profile, double fb_sync) const {
        const std::vector<double> bytes = layer_parameters(plan.tp);
        const auto batches = static_cast<double>(arguments_.gbs / plan.micro_batch / plan.dp);
        double slowest = 0;
        double sum = 0;
        double pipeline = 0;
        double most_bytes = 0;
        std::int64_t first = 0;
        for (std::size_t s = 0; s < plan.layers.size(); ++s) {
            const std::int64_t end = first + plan.layers[s];
            const double time = sum_of(profile.layer_ms, first, end);
            slowest = std::max(slowest, time);
            sum += time;
            most_bytes = std::max(most_bytes, sum_of(bytes, first, end));
            plan.memory_mb = std::max(plan.memory_mb, sum_of(profile.layer_memory_mib, first, end));
            if (s + 1 < plan.layers.size()) {
                pipeline += activation(plan, end) / bandwidth_;
            }
            first = end;
        }
        const double gradients = static_cast<double>(2 * (plan.dp - 1)) /
                                 (static_cast<double>(plan.dp) * bandwidth_) * most_bytes;
        const double optimizer =
            first_.optimizer_ms * 2 / static_cast<double>(plan.pp) / static_cast<double>(plan.tp);
        plan.cost_ms = (batches - 1) * slowest + sum + fb_sync * batches + optimizer + gradients +
                       pipeline + first_.batch_generator_ms * batches;
    }

    static constexpr std::int64_t most_layers = std::int64_t{1} << 40;

    const Inputs& inputs_;
    const Arguments& arguments_;
    const std::string& type_;
    const LayerProfile& first_;
    Cluster cluster_;
    double bandwidth_;
    UniformResult result_;
};

void check_inputs(const Inputs& inputs, const Arguments& arguments, const std::string& type) {
    check(arguments);
    const auto& all = inputs.profiles.all();
    const auto of_type = [&](const LayerProfile& profile) { return profile.type == type; };
    if (std::none_of(all.begin(), all.end(), of_type)) {
        throw InputError({inputs.profile_folder.string(), "", "no profile of " + type,
                          "files named DeviceType." + type + "_tpT_bsB.json", ""});
    }
    const LayerProfile* first = arguments.first_profile.empty()
                                    ? &all.front()
                                    : inputs.profiles.named(arguments.first_profile);
    if (first == nullptr) {
        throw InputError({"--first-profile", "", "'" + arguments.first_profile + "'",
                          "the name of a file in " + inputs.profile_folder.string(), ""});
    }
    if (first->parameter_bytes.size() < 2) {
        throw InputError({(inputs.profile_folder / first->file_name).string(),
                          "model: parameters: parameters_per_layer_bytes", "one layer",
                          "at least 2", ""});
    }
}

}  // namespace

std::vector<std::size_t> UniformResult::best() const {
    std::vector<std::size_t> numbers(plans.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::stable_sort(numbers.begin(), numbers.end(), [this](std::size_t a, std::size_t b) {
        return plans[a].cost_ms < plans[b].cost_ms;
    });
    return numbers;
}

UniformResult uniform_search(const Inputs& inputs, const Arguments& arguments,
                             const std::string& type) {
    check_inputs(inputs, arguments, type);
    return UniformSearch(inputs, arguments, type).run();
}

}  // namespace npunet::planner::metis
