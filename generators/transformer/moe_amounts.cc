#include "generators/transformer/moe_amounts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

LocalSizes sizes_of_expert(const ModelSpec& model, const Plan& plan) {
    LocalSizes sizes = local_sizes(model, plan);
    sizes.ffn = model.moe.ffn / plan.etp;
    return sizes;
}

}  // namespace

MoeAmounts::MoeAmounts(const ModelSpec& model, const Plan& plan)
    : expert_(sizes_of_expert(model, plan)),
      layers_(model.layers),
      tokens_(expert_.tokens / plan.tp),
      copies_(tokens_ * model.moe.top_k),
      experts_(model.moe.experts),
      ep_(plan.ep),
      etp_(plan.etp),
      grid_(expert_grid(plan)),
      routing_(model, plan.seed) {
    even_ = routing_.uniform() && copies_ % ep_ == 0;
}

std::int32_t MoeAmounts::number(const MoeUse& use) const {
    return static_cast<std::int32_t>((use.micro_batch * layers_ + use.layer) * moe_works +
                                     static_cast<std::int64_t>(use.work));
}

RankAmounts MoeAmounts::of(Rank rank, std::int32_t number) const {
    const std::int64_t place = number / moe_works;
    return of(rank, {static_cast<MoeWork>(number % moe_works), place % layers_, place / layers_});
}

RankAmounts MoeAmounts::of(Rank rank, const MoeUse& use) const {
    switch (use.work) {
        case MoeWork::Dispatch:
        case MoeWork::DispatchProbabilities:
        case MoeWork::Combine:
        case MoeWork::CombineProbabilities:
            return exchange(rank, use);
        case MoeWork::ShareTokens:
        case MoeWork::ShareProbabilities:
        case MoeWork::ReturnTokens:
        case MoeWork::ReturnProbabilities:
            return share(rank, use);
        default:
            return compute(rank, use);
    }
}

TokenBatch MoeAmounts::batch(Rank source, const MoeUse& use) const {
    return {use.layer, use.micro_batch, source, tokens_};
}

std::int64_t MoeAmounts::sent(Rank source, std::int64_t member, const MoeUse& use) const {
    const std::int64_t held = experts_ / ep_;
    return routing_.copies(batch(source, use), member * held, (member + 1) * held);
}

std::int64_t MoeAmounts::received(Rank rank, const MoeUse& use) const {
    const std::int64_t member = grid_.coordinate(rank, GridAxis::Expert);
    std::int64_t sum = 0;
    for (const Rank source : grid_.group(rank, {GridAxis::Expert})) {
        sum += sent(source, member, use);
    }
    return sum;
}

std::vector<std::int64_t> MoeAmounts::tokens_of_experts(Rank rank, const MoeUse& use) const {
    const std::int64_t held = experts_ / ep_;
    const std::int64_t first = grid_.coordinate(rank, GridAxis::Expert) * held;
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(held));
    for (const Rank source : grid_.group(rank, {GridAxis::Tensor, GridAxis::Expert})) {
        const std::vector<std::int64_t> from =
            routing_.counts(batch(source, use), first, first + held);
        std::transform(tokens.begin(), tokens.end(), from.begin(), tokens.begin(), std::plus<>());
    }
    return tokens;
}

RankAmounts MoeAmounts::unequal(std::vector<std::int64_t> copies, std::int64_t bytes_each) const {
    for (std::int64_t& part : copies) {
        part *= bytes_each;
    }
    RankAmounts amounts;
    amounts.bytes = std::accumulate(copies.begin(), copies.end(), std::int64_t{0});
    if (!even_) {
        amounts.sizes = std::move(copies);
    }
    return amounts;
}

RankAmounts MoeAmounts::exchange(Rank rank, const MoeUse& use) const {
    const bool tokens = use.work == MoeWork::Dispatch || use.work == MoeWork::Combine;
    const bool out = use.work == MoeWork::Dispatch || use.work == MoeWork::DispatchProbabilities;
    const std::int64_t self = grid_.coordinate(rank, GridAxis::Expert);
    const std::vector<Rank> members = grid_.group(rank, {GridAxis::Expert});
    std::vector<std::int64_t> copies;
    for (std::size_t i = 0; i < members.size(); ++i) {
        copies.push_back(out ? sent(rank, static_cast<std::int64_t>(i), use)
                             : sent(members[i], self, use));
    }
    return unequal(std::move(copies), tokens ? expert_.hidden * expert_.dtypes.activations : fp32);
}

RankAmounts MoeAmounts::share(Rank rank, const MoeUse& use) const {
    const bool tokens = use.work == MoeWork::ShareTokens || use.work == MoeWork::ReturnTokens;
    const bool out = use.work == MoeWork::ShareTokens || use.work == MoeWork::ShareProbabilities;
    const std::int64_t each = tokens ? expert_.hidden * expert_.dtypes.activations : fp32;
    if (shares_alike()) {
        // All-gather of the own part; reduce-scatter of everyone's.
        return {0, received(rank, use) * each * (out ? 1 : etp_), {}};
    }
    std::vector<std::int64_t> copies;
    for (const Rank member : grid_.group(rank, {GridAxis::Tensor})) {
        copies.push_back(member == rank ? 0 : received(out ? rank : member, use));
    }
    return unequal(std::move(copies), each);
}

RankAmounts MoeAmounts::compute(Rank rank, const MoeUse& use) const {
    if (use.work == MoeWork::Copy) {
        const std::int64_t elements =
            routing_.copies(batch(rank, use), 0, experts_) * expert_.hidden;
        return {elements, 2 * elements * expert_.dtypes.activations, {}};
    }
    const std::vector<std::int64_t> tokens = tokens_of_experts(rank, use);
    LocalSizes all = expert_;
    all.tokens = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
    const auto busy = static_cast<std::int64_t>(
        std::count_if(tokens.begin(), tokens.end(), [](std::int64_t t) { return t > 0; }));
    const Linear up{all.hidden, (all.gated ? 2 : 1) * all.ffn};
    const Linear down{all.ffn, all.hidden};
    // Of a grouped multiplication every expert that has tokens moves weights of its own.
    const auto grouped = [busy](const Work& one, const Linear& layer, std::int64_t weight_bytes) {
        return RankAmounts{
            one.flops, one.bytes + (busy - 1) * layer.in * layer.out * weight_bytes, {}};
    };
    const DataTypes& types = all.dtypes;
    switch (use.work) {
        case MoeWork::UpForward:
            return grouped(gemm_forward(all, up), up, types.weights);
        case MoeWork::UpInputGradient:
            return grouped(gemm_dgrad(all, up), up, types.weights);
        case MoeWork::UpWeightGradient:
            return grouped(gemm_wgrad(all, up), up, 2 * types.gradients);
        case MoeWork::DownForward:
            return grouped(gemm_forward(all, down), down, types.weights);
        case MoeWork::DownInputGradient:
            return grouped(gemm_dgrad(all, down), down, types.weights);
        case MoeWork::DownWeightGradient:
            return grouped(gemm_wgrad(all, down), down, 2 * types.gradients);
        default: {
            const Work work = use.work == MoeWork::ActivationForward ? activation_forward(all)
                                                                     : activation_backward(all);
            return {work.flops, work.bytes, {}};
        }
    }
}

}  // namespace npunet::generators
