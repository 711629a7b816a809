// A loop on all cores.
//
//     for_each_in_parallel(files.size(), [&](std::size_t i) { write(files[i]); });
//
// The calls must not depend on each other; their order is open, so that results must go to places
// of their own.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <functional>

namespace npunet {

/// Calls step(0) to step(count - 1) on so many threads (0: as the machine has cores), the caller's
/// among them, or as many as the machine grants. When calls throw, no further ones are begun, and
/// the exception of the lowest number is thrown once those under way have ended.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& step,
                          std::size_t threads = 0);

}  // namespace npunet
