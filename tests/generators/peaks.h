// Peaks of memory that simulations of generated steps report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "tests/generators/parallel_plans.h"
#include "tests/support/runs.h"

namespace npunet::generators {

/// Peak of every rank in a simulation.
inline std::vector<std::int64_t> simulated_peaks(const ModelSpec& model, const Plan& plan) {
    test::TestMachine machine =
        test::ring_machine(plan.world(), Rate(50'000'000'000), Time::ns(500));
    machine.system.roofline = true;
    machine.system.compute = {100.0, 1000.0};
    machine.system.track_memory = true;
    engine::WorkloadOptions options;
    options.collectives_in_program_order = true;
    options.tensors = true;
    options.network = &machine.network;
    const engine::Workload workload = study::workload_from(generate(model, plan), options);
    std::vector<std::int64_t> peaks;
    for (const engine::NpuResult& npu : test::run(workload, machine).npus) {
        peaks.push_back(npu.peak_memory.value());
    }
    return peaks;
}

/// Every rank has the peak of its own estimate, and the stage's is the largest of them.
inline void expect_predicted_peaks(const ModelSpec& model, const Plan& plan) {
    std::vector<std::int64_t> largest(static_cast<std::size_t>(plan.pp));
    const std::vector<StageMemory> stages = memory_of_stages(model, plan);
    const std::vector<std::int64_t> peaks = simulated_peaks(model, plan);
    std::optional<MoeAmounts> moe;
    if (model.moe.experts > 0) {
        moe.emplace(model, plan);
    }
    const AxisGrid grid = decoder_grid(plan);
    for (std::size_t r = 0; r < peaks.size(); ++r) {
        const Rank rank(static_cast<std::int32_t>(r));
        const std::int64_t stage = grid.coordinate(rank, GridAxis::Pipeline);
        const StageMemory own = memory_of_rank(model, plan, moe ? &*moe : nullptr, rank);
        EXPECT_EQ(own.stage, stage);
        EXPECT_EQ(own.peak(), peaks[r])
            << model.name << " rank " << r << ": " << full_description(plan);
        largest[static_cast<std::size_t>(stage)] =
            std::max(largest[static_cast<std::size_t>(stage)], peaks[r]);
    }
    for (std::size_t p = 0; p < stages.size(); ++p) {
        EXPECT_EQ(stages[p].peak(), largest[p]) << full_description(plan);
        EXPECT_EQ(stages[p].peak(), peaks[stages[p].rank.index()]);
    }
}

}  // namespace npunet::generators
