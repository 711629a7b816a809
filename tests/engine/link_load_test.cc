// Link load: the share of a bin is the sum of what was added to it, over its width.
#include "engine/network/link_load.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace npunet::engine {
namespace {

double picoseconds_of(const LinkLoad& load, std::size_t link, Time finish) {
    double sum = 0;
    for (std::size_t bin = 0; bin < load.bins; ++bin) {
        const std::int64_t from = static_cast<std::int64_t>(bin) * load.bin.ps();
        sum += static_cast<double>(load.shares[link * load.bins + bin]) *
               static_cast<double>(std::min(load.bin.ps(), finish.ps() - from));
    }
    return sum;
}

// 10 ns of bins of 1 ns: sending from 1.5 to 4.25 ns fills half of bin 1, bins 2 and 3, and a
// quarter of bin 4.
TEST(LinkLoad, FillsTheBinsThatItMeets) {
    LinkLoadRecorder recorder(2);
    recorder.add(1, 1500, 4250);
    const LinkLoad load = recorder.load(Time::ns(10));
    EXPECT_EQ(load.bin, Time::ns(1));
    ASSERT_EQ(load.bins, 10U);
    const std::vector<float> expected{0, 0.5F, 1, 1, 0.25F, 0, 0, 0, 0, 0};
    EXPECT_EQ(std::vector<float>(load.shares.begin() + 10, load.shares.end()), expected);
    EXPECT_EQ(std::vector<float>(load.shares.begin(), load.shares.begin() + 10),
              std::vector<float>(10, 0));
}

// Spread over 4 ns, 1 ns of sending is a quarter of each.
TEST(LinkLoad, SpreadsEvenly) {
    LinkLoadRecorder recorder(1);
    recorder.add(0, 2000, 6000, 1000);
    const LinkLoad load = recorder.load(Time::ns(8));
    EXPECT_EQ(load.shares, (std::vector<float>{0, 0, 0.25F, 0.25F, 0.25F, 0.25F, 0, 0}));
}

// The last bin is as long as the run reaches into it: 1.5 ns of bins of 1 ns.
TEST(LinkLoad, ADividedBinIsFullWhenTheRunEnds) {
    LinkLoadRecorder recorder(1);
    recorder.add(0, 0, 1500);
    EXPECT_EQ(recorder.load(Time::ps(1500)).shares, (std::vector<float>{1, 1}));
}

// Whatever the order, in how many pieces, and however often bins were joined, the shares are those
// of a brute force over picoseconds at the final width.
TEST(LinkLoad, EqualsABruteForce) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 50; ++round) {
        const auto finish = static_cast<std::int64_t>(1000 + random() % 3'000'000);
        std::vector<std::uint8_t> sending(static_cast<std::size_t>(finish), 0);
        LinkLoadRecorder recorder(1);
        for (int piece = 0; piece < 20; ++piece) {
            const auto from = static_cast<std::int64_t>(random() % static_cast<unsigned>(finish));
            const auto to = std::min<std::int64_t>(
                finish, from + static_cast<std::int64_t>(random() % 100'000));
            bool free = true;
            for (std::int64_t at = from; at < to; ++at) {
                free = free && sending[static_cast<std::size_t>(at)] == 0;
            }
            if (!free) {
                continue;
            }
            // In two pieces that follow one another, as packets do.
            const std::int64_t middle = from + (to - from) / (1 + piece % 3);
            recorder.add(0, from, middle);
            recorder.add(0, middle, to);
            std::fill(sending.begin() + from, sending.begin() + to, std::uint8_t{1});
        }
        const LinkLoad load = recorder.load(Time::ps(finish));
        ASSERT_LE(load.bins, LinkLoadRecorder::most_bins);
        ASSERT_EQ(load.bins, static_cast<std::size_t>((finish - 1) / load.bin.ps()) + 1);
        for (std::size_t bin = 0; bin < load.bins; ++bin) {
            const std::int64_t from = static_cast<std::int64_t>(bin) * load.bin.ps();
            const std::int64_t to = std::min(finish, from + load.bin.ps());
            std::int64_t busy = 0;
            for (std::int64_t at = from; at < to; ++at) {
                busy += sending[static_cast<std::size_t>(at)];
            }
            EXPECT_FLOAT_EQ(load.shares[bin], static_cast<float>(static_cast<double>(busy) /
                                                                 static_cast<double>(to - from)));
        }
    }
}

// Links have bins of their own, which are brought to one width: 300 us take bins of 2.048 us, and
// nothing of the short one is lost.
TEST(LinkLoad, BringsLinksToOneWidth) {
    LinkLoadRecorder recorder(2);
    recorder.add(0, 100, 700);
    recorder.add(1, 0, 300'000'000);
    const LinkLoad load = recorder.load(Time::ns(300'000));
    EXPECT_EQ(load.bin, Time::ns(2048));
    EXPECT_NEAR(picoseconds_of(load, 0, Time::ns(300'000)), 600, 1e-3);
    EXPECT_NEAR(picoseconds_of(load, 1, Time::ns(300'000)), 3e8, 1);
}

// The clock of collectives that are simulated by themselves goes on, up to the end of all clocks.
TEST(LinkLoad, NotesAreTakenAtAnyTime) {
    LinkLoadRecorder recorder(1, true);
    const std::int64_t late = Time::max().ps() - 10'000;
    recorder.add(0, late, late + 1000);
    recorder.add(0, late + 1000, late + 1500);
    recorder.add(0, late + 2000, late + 3000, 10);
    const std::vector<LinkLoadRecorder::Interval> notes = recorder.take_notes(0);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0].from, late);
    EXPECT_EQ(notes[0].to, late + 1500);
    EXPECT_EQ(notes[1].busy, 10);
}

TEST(LinkLoad, IgnoresLinksOfNobody) {
    LinkLoadRecorder recorder(1);
    recorder.add(1, 0, 1000);
    EXPECT_EQ(recorder.load(Time::ns(1)).shares, std::vector<float>{0});
    EXPECT_EQ(recorder.load(Time()).bins, 0U);
}

}  // namespace
}  // namespace npunet::engine
