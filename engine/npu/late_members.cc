#include "engine/npu/late_members.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace npunet::engine {

namespace {

/// The collectives of a rank in a communicator, in the order in which they run.
const std::vector<std::uint32_t>& collectives_of(const Workload& workload, Rank rank,
                                                 std::int32_t group) {
    static const std::vector<std::uint32_t> none;
    const std::vector<std::int32_t>& groups = workload.bindings[rank.index()].groups;
    const auto slot = std::find(groups.begin(), groups.end(), group);
    return slot == groups.end()
               ? none
               : workload.program(rank)
                     .collectives_of[static_cast<std::size_t>(slot - groups.begin())];
}

bool spreads_from_root(CollectiveKind kind) {
    return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter;
}

}  // namespace

LateMembers::LateMembers(const Workload& workload, const Fold& fold,
                         const std::vector<RankRecord>& records, bool partial)
    : workload_(workload),
      fold_(fold),
      records_(records),
      partial_(partial),
      last_(workload.groups.size()) {}

Time LateMembers::begin_of(Rank rank, std::uint32_t operation) const {
    const RankRecord& record = records_[fold_.representative(rank).index()];
    return !partial_ || has_begun(record, operation) ? record.start[operation] : Time::max();
}

const std::vector<LateMembers::Begin>& LateMembers::last_of(std::int32_t group) {
    std::vector<Begin>& last = last_[static_cast<std::size_t>(group)];
    if (!last.empty()) {
        return last;
    }
    std::set<Rank> seen;
    for (const Rank member : workload_.groups[static_cast<std::size_t>(group)].ranks) {
        // Those that behave alike begin together.
        if (!seen.insert(fold_.representative(member)).second) {
            continue;
        }
        const std::vector<std::uint32_t>& operations = collectives_of(workload_, member, group);
        last.resize(std::max(last.size(), operations.size()));
        for (std::size_t number = 0; number < operations.size(); ++number) {
            const Time at = begin_of(member, operations[number]);
            if (!last[number].rank.valid() || at > last[number].at) {
                last[number] = {member, at};
            }
        }
    }
    return last;
}

LateMembers::Begin LateMembers::awaited(Rank rank, std::int32_t group, std::size_t number,
                                        const ProgramOperation& collective) {
    if (collective.root < 0) {
        return last_of(group)[number];
    }
    const std::vector<Rank>& members = workload_.groups[static_cast<std::size_t>(group)].ranks;
    const Rank root = members[static_cast<std::size_t>(collective.root)];
    if (spreads_from_root(collective.collective)) {
        const std::vector<std::uint32_t>& operations = collectives_of(workload_, root, group);
        return number < operations.size() ? Begin{root, begin_of(root, operations[number])}
                                          : Begin();
    }
    return rank == root ? last_of(group)[number] : Begin();
}

std::vector<LateMember> LateMembers::of(Rank rank) {
    const RankProgram& program = workload_.program(rank);
    const std::vector<std::int32_t>& groups = workload_.bindings[rank.index()].groups;
    std::vector<LateMember> late;
    for (std::size_t slot = 0; slot < program.collectives_of.size(); ++slot) {
        const std::vector<std::uint32_t>& operations = program.collectives_of[slot];
        for (std::size_t number = 0; number < operations.size(); ++number) {
            const std::uint32_t operation = operations[number];
            const Begin last = awaited(rank, groups[slot], number, program.operations[operation]);
            if (last.rank.valid() && last.at > begin_of(rank, operation)) {
                late.push_back({operation, last.rank, last.at});
            }
        }
    }
    std::sort(late.begin(), late.end(),
              [](const LateMember& a, const LateMember& b) { return a.operation < b.operation; });
    return late;
}

}  // namespace npunet::engine
