// What holds an NPU up while it does not compute: what it carries itself or, where it waits for
// others, what those do meanwhile.
//
//     hold_ups.exposed.carried_by(Parallelism::Data);  // of the exposed communication
//     hold_ups.idle.compute;                           // of the idle time
//
// Every instant has one cause, so that the parts sum to the exposed communication and to the idle
// time exactly (engine/npu/hold_ups.h). C++17-clean.
#pragma once

#include <array>
#include <cstddef>

#include "base/quantities.h"
#include "engine/results/parallelism.h"

namespace npunet::engine {

struct HoldUps {
    struct Part {
        Time compute;  ///< another NPU computes, for which it waits
        std::array<Time, parallelisms> carried{};
        Time memory;   ///< another NPU accesses remote memory
        Time unknown;  ///< nothing is under way

        [[nodiscard]] Time& carried_by(Parallelism dimension) {
            return carried[static_cast<std::size_t>(dimension)];
        }
        [[nodiscard]] Time carried_by(Parallelism dimension) const {
            return carried[static_cast<std::size_t>(dimension)];
        }
    };

    Part exposed;  ///< of the exposed communication
    Part idle;
};

}  // namespace npunet::engine
