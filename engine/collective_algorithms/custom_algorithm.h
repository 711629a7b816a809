// A user-defined collective algorithm: a schedule of exchanges (phase.h) over an ordered line of
// members. Once it is added, system.json knows it by its name.
//
//     add_algorithm({"neighborExchange", does, count, reductions, nullptr, at});
//     machine = study::load_machine("net.yml", "system.json", "npunet");
//
// docs/extending.md has a worked example in one file.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string>

#include "engine/collective_algorithms/phase.h"

namespace npunet::engine {

/// Pure functions: several threads call them at once. For every shape with 2 members or more, sends
/// and receives of all members must meet: x.arrives_in of the sender is the exchange in which the
/// receiver has x.receive_from. Otherwise runs stall, with an explanation.
struct CustomAlgorithm {
    std::string name;                               ///< as in system.json; letters and digits
    bool (*does)(CollectiveKind);                   ///< Implementation::does()
    std::int32_t (*count)(const PhaseShape&);       ///< exchange_count()
    std::int32_t (*reductions)(const PhaseShape&);  ///< exchange_reductions()
    /// exchange_gate(); null: each exchange waits for all before it.
    Gate (*gate)(const PhaseShape&, std::int32_t);
    Exchange (*at)(const PhaseShape&, std::int32_t);  ///< exchange()
};

/// At most 16 of them, before anything else reads or runs, by one thread; there is no taking back.
/// Throws std::invalid_argument for a name that an algorithm has already, and for the 17th.
Implementation add_algorithm(const CustomAlgorithm& algorithm);

/// Those that were added are numbered in that order from 0.
[[nodiscard]] std::int32_t custom_algorithm_count();
[[nodiscard]] const CustomAlgorithm& custom_algorithm(std::int32_t number);
[[nodiscard]] Algorithm custom_algorithm_id(std::int32_t number);
/// The number of one of those; -1 for the others.
[[nodiscard]] std::int32_t custom_algorithm_number(Algorithm algorithm);

}  // namespace npunet::engine
