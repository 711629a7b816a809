// Collectives that do as those of a communicator that is like theirs: of communicators that are
// alike (alike_communicators.h) and begin the same on idle links at the same times, one is
// simulated, the leader, and the others, its followers, are done whenever it is. It does not matter
// how many are under way at once: data-parallel groups, of which each reduces one bucket of
// gradients after the other.
//
// A mirror begins with a collective of the leader on idle links, and goes on while anything is
// under way there. Then what the leader's links have carried is added to those of the followers.
//
//     mirrors.open(leader, number);                 // its first member begins
//     if (mirrors.join(follower, number, member)) { ... }   // in the same instant
//     mirrors.begins(leader, number, member);
//     mirrors.begins(follower, number, member);     // false: at another time than the leader
//     mirrors.close(leader);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/collective/collective_memory.h"
#include "engine/network/idle_links.h"
#include "engine/network/link_load.h"
#include "engine/network/network.h"

namespace npunet::engine {

class MirroredCollectives {
public:
    struct Mirror {
        std::size_t leader = 0;
        std::vector<std::size_t> followers;
        std::size_t in_progress = 0;  ///< collectives of all of them
        std::uint64_t first = 0;      ///< number of the first collective
        bool ends = false;            ///< a member of the leader is done in one of them
        Time begun;
        std::vector<std::vector<Time>> begins;  ///< of the leader, by number - first and member
        // Of the leader's links when it began:
        IdleLinks::State state;
        std::vector<LinkUse> use;
        std::vector<std::uint64_t> packets;
        std::vector<LinkLoadRecorder::Recorded> load;
        Time contention;  ///< IdleLinks::contention()
    };

    /// `load` may be null. All must outlive this.
    MirroredCollectives(CollectiveMemories& memories, const EventQueue& queue, IdleLinks& idle,
                        LinkLoadRecorder* load);

    [[nodiscard]] bool empty() const { return mirrors_.empty(); }
    /// The mirror in which a communicator leads or follows; null: none.
    [[nodiscard]] Mirror* of(std::size_t group);
    /// By leader.
    [[nodiscard]] std::map<std::size_t, Mirror>& all() { return mirrors_; }

    /// Of a leader that has its links to itself: nothing happens where they are not idle. Those
    /// that are like it may follow at this instant. Where that is often in vain only the first of
    /// those that are alike leads.
    void open(std::size_t leader, std::uint64_t number);
    /// Whether a communicator that has its links to itself, of which that member begins, follows
    /// from here on: nothing of the leader's collective may be done.
    [[nodiscard]] bool join(std::size_t group, std::uint64_t number, std::size_t member);
    /// A member begins its part, in a communicator that has a mirror. False: a follower, and the
    /// leader's member has not begun now.
    [[nodiscard]] bool begins(std::size_t group, std::uint64_t number, std::size_t member);
    /// Whether nothing has happened on the leader's links that results tell of link by link.
    [[nodiscard]] bool is_even(const Mirror& mirror) {
        return idle_.contention(links_of(mirror.leader)) == mirror.contention;
    }
    /// Whether nothing is under way there any more.
    [[nodiscard]] bool is_over(const Mirror& mirror);
    /// Ends a mirror: `carried`, by link, becomes more by what the followers' links would have
    /// carried. Returns packets times links crossed there.
    std::uint64_t close(std::size_t leader, std::vector<LinkUse>& carried);

private:
    [[nodiscard]] const IdleLinks::Links& links_of(std::size_t group) {
        return memories_.links_of(group);
    }

    CollectiveMemories& memories_;
    const EventQueue& queue_;
    IdleLinks& idle_;
    LinkLoadRecorder* load_;
    std::map<std::size_t, Mirror> mirrors_;  ///< by leader
    /// Of communicators that are alike.
    struct Led {
        std::size_t leader = 0;     ///< of the last mirror
        std::uint32_t in_vain = 0;  ///< mirrors in a row without followers
    };
    static constexpr std::uint32_t most_in_vain = 8;
    std::map<std::size_t, Led> led_;                ///< by first_like()
    std::map<std::size_t, std::size_t> leader_of_;  ///< by follower
};

}  // namespace npunet::engine
