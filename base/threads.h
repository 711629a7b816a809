// Threads, as many as can be had.
//
//     std::vector<std::thread> others = start_threads(3, [&loop] { loop.work(); });
//     loop.work();
//     for (std::thread& other : others) { other.join(); }
//
// For work that fewer threads do as well, only later: a machine or a container has a limit of
// threads, and each needs memory for its stack.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace npunet {

/// Starts so many threads, each of which calls `work`, which must not throw; fewer, down to none,
/// when the machine does not grant more. Throws only before the first.
[[nodiscard]] std::vector<std::thread> start_threads(std::size_t wanted,
                                                     const std::function<void()>& work);

}  // namespace npunet
