// Stops a run at a simulated time, or when the user requests it.
//
//     engine::Simulation simulation(...);
//     const RunStopper stopper(queue, {&simulation}, options);
//     engine::Results results = simulation.run();
//     if (results.partial) results.partial->reason = stopper.reason();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/simulation/simulation.h"
#include "study/simulation_run.h"

namespace npunet::study {

class RunStopper final : private engine::EventHandler, private engine::QueueWatch {
public:
    /// Of the options those that may break a run off: max_time and watch. All must outlive this.
    /// The run has ended when all of the simulations, which share the queue, have.
    RunStopper(engine::EventQueue& queue, std::vector<const engine::Simulation*> simulations,
               const RunOptions& options);
    ~RunStopper();
    RunStopper(const RunStopper&) = delete;
    RunStopper& operator=(const RunStopper&) = delete;

    /// Why the run was broken off; empty where it was not.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// The run had stalled before the time came.
    [[nodiscard]] bool came_to_a_stall() const { return stalled_; }
    /// Of the traces' nodes, in all simulations.
    [[nodiscard]] engine::Simulation::Progress progress() const;

private:
    void handle(std::uint64_t seen_empty) override;
    bool goes_on() override;
    [[nodiscard]] double share() const;

    engine::EventQueue& queue_;
    std::vector<const engine::Simulation*> simulations_;
    const RunOptions& options_;
    engine::Simulation::Progress counted_;  ///< for the watch
    std::size_t counted_for_ = 0;           ///< remaining calls until the next count
    double bytes_to_send_ = 0;              ///< for the watch
    std::string reason_;
    bool stalled_ = false;
};

}  // namespace npunet::study
