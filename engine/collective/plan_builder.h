// Makes the plan of one member from a recipe: phases over the lines of the layout, and chunks.
//
//     PlanBuilder builder(network, system, dialect);
//     CollectivePlan plan = builder.build(recipe, layout, task, member);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collective/communicator_layout.h"
#include "engine/collective/plan.h"
#include "engine/collective/recipe.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"

namespace npunet::engine {

/// A collective of a communicator.
struct CollectiveTask {
    CollectiveKind kind = CollectiveKind::AllReduce;
    Bytes size;                                        ///< as in the trace
    std::int32_t root = 0;                             ///< its place; counts where there is one
    const std::vector<std::int64_t>* sizes = nullptr;  ///< of an unequal all-to-all
    /// The same of all members, for forms along the tiers.
    std::shared_ptr<const TieredAmounts> amounts = nullptr;
    const std::vector<Rank>* ranks = nullptr;  ///< in listed order
    DataType type = DataType::None;            ///< of the elements; None: not given
};

class PlanBuilder {
public:
    /// The references must outlive the builder.
    PlanBuilder(const SystemConfig& system, const Dialect& dialect)
        : system_(system), dialect_(dialect) {}

    /// The phases refer to the lines of the layout and the ranks of the task. Throws InputError for
    /// what the dialect's reference cannot do. Chunks are not set yet.
    [[nodiscard]] CollectivePlan build(const CollectiveRecipe& recipe,
                                       const CommunicatorLayout& layout, const CollectiveTask& task,
                                       std::size_t member) const;

private:
    /// Where the phases of one lane go.
    struct Lane {
        CollectivePlan& plan;
        const CommunicatorLayout& layout;
        const AlgorithmForm& form;
        std::size_t member;
        std::int32_t number;
        std::vector<std::size_t> order;  ///< factors
    };

    void add_line(CollectivePlan& plan, const std::vector<Rank>& line, std::size_t me,
                  const CollectiveTask& task, const Implementation& implementation) const;
    void add_lanes(CollectivePlan& plan, const CommunicatorLayout& layout,
                   const AlgorithmForm& form, const CollectiveTask& task, std::size_t member) const;
    PlannedPhase& add_phase(const Lane& lane, std::size_t factor, CollectiveKind kind,
                            const Implementation& implementation) const;
    void add_symmetric(const Lane& lane) const;
    void add_rooted(const Lane& lane, std::size_t root) const;
    [[nodiscard]] PhaseShape base_shape(CollectiveKind kind, const Implementation& implementation,
                                        std::int32_t lane) const;
    [[nodiscard]] std::int32_t lanes_of(const Implementation& implementation) const;

    const SystemConfig& system_;
    const Dialect& dialect_;
};

}  // namespace npunet::engine
