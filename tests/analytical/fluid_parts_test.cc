// The parts of the fluid network, each against a plain version of itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "analytical/fluid/forecast.h"
#include "analytical/fluid/input_queue.h"
#include "analytical/fluid/sharing.h"
#include "analytical/fluid/source_ring.h"

namespace npunet {
namespace {

using analytical::Claim;
using analytical::Forecast;
using analytical::InputQueue;
using analytical::no_limit;
using analytical::Share;
using analytical::SourceRing;
using analytical::whole_link;
using analytical::Work;
using analytical::work_in;
using analytical::work_of;

// Turns, packet by packet: the same list, walked.
class PlainTurns {
public:
    explicit PlainTurns(std::int64_t full) : full_(full) {}

    void add(std::uint32_t stage, std::int64_t packets, std::int64_t last) {
        waiting_.push_back({stage, packets, last});
    }
    /// Serves from `now` on until `until`: who has ended, and when.
    void run(std::int64_t until, std::vector<std::pair<std::uint32_t, std::int64_t>>& ended) {
        while (true) {
            if (serving_ && free_at_ <= until) {
                if (ends_) {
                    ended.emplace_back(served_, free_at_);
                }
                serving_ = false;
            }
            if (serving_ || waiting_.empty() || free_at_ >= until) {
                return;
            }
            serve();
        }
    }
    /// The next packet starts, when all have joined that do so at this time.
    void idle_until(std::int64_t now) {
        if (!serving_ && free_at_ < now) {
            free_at_ = now;
        }
    }

private:
    struct Entry {
        std::uint32_t stage;
        std::int64_t packets;
        std::int64_t last;
    };

    void serve() {
        turn_ = turn_ >= waiting_.size() ? 0 : turn_;
        Entry& entry = waiting_[turn_];
        served_ = entry.stage;
        ends_ = --entry.packets == 0;
        free_at_ += ends_ ? entry.last : full_;
        serving_ = true;
        if (ends_) {
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(turn_));
        } else {
            ++turn_;
        }
    }

    std::int64_t full_;
    std::deque<Entry> waiting_;
    std::size_t turn_ = 0;
    bool serving_ = false;
    bool ends_ = false;
    std::uint32_t served_ = 0;
    std::int64_t free_at_ = 0;
};

TEST(SourceRing, EndsAreThoseOfPacketsOneByOne) {
    constexpr std::int64_t full = 100;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        std::mt19937_64 random(seed);
        struct Arrival {
            std::int64_t at;
            std::int64_t packets;
            std::int64_t last;
        };
        std::vector<Arrival> arrivals;
        std::int64_t at = 0;
        for (int i = 0; i < 12; ++i) {
            const auto packets = 1 + static_cast<std::int64_t>(random() % 9);
            arrivals.push_back({at, packets, 1 + static_cast<std::int64_t>(random() % full)});
            // Often at the same time, or when a packet ends.
            at += random() % 3 == 0   ? 0
                  : random() % 2 == 0 ? full * static_cast<std::int64_t>(random() % 5)
                                      : static_cast<std::int64_t>(random() % 700);
        }
        std::vector<std::pair<std::uint32_t, std::int64_t>> expected;
        PlainTurns plain(full);
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            plain.run(arrivals[i].at, expected);
            plain.idle_until(arrivals[i].at);
            plain.add(static_cast<std::uint32_t>(i), arrivals[i].packets, arrivals[i].last);
        }
        plain.run(1 << 20, expected);

        std::vector<std::pair<std::uint32_t, std::int64_t>> ended;
        SourceRing ring(0, Time::ps(full));
        std::int64_t now = 0;
        std::size_t next = 0;
        while (next < arrivals.size() || ring.busy()) {
            if (ring.busy() && !ring.serving() &&
                (next == arrivals.size() || arrivals[next].at > now)) {
                (void)ring.start();
            }
            const std::int64_t due =
                ring.serving()
                    ? now + static_cast<std::int64_t>(ring.to_next() >> analytical::share_bits)
                    : std::int64_t{1} << 40;
            if (next < arrivals.size() && arrivals[next].at < due) {
                ring.advance(work_in(whole_link, Time::ps(arrivals[next].at - now)));
                now = arrivals[next].at;
                ring.add({static_cast<std::uint32_t>(next), arrivals[next].packets,
                          work_of(Time::ps(arrivals[next].last))},
                         whole_link / 2);
                ++next;
                continue;
            }
            now = due;
            const std::uint32_t end = ring.finish();
            if (end != SourceRing::none) {
                ended.emplace_back(end, now);
            }
        }
        ASSERT_EQ(ended, expected) << "seed " << seed;
    }
}

