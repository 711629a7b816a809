#include "generators/transformer/training_step.h"

#include <memory>
#include <utility>

#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/stage.h"

namespace npunet::generators {

GeneratedWorkload generate(const ModelSpec& model, const Plan& plan) {
    const Plan resolved = resolve_plan(model, plan);
    const RankGrid grid(model, resolved);
    // Shared with the workload, which asks for amounts rank by rank.
    std::shared_ptr<const MoeAmounts> moe;
    if (model.moe.experts > 0) {
        moe = std::make_shared<const MoeAmounts>(model, resolved);
    }
    std::vector<Role> roles;
    for (std::int64_t stage = 0; stage < resolved.pp; ++stage) {
        roles.push_back(stage_role(model, resolved, stage, moe.get()));
    }
    std::vector<RankGroup> groups = grid.groups();
    std::vector<RankBinding> bindings = grid.bindings(groups);
    AmountsOfRank amounts;
    if (moe != nullptr && !moe->even()) {
        amounts = [moe](Rank rank, std::int32_t number) { return moe->of(rank, number); };
    }
    return {std::move(groups), std::move(roles), std::move(bindings), std::move(amounts)};
}

}  // namespace npunet::generators
