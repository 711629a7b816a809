// Whether two calls are the same, and how a call is told to people.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/call.h"
#include "generators/megatron/call_log.h"

namespace npunet::generators::megatron {

/// "all_reduce of [2048, 1, 12288] torch.float32 over ranks 0, 1, 2, 3"; `ranks` may be null.
[[nodiscard]] std::string described(const Call& call, const std::vector<Rank>* ranks);

/// What the log tells of a call against what a program makes: operation, data type, shapes,
/// reduction, peer, place in a batch and, unless the log has none, the ranks; with `tells_waiting`
/// also whether the caller goes on.
[[nodiscard]] bool same_call(const Call& logged, const std::vector<Rank>* logged_ranks,
                             const Call& made, const std::vector<Rank>* made_ranks,
                             bool tells_waiting);

/// Throws InputError for a call that no trace can have: a collective without ranks, a receive from
/// anybody, or more bytes than a node may say.
void require_convertible(const std::string& file, const LoggedCall& event);

}  // namespace npunet::generators::megatron
