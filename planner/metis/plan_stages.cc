#include "planner/metis/plan_stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::planner::metis {

namespace {

constexpr double memory_factor = 5.0;
constexpr double least_demand = 0.001;

}  // namespace

void PlanStages::arrange(std::size_t sequence, const std::uint8_t* logs, std::size_t stages) {
    mixed_->forget_if_large();
    sequence_ = sequence;
    nodes_ = &tables_->sequences()[sequence];
    stages_.assign(stages, Stage{});
    capacity_.resize(stages);
    gradient_factor_.assign(stages * tables_->levels(), -1.0);
    std::int64_t rank = 0;
    for (std::size_t s = 0; s < stages; ++s) {
        Stage& stage = stages_[s];
        stage.first = rank;
        stage.log_size = logs[s];
        rank += std::int64_t{1} << logs[s];
        stage.end = rank;
        stage.type = nodes_->ranks().only_type(stage.first, stage.end);
        capacity_[s] = nodes_->memory(stage.first, stage.end);
        if (stage.end <= nodes_->assumed_ranks().size()) {
            stage.memory_mixed = nodes_->assumed_ranks().only_type(stage.first, stage.end) < 0;
        }
    }
    for (std::size_t s = 0; s + 1 < stages && rank <= nodes_->assumed_ranks().size(); ++s) {
        stages_[s].pipeline_bandwidth =
            nodes_->bandwidth(stages_[s].first, stages_[s + 1].end) * bytes_per_ms;
    }
}

void PlanStages::start(std::size_t batches) {
    batches_ = batches;
    const std::size_t count = stages_.size();
    log_dp_.resize(count);
    for (std::size_t s = 0; s < count; ++s) {
        log_dp_[s] = stages_[s].log_size;
    }
    changed_.assign(count, 1);
    performance_.resize(count);
    time_profile_.resize(count);
    mixed_stage_.resize(count);
    memory_profile_.resize(count);
    memory_profiles_.resize(count);
}

void PlanStages::split(std::size_t stage) {
    --log_dp_[stage];
    changed_[stage] = 1;
}

void PlanStages::set_log_dp(std::size_t stage, std::uint8_t log_dp) {
    log_dp_[stage] = log_dp;
    changed_[stage] = 1;
}

void PlanStages::refresh() {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
        if (changed_[s] != 0) {
            refresh(s);
        }
    }
    const std::int64_t found = nodes_->assumed_ranks().size();
    if (stages_.back().end > found) {
        throw InputError(
            {"the hostfile", "slots",
             fmt::format("{} devices, and the {} slots of the first node on every node make {}",
                         stages_.back().end, tables_->cluster().slots(), found),
             "nodes of equal size, or the largest first: Metis takes all for the first one's size",
             "Metis ends with an IndexError here; the default dialect takes any nodes"});
    }
    for (std::size_t s = 0; s < stages_.size(); ++s) {
        if (changed_[s] != 0) {
            refresh_memory(s);
            changed_[s] = 0;
        }
    }
}

void PlanStages::refresh(std::size_t s) {
    const Stage& stage = stages_[s];
    if (stage.type < 0) {
        mixed_stage_[s] = &mixed_->stage(sequence_, stage.first, stage.end, batches_, log_dp_[s]);
        performance_[s] = mixed_stage_[s]->performance;
        return;
    }
    const Profile* profile = tables_->profile(stage.type, log_tp(s), batches_, log_dp_[s]);
    if (profile == nullptr || !(profile->total > 0)) {
        profile = &tables_->profiles().timed(stage.type, static_cast<int>(log_tp(s)),
                                             tables_->micro_batch(batches_, log_dp_[s]));
    }
    time_profile_[s] = profile;
    mixed_stage_[s] = nullptr;
    performance_[s] = 1 / profile->total;
}

void PlanStages::refresh_memory(std::size_t s) {
    if (stages_[s].memory_mixed) {
        memory_profiles_[s] = &mixed_->memory(sequence_, batches_, log_dp_[s], log_tp(s));
        memory_profile_[s] = nullptr;
        return;
    }
    // The first type of the sequence, whatever the stage's is.
    const int type = nodes_->order().front();
    memory_profile_[s] = tables_->profile(type, log_tp(s), batches_, log_dp_[s]);
    if (memory_profile_[s] == nullptr) {
        memory_profile_[s] = &tables_->profiles().needed(
            type, static_cast<int>(log_tp(s)), tables_->micro_batch(batches_, log_dp_[s]));
    }
}

double PlanStages::demand(std::size_t stage, std::size_t first, std::size_t end) const {
    if (memory_profile_[stage] != nullptr) {
        return least_demand + memory_profile_[stage]->memory(first, end) * memory_factor;
    }
    double demand = least_demand;
    for (const Profile* profile : *memory_profiles_[stage]) {
        demand += profile->memory(first, end) * memory_factor;
    }
    return demand;
}

double PlanStages::execution(std::size_t stage, std::size_t first, std::size_t end) const {
    if (mixed_stage_[stage] == nullptr) {
        return time_profile_[stage]->time(first, end);
    }
    const ProfileParts& replicas = mixed_stage_[stage]->replicas;
    double slowest = 0;
    std::size_t next = 0;
    for (const std::uint32_t part_end : replicas.ends) {
        double time = 0;
        for (; next < part_end; ++next) {
            time += replicas.profiles[next]->time(first, end);
        }
        slowest = std::max(slowest, time);
    }
    return slowest;
}

const double* PlanStages::fb_sync(std::size_t stage) const {
    if (mixed_stage_[stage] != nullptr) {
        return mixed_stage_[stage]->has_fb_sync ? &mixed_stage_[stage]->fb_sync : nullptr;
    }
    const double& fb_sync = time_profile_[stage]->fb_sync;
    return fb_sync == 0 ? nullptr : &fb_sync;
}

double PlanStages::gradient_factor(std::size_t stage) {
    double& factor = gradient_factor_[stage * tables_->levels() + log_dp_[stage]];
    if (factor < 0) {
        const std::int64_t dp = std::int64_t{1} << log_dp_[stage];
        const double bandwidth =
            nodes_->group_bandwidth(stages_[stage].first, stages_[stage].end, dp) * bytes_per_ms;
        factor = static_cast<double>(2 * (dp - 1)) / (static_cast<double>(dp) * bandwidth);
    }
    return factor;
}

}  // namespace npunet::planner::metis
