// Who does what with whom, with one actor for all ranks that do the same with the same.
//
// Ranks are put in classes: those of a class have one program, and what stands in a slot of it, for
// one of them a rank and for another one another rank, is of one class too and has them in the same
// slot; the same holds for communicators, member by member. Whatever follows from programs and
// bindings alone is then equal for all ranks of a class, and found with one of them, the actor.
//
//     const WorkPattern pattern = find_work_pattern(workload);
//     pattern.actors[pattern.actor_of[rank.index()]].groups[slot];      // in pattern.groups
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/workload.h"

namespace npunet::engine {

struct WorkPattern {
    /// A slot of an actor's program.
    struct Place {
        std::uint32_t actor = 0;
        std::int32_t slot = -1;  ///< -1: none
    };
    struct Actor {
        Rank rank;  ///< the lowest that it stands for
        /// By slot of RankBinding::peers: whose the other side of sends and receives is; slot -1
        /// where that side has none.
        std::vector<Place> peers;
        /// By slot of RankBinding::groups: index into WorkPattern::groups.
        std::vector<std::uint32_t> groups;
    };
    struct Group {
        std::vector<Place> parts;  ///< different ones of the members
        bool everyone = true;      ///< every member has collectives on it
    };
    std::vector<std::uint32_t> actor_of;  ///< by rank
    std::vector<Actor> actors;
    std::vector<Group> groups;
};

[[nodiscard]] WorkPattern find_work_pattern(const Workload& workload);

}  // namespace npunet::engine
