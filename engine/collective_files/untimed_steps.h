// Makes the steps of all thread blocks of an algorithm in some order in which they can be made,
// without times: finds out whether they all can. Each thread block is a sequential process that
// waits for messages, for slots and for steps of others; what can be made does not depend on the
// order (Kahn, "The semantics of a simple language for parallel programming", 1974), so that no
// order gets stuck where this one does not. Once is enough: if all steps can be made for one piece,
// they can for every number of pieces.
//
//     UntimedSteps(algorithm, 1).make([](std::size_t gpu, std::size_t block, std::size_t step) {});
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

class UntimedSteps {
public:
    /// The algorithm's connections and waits are known; `per_call`: chunks that go together in one
    /// call, at least 1.
    UntimedSteps(const FileAlgorithm& algorithm, std::int32_t per_call);

    using Made = std::function<void(std::size_t gpu, std::size_t block, std::size_t step)>;
    /// `made` hears of each step when what it receives has been sent, and before it sends. Throws
    /// InputError with gpu, thread block and step where thread blocks wait for each other.
    void make(const Made& made);

private:
    struct Block {
        std::uint32_t gpu = 0;
        std::uint32_t block = 0;
        std::size_t step = 0;
        std::int32_t call = 0;  ///< of the step
        bool told = false;      ///< `made` has heard of the step
        std::int64_t arrived = 0;
        std::int64_t taken = 0;
        std::int64_t sent = 0;
        std::int64_t freed = 0;  ///< of those sent
        bool queued = false;
    };

    [[nodiscard]] const ThreadBlock& block_of(const Block& block) const {
        return algorithm_.gpus[block.gpu].blocks[block.block];
    }
    [[nodiscard]] std::size_t index(std::size_t gpu, std::size_t block) const {
        return first_[gpu] + block;
    }
    [[nodiscard]] std::int32_t calls_of(const AlgorithmStep& step) const;
    /// What its next step waits for: another block's index; none when it can go on.
    [[nodiscard]] std::size_t obstacle(const Block& block) const;
    void advance(std::size_t number, const Made& made);
    void make_call(Block& block, const AlgorithmStep& step);
    void wake(std::size_t number);
    [[noreturn]] void refuse() const;
    [[nodiscard]] std::string place(std::size_t number) const;

    static constexpr std::size_t none = ~std::size_t{0};

    const FileAlgorithm& algorithm_;
    std::int32_t per_call_;
    std::int64_t calls_ahead_;        ///< of a sender
    std::vector<std::size_t> first_;  ///< block of each GPU
    std::vector<Block> blocks_;
    std::deque<std::size_t> queue_;
};

}  // namespace npunet::engine
