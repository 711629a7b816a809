// Two runs side by side: the same numbers in the table, in the JSON and on the page.
#include "report/comparison/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report::side_by_side_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

SideBySide sample() {
    analysis::RunTimeline measured = step_timeline({2, 2, 1, 3, 2, 0});
    measured.label = "profile";
    measured.source = analysis::RunSource::Measured;
    measured.notes = {"one rank is missing"};
    return {std::move(measured), step_timeline({2, 2, 1, 4, 2, 0})};
}

// Four micro-batches in place of three: a third more of everything but the optimizer.
TEST(SideBySide, TellsTheDifferencesInJson) {
    const Json json = Json::parse(side_by_side_json(sample()));
    EXPECT_EQ(json["runs"][0]["label"], "profile");
    EXPECT_EQ(json["runs"][0]["source"], "measured");
    EXPECT_EQ(json["runs"][1]["source"], "simulated");
    EXPECT_EQ(json["ranks"], 4);
    const Json& first = json["rows"][0];
    EXPECT_EQ(first["phase"], "backward");
    EXPECT_EQ(first["category"], "computation");
    EXPECT_EQ(first["dimension"], "-");
    EXPECT_EQ(first["time_ns"], Json::parse("[720, 960]"));
    EXPECT_EQ(first["difference_ns"], 240);
    EXPECT_EQ(first["intervals"], Json::parse("[24, 32]"));
    EXPECT_EQ(json["rows"].back()["phase"], "optimizer");
    EXPECT_EQ(json["rows"].back()["difference_ns"], 0);
}

TEST(SideBySide, TheTableHasARowForEachKind) {
    const std::string table = side_by_side_table(sample());
    EXPECT_THAT(table, HasSubstr("mean over 4 ranks"));
    EXPECT_THAT(table,
                testing::ContainsRegex("backward +computation +- +720 ns +960 ns +\\+240 ns"));
    EXPECT_THAT(table, testing::ContainsRegex("exposed communication"));
}

TEST(SideBySide, ThePageHasBothRunsInOneChart) {
    const SideBySide both = sample();
    const Element page = parsed(side_by_side_page(both));
    std::vector<std::string> ids;
    for (const Element* section : page.all("section")) {
        ids.push_back(section->attribute("id"));
    }
    EXPECT_THAT(ids, ElementsAre("summary", "differences", "timeline"));
    EXPECT_EQ(body_rows(page.with_id("differences-table")).size(), both.comparison.rows.size());
    EXPECT_EQ(body_rows(page.with_id("totals-table")).size(), 5U);
    const Json chart = Json::parse(page.with_id("timeline").all("script").at(0)->text());
    EXPECT_EQ(chart["rows"], Json::parse(R"(["profile 0", "profile 1", "profile 2", "profile 3",
                                            "step 0", "step 1", "step 2", "step 3"])"));
    EXPECT_THAT(page.with_id("summary").text(), HasSubstr("profile: one rank is missing"));
}

TEST(SideBySide, HoldsHostileNames) {
    for (const std::string& text : hostile_texts()) {
        analysis::RunTimeline first = hostile_timeline();
        first.label = text;
        const SideBySide both(first, first);
        EXPECT_EQ(parsed(side_by_side_page(both)).all("h1").size(), 1U);
        EXPECT_EQ(Json::parse(side_by_side_json(both))["ranks"], 1);
    }
}

TEST(SideBySide, DifferencesAreExact) {
    EXPECT_EQ(difference_ns(Time::ps(1), Time::ps(1501)), "1.5");
    EXPECT_EQ(difference_ns(Time::ps(1501), Time::ps(1)), "-1.5");
    EXPECT_EQ(difference_ns(Time::ps(7), Time::ps(7)), "0");
}

}  // namespace
}  // namespace npunet::report::side_by_side_test
