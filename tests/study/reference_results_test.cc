// The astra-sim dialect against the recorded results of the reference simulator, on its
// congestion-unaware and its congestion-aware network: every case of the shared data whose traces
// lie in the folder. All ranks, all figures, exactly.
// The counts recorded here may only grow.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "study/simulation_run.h"

namespace npunet::study {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json read_json(const fs::path& path) {
    std::ifstream stream(path);
    return json::parse(stream);
}

struct Case {
    fs::path folder;
    std::size_t dimensions;
};

/// The cases that finish in the reference, by the file with its results.
std::vector<Case> selected_cases(const char* results) {
    std::vector<Case> cases;
    for (const char* kind : {"micro", "transformer"}) {
        for (const auto& entry :
             fs::directory_iterator(fs::path(NPUNET_SHARED_DIR) / "data/system" / kind)) {
            const fs::path folder = entry.path();
            if (!fs::exists(folder / "w.0.et") || !fs::exists(folder / results)) {
                continue;
            }
            const json expected = read_json(folder / results);
            const topology::NetworkDescription network = topology::read_network(
                (folder / "network.yml").string(), topology::GigaByte::Binary, true);
            if (expected["rc"] == 0) {
                cases.push_back({folder, network.dimensions.size()});
            }
        }
    }
    std::sort(cases.begin(), cases.end(),
              [](const Case& a, const Case& b) { return a.folder < b.folder; });
    return cases;
}

std::int64_t ns(Time time) {
    return time.ps() / 1000;
}

double three_decimals(double value) {
    return std::round(value * 1000) / 1000;
}

void expect_rank(const engine::NpuResult& npu, const json& expected) {
    EXPECT_EQ(ns(npu.finish), expected["finished"].get<std::int64_t>());
    EXPECT_EQ(ns(npu.finish), expected["wall"].get<std::int64_t>());
    EXPECT_EQ(ns(npu.exposed_communication), expected["exposed"].get<std::int64_t>());
    EXPECT_EQ(ns(npu.compute), expected.value("gpu", std::int64_t{0}));
    EXPECT_EQ(ns(npu.communication), expected.value("comm", std::int64_t{0}));
    EXPECT_DOUBLE_EQ(three_decimals(npu.compute_bound_percent), expected["compute_bound_pct"]);
    EXPECT_DOUBLE_EQ(three_decimals(npu.compute_utilization_percent), expected["compute_util_pct"]);
    EXPECT_DOUBLE_EQ(three_decimals(npu.memory_utilization_percent), expected["mem_util_pct"]);
    EXPECT_DOUBLE_EQ(three_decimals(npu.operation_intensity), expected["op_intensity"]);
    if (expected.contains("peak_mem")) {
        EXPECT_EQ(npu.peak_memory.value(), expected["peak_mem"].get<std::int64_t>());
    }
}

void expect_case(const fs::path& folder, const char* results_file, Fidelity fidelity) {
    SCOPED_TRACE(folder.filename().string());
    const Machine machine = load_machine((folder / "network.yml").string(),
                                         (folder / "system.json").string(), "astra-sim");
    const engine::Workload workload =
        load_workload_for(machine, (folder / "w").string(),
                          fs::exists(folder / "w.json") ? (folder / "w.json").string() : "");
    const engine::Results results = simulate(workload, machine, fidelity);
    const json expected = read_json(folder / results_file)["ranks"];
    ASSERT_EQ(results.npus.size(), expected.size());
    for (const engine::NpuResult& npu : results.npus) {
        SCOPED_TRACE("rank " + std::to_string(npu.rank.value()));
        expect_rank(npu, expected[std::to_string(npu.rank.value())]);
    }
}

bool data_is_absent() {
    return !fs::exists(fs::path(NPUNET_SHARED_DIR) / "data/system");
}

TEST(ReferenceResults, EveryCaseIsExact) {
    if (data_is_absent()) {
        GTEST_SKIP() << "the shared data folder is absent: " << NPUNET_SHARED_DIR;
    }
    constexpr std::size_t recorded_one_dimension = 39;
    constexpr std::size_t recorded_all = 78;
    const std::vector<Case> cases = selected_cases("expected.json");
    std::size_t one_dimension = 0;
    for (const auto& [folder, dimensions] : cases) {
        one_dimension += dimensions == 1 ? 1 : 0;
        expect_case(folder, "expected.json", Fidelity::Analytical);
    }
    std::cout << "reference cases run: " << cases.size() << ", of one dimension: " << one_dimension
              << '\n';
    EXPECT_GE(one_dimension, recorded_one_dimension);
    EXPECT_GE(cases.size(), recorded_all);
}

// The reference's congestion-aware network knows one dimension only.
TEST(ReferenceResults, EveryCongestionAwareCaseIsExact) {
    if (data_is_absent()) {
        GTEST_SKIP() << "the shared data folder is absent: " << NPUNET_SHARED_DIR;
    }
    constexpr std::size_t recorded = 36;
    const std::vector<Case> cases = selected_cases("expected_aware.json");
    for (const auto& [folder, dimensions] : cases) {
        EXPECT_EQ(dimensions, 1U) << folder;
        expect_case(folder, "expected_aware.json", Fidelity::CongestionAware);
    }
    std::cout << "congestion-aware reference cases run: " << cases.size() << '\n';
    EXPECT_GE(cases.size(), recorded);
}

}  // namespace
}  // namespace npunet::study
