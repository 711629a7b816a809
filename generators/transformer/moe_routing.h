// How many copies of a rank's tokens go to each expert.
//
//     const MoeRouting routing(model, plan.seed);           // reads the file, if there is one
//     routing.counts({layer, micro_batch, rank, tokens});   // E numbers, tokens x top_k in all
//
// A pure function of the seed, layer, micro-batch and source rank, in whole numbers: the same on
// every machine. Expert e of a layer has the whole weight w_e; with C_e the sum of the weights
// before it, S that of all, and N = tokens x top_k copies, it gets
//
//     floor((C_{e+1} N + u) / S) - floor((C_e N + u) / S)
//
// copies: systematic sampling, N w_e / S up to less than one. u is drawn from 0 .. S-1 for each
// source, layer and micro-batch, but for uniform routing. Weights by Routing::Kind:
//
// - Uniform: all 1, and u = t N mod E, t the batch's turn plus its layer: with f(i) =
//   floor((i+1) N/E) - floor(i N/E), expert e gets f(e + t) of it, and of s batches in a row
//   floor((e+s) N/E) - floor(e N/E): s N/E up to less than one, however few copies a batch has.
//   Where ep divides N, every ep-th part of the experts gets N/ep of each.
// - Zipf: 1 / i^exponent in units of 2^-32 of their sum; which expert is the i-th most popular one
//   is drawn for each layer and step.
// - File: the numbers of the file (read_routing_file).
//
// A token chooses top_k different experts, so that none can get more than all tokens: what exceeds
// weight S / top_k is shared among the others in proportion.
//
// With a capacity factor f an expert takes ceil(f N / E) copies of each source at most (Switch
// Transformer, Fedus et al. 2022; Megatron-LM's --moe-expert-capacity-factor); the rest is dropped:
// not sent, not computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Routing as text: `uniform`, `zipf:1.2`, or the name of a file with counts. Throws InputError
/// that names `source`. A file is not opened.
[[nodiscard]] Routing routing_named(const std::string& text, const std::string& source);
[[nodiscard]] std::string routing_name(const Routing& routing);

/// The tokens that one rank routes at a time.
struct TokenBatch {
    std::int64_t layer = 0;
    std::int64_t micro_batch = 0;
    Rank source;
    std::int64_t tokens = 0;
    /// Uniform routing: its number among the batches of a layer that go to the same experts.
    std::int64_t turn = 0;
};

class MoeRouting {
public:
    /// Throws InputError for a routing file that does not fit the model. Needs experts.
    MoeRouting(const ModelSpec& model, std::uint64_t seed);

    /// Copies of the batch that each of `parts` equal parts of the experts takes.
    [[nodiscard]] std::vector<std::int64_t> parts(const TokenBatch& batch,
                                                  std::int64_t parts) const;
    /// By expert, first .. last-1.
    [[nodiscard]] std::vector<std::int64_t> counts(const TokenBatch& batch, std::int64_t first,
                                                   std::int64_t last) const;
    /// By expert, all of them.
    [[nodiscard]] std::vector<std::int64_t> counts(const TokenBatch& batch) const {
        return counts(batch, 0, experts_);
    }
    /// Whether experts get equally much, up to one copy.
    [[nodiscard]] bool uniform() const { return weights_.empty(); }

private:
    /// Cumulative weights, C_0 .. C_E.
    using Cumulative = std::vector<std::int64_t>;

    /// Of all copies of the batch, those for the experts before `expert`.
    [[nodiscard]] std::int64_t before(const TokenBatch& batch, std::int64_t expert,
                                      std::uint64_t offset) const;
    [[nodiscard]] std::uint64_t offset(const TokenBatch& batch) const;
    [[nodiscard]] std::int64_t capacity(std::int64_t tokens) const;

    std::int64_t experts_;
    std::int64_t top_k_;
    double capacity_factor_;
    std::uint64_t seed_;
    std::vector<Cumulative> weights_;  ///< by layer; empty: uniform
};

/// The weights of the experts by layer. A line for each layer of experts: its number, counted from
/// 0 over all layers of the model, or * for those without a line, then a whole number for each
/// expert, separated by blanks or commas; what follows a # is a comment. Throws InputError.
[[nodiscard]] std::vector<std::vector<std::int64_t>> read_routing_file(const ModelSpec& model);

}  // namespace npunet::generators
