#include "engine/program/work_pattern.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/program/partition_refinement.h"

namespace npunet::engine {

namespace {

constexpr std::uint32_t nowhere = 0xffffffff;

class PatternFinder {
public:
    explicit PatternFinder(const Workload& workload)
        : workload_(workload), place_of_group_(workload.groups.size(), nowhere) {
        for (const RankBinding& binding : workload.bindings) {
            for (const std::int32_t group : binding.groups) {
                std::uint32_t& place = place_of_group_[static_cast<std::size_t>(group)];
                if (place == nowhere) {
                    place = static_cast<std::uint32_t>(workload.ranks() + used_groups_.size());
                    used_groups_.push_back(&workload.groups[static_cast<std::size_t>(group)]);
                    group_numbers_.push_back(group);
                }
            }
        }
        index_peers();
    }

    WorkPattern find() {
        classes_ = coarsest_partition(portraits());
        WorkPattern pattern;
        add_actors(pattern);
        add_groups(pattern);
        return pattern;
    }

private:
    void index_peers() {
        slot_of_peer_.resize(workload_.ranks());
        for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
            const std::vector<Rank>& peers = workload_.bindings[rank].peers;
            for (std::size_t slot = 0; slot < peers.size(); ++slot) {
                slot_of_peer_[rank].emplace_back(peers[slot], static_cast<std::int32_t>(slot));
            }
            std::sort(slot_of_peer_[rank].begin(), slot_of_peer_[rank].end());
        }
    }

    /// The slot in which a rank has another one; -1 for none.
    [[nodiscard]] std::int32_t slot_of_peer(Rank rank, Rank peer) const {
        const auto& slots = slot_of_peer_[rank.index()];
        const auto found = std::lower_bound(slots.begin(), slots.end(), std::pair(peer, -1));
        return found != slots.end() && found->first == peer ? found->second : -1;
    }

    [[nodiscard]] std::int32_t slot_of_group(Rank member, std::int32_t group) const {
        const std::vector<std::int32_t>& groups = workload_.bindings[member.index()].groups;
        const auto found = std::find(groups.begin(), groups.end(), group);
        return found == groups.end() ? -1 : static_cast<std::int32_t>(found - groups.begin());
    }

    /// Of the ranks, then of the communicators that are used.
    [[nodiscard]] std::vector<Portrait> portraits() const {
        const auto word = [](std::int32_t slot) {
            return static_cast<std::uint64_t>(std::int64_t{slot} + 1);
        };
        std::vector<Portrait> portraits;
        for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
            const RankBinding& binding = workload_.bindings[rank];
            Portrait portrait{{workload_.program_of[rank]}, binding.peers};
            for (const Rank peer : binding.peers) {
                portrait.words.push_back(word(slot_of_peer(peer, Rank(rank))));
            }
            for (const std::int32_t group : binding.groups) {
                portrait.peers.emplace_back(
                    std::size_t{place_of_group_[static_cast<std::size_t>(group)]});
            }
            portraits.push_back(std::move(portrait));
        }
        for (std::size_t i = 0; i < used_groups_.size(); ++i) {
            Portrait portrait{{workload_.programs.size()}, used_groups_[i]->ranks};
            for (const Rank member : portrait.peers) {
                portrait.words.push_back(word(slot_of_group(member, group_numbers_[i])));
            }
            portraits.push_back(std::move(portrait));
        }
        return portraits;
    }

    void add_actors(WorkPattern& pattern) const {
        const auto ranks = static_cast<std::ptrdiff_t>(workload_.ranks());
        pattern.actor_of.assign(classes_.begin(), classes_.begin() + ranks);
        for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
            if (pattern.actor_of[rank] != pattern.actors.size()) {
                continue;
            }
            WorkPattern::Actor actor;
            actor.rank = Rank(rank);
            for (const Rank peer : workload_.bindings[rank].peers) {
                actor.peers.push_back({classes_[peer.index()], slot_of_peer(peer, Rank(rank))});
            }
            for (const std::int32_t group : workload_.bindings[rank].groups) {
                const std::uint32_t place = place_of_group_[static_cast<std::size_t>(group)];
                actor.groups.push_back(classes_[place]);
            }
            pattern.actors.push_back(std::move(actor));
        }
        for (WorkPattern::Actor& actor : pattern.actors) {
            for (std::uint32_t& group : actor.groups) {
                group -= static_cast<std::uint32_t>(pattern.actors.size());
            }
        }
    }

    void add_groups(WorkPattern& pattern) const {
        for (std::size_t i = 0; i < used_groups_.size(); ++i) {
            if (classes_[workload_.ranks() + i] - pattern.actors.size() != pattern.groups.size()) {
                continue;
            }
            WorkPattern::Group group;
            std::set<std::pair<std::uint32_t, std::int32_t>> parts;
            for (const Rank member : used_groups_[i]->ranks) {
                const std::int32_t slot = slot_of_group(member, group_numbers_[i]);
                group.everyone = group.everyone && slot >= 0;
                if (slot >= 0 && parts.emplace(classes_[member.index()], slot).second) {
                    group.parts.push_back({classes_[member.index()], slot});
                }
            }
            pattern.groups.push_back(std::move(group));
        }
    }

    const Workload& workload_;
    std::vector<std::uint32_t> place_of_group_;  ///< by group: its portrait; nowhere: not used
    std::vector<const Group*> used_groups_;
    std::vector<std::int32_t> group_numbers_;  ///< of the used ones, in Workload::groups
    std::vector<std::vector<std::pair<Rank, std::int32_t>>> slot_of_peer_;  ///< by rank; sorted
    std::vector<std::uint32_t> classes_;  ///< by portrait; those of ranks come first
};

}  // namespace

WorkPattern find_work_pattern(const Workload& workload) {
    return PatternFinder(workload).find();
}

}  // namespace npunet::engine
