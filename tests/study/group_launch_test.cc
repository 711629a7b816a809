// Collectives of a communicator that a library launches together: their channels, times of idle
// networks against the closed form, bytes of links.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/collective_library/library_channels.h"
#include "library_machines.h"
#include "tests/support/collectives.h"

namespace npunet::study::group_launch_test {
namespace {

using engine::LaunchShare;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kib = 1 << 10;

Machine eight(bool launches_groups) {
    Machine machine = switch_of(8, Rate(450'000'000'000), Time::ns(50));
    auto library = std::make_shared<engine::LibraryInUse>(
        *library_of("h100", {{engine::LibraryAlgorithm::Ring}, {}}));
    library->launches_groups = launches_groups;
    machine.system.library = library;
    return machine;
}

/// All at once, or one after the other.
engine::Results run_all_reduces(const std::vector<std::int64_t>& sizes, bool at_once,
                                const Machine& machine, Fidelity fidelity,
                                const RunOptions& options = {}) {
    const auto nodes_of_rank = [&](Rank) {
        std::vector<chakra::Node> nodes;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            nodes.push_back(test::collective_node(
                i + 1, chakra::CollectiveType::AllReduce, sizes[i], "",
                at_once || i == 0 ? std::vector<std::uint64_t>() : std::vector<std::uint64_t>{i}));
        }
        return nodes;
    };
    const engine::Workload workload = engine::make_workload(
        8, nodes_of_rank, [](Rank) { return "trace.et"; }, {}, workload_options(machine));
    return simulate(workload, machine, fidelity, options);
}

void expect_share(const LaunchShare& share, std::int32_t first, std::int32_t channels,
                  std::int32_t of_all) {
    EXPECT_EQ(share.first, first);
    EXPECT_EQ(share.channels, channels);
    EXPECT_EQ(share.of_all, of_all);
}

// 32 KiB of traffic a channel at least, and as much on each as there are channels for.
TEST(GroupLaunch, ChannelsAreSharedByTraffic) {
    const auto few = engine::launch_shares(std::vector<std::int64_t>(16, 32 * kib), 24);
    for (std::int32_t i = 0; i < 16; ++i) {
        expect_share(few[static_cast<std::size_t>(i)], i, 1, 16);
    }
    const auto tiny = engine::launch_shares(std::vector<std::int64_t>(16, 8 * kib), 24);
    expect_share(tiny[0], 0, 1, 4);
    expect_share(tiny[3], 0, 1, 4);
    expect_share(tiny[4], 1, 1, 4);
    const auto many = engine::launch_shares(std::vector<std::int64_t>(48, 32 * kib), 24);
    expect_share(many[1], 0, 1, 24);
    expect_share(many[47], 23, 1, 24);
    const auto unequal = engine::launch_shares({960 * kib, 32 * kib, 160 * kib}, 24);
    expect_share(unequal[0], 0, 20, 24);
    expect_share(unequal[1], 20, 1, 24);
    expect_share(unequal[2], 20, 4, 24);
}

// A launch pays once for its start, and channels make their collectives one after the other.
TEST(GroupLaunch, IdleNetworksTakeTheClosedForm) {
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>(16, 4 * kib), std::vector<std::int64_t>(100, 4 * kib),
          std::vector<std::int64_t>(12, 1024 * kib),
          std::vector<std::int64_t>{256 * kib, kib, 4096 * kib, 16 * kib}}) {
        const engine::Results expected =
            run_all_reduces(sizes, true, eight(true), Fidelity::Analytical);
        for (const Fidelity fidelity :
             {Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
            const engine::Results results = run_all_reduces(sizes, true, eight(true), fidelity);
            EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                        static_cast<double>(expected.finish.ps()),
                        0.02 * static_cast<double>(expected.finish.ps()))
                << sizes.size() << ' ' << name_of(fidelity);
            ASSERT_EQ(results.collectives.size(), sizes.size());
            EXPECT_EQ(results.collectives.at(1).algorithm, expected.collectives.at(1).algorithm);
            EXPECT_THAT(results.collectives.at(1).algorithm,
                        HasSubstr("launched with " + std::to_string(sizes.size() - 1) + " more"));
        }
    }
}

// The second collective of a channel ends as much later as it takes.
TEST(GroupLaunch, ChannelsMakeTheirCollectivesOneAfterTheOther) {
    const auto ends = [](std::size_t count) {
        std::vector<Time> list;
        for (const engine::CollectiveResult& one :
             run_all_reduces(std::vector<std::int64_t>(count, 4 * kib), true, eight(true),
                             Fidelity::Analytical)
                 .collectives) {
            list.push_back(one.end);
        }
        return list;
    };
    // 4 KiB by LL are 32 KiB of traffic: a channel each up to 24, then two, at the same rates.
    const std::vector<Time> once = ends(24);
    EXPECT_EQ(once.front(), once.back());
    const std::vector<Time> twice = ends(48);
    EXPECT_EQ(twice.front(), once.front());
    EXPECT_GT(twice.back(), twice.front());
    EXPECT_EQ(twice.at(1), twice.back());
    const std::vector<Time> thrice = ends(72);
    EXPECT_EQ(thrice.back() - twice.back(), twice.back() - once.back());
}

TEST(GroupLaunch, OnlyWhatWaitsForTheSame) {
    const std::vector<std::int64_t> sizes(4, 4 * kib);
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid}) {
        const engine::Results alone = run_all_reduces(sizes, true, eight(false), fidelity);
        EXPECT_THAT(alone.collectives.at(0).algorithm, Not(HasSubstr("launched")));
        const engine::Results in_turn = run_all_reduces(sizes, false, eight(true), fidelity);
        EXPECT_THAT(in_turn.collectives.at(0).algorithm, Not(HasSubstr("launched")));
        EXPECT_EQ(alone.finish, in_turn.finish);
        const engine::Results together = run_all_reduces(sizes, true, eight(true), fidelity);
        EXPECT_LT(3 * together.finish, in_turn.finish) << name_of(fidelity);
    }
}

