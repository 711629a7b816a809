// The kind of parallelism that communication serves.
//
//     for (const Parallelism dimension : parallelism_by_precedence) { ... name_of(dimension) ... }
//
// What an operation serves is found by its name and its communicator
// (study/parallel_dimensions.h). C++17-clean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace npunet::engine {

/// The numbers stand in files (report/timeline/timeline.proto).
enum class Parallelism : std::uint8_t { Tensor, Pipeline, Data, Expert, Context, Other };
inline constexpr std::size_t parallelisms = 6;

/// Where several communicate at a time, the time counts for the first of this order.
inline constexpr std::array<Parallelism, parallelisms> parallelism_by_precedence{
    Parallelism::Tensor,   Parallelism::Context, Parallelism::Expert,
    Parallelism::Pipeline, Parallelism::Data,    Parallelism::Other};

/// "TP", "PP", "DP", "EP", "CP", "other".
[[nodiscard]] constexpr const char* name_of(Parallelism dimension) {
    constexpr std::array<const char*, parallelisms> names{"TP", "PP", "DP", "EP", "CP", "other"};
    return names[static_cast<std::size_t>(dimension)];
}

}  // namespace npunet::engine
