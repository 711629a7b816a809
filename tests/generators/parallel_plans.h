// Random parallel plans of every form, and models to try them on.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/errors.h"
#include "generators/transformer/plan.h"
#include "generators/transformer/plan_names.h"
#include "tests/generators/steps.h"

namespace npunet::generators {

/// One dense layer, then three of 8 experts of which a token takes 2, beside a shared one.
inline ModelSpec small_moe() {
    ModelSpec model = small_model();
    model.name = "small-moe";
    model.kv_heads = 4;
    model.moe.experts = 8;
    model.moe.top_k = 2;
    model.moe.ffn = 32;
    model.moe.shared_experts = 2;
    model.moe.dense_layers_first = 1;
    return model;
}

/// The same with experts of unequal popularity.
inline ModelSpec skewed_moe(double capacity_factor = 0.0) {
    ModelSpec model = small_moe();
    model.name = "skewed-moe";
    model.moe.routing.kind = Routing::Kind::Zipf;
    model.moe.routing.exponent = 1.1;
    model.moe.capacity_factor = capacity_factor;
    return model;
}

/// Resolved plans that the model allows, drawn at random, of at most 64 ranks.
inline std::vector<Plan> random_plans(const ModelSpec& model, std::size_t wanted,
                                      std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto choose = [&random](std::vector<std::int64_t> values) {
        return values[random() % values.size()];
    };
    std::vector<Plan> plans;
    while (plans.size() < wanted) {
        Plan plan;
        plan.dp = choose({1, 2, 4});
        plan.tp = choose({1, 2, 4});
        plan.cp = choose({1, 2, 4});
        plan.pp = choose({1, 2, 4});
        plan.micro_batch = choose({1, 2});
        plan.batch = choose({1, 2, 3}) * plan.dp * plan.micro_batch;
        plan.sequence_parallel = choose({0, 1}) != 0;
        plan.overlap_grad_reduce = choose({0, 1}) != 0;
        plan.zero = choose({0, 1, 2, 3});
        plan.overlap_param_gather = plan.zero > 0 && choose({0, 1}) != 0;
        plan.schedule = choose({0, 1}) != 0 ? Schedule::GPipe : Schedule::OneForwardOneBackward;
        plan.context_comm = static_cast<ContextComm>(choose({0, 1, 2}));
        plan.seed = random();
        if (model.moe.experts > 0) {
            plan.ep = choose({1, 2, 4, 8});
            plan.etp = choose({0, 1, 2, 4});
        }
        std::shuffle(plan.rank_order.begin(), plan.rank_order.end(), random);
        if (plan.world() > 64) {
            continue;
        }
        try {
            plans.push_back(resolve_plan(model, plan));
        } catch (const InputError&) {
            continue;
        }
    }
    return plans;
}

inline std::string full_description(const Plan& plan) {
    return describe(plan) + " ep " + std::to_string(plan.ep) + " etp " + std::to_string(plan.etp) +
           " zero " + std::to_string(plan.zero) + " " +
           context_comm_names()[static_cast<std::size_t>(plan.context_comm)] + " " +
           rank_order_name(plan.rank_order) + (plan.overlap_grad_reduce ? " reduce" : "") +
           (plan.overlap_param_gather ? " gather" : "") + " batch " + std::to_string(plan.batch) +
           " micro-batch " + std::to_string(plan.micro_batch) + " seed " +
           std::to_string(plan.seed);
}

}  // namespace npunet::generators
