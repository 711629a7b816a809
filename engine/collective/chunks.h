// Into how many chunks a collective is cut, and where.
//
//     if (set_chunks(plan, system.preferred_dataset_splits, dialect.exact_chunks, ranks)) ...
//     plan.chunks;
//
// The buffer is dealt out in pieces of which all members have equal parts in every phase, chunk
// after chunk; the last piece may be smaller. Small buffers have fewer pieces than splits, and so
// many chunks. In an unequal all-to-all every chunk has its share of every message.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/collective/plan.h"

namespace npunet::engine {

/// `plan` has its phases and size; sets its chunks and how they are cut. `splits`: chunks wanted,
/// from 1. Not `exact`: as the reference divides among `ranks` NPUs, which cannot divide an
/// all-gather of less than a byte a split: false.
[[nodiscard]] bool set_chunks(CollectivePlan& plan, std::int64_t splits, bool exact,
                              std::size_t ranks);

}  // namespace npunet::engine
