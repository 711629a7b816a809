// Which collective is which: the k-th collective of a communicator on every member is one instance.
//
//     const std::uint32_t index = instances.join(rank, member, operation, name, now);
//     instances[index].run_of_member[member] = run;
//     if (instances.leave(index, now)) { ... }      // the last member is done
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/collective_algorithms/lower_bound.h"
#include "engine/program/fold.h"
#include "engine/program/rank_share.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"

namespace npunet::engine {

/// One collective of a communicator.
struct CollectiveInstance {
    static constexpr std::uint32_t no_run = 0xffffffff;

    std::int32_t group = 0;
    std::uint64_t number = 0;  ///< among those of its group
    /// The owner's number for each member's part, no_run before there is one; empty once all are
    /// done.
    std::vector<std::uint32_t> run_of_member;
    std::size_t finished = 0;
    std::size_t expected = 0;  ///< members that are simulated
    bool joined = false;       ///< a member has started it
    std::size_t named_by = 0;  ///< the member whose name for it was taken, the lowest so far
    /// When each member was there and when it was done; with a fold only, else empty.
    std::vector<Time> starts;
    std::vector<Time> ends;
    CollectiveResult result;
    CollectiveKind kind = CollectiveKind::AllReduce;
    Rank root;
    bool unequal = false;          ///< with comm_sizes
    Rank first_rank;               ///< who started it, for messages
    std::uint64_t first_node = 0;  ///< the node of first_rank
};

class CollectiveInstances {
public:
    /// The references must outlive this.
    CollectiveInstances(const Workload& workload, const Fold& fold, const RankShare& share);

    /// The k-th collective of a group, made when it is first asked for.
    [[nodiscard]] std::uint32_t at(std::int32_t group, std::uint64_t number);

    /// The place of a rank, one of its members, in a group.
    [[nodiscard]] std::size_t member_of(std::int32_t group, Rank rank) const;

    /// Which operation of a member's program is its part in an instance, in program order;
    /// no_operation when it has none.
    [[nodiscard]] std::uint32_t operation_of(const CollectiveInstance& instance,
                                             Rank member) const {
        return operation_of(instance.group, instance.number, member);
    }
    [[nodiscard]] std::uint32_t operation_of(std::int32_t group, std::uint64_t number,
                                             Rank member) const {
        const std::vector<std::uint32_t>& list = operations_of(group, member);
        return number < list.size() ? list[number] : no_operation;
    }
    static constexpr std::uint32_t no_operation = 0xffffffff;

    /// The next collective of the group is that number, for all members, and a new one. For who has
    /// collectives one at a time, in any order, and asks for no results.
    void skip_to(std::int32_t group, std::uint64_t number);

    /// A rank starts its next collective of operation.group. Throws StallError when the group's
    /// members disagree about their k-th collective.
    [[nodiscard]] std::uint32_t join(Rank rank, std::size_t member,
                                     const ProgramOperation& operation, const std::string& name,
                                     Time now);
    /// A member is done; true when it was the last one that is simulated.
    bool leave(std::uint32_t index, std::size_t member, Time now);

    /// Valid until the end: instances are never moved.
    [[nodiscard]] CollectiveInstance& operator[](std::uint32_t index) { return instances_[index]; }
    [[nodiscard]] const CollectiveInstance& operator[](std::uint32_t index) const {
        return instances_[index];
    }

    /// The collectives so far, by first start; `bounds` tells their least times.
    [[nodiscard]] std::vector<CollectiveResult> results(CollectiveBounds& bounds) const;

    /// A rank's part in a collective.
    struct Part {
        Time start;
        Time end;
        std::string algorithm;
    };
    using PartOf = std::function<std::optional<Part>(std::int32_t group, std::uint64_t number,
                                                     std::size_t member)>;
    /// All collectives, whose parts are known otherwise: nothing for one that does not exist.
    [[nodiscard]] std::vector<CollectiveResult> results(CollectiveBounds& bounds,
                                                        const PartOf& part_of) const;

    /// What a rank that sits in a collective of the group waits for: the members of this process's
    /// share that have not come.
    [[nodiscard]] std::string explain(Rank rank, std::int32_t group) const;

private:
    struct GroupState {
        std::vector<std::uint64_t> started_by_member;
        std::vector<std::uint32_t> instances;  ///< by number; no_run: left out by skip_to()
        std::size_t simulated = 0;             ///< members that are
    };

    void check_agreement(const CollectiveInstance& instance, Rank rank,
                         const ProgramOperation& operation, const std::string& name) const;
    /// The same of the members that another process simulates.
    void check_others(const CollectiveInstance& instance) const;
    [[nodiscard]] bool simulates(Rank rank) const {
        return fold_.represents(rank) && share_.has(rank);
    }

    /// Nothing when the group has no such collective.
    using ResultOf =
        std::function<std::optional<CollectiveResult>(std::int32_t group, std::uint64_t number)>;
    [[nodiscard]] std::vector<CollectiveResult> list_results(const ResultOf& result_of) const;
    [[nodiscard]] std::optional<CollectiveResult> result_of(std::int32_t group,
                                                            std::uint64_t number,
                                                            CollectiveBounds& bounds) const;
    [[nodiscard]] std::optional<CollectiveResult> result_by_parts(std::int32_t group,
                                                                  std::uint64_t number,
                                                                  CollectiveBounds& bounds,
                                                                  const PartOf& part_of) const;
    /// What happened to a member happened to the representative of its class.
    [[nodiscard]] std::optional<Part> part_like(std::int32_t group, std::uint64_t number,
                                                std::size_t member) const;

    /// A group that a rank belongs to.
    struct Membership {
        std::int32_t group;
        std::int32_t member;  ///< its place in the group
        std::int32_t slot;    ///< of the group in its program; -1 where it has no collective there
    };
    [[nodiscard]] const Membership* find(std::int32_t group, Rank rank) const;
    /// A member's collectives of a group, in program order.
    [[nodiscard]] const std::vector<std::uint32_t>& operations_of(std::int32_t group,
                                                                  Rank rank) const;
    /// Invalid for collectives without one.
    [[nodiscard]] Rank root_of(std::size_t group, const ProgramOperation& operation) const;

    const Workload& workload_;
    const Fold& fold_;
    const RankShare& share_;
    std::vector<std::vector<Membership>> members_;  ///< by rank, groups ascending
    std::vector<GroupState> groups_;
    std::deque<CollectiveInstance> instances_;
};

}  // namespace npunet::engine
