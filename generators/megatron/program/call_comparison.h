// Compares calls: what the partners of one must agree on, as numbers; whether two are the same; how
// one is told in a message.
//
// Members of a collective agree on its operation, data type, reduction, root, and on the shapes
// that are the same for all (digest_of); where each has shapes of its own, as in an all-to-all of
// unequal parts, what all hand in is what all take out (balance_of adds up to 0). Partners of a
// message agree on elements, data type and tag.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/program/call.h"

namespace npunet::generators::megatron {

[[nodiscard]] std::uint64_t digest_of(const Call& call);

/// Over all `members` of a group the sum is 0, modulo 2^64.
[[nodiscard]] std::uint64_t balance_of(const Call& call, std::size_t members);

/// "all_reduce [2048, 1, 12288] torch.float32 SUM"
[[nodiscard]] std::string description_of(const Call& call);

/// "shape and dtype": in what the two differ as far as their digests do.
[[nodiscard]] std::string differences(const Call& a, const Call& b);

/// "all_reduce of [2048, 1, 12288] torch.float32 over ranks 0, 1, 2, 3"; `ranks` may be null.
[[nodiscard]] std::string described(const Call& call, const std::vector<Rank>* ranks);

/// What the log tells of a call against what a program makes: operation, data type, shapes,
/// reduction, peer, place in a batch and, unless the log has none, the ranks; with `tells_waiting`
/// also whether the caller goes on.
[[nodiscard]] bool same_call(const Call& logged, const std::vector<Rank>* logged_ranks,
                             const Call& made, const std::vector<Rank>* made_ranks,
                             bool tells_waiting);

}  // namespace npunet::generators::megatron
