#include "chakra/validation/rank_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace npunet::chakra {

namespace {

/// A member and what it runs on the communicator, in order.
struct Member {
    const ComparedRank* rank = nullptr;
    std::vector<const CollectiveRecord*> runs;
};

class GroupMatching {
public:
    GroupMatching(const ValidatedGroups& groups, ValidatedGroups::Number group,
                  FindingList& findings)
        : groups_(groups), group_(group), findings_(findings) {}

    void run(const std::vector<Member>& members) {
        const Member& model = members[most_frequent(members)];
        for (const Member& member : members) {
            compare(member, model);
        }
    }

private:
    /// What the members of a communicator must agree about; block or not is decided when read.
    [[nodiscard]] bool agree(const CollectiveRecord& a, const CollectiveRecord& b) const {
        const bool sizes = a.bytes == b.bytes || (a.unequal && b.unequal);
        return a.type == b.type && sizes && a.unequal == b.unequal && root_of(a) == root_of(b);
    }

    /// Without a root of its own a collective has the first of the group.
    [[nodiscard]] std::int32_t root_of(const CollectiveRecord& record) const {
        if (record.root >= 0) {
            return record.root;
        }
        const std::vector<Rank>* members = groups_.members(group_);
        return members != nullptr && !members->empty() ? members->front().value()
               : group_ == ValidatedGroups::world      ? 0
                                                       : -1;
    }

    [[nodiscard]] std::uint64_t hash(const Member& member) const {
        std::uint64_t hash = member.runs.size();
        for (const CollectiveRecord* record : member.runs) {
            for (const std::int64_t part : {std::int64_t{static_cast<std::int32_t>(record->type)},
                                            record->unequal ? std::int64_t{-1} : record->bytes,
                                            std::int64_t{root_of(*record)}}) {
                hash = (hash ^ static_cast<std::uint64_t>(part)) * 0xff51afd7ed558ccdULL;
                hash ^= hash >> 32;
            }
        }
        return hash;
    }

    /// The first of those members that run what most of them run.
    [[nodiscard]] std::size_t most_frequent(const std::vector<Member>& members) const {
        std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> seen;  // how many, the first
        for (std::size_t i = 0; i < members.size(); ++i) {
            ++seen.emplace(hash(members[i]), std::make_pair(0, i)).first->second.first;
        }
        std::size_t count = 0;
        std::size_t best = 0;
        for (const auto& [hash, entry] : seen) {
            if (entry.first > count || (entry.first == count && entry.second < best)) {
                count = entry.first;
                best = entry.second;
            }
        }
        return best;
    }

    void compare(const Member& member, const Member& model) {
        const std::size_t both = std::min(member.runs.size(), model.runs.size());
        std::size_t at = 0;
        while (at < both && agree(*member.runs[at], *model.runs[at])) {
            ++at;
        }
        if (at == member.runs.size() && at == model.runs.size()) {
            return;
        }
        const bool here = at < member.runs.size();
        findings_.add(severity(), FindingCode::CollectiveMismatch, member.rank->trace,
                      here ? std::optional(member.runs[at]->node) : std::nullopt, [&] {
                          return fmt::format(
                              "collective {} of {} differs: rank {} runs {}, rank {} runs {}. All "
                              "members must run the same collectives in the same order",
                              at + 1, groups_.describe(group_), member.rank->rank.value(),
                              describe(member, at), model.rank->rank.value(), describe(model, at));
                      });
    }

    [[nodiscard]] Severity severity() const {
        const bool known = group_ == ValidatedGroups::world || groups_.members(group_) != nullptr;
        return known ? Severity::Error : Severity::Warning;
    }

    [[nodiscard]] std::string describe(const Member& member, std::size_t at) const {
        if (at >= member.runs.size()) {
            return "none";
        }
        const CollectiveRecord& record = *member.runs[at];
        std::string text = fmt::format("{} of {} bytes", name_of(record.type), record.bytes);
        if (record.unequal) {
            text += " with comm_sizes";
        }
        if (record.root >= 0) {
            text += fmt::format(" with root {}", record.root);
        }
        return text + fmt::format(" (node {})", record.node);
    }

    const ValidatedGroups& groups_;
    ValidatedGroups::Number group_;
    FindingList& findings_;
};

using Runs = std::vector<const CollectiveRecord*>;

/// Every rank that is expected to take part: by the group file, else all (world) or the users.
/// `runs` is by the place in `ranks`.
std::vector<Member> members_of(const std::vector<ComparedRank>& ranks,
                               const ValidatedGroups& groups, ValidatedGroups::Number group,
                               const std::map<std::size_t, Runs>& runs) {
    std::vector<Member> members;
    const auto add = [&](std::size_t at) {
        const auto found = runs.find(at);
        members.push_back({&ranks[at], found == runs.end() ? Runs{} : found->second});
    };
    if (const std::vector<Rank>* listed = groups.members(group)) {
        for (const Rank rank : *listed) {
            const auto found = std::lower_bound(
                ranks.begin(), ranks.end(), rank,
                [](const ComparedRank& a, Rank wanted) { return a.rank < wanted; });
            if (found != ranks.end() && found->rank == rank) {
                add(static_cast<std::size_t>(found - ranks.begin()));
            }
        }
    } else if (group == ValidatedGroups::world) {
        for (std::size_t at = 0; at < ranks.size(); ++at) {
            add(at);
        }
    } else {
        for (const auto& entry : runs) {
            add(entry.first);
        }
    }
    return members;
}

}  // namespace

void match_collectives(const std::vector<ComparedRank>& ranks, const ValidatedGroups& groups,
                       FindingList& findings) {
    std::map<ValidatedGroups::Number, std::map<std::size_t, Runs>> used;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        for (const CollectiveRecord& record : ranks[i].communication->collectives) {
            used[record.group][i].push_back(&record);
        }
    }
    for (const auto& [group, runs] : used) {
        GroupMatching(groups, group, findings).run(members_of(ranks, groups, group, runs));
    }
}

}  // namespace npunet::chakra
