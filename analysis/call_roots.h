// For every event the outermost of its enclosing events (itself among them) of each kind of frame.
//
//     const CallRoots roots(trace, nesting, marks, threads);
//     roots.of(Root::Forward, launch);          // no_event: launched outside any forward step
//
// Which threads a kind's frames may stand on is the reference's: those of the forward and backward
// step on the forward pass's, recomputation on autograd's, the others anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/nesting.h"
#include "analysis/patterns.h"
#include "analysis/training_threads.h"

namespace npunet::analysis {

enum class Root : std::uint8_t {
    Forward,
    Backward,
    Recompute,
    Pipeline,
    DataParallel,
    Optimizer,
    Loss
};
inline constexpr std::size_t root_count = 7;

class CallRoots {
public:
    /// @param one_thread frames of the training step count on the reference's threads alone
    CallRoots(const EventTable& trace, const Nesting& nesting, const NameMarks& marks,
              const TrainingThreads& threads, bool one_thread);

    [[nodiscard]] EventId of(Root root, EventId event) const {
        return roots_[static_cast<std::size_t>(root)][event];
    }
    /// The roots themselves, by start.
    [[nodiscard]] std::vector<EventId> all(Root root, const Nesting& nesting) const;

private:
    std::array<std::vector<EventId>, root_count> roots_;
};

}  // namespace npunet::analysis
