// Of which dimension of parallelism a communicator is.
//
//     dimension_of_description("TENSOR_MODEL_PARALLEL_GROUP");       // ParallelDimension::Tensor
//     const GroupDimensions groups(file, trace.groups);
//     groups.of("3", {0, 4});                                        // by name, else by ranks
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/event_table.h"
#include "profiles/parallel_groups_file.h"

namespace npunet::analysis {

enum class ParallelDimension : std::uint8_t {
    None,  ///< not a communication
    Tensor,
    Pipeline,
    Data,
    Expert,
    ExpertTensor,
    Context,
    Model,      ///< all of a replica: the norm of gradients
    Embedding,  ///< first and last stage
    World,
    Unknown
};
inline constexpr std::size_t dimension_count = 11;

/// "tp", "pp", "dp", "ep", "etp", "cp", "mp", "emb", "world", "unknown"; "" of None.
[[nodiscard]] std::string_view name_of(ParallelDimension dimension);

/// Of Megatron-LM's description of a process group (group_desc; parallel_state.py); none for
/// "undefined" and for others.
[[nodiscard]] std::optional<ParallelDimension> dimension_of_description(
    std::string_view description);

class GroupDimensions {
public:
    /// What a trace and, where there is one, the run's file of groups say. Groups of one rank say
    /// nothing. Where groups of several dimensions have the same ranks, the first of tensor,
    /// context, expert, pipeline, data counts.
    GroupDimensions(const profiles::ParallelGroupsFile* file,
                    const std::vector<profiles::ProcessGroup>& groups, std::int32_t world_size);

    /// By the communicator's name and ranks, what there is of them.
    [[nodiscard]] std::optional<ParallelDimension> of(std::string_view name,
                                                      const std::vector<std::int32_t>& ranks) const;
    /// The members of a communicator by its name; null when not known.
    [[nodiscard]] const std::vector<std::int32_t>* ranks_of(std::string_view name) const;

private:
    void add_lists(const std::optional<profiles::RankLists>& lists, ParallelDimension which);

    std::map<std::string, ParallelDimension, std::less<>> by_name_;
    std::map<std::string, std::vector<std::int32_t>, std::less<>> ranks_;
    std::map<std::vector<std::int32_t>, ParallelDimension> by_ranks_;
};

}  // namespace npunet::analysis
