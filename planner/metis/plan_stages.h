// The stages of one inter-stage plan side by side, with the strategies under trial: how fast each
// is, what memory it needs for a range of layers, and what stands in its cost.
//
//     PlanStages stages(tables, mixed);
//     stages.arrange(sequence, logs);
//     stages.start(batches);              // every stage with tp 1
//     stages.split(2);                    // half the dp and twice the tp in stage 2
//     stages.refresh();                   // before anything below is asked
#pragma once

#include <cstdint>
#include <vector>

#include "planner/metis/mixed_stages.h"
#include "planner/metis/search_tables.h"

namespace npunet::planner::metis {

class PlanStages {
public:
    /// Both must outlive this.
    PlanStages(const SearchTables& tables, MixedStages& mixed) : tables_(&tables), mixed_(&mixed) {}

    /// `logs`: logarithms of the sizes of `stages` device groups, which must outlive their use.
    void arrange(std::size_t sequence, const std::uint8_t* logs, std::size_t stages);
    void start(std::size_t batches);
    void split(std::size_t stage);
    void set_log_dp(std::size_t stage, std::uint8_t log_dp);

    /// Works out what the changed stages need. Throws InputError for a profile that is missing and
    /// for ranks that Metis does not find.
    void refresh();

    [[nodiscard]] std::size_t stages() const { return stages_.size(); }
    [[nodiscard]] std::size_t batches() const { return batches_; }
    [[nodiscard]] const std::vector<std::uint8_t>& log_dp() const { return log_dp_; }
    [[nodiscard]] std::size_t log_tp(std::size_t stage) const {
        return static_cast<std::size_t>(stages_[stage].log_size - log_dp_[stage]);
    }
    /// 1 / ms of a micro-batch through the whole model.
    [[nodiscard]] const std::vector<double>& performance() const { return performance_; }
    [[nodiscard]] const std::vector<double>& capacity() const { return capacity_; }
    /// MiB, of the layers from `first` to before `end`.
    [[nodiscard]] double demand(std::size_t stage, std::size_t first, std::size_t end) const;

    /// ms of one micro-batch.
    [[nodiscard]] double execution(std::size_t stage, std::size_t first, std::size_t end) const;
    /// A part of the samples is beyond the largest profiled batch.
    [[nodiscard]] bool unprofiled(std::size_t stage) const {
        return mixed_stage_[stage] != nullptr && mixed_stage_[stage]->unprofiled;
    }
    /// ms; null where there is none.
    [[nodiscard]] const double* fb_sync(std::size_t stage) const;
    /// Bytes in a ms between a stage and the next.
    [[nodiscard]] double pipeline_bandwidth(std::size_t stage) const {
        return stages_[stage].pipeline_bandwidth;
    }
    /// ms a byte of gradients.
    [[nodiscard]] double gradient_factor(std::size_t stage);

private:
    struct Stage {
        std::int64_t first = 0;
        std::int64_t end = 0;
        std::uint8_t log_size = 0;
        int type = -1;              ///< -1: several
        bool memory_mixed = false;  ///< by the assumed ranks
        double pipeline_bandwidth = 0;
    };

    void refresh(std::size_t stage);
    void refresh_memory(std::size_t stage);

    const SearchTables* tables_;
    MixedStages* mixed_;
    std::size_t sequence_ = 0;
    const NodeSequence* nodes_ = nullptr;
    std::size_t batches_ = 0;
    std::vector<Stage> stages_;
    std::vector<double> capacity_;
    std::vector<double> gradient_factor_;  ///< of stage and dp; below 0: not yet known

    std::vector<std::uint8_t> log_dp_;
    std::vector<std::uint8_t> changed_;
    std::vector<double> performance_;
    std::vector<const Profile*> time_profile_;    ///< of stages of one type
    std::vector<const MixedStage*> mixed_stage_;  ///< of the others
    std::vector<const Profile*> memory_profile_;
    std::vector<const std::vector<const Profile*>*> memory_profiles_;
};

}  // namespace npunet::planner::metis
