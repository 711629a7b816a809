// How much memory is allocated at most while a reader works. Counts what is asked for, not what the
// allocator takes for it.
//
//     MemoryWatch watch(memory_limit(input.size(), buffers));
//     read(path);
//     watch.check();
//
// Under libFuzzer the allocation that goes beyond the limit ends the program, so that its stack is
// seen; elsewhere check() throws a FuzzFailure.
#pragma once

#include <cstddef>

namespace npunet::fuzz {

/// 10 bytes for each byte of the input, and the buffers that a reader has whatever it reads.
[[nodiscard]] constexpr std::size_t memory_limit(std::size_t input_bytes, std::size_t buffers) {
    return 10 * input_bytes + buffers;
}

/// Of the program; one at a time.
class MemoryWatch {
public:
    explicit MemoryWatch(std::size_t limit);
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;

    /// Throws FuzzFailure when more was allocated at some time since the beginning.
    void check() const;
};

}  // namespace npunet::fuzz