// Max-min fairness, checked by its definition: an input gets what it wants, or no input gets more
// than it does and nothing of the link is left; the same for the claims of an input.
TEST(Sharing, IsMaxMinFairBetweenInputsAndWithinThem) {
    analytical::Sharer sharer;
    for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Claim> claims;
        const auto inputs = 1 + static_cast<std::uint32_t>(random() % 5);
        for (std::uint32_t input = 0; input < inputs; ++input) {
            for (auto left = 1 + random() % 4; left > 0; --left) {
                const Share demand =
                    random() % 3 == 0 ? no_limit : static_cast<Share>(random() % whole_link) / 2;
                claims.push_back({input, demand, 0});
            }
        }
        sharer.share(claims);
        const auto rounding = static_cast<Share>(2 * claims.size());
        std::vector<Share> wanted(inputs);
        std::vector<Share> given(inputs);
        Share sum = 0;
        for (const Claim& claim : claims) {
            EXPECT_LE(claim.share, claim.demand);
            wanted[claim.input] = claim.demand > no_limit - wanted[claim.input]
                                      ? no_limit
                                      : wanted[claim.input] + claim.demand;
            given[claim.input] += claim.share;
            sum += claim.share;
        }
        EXPECT_LE(sum, whole_link);
        const Share most = *std::max_element(given.begin(), given.end());
        for (const Claim& claim : claims) {
            if (given[claim.input] < wanted[claim.input] - rounding) {
                EXPECT_GE(given[claim.input], most - rounding) << "seed " << seed;
                EXPECT_GE(sum, whole_link - rounding) << "seed " << seed;
            }
            if (claim.share < claim.demand - rounding) {
                for (const Claim& other : claims) {
                    EXPECT_TRUE(other.input != claim.input || other.share <= claim.share + rounding)
                        << "seed " << seed;
                }
            }
        }
    }
}

// Two messages come in at half of the link each and leave at half of it together; then the first
// one has come in. What waits then is half and half: the second one leaves alone behind it.
TEST(InputQueue, IsFirstInFirstOut) {
    constexpr Share half = whole_link / 2;
    InputQueue queue;
    queue.set_in(1, half);
    queue.set_in(2, half);
    queue.settle();
    EXPECT_EQ(queue.demand(), whole_link);
    queue.serve(half);
    EXPECT_TRUE(queue.waiting());
    EXPECT_EQ(queue.demand(), no_limit);
    queue.advance(Time::ps(1000));  // 500 of 1000 wait
    EXPECT_TRUE(queue.end_in(1, work_in(half, Time::ps(1000))));
    queue.settle();
    queue.serve(whole_link);
    std::vector<InputQueue::Part> leaving;
    queue.leaving(leaving);
    ASSERT_EQ(leaving.size(), 2U);
    EXPECT_EQ(leaving[0].share, half);
    EXPECT_EQ(queue.next(Time()), Time::ps(500));
    std::vector<std::uint32_t> ending;
    queue.ending(ending);
    EXPECT_EQ(ending, std::vector<std::uint32_t>{1});
    queue.advance(Time::ps(500));
    EXPECT_TRUE(queue.pop(Time::ps(500)));
    queue.settle();
    queue.leaving(leaving);
    ASSERT_EQ(leaving.size(), 1U);
    EXPECT_EQ(leaving[0].stage, 2U);
    EXPECT_EQ(leaving[0].share, whole_link);
    // 250 have come in meanwhile, and half of the link still comes: 500 more until nothing waits.
    EXPECT_EQ(queue.next(Time()), Time::ps(500));
}

// Changes in any order, some taken back, against a list that is summed up from the start.
TEST(Forecast, KnowsWhatComesWhen) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        std::mt19937_64 random(seed);
        const auto draw = [&](std::uint64_t below) {
            return static_cast<std::int64_t>(random() % below);
        };
        Forecast forecast;
        std::vector<Forecast::Change> plain;
        Time now;
        for (int step = 0; step < 30; ++step) {
            if (draw(4) > 0) {
                const auto stage = static_cast<std::uint32_t>(draw(4));
                const Time at = now + Time::ps(1 + draw(20));
                const Forecast::Change change{at, stage, 0, 0, draw(200) - 100, draw(5) == 0};
                forecast.add(change);
                plain.push_back(change);
            } else if (draw(2) == 0) {
                now += Time::ps(draw(10));
                while (forecast.next() <= now) {
                    (void)forecast.pass();
                }
            } else {
                const auto stage = static_cast<std::uint32_t>(draw(4));
                const Time after = now + Time::ps(draw(10));
                Share sum = 0;
                for (const Forecast::Change& change : plain) {
                    const bool ahead = change.at >= forecast.next();
                    sum += ahead && change.stage == stage && (change.at > after || change.tail)
                               ? change.difference
                               : 0;
                }
                const Time next = forecast.next();
                std::erase_if(plain, [&](const Forecast::Change& change) {
                    return change.at >= next && change.stage == stage &&
                           (change.at > after || change.tail);
                });
                EXPECT_EQ(forecast.take_back(stage, after), sum);
            }
            // From when on the sum is above the limit, counted at the end of each instant.
            const Share limit = draw(300) - 100;
            const auto sum_at = [&](Time time) {
                Work sum = 0;
                for (const Forecast::Change& change : plain) {
                    sum += change.at <= time ? change.difference : 0;
                }
                return sum;
            };
            const Time next = forecast.next();
            Work present = 0;
            Time expected = Time::max();
            for (const Forecast::Change& change : plain) {
                if (next == Time::max() || change.at < next) {
                    present += change.difference;
                } else if (sum_at(change.at) > limit) {
                    expected = std::min(expected, change.at);
                }
            }
            EXPECT_EQ(forecast.present(), present) << "seed " << seed;
            EXPECT_EQ(forecast.exceeds(limit), present > limit ? Time() : expected)
                << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace npunet
