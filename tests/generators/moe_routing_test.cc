// Routing: how many copies of tokens go to which expert.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "generators/transformer/moe_routing.h"
#include "tests/generators/element_bytes.h"
#include "tests/generators/parallel_plans.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RoutingFile : public ::testing::Test {
protected:
    void SetUp() override {
        model_ = small_moe();
        model_.moe.experts = 4;
        model_.moe.routing = routing_named((folder_ / "counts").string(), "here");
    }

    void write(const std::string& text) const { folder_.write("counts", text); }

    [[nodiscard]] std::string error_of(const std::string& text) const {
        write(text);
        return test::message_of<InputError>([&] { return MoeRouting(model_, 1); });
    }

    test::TemporaryFolder folder_;
    ModelSpec model_;
};

// N = T k copies over E experts, batch t in layer l: floor((i + 1) N / E) - floor(i N / E) with
// i = e + t + l.
TEST(MoeRouting, UniformIsEqualUpToOne) {
    ModelSpec model = small_moe();
    const MoeRouting even(model, 1);
    EXPECT_THAT(even.counts({1, 0, Rank(0), 64}), Each(16));
    EXPECT_THAT(even.counts({0, 5, Rank(7), 5}), ElementsAre(1, 1, 1, 2, 1, 1, 1, 2));
    EXPECT_THAT(even.counts({2, 5, Rank(7), 5}), ElementsAre(1, 2, 1, 1, 1, 2, 1, 1));
    EXPECT_THAT(even.counts({0, 5, Rank(7), 5, 11}), ElementsAre(2, 1, 1, 1, 2, 1, 1, 1));
    EXPECT_THAT(even.counts({1, 0, Rank(0), 0}), Each(0));
}

// Whatever s batches follow each other, an expert gets s N / E of them up to less than one, also
// where a batch is a single token.
TEST(MoeRouting, UniformIsEqualOverManySmallBatches) {
    ModelSpec model = small_moe();
    for (const std::int64_t top_k : {1, 2, 3}) {
        model.moe.top_k = top_k;
        const MoeRouting even(model, 1);
        for (const std::int64_t tokens : {1, 3, 8}) {
            for (const std::int64_t first : {0, 5}) {
                std::vector<std::int64_t> sums(8);
                for (std::int64_t s = 1; s <= 20; ++s) {
                    const auto counts = even.counts({3, 0, Rank(0), tokens, first + s});
                    for (std::size_t e = 0; e < sums.size(); ++e) {
                        EXPECT_LE(counts[e], tokens);
                        sums[e] += counts[e];
                        EXPECT_LT(std::abs(8 * sums[e] - s * tokens * top_k), 8);
                    }
                }
            }
        }
    }
}

// All copies find an expert, none gets a token twice, and every source, layer, micro-batch and seed
// draws anew.
TEST(MoeRouting, ZipfKeepsItsSums) {
    for (const double exponent : {0.0, 0.5, 1.0, 3.0, 20.0}) {
        ModelSpec model = small_moe();
        model.moe.routing.kind = Routing::Kind::Zipf;
        model.moe.routing.exponent = exponent;
        for (const std::int64_t top_k : {1, 2, 7, 8}) {
            model.moe.top_k = top_k;
            const MoeRouting routing(model, 3);
            for (const std::int64_t tokens : {0, 1, 5, 64, 1000}) {
                for (std::int64_t layer = 0; layer < 4; ++layer) {
                    const std::vector<std::int64_t> counts =
                        routing.counts({layer, 2, Rank(5), tokens});
                    EXPECT_EQ(total(counts), tokens * top_k);
                    for (const std::int64_t count : counts) {
                        EXPECT_GE(count, 0);
                        EXPECT_LE(count, tokens);
                    }
                }
            }
        }
    }
}

