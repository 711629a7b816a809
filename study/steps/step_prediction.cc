#include "study/steps/step_prediction.h"

#include <cmath>
#include <memory>
#include <utility>

#include "engine/collective_library/library_profile.h"
#include "engine/device/device_profile.h"
#include "generators/transformer/model_flops.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "topology/builders/builder.h"
#include "topology/network/reducing_switches.h"

namespace npunet::study {

namespace {

// Of a message; collectives have those of the library. About those of NVSwitch and of one or two
// switches of InfiniBand.
constexpr Time near_latency = Time::ns(500);
constexpr Time far_latency = Time::ns(2000);

Rate rate_of(double gb_s) {
    return Rate(std::llround(gb_s * 1e9));
}

std::shared_ptr<const engine::LibraryInUse> library_of(const std::string& gpu) {
    std::vector<std::string> warnings;
    const engine::LibraryProfile profile = engine::find_library_profile("nccl-2.29", "", warnings);
    return std::make_shared<const engine::LibraryInUse>(
        engine::library_in_use(profile, profile.gpu(gpu, profile.file, "gpu")));
}

/// FLOPs of the step that are executed: of a layer that is recomputed in full the forward pass
/// twice (Narayanan et al. 2021, eq. 3).
double executed_flops(const MeasuredStep& step) {
    const generators::Plan plan = generators::resolve_plan(step.model, step.plan);
    const double all = static_cast<double>(generators::model_flops(step.model, plan).megatron);
    if (plan.recompute != generators::Recompute::Full) {
        return all;
    }
    const double head = 6 * step.tokens() * static_cast<double>(step.model.hidden) *
                        static_cast<double>(generators::padded_vocab(step.model, plan.tp));
    return head + (all - head) * 4 / 3;
}

/// Work of a step over its time, in the base unit, times seconds.
double work_of(const MeasuredStep& step) {
    const auto gpus = static_cast<double>(step.gpus);
    switch (step.quantity) {
        case StepQuantity::TokensPerGpu:
            return step.tokens() / gpus;
        case StepQuantity::Sequences:
            return static_cast<double>(step.plan.batch);
        case StepQuantity::AchievedTflops:
            return executed_flops(step) / gpus / 1e12;
        case StepQuantity::Mfu: {
            const engine::DeviceProfile device = engine::load_device_profile(step.device);
            const double peak = device.peak_tflops.at(engine::DataType::Bf16) * 1e12;
            const generators::Plan plan = generators::resolve_plan(step.model, step.plan);
            return 100 * static_cast<double>(generators::model_flops(step.model, plan).megatron) /
                   gpus / peak;
        }
        default:
            return 1;
    }
}

/// Scalars that are left out.
void leave_out(Ingredient what, engine::StackProfile& stack) {
    for (auto& [device, scalars] : stack.devices) {
        const engine::StackScalars none;
        if (what == Ingredient::ComputeRate) {
            scalars.compute_rate = none.compute_rate;
        } else if (what == Ingredient::MemoryTime) {
            scalars.memory_time = none.memory_time;
        } else if (what == Ingredient::TensorOverlap) {
            scalars.tensor_overlap = none.tensor_overlap;
        }
    }
}

void leave_out(Ingredient what, const MeasuredStep& step, Machine& machine) {
    if (what == Ingredient::KernelRates) {
        const auto& peaks = machine.system.device->peak_tflops;
        machine.system.compute.peak_tflops =
            peaks.at(step.fp8 ? engine::DataType::Fp8 : engine::DataType::Bf16);
        machine.system.device = nullptr;
        machine.system.stack = nullptr;
    } else if (what == Ingredient::LibraryCosts) {
        machine.system.library = nullptr;
    } else if (what == Ingredient::LoadedRates) {
        auto rested = std::make_shared<engine::DeviceProfile>(*machine.system.device);
        for (auto& [type, rates] : rested->matmul) {
            rates.loaded_rate = 1;
        }
        machine.system.device = std::move(rested);
    }
}

void leave_out(Ingredient what, generators::Plan& plan) {
    if (what == Ingredient::StepOperations) {
        plan.step_ops = generators::StepOps::Core;
    } else if (what == Ingredient::GradientOverlap) {
        plan.overlap_grad_reduce = false;
        plan.overlap_param_gather = false;
    }
}

}  // namespace

Machine machine_of(const MeasuredStep& step, const engine::StackProfile& stack) {
    Machine machine;
    machine.dialect = engine::Dialect::named("npunet");
    std::vector<topology::Dimension> dimensions;
    const auto add = [&](std::int64_t size, double gb_s, Time latency) {
        if (size > 1) {
            dimensions.push_back(topology::make_dimension(topology::DimensionKind::Switch,
                                                          static_cast<std::int32_t>(size),
                                                          rate_of(gb_s), latency));
        }
    };
    add(step.domain, step.intra_gb_s, near_latency);
    add(step.gpus / step.domain, step.inter_gb_s, far_latency);
    machine.network = topology::make_network(std::move(dimensions));
    machine.system = engine::default_system_config(machine.dialect);
    const auto device =
        std::make_shared<const engine::DeviceProfile>(engine::load_device_profile(step.device));
    machine.system.device = device;
    machine.system.stack = std::make_shared<const engine::StackProfile>(stack);
    machine.system.compute = {device->peak_tflops.at(engine::DataType::Bf16),
                              device->memory_bandwidth};
    machine.system.roofline = true;
    machine.system.library = library_of(step.library_gpu);
    // NVSwitches of Hopper and later; the A100's do not.
    if (step.domain > 1 && machine.system.library->model.architecture().nvls_channels > 0) {
        topology::let_switches_of_dimension_reduce(0, {}, machine.network);
    }
    return machine;
}

generators::Plan plan_of(const MeasuredStep& step, const engine::StackProfile& stack) {
    generators::Plan plan = step.plan;
    plan.step_ops = generators::StepOps::Full;
    plan.precision = step.fp8 ? generators::Precision::Fp8 : generators::Precision::Bf16;
    plan.tp_comm_overlap = stack.scalars_of(step.device).tensor_overlap;
    plan.overlap_grad_reduce = plan.zero > 0 && stack.overlaps_gradients;
    plan.overlap_param_gather = plan.zero > 0 && plan.zero < 3 && stack.overlaps_parameters;
    return plan;
}

double predicted_seconds(const MeasuredStep& step, const engine::StackProfile& stack,
                         const StepOptions& options) {
    engine::StackProfile used = stack;
    if (!options.scalars) {
        used.devices.clear();
    }
    if (options.without) {
        leave_out(*options.without, used);
    }
    Machine machine = machine_of(step, used);
    generators::Plan plan = plan_of(step, used);
    if (options.without) {
        leave_out(*options.without, step, machine);
        leave_out(*options.without, plan);
    }
    const engine::Workload workload =
        workload_from(generators::generate(step.model, plan), workload_options(machine));
    RunOptions run;
    run.timeline = false;
    run.collectives = false;
    const engine::Results results = simulate(workload, machine, options.fidelity, run);
    return static_cast<double>(results.finish.ps()) * 1e-12;
}

double in_unit_of(const MeasuredStep& step, double seconds) {
    return step.quantity == StepQuantity::Time ? seconds / step.unit_factor
                                               : work_of(step) / seconds / step.unit_factor;
}

double measured_seconds(const MeasuredStep& step) {
    const double value = step.value * step.unit_factor;
    return step.quantity == StepQuantity::Time ? value : work_of(step) / value;
}

}  // namespace npunet::study
