// The cost and the memory of a plan, formula by formula of docs/planner.md; no intermediate
// result is kept.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/planner/search/brute_force.h"

namespace npunet::test {

namespace {

using planner::LayerProfile;

/// One stage of a plan and its formulas, with the names of the page.
class StageFormulas {
public:
    StageFormulas(const BruteProblem& problem, const BrutePlan& plan, int s)
        : problem_(problem),
          plan_(plan),
          stage_(plan.stages[static_cast<std::size_t>(s)]),
          s_(s),
          b_(problem.gbs / (stage_.dp * plan.m)) {
        for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
            if (stage_.devices[i] > 0) {
                members_.push_back(
                    {&problem.nodes[i], stage_.devices[i], profile(problem.nodes[i].type, b_)});
            }
        }
        for (int j = 0; j < plan.v; ++j) {
            for (int x = stage_.first; x < stage_.first + stage_.count; ++x) {
                layers_.push_back(static_cast<std::size_t>(j * (problem.layers / plan.v) + x));
            }
        }
    }

    /// t_s, and what tensor groups across nodes add.
    [[nodiscard]] double computing_ms() const {
        double slowest = 0;
        for (const Member& member : members_) {
            const LayerProfile& times = *member.profile;
            double ms = 0;
            for (const std::size_t layer : layers_) {
                ms += times.layer_ms.at(layer);
            }
            if (s_ == 0) {
                ms += times.batch_generator_ms;
            }
            if (s_ == stages() - 1) {
                double all_layers = 0;
                for (const double layer_ms : times.layer_ms) {
                    all_layers += layer_ms;
                }
                ms += std::max(0.0, times.forward_backward_ms - all_layers);
            }
            slowest = std::max(slowest, ms);
        }
        return slowest + static_cast<double>(layers_.size()) * straddling_ms_a_layer();
    }

    /// c, one way between this stage and another.
    [[nodiscard]] double transfer_ms(const StageFormulas& other) const {
        if (members_.size() == 1 && other.members_.size() == 1 &&
            members_[0].node == other.members_[0].node) {
            const BruteNode& node = *members_[0].node;
            return std::max(sample_bytes() * b_, sample_bytes() * other.b_) / node.intra_rate +
                   node.intra_latency_ms;
        }
        return std::max(side_ms(), other.side_ms());
    }

    /// D_s.
    [[nodiscard]] double gradients_ms() const {
        const double dp = stage_.dp;
        const double tp = stage_.tp;
        if (stage_.dp == 1) {
            return 0;
        }
        if (members_.size() == 1) {
            const BruteNode& node = *members_[0].node;
            return 2 * (dp - 1) / dp * (parameter_bytes(members_[0]) / tp / node.intra_rate) +
                   2 * (dp - 1) * node.intra_latency_ms;
        }
        double slowest = 0;
        double latency = 0;
        for (const Member& member : members_) {
            const double p = parameter_bytes(member);
            const double outside = std::min(stage_.tp, member.d) / tp * p / member.node->inter_rate;
            const double inside = p / tp / member.node->intra_rate;
            slowest = std::max({slowest, outside, inside});
            latency = std::max(latency, member.node->inter_latency_ms);
        }
        return 2 * (dp - 1) / dp * slowest + 2 * (dp - 1) * latency;
    }

    /// U_s; zero for a model without parameters.
    [[nodiscard]] double optimizer_ms() const {
        double slowest = 0;
        for (const Member& member : members_) {
            double model = 0;
            for (const double bytes : member.profile->parameter_bytes) {
                model += bytes;
            }
            const double share = model > 0 ? parameter_bytes(member) / model : 0;
            slowest = std::max(slowest, member.profile->optimizer_ms * share);
        }
        return slowest;
    }

    [[nodiscard]] bool fits_in_memory() const {
        for (const Member& member : members_) {
            double mib = 0;
            for (const std::size_t layer : layers_) {
                mib += member.profile->layer_memory_mib.at(layer) +
                       (in_flight() - 1) * activation_mib(member, layer);
            }
            if (problem_.memory_factor * mib > member.node->memory_mib) {
                return false;
            }
        }
        return true;
    }

private:
    struct Member {
        const BruteNode* node = nullptr;
        int d = 0;
        const LayerProfile* profile = nullptr;
    };

