// The chart and the map inside pages: the data that their scripts draw.
#include "report/html/timeline_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "report/timeline/activity_grid.h"
#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report::chart_section_test {
namespace {

using analysis::RunTimeline;
using Json = nlohmann::ordered_json;

Json data_of(const std::string& html) {
    return Json::parse(parsed(html).all("script").at(0)->text());
}

std::vector<std::int64_t> numbers(const Json& text) {
    std::vector<std::int64_t> list;
    std::istringstream stream(text.get<std::string>());
    for (std::int64_t number = 0; stream >> number;) {
        list.push_back(number);
    }
    return list;
}

// Every interval: starts are differences within a row, so that their running sums are the starts.
TEST(ChartSection, HasTheIntervalsOfTheTimeline) {
    const RunTimeline timeline = sample_timeline();
    const Json data = data_of(chart_html({{"", &timeline}}));
    EXPECT_EQ(data["length_ps"], 200'000);
    EXPECT_EQ(data["rows"], Json::array({"0", "2"}));
    const Json& intervals = data["intervals"];
    EXPECT_EQ(numbers(intervals["counts"]), (std::vector<std::int64_t>{6, 3}));
    const std::vector<std::int64_t> steps = numbers(intervals["start"]);
    const std::vector<std::int64_t> lengths = numbers(intervals["length"]);
    const std::vector<std::int64_t> names = numbers(intervals["name"]);
    const std::vector<std::int64_t> kinds = numbers(intervals["activity"]);
    const std::vector<std::int64_t> bytes = numbers(intervals["bytes"]);
    ASSERT_EQ(steps.size(), timeline.intervals.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        start = (i == 6 ? 0 : start) + steps[i];
        EXPECT_EQ(start, timeline.intervals.start(i).ps());
        EXPECT_EQ(start + lengths[i], timeline.intervals.end(i).ps());
        EXPECT_EQ(intervals["names"][static_cast<std::size_t>(names[i])],
                  timeline.names[timeline.intervals.name(i)]);
        EXPECT_EQ(data["activities"][static_cast<std::size_t>(kinds[i])]["name"],
                  name_of(activity_of(timeline.intervals, i)));
        EXPECT_EQ(bytes[i], timeline.intervals.bytes(i).value());
    }
}

TEST(ChartSection, LegendHasWhatOccurs) {
    const RunTimeline timeline = sample_timeline();
    std::vector<std::string> legend;
    const Element page = parsed(chart_html({{"", &timeline}}));
    for (const Element* entry : page.all("li")) {
        legend.push_back(entry->text());
    }
    EXPECT_THAT(legend, testing::ElementsAre("forward", "optimizer", "TP", "PP", "DP"));
}

TEST(ChartSection, NamesThePanelsOfSeveralRuns) {
    const RunTimeline timeline = sample_timeline();
    const Json data = data_of(chart_html({{"a", &timeline}, {"b", &timeline}}));
    EXPECT_EQ(data["rows"], Json::array({"a 0", "a 2", "b 0", "b 2"}));
}

// 1024 ranks with 1.1 million intervals: a grid, each row of which covers all columns, and a page
// that is no burden.
TEST(ChartSection, LargeRunsAreGrids) {
    const RunTimeline timeline = step_timeline({8, 8, 16, 16, 14, 0});
    ASSERT_GT(timeline.intervals.size(), 900'000U);
    const std::string html = chart_html({{"", &timeline}});
    EXPECT_LT(html.size(), 12'000'000U);
    const Json data = data_of(html);
    EXPECT_FALSE(data.contains("intervals"));
    ASSERT_EQ(data["cells"].size(), 1024U);
    const ActivityGrid grid(timeline, {{Rank(5)}}, 1024, timeline.length);
    for (std::size_t band = 0; band < bands; ++band) {
        const std::string text = data["cells"][5][band];
        std::size_t column = 0;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t used = 0;
            const std::size_t count = std::stoul(text.substr(at), &used);
            at += used;
            const bool idle = text[at] == '-';
            for (std::size_t i = 0; i < count; ++i, ++column) {
                const ActivityGrid::Cell& cell = grid.cell(0, band, column);
                if (idle) {
                    EXPECT_EQ(cell.busy, 0);
                } else {
                    EXPECT_EQ('A' + static_cast<int>(cell.activity), text[at]);
                    EXPECT_EQ(cell.busy, std::stoul(text.substr(at + 1, 1), nullptr, 16));
                }
            }
            at += idle ? 1 : 2;
        }
        EXPECT_EQ(column, 1024U);
    }
}

TEST(ChartSection, OfNothingIsNothing) {
    const RunTimeline empty;
    EXPECT_EQ(chart_html({{"", &empty}}), "");
    EXPECT_EQ(link_map_html(empty), "");
    EXPECT_EQ(link_matrix_html(empty), "");
    // Without the places of its nodes there is nothing to draw.
    EXPECT_EQ(link_map_html(sample_timeline()), "");
}

TEST(ChartSection, HoldsHostileNames) {
    const RunTimeline timeline = hostile_timeline();
    const Json data = data_of(chart_html({{"", &timeline}}));
    for (const std::string& text : hostile_texts()) {
        EXPECT_THAT(data["intervals"]["names"], testing::Contains(text));
    }
    const Json map = data_of(link_map_html(timeline));
    EXPECT_EQ(map["nodes"][1]["name"], hostile_texts()[1]);
    const Json matrix = data_of(link_matrix_html(timeline));
    EXPECT_EQ(matrix["kinds"][0]["rows"][1]["to"], hostile_texts()[1]);
}

// Shares in 64 steps: 0 is A, 0.5 is the 32nd, 1 is the last digit; what is not idle is not A.
TEST(LinkMapSection, HasTheSharesOfTheBins) {
    RunTimeline timeline;
    timeline.length = Time::ns(40);
    timeline.load = {Time::ns(10),        4, {{"a", "b"}}, {}, {{"a", 0, 0}, {"b", 1, 0}},
                     {0, 0.5F, 1, 0.001F}};
    const Json data = data_of(link_map_html(timeline));
    EXPECT_EQ(data["bins"], 4);
    EXPECT_EQ(data["bin_ns"], 10.0);
    EXPECT_EQ(data["links"], Json::parse(R"([[0, 1, "Ag/B"]])"));
    EXPECT_EQ(data["scale"].size(), 64U);
}

// Two kinds, of which the second has 1500 links: eight a row, of which one is busy: an eighth in
// the mean, the 8th of 63 steps, and the last digit as the busiest.
TEST(LinkMatrixSection, HasMeansAndTheBusiestOfRows) {
    RunTimeline timeline;
    timeline.length = Time::ns(20);
    timeline.load.bin = Time::ns(10);
    timeline.load.bins = 2;
    timeline.load.kinds = {"NIC", "leaf-spine"};
    timeline.load.links = {{"a", "b", 0}};
    timeline.load.shares = {0, 0.5F};
    for (int i = 0; i < 1500; ++i) {
        timeline.load.links.push_back({"c", "d", 1});
        timeline.load.shares.insert(timeline.load.shares.end(), {0, i % 8 == 0 ? 1.0F : 0.0F});
    }
    const Json data = data_of(link_matrix_html(timeline));
    EXPECT_EQ(data["bin_ps"], 10'000);
    EXPECT_EQ(data["kinds"][0]["name"], "NIC");
    EXPECT_EQ(data["kinds"][0]["rows"][0],
              Json::parse(R"({"mean": "Ag", "from": "a", "to": "b"})"));
    const Json& spine = data["kinds"][1];
    EXPECT_EQ(spine["links"], 1500);
    EXPECT_EQ(spine["per_row"], 8);
    EXPECT_EQ(spine["rows"].size(), 188U);
    EXPECT_EQ(spine["rows"][0], Json::parse(R"({"mean": "AI", "most": "A/"})"));
    // Too many links for a map.
    EXPECT_EQ(link_map_html(timeline), "");
}

}  // namespace
}  // namespace npunet::report::chart_section_test
