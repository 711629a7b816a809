// DCQCN against sequences worked out by hand and against a version with eager timers.

#include "packet/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "choice_with.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::dcqcn_test {
namespace {

using packet::Dcqcn;
using packet::FlowPath;
using topology::CongestionAlgorithm;
using topology::CongestionControlChoice;
using Parameter = topology::DcqcnParameter;

constexpr std::int64_t us = 1'000'000;
constexpr std::int64_t line = 50'000'000'000;

const FlowPath path{line, line, 4 * us, 2, 4160};

/// g = 1/4, timers of 10 us, a byte counter of 1 MB, F = 2, R_AI = 1 GB/s, R_HAI = 5 GB/s, no least
/// rate; unscaled.
CongestionControlChoice quick(OtherValues more = {}) {
    return choice_with(topology::paper_choice(CongestionAlgorithm::Dcqcn),
                       {{Parameter::gain, 0.25},
                        {Parameter::alpha_timer, 10 * us},
                        {Parameter::increase_timer, 10 * us},
                        {Parameter::byte_counter, 1e6},
                        {Parameter::fast_recovery, 2},
                        {Parameter::rate_ai, 1e9},
                        {Parameter::rate_hai, 5e9},
                        {Parameter::min_rate, 1}},
                       more);
}

TEST(Dcqcn, StartsAtTheRateOfTheLink) {
    Dcqcn dcqcn(quick(), path);
    EXPECT_EQ(dcqcn.rate(0), line);
    dcqcn.packet_sent(0, 4160);
    EXPECT_EQ(dcqcn.rate(1000 * us), line);
    EXPECT_EQ(dcqcn.current_alpha(1000 * us), 1);
    EXPECT_EQ(dcqcn.window(), packet::CongestionControl::no_window);
}

// The first CNP: alpha = 1, so R_C = 50 (1 - 1/2) = 25 GB/s, R_T = 50, alpha = 3/4 + 1/4 = 1.
// After 20 us alpha = (3/4)^2 = 0.5625, R_C = 25 -> 37.5 -> (F = 2: additive, R_T at the line rate)
// 43.75. The second CNP: R_T = 43.75, R_C = 43.75 (1 - 0.5625 / 2) = 31.445 3125 GB/s, alpha =
// 0.75 x 0.5625 + 0.25 = 0.671875.
TEST(Dcqcn, CutsTheRateByHalfOfAlpha) {
    Dcqcn dcqcn(quick(), path);
    dcqcn.notified(5 * us);
    EXPECT_EQ(dcqcn.rate(5 * us), line / 2);
    EXPECT_EQ(dcqcn.target_rate(), line);
    EXPECT_EQ(dcqcn.current_alpha(15 * us - 1), 1);
    EXPECT_EQ(dcqcn.current_alpha(15 * us), 0.75);
    EXPECT_EQ(dcqcn.rate(15 * us), 37'500'000'000);
    EXPECT_EQ(dcqcn.current_alpha(25 * us), 0.5625);
    EXPECT_EQ(dcqcn.rate(25 * us), 43'750'000'000);
    dcqcn.notified(25 * us);
    EXPECT_EQ(dcqcn.target_rate(), 43'750'000'000);
    EXPECT_EQ(dcqcn.rate(25 * us), 31'445'312'500);
    EXPECT_EQ(dcqcn.current_alpha(25 * us), 0.671875);
}

// Two CNPs at once: R_T = 25, R_C = 12.5 GB/s. Fast recovery, T < F = 2: the gap of 12.5 GB/s
// halves to 6.25 at T = 1. Additive from T = 2: R_T = 26, R_C = (26 + 18.75) / 2 = 22.375; R_T =
// 27, R_C = 24.6875. Each step the gap e becomes (e + 1) / 2, which tends to 1 GB/s.
TEST(Dcqcn, RecoversFastAndThenAdditively) {
    Dcqcn dcqcn(quick(), path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    EXPECT_EQ(dcqcn.rate(0), 12'500'000'000);
    EXPECT_EQ(dcqcn.rate(10 * us), 18'750'000'000);
    EXPECT_EQ(dcqcn.target_rate(), 25'000'000'000);
    EXPECT_EQ(dcqcn.rate(20 * us), 22'375'000'000);
    EXPECT_EQ(dcqcn.rate(30 * us), 24'687'500'000);
    EXPECT_EQ(dcqcn.target_rate(), 27'000'000'000);
    EXPECT_NEAR(static_cast<double>(dcqcn.rate(200 * us)), 43e9, 1e6);
    EXPECT_EQ(dcqcn.target_rate(), 44'000'000'000);
    EXPECT_EQ(dcqcn.rate(1000 * us), line);
}

// Without the clamp a CNP leaves R_T unchanged until the timer has increased the rate: after two
// CNPs at once R_T = 50, R_C = 12.5 GB/s. The third comes after an increase by the byte counter (B
// = 1: R_C = 31.25) with T = 0: R_T = 50, R_C = 15.625; at T = 1 (50 + 15.625) / 2 = 32.8125. The
// fourth comes at T = 1, alpha = 3/4: R_T = 32.8125, R_C = 32.8125 (1 - 3/8) = 20.5078125 GB/s.
TEST(Dcqcn, KeepsTheTargetUntilTheTimerIncreases) {
    Dcqcn dcqcn(quick({{Parameter::clamp_target_rate, 0}}), path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    EXPECT_EQ(dcqcn.target_rate(), line);
    EXPECT_EQ(dcqcn.rate(0), 12'500'000'000);
    dcqcn.packet_sent(1 * us, 1'000'000);
    EXPECT_EQ(dcqcn.rate(1 * us), 31'250'000'000);
    dcqcn.notified(2 * us);
    EXPECT_EQ(dcqcn.target_rate(), line);
    EXPECT_EQ(dcqcn.rate(2 * us), 15'625'000'000);
    EXPECT_EQ(dcqcn.rate(12 * us), 32'812'500'000);
    dcqcn.notified(12 * us);
    EXPECT_EQ(dcqcn.target_rate(), 32'812'500'000);
    EXPECT_EQ(dcqcn.rate(12 * us), 20'507'812'500);
}

// NICs keep the target rate; the paper's rule sets it at every CNP.
TEST(Dcqcn, ClampsTheTargetWithThePaperOnly) {
    EXPECT_EQ(value_of(topology::standard_choice(CongestionAlgorithm::Dcqcn), "clamp_target_rate"),
              0);
    EXPECT_EQ(value_of(topology::paper_choice(CongestionAlgorithm::Dcqcn), "clamp_target_rate"), 1);
}

// F = 5 of the paper: each of four recoveries halves the gap to the target, which stays.
TEST(Dcqcn, HalvesTheGapInFastRecovery) {
    Dcqcn dcqcn(quick({{Parameter::fast_recovery, 5}}), path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    std::int64_t gap = 12'500'000'000;
    for (int tick = 1; tick < 5; ++tick) {
        gap /= 2;
        EXPECT_EQ(dcqcn.rate(tick * 10 * us), 25'000'000'000 - gap) << tick;
    }
}

// Bytes count like the timer: 1 MB are 250 packets of 4000 bytes. Both beyond F = 2 (T = 3, B = 3)
// raise the target by R_HAI = 5 GB/s. From R_T = 25, R_C = 12.5: B = 1 18.75, B = 2 (26) 22.375,
// B = 3 (27) 24.6875, T = 1 (28) 26.34375, T = 2 (29) 27.671875, T = 3 (34) 30.8359375 GB/s.
TEST(Dcqcn, IncreasesByBytesAndByBoth) {
    Dcqcn dcqcn(quick(), path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    for (int packet = 0; packet < 249; ++packet) {
        dcqcn.packet_sent(1 * us, 4000);
    }
    EXPECT_EQ(dcqcn.rate(1 * us), 12'500'000'000);
    dcqcn.packet_sent(1 * us, 4000);
    EXPECT_EQ(dcqcn.rate(1 * us), 18'750'000'000);
    dcqcn.packet_sent(2 * us, 2'000'000);
    EXPECT_EQ(dcqcn.rate(2 * us), 24'687'500'000);
    EXPECT_EQ(dcqcn.rate(10 * us), 26'343'750'000);
    EXPECT_EQ(dcqcn.rate(20 * us), 27'671'875'000);
    EXPECT_EQ(dcqcn.rate(30 * us), 30'835'937'500);
    EXPECT_EQ(dcqcn.target_rate(), 34'000'000'000);
}

// alpha = 1 - each CNP halves the rate, down to the least one.
TEST(Dcqcn, KeepsToTheLeastRate) {
    Dcqcn dcqcn(quick({{Parameter::min_rate, 3e9}}), path);
    for (int i = 0; i < 20; ++i) {
        dcqcn.notified(0);
    }
    EXPECT_EQ(dcqcn.rate(0), 3'000'000'000);
}

// The rates are per 25 Gb/s of the link, 16 of which make 50 GB/s: R_AI = 400 Mb/s = 50 MB/s. After
// two CNPs at once and many ticks the rate grows by it each 55 us.
TEST(Dcqcn, ScalesIncreasesWithTheLink) {
    Dcqcn dcqcn(choice_with(topology::standard_choice(CongestionAlgorithm::Dcqcn),
                            {{Parameter::clamp_target_rate, 1}}),
                path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    const std::int64_t later = dcqcn.rate(60 * 55 * us);
    EXPECT_EQ(dcqcn.rate(61 * 55 * us) - later, 50'000'000);
    const CongestionControlChoice paper = topology::paper_choice(CongestionAlgorithm::Dcqcn);
    Dcqcn unscaled(paper, path);
    unscaled.notified(0);
    unscaled.notified(0);
    const std::int64_t then = unscaled.rate(60 * 55 * us);
    EXPECT_EQ(unscaled.rate(61 * 55 * us) - then, 5'000'000);
}

/// The state machine with a timer that fires on its own: one increase a tick, alpha from its last
/// value.
struct Eager {
    bool clamps = true;
    std::int64_t rate = line;
    std::int64_t target = line;
    double alpha = 1;
    std::int64_t notified = -1;
    std::int64_t bytes = 0;
    std::int64_t periods = 0;
    std::int64_t ticks = 0;
    std::int64_t next_alpha = 0;
    std::int64_t next_tick = 0;

    void increase() {
        std::int64_t raise = 0;
        if (std::max(ticks, periods) >= 2) {
            raise = std::min(ticks, periods) > 2 ? 5'000'000'000 : 1'000'000'000;
        }
        target = std::min(target + raise, line);
        rate = (target + rate + 1) / 2;
    }
    void advance(std::int64_t now) {
        if (notified < 0) {
            return;
        }
        for (; next_alpha <= now; next_alpha += 10 * us) {
            alpha *= 0.75;
        }
        for (; next_tick <= now; next_tick += 10 * us) {
            ++ticks;
            increase();
        }
    }
    void send(std::int64_t now, std::int64_t wire) {
        advance(now);
        if (notified < 0) {
            return;
        }
        for (bytes += wire; bytes >= 1'000'000; bytes -= 1'000'000) {
            ++periods;
            increase();
        }
    }
    void notify(std::int64_t now) {
        advance(now);
        target = clamps || ticks > 0 ? rate : target;
        rate = std::max<std::int64_t>(1, std::llround(static_cast<double>(rate) * (1 - alpha / 2)));
        alpha = 0.75 * alpha + 0.25;
        notified = now;
        bytes = periods = ticks = 0;
        next_alpha = next_tick = now + 10 * us;
    }
};

// Random CNPs, packets and pauses, short and long: the rates are the same to the byte. (3/4)^n is
// exact for some n only, so alpha may differ in its last digits, and the rate after a CNP by 1.
TEST(Dcqcn, LazyTimersAreEagerOnes) {
    CongestionControlChoice choice = quick();
    for (unsigned seed = 0; seed < 400; ++seed) {
        std::mt19937 random(seed);
        choice.values[Parameter::clamp_target_rate] = seed % 2;
        Dcqcn lazy(choice, path);
        Eager eager;
        eager.clamps = seed % 2 == 1;
        std::int64_t now = 0;
        for (int step = 0; step < 300; ++step) {
            const std::int64_t pause = std::int64_t{1} << (random() % 32);
            now += static_cast<std::int64_t>(random()) % pause;
            const auto kind = random() % 8;
            if (kind == 0) {
                lazy.notified(now);
                eager.notify(now);
            } else if (kind < 5) {
                const std::int64_t wire = 1 + static_cast<std::int64_t>(random() % 500'000);
                lazy.packet_sent(now, wire);
                eager.send(now, wire);
            } else if (kind < 7) {
                eager.advance(now);
                ASSERT_NEAR(static_cast<double>(lazy.rate(now)), static_cast<double>(eager.rate), 2)
                    << seed << ", " << step;
                ASSERT_NEAR(lazy.current_alpha(now), eager.alpha, 1e-12);
            }
        }
    }
}

// How often the rate is asked for makes no difference at all.
TEST(Dcqcn, DoesNotDependOnHowOftenItIsAsked) {
    Dcqcn often(choice_with(topology::standard_choice(CongestionAlgorithm::Dcqcn), {}), path);
    Dcqcn seldom(choice_with(topology::standard_choice(CongestionAlgorithm::Dcqcn), {}), path);
    for (std::int64_t cnp = 0; cnp < 5; ++cnp) {
        const std::int64_t begin = cnp * cnp * 3'000 * us;
        often.notified(begin);
        seldom.notified(begin);
        for (std::int64_t now = begin; now < begin + 2'900 * us; now += 7 * us) {
            often.rate(now);
        }
        const std::int64_t end = begin + 2'950 * us;
        EXPECT_EQ(often.rate(end), seldom.rate(end));
        EXPECT_EQ(often.current_alpha(end), seldom.current_alpha(end));
        EXPECT_EQ(often.target_rate(), seldom.target_rate());
    }
}

// R_AI = 0.1 GB/s and 60 byte counters: the gap has become R_AI, and a tick moves rate and target
// alike. Ticks 1 and 2 raise them by R_AI, the 8 beyond F = 2 by R_HAI = 1 GB/s, also when all of
// them are looked at together.
TEST(Dcqcn, NoticesWhereHyperIncreaseBegins) {
    Dcqcn dcqcn(quick({{Parameter::rate_ai, 1e8}, {Parameter::rate_hai, 1e9}}), path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    dcqcn.packet_sent(0, 60'000'000);
    EXPECT_EQ(dcqcn.target_rate() - dcqcn.rate(0), 100'000'000);
    const std::int64_t before = dcqcn.target_rate();
    dcqcn.rate(100 * us);
    EXPECT_EQ(dcqcn.target_rate() - before, 8'200'000'000);
}

// The slowest case there can be: a tick each 100 ns, and a raise of 1 byte/s. The first tick only
// recovers, so tick n leaves the target at 25 GB/s + n - 1; the gap e becomes floor((e + 1) / 2),
// at last 1 byte/s. A day has 8.64 x 10^11 ticks, more than it takes to the rate of the link.
TEST(Dcqcn, ADayOffTakesNoTime) {
    Dcqcn dcqcn(quick({{Parameter::increase_timer, 1e5}, {Parameter::rate_ai, 1}}), path);
    dcqcn.notified(0);
    dcqcn.notified(0);
    const std::int64_t second = 1'000'000 * us;
    EXPECT_EQ(dcqcn.rate(second / 1000), 25'000'009'998);
    EXPECT_EQ(dcqcn.rate(second), 25'009'999'998);
    EXPECT_EQ(dcqcn.rate(24 * 3600 * second), line);
    EXPECT_EQ(dcqcn.current_alpha(24 * 3600 * second), 0);
}

}  // namespace
}  // namespace npunet::packet_test::dcqcn_test
