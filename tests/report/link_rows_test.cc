// The rows of the matrix of the links, against sums by hand and by brute force; and its figure.

#include "report/figures/link_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "report/figures/link_matrix_figure.h"
#include "tests/report/recording_canvas.h"

namespace npunet::report::link_rows_test {
namespace {

analysis::LinkLoad random_load(std::size_t links, std::size_t kinds, std::size_t bins) {
    std::mt19937_64 random(5);
    analysis::LinkLoad load;
    load.bin = Time::ns(10);
    load.bins = bins;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        load.kinds.push_back("kind " + std::to_string(kind));
    }
    for (std::size_t link = 0; link < links; ++link) {
        load.links.push_back({"a", "b", static_cast<std::uint32_t>(random() % kinds)});
        for (std::size_t bin = 0; bin < bins; ++bin) {
            load.shares.push_back(static_cast<float>(random() % 100) / 99);
        }
    }
    return load;
}

// Six links, every other of kind x: 1 and 0 by two bins; of both kinds three links, of which two
// share a row where there are four rows for both.
TEST(LinkRows, JoinNeighboursOfAKind) {
    analysis::LinkLoad load;
    load.bin = Time::ns(10);
    load.bins = 2;
    load.kinds = {"x", "y"};
    load.links = {{"a", "b", 0}, {"b", "a", 1}, {"b", "c", 0},
                  {"c", "b", 1}, {"c", "d", 0}, {"d", "c", 1}};
    load.shares = {1, 0, 0, 0, 0.5F, 0, 0, 0, 0, 1, 0, 0.25F};
    const LinkRows rows(load, 4, 100);
    ASSERT_EQ(rows.rows(), 4U);
    ASSERT_EQ(rows.kinds().size(), 2U);
    EXPECT_EQ(rows.kinds()[0].per_row, 2U);
    EXPECT_EQ(rows.kinds()[1].first, 2U);
    EXPECT_EQ(rows.kinds()[1].links, 3U);
    EXPECT_EQ(rows.links(0), (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(rows.links(3), (std::vector<std::size_t>{5}));
    EXPECT_DOUBLE_EQ(rows.mean(0, 0), 0.75);
    EXPECT_DOUBLE_EQ(rows.most(0, 0), 1);
    EXPECT_DOUBLE_EQ(rows.mean(1, 1), 1);
    EXPECT_DOUBLE_EQ(rows.mean(3, 1), 0.25);
}

// Weighted by links and bins, the means of rows sum to the sum of all shares.
TEST(LinkRows, LoseNothing) {
    for (const std::size_t bins : {1, 7, 128, 130}) {
        const analysis::LinkLoad load = random_load(1000, 3, bins);
        const LinkRows rows(load, 96, 64);
        EXPECT_LE(rows.rows(), 96U);
        EXPECT_LE(rows.bins(), 64U);
        const std::size_t joined = static_cast<std::size_t>(rows.bin().ps() / load.bin.ps());
        double sum = 0;
        std::size_t links = 0;
        for (std::size_t row = 0; row < rows.rows(); ++row) {
            links += rows.links(row).size();
            for (std::size_t bin = 0; bin < rows.bins(); ++bin) {
                const std::size_t width = std::min(joined, bins - bin * joined);
                sum += rows.mean(row, bin) * static_cast<double>(rows.links(row).size() * width);
                EXPECT_GE(rows.most(row, bin) + 1e-9, rows.mean(row, bin));
            }
        }
        double all = 0;
        for (const float share : load.shares) {
            all += static_cast<double>(share);
        }
        EXPECT_EQ(links, 1000U);
        EXPECT_NEAR(sum, all, 1e-6 * all);
    }
}

TEST(LinkRows, OfUnknownKindsAreLinks) {
    analysis::LinkLoad load = random_load(3, 1, 4);
    load.kinds.clear();
    const LinkRows rows(load, 100, 100);
    ASSERT_EQ(rows.kinds().size(), 1U);
    EXPECT_EQ(rows.kinds()[0].name, "links");
    EXPECT_EQ(rows.rows(), 3U);
}

// A band for each kind with its name, number and last index; a cell for each row and bin.
TEST(LinkMatrixFigure, HasABandForEachKind) {
    for (const std::size_t links : {2, 40, 5000}) {
        const analysis::LinkLoad load = random_load(links, 2, 128);
        const RecordingCanvas canvas(
            link_matrix_sheet({"Links", "of a run", &load, Time::ns(1280)}));
        EXPECT_EQ(canvas.cut_text(), "");
        EXPECT_EQ(canvas.overlapping_texts(), "");
        const LinkRows rows(load, 384, 256);
        ASSERT_EQ(canvas.cell_tables.size(), rows.kinds().size());
        for (std::size_t kind = 0; kind < rows.kinds().size(); ++kind) {
            EXPECT_EQ(canvas.cell_tables[kind].first, 128U);
            EXPECT_EQ(canvas.cell_tables[kind].second, rows.kinds()[kind].rows);
            EXPECT_THAT(canvas.texts(), testing::Contains(rows.kinds()[kind].name));
        }
        EXPECT_THAT(canvas.texts(), testing::Contains("time (ns)"));
    }
}

}  // namespace
}  // namespace npunet::report::link_rows_test
