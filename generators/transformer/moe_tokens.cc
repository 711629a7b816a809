#include "generators/transformer/moe_tokens.h"

#include <algorithm>
#include <utility>

#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// As many places as 64 MB hold, within reason.
std::size_t places(std::int64_t numbers) {
    constexpr std::int64_t memory = std::int64_t{1} << 26;
    constexpr std::int64_t each = 256;  // of the objects around the numbers
    return static_cast<std::size_t>(std::clamp<std::int64_t>(
        memory / (each + numbers * static_cast<std::int64_t>(sizeof(std::int64_t))), 64, 1 << 15));
}

}  // namespace

MoeTokens::MoeTokens(const ModelSpec& model, const Plan& plan)
    : layers_(model.layers),
      micro_batches_(plan.micro_batches()),
      experts_(model.moe.experts),
      ep_(plan.ep),
      etp_(plan.etp),
      tokens_(plan.micro_batch * (plan.sequence / plan.cp) / plan.tp),
      copies_(tokens_ * model.moe.top_k),
      grid_(expert_grid(plan)),
      routing_(model, plan.seed),
      slots_(places(2 * ep_ + etp_ + experts_ / ep_)) {}

std::shared_ptr<const RankTokens> MoeTokens::of(Rank rank, std::int64_t layer,
                                                std::int64_t micro_batch) const {
    const std::int64_t number =
        (rank.value() * micro_batches_ + micro_batch) * layers_ + layer;  // below 2^50
    const auto key = static_cast<std::uint64_t>(number) + 1;
    Slot& slot = slots_[key % slots_.size()];
    {
        const std::lock_guard lock(slot.mutex);
        if (slot.key == key) {
            return slot.tokens;
        }
    }
    auto tokens = std::make_shared<const RankTokens>(count(rank, layer, micro_batch));
    const std::lock_guard lock(slot.mutex);
    slot.key = key;
    slot.tokens = tokens;
    return tokens;
}

TokenBatch MoeTokens::batch(Rank source, std::int64_t layer, std::int64_t micro_batch) const {
    const std::int64_t place = grid_.coordinate(source, GridAxis::Expert) * etp_ +
                               grid_.coordinate(source, GridAxis::Tensor);
    return {layer, micro_batch, source, tokens_, micro_batch * ep_ * etp_ + place};
}

RankTokens MoeTokens::count(Rank rank, std::int64_t layer, std::int64_t micro_batch) const {
    const std::int64_t held = experts_ / ep_;
    const std::int64_t self = grid_.coordinate(rank, GridAxis::Expert);
    const std::int64_t part = grid_.coordinate(rank, GridAxis::Tensor);
    RankTokens tokens;
    tokens.sent = routing_.parts(batch(rank, layer, micro_batch), ep_);
    tokens.taken.resize(static_cast<std::size_t>(ep_));
    tokens.shared.resize(static_cast<std::size_t>(etp_));
    tokens.experts.resize(static_cast<std::size_t>(held));
    for (std::int64_t other = 0; other < etp_; ++other) {
        const Rank peer = grid_.neighbour(rank, GridAxis::Tensor, other - part);
        for (std::int64_t member = 0; member < ep_; ++member) {
            const Rank source = grid_.neighbour(peer, GridAxis::Expert, member - self);
            const std::vector<std::int64_t> from =
                routing_.counts(batch(source, layer, micro_batch), self * held, (self + 1) * held);
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < from.size(); ++i) {
                tokens.experts[i] += from[i];
                sum += from[i];
            }
            tokens.shared[static_cast<std::size_t>(other)] += sum;
            if (other == part) {
                tokens.taken[static_cast<std::size_t>(member)] = sum;
            }
        }
    }
    return tokens;
}

}  // namespace npunet::generators
