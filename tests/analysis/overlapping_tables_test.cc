// The nine tables against the reference's own, and its numbers of slices against its CSV.
#include "analysis/overlapping_tables.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "profiles/profile_reader.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"

namespace npunet::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/profiler";

Json row_json(const EventTable& trace, const TableRow& row) {
    Json json = {
        {"ts_ns", trace.start_ns[row.kernel]},    {"dur_ns", trace.duration_ns[row.kernel]},
        {"name", trace.name_of(row.kernel)},      {"launch", trace.name_of(row.launch)},
        {"step_ts_ns", trace.start_ns[row.step]}, {"step_name", trace.name_of(row.step)}};
    if (row.recompute != no_event) {
        json["recompute_ts_ns"] = trace.start_ns[row.recompute];
        json["recompute_name"] = trace.name_of(row.recompute);
    } else {
        json["correlation"] = trace.correlation[row.kernel];
    }
    return json;
}

Json tables_json(const EventTable& trace) {
    const ReferenceView view = overlapping_tables(trace, PatternTable::of_traceviz());
    Json json = Json::object();
    for (std::size_t i = 0; i < kernel_table_count; ++i) {
        for (const TableRow& row : view.tables[i]) {
            json[std::string(name_of(static_cast<KernelTable>(i)))].push_back(row_json(trace, row));
        }
    }
    return json;
}

class OverlappingTablesOf : public testing::TestWithParam<std::string> {};

TEST_P(OverlappingTablesOf, AreTheReferences) {
    const fs::path folder = data / GetParam();
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::ifstream stream(folder / "expected_classification.json");
    const Json expected = Json::parse(stream);
    ASSERT_GT(expected.size(), 3U);
    for (const auto& [name, tables] : expected.items()) {
        SCOPED_TRACE(name);
        const EventTable trace = profiles::read_profile(folder / "iteration_15" / (name + ".json"));
        EXPECT_EQ(tables_json(trace), tables);
    }
    test::count_cases(expected.size());
}

INSTANTIATE_TEST_SUITE_P(EveryCase, OverlappingTablesOf,
                         testing::Values("pp2tp2dp1mb2", "pp2tp1dp2mb2", "edge"));

}  // namespace
}  // namespace npunet::analysis
