// Two results.json side by side: every figure is that of the files.
#include "report/comparison/results_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "report/results/results_json.h"
#include "tests/report/sample_results.h"
#include "tests/support/temporary_folder.h"

namespace npunet::report::results_comparison_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

class ResultsComparison : public testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        return folder_.write(name, text).string();
    }
    /// What read_figures() says against a file of this text.
    [[nodiscard]] std::string complaint(const std::string& text) const {
        try {
            static_cast<void>(read_figures(file("wrong.json", text)));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    const test::TemporaryFolder folder_;
};

/// The value at a path of keys with dots between them; of link classes by their name.
double value_at(const Json& document, std::string path) {
    const std::string links = "link_classes.";
    if (path.rfind(links, 0) == 0) {
        const std::size_t dot = path.rfind('.');
        for (const Json& one : document["link_classes"]) {
            if (one["class"] == path.substr(links.size(), dot - links.size())) {
                return one[path.substr(dot + 1)];
            }
        }
        return -1;
    }
    std::replace(path.begin(), path.end(), '.', '/');
    // A dimension that does not communicate is left out.
    const Json::json_pointer place("/" + path);
    return path.find("by_dimension") != std::string::npos && !document.contains(place)
               ? 0.0
               : document.at(place).get<double>();
}

TEST_F(ResultsComparison, HasTheFiguresOfBothFiles) {
    engine::Results second = sample_results();
    second.rates = sample_rates();
    second.finish = 2 * second.finish;
    const std::string texts[] = {results_json(sample_results()), results_json(second)};
    const ResultsPair both(read_figures(file("a.json", texts[0])),
                           read_figures(file("b.json", texts[1])));
    const Json json = Json::parse(results_pair_json(both));
    EXPECT_THAT(json["files"][0]["file"].get<std::string>(), HasSubstr("a.json"));
    EXPECT_EQ(json["files"][1]["fidelity"], second.fidelity);
    ASSERT_GT(json["rows"].size(), 8U);
    for (const Json& row : json["rows"]) {
        for (std::size_t run = 0; run < 2; ++run) {
            if (!row["values"][run].is_null()) {
                EXPECT_DOUBLE_EQ(row["values"][run], value_at(Json::parse(texts[run]), row["key"]))
                    << row;
            }
        }
        EXPECT_EQ(row.contains("difference"),
                  !row["values"][0].is_null() && !row["values"][1].is_null());
    }
    EXPECT_EQ(json["rows"][0]["key"], "finish_ns");
    EXPECT_EQ(json["rows"][0]["difference"], json["rows"][0]["values"][0]);
    // Only the second file has it; it stands where that has it.
    EXPECT_EQ(json["rows"][1]["key"], "tokens_per_s");
    EXPECT_TRUE(json["rows"][1]["values"][0].is_null());
    const std::string table = results_pair_table(both);
    EXPECT_THAT(table, ContainsRegex("step time .*\\+100\\.0%"));
    EXPECT_THAT(table, ContainsRegex("tokens/s +- +[0-9]+ +- +-"));
    EXPECT_THAT(table, ContainsRegex("  of [TDE]P "));
    EXPECT_THAT(table, HasSubstr("busiest link"));
    EXPECT_THAT(table, Not(HasSubstr("nan")));
    EXPECT_THAT(results_pair_html(both), HasSubstr("results-table"));
}

TEST_F(ResultsComparison, FiguresHaveTheirUnits) {
    using Unit = ResultsFigure::Unit;
    EXPECT_EQ(format_figure(Unit::Nanoseconds, 1'234'000), "1.234 ms");
    EXPECT_EQ(format_difference(Unit::Nanoseconds, -1'234'000), "-1.234 ms");
    EXPECT_EQ(format_figure(Unit::Bytes, 1 << 20), "1 MiB");
    EXPECT_EQ(format_figure(Unit::Percent, 41.25), "41.2%");
    EXPECT_EQ(format_difference(Unit::Percent, -1.5), "-1.5 points");
    EXPECT_EQ(format_difference(Unit::Number, 12), "+12");
}

TEST_F(ResultsComparison, AFileAndItselfDiffersNowhere) {
    const std::string text = results_json(sample_results());
    const ResultsPair both(read_figures(file("a.json", text)), read_figures(file("a.json", text)));
    EXPECT_THAT(both.runs[0].label, HasSubstr("a.json (1)"));
    for (const ComparedFigure& row : both.rows) {
        EXPECT_EQ(row.values[0], row.values[1]);
    }
}

TEST_F(ResultsComparison, SaysWhatIsPartial) {
    engine::Results part = sample_results();
    part.partial = engine::Partial{part.finish, "interrupted by signal 2", 3, 10};
    const ResultsPair both(read_figures(file("a.json", results_json(sample_results()))),
                           read_figures(file("b.json", results_json(part))));
    EXPECT_THAT(results_pair_table(both), HasSubstr("b.json are partial: interrupted by signal 2"));
    EXPECT_EQ(Json::parse(results_pair_json(both))["files"][1]["partial"],
              "interrupted by signal 2");
}

TEST_F(ResultsComparison, NamesTheFileAndWhatItIs) {
    EXPECT_THAT(complaint("no json"), AllOf(HasSubstr("wrong.json"), HasSubstr("not JSON")));
    EXPECT_THAT(complaint("[1]"), HasSubstr("not an object"));
    EXPECT_THAT(complaint("{}"), HasSubstr("an empty object"));
    EXPECT_THAT(complaint(R"({"peak-perf": 312, "local-mem-bw": 2039})"),
                AllOf(HasSubstr("'peak-perf', 'local-mem-bw'"),
                      HasSubstr("expected the results.json of one run of npunet simulate")));
    EXPECT_THAT(complaint(R"({"schema": 1, "points": []})"), HasSubstr("the results of a sweep"));
    EXPECT_THAT(complaint(R"({"runs": {}})"), HasSubstr("the results of a comparison"));
    Json document = Json::parse(results_json(sample_results()));
    document["schema"] = 2;
    EXPECT_THAT(complaint(document.dump()), HasSubstr("schema 2"));
    document["schema"] = 1;
    document["finish_ns"] = "soon";
    EXPECT_THAT(complaint(document.dump()), HasSubstr("finish_ns"));
    document["finish_ns"] = 5;
    document["link_classes"] = Json::parse("[7]");
    EXPECT_THAT(complaint(document.dump()), HasSubstr("link_classes with 7"));
    EXPECT_THROW(static_cast<void>(read_figures(folder_ / "missing.json")), InputError);
}

}  // namespace
}  // namespace npunet::report::results_comparison_test
