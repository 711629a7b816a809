// The order in which Python iterates a set of permutations: as genstack prints them.
//
//     for (const std::size_t i : python_set_order(list.distinct())) { ... list.distinct()[i] ... }
//
// That order follows from the hashes of tuples of tuples of small integers and from the set's open
// addressing; hashes of integers are not randomised, so it is the same in every run. Source: 64-bit
// CPython 3.8 to 3.13, Objects/tupleobject.c (a variant of xxHash) and Objects/setobject.c, as
// facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generators/megatron/traffic/permutations.h"

namespace npunet::generators::megatron {

/// hash(((a, b), (c, d), ...)) modulo 2^64.
[[nodiscard]] std::uint64_t python_hash(const Permutation& permutation);

/// Indices of the permutations, which are all different and were inserted in the order given, in
/// the order in which the set yields them.
[[nodiscard]] std::vector<std::size_t> python_set_order(
    const std::vector<Permutation>& permutations);

/// The same for values with these hashes.
[[nodiscard]] std::vector<std::size_t> python_set_order_of_hashes(
    const std::vector<std::uint64_t>& hashes);

}  // namespace npunet::generators::megatron
