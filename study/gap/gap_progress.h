// Progress of an explanation of the gap between fidelities, reported to a GapWatch.
//
//     GapProgress progress(options.watch);
//     progress.enter("collectives and messages in isolated runs", list.size());
//     for (...) progress.to(i);                 // throws GapStopped when the watch says stop
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "engine/clock/event_queue.h"
#include "engine/simulation/simulation.h"
#include "study/gap.h"

namespace npunet::study {

class GapProgress {
public:
    explicit GapProgress(GapWatch watch) : watch_(std::move(watch)) {}

    /// Begins a step with `total` items; 0: trace nodes, counted by the simulations.
    void enter(std::string what, std::uint64_t total) {
        what_ = std::move(what);
        total_ = total;
        counts_nodes_ = total == 0;
        done_ = 0;
    }
    /// `done` items are finished. Throws GapStopped.
    void to(std::uint64_t done) {
        done_ = done;
        if (!goes_on()) {
            throw GapStopped("the explanation was stopped");
        }
    }

    /// Calls the watch during a simulation, which then stops if asked to.
    class Asker final : public engine::QueueWatch {
    public:
        /// Both must outlive this.
        Asker(GapProgress& progress, const engine::Simulation& simulation)
            : progress_(progress), simulation_(simulation) {}
        bool goes_on() override {
            if (progress_.counts_nodes_) {
                const engine::Simulation::Progress so_far = simulation_.progress();
                progress_.done_ = so_far.done;
                progress_.total_ = so_far.nodes;
            }
            return progress_.goes_on();
        }

    private:
        GapProgress& progress_;
        const engine::Simulation& simulation_;
    };

private:
    [[nodiscard]] bool goes_on() const { return !watch_ || watch_(what_, done_, total_); }

    GapWatch watch_;
    std::string what_;
    std::uint64_t done_ = 0;
    std::uint64_t total_ = 0;
    bool counts_nodes_ = true;
};

}  // namespace npunet::study