// Sorted counts follow 1 / i^s within one copy: H = 1 + 1/2 + .. + 1/8 = 761/280.
TEST(MoeRouting, ZipfFollowsItsLaw) {
    ModelSpec model = skewed_moe();
    model.moe.routing.exponent = 1.0;
    model.moe.top_k = 1;
    std::vector<std::int64_t> counts = MoeRouting(model, 9).counts({3, 0, Rank(1), 100'000});
    std::sort(counts.rbegin(), counts.rend());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(counts[i]),
                    100'000.0 * 280.0 / 761.0 / static_cast<double>(i + 1), 1.001);
    }
}

// The same numbers on every machine.
TEST(MoeRouting, IsTheSameEverywhere) {
    const MoeRouting routing(skewed_moe(), 1);
    const std::vector<std::int64_t> first = routing.counts({1, 0, Rank(0), 1000});
    EXPECT_EQ(first, routing.counts({1, 0, Rank(0), 1000}));
    EXPECT_EQ(first, MoeRouting(skewed_moe(), 1).counts({1, 0, Rank(0), 1000}));
    EXPECT_NE(first, routing.counts({2, 0, Rank(0), 1000}));
    EXPECT_NE(first, MoeRouting(skewed_moe(), 2).counts({1, 0, Rank(0), 1000}));
    // Sources and micro-batches share the popularity of a layer and differ by one copy at most.
    std::size_t different = 0;
    for (std::int32_t r = 1; r < 20; ++r) {
        const std::vector<std::int64_t> counts = routing.counts({1, r % 3, Rank(r), 1000});
        different += counts != first ? 1 : 0;
        for (std::size_t e = 0; e < counts.size(); ++e) {
            EXPECT_LE(std::abs(counts[e] - first[e]), 1);
        }
    }
    EXPECT_GT(different, 0U);
    // From an implementation of the formulas in exact arithmetic.
    EXPECT_THAT(first, ElementsAre(110, 136, 238, 371, 174, 93, 797, 81));
}

// ceil(f N / E) copies of a source at most: f 1, N 2000, E 8.
TEST(MoeRouting, CapacityDropsCopies) {
    const std::vector<std::int64_t> all = MoeRouting(skewed_moe(), 1).counts({1, 0, Rank(0), 1000});
    const MoeRouting limited(skewed_moe(1.0), 1);
    const std::vector<std::int64_t> kept = limited.counts({1, 0, Rank(0), 1000});
    for (std::size_t e = 0; e < all.size(); ++e) {
        EXPECT_EQ(kept[e], std::min<std::int64_t>(all[e], 250));
    }
    EXPECT_LT(total(kept), 2000);
    EXPECT_THAT(
        limited.parts({1, 0, Rank(0), 1000}, 4),
        ElementsAre(kept[0] + kept[1], kept[2] + kept[3], kept[4] + kept[5], kept[6] + kept[7]));
}

TEST(MoeRouting, HasNames) {
    EXPECT_EQ(routing_named("uniform", "here").kind, Routing::Kind::Uniform);
    EXPECT_EQ(routing_named("zipf:1.25", "here").exponent, 1.25);
    EXPECT_EQ(routing_named("runs/counts.txt", "here").file, "runs/counts.txt");
    EXPECT_EQ(routing_name(routing_named("zipf:0.5", "here")), "zipf:0.5");
    for (const char* wrong : {"", "zipf", "zipf:", "zipf:x", "zipf:-1", "zipf:1e9", "zipf:nan"}) {
        EXPECT_THROW(static_cast<void>(routing_named(wrong, "here")), InputError) << wrong;
    }
}

// Where the file's counts are those of as many copies, they come out as they are.
TEST_F(RoutingFile, ReproducesRecordedCounts) {
    write("# layer, tokens of each expert\n1, 30, 50, 0, 48\n* 10 20 30 40  # the others\n");
    const MoeRouting routing(model_, 1);
    EXPECT_THAT(routing.counts({1, 0, Rank(3), 64}), ElementsAre(30, 50, 0, 48));
    EXPECT_THAT(routing.counts({2, 1, Rank(0), 50}), ElementsAre(10, 20, 30, 40));
    EXPECT_THAT(routing.counts({3, 1, Rank(0), 500}), ElementsAre(100, 200, 300, 400));
}

// 90 of 100 copies of 50 tokens cannot go to one expert: it gets all 50, the others share 50 as 6
// to 3 to 1.
TEST_F(RoutingFile, NoExpertGetsATokenTwice) {
    write("* 900 60 30 10\n");
    EXPECT_THAT(MoeRouting(model_, 1).counts({1, 0, Rank(0), 50}), ElementsAre(50, 30, 15, 5));
    write("* 9 9 0 0\n");
    EXPECT_THAT(MoeRouting(model_, 1).counts({1, 0, Rank(0), 50}), ElementsAre(50, 50, 0, 0));
}

TEST_F(RoutingFile, SaysWhatIsWrong) {
    EXPECT_THAT(error_of("* 1 2 3\n"), AllOf(HasSubstr("line 1"), HasSubstr("3 numbers")));
    EXPECT_THAT(error_of("# a\n* 1 2 3 x\n"), AllOf(HasSubstr("line 2"), HasSubstr("'x'")));
    EXPECT_THAT(error_of("* 1 2 3 -4\n"), HasSubstr("'-4'"));
    EXPECT_THAT(error_of("* 1 0 0 0\n"), HasSubstr("1 experts with tokens"));
    EXPECT_THAT(error_of("0 1 2 3 4\n"), AllOf(HasSubstr("layer 0"), HasSubstr("1 to 3")));
    EXPECT_THAT(error_of("9 1 2 3 4\n"), HasSubstr("'9'"));
    EXPECT_THAT(error_of("1 1 2 3 4\n1 1 2 3 4\n"), HasSubstr("once more"));
    EXPECT_THAT(error_of("1 1 2 3 4\n2 1 2 3 4\n"), HasSubstr("no line for layer 3"));
    EXPECT_THAT(error_of(""), HasSubstr("no line for layer 1"));
    model_.moe.routing.file = "/nowhere/counts.txt";
    EXPECT_THAT(error_of(""), HasSubstr("/nowhere/counts.txt"));
}

}  // namespace
}  // namespace npunet::generators
