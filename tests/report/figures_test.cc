// The figures: well-formed in both formats, the same bytes each time, for none, one and many runs;
// and the ticks of their axes.

#include <cairo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "report/figures/breakdown_figure.h"
#include "report/figures/heat_map_figure.h"
#include "report/figures/scale.h"
#include "report/figures/time_memory_figure.h"
#include "tests/report/recording_canvas.h"

namespace npunet::report::figures_test {
namespace {

/// Every tag is closed by its own end.
void expect_well_formed(const std::string& svg) {
    std::vector<std::string> open;
    std::size_t tags = 0;
    for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
        const std::size_t end = svg.find('>', at);
        ASSERT_NE(end, std::string::npos);
        const std::string tag = svg.substr(at + 1, end - at - 1);
        if (tag[0] == '?' || tag[0] == '!' || tag.back() == '/') {
            continue;
        }
        const std::string name = tag.substr(0, tag.find_first_of(" \n"));
        if (name[0] == '/') {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open.back(), name.substr(1));
            open.pop_back();
        } else {
            open.push_back(name);
            ++tags;
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_GT(tags, 3U);
    EXPECT_EQ(svg.rfind("<?xml", 0), 0U);
}

struct Reading {
    const std::string& png;
    std::size_t at = 0;
};

cairo_status_t read_more(void* reading, unsigned char* data, unsigned int length) {
    auto* const source = static_cast<Reading*>(reading);
    if (source->at + length > source->png.size()) {
        return CAIRO_STATUS_READ_ERROR;
    }
    std::memcpy(data, source->png.data() + source->at, length);
    source->at += length;
    return CAIRO_STATUS_SUCCESS;
}

/// Opens, has a size, and is not of one colour.
void expect_opens(const std::string& png) {
    Reading reading{png};
    cairo_surface_t* const surface =
        cairo_image_surface_create_from_png_stream(read_more, &reading);
    ASSERT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    EXPECT_GT(cairo_image_surface_get_width(surface), 600);
    EXPECT_GT(cairo_image_surface_get_height(surface), 150);
    const unsigned char* const data = cairo_image_surface_get_data(surface);
    const auto bytes = static_cast<std::size_t>(cairo_image_surface_get_stride(surface)) *
                       static_cast<std::size_t>(cairo_image_surface_get_height(surface));
    EXPECT_NE(std::memcmp(data, data + 4, bytes - 4), 0);
    cairo_surface_destroy(surface);
}

void expect_good(const Figure& figure, const Figure& again) {
    expect_well_formed(figure.svg);
    expect_opens(figure.png);
    EXPECT_TRUE(figure.svg == again.svg);
    EXPECT_TRUE(figure.png == again.png);
}

class FigureOf : public ::testing::TestWithParam<int> {};

TEST_P(FigureOf, RunsIsWellFormed) {
    std::mt19937_64 random(1);
    TimeMemoryPlot plot;
    BreakdownPlot bars;
    plot.title = bars.title = "A <title> & \"more\"";
    plot.series = {"one", "two"};
    plot.limit = Bytes(1 << 30);
    const auto time = [&] { return Time::ps(static_cast<std::int64_t>(random() % 1'000'000'000)); };
    for (int i = 0; i < GetParam(); ++i) {
        const auto memory = Bytes(static_cast<std::int64_t>(random() % (1ULL << 32)));
        plot.points.push_back({time(), memory, random() % 2, "dp=1 tp=<2>", i % 3 == 0, i == 0});
        bars.bars.push_back({"dp=1 tp=<2>", time(), time(), time(), time(), time()});
    }
    expect_good(time_memory_figure(plot), time_memory_figure(plot));
    expect_good(breakdown_figure(bars), breakdown_figure(bars));
    // Without memory the same runs by their place.
    for (TimeMemoryPoint& point : plot.points) {
        point.memory = Bytes(0);
    }
    expect_good(time_memory_figure(plot), time_memory_figure(plot));
}

INSTANTIATE_TEST_SUITE_P(Many, FigureOf, ::testing::Values(0, 1, 5, 24, 200));

// Labels of sweeps with many parameters stand in full: beside bars in one line, beside points in
// several.
TEST(SweepFigures, DoNotCutTheirLabels) {
    TimeMemoryPlot plot;
    BreakdownPlot bars;
    plot.series = {""};
    for (int i = 0; i < 6; ++i) {
        const std::string label =
            "dp=16 tp=8 pp=4 cp=2 ep=" + std::to_string(i) +
            " micro-batch=4 interleave=2 zero=3 recompute=full sequence-parallel=1 rail-optimised";
        plot.points.push_back({Time::ns(1000 + 100 * i), Bytes(std::int64_t{80 - 9 * i} << 30), 0,
                               label, true, i == 0});
        bars.bars.push_back(
            {label, Time::ns(1000), Time::ns(500), Time::ns(400), Time(), Time::ns(100)});
    }
    const RecordingCanvas beside(breakdown_sheet(bars));
    for (const BreakdownBar& bar : bars.bars) {
        EXPECT_THAT(beside.texts(), testing::Contains(bar.label));
    }
    EXPECT_EQ(beside.cut_text(), "");
    EXPECT_EQ(beside.overlapping_texts(), "");
    const RecordingCanvas points(time_memory_sheet(plot));
    std::string all;
    for (const std::string& text : points.texts()) {
        EXPECT_EQ(text.find("..."), std::string::npos) << text;
        all += text + " ";
    }
    EXPECT_THAT(all, testing::HasSubstr("fastest: " + plot.points[0].label));
    EXPECT_EQ(points.cut_text(), "");
    EXPECT_EQ(points.overlapping_texts(), "");
}

class HeatMapOf : public ::testing::TestWithParam<int> {};

/// How often the text occurs.
std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

/// Filled areas, text aside: attributes of their own since cairo 1.17, before in a style.
std::size_t filled_paths(const std::string& svg) {
    return occurrences(svg, "<path fill") + occurrences(svg, "<path style=\" stroke:none;fill");
}

// One filled path for each cell with traffic; blocks of ranks where there are too many.
TEST_P(HeatMapOf, RanksIsWellFormed) {
    const std::int64_t side = GetParam();
    HeatMapPlot plot;
    plot.title = "A <title> & \"more\"";
    plot.subtitle = "four phases";
    plot.row_name = "source rank";
    plot.column_name = "destination rank";
    plot.side = side;
    plot.panels = {{"none", {}}, {"ring", {}}, {"equal", {}}};
    const Figure without = heat_map_figure(plot);
    expect_good(without, heat_map_figure(plot));
    for (std::int64_t row = 0; row < side; ++row) {
        plot.panels[1].cells.push_back({row, (row + 1) % side, 1e3 * static_cast<double>(row + 1)});
    }
    const Figure figure = heat_map_figure(plot);
    expect_good(figure, heat_map_figure(plot));
    const std::int64_t block = (side + HeatMapPlot::most_cells - 1) / HeatMapPlot::most_cells;
    const std::int64_t rows = (side + block - 1) / block;
    // Within a block of several rows one cell is on the diagonal and one beside it.
    const std::int64_t cells = block == 1 ? rows : 2 * rows;
    const std::size_t drawn = filled_paths(figure.svg) - filled_paths(without.svg);
    EXPECT_GE(drawn, static_cast<std::size_t>(cells));
    EXPECT_LE(drawn, static_cast<std::size_t>(cells + 80));  // and the legend
}

INSTANTIATE_TEST_SUITE_P(Many, HeatMapOf, ::testing::Values(1, 2, 4, 48, 100, 256, 257, 1024));

// Ticks lie within the axis, ascending, at round values, neither none nor too many.
TEST(Scale, TicksAreRoundAndFew) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 2000; ++i) {
        std::vector<double> values;
        for (int k = 0; k < 3; ++k) {
            values.push_back(std::pow(10, -9 + static_cast<double>(random() % 11000) / 1000));
        }
        const Scale scale = Scale::over(values, time_units(), 100, 900);
        const std::vector<Tick> ticks = scale.ticks();
        ASSERT_GE(ticks.size(), 1U);
        ASSERT_LE(ticks.size(), 12U);
        for (std::size_t k = 0; k < ticks.size(); ++k) {
            EXPECT_GE(ticks[k].position, 99.9);
            EXPECT_LE(ticks[k].position, 900.1);
            EXPECT_LE(ticks[k].label.size(), 9U) << ticks[k].label;
            if (k > 0) {
                EXPECT_GT(ticks[k].position, ticks[k - 1].position);
                EXPECT_NE(ticks[k].label, ticks[k - 1].label);
            }
        }
        for (const double value : values) {
            EXPECT_GE(scale.position(value), 100);
            EXPECT_LE(scale.position(value), 900);
        }
    }
}

TEST(Scale, UnitsFitTheValues) {
    EXPECT_EQ(Scale::over({0.003, 0.012}, time_units(), 0, 1).unit(), "ms");
    EXPECT_EQ(Scale::over({3e10, 8e10}, byte_units(), 0, 1).unit(), "GiB");
    EXPECT_EQ(Scale::over({}, time_units(), 0, 1).ticks().size(), 6U);
    EXPECT_TRUE(Scale::over({1e-6, 1e-3}, time_units(), 0, 1).logarithmic());
    EXPECT_EQ(Scale::from_zero(100, no_units(), 0, 1).ticks().back().label, "100");
}

// A logarithmic axis of bytes has round binary sizes, each in its own unit.
TEST(Scale, SizesHaveBinaryTicks) {
    const auto labels = [](double least, double most) {
        const Scale scale = Scale::over({least, most}, byte_units(), 0, 1000);
        EXPECT_EQ(scale.unit(), "");
        std::vector<std::string> texts;
        for (const Tick& tick : scale.ticks()) {
            texts.push_back(tick.label);
        }
        return texts;
    };
    EXPECT_EQ(labels(0x1p10, 0x1p30),
              (std::vector<std::string>{"1 KiB", "32 KiB", "1 MiB", "32 MiB", "1 GiB"}));
    EXPECT_EQ(labels(0x1p10, 0x1p16),
              (std::vector<std::string>{"1 KiB", "4 KiB", "16 KiB", "64 KiB"}));
    EXPECT_EQ(labels(1, 0x1p40),
              (std::vector<std::string>{"1 B", "1 KiB", "1 MiB", "1 GiB", "1 TiB"}));
    const Scale scale = Scale::over({0x1p10, 0x1p30}, byte_units(), 0, 1000);
    EXPECT_DOUBLE_EQ(scale.ticks()[2].position, scale.position(0x1p20));
}

}  // namespace
}  // namespace npunet::report::figures_test
