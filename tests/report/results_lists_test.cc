// What results.json and the CSV files keep of very many collectives and links, and timelines of
// very many intervals.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/results/csv.h"
#include "report/results/results_json.h"
#include "report/results/results_lists.h"
#include "report/timeline/timeline_excerpt.h"
#include "report/timeline/timeline_file.h"
#include "tests/report/sample_results.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report::results_lists_test {
namespace {

using nlohmann::json;

/// Collective i takes 1 + i % 7 us, of 8 or 16 NPUs in turn; link i is busy for i % 1000 tenths of
/// a percent.
engine::Results many(std::size_t count) {
    engine::Results results = sample_results();
    results.collectives.assign(count, engine::CollectiveResult(results.collectives.front()));
    results.links.assign(count, engine::LinkResult(results.links.front()));
    for (std::size_t i = 0; i < count; ++i) {
        engine::CollectiveResult& collective = results.collectives[i];
        collective.id = static_cast<std::int64_t>(i);
        collective.group.resize(i % 2 == 0 ? 8 : 16, Rank(0));
        collective.first_start = Time::ns(static_cast<std::int64_t>(10'000 * i));
        collective.end =
            collective.first_start + Time::ns(static_cast<std::int64_t>(1'000 * (1 + i % 7)));
        results.links[i].from = "a" + std::to_string(i);
        results.links[i].utilization_percent = static_cast<double>(i % 1000) / 10;
    }
    return results;
}

TEST(ResultsLists, AreWholeUpToTenThousand) {
    const json document = json::parse(results_json(many(most_listed)));
    EXPECT_EQ(document["collectives"].size(), most_listed);
    EXPECT_EQ(document["links"].size(), most_listed);
    EXPECT_FALSE(document.contains("truncated_collectives"));
    EXPECT_FALSE(document.contains("truncated_links"));
}

// 20,000 collectives: every seventh takes 7 us, so that the first hundred of those are kept. Of
// both sizes 10,000, whose durations are each of 1 to 7 us in turn.
TEST(ResultsLists, HaveTheLongestAndTheBusiestOfMore) {
    const engine::Results results = many(20'000);
    const json document = json::parse(results_json(results));
    ASSERT_EQ(document["collectives"].size(), most_of_many);
    for (std::size_t i = 0; i < most_of_many; ++i) {
        EXPECT_EQ(document["collectives"][i]["id"], 7 * i + 6);
    }
    const json& truncated = document["truncated_collectives"];
    EXPECT_EQ(truncated["count"], 20'000);
    ASSERT_EQ(truncated["classes"].size(), 2U);
    EXPECT_EQ(truncated["classes"][0]["members"], 8);
    EXPECT_EQ(truncated["classes"][0]["count"], 10'000);
    EXPECT_EQ(truncated["classes"][0]["shortest_ns"], 1'000);
    EXPECT_EQ(truncated["classes"][0]["longest_ns"], 7'000);
    double sum = 0;
    for (std::size_t i = 0; i < 20'000; i += 2) {
        sum += 1'000.0 * static_cast<double>(1 + i % 7);
    }
    EXPECT_DOUBLE_EQ(truncated["classes"][0]["mean_ns"].get<double>(), sum / 10'000);
    // 20 links have 99.9 %, 20 have 99.8 % and so on.
    EXPECT_EQ(document["truncated_links"]["count"], 20'000);
    ASSERT_EQ(document["links"].size(), most_of_many);
    EXPECT_EQ(document["links"][0]["from"], "a995");
    EXPECT_EQ(document["links"][99]["from"], "a19999");
    const json whole = json::parse(results_json(results, Bytes(1), "", {nullptr, nullptr, true}));
    EXPECT_EQ(whole["collectives"].size(), 20'000U);
    EXPECT_EQ(whole["links"].size(), 20'000U);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = text.find('\n', from);
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

// Of 700 rows the 100 longest, in their order: as many as are given room for.
TEST(ResultsLists, OfLongTablesSomeRowsAreLeftOut) {
    const engine::Results results = many(700);
    for (const bool of_links : {false, true}) {
        const auto csv = [&](std::size_t most) {
            return of_links ? links_csv(results, most) : collectives_csv(results, most);
        };
        const std::vector<std::string> all = lines_of(csv(1'000'000));
        ASSERT_EQ(all.size(), 701U);
        std::vector<std::string> expected{all.front()};
        std::size_t size = all.front().size() + 1;
        for (std::size_t i = 0; i < 700; ++i) {
            if (of_links ? i >= 600 : i % 7 == 6) {
                expected.push_back(all[i + 1]);
                size += all[i + 1].size() + 1;
            }
        }
        EXPECT_EQ(lines_of(csv(size)), expected);
        EXPECT_LE(csv(size / 2).size(), size / 2);
        EXPECT_GT(lines_of(csv(size / 2)).size(), 40U);
    }
}

/// Eight ranks in two stages: two classes.
std::vector<engine::NpuResult> npus(Rank last) {
    std::vector<engine::NpuResult> all(8);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].rank = Rank(i);
        all[i].npu_class = i < 4 ? 0 : 1;
        all[i].finish = Time::ns(all[i].rank == last ? 11'000 : 10'000);
    }
    return all;
}

TEST(TimelineExcerpt, HasTheLastNpuOneOfEachClassAndOthers) {
    StepShape shape;
    shape.stages = 2;
    shape.ranks_of_stage = 4;
    const analysis::RunTimeline timeline = step_timeline(shape);
    ASSERT_EQ(timeline.ranks().size(), 8U);
    const std::size_t all = timeline.intervals.size();
    const auto rows = [&](Rank rank) {
        const auto [first, second] = timeline.rows_of(rank);
        return second - first;
    };
    EXPECT_FALSE(excerpt_of(timeline, npus(Rank(5)), all));
    // Rank 5 finishes last; 0 is the first of the other class; then 1, 2, ...
    const std::size_t three = rows(Rank(5)) + rows(Rank(0)) + rows(Rank(1));
    const auto excerpt = excerpt_of(timeline, npus(Rank(5)), three);
    ASSERT_TRUE(excerpt);
    EXPECT_EQ(excerpt->ranks(), (std::vector<Rank>{Rank(0), Rank(1), Rank(5)}));
    EXPECT_EQ(excerpt->intervals.size(), three);
    EXPECT_EQ(excerpt->length, timeline.length);
    ASSERT_FALSE(excerpt->notes.empty());
    EXPECT_EQ(excerpt->notes.back(), "the timeline has 3 of 8 NPUs (" + std::to_string(three) +
                                         " of " + std::to_string(all) +
                                         " intervals); --timeline full keeps all");
    for (std::size_t row = 0; row < rows(Rank(0)); ++row) {
        EXPECT_EQ(excerpt->intervals.id(row), timeline.intervals.id(row));
        EXPECT_EQ(excerpt->intervals.end(row), timeline.intervals.end(row));
    }
}

// What ranks carry out together keeps its number among those that are left; the file can be read.
TEST(TimelineExcerpt, CanBeReadAgain) {
    const analysis::RunTimeline timeline = step_timeline({2, 4, 1, 4, 2, 0});
    const auto [first, second] = timeline.rows_of(Rank(7));
    const auto excerpt = excerpt_of(timeline, npus(Rank(7)), second - first);
    ASSERT_TRUE(excerpt);
    ASSERT_EQ(excerpt->ranks(), (std::vector<Rank>{Rank(7)}));
    std::ostringstream stream;
    write_timeline(*excerpt, {}, nullptr, stream);
    const SavedTimeline saved = read_timeline(stream.str(), "timeline.pb");
    EXPECT_EQ(saved.timeline.intervals.size(), second - first);
    ASSERT_NE(note_of_excerpt(saved.timeline), nullptr);
    EXPECT_EQ(*note_of_excerpt(saved.timeline), excerpt->notes.back());
    EXPECT_EQ(note_of_excerpt(timeline), nullptr);
    for (std::size_t a = first; a < second; ++a) {
        for (std::size_t b = first; b < second; ++b) {
            EXPECT_EQ(timeline.intervals.joint(a) == timeline.intervals.joint(b),
                      saved.timeline.intervals.joint(a - first) ==
                          saved.timeline.intervals.joint(b - first));
        }
    }
}

TEST(TimelineExcerpt, HasTheBeginningOfOneNpuWhereNoneFits) {
    const analysis::RunTimeline timeline = step_timeline({2, 4, 1, 4, 2, 0});
    const auto excerpt = excerpt_of(timeline, npus(Rank(5)), 3);
    ASSERT_TRUE(excerpt);
    EXPECT_EQ(excerpt->ranks(), (std::vector<Rank>{Rank(5)}));
    ASSERT_EQ(excerpt->intervals.size(), 3U);
    EXPECT_EQ(excerpt->intervals.start(0),
              timeline.intervals.start(timeline.rows_of(Rank(5)).first));
    EXPECT_NE(excerpt->notes.back().find(" of rank 5; --timeline full"), std::string::npos);
}

}  // namespace
}  // namespace npunet::report::results_lists_test
