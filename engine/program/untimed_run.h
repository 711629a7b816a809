// An execution in which nothing takes time: which collectives have to come before which.
//
// It goes by rounds. In a round whatever is ready ends at once, and so does a collective that every
// member has come to: the k-th of each member in trace order, which are one. A receive ends at the
// end of the round by which its message was sent, the k-th send to the k-th receive of a source,
// destination and tag, so that what waits for it belongs to the next round. None of this depends on
// the order in which ranks are looked at.
//
//     const auto rounds = UntimedRun(workload, pattern, numbers).rounds();
//     const auto orders = UntimedRun(workload, pattern, numbers).order_like(preferred);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/program/work_pattern.h"
#include "engine/program/workload.h"

namespace npunet::engine {

/// Numbers of collectives, counted in trace order, in another order.
using CollectiveOrder = std::vector<std::uint32_t>;

/// By operation: of a collective its number among those of its slot, of a receive when it is handed
/// out, in trace order both; anything for others.
using TraceNumbers = std::vector<std::uint32_t>;

class UntimedRun {
public:
    /// Collectives that never end.
    static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

    /// `workload` has its collectives in trace order, `numbers` are by program. All must outlive
    /// this.
    UntimedRun(const Workload& workload, const WorkPattern& pattern,
               const std::vector<TraceNumbers>& numbers);

    /// By group of the pattern and number: the round in which the collective ends, where one has
    /// not to wait for another. To be called once, instead of the other.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> rounds();

    /// By group of the pattern: its collectives as they end where each waits for the one before it
    /// in `preferred`; when nothing else can go on, those that every member has come to go out of
    /// turn. What never ends comes last, as preferred.
    [[nodiscard]] std::vector<CollectiveOrder> order_like(std::vector<CollectiveOrder> preferred);

    /// By group of the pattern: how many collectives the members have, the most of any.
    [[nodiscard]] static std::vector<std::size_t> collective_counts(const Workload& workload,
                                                                    const WorkPattern& pattern);

private:
    using Step = std::pair<std::uint32_t, std::uint32_t>;  ///< actor, operation
    /// Messages of one source, destination and tag.
    struct Channel {
        std::uint32_t receiver = 0;
        std::vector<std::uint32_t> receives;  ///< as they were posted
        std::size_t settled = 0;              ///< receives of earlier rounds
        std::size_t ended = 0;
        std::size_t sends = 0;
        bool touched = false;  ///< in this round
    };
    struct Group {
        std::vector<std::size_t> came;     ///< by number: parts that have come
        std::vector<std::uint32_t> ended;  ///< by number: the round, or never
        CollectiveOrder order;             ///< preferred; empty: no order is kept
        std::vector<std::uint32_t> turn;   ///< by number: its place in the order
        std::size_t next = 0;              ///< in the order
        CollectiveOrder found;             ///< as they ended
    };

    void run();
    void hand_out_first();
    void hand_out(Step step);
    void end(Step step);
    void end_what_is_handed_out();
    void come(std::uint32_t group, std::uint32_t number);
    [[nodiscard]] bool complete(std::uint32_t group, std::uint32_t number) const;
    void end_in_turn(std::uint32_t group);
    void end_collective(std::uint32_t group, std::uint32_t number);
    /// False when there is none.
    [[nodiscard]] bool end_receives();
    [[nodiscard]] bool end_out_of_turn();
    void touch(Channel& channel);
    [[nodiscard]] const RankProgram& program(std::uint32_t actor) const {
        return workload_.program(pattern_.actors[actor].rank);
    }
    [[nodiscard]] std::uint32_t number_of(Step step) const {
        const Rank rank = pattern_.actors[step.first].rank;
        return numbers_[workload_.program_of[rank.index()]][step.second];
    }

    const Workload& workload_;
    const WorkPattern& pattern_;
    const std::vector<TraceNumbers>& numbers_;
    std::vector<std::vector<std::uint32_t>> waiting_;  ///< by actor and operation
    std::vector<Group> groups_;
    /// By receiver, its slot of the sender, tag.
    std::map<std::tuple<std::uint32_t, std::int32_t, std::int64_t>, Channel> channels_;
    std::vector<Channel*> touched_;
    std::vector<Step> handed_out_;
    /// Collectives that every member came to before their turn: group, turn.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> early_;
    std::uint32_t round_ = 0;
    bool in_order_ = false;
};

}  // namespace npunet::engine
