// Plans how each rank carries out a collective.
//
// A communicator works along the lines of its layout (communicator_layout.h): all-reduce as
// reduce-scatter from the innermost tier outwards, all-reduce in the last and all-gather back (or,
// "baseline", an all-reduce in each); all-gather from the outermost tier inwards; reduce-scatter
// and all-to-all outwards: in a server by the rail on which the data leaves, then over all rails at
// once. In a product network that takes a communicator that fills every dimension or has one
// coordinate there. Everything else, the algorithms called flat and, where system.json names
// their algorithm, collectives with a root, is one line of all members in listed order.
//
// An unequal all-to-all that no communication library carries out is direct, over one line or,
// where system.json names no algorithm, along the tiers if an equal one of its mean size is faster
// so.
//
// Where system.json leaves algorithm or chunks open, they are chosen (algorithm_chooser.h); then
// broadcast and reduce have a form along the tiers, too: scatter, broadcast by all NPUs of a server
// at once, all-gather; reduce-scatter, reduce, gather (van de Geijn, "On global combine
// operations", 1994).
//
//     CollectivePlanner planner(network, system, dialect, workload);
//     CollectivePlan plan = planner.plan(rank, member, operation);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/collective/communicator_layout.h"
#include "engine/collective/group_launches.h"
#include "engine/collective/library_planner.h"
#include "engine/collective/plan.h"
#include "engine/collective/plan_builder.h"
#include "engine/collective/recipe.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "engine/results/collective_choice.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class AlgorithmChooser;

class CollectivePlanner {
public:
    /// The references must outlive the planner. Throws InputError when an algorithm list does not
    /// fit the tiers.
    CollectivePlanner(const topology::NetworkDescription& network, const SystemConfig& system,
                      const Dialect& dialect, const Workload& workload);
    ~CollectivePlanner();
    CollectivePlanner(const CollectivePlanner&) = delete;
    CollectivePlanner& operator=(const CollectivePlanner&) = delete;

    /// The part of `rank`, which is the `member`-th of the operation's group. Throws InputError for
    /// what the dialect's reference cannot do.
    [[nodiscard]] CollectivePlan plan(Rank rank, std::size_t member,
                                      const ProgramOperation& operation);

    /// How the plan of that operation was chosen; nothing where algorithm and chunks are given.
    [[nodiscard]] std::optional<CollectiveChoice> choice(Rank rank,
                                                         const ProgramOperation& operation);

    /// There were more unequal all-to-alls along the tiers than are kept, which is 64 MiB of them
    /// and 8 of each communicator: who plans all collectives of one rank after the other has what
    /// each sends worked out again for every rank.
    [[nodiscard]] bool has_dropped_amounts() const { return has_dropped_amounts_; }

    /// Where what is planned may add up: LibraryPlacement::reduces_in(), for bounds on it.
    [[nodiscard]] ReduceIn reduces_in() const { return library_.reduces_in(); }

private:
    /// A communicator, and what makes it like others: in all that counts for a choice.
    struct Communicator {
        CommunicatorLayout layout;
        std::uint64_t likeness;
    };

    /// What the members of an unequal all-to-all send; no sizes where that is not known of one of
    /// them, so that the run will stall, or where it is too much.
    struct Rows {
        std::vector<const std::vector<std::int64_t>*> sizes;
        Bytes total;
    };
    struct KeptAmounts {
        std::size_t number;
        std::shared_ptr<const TieredAmounts> amounts;
    };
    /// The unequal all-to-alls of a group.
    struct UnequalOfGroup {
        /// By number: see mean_of(); 0 where it was not looked for, -1 where it is not known.
        std::vector<std::int64_t> means;
        std::deque<KeptAmounts> latest;  ///< members are about as far as each other
    };

    const Communicator& communicator(std::int32_t group);
    [[nodiscard]] std::uint64_t likeness_of(const CommunicatorLayout& layout,
                                            const std::vector<Rank>& ranks) const;
    [[nodiscard]] bool whole_system(std::int32_t group) const;
    [[nodiscard]] bool has_configuration(std::int32_t group) const;
    /// What system.json says of the algorithm; the list is not empty.
    [[nodiscard]] AlgorithmForm given_form(CollectiveKind kind,
                                           const CommunicatorLayout& layout) const;
    [[nodiscard]] CollectiveTask task_of(std::int32_t group,
                                         const ProgramOperation& operation) const;
    /// Of even collectives in communicators with a configuration; `direct_only`: for uneven ones of
    /// that size.
    [[nodiscard]] const CollectiveRecipe& recipe(const Communicator& of, const CollectiveTask& task,
                                                 bool direct_only = false);
    /// Of an unequal all-to-all over one line.
    [[nodiscard]] CollectiveRecipe direct_recipe() const;
    /// Of an unequal all-to-all that may go along the tiers; sets what its members send there.
    [[nodiscard]] CollectiveRecipe unequal_recipe(std::int32_t group, Rank rank,
                                                  const ProgramOperation& operation,
                                                  CollectiveTask& task);
    /// Which of its group's collectives the operation is a part of, in program order.
    [[nodiscard]] std::size_t number_of(Rank rank, const ProgramOperation& operation);
    /// By a communication library that launches several together.
    [[nodiscard]] CollectivePlan launched(std::int32_t group, std::size_t number,
                                          const CollectiveTask& task);
    [[nodiscard]] Rows rows_of(std::int32_t group, std::size_t number) const;
    /// What a member sends on average in that collective, rounded up to a power of two: there are
    /// as many choices as such sizes. Nothing where the rows are not known.
    [[nodiscard]] std::optional<Bytes> mean_of(std::int32_t group, std::size_t number);
    /// Of a collective whose rows are known.
    [[nodiscard]] std::shared_ptr<const TieredAmounts> amounts_of(std::int32_t group,
                                                                  std::size_t number);
    /// Of communicators that the dialect's reference does not configure.
    [[nodiscard]] CollectiveRecipe reference_recipe(CollectiveKind kind) const;
    /// The plan by a file that system.json names for the collective; else one without a file.
    [[nodiscard]] CollectivePlan plan_by_file(const CollectiveTask& task) const;
    /// `divisible`: false where the reference cannot cut the collective into its chunks.
    [[nodiscard]] CollectivePlan plan_by(const CollectiveRecipe& recipe, const Communicator& of,
                                         const CollectiveTask& task, std::size_t member,
                                         bool& divisible) const;
    [[nodiscard]] std::string name_of_plan(const AlgorithmForm& form,
                                           const CommunicatorLayout& layout,
                                           CollectiveKind kind) const;

    const topology::NetworkDescription& network_;
    const SystemConfig& system_;
    const Dialect& dialect_;
    const Workload& workload_;
    PlanBuilder builder_;
    LibraryPlanner library_;
    GroupLaunches launches_;
    std::unique_ptr<AlgorithmChooser> chooser_;
    std::vector<std::unique_ptr<Communicator>> communicators_;  ///< by group
    using ChoiceKey = std::tuple<std::uint64_t, CollectiveKind, std::int64_t, std::int32_t, bool>;
    std::map<ChoiceKey, CollectiveRecipe> choices_;
    std::map<std::int32_t, UnequalOfGroup> unequal_;   ///< by group
    std::vector<std::vector<std::uint32_t>> numbers_;  ///< by program and operation: number_of()
    std::size_t kept_numbers_ = 0;                     ///< in all amounts that are kept
    bool has_dropped_amounts_ = false;
};

}  // namespace npunet::engine
