// The drawings inside pages: where shapes are, and what is said of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/html/drawings.h"
#include "report/html/svg.h"
#include "tests/report/html/parsed_page.h"
#include "tests/report/html/sample_pages.h"
#include "tests/report/sample_results.h"

namespace npunet::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

double number(const Element& element, const char* attribute) {
    return std::stod(element.attribute(attribute));
}

/// The bars of the drawing, without the swatches of the legend.
std::vector<const Element*> bars_of(const Element& root) {
    std::vector<const Element*> bars;
    for (const Element* box : root.all("rect")) {
        if (!box->attribute("x").empty()) {
            bars.push_back(box);
        }
    }
    return bars;
}

std::vector<std::string> texts_of(const Element& root, const std::string& text_class) {
    std::vector<std::string> texts;
    for (const Element* text : root.having("class", text_class)) {
        texts.push_back(text->text());
    }
    return texts;
}

std::vector<std::string> legend_of(const Element& root) {
    std::vector<std::string> texts;
    for (const Element* entry : root.all("li")) {
        texts.push_back(entry->text());
    }
    return texts;
}

TEST(Svg, WritesCoordinatesShortly) {
    EXPECT_EQ(coordinate(12), "12");
    EXPECT_EQ(coordinate(12.5), "12.5");
    EXPECT_EQ(coordinate(-0.001), "0");
    EXPECT_EQ(coordinate(1.0 / 3), "0.33");
}

TEST(Svg, HoldsAnyText) {
    for (const std::string& text : hostile_texts()) {
        Svg svg(10, 10, text, text);
        svg.box({0, 0}, 1, 1, "later", text);
        svg.text({0, 0}, text, "name");
        const Element root = parsed(figure_html(svg, {{"later", text}}, text));
        EXPECT_THAT(texts_of(root, "name"), ElementsAre(text));
        EXPECT_EQ(root.all("title").at(0)->text(), text);
        EXPECT_EQ(root.all("figcaption").at(0)->text(), text);
    }
}

// From 100 ns by +60, -40 and 0 to 120 ns, on an axis from 0: bars of 100, 60, 40 and 120 parts of
// the same length each, every one beginning where the one before ends.
TEST(Waterfall, LeadsFromOneTimeToTheOther) {
    const Element root = parsed(waterfall(
        {"estimate", Time::ns(100)},
        {{"more", Time::ns(60)}, {"less", Time::ns(-40)}, {"nothing", Time()}}, "packets", "How."));
    const std::vector<const Element*> bars = bars_of(root);
    ASSERT_EQ(bars.size(), 4U);
    const double left = number(*bars[0], "x");
    const double unit = number(*bars[0], "width") / 100;
    EXPECT_NEAR(number(*bars[1], "x"), left + 100 * unit, 0.02);
    EXPECT_NEAR(number(*bars[1], "width"), 60 * unit, 0.02);
    EXPECT_NEAR(number(*bars[2], "x"), left + 120 * unit, 0.02);
    EXPECT_NEAR(number(*bars[2], "width"), 40 * unit, 0.02);
    EXPECT_NEAR(number(*bars[3], "width"), 120 * unit, 0.02);
    EXPECT_EQ(bars[1]->attribute("class"), "later");
    EXPECT_EQ(bars[2]->attribute("class"), "earlier");
    EXPECT_EQ(bars[2]->text(), "less: -40 ns");
    EXPECT_THAT(texts_of(root, "name"),
                ElementsAre("estimate", "more", "less", "nothing", "packets"));
    EXPECT_THAT(texts_of(root, "value"),
                ElementsAre("100 ns", "+60 ns", "-40 ns", "0 ns", "120 ns"));
    EXPECT_THAT(texts_of(root, "axis-name"), ElementsAre("finish time (ns)"));
    EXPECT_THAT(legend_of(root), ElementsAre("finish time", "later", "earlier"));
    EXPECT_EQ(root.all("figcaption").at(0)->text(),
              "How. Every bar begins where the one above ends.");
}

// A difference of a thousandth would not be seen on an axis from 0.
TEST(Waterfall, LooksCloserAtSmallDifferences) {
    const Element root = parsed(waterfall({"estimate", Time::ns(1'000'000)},
                                          {{"more", Time::ns(1000)}}, "packets", "How."));
    EXPECT_GT(number(*bars_of(root).at(1), "width"), 200);
    EXPECT_THAT(texts_of(root, "axis-name"),
                ElementsAre("finish time (us); the axis does not begin at 0"));
    EXPECT_EQ(root.having("class", "break").size(), 4U);
}

// Equal runs, even of no time at all.
TEST(Waterfall, MayHaveNothingToShow) {
    for (const Time time : {Time(), Time::ns(5)}) {
        const Element root = parsed(waterfall({"a", time}, {{"part", Time()}}, "b", "How."));
        EXPECT_EQ(bars_of(root).size(), 2U);
        EXPECT_THAT(legend_of(root), ElementsAre("finish time"));
    }
}

// Four NPUs: a shape for each part that occurs, with a piece for each NPU. Memory occurs nowhere.
TEST(NpuColumns, StackWhatTheTimeWentTo) {
    const Element root = parsed(npu_columns(sample_results()));
    EXPECT_THAT(legend_of(root), ElementsAre("idle", "exposed communication", "compute"));
    ASSERT_EQ(root.all("path").size(), 3U);
    for (const Element* path : root.all("path")) {
        const std::string commands = path->attribute("d");
        EXPECT_EQ(std::count(commands.begin(), commands.end(), 'M'), 4) << commands;
    }
    EXPECT_THAT(texts_of(root, "axis-name"), ElementsAre("time (ns)", "rank (number of NPU)"));
    EXPECT_THAT(texts_of(root, "tick"), Contains("3"));
}

// 1024 NPUs: each of 512 columns shows the later one of two.
TEST(NpuColumns, TakeNeighboursTogetherWhereThereAreMany) {
    const Element root = parsed(npu_columns(large_results(1024, 1)));
    const std::string commands = root.all("path").at(0)->attribute("d");
    EXPECT_EQ(std::count(commands.begin(), commands.end(), 'M'), 512);
    EXPECT_THAT(root.all("figcaption").at(0)->text(),
                HasSubstr("A column shows, of 2 NPUs, the one that finishes last."));
}

// Alike NPUs side by side are one shape where columns are narrow.
TEST(NpuColumns, DrawEqualNeighboursOnce) {
    engine::Results results = sample_results();
    results.npus.assign(600, results.npus[0]);
    const std::string commands = parsed(npu_columns(results)).all("path").at(0)->attribute("d");
    EXPECT_EQ(std::count(commands.begin(), commands.end(), 'M'), 1);
}

TEST(NpuColumns, AreLeftOutWhereThereIsNothing) {
    engine::Results results = sample_results();
    results.npus.clear();
    EXPECT_EQ(npu_columns(results), "");
    results = sample_results();
    results.finish = Time();
    EXPECT_EQ(npu_columns(results), "");
}

}  // namespace
}  // namespace npunet::report
