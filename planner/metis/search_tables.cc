#include "planner/metis/search_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "planner/metis/inter_stage.h"

namespace npunet::planner::metis {

namespace {

const Arguments& checked(const Inputs& inputs, const Arguments& arguments) {
    check(arguments);
    if (inputs.hosts.empty() || inputs.profiles.all().empty()) {
        throw InputError({inputs.hostfile.string(), "", "no host or no profile",
                          "a cluster and profiles of its devices", ""});
    }
    return arguments;
}

}  // namespace

SearchTables::SearchTables(const Inputs& inputs, const Arguments& arguments)
    : arguments_(checked(inputs, arguments)),
      cluster_(inputs, arguments_),
      profiles_(inputs, cluster_, arguments_),
      batches_(divisors_downwards(arguments_.gbs)) {
    std::vector<int> order(cluster_.types().size());
    std::iota(order.begin(), order.end(), 0);
    do {
        sequences_.emplace_back(cluster_, order);
    } while (std::next_permutation(order.begin(), order.end()));
    while (std::int64_t{1} << levels_ <= cluster_.devices()) {
        ++levels_;
    }
    fill_profiles();
    const FirstProfile& first = profiles_.first();
    for (std::size_t log_tp = 0; log_tp < levels_; ++log_tp) {
        const auto tp = static_cast<double>(std::int64_t{1} << log_tp);
        shares_.push_back({first.input_bytes / tp, first.transformer_bytes / tp,
                           first.output_bytes / tp, first.optimizer_ms / tp});
    }
    for (std::int64_t layers = 0; layers <= arguments_.num_layers; ++layers) {
        part_.push_back(static_cast<double>(layers) / static_cast<double>(arguments_.num_layers));
    }
}

void SearchTables::fill_profiles() {
    for (const std::int64_t batches : batches_) {
        for (std::size_t log_dp = 0; log_dp < levels_; ++log_dp) {
            micro_batch_.push_back(arguments_.gbs / batches >> log_dp);
        }
    }
    const std::size_t types = cluster_.types().size();
    profile_.resize(types * levels_ * batches_.size() * levels_);
    for (std::size_t type = 0; type < types; ++type) {
        for (std::size_t log_tp = 0; log_tp < levels_; ++log_tp) {
            for (std::size_t b = 0; b < batches_.size(); ++b) {
                for (std::size_t log_dp = 0; log_dp < levels_; ++log_dp) {
                    const auto number = static_cast<int>(type);
                    profile_[profile_place(number, log_tp, b, log_dp)] =
                        profiles_.find(number, static_cast<int>(log_tp), micro_batch(b, log_dp));
                }
            }
        }
    }
}

}  // namespace npunet::planner::metis
