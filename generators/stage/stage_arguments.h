// What STAGE's generator is asked for: a model's sizes and how they are spread. Branch recomp of
// the Symbolic Tensor Graph Generator, whose options these are, defaults included.
//
//     StageArguments arguments;
//     arguments.dp = 2;
//     arguments.tp = 4;
//     check(arguments);
#pragma once

#include <cstdint>

namespace npunet::generators {

struct StageArguments {
    /// Of a width, a batch, a sequence, a number of heads.
    static constexpr std::int64_t largest_size = std::int64_t{1} << 31;

    std::int64_t dp = 1;                ///< parts of the batch
    std::int64_t tp = 1;                ///< parts of every matrix
    std::int64_t sp = 1;                ///< parts of the sequence
    std::int64_t pp = 1;                ///< pipeline stages; layers are dealt out one by one
    bool weight_sharded = false;        ///< weights split over dp and sp as well (FSDP)
    bool activation_recompute = false;  ///< q, k, v, their product and the first half of the MLP
    std::int64_t din = 51200;           ///< width of the input, as a rule the vocabulary
    std::int64_t dout = 25600;          ///< width of the output, as a rule the vocabulary
    std::int64_t dmodel = 25600;
    std::int64_t dff = 102400;
    std::int64_t batch = 1024;
    std::int64_t seq = 1024;
    std::int64_t head = 1024;
    std::int64_t num_stacks = 32;  ///< layers, 2 or more

    [[nodiscard]] std::int64_t world() const { return dp * tp * sp * pp; }
};

/// Throws InputError that names the numbers that clash where a degree does not divide what it
/// splits, where a stage of the pipeline would be empty, and for fewer than two layers. STAGE
/// itself checks none of this, and writes fractions or ends with an exception of Python's.
/// `din` and `dout` need not be divisible by tp: STAGE's own examples have 50257 over 4.
void check(const StageArguments& arguments);

}  // namespace npunet::generators
