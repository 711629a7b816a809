#include "generators/megatron/traffic/permutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

Rank rank_of(std::int64_t number) {
    return Rank(static_cast<std::int32_t>(number));
}

/// What a stage hands to the next one, which is taken to be of four-byte numbers.
std::int64_t message_bytes(const Shape& activation) {
    const std::optional<std::int64_t> elements = activation.elements();
    if (!elements || *elements > most_bytes / fp32) {
        throw InputError({"", "sequence length x micro-batch x hidden size",
                          "messages of more than 2^62 bytes", "a model that can be trained", ""});
    }
    return *elements * fp32;
}

/// first, first + step, ...: so many ranks.
std::vector<Rank> every(std::int64_t first, std::int64_t count, std::int64_t step) {
    std::vector<Rank> ranks;
    for (std::int64_t k = 0; k < count; ++k) {
        ranks.push_back(rank_of(first + k * step));
    }
    return ranks;
}

}  // namespace

void append_ring(Permutation& pairs, const std::vector<Rank>& ranks) {
    if (ranks.size() < 2) {
        return;
    }
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        pairs.emplace_back(ranks[k], ranks[(k + 1) % ranks.size()]);
    }
}

std::string python_text(const Permutation& permutation) {
    std::string text = "(";
    for (const auto& [from, to] : permutation) {
        text += fmt::format("{}({}, {})", text.size() > 1 ? ", " : "", from.value(), to.value());
    }
    return text + (permutation.size() == 1 ? ",)" : ")");
}

void PermutationList::add(std::int64_t bytes, const Permutation& permutation) {
    if (permutation.empty()) {
        return;
    }
    const auto [place, is_new] = numbers_.try_emplace(permutation, distinct_.size());
    if (is_new) {
        distinct_.push_back(permutation);
    }
    weighted_.push_back({bytes, place->second});
}

OriginalPermutations::OriginalPermutations(const TrainingRun& run, const GroupTable& groups)
    : groups_(groups),
      world_(run.world()),
      stage_ranks_(world_ / run.parallelism.pp),
      tp_(run.parallelism.tp),
      activation_{run.model.seq, run.global_batch_size / run.micro_batches / run.parallelism.dp,
                  run.model.hidden},
      message_bytes_(message_bytes(activation_)),
      all_rings_(tensor_rings(0, world_)),
      first_stage_(tensor_rings(0, stage_ranks_)),
      last_stage_(tensor_rings(world_ - stage_ranks_, world_)) {}

void OriginalPermutations::visit(const Call& call) {
    if (step_ == Step::End || !call.has_shape || call.shape.dimensions() == 0 ||
        call.operation == Operation::Barrier) {
        return;
    }
    if (is_send(call.operation) || is_receive(call.operation)) {
        step_ = Step::End;
        return;
    }
    static const std::vector<Rank> no_ranks;
    const std::vector<Rank>& ranks = call.group < 0 ? no_ranks : groups_.ranks(call.group);
    const std::int64_t bytes = payload_bytes(call);
    // The call is held against one step after the other; a step that it does not fit is over.
    if (step_ == Step::Start) {
        step_ = Step::Embedding;
        if (is_world(ranks)) {
            list_.add(bytes, world_ring(ranks));
            return;
        }
    }
    if (step_ == Step::Embedding) {
        step_ = Step::Flags;
        if (is_embedding(ranks)) {
            list_.add(bytes, shifted(0, stage_ranks_, world_ - stage_ranks_));
            return;
        }
    }
    if (step_ == Step::Flags) {
        step_ = Step::Body;
        if (is_world(ranks)) {
            list_.add(bytes, world_ring(ranks));
            return;
        }
    }
    if (ranks.size() < 2) {
        return;
    }
    if (call.shape == activation_) {
        list_.add(bytes, first_stage_);
        list_.add(bytes, last_stage_);
    } else {
        list_.add(bytes, all_rings_);
    }
}

PermutationList OriginalPermutations::finish() {
    if (stage_ranks_ < world_) {
        list_.add(message_bytes_, shifted(0, world_ - stage_ranks_, stage_ranks_));
        list_.add(message_bytes_, shifted(stage_ranks_, world_, -stage_ranks_));
    }
    list_.add(message_bytes_, data_rings());
    return std::move(list_);
}

bool OriginalPermutations::is_world(const std::vector<Rank>& ranks) const {
    // Ranks of a group are different: as many as the world, none beyond it, are the world.
    return static_cast<std::int64_t>(ranks.size()) == world_ &&
           std::all_of(ranks.begin(), ranks.end(),
                       [&](Rank rank) { return rank.value() < world_; });
}

bool OriginalPermutations::is_embedding(const std::vector<Rank>& ranks) const {
    return ranks.size() == 2 && std::min(ranks[0], ranks[1]) == Rank(0) &&
           std::max(ranks[0], ranks[1]) == rank_of(world_ - stage_ranks_);
}

Permutation OriginalPermutations::world_ring(const std::vector<Rank>& ranks) const {
    Permutation pairs;
    for (const Rank rank : ranks) {
        pairs.emplace_back(rank, rank_of((rank.value() + 1) % world_));
    }
    return pairs;
}

Permutation OriginalPermutations::shifted(std::int64_t first, std::int64_t end,
                                          std::int64_t shift) {
    Permutation pairs;
    for (std::int64_t rank = first; rank < end; ++rank) {
        pairs.emplace_back(rank_of(rank), rank_of(rank + shift));
    }
    return pairs;
}

/// With tp = 1 each rank to itself.
Permutation OriginalPermutations::tensor_rings(std::int64_t first, std::int64_t end) const {
    Permutation pairs;
    for (std::int64_t rank = first; rank < end; ++rank) {
        const std::int64_t place = rank % tp_;
        pairs.emplace_back(rank_of(rank), rank_of(rank - place + (place + 1) % tp_));
    }
    return pairs;
}

Permutation OriginalPermutations::data_rings() const {
    Permutation pairs;
    for (std::int64_t stage = 0; stage < world_; stage += stage_ranks_) {
        for (std::int64_t t = 0; t < tp_; ++t) {
            append_ring(pairs, every(stage + t, stage_ranks_ / tp_, tp_));
        }
    }
    return pairs;
}

}  // namespace npunet::generators::megatron
