// The two balancers and the adjustment to the memory. The layer balancer is checked against one
// written from the same rules (reference, section 5) with plain lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "planner/metis/layer_balancer.h"
#include "planner/metis/memory_adjustment.h"
#include "planner/metis/mixed_stages.h"
#include "tests/support/refusals.h"

namespace npunet::planner::metis {
namespace {

using Shares = std::vector<std::int64_t>;

// 8 x 2/3 = 5.33 and 8 x 1/3 = 2.67: 5 and 2, and the rest to the larger fraction.
TEST(DataBalancer, ByHand) {
    EXPECT_EQ(balance({2, 1}, 8), (Shares{5, 3}));
    EXPECT_EQ(balance({1, 1, 1}, 8), (Shares{3, 3, 2}));
    EXPECT_EQ(balance({1, 1, 1, 1}, 2), (Shares{1, 1, 0, 0}));
    EXPECT_EQ(balance({5}, 7), (Shares{7}));
}

TEST(DataBalancer, SharesAreProportionalWithinOneSample) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> speed(0.1, 5);
    for (int run = 0; run < 200; ++run) {
        std::vector<double> speeds(1 + random() % 9);
        std::generate(speeds.begin(), speeds.end(), [&] { return speed(random); });
        const auto samples = static_cast<std::int64_t>(random() % 200);
        const Shares shares = balance(speeds, samples);
        EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}), samples);
        const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
        for (std::size_t i = 0; i < speeds.size(); ++i) {
            const double exact = static_cast<double>(samples) * speeds[i] / total;
            EXPECT_LE(std::abs(static_cast<double>(shares[i]) - exact), 1.0 + 1e-9);
        }
    }
}

/// The rules, with a list of sub-layers or layers for every stage.
class PlainBalancer {
public:
    PlainBalancer(std::vector<double> norm, std::vector<double> performance)
        : norm_(std::move(norm)),
          performance_(std::move(performance)),
          capacity_(performance_),
          lists_(performance_.size()) {
        for (const double share : norm_) {
            for (int i = 0; i < 7; ++i) {
                shares_.push_back(share / 7);
            }
        }
    }

    std::vector<std::uint16_t> run() {
        forward();
        backward();
        rest();
        real_layers();
        moves();
        std::vector<std::uint16_t> counts;
        for (const auto& list : lists_) {
            counts.push_back(static_cast<std::uint16_t>(list.size()));
        }
        return counts;
    }

private:
    using List = std::vector<int>;

    void give(int sub, std::size_t stage) {
        capacity_[stage] -= shares_[static_cast<std::size_t>(sub)];
        lists_[stage].push_back(sub);
    }
    void forward() {
        const int subs = static_cast<int>(shares_.size());
        int k = 0;
        for (std::size_t s = 0; s + 1 < lists_.size(); ++s) {
            for (int x = k; x < subs - 8; ++x) {
                k = x + 1;
                if (!(capacity_[s] > shares_[static_cast<std::size_t>(x)])) {
                    unassigned_.push_back(x);
                    break;
                }
                give(x, s);
            }
        }
        for (int x = k; x < subs; ++x) {
            unassigned_.push_back(x);
        }
    }
    void backward() {
        const List all = unassigned_;
        const std::size_t last = lists_.size() - 1;
        for (auto x = all.rbegin(); x != all.rend(); ++x) {
            const List& list = lists_[last];
            const bool free = list.size() < 7;
            if (free || (*x + 1 == *std::min_element(list.begin(), list.end()) &&
                         capacity_[last] > shares_[static_cast<std::size_t>(*x)])) {
                give(*x, last);
                unassigned_.erase(std::find(unassigned_.begin(), unassigned_.end(), *x));
            }
        }
    }
    void rest() {
        for (const int x : unassigned_) {
            std::size_t lo = 0;
            std::size_t hi = lists_.size() - 1;
            int best_high = -1;
            int best_low = std::numeric_limits<int>::max();
            for (std::size_t s = 0; s < lists_.size(); ++s) {
                if (lists_[s].empty()) {
                    continue;
                }
                const auto [low, high] = std::minmax_element(lists_[s].begin(), lists_[s].end());
                if (x > *high && *high > best_high) {
                    lo = s;
                    best_high = *high;
                }
                if (x < *low && *low < best_low) {
                    hi = s;
                    best_low = *low;
                }
            }
            std::size_t best = lo;
            for (std::size_t s = lo; s <= hi; ++s) {
                best = capacity_[s] > capacity_[best] ? s : best;
            }
            give(x, best);
        }
    }
    void real_layers() {
        for (std::size_t s = 0; s < lists_.size(); ++s) {
            List layers;
            for (int layer = 0; layer < static_cast<int>(norm_.size()); ++layer) {
                const auto parts = std::count_if(lists_[s].begin(), lists_[s].end(),
                                                 [&](int sub) { return sub / 7 == layer; });
                if (parts >= 4) {
                    layers.push_back(layer);
                }
            }
            lists_[s] = layers;
            capacity_[s] = performance_[s];
            if (!layers.empty()) {
                double sum = 0;
                for (int layer = layers.front(); layer <= layers.back(); ++layer) {
                    sum += norm_[static_cast<std::size_t>(layer)];
                }
                capacity_[s] -= sum;
            }
        }
    }
    void move(std::vector<List>& lists, std::vector<double>& capacity) const {
        const auto m = static_cast<std::size_t>(std::max_element(capacity.begin(), capacity.end()) -
                                                capacity.begin());
        std::size_t neighbour = lists.size();
        if (m > 0) {
            neighbour = m - 1;
        }
        if (m + 1 < lists.size() && (m == 0 || capacity[m + 1] < capacity[m - 1])) {
            neighbour = m + 1;
        }
        if (neighbour == lists.size() || lists[neighbour].size() <= 1) {
            return;
        }
        List& from = lists[neighbour];
        const auto place = neighbour < m ? from.end() - 1 : from.begin();
        const int layer = *place;
        from.erase(place);
        lists[m].push_back(layer);
        std::sort(lists[m].begin(), lists[m].end());
        capacity[m] -= norm_[static_cast<std::size_t>(layer)];
        capacity[neighbour] += norm_[static_cast<std::size_t>(layer)];
    }
    void moves() {
        std::vector<List> lists = lists_;
        std::vector<double> capacity = capacity_;
        for (int n = 1;; ++n) {
            move(lists, capacity);
            if (*std::max_element(capacity.begin(), capacity.end()) >
                    *std::max_element(capacity_.begin(), capacity_.end()) ||
                n > 3) {
                return;
            }
            lists_ = lists;
            capacity_ = capacity;
        }
    }

