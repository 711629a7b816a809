#include "analysis/parallel_dimension.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace npunet::analysis {

namespace {

constexpr std::array<std::string_view, dimension_count> dimension_names = {
    "", "tp", "pp", "dp", "ep", "etp", "cp", "mp", "emb", "world", "unknown"};

/// The first that the description begins with; longer ones before their beginnings.
constexpr std::array<std::pair<std::string_view, ParallelDimension>, 21> descriptions = {
    {{"TENSOR_AND_CONTEXT_PARALLEL", ParallelDimension::Tensor},
     {"TENSOR_AND_DATA_PARALLEL", ParallelDimension::Data},
     {"TENSOR_MODEL_PARALLEL", ParallelDimension::Tensor},
     {"PIPELINE_MODEL_PARALLEL", ParallelDimension::Pipeline},
     {"DATA_PARALLEL", ParallelDimension::Data},
     {"INTRA_PARTIAL", ParallelDimension::Data},
     {"INTER_PARTIAL", ParallelDimension::Data},
     {"INTER_DISTRIBUTED_OPTIMIZER", ParallelDimension::Data},
     {"INTRA_DISTRIBUTED_OPTIMIZER", ParallelDimension::Data},
     {"EXPERT_DATA_PARALLEL", ParallelDimension::Data},
     {"INTRA_EXPERT_DATA", ParallelDimension::Data},
     {"INTER_EXPERT_DATA", ParallelDimension::Data},
     {"EXPERT_MODEL_PARALLEL", ParallelDimension::Expert},
     {"EXPERT_TENSOR", ParallelDimension::ExpertTensor},
     {"CONTEXT_PARALLEL", ParallelDimension::Context},
     {"HIERARCHICAL_CONTEXT", ParallelDimension::Context},
     {"MODEL_PARALLEL", ParallelDimension::Model},
     {"EMBEDDING", ParallelDimension::Embedding},
     {"POSITION_EMBEDDING", ParallelDimension::Embedding},
     {"default_pg", ParallelDimension::World},
     {"HYBRID_DATA_PARALLEL", ParallelDimension::Data}}};

}  // namespace

std::string_view name_of(ParallelDimension dimension) {
    return dimension_names[static_cast<std::size_t>(dimension)];
}

std::optional<ParallelDimension> dimension_of_description(std::string_view description) {
    for (const auto& [beginning, dimension] : descriptions) {
        if (description.starts_with(beginning)) {
            return dimension;
        }
    }
    return std::nullopt;
}

GroupDimensions::GroupDimensions(const profiles::ParallelGroupsFile* file,
                                 const std::vector<profiles::ProcessGroup>& groups,
                                 std::int32_t world_size) {
    for (const profiles::ProcessGroup& group : groups) {
        if (!group.ranks.empty()) {
            ranks_.emplace(group.name, group.ranks);
        }
        const auto dimension = dimension_of_description(group.description);
        if (dimension) {
            by_name_.emplace(group.name, *dimension);
            if (group.ranks.size() > 1) {
                std::vector<std::int32_t> ranks = group.ranks;
                std::sort(ranks.begin(), ranks.end());
                by_ranks_.emplace(std::move(ranks), *dimension);
            }
        }
    }
    if (file != nullptr) {
        add_lists(file->tensor, ParallelDimension::Tensor);
        add_lists(file->expert, ParallelDimension::Expert);
        add_lists(file->pipeline, ParallelDimension::Pipeline);
        add_lists(file->data, ParallelDimension::Data);
    }
    if (world_size > 1) {
        std::vector<std::int32_t> all(static_cast<std::size_t>(world_size));
        std::iota(all.begin(), all.end(), 0);
        by_ranks_.emplace(std::move(all), ParallelDimension::World);
    }
}

void GroupDimensions::add_lists(const std::optional<profiles::RankLists>& lists,
                                ParallelDimension which) {
    for (const auto& list : lists.value_or(profiles::RankLists{})) {
        std::vector<std::int32_t> ranks;
        ranks.reserve(list.size());
        for (const Rank rank : list) {
            ranks.push_back(rank.value());
        }
        std::sort(ranks.begin(), ranks.end());
        if (ranks.size() > 1) {
            by_ranks_.emplace(std::move(ranks), which);
        }
    }
}

std::optional<ParallelDimension> GroupDimensions::of(std::string_view name,
                                                     const std::vector<std::int32_t>& ranks) const {
    const auto named = by_name_.find(name);
    if (named != by_name_.end()) {
        return named->second;
    }
    std::vector<std::int32_t> sorted = ranks;
    if (sorted.empty() && ranks_of(name) != nullptr) {
        sorted = *ranks_of(name);
    }
    std::sort(sorted.begin(), sorted.end());
    const auto listed = by_ranks_.find(sorted);
    return listed == by_ranks_.end() ? std::nullopt : std::optional(listed->second);
}

const std::vector<std::int32_t>* GroupDimensions::ranks_of(std::string_view name) const {
    const auto found = ranks_.find(name);
    return found == ranks_.end() ? nullptr : &found->second;
}

}  // namespace npunet::analysis
