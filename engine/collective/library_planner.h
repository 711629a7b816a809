// Plans collectives that a communication library carries out: those of system.json's `collectives`.
//
//     LibraryPlanner planner(network, system, workload);
//     if (planner.is_for(task)) {
//         CollectivePlan plan = planner.plan(layout, task);
//     }
//
// An unequal all-to-all needs the sizes of all its members: plan_unequal().
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/collective/communicator_layout.h"
#include "engine/collective/library_placement.h"
#include "engine/collective/plan.h"
#include "engine/collective/plan_builder.h"
#include "engine/collective_algorithms/lower_bound.h"
#include "engine/machine/system_config.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class LibraryPlanner {
public:
    /// The references must outlive the planner.
    LibraryPlanner(const topology::NetworkDescription& network, const SystemConfig& system,
                   const Workload& workload);

    [[nodiscard]] bool is_for(const CollectiveTask& task) const;
    /// The same for every member. The layout is that of the task's ranks, and outlives the planner.
    [[nodiscard]] CollectivePlan plan(const CommunicatorLayout& layout, const CollectiveTask& task);
    /// Whether it is an unequal all-to-all for the library.
    [[nodiscard]] bool is_for_unequal(const CollectiveTask& task) const;
    /// By sender, the bytes to each member; empty where they are not known.
    using Rows = std::vector<const std::vector<std::int64_t>*>;
    /// Of the collective `number` of the communicator, whose sizes outlive the planner; nothing
    /// where they are not known or nothing is sent. `rows` is asked once.
    [[nodiscard]] std::optional<CollectivePlan> plan_unequal(const CommunicatorLayout& layout,
                                                             const CollectiveTask& task,
                                                             std::size_t number,
                                                             const std::function<Rows()>& rows);
    /// Of number `own` of several collectives of a communicator, at least two, that are launched
    /// together. Those for which the tuner takes a ring or a tree share the channels; others go by
    /// themselves.
    [[nodiscard]] CollectivePlan plan_launched(const CommunicatorLayout& layout,
                                               const std::vector<CollectiveTask>& tasks,
                                               std::size_t own, std::uint64_t launch);
    /// As LibraryPlacement::reduces_in().
    [[nodiscard]] ReduceIn reduces_in() const { return placement_.reduces_in(); }

private:
    struct Known {
        std::shared_ptr<const LibrarySchedule> schedule;
        std::shared_ptr<const NvlsPlan> nvls;
        std::shared_ptr<const LibraryEstimate> estimate;
        LibraryTiming carried_out;
        std::string algorithm;
        LaunchShare share;  ///< of several that are launched together
    };
    /// What is known of each; `estimate` is null of those that go by themselves.
    using KnownLaunch = std::vector<Known>;
    [[nodiscard]] KnownLaunch work_out_launch(const CommunicatorLayout& layout,
                                              const std::vector<CollectiveTask>& tasks);
    [[nodiscard]] static CollectivePlan plan_of(const CollectiveTask& task, const Known& known);
    [[nodiscard]] Known work_out(const PlacedCall& placed, const CollectiveTask& task);
    /// What the tuner takes; of elements that switches do not add up the ring, where they leave it
    /// nothing else.
    [[nodiscard]] LibraryTiming wanted(const PlacedCall& placed, const CollectiveTask& task) const;
    /// What the tuner takes as the library would carry it out, or a ring in its place.
    void schedule(const PlacedCall& placed, const CollectiveTask& task, const LibraryTiming& wanted,
                  Known& known) const;
    /// What stands behind the algorithm where the tuner takes another for elements that switches
    /// do not add up.
    [[nodiscard]] std::string note_on_type(const PlacedCall& placed, const CollectiveTask& task,
                                           const LibraryTiming& wanted) const;
    /// Null where the switches of some node do not reduce, or those between nodes that would.
    [[nodiscard]] std::shared_ptr<const NvlsPlan> nvls_plan(const PlacedCall& placed,
                                                            const CollectiveTask& task,
                                                            const NvlsTiming& timing) const;
    /// Sets the messages of an estimate of what the tuner takes, where the network does not say
    /// which switches reduce; others have those that are carried out.
    void set_messages(const PlacedCall& placed, const LibraryTiming& wanted, const Known& known,
                      LibraryEstimate& estimate) const;
    /// What the links of the network take at least.
    [[nodiscard]] Time least_on_links(const LibraryCall& call, const CollectiveTask& task);
    /// The closed form, or least_on_links(), if that is longer, and the time of a collective of one
    /// byte.
    [[nodiscard]] LibraryEstimate estimate(const LibraryCall& call, const LibraryMachine& machine,
                                           const CollectiveTask& task, const LibraryTiming& timing,
                                           std::string algorithm);

    const topology::NetworkDescription& network_;
    const SystemConfig& system_;
    LibraryPlacement placement_;
    CollectiveBounds bounds_;
    /// By communicator, kind, bytes and type of the elements.
    std::map<std::tuple<const CommunicatorLayout*, CollectiveKind, std::int64_t, DataType>, Known>
        known_;
    /// By communicator and number among its collectives.
    std::map<std::pair<const CommunicatorLayout*, std::size_t>, std::optional<Known>>
        known_unequal_;
    /// By communicator and, of each collective of a launch, kind, bytes and type.
    std::map<std::pair<const CommunicatorLayout*, std::vector<std::int64_t>>, KnownLaunch>
        known_launches_;
};

}  // namespace npunet::engine
