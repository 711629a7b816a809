// TimeSpan arithmetic against vectors of the reference, and against counting.
#include "analysis/time_spans.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace npunet::analysis {
namespace {

TimeSpans of(const nlohmann::json& list) {
    TimeSpans spans;
    for (const auto& one : list) {
        spans.push_back({one[0].get<std::int64_t>(), one[1].get<std::int64_t>()});
    }
    return spans;
}

TEST(TimeSpans, AreTheReferences) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::ifstream stream(NPUNET_SHARED_DIR "/data/profiler/interval_vectors.json");
    const nlohmann::json vectors = nlohmann::json::parse(stream);
    ASSERT_GE(vectors.size(), 23U);
    for (const auto& vector : vectors) {
        const TimeSpans a = of(vector["a"]);
        EXPECT_EQ(united(a), of(vector["merged_a"]));
        EXPECT_EQ(length(united(a)), vector["union_a"].get<std::int64_t>());
        EXPECT_EQ(length(a), vector["sum_a"].get<std::int64_t>());
        EXPECT_EQ(hull(a).start, vector["hull_a"][0].get<std::int64_t>());
        EXPECT_EQ(hull(a).end, vector["hull_a"][1].get<std::int64_t>());
        EXPECT_EQ(overlap(united(a), united(of(vector["b"]))),
                  vector["overlap_ab"].get<std::int64_t>());
    }
    test::count_cases(vectors.size());
}

// |A| and |A n B| are the numbers of points i for which [i, i + 1) lies in A, in both.
TEST(TimeSpans, AreCountedPoints) {
    std::mt19937 random(7);
    const auto number = [&](int below) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
    };
    for (int round = 0; round < 200; ++round) {
        std::vector<char> in_a(120);
        std::vector<char> in_b(120);
        const auto draw = [&](std::vector<char>& in) {
            TimeSpans drawn;
            for (std::int64_t i = number(8); i > 0; --i) {
                const std::int64_t start = number(100);
                const std::int64_t end = start + number(20);
                drawn.push_back({start, end});
                std::fill(in.begin() + start, in.begin() + end, 1);
            }
            return united(drawn);
        };
        const TimeSpans a = draw(in_a);
        const TimeSpans b = draw(in_b);
        std::int64_t both = 0;
        for (std::size_t i = 0; i < in_a.size(); ++i) {
            both += in_a[i] != 0 && in_b[i] != 0 ? 1 : 0;
        }
        EXPECT_EQ(length(a), std::count(in_a.begin(), in_a.end(), 1));
        EXPECT_EQ(overlap(a, b), both);
        EXPECT_EQ(overlap(b, a), both);
    }
}

TEST(TimeSpans, OfNothing) {
    EXPECT_TRUE(united({}).empty());
    EXPECT_EQ(length({}), 0);
    EXPECT_EQ(hull({}), TimeSpan());
    EXPECT_EQ(overlap({}, {{0, 5}}), 0);
}

}  // namespace
}  // namespace npunet::analysis
