#include "study/generated_workload.h"

#include <fmt/format.h>

namespace npunet::study {

engine::Workload workload_from(const generators::GeneratedWorkload& generated,
                               const engine::WorkloadOptions& options) {
    std::vector<engine::Group> groups;
    for (const generators::RankGroup& group : generated.groups()) {
        groups.push_back({group.id, group.ranks});
    }
    return engine::make_workload(
        static_cast<std::size_t>(generated.rank_count()),
        [&generated](Rank rank) { return generated.nodes(rank); },
        [](Rank rank) { return fmt::format("generated trace of rank {}", rank.value()); }, groups,
        options);
}

}  // namespace npunet::study
