#include "generators/transformer/idle_parameters.h"

#include <fmt/format.h>

namespace npunet::generators {

std::vector<std::string> notes_on_idle_parameters(const ModelSpec& model, const Plan& plan) {
    std::vector<std::string> notes;
    const auto check = [&notes](bool idle, const std::string& option, const char* why) {
        if (idle) {
            notes.push_back(fmt::format("{} has no effect with {}", option, why));
        }
    };
    check(plan.pp == 1 && plan.schedule != Schedule::OneForwardOneBackward,
          fmt::format("--schedule {}", name_of(plan.schedule)), "pp 1");
    check(plan.cp == 1 && plan.context_comm != ContextComm::PointToPoint, "--cp-comm", "cp 1");
    check(plan.tp == 1 && plan.sequence_parallel, "--sequence-parallel", "tp 1");
    const bool alone =
        plan.dp * plan.cp == 1 && (model.moe.experts == 0 || plan.expert_replicas() == 1);
    check(alone && plan.zero > 0, fmt::format("--zero {}", plan.zero), "a single replica");
    check(alone && plan.overlap_grad_reduce, "--overlap-grad-reduce", "a single replica");
    return notes;
}

}  // namespace npunet::generators