    std::vector<double> norm_;
    std::vector<double> shares_;
    std::vector<double> performance_;
    std::vector<double> capacity_;
    std::vector<List> lists_;
    List unassigned_;
};

std::vector<double> random_shares(std::size_t count, std::mt19937& random, bool uneven) {
    std::uniform_real_distribution<double> amount(uneven ? 0.01 : 0.8, 1);
    std::vector<double> shares(count);
    std::generate(shares.begin(), shares.end(), [&] { return amount(random); });
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) {
        share /= total;
    }
    return shares;
}

TEST(LayerBalancer, AsTheRulesWithPlainLists) {
    std::mt19937 random(7);
    for (int run = 0; run < 3000; ++run) {
        const std::size_t layers = 2 + random() % 30;
        const std::size_t stages = 1 + random() % layers;
        const auto norm = random_shares(layers, random, run % 2 == 0);
        LayerBalancer balancer(norm, static_cast<std::int64_t>(layers));
        std::vector<std::uint16_t> counts;
        for (int repeat = 0; repeat < 3; ++repeat) {
            auto performance = random_shares(stages, random, run % 3 == 0);
            for (double& share : performance) {
                share *= 0.8 + 0.1 * repeat;  // as after an adjustment
            }
            balancer.run(performance, counts);
            ASSERT_EQ(counts, PlainBalancer(norm, performance).run())
                << layers << " layers, " << stages << " stages, run " << run;
        }
    }
}

// Equal layers and stages that divide them.
TEST(LayerBalancer, EqualStagesGetEqualParts) {
    LayerBalancer balancer(std::vector<double>(8, 0.125), 8);
    std::vector<std::uint16_t> counts;
    balancer.run({0.25, 0.25, 0.25, 0.25}, counts);
    EXPECT_EQ(counts, (std::vector<std::uint16_t>{2, 2, 2, 2}));
    balancer.run({1}, counts);
    EXPECT_EQ(counts, (std::vector<std::uint16_t>{8}));
}

// Stage 0 holds half of what it should: 0.5 x 10/20 x 0.9 = 0.225 is left to it. Stage 1 has room
// for 0.5 x 10/5 - 0.5 = 0.5 and takes the 0.275.
TEST(MemoryAdjustment, ByHand) {
    std::vector<double> performance{0.5, 0.5};
    MemoryAdjustment adjustment;
    EXPECT_TRUE(adjustment.adjust(performance, {10, 10}, {20, 5}));
    EXPECT_DOUBLE_EQ(performance[0], 0.225);
    EXPECT_DOUBLE_EQ(performance[1], 0.775);
}

TEST(MemoryAdjustment, WithoutEnoughRoom) {
    std::vector<double> performance{0.5, 0.5};
    MemoryAdjustment adjustment;
    EXPECT_FALSE(adjustment.adjust(performance, {10, 10}, {20, 9.9}));
    EXPECT_EQ(performance, (std::vector<double>{0.5, 0.5}));
}

// Room in proportion to performance until one stage is full, the rest to the other.
TEST(MemoryAdjustment, SecondRound) {
    std::vector<double> performance{0.4, 0.3, 0.3};
    MemoryAdjustment adjustment;
    // Given up: 0.4 - 0.4 x 0.5 x 0.9 = 0.22. Room: 0.03 and 0.6.
    EXPECT_TRUE(adjustment.adjust(performance, {10, 11, 30}, {20, 10, 10}));
    EXPECT_DOUBLE_EQ(performance[0], 0.18);
    EXPECT_NEAR(performance[1], 0.33, 1e-12);
    EXPECT_NEAR(performance[0] + performance[1] + performance[2], 1.0, 0.01);
}

// Twenty stages with room for 0.0009 each would do for 0.0127, but room up to 0.001 is not given
// out.
TEST(MemoryAdjustment, WhereTheOriginalNeverEnds) {
    std::vector<double> performance(20, 0.045);
    std::vector<double> capacity(20, 10.2);
    std::vector<double> demand(20, 10);
    performance.push_back(0.1);
    capacity.push_back(9.7);
    demand.push_back(10);
    MemoryAdjustment adjustment;
    EXPECT_NE(test::problem_of([&] {
                  return adjustment.adjust(performance, capacity, demand);
              }).expected.find("no end"),
              std::string::npos);
}

}  // namespace
}  // namespace npunet::planner::metis
