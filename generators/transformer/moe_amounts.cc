#include "generators/transformer/moe_amounts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "generators/transformer/operation_costs.h"

namespace npunet::generators {

namespace {

LocalSizes sizes_of_expert(const ModelSpec& model, const Plan& plan) {
    LocalSizes sizes = local_sizes(model, plan);
    sizes.ffn = model.moe.ffn / plan.etp;
    return sizes;
}

/// Without work there is no kernel.
bool of_probabilities(MoeWork work) {
    return work == MoeWork::DispatchProbabilities || work == MoeWork::CombineProbabilities ||
           work == MoeWork::ShareProbabilities || work == MoeWork::ReturnProbabilities;
}

KernelInfo kernel_of(std::int64_t work, const KernelInfo& kernel) {
    return work > 0 ? kernel : KernelInfo{};
}

/// The product of all tokens divided over the experts that have some. Of unequal numbers the mean,
/// rounded up, stands for each.
KernelInfo grouped_kernel(KernelInfo kernel, std::int64_t experts, bool weight_gradient) {
    if (kernel.kind == Kernel::Matmul && experts > 0) {
        std::int64_t& tokens = kernel.shape[weight_gradient ? 3 : 1];
        tokens = (tokens + experts - 1) / experts;
        kernel.shape[0] = experts;
        kernel.kind = Kernel::GroupedMatmul;
    }
    return kernel;
}

}  // namespace

MoeAmounts::MoeAmounts(const ModelSpec& model, const Plan& plan)
    : expert_(sizes_of_expert(model, plan)),
      layers_(model.layers),
      etp_(plan.etp),
      tokens_(model, plan) {
    even_ = tokens_.uniform() && tokens_.copies() % plan.ep == 0;
    const LocalSizes local = local_sizes(model, plan);
    const auto bytes = [&](const ExpertCopies& copies) {
        return bytes_of(saved_by_experts(local, model, plan, copies));
    };
    kept_always_ = bytes({0, 0});
    kept_routed_ = bytes({1, 0}) - kept_always_;
    kept_taken_ = bytes({0, 1}) - kept_always_;
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
    const auto tokens = tokens_.of(rank, use.layer, use.micro_batch);
    switch (use.work) {
        case MoeWork::Dispatch:
        case MoeWork::DispatchProbabilities:
        case MoeWork::Combine:
        case MoeWork::CombineProbabilities:
            return exchange(*tokens, use.work);
        case MoeWork::ShareTokens:
        case MoeWork::ShareProbabilities:
        case MoeWork::ReturnTokens:
        case MoeWork::ReturnProbabilities:
            return share(*tokens, rank, use.work);
        case MoeWork::Kept:
            return kept(*tokens);
        default:
            return compute(*tokens, use.work);
    }
}

ExpertCopies MoeAmounts::copies(Rank rank, std::int64_t layer, std::int64_t micro_batch) const {
    const auto tokens = tokens_.of(rank, layer, micro_batch);
    return {tokens->all_sent(), tokens->all_experts()};
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

std::int64_t MoeAmounts::element_bytes(MoeWork work) const {
    return of_probabilities(work) ? fp32 : expert_.dtypes.activations;
}

std::int64_t MoeAmounts::copy_bytes(MoeWork work) const {
    return element_bytes(work) * (of_probabilities(work) ? 1 : expert_.hidden);
}

RankAmounts MoeAmounts::exchange(const RankTokens& tokens, MoeWork work) const {
    const bool out = work == MoeWork::Dispatch || work == MoeWork::DispatchProbabilities;
    return unequal(out ? tokens.sent : tokens.taken, copy_bytes(work));
}

RankAmounts MoeAmounts::share(const RankTokens& tokens, Rank rank, MoeWork work) const {
    const bool out = work == MoeWork::ShareTokens || work == MoeWork::ShareProbabilities;
    const std::int64_t each = copy_bytes(work);
    const auto self = static_cast<std::size_t>(tokens_.grid().coordinate(rank, GridAxis::Tensor));
    const std::int64_t own = tokens.shared[self];
    if (even_) {
        // All-gather of the own part; reduce-scatter of everyone's.
        return {0, own * each * (out ? 1 : etp_), {}};
    }
    std::vector<std::int64_t> copies = tokens.shared;
    if (out) {
        std::fill(copies.begin(), copies.end(), own);
    }
    copies[self] = 0;
    return unequal(std::move(copies), each);
}

RankAmounts MoeAmounts::kept(const RankTokens& tokens) const {
    return {0,
            kept_always_ + kept_routed_ * tokens.all_sent() + kept_taken_ * tokens.all_experts(),
            {}};
}

namespace {

RankAmounts cast(std::int64_t elements, std::int64_t element_bytes) {
    const Work work = cast_to_fp8(elements, element_bytes);
    return {work.flops, work.bytes, {}, kernel_of(elements, work.kernel)};
}

}  // namespace

RankAmounts MoeAmounts::compute(const RankTokens& copies, MoeWork work) const {
    if (work == MoeWork::Copy) {
        const std::int64_t elements = copies.all_sent() * expert_.hidden;
        return {
            elements,
            2 * elements * expert_.dtypes.activations,
            {},
            kernel_of(elements, memory_kernel(Kernel::Copy, expert_.dtypes.activations, elements))};
    }
    const std::vector<std::int64_t>& tokens = copies.experts;
    LocalSizes all = expert_;
    all.tokens = copies.all_experts();
    const auto busy = static_cast<std::int64_t>(
        std::count_if(tokens.begin(), tokens.end(), [](std::int64_t t) { return t > 0; }));
    const Linear up{all.hidden, (all.gated ? 2 : 1) * all.ffn};
    const Linear down{all.ffn, all.hidden};
    // Of a grouped multiplication every expert that has tokens moves weights of its own.
    const auto grouped = [busy](const Work& one, const Linear& layer, std::int64_t weight_bytes,
                                bool weight_gradient = false) {
        return RankAmounts{one.flops,
                           one.bytes + (busy - 1) * layer.in * layer.out * weight_bytes,
                           {},
                           kernel_of(busy, grouped_kernel(one.kernel, busy, weight_gradient))};
    };
    const DataTypes& types = all.dtypes;
    switch (work) {
        case MoeWork::UpInputCast:
        case MoeWork::DownGradientCast:
            return cast(all.tokens * all.hidden, types.activations);
        case MoeWork::UpGradientCast:
            return cast(all.tokens * up.out, types.activations);
        case MoeWork::DownInputCast:
            return cast(all.tokens * down.in, types.activations);
        case MoeWork::UpForward:
            return grouped(gemm_forward(all, up), up, all.weight_bytes());
        case MoeWork::UpInputGradient:
            return grouped(gemm_dgrad(all, up), up, all.weight_bytes());
        case MoeWork::UpWeightGradient:
            return grouped(gemm_wgrad(all, up), up, weight_gradient_bytes(all), true);
        case MoeWork::DownForward:
            return grouped(gemm_forward(all, down), down, all.weight_bytes());
        case MoeWork::DownInputGradient:
            return grouped(gemm_dgrad(all, down), down, all.weight_bytes());
        case MoeWork::DownWeightGradient:
            return grouped(gemm_wgrad(all, down), down, weight_gradient_bytes(all), true);
        default: {
            const Work gate = work == MoeWork::ActivationForward ? activation_forward(all)
                                                                 : activation_backward(all);
            return {gate.flops, gate.bytes, {}, kernel_of(gate.flops, gate.kernel)};
        }
    }
}

}  // namespace npunet::generators