    [[nodiscard]] const LayerProfile* profile(int type, int batch) const {
        return problem_.profiles->find(problem_.types[static_cast<std::size_t>(type)], stage_.tp,
                                       batch);
    }

    [[nodiscard]] int stages() const { return static_cast<int>(plan_.stages.size()); }

    /// q h w
    [[nodiscard]] double sample_bytes() const {
        return problem_.sequence * problem_.hidden * problem_.activation_bytes;
    }

    [[nodiscard]] double straddling_ms_a_layer() const {
        bool straddles = false;
        double inter = members_[0].node->inter_rate;
        double intra = members_[0].node->intra_rate;
        for (const Member& member : members_) {
            straddles = straddles || member.d % stage_.tp != 0;
            inter = std::min(inter, member.node->inter_rate);
            intra = std::min(intra, member.node->intra_rate);
        }
        if (!straddles) {
            return 0;
        }
        const double tp = stage_.tp;
        return 4 * 2 * (tp - 1) / tp * b_ * sample_bytes() * std::max(0.0, 1 / inter - 1 / intra);
    }

    [[nodiscard]] double side_ms() const {
        double slowest = 0;
        for (const Member& member : members_) {
            const double bytes = member.d * b_ * sample_bytes() / stage_.tp;
            slowest =
                std::max(slowest, bytes / member.node->inter_rate + member.node->inter_latency_ms);
        }
        return slowest;
    }

    /// P_s by the profile of the member's type.
    [[nodiscard]] double parameter_bytes(const Member& member) const {
        double bytes = 0;
        for (const std::size_t layer : layers_) {
            bytes += member.profile->parameter_bytes.at(layer);
        }
        return bytes;
    }

    /// f
    [[nodiscard]] double in_flight() const {
        if (plan_.v == 1) {
            return std::min(plan_.m, stages() - s_);
        }
        const int v = plan_.v;
        const int chunks = std::min(plan_.m * v, 2 * (stages() - 1 - s_) + (v - 1) * stages() + 1);
        return static_cast<double>(chunks) / v;
    }

    [[nodiscard]] double activation_mib(const Member& member, std::size_t layer) const {
        const LayerProfile& own = *member.profile;
        if (!own.layer_activation_mib.empty()) {
            return own.layer_activation_mib.at(layer);
        }
        const double memory = own.layer_memory_mib.at(layer);
        if (b_ == 1) {
            const LayerProfile* two = profile(member.node->type, 2);
            return two == nullptr ? 0 : std::max(0.0, two->layer_memory_mib.at(layer) - memory);
        }
        const LayerProfile* half = b_ % 2 == 0 ? profile(member.node->type, b_ / 2) : nullptr;
        return half == nullptr ? 0 : std::max(0.0, 2 * (memory - half->layer_memory_mib.at(layer)));
    }

    const BruteProblem& problem_;
    const BrutePlan& plan_;
    const BruteStage& stage_;
    int s_;
    int b_;
    std::vector<Member> members_;  ///< nodes that the stage has devices of
    std::vector<std::size_t> layers_;
};

std::vector<StageFormulas> stages_of(const BruteProblem& problem, const BrutePlan& plan) {
    std::vector<StageFormulas> stages;
    stages.reserve(plan.stages.size());
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        stages.emplace_back(problem, plan, static_cast<int>(s));
    }
    return stages;
}

}  // namespace

double step_ms(const BruteProblem& problem, const BrutePlan& plan) {
    const std::vector<StageFormulas> stages = stages_of(problem, plan);
    const double v = plan.v;
    double slowest = 0;
    double sum = 0;
    double end = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        double period = stages[s].computing_ms();
        if (s + 1 < stages.size()) {
            period += v * 2 * stages[s].transfer_ms(stages[s + 1]);
        }
        if (plan.v > 1 && s == 0) {
            period += (v - 1) * 2 * stages.back().transfer_ms(stages.front());
        }
        slowest = std::max(slowest, period);
        sum += period;
        end = std::max(end, stages[s].gradients_ms() + stages[s].optimizer_ms());
    }
    return (plan.m - 1 / v) * slowest + sum / v + end;
}

bool fits_in_memory(const BruteProblem& problem, const BrutePlan& plan) {
    const std::vector<StageFormulas> stages = stages_of(problem, plan);
    return std::all_of(stages.begin(), stages.end(),
                       [](const StageFormulas& stage) { return stage.fits_in_memory(); });
}

}  // namespace npunet::test
