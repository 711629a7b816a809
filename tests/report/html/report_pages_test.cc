// The pages of runs and of comparisons have the numbers of the CSV files and of the JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/simulated_timeline.h"
#include "base/units.h"
#include "report/comparison/compare_table.h"
#include "report/html/report_pages.h"
#include "report/results/csv.h"
#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"
#include "tests/report/sample_results.h"

namespace npunet::report::report_pages_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

/// Column `name` of a table, as the data for the script has it.
std::vector<std::string> column(const Element& table, const std::string& name) {
    const std::vector<const Element*> heads = table.all("thead").at(0)->all("th");
    const Json data = Json::parse(table.all("script").at(0)->text());
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (heads[i]->text() != name) {
            continue;
        }
        std::vector<std::string> cells;
        std::istringstream stream(data[i]["cells"].get<std::string>());
        for (std::string cell; stream >> cell;) {
            cells.push_back(data[i]["kind"] == "text"
                                ? data[i]["texts"].at(std::stoul(cell)).get<std::string>()
                                : cell);
        }
        return cells;
    }
    ADD_FAILURE() << "no column " << name;
    return {};
}

/// A column of a CSV file without quoted fields.
std::vector<std::string> csv_column(const std::string& csv, std::size_t number) {
    std::vector<std::string> cells;
    std::istringstream lines(csv.substr(csv.find('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string field;
        for (std::size_t i = 0; i <= number; ++i) {
            std::getline(fields, field, ',');
        }
        cells.push_back(field);
    }
    return cells;
}

std::vector<std::string> section_ids(const Element& page) {
    std::vector<std::string> ids;
    for (const Element* section : page.all("section")) {
        ids.push_back(section->attribute("id"));
    }
    return ids;
}

TEST(ResultsPage, HasTheNumbersOfTheCsvFiles) {
    const engine::Results results = large_results(70, 90);
    const Element page = parsed(results_page(results, {}));
    EXPECT_THAT(section_ids(page),
                ElementsAre("summary", "npus", "timeline", "collectives", "links"));
    const Element& npus = page.with_id("npus-table");
    EXPECT_EQ(column(npus, "finish"), csv_column(npus_csv(results), 2));
    EXPECT_EQ(column(npus, "exposed communication"), csv_column(npus_csv(results), 5));
    EXPECT_EQ(column(npus, "idle"), csv_column(npus_csv(results), 7));
    const Element& collectives = page.with_id("collectives-table");
    EXPECT_EQ(column(collectives, "end"), csv_column(collectives_csv(results), 8));
    EXPECT_EQ(column(collectives, "bandwidth (GB/s)"), csv_column(collectives_csv(results), 9));
    // Sorted, as links stand in another order here.
    EXPECT_THAT(column(page.with_id("links-table"), "busy"),
                testing::UnorderedElementsAreArray(csv_column(links_csv(results), 4)));
}

TEST(ResultsPage, BeginsWithTheBusiestLinks) {
    const Element page = parsed(results_page(sample_results(), {}));
    EXPECT_THAT(column(page.with_id("links-table"), "from"), ElementsAre("npu1", "npu0", "npu2"));
    EXPECT_THAT(column(page.with_id("links-table"), "busy"), ElementsAre("500", "200", "0"));
}

TEST(ResultsPage, TellsWhatWasSimulated) {
    const Element page =
        parsed(results_page(sample_results(), {{"--network", "a <b>.yml"}, {"--no-fold", ""}}));
    EXPECT_THAT(page.all("dl").at(0)->text(), HasSubstr("1.000 us (1000.25 ns)"));
    EXPECT_THAT(page.all("dl").at(0)->text(), HasSubstr("packet"));
    EXPECT_THAT(column(page.with_id("inputs-table"), "option"),
                ElementsAre("--network", "--no-fold"));
    EXPECT_THAT(column(page.with_id("inputs-table"), "value"), ElementsAre("a <b>.yml", ""));
}

TEST(ResultsPage, TellsTheRatesOfAStep) {
    engine::Results results = sample_results();
    results.rates = sample_rates();
    const std::string facts = parsed(results_page(results, {})).all("dl").at(0)->text();
    EXPECT_THAT(facts, HasSubstr("15084"));
    EXPECT_THAT(facts, HasSubstr("42.6% of 989 TFLOP/s (bf16 of h100-sxm5-80gb)"));
}

// The same results give the same page, whatever the run took.
TEST(ResultsPage, DependsOnTheResultsAlone) {
    engine::Results results = sample_results();
    const std::string page = results_page(results, {});
    results.wall_seconds *= 2;
    results.events += 1;
    EXPECT_EQ(results_page(results, {}), page);
}

TEST(ResultsPage, HoldsHostileNames) {
    const Element page = parsed(results_page(hostile_results(), {}));
    const std::vector<std::string> names = column(page.with_id("collectives-table"), "name");
    for (const std::string& text : hostile_texts()) {
        EXPECT_THAT(names, testing::Contains(text));
    }
    EXPECT_EQ(page.all("h1").size(), 1U);
    EXPECT_TRUE(page.all("img").empty());
}

TEST(ResultsPage, OfJobsTellsWhenEachRan) {
    const engine::JobsResults results = sample_jobs();
    const Element page = parsed(results_page(results, {}));
    EXPECT_THAT(section_ids(page), ElementsAre("summary", "jobs", "links"));
    const Element& jobs = page.with_id("jobs-table");
    EXPECT_THAT(column(jobs, "job"), ElementsAre("first", "second"));
    EXPECT_THAT(column(jobs, "start"), ElementsAre("0", "250"));
    EXPECT_THAT(column(jobs, "duration"), ElementsAre("1000.25", "750.25"));
    const analysis::RunTimeline timeline = analysis::simulated_timeline(results.jobs[1].results);
    EXPECT_THAT(section_ids(parsed(job_page(results.jobs[1], timeline, {}))),
                ElementsAre("summary", "npus", "timeline", "collectives"));
}

// A time of the JSON as it stands there: its text, which a double would round.
std::string in_json(const std::string& json, const std::string& object, const std::string& key) {
    const std::size_t from = json.find('"' + object + "\": {");
    const std::size_t at = json.find('"' + key + "\": ", from) + key.size() + 4;
    return json.substr(at, json.find_first_of(",}", at) - at);
}

TEST(ComparisonPage, HasThePartsOfTheJson) {
    const SampleComparison sample = sample_comparison();
    const std::string json = compare_json(sample.runs, Bytes(1), &sample.why);
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    EXPECT_EQ(section_ids(page).front(), "gap");
    const Element& parts = page.with_id("parts-table");
    std::vector<std::string> total;
    std::vector<std::string> path;
    for (const auto& [name, part] : gap_parts) {
        total.push_back(in_json(json, "gap_ns", name));
        path.push_back(in_json(json, "path_gap_ns", name));
    }
    total.emplace_back("-");
    path.push_back(in_json(json, "path_gap_ns", "slack"));
    EXPECT_EQ(column(parts, "difference"), total);
    EXPECT_EQ(column(parts, "along the critical path"), path);
    EXPECT_EQ(parts.all("tfoot").at(0)->text(), "sum200.25 ns100.000200.25 ns\n");
}

TEST(ComparisonPage, HasTheRatesOfEachRun) {
    SampleComparison sample = sample_comparison();
    sample.runs[1].rates = sample_rates();
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    EXPECT_THAT(page.with_id("fidelities").text(), HasSubstr("15084 tokens/s"));
}

TEST(ComparisonPage, HasTheNeighboursOfThreeFidelities) {
    SampleComparison sample = sample_comparison();
    EXPECT_THAT(comparison_page(sample.runs, sample.why, {}), Not(HasSubstr("neighbours-table")));
    sample.runs.insert(sample.runs.begin() + 1, sample.runs[0]);
    sample.runs[1].fidelity = "fluid";
    sample.runs[1].finish += Time::ns(200);
    sample.why.neighbours = {{"analytical", "fluid", {}, {}}, {"fluid", "packet", {}, {}}};
    sample.why.neighbours[0].gap.contention = Time::ns(200);
    sample.why.neighbours[1].gap.dependency = Time::ps(250);
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    const Element& table = page.with_id("neighbours-table");
    EXPECT_THAT(column(table, "from"), ElementsAre("analytical", "fluid"));
    EXPECT_THAT(column(table, "to"), ElementsAre("fluid", "packet"));
    EXPECT_THAT(column(table, "ratio"), ElementsAre("1.25", "1.00025"));
    EXPECT_THAT(column(table, "difference"), ElementsAre("200", "0.25"));
    EXPECT_THAT(column(table, "contention"), ElementsAre("200", "0"));
}

TEST(ComparisonPage, HasEveryCollectiveOfTheJson) {
    const SampleComparison sample = sample_comparison();
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    const Element& delays = page.with_id("delays-table");
    const std::vector<std::string> names = column(delays, "name");
    const std::vector<std::string> later = column(delays, "ends later");
    ASSERT_EQ(names.size(), sample.why.communications.size());
    for (const CommunicationGap& communication : sample.why.communications) {
        const auto row = static_cast<std::size_t>(
            std::find(names.begin(), names.end(), communication.name) - names.begin());
        ASSERT_LT(row, names.size());
        EXPECT_EQ(later[row], format_ns(communication.gap.total()));
        EXPECT_EQ(column(delays, "header")[row], format_ns(communication.gap.header));
        EXPECT_EQ(column(delays, "start")[row], format_ns(communication.start));
        EXPECT_EQ(column(delays, "critical path")[row], communication.critical ? "yes" : "");
    }
    EXPECT_THAT(column(page.with_id("contention-table"), "from"), ElementsAre(hostile_texts()[0]));
    EXPECT_THAT(column(page.with_id("contention-table"), "together"), ElementsAre("40"));
}

// The sequence of effect levels leads from the estimate to the packet run: its steps sum to the
// difference.
TEST(ComparisonPage, HasTheEffectLevels) {
    const SampleComparison sample = sample_comparison();
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    EXPECT_THAT(column(page.with_id("effect-levels-table"), "finish"),
                ElementsAre("800", "820", "760", "910", "940", "1000.25"));
    EXPECT_THAT(column(page.with_id("effect-levels-table"), "by dependency"),
                ElementsAre("0", "0", "0", "0", "0", "60.25"));
}

// Two figures: the parts lead from 800 ns to 1000.25 ns, and so do the effect levels.
TEST(ComparisonPage, DrawsThePartsAndTheEffectLevels) {
    const SampleComparison sample = sample_comparison();
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    const std::vector<const Element*> figures = page.with_id("gap").all("figure");
    ASSERT_EQ(figures.size(), 2U);
    const auto labels = [](const Element& figure) {
        std::vector<std::string> texts;
        for (const Element* text : figure.having("class", "value")) {
            texts.push_back(text->text());
        }
        return texts;
    };
    EXPECT_THAT(labels(*figures[0]), ElementsAre("800 ns", "+20 ns", "-60 ns", "+150 ns", "+30 ns",
                                                 "0 ns", "+60.25 ns", "1.000 us"));
    EXPECT_THAT(labels(*figures[1]), ElementsAre("800 ns", "+20 ns", "-60 ns", "+150 ns", "+30 ns",
                                                 "+60.25 ns", "1.000 us"));
}

// Without link contention there are no columns for it.
TEST(ComparisonPage, HasNoLinkContentionWhereThereWasNone) {
    SampleComparison sample = sample_comparison();
    const auto has_contention = [&sample] {
        const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
        return page.with_id("delays-table").all("thead").at(0)->text().find("contending with") !=
               std::string::npos;
    };
    EXPECT_TRUE(has_contention());
    for (CommunicationGap& communication : sample.why.communications) {
        communication.link_contention.clear();
    }
    EXPECT_FALSE(has_contention());
}

// What had no isolated run has no cost by others; a part that is 0 for all has no column.
TEST(ComparisonPage, LeavesOutWhatIsNotKnown) {
    SampleComparison sample = sample_comparison();
    for (CommunicationGap& communication : sample.why.communications) {
        communication.measured = false;
        communication.gap.latency = Time();
    }
    const Element page = parsed(comparison_page(sample.runs, sample.why, {}));
    const Element& delays = page.with_id("delays-table");
    EXPECT_EQ(column(delays, "cost by others").front(), "-");
    for (const Element* head : delays.all("thead").at(0)->all("th")) {
        EXPECT_NE(head->text(), "latency (ns)");
    }
    EXPECT_THAT(page.with_id("delays").text(), HasSubstr("have no column: latency."));
}

}  // namespace
}  // namespace npunet::report::report_pages_test
