#include "engine/collective/group_launches.h"

#include <algorithm>

#include "engine/program/program_order.h"

namespace npunet::engine {

const ProgramOperation* collective_of(const Workload& workload, Rank member, std::int32_t group,
                                      std::size_t number) {
    const RankProgram& program = workload.program(member);
    const std::vector<std::int32_t>& groups = workload.bindings[member.index()].groups;
    const auto slot =
        static_cast<std::size_t>(std::find(groups.begin(), groups.end(), group) - groups.begin());
    if (slot >= program.collectives_of.size() || number >= program.collectives_of[slot].size()) {
        return nullptr;
    }
    return &program.operations[program.collectives_of[slot][number]];
}

const std::vector<GroupLaunches::Launch>& GroupLaunches::launches_of(std::int32_t group) {
    const auto [found, is_new] = launches_.try_emplace(group);
    std::vector<Launch>& launches = found->second;
    if (!is_new) {
        return launches;
    }
    const Rank first = workload_.groups[static_cast<std::size_t>(group)].ranks.front();
    const RankProgram& program = workload_.program(first);
    const auto [known, is_first] =
        parents_.try_emplace(workload_.program_of[first.index()], Parents());
    if (is_first) {
        known->second = parents_of_collectives(program);
    }
    const Parents& parents = known->second;
    const std::vector<std::uint32_t>* before = nullptr;
    while (const ProgramOperation* const one =
               collective_of(workload_, first, group, launches.size())) {
        const std::vector<std::uint32_t>& own =
            parents[static_cast<std::size_t>(one - program.operations.data())];
        const bool joins = before != nullptr && own == *before;
        launches.push_back({joins ? launches.back().first : launches.size(), 0});
        ++launches[launches.back().first].count;
        before = &own;
    }
    for (Launch& launch : launches) {
        launch.count = launches[launch.first].count;
    }
    return launches;
}

GroupLaunches::Launch GroupLaunches::of(std::int32_t group, std::size_t number) {
    const std::vector<Launch>& launches = launches_of(group);
    return number < launches.size() ? launches[number] : Launch{number, 1};
}

}  // namespace npunet::engine