// What waits for another launch's collectives is a launch of its own, after all of them.
TEST(GroupLaunch, LaunchesFollowEachOther) {
    const Machine machine = eight(true);
    const auto nodes_of_rank = [](Rank) {
        std::vector<chakra::Node> nodes{test::compute_node(1, 3)};
        for (std::uint64_t id = 2; id < 8; ++id) {
            nodes.push_back(test::collective_node(
                id, chakra::CollectiveType::AllReduce, 64 * kib, "",
                id < 5 ? std::vector<std::uint64_t>() : std::vector<std::uint64_t>{1}));
        }
        return nodes;
    };
    const engine::Workload workload = engine::make_workload(
        8, nodes_of_rank, [](Rank) { return "trace.et"; }, {}, workload_options(machine));
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid, Fidelity::Packet}) {
        const engine::Results results = simulate(workload, machine, fidelity, {});
        ASSERT_EQ(results.collectives.size(), 6U);
        Time first_end;
        for (std::size_t i = 0; i < 6; ++i) {
            const engine::CollectiveResult& one = results.collectives[i];
            EXPECT_THAT(one.algorithm, HasSubstr("launched with 2 more"));
            first_end = i < 3 ? std::max(first_end, one.end) : first_end;
            EXPECT_EQ(one.first_start, i < 3 ? Time() : first_end) << i << ' ' << name_of(fidelity);
        }
    }
}

// A ring all-reduce of S bytes sends 2 (n - 1) / n S from every member, launched together or not.
TEST(GroupLaunch, BytesOfLinks) {
    const std::vector<std::int64_t> sizes(20, 8 * 1200);
    const engine::Results results = run_all_reduces(sizes, true, eight(true), Fidelity::Packet);
    for (const engine::LinkResult& link : results.links) {
        EXPECT_EQ(link.payload.value(), 20 * 2 * 7 * 1200) << link.from << " -> " << link.to;
    }
}

TEST(GroupLaunch, OrderOfInsertionDoesNotCount) {
    const std::vector<std::int64_t> sizes{256 * kib, kib, 4096 * kib, 16 * kib, kib, kib};
    for (const Fidelity fidelity : {Fidelity::Fluid, Fidelity::Packet}) {
        const auto ends = [&](std::optional<std::uint64_t> seed) {
            RunOptions options;
            options.shuffle_seed = seed;
            std::vector<Time> list;
            for (const engine::CollectiveResult& one :
                 run_all_reduces(sizes, true, eight(true), fidelity, options).collectives) {
                list.push_back(one.end);
            }
            return list;
        };
        const std::vector<Time> expected = ends(std::nullopt);
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            EXPECT_EQ(ends(seed), expected) << name_of(fidelity) << ' ' << seed;
        }
    }
}

}  // namespace
}  // namespace npunet::study::group_launch_test
