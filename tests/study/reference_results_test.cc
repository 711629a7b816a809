// The astra-sim dialects against the recorded results of the reference simulator, on its
// congestion-unaware and its congestion-aware network: every case of the shared data, from the
// traces that lie in its folder, and from what the stage dialect generates for the arguments that
// stand there. All ranks, all figures, exactly; where the reference stalls, so does the dialect.
// The counts recorded here may only grow.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "generators/stage/stage_workload.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/counted_cases.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/stage_cases.h"

namespace npunet::study::reference_results_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using test::read_json;

enum class Origin { Files, Generated };

struct Case {
    fs::path folder;
    fs::path expected;
    std::size_t dimensions;
    Origin origin;
};

/// Of the file that holds the results of a dialect. One folder states its dialect itself.
fs::path results_of(const fs::path& folder, const std::string& dialect, Fidelity fidelity) {
    if (fidelity == Fidelity::CongestionAware) {
        return folder / "expected_aware.json";
    }
    std::string own = "astra-sim";
    if (const fs::path meta = folder / "meta.json"; fs::exists(meta)) {
        own = read_json(meta).value("dialect", own);
    }
    return folder / (dialect == own ? "expected.json" : "expected_2025-03.json");
}

bool has_workload(const fs::path& folder, Origin origin) {
    return origin == Origin::Files ? fs::exists(folder / "w.0.et")
                                   : test::stage_arguments(folder).has_value();
}

std::vector<Case> selected_cases(const std::string& dialect, Fidelity fidelity, Origin origin) {
    const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/system";
    std::vector<fs::path> folders{data / "published_sanity"};
    for (const char* kind : {"micro", "transformer"}) {
        for (const auto& entry : fs::directory_iterator(data / kind)) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    std::vector<Case> cases;
    for (const fs::path& folder : folders) {
        const fs::path expected = results_of(folder, dialect, fidelity);
        if (!has_workload(folder, origin) || !fs::exists(expected)) {
            continue;
        }
        const topology::NetworkDescription network = topology::read_network(
            (folder / "network.yml").string(), topology::GigaByte::Binary, true);
        const json rc = read_json(expected)["rc"];
        if ((rc == 0 || rc == "stalls")) {
            cases.push_back({folder, expected, network.dimensions.size(), origin});
        }
    }
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

engine::Workload workload_of(const Case& entry, const Machine& machine) {
    const fs::path& folder = entry.folder;
    if (entry.origin == Origin::Generated) {
        const auto arguments = test::stage_arguments(folder);
        return workload_from(generators::generate(*arguments), workload_options(machine));
    }
    return load_workload_for(machine, (folder / "w").string(),
                             fs::exists(folder / "w.json") ? (folder / "w.json").string() : "");
}

void expect_case(const Case& entry, const std::string& dialect, Fidelity fidelity) {
    const fs::path& folder = entry.folder;
    const fs::path memory = folder / "remote_memory.json";
    const Machine machine =
        load_machine((folder / "network.yml").string(), (folder / "system.json").string(), dialect,
                     fs::exists(memory) ? memory.string() : "");
    const engine::Workload workload = workload_of(entry, machine);
    const json recorded = read_json(entry.expected);
    if (recorded["rc"] == "stalls") {
        EXPECT_THROW(static_cast<void>(simulate(workload, machine, fidelity)), StallError);
        return;
    }
    const engine::Results results = simulate(workload, machine, fidelity);
    const json& expected = recorded["ranks"];
    ASSERT_EQ(results.npus.size(), expected.size());
    for (const engine::NpuResult& npu : results.npus) {
        SCOPED_TRACE("rank " + std::to_string(npu.rank.value()));
        expect_rank(npu, expected[std::to_string(npu.rank.value())]);
    }
}

void expect_cases(const std::string& dialect, Fidelity fidelity, Origin origin,
                  std::size_t recorded_one_dimension, std::size_t recorded_all) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const std::vector<Case> cases = selected_cases(dialect, fidelity, origin);
    std::size_t one_dimension = 0;
    for (const Case& entry : cases) {
        SCOPED_TRACE(entry.folder.filename().string());
        one_dimension += entry.dimensions == 1 ? 1 : 0;
        expect_case(entry, dialect, fidelity);
    }
    std::cout << "reference cases run: " << cases.size() << ", of one dimension: " << one_dimension
              << '\n';
    test::count_cases(cases.size());
    EXPECT_GE(one_dimension, recorded_one_dimension);
    EXPECT_GE(cases.size(), recorded_all);
}

TEST(ReferenceResults, EveryCaseIsExact) {
    expect_cases("astra-sim", Fidelity::Analytical, Origin::Files, 39, 78);
}

// The reference's congestion-aware network knows one dimension only.
TEST(ReferenceResults, EveryCongestionAwareCaseIsExact) {
    expect_cases("astra-sim", Fidelity::CongestionAware, Origin::Files, 36, 36);
}

TEST(ReferenceResults, CasesOfTheEarlierIssueOrderAreExact) {
    expect_cases("astra-sim-2025-03", Fidelity::Analytical, Origin::Files, 9, 9);
}

TEST(ReferenceResults, EveryGeneratedCaseIsExact) {
    expect_cases("astra-sim", Fidelity::Analytical, Origin::Generated, 12, 21);
}

TEST(ReferenceResults, EveryGeneratedCongestionAwareCaseIsExact) {
    expect_cases("astra-sim", Fidelity::CongestionAware, Origin::Generated, 9, 9);
}

// Among them the published sanity check.
TEST(ReferenceResults, GeneratedCasesOfTheEarlierIssueOrderAreExact) {
    expect_cases("astra-sim-2025-03", Fidelity::Analytical, Origin::Generated, 10, 17);
}

// The endpoint delay 0 aborts the reference (its recorded exit code says so); here it is an error
// that names the way out, which then works.
TEST(ReferenceResults, EndpointDelayZeroIsRefused) {
    const fs::path folder = fs::path(NPUNET_SHARED_DIR) / "data/system/micro/m_r4xsw4_AR_ed0";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    EXPECT_EQ(read_json(folder / "expected.json")["rc"], 134);
    const auto load = [&](const std::string& dialect) {
        return load_machine((folder / "network.yml").string(), (folder / "system.json").string(),
                            dialect);
    };
    for (const char* dialect : {"astra-sim", "astra-sim-2025-03"}) {
        const InputProblem problem = test::problem_of([&] { return load(dialect); });
        EXPECT_EQ(problem.place, "endpoint-delay");
        EXPECT_NE(problem.remedy.find("--dialect npunet"), std::string::npos);
    }
    const Machine machine = load("npunet");
    const engine::Workload workload = load_workload_for(machine, (folder / "w").string(), "");
    EXPECT_GT(simulate(workload, machine, Fidelity::Analytical).finish, Time());
}

}  // namespace
}  // namespace npunet::study::reference_results_test
