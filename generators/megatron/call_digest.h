// What the partners of a call must agree on, as numbers.
//
// Members of a collective agree on its operation, data type, reduction, root, and on the shapes
// that are the same for all (digest_of); where each has shapes of its own, as in an all-to-all of
// unequal parts, what all hand in is what all take out (balance_of adds up to 0). Partners of a
// message agree on elements, data type and tag. For rendezvous.h.
#pragma once

#include <cstdint>
#include <string>

#include "generators/megatron/call.h"

namespace npunet::generators::megatron {

/// Spreads a number over 64 bits (SplitMix64's finalizer; Steele, Lea, Flood 2014).
[[nodiscard]] std::uint64_t mixed(std::uint64_t number);

[[nodiscard]] std::uint64_t digest_of(const Call& call);

/// Over all `members` of a group the sum is 0, modulo 2^64.
[[nodiscard]] std::uint64_t balance_of(const Call& call, std::size_t members);

/// "all_reduce [2048, 1, 12288] torch.float32 SUM"
[[nodiscard]] std::string description_of(const Call& call);

/// "shape and dtype": in what the two differ as far as their digests do.
[[nodiscard]] std::string differences(const Call& a, const Call& b);

}  // namespace npunet::generators::megatron
