#include "generators/stage/resharding.h"

#include <cassert>
#include <optional>

namespace npunet::generators::stage_dialect {

namespace {

using chakra::CollectiveType;

/// What a layout says about one symbol.
struct Claim {
    bool partial = false;
    Dim dim;
};

using Claims = std::array<std::optional<Claim>, group_slots>;

void claim_first(Claims& claims, const Dim& dim, bool partial, const SplitSymbols& split) {
    for (std::size_t slot = 0; slot < group_slots; ++slot) {
        if (split[slot] && !claims[slot] && dim.divided_by(group_symbols[slot])) {
            claims[slot] = Claim{partial, dim};
            return;
        }
    }
}

Claims claims_of(const Layout& layout, const SplitSymbols& split) {
    Claims claims;
    for (const Dim& dim : layout.shape) {
        claim_first(claims, dim, false, split);
    }
    for (const Dim& dim : layout.partial) {
        claim_first(claims, dim, true, split);
    }
    return claims;
}

std::optional<CollectiveType> conversion(const Claim& made, const std::optional<Claim>& wanted) {
    if (!wanted) {
        return made.partial ? CollectiveType::AllReduce : CollectiveType::AllGather;
    }
    if (made.partial) {
        return CollectiveType::ReduceScatter;
    }
    return made.dim == wanted->dim ? std::nullopt : std::optional(CollectiveType::AllToAll);
}

}  // namespace

std::vector<ReshardingStep> resharding(const Layout& made, const Shape& wanted,
                                       const SplitSymbols& split) {
    const Claims from = claims_of(made, split);
    const Claims to = claims_of({wanted, {}}, split);
    std::vector<ReshardingStep> steps;
    for (std::size_t slot = 0; slot < group_slots; ++slot) {
        if (!from[slot]) {
            assert(!to[slot] && "an operand is wanted in parts of what is whole");
            continue;
        }
        if (const auto type = conversion(*from[slot], to[slot])) {
            steps.push_back({static_cast<std::int32_t>(slot), *type});
        }
    }
    return steps;
}

}  // namespace npunet::generators::stage_dialect
