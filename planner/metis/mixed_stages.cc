#include "planner/metis/mixed_stages.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace npunet::planner::metis {

namespace {

int floor_log(std::int64_t size) {
    int log = 0;
    while (std::int64_t{2} << log <= size) {
        ++log;
    }
    return log;
}

/// Calls visit with the powers of two of a number, the largest first.
template <class Visit>
void for_each_power(std::int64_t number, Visit&& visit) {
    for (int log = number == 0 ? -1 : floor_log(number); log >= 0; --log) {
        if ((number >> log & 1) != 0) {
            visit(std::int64_t{1} << log);
        }
    }
}

}  // namespace

std::vector<std::int64_t> MixedStages::shares(const TypeBlocks& ranks, std::int64_t first,
                                              std::int64_t step, std::size_t batches,
                                              std::size_t log_dp, std::size_t log_tp) const {
    std::vector<double> speeds;
    for (std::int64_t replica = 0; replica < std::int64_t{1} << log_dp; ++replica) {
        const int type = ranks.type_at(first + replica * step);
        const Profile& one = tables_->profiles().timed(type, static_cast<int>(log_tp), 1);
        speeds.push_back(1 / one.total);
    }
    return balance(speeds, tables_->micro_batch(batches, 0));
}

std::unique_ptr<MixedStage> MixedStages::made(const TypeBlocks& ranks, std::int64_t first,
                                              std::int64_t end, std::size_t batches,
                                              std::size_t log_dp) const {
    const std::int64_t step = (end - first) >> log_dp;
    const auto log_tp = static_cast<std::size_t>(floor_log(step));
    const auto samples = shares(ranks, first, step, batches, log_dp, log_tp);
    auto stage = std::make_unique<MixedStage>();
    double slowest = 0;
    std::vector<std::pair<int, std::int64_t>> seen;
    for (std::size_t replica = 0; replica < samples.size(); ++replica) {
        // The first device of a replica stands for all.
        const int type = ranks.type_at(first + static_cast<std::int64_t>(replica) * step);
        const std::pair kind(type, samples[replica]);
        if (samples[replica] == 0 || std::find(seen.begin(), seen.end(), kind) != seen.end()) {
            continue;
        }
        seen.push_back(kind);
        double time = 0;
        for_each_power(samples[replica], [&](std::int64_t power) {
            const Profile& profile =
                tables_->profiles().needed(type, static_cast<int>(log_tp), power);
            time += profile.total;
            stage->replicas.profiles.push_back(&profile);
            stage->unprofiled =
                stage->unprofiled || power > tables_->arguments().max_profiled_batch_size;
        });
        stage->replicas.ends.push_back(static_cast<std::uint32_t>(stage->replicas.profiles.size()));
        slowest = std::max(slowest, time);
    }
    stage->performance = slowest == 0 ? 0 : 1 / slowest;
    stage->has_fb_sync = true;
    bool any = false;
    ranks.for_each(first, end, [&](int type, std::int64_t /*count*/) {
        const Profile* profile = tables_->profile(type, log_tp, batches, log_dp);
        stage->has_fb_sync = stage->has_fb_sync && profile != nullptr && profile->fb_sync != 0;
        if (stage->has_fb_sync) {
            stage->fb_sync = any ? std::max(stage->fb_sync, profile->fb_sync) : profile->fb_sync;
            any = true;
        }
    });
    return stage;
}

const MixedStage& MixedStages::stage(std::size_t sequence, std::int64_t first, std::int64_t end,
                                     std::size_t batches, std::size_t log_dp) {
    const std::uint64_t key = (((static_cast<std::uint64_t>(first) << 6 |
                                 static_cast<std::uint64_t>(floor_log(end - first)))
                                    << 6 |
                                log_dp)
                                   << 10 |
                               batches)
                                  << 10 |
                              sequence;
    std::unique_ptr<MixedStage>& place = stages_[key];
    if (!place) {
        place = made(tables_->sequences()[sequence].ranks(), first, end, batches, log_dp);
    }
    return *place;
}

const std::vector<const Profile*>& MixedStages::memory(std::size_t sequence, std::size_t batches,
                                                       std::size_t log_dp, std::size_t log_tp) {
    const std::uint64_t key = ((log_dp << 6 | log_tp) << 10 | batches) << 10 | sequence;
    const auto found = memory_.find(key);
    if (found != memory_.end()) {
        return found->second;
    }
    const NodeSequence& nodes = tables_->sequences()[sequence];
    const TypeBlocks& all = nodes.assumed_ranks();
    const std::int64_t step = all.size() >> log_dp;
    std::vector<const Profile*> profiles;
    for (const std::int64_t samples : shares(all, 0, step, batches, log_dp, log_tp)) {
        for_each_power(samples, [&](std::int64_t power) {
            profiles.push_back(&tables_->profiles().needed(nodes.order().front(),
                                                           static_cast<int>(log_tp), power));
        });
    }
    return memory_.emplace(key, std::move(profiles)).first->second;
}

void MixedStages::forget_if_large() {
    constexpr std::size_t many = 50'000;
    if (stages_.size() > many) {
        stages_.clear();
    }
}

std::vector<std::int64_t> balance(const std::vector<double>& speeds, std::int64_t samples) {
    double total = 0;
    for (const double speed : speeds) {
        total += speed;
    }
    std::vector<std::int64_t> shares;
    std::vector<double> fractions;
    std::int64_t rest = samples;
    for (const double speed : speeds) {
        const double share = static_cast<double>(samples) * (speed / total);
        shares.push_back(static_cast<std::int64_t>(share));
        fractions.push_back(share - std::trunc(share));
        rest -= shares.back();
    }
    std::vector<std::size_t> order(speeds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return fractions[a] > fractions[b]; });
    for (std::int64_t i = 0; i < rest; ++i) {
        shares[order[static_cast<std::size_t>(i)]] += 1;
    }
    return shares;
}

}  // namespace npunet::planner::metis
