// Peak memory of one NPU from the tensors that its operations read and write.
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

#include <vector>

#include "engine/program.h"

namespace npunet::engine {

/// `start` and `end` of every operation of the program, in its order. 0 without tensors.
[[nodiscard]] Bytes peak_memory(const RankProgram& program, const std::vector<Time>& start,
                                const std::vector<Time>& end);

}  // namespace npunet::engine
