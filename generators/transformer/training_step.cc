#include "generators/transformer/training_step.h"

#include <utility>

#include "generators/transformer/rank_grid.h"
#include "generators/transformer/stage.h"

namespace npunet::generators {

GeneratedWorkload generate(const ModelSpec& model, const Plan& plan) {
    const Plan resolved = resolve_plan(model, plan);
    const RankGrid grid(model, resolved);
    std::vector<Role> roles;
    for (std::int64_t stage = 0; stage < resolved.pp; ++stage) {
        roles.push_back(stage_role(model, resolved, stage));
    }
    std::vector<RankGroup> groups = grid.groups();
    std::vector<RankBinding> bindings = grid.bindings(groups);
    return {std::move(groups), std::move(roles), std::move(bindings)};
}

}  // namespace npunet::generators
