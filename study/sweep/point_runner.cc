#include "study/sweep/point_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>

#include "base/errors.h"
#include "generators/collective_benchmark.h"
#include "generators/stage/stage_workload.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/step_rates.h"
#include "study/sweep/spec_errors.h"

namespace npunet::study {

namespace {

constexpr std::size_t most_machines = 4096;

std::string path_of(const DesignSpace& space, const Point& point, const char* name) {
    const Value* value = space.find(point, name);
    return value == nullptr ? "" : value->path;
}

Machine load(const std::string& network, const std::string& system, const std::string& dialect) {
    Machine machine = load_machine(network, system, dialect);
    // Costs nothing where the traces name no tensors, and else is what the sweep is about.
    machine.system.track_memory = true;
    return machine;
}

void check_ranks(std::int64_t ranks, const Machine& machine, const std::string& what) {
    const auto npus = static_cast<std::int64_t>(machine.network.graph.npus());
    if (ranks != npus) {
        throw InputError({what, "", fmt::format("{} ranks", ranks),
                          fmt::format("{}, the NPUs of the network", npus),
                          "dp x tp x cp x pp must be the number of NPUs"});
    }
}

}  // namespace

Fidelity fidelity_at(const DesignSpace& space, const Point& point) {
    return fidelity_named(space.text_of(point, "fidelity", "analytical"));
}

PointRunner::PointRunner(const DesignSpace& space, std::size_t threads, const RunOptions& options)
    : space_(space),
      options_(options),
      parameters_(parameters_of(space.kind)),
      machines_(most_machines),
      workloads_(threads + 2) {}

Point PointRunner::point_of(const Task& task) const {
    Point point = space_.points[task.base];
    if (task.replay()) {
        point.replay_of = task.base;
    }
    return point;
}

PointRunner::MachinePointer PointRunner::machine_at(const Point& point) {
    const std::string network = path_of(space_, point, "network");
    const std::string system = path_of(space_, point, "system");
    const std::string dialect = space_.text_of(point, "dialect", "npunet");
    return machines_.get(network + '\n' + system + '\n' + dialect,
                         [&] { return load(network, system, dialect); });
}

std::vector<std::string> PointRunner::prepare() {
    std::vector<std::string> warnings;
    std::set<std::string> said;
    for (const Point& point : space_.points) {
        try {
            load_inputs(point);
        } catch (const InputError& error) {
            throw in_terms_of_spec(error, space_, point, parameters_);
        }
        for (const std::string& warning : machine_at(point)->warnings) {
            if (said.insert(warning).second) {
                warnings.push_back(warning);
            }
        }
    }
    check_fidelities();
    const Value* sp = space_.kind != WorkloadKind::Model || space_.points.empty()
                          ? nullptr
                          : space_.find(space_.points.front(), "sp");
    if (sp != nullptr) {
        warnings.push_back(
            fmt::format("{}: {}: sp is taken as cp, context parallelism, which STAGE calls sp: say "
                        "cp. Megatron-LM's sequence parallelism, inside tp, is sequence_parallel",
                        sp->file, sp->place));
    }
    return warnings;
}

void PointRunner::load_inputs(const Point& point) {
    if (const Value* model = space_.find(point, "model");
        model != nullptr && models_.count(model->text) == 0) {
        models_.emplace(model->text,
                        generators::load_model(model->path.empty() ? model->text : model->path));
    }
    static_cast<void>(machine_at(point));
}

void PointRunner::check_fidelities() {
    std::map<Fidelity, InputError> refused;
    std::set<Fidelity> offered;
    const auto check = [&](const Point& point) {
        const Fidelity fidelity = fidelity_at(space_, point);
        try {
            check_fidelity(*machine_at(point), fidelity);
            offered.insert(fidelity);
        } catch (const InputError& error) {
            refused.emplace(fidelity, in_terms_of_spec(error, space_, point, parameters_));
        }
    };
    for (std::size_t base = 0; base < space_.points.size(); ++base) {
        check(space_.points[base]);
        if (space_.replay) {
            check(point_of({space_.points.size(), base}));
        }
    }
    for (const auto& [fidelity, reason] : refused) {
        if (offered.count(fidelity) == 0) {
            throw reason;
        }
    }
}

Outcome PointRunner::run(const Task& task) {
    try {
        return outcome_of(simulate_at(point_of(task)));
    } catch (const InputError& error) {
        return failed("bad input",
                      in_terms_of_spec(error, space_, point_of(task), parameters_).what());
    } catch (const StallError& error) {
        return failed("stalled", error.what());
    } catch (const MachineError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("out of memory. Use fewer --jobs, or larger machines");
    } catch (const std::exception& error) {
        return failed("internal error", error.what());
    }
}

engine::Results PointRunner::simulate_at(const Point& point) {
    const MachinePointer machine = machine_at(point);
    const Fidelity fidelity = fidelity_at(space_, point);
    check_fidelity(*machine, fidelity);
    const auto workload = workload_at(point, *machine);
    engine::Results results = simulate(*workload, *machine, fidelity, options_);
    if (space_.kind == WorkloadKind::Model) {
        const StepInputs step = step_at(point);
        results.rates = step_rates(step.model, step.plan, *machine, results);
    }
    return results;
}

/// Points that differ only in what a workload does not depend on share it; on another network of as
/// many NPUs communicators that follow its dimensions are others.
std::shared_ptr<const engine::Workload> PointRunner::workload_at(const Point& point,
                                                                 const Machine& machine) {
    std::string key = fmt::format("{} {}", machine.network.graph.npus(), machine.dialect.name);
    for (const Parameter& parameter : parameters_) {
        const Value* value = space_.find(point, parameter.name);
        if (value != nullptr && parameter.section != Section::Machine) {
            key += fmt::format("\n{}={}", parameter.name,
                               value->path.empty() ? value->text : value->path);
        }
    }
    const auto make = [&] { return make_workload(point, machine); };
    std::shared_ptr<const engine::Workload> workload = workloads_.get(key, make);
    const bool of_this_network =
        std::any_of(workload->groups.begin(), workload->groups.end(),
                    [](const engine::Group& group) { return group.by_dimensions; });
    return of_this_network ? workloads_.get(key + "\non " + path_of(space_, point, "network"), make)
                           : workload;
}

engine::Workload PointRunner::make_workload(const Point& point, const Machine& machine) const {
    switch (space_.kind) {
        case WorkloadKind::Model:
            return generated_step(point, machine);
        case WorkloadKind::Stage:
            return stage_step(point, machine);
        case WorkloadKind::Collective:
            return benchmark(point, machine);
        case WorkloadKind::Traces:
            break;
    }
    return load_workload_for(machine, path_of(space_, point, "prefix"),
                             path_of(space_, point, "comm_group"));
}

StepInputs PointRunner::inputs_at(const Point& point, StepInputs inputs) const {
    for (const Parameter& parameter : parameters_) {
        const Value* value = space_.find(point, parameter.name);
        if (value != nullptr && parameter.apply != nullptr) {
            parameter.apply(inputs, *value->number);
        } else if (value != nullptr && parameter.apply_value != nullptr) {
            parameter.apply_value(inputs, *value);
        }
    }
    return inputs;
}

engine::Workload PointRunner::stage_step(const Point& point, const Machine& machine) const {
    const generators::StageArguments arguments = inputs_at(point, {}).stage;
    generators::check(arguments);
    check_ranks(arguments.world(), machine, "the plan");
    return workload_from(generators::generate(arguments), workload_options(machine));
}

StepInputs PointRunner::step_at(const Point& point) const {
    generators::Plan open;
    open.micro_batch = 0;
    StepInputs step = inputs_at(point, {models_.at(space_.find(point, "model")->text), open, {}});
    step.plan = generators::resolve_plan(step.model, step.plan);
    return step;
}

engine::Workload PointRunner::generated_step(const Point& point, const Machine& machine) const {
    const StepInputs step = step_at(point);
    check_ranks(step.plan.world(), machine, "the plan");
    return workload_from(generators::generate(step.model, step.plan), workload_options(machine));
}

engine::Workload PointRunner::benchmark(const Point& point, const Machine& machine) const {
    generators::CollectiveBenchmark benchmark;
    const auto type = static_cast<std::size_t>(*space_.find(point, "type")->number);
    benchmark.type = generators::benchmark_types()[type].second;
    benchmark.size = Bytes(*space_.find(point, "size")->number);
    benchmark.npus = static_cast<std::int32_t>(machine.network.graph.npus());
    if (const Value* repeat = space_.find(point, "repeat")) {
        benchmark.repeat = static_cast<std::int32_t>(*repeat->number);
    }
    return workload_from(generators::generate(benchmark), workload_options(machine));
}

}  // namespace npunet::study
