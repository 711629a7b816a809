// Peak memory of one NPU from the tensors that its operations read and write: how much, when, and
// which tensors.
//
// A tensor lives from the start of the operation that writes it to the end of the last one that
// reads it; one that is never read lives for ever, one that is read but never written (a weight, an
// input) lives from the beginning. At an instant births come before deaths, then the live sizes are
// summed; the peak is the largest sum. This is the reference's rule, in every dialect. What is read
// before it is written, as a weight that its optimizer updates (the reference gives up on it),
// lives from the beginning too, and for ever when the last write comes after the last read.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/name_table.h"
#include "engine/program/program.h"
#include "engine/results/results.h"

namespace npunet::engine {

/// `start` and `end` of every operation of the program, in its order; `names` of its tensors. Fills
/// in `peak`. 0 without tensors.
[[nodiscard]] Bytes peak_memory(const RankProgram& program, const NameTable& names,
                                const std::vector<Time>& start, const std::vector<Time>& end,
                                MemoryPeak& peak);

}  // namespace npunet::engine
