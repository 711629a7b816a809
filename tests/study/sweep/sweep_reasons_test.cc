// Why one plan of a sweep beats others, in words: parts that add up to the times of the points.

#include "study/sweep/sweep_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "study/sweep/outcome.h"
#include "study/sweep/ranking.h"
#include "study/sweep/sweep_results.h"

namespace npunet::study::sweep_reasons_test {
namespace {

using engine::Parallelism;
using testing::ContainsRegex;
using testing::HasSubstr;

Value number(std::int64_t value) {
    return {std::to_string(value), value, ""};
}

/// Points that differ in tp alone.
DesignSpace space_of(std::size_t count) {
    DesignSpace space;
    Axis tp{{"tp"}, {}, true};
    for (std::size_t i = 0; i < count; ++i) {
        tp.rows.push_back({number(std::int64_t{1} << i)});
        space.points.push_back({{static_cast<std::uint32_t>(i)}, std::nullopt});
    }
    space.axes = {tp};
    return space;
}

/// Milliseconds of compute, of exposed communication for tensor and data parallelism and for what
/// is not known, and of idle time.
Outcome outcome(std::int64_t compute, std::int64_t tensor, std::int64_t data, std::int64_t other,
                std::int64_t idle, std::int64_t gigabytes) {
    const auto ms = [](std::int64_t number) { return Time::ns(number * 1'000'000); };
    Outcome result;
    SlowestRank& rank = result.slowest;
    rank.compute = ms(compute);
    rank.exposed_communication = ms(tensor + data + other);
    rank.exposed_by_dimension[static_cast<std::size_t>(Parallelism::Tensor)] = ms(tensor);
    rank.exposed_by_dimension[static_cast<std::size_t>(Parallelism::Data)] = ms(data);
    rank.exposed_by_dimension[static_cast<std::size_t>(Parallelism::Other)] = ms(other);
    rank.idle = ms(idle);
    rank.finish = rank.compute + rank.exposed_communication + rank.idle;
    result.largest.finish = rank.finish;
    result.largest.peak_memory = Bytes(gigabytes * 1'000'000'000);
    return result;
}

std::string reasons(const DesignSpace& space, std::vector<std::optional<Outcome>> outcomes) {
    SweepResults results;
    results.outcomes = std::move(outcomes);
    results.ranking = rank_points(space, results.outcomes);
    return sweep_reasons(space, results, results.ranking.groups.at(0));
}

TEST(SweepReasons, NameWhatOtherPointsSpendMore) {
    const std::string text = reasons(
        space_of(3),
        {outcome(50, 0, 30, 0, 20, 9), outcome(50, 10, 20, 0, 0, 5), outcome(51, 60, 9, 0, 0, 3)});
    EXPECT_EQ(text,
              "why tp=2: 80.00 ms = compute 50.00 ms, exposed TP 10.00 ms, exposed DP 20.00 ms\n"
              "  tp=1: +20.00 ms: idle +20.00 ms, exposed DP +10.00 ms, exposed TP -10.00 ms\n"
              "  tp=4: +40.00 ms: exposed TP +50.00 ms, exposed DP -11.00 ms\n");
}

// Seven parts that differ by 35, 4, -22, -6, 5, 9 and -15 ms, 10 ms together: the four largest by
// amount are named, gains as well as losses.
TEST(SweepReasons, NameTheLargestDifferencesOfEitherSign) {
    const auto point = [](std::int64_t compute, const std::array<std::int64_t, 5>& exposed,
                          std::int64_t idle) {
        Outcome result = outcome(compute, 0, 0, 0, idle, 1);
        SlowestRank& rank = result.slowest;
        constexpr std::array dimensions{Parallelism::Tensor, Parallelism::Context,
                                        Parallelism::Expert, Parallelism::Pipeline,
                                        Parallelism::Data};
        for (std::size_t i = 0; i < exposed.size(); ++i) {
            const Time time = Time::ns(exposed[i] * 1'000'000);
            rank.exposed_by_dimension[static_cast<std::size_t>(dimensions[i])] = time;
            rank.exposed_communication += time;
            rank.finish += time;
        }
        result.largest.finish = rank.finish;
        return result;
    };
    EXPECT_EQ(reasons(space_of(2),
                      {point(10, {10, 30, 20, 30, 10}, 40), point(45, {14, 8, 14, 35, 19}, 25)}),
              "why tp=1: 150.0 ms = compute 10.00 ms, exposed TP 10.00 ms, exposed CP 30.00 ms, "
              "exposed EP 20.00 ms, exposed PP 30.00 ms, exposed DP 10.00 ms, idle 40.00 ms\n"
              "  tp=2: +10.00 ms: compute +35.00 ms, exposed CP -22.00 ms, idle -15.00 ms, "
              "exposed DP +9.000 ms\n");
}

TEST(SweepReasons, NameTheFastestWithinTheMemoryLimit) {
    DesignSpace space = space_of(2);
    space.memory_limit = Bytes(std::int64_t{4} << 30);
    const std::vector<std::optional<Outcome>> outcomes{outcome(50, 0, 0, 0, 0, 9),
                                                       outcome(50, 0, 0, 10, 0, 3)};
    EXPECT_EQ(reasons(space, outcomes),
              "why tp=1: 50.00 ms = compute 50.00 ms\n"
              "  tp=2: +10.00 ms: exposed communication +10.00 ms\n"
              "  tp=2: the fastest that is known to stay within 4 GiB of memory; 1 point is "
              "faster\n");
    space.memory_limit = Bytes(1);
    EXPECT_NE(reasons(space, outcomes).find("no point is known to stay within"), std::string::npos);
    EXPECT_EQ(reasons(space_of(1), {outcome(50, 0, 0, 0, 0, 9)}), "");
}

// The fastest needs more memory than there is: the best is the fastest that fits, and is compared
// with others that fit.
TEST(SweepReasons, CompareOnlyWhatFits) {
    const auto with_spare = [](Outcome one, std::int64_t gigabytes) {
        one.spare_memory = Bytes(gigabytes * 1'000'000'000);
        return one;
    };
    std::vector<std::optional<Outcome>> outcomes{
        with_spare(outcome(50, 0, 0, 0, 0, 9), -1), with_spare(outcome(50, 10, 0, 0, 0, 8), 0),
        with_spare(outcome(50, 20, 0, 0, 0, 9), -1), with_spare(outcome(50, 30, 0, 0, 0, 3), 5)};
    const std::string text =
        "why tp=2: 60.00 ms = compute 50.00 ms, exposed TP 10.00 ms\n"
        "  tp=8: +20.00 ms: exposed TP +20.00 ms\n"
        "  1 point is faster, but needs more memory than the NPUs have\n";
    EXPECT_EQ(reasons(space_of(4), outcomes), text);
    // A limit above what there is lets them pass.
    DesignSpace space = space_of(4);
    space.memory_limit = Bytes(9'000'000'000);
    EXPECT_EQ(reasons(space, outcomes).find("why tp=1: 50.00 ms"), 0U);
    for (std::optional<Outcome>& one : outcomes) {
        one->spare_memory = Bytes(-1);
    }
    EXPECT_NE(reasons(space_of(4), outcomes).find("  no point fits the memory of the NPUs\n"),
              std::string::npos);
}

// Marks in the table, with a legend below it, and a column of both files.
TEST(SweepOutputs, SayWhichPointsFit) {
    const DesignSpace space = space_of(3);
    SweepResults results;
    results.outcomes = {outcome(50, 0, 0, 0, 0, 9), outcome(50, 10, 0, 0, 0, 8),
                        outcome(50, 20, 0, 0, 0, 0)};
    results.outcomes[0]->spare_memory = Bytes(-1);
    results.outcomes[1]->spare_memory = Bytes(0);
    results.ranking = rank_points(space, results.outcomes);
    const std::string table = sweep_table(space, results);
    EXPECT_THAT(table, ContainsRegex("\nbest, Pareto +2 "));
    EXPECT_THAT(table, ContainsRegex("\ndoes not fit, Pareto +1 "));
    EXPECT_LT(table.find("best, Pareto"), table.find("does not fit, Pareto"));
    EXPECT_THAT(table, HasSubstr("1 of 3 points do not fit: they need more memory than the NPUs"));
    const std::string csv = sweep_csv(space, results);
    EXPECT_THAT(csv, HasSubstr(",link_bound_ns,fits_memory,note\n"));
    EXPECT_THAT(csv, ContainsRegex("\n1,[^\n]*,no,\n2,[^\n]*,yes,\n4,[^\n]*,,\n"));
    const std::string json = sweep_json(space, results);
    EXPECT_THAT(json, HasSubstr("\"fits_memory\": \"no\""));
    EXPECT_THAT(json, HasSubstr("\"fits_memory\": \"yes\""));
}

// Compute, exposed communication, exposed memory and idle time add up to the finish; so do the
// parts, and a point survives the journal with them.
TEST(SweepReasons, PartsAddUpToTheFinish) {
    std::mt19937_64 random(40);
    const auto below = [&](std::uint64_t bound) {
        return static_cast<std::int64_t>(random() % bound);
    };
    for (int i = 0; i < 1000; ++i) {
        const Outcome one =
            outcome(below(90), below(50), below(50), below(3), below(40), 1 + below(80));
        const std::optional<Outcome> read = read_outcome(outcome_line(one));
        ASSERT_TRUE(read);
        Time sum;
        for (const auto& [name, time] : parts_of_time(read->slowest)) {
            EXPECT_GE(time, Time()) << name;
            sum += time;
        }
        EXPECT_EQ(sum, one.slowest.finish);
    }
}

}  // namespace
}  // namespace npunet::study::sweep_reasons_test
