// Runs single points of a design space, from several threads at once.
//
//     PointRunner runner(space, jobs);
//     runner.prepare();                                  // what cannot work fails here
//     const Outcome outcome = runner.run({7, 7});
//
// Machines and workloads are read or generated once and shared by the threads.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generators/transformer/model_spec.h"
#include "study/simulation_run.h"
#include "study/sweep/design_space.h"
#include "study/sweep/outcome.h"
#include "study/sweep/parameters.h"
#include "study/sweep/shared_cache.h"

namespace npunet::study {

/// A point to run: its number, and the point of the first stage that it is or replays.
struct Task {
    std::size_t number = 0;
    std::size_t base = 0;

    [[nodiscard]] bool replay() const { return number != base; }
};

class PointRunner {
public:
    /// `space` must outlive it; its points may only grow. `threads`: how many will call run().
    PointRunner(const DesignSpace& space, std::size_t threads, const RunOptions& options = {});

    /// Reads all machines and models. Throws InputError for those that cannot be read, and for a
    /// fidelity that none of the machines offers. Returns the warnings of the readers,
    /// and one of `sp` in place of `cp`.
    std::vector<std::string> prepare();

    /// What the point's input or its simulation throws becomes its outcome, but for MachineError
    /// and running out of memory: these are not the point's doing.
    [[nodiscard]] Outcome run(const Task& task);

private:
    using MachinePointer = std::shared_ptr<const Machine>;

    [[nodiscard]] Point point_of(const Task& task) const;
    [[nodiscard]] MachinePointer machine_at(const Point& point);
    void load_inputs(const Point& point);
    void check_fidelities();
    [[nodiscard]] std::shared_ptr<const engine::Workload> workload_at(const Point& point,
                                                                      const Machine& machine);
    [[nodiscard]] engine::Workload make_workload(const Point& point, const Machine& machine) const;
    /// Of a workload generated from a model; the plan is resolved.
    [[nodiscard]] StepInputs step_at(const Point& point) const;
    [[nodiscard]] engine::Workload generated_step(const Point& point, const Machine& machine) const;
    [[nodiscard]] engine::Workload stage_step(const Point& point, const Machine& machine) const;
    [[nodiscard]] StepInputs inputs_at(const Point& point, StepInputs inputs) const;
    [[nodiscard]] engine::Workload benchmark(const Point& point, const Machine& machine) const;
    [[nodiscard]] engine::Results simulate_at(const Point& point);

    const DesignSpace& space_;
    RunOptions options_;
    std::vector<Parameter> parameters_;
    std::map<std::string, generators::ModelSpec> models_;  ///< by the text of the value
    SharedCache<Machine> machines_;
    SharedCache<engine::Workload> workloads_;
};

/// The fidelity of a point: analytical unless the spec says otherwise.
[[nodiscard]] Fidelity fidelity_at(const DesignSpace& space, const Point& point);

}  // namespace npunet::study
