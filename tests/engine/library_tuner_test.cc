// The choices of NCCL's tuner by size, and what follows from its rules: channels, rates of NVLS.

#include "engine/collective_library/library_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/collective_library/library_channels.h"

namespace npunet::engine::library_tuner_test {
namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t never = 0;

constexpr LibraryVersion early{2, 27, 3};
constexpr LibraryVersion patched{2, 29, 2};
constexpr LibraryVersion latest{2, 30, 7};

LibraryCall call_of(CollectiveKind kind, std::int32_t members, std::int64_t bytes,
                    bool switches_reduce = true) {
    LibraryCall call;
    call.kind = kind;
    call.members = members;
    call.bytes = bytes;
    call.switches_reduce_type = switches_reduce;
    return call;
}

std::string choice_of(const char* architecture, const LibraryVersion& version,
                      const LibraryCall& call) {
    const LibraryTuner tuner(*GpuArchitecture::named(architecture), version);
    const auto choice = tuner.choose(call, {}, {});
    return choice ? std::string(name_of(choice->algorithm)) + ' ' + name_of(choice->protocol)
                  : "none";
}

/// A row of the table of choices: LL up to a size, LL128 up to another, then the last one.
struct Row {
    const char* architecture;
    LibraryVersion version;
    CollectiveKind kind;
    std::int32_t members;
    bool switches_reduce;
    std::int64_t ll;
    std::int64_t ll128;  ///< never: LL is followed by the last one
    const char* last;
};

// Sizes are powers of two; the table was derived from the rules of tuning.cc, and agrees with where
// measured curves jump.
TEST(LibraryTuner, ChoosesAsTheTableBySize) {
    const auto reduce = CollectiveKind::AllReduce;
    const auto gather = CollectiveKind::AllGather;
    const auto scatter = CollectiveKind::ReduceScatter;
    const std::vector<Row> rows{
        {"ampere", early, gather, 8, true, 2 * mib, 8 * mib, "Ring Simple"},
        {"ampere", early, scatter, 8, true, 2 * mib, 8 * mib, "Ring Simple"},
        {"ampere", early, gather, 2, true, mib, never, "Ring Simple"},
        {"ampere", early, scatter, 2, true, mib, never, "Ring Simple"},
        {"ampere", early, reduce, 8, true, 2 * mib, 16 * mib, "Ring Simple"},
        {"ampere", early, reduce, 4, true, mib, 4 * mib, "Ring Simple"},
        {"ampere", early, reduce, 2, true, 512 * kib, never, "Ring Simple"},
        {"hopper", patched, gather, 8, true, 4 * mib, 16 * mib, "Ring Simple"},
        {"hopper", patched, scatter, 8, true, 4 * mib, 16 * mib, "Ring Simple"},
        {"hopper", patched, gather, 4, true, 2 * mib, never, "Ring Simple"},
        {"hopper", patched, scatter, 2, true, 2 * mib, never, "Ring Simple"},
        {"hopper", patched, reduce, 8, true, mib, never, "NVLS Simple"},
        {"hopper", patched, reduce, 8, false, 2 * mib, 32 * mib, "Ring Simple"},
        {"hopper", latest, reduce, 8, true, mib, never, "NVLS Simple"},
        {"blackwell", patched, reduce, 8, true, 2 * mib, never, "NVLS Simple"},
        {"blackwell", patched, gather, 8, true, 8 * mib, never, "Ring Simple"},
        {"blackwell", patched, reduce, 4, true, 4 * mib, never, "Ring Simple"},
        {"blackwell", patched, reduce, 8, false, 8 * mib, 16 * mib, "Ring Simple"},
    };
    for (const Row& row : rows) {
        for (std::int64_t bytes = 512; bytes <= 1024 * mib; bytes *= 2) {
            const char* const expected = bytes <= row.ll      ? "Ring LL"
                                         : bytes <= row.ll128 ? "Ring LL128"
                                                              : row.last;
            EXPECT_EQ(choice_of(row.architecture, row.version,
                                call_of(row.kind, row.members, bytes, row.switches_reduce)),
                      expected)
                << row.architecture << ' ' << name_of(row.kind) << ' ' << row.members << ' '
                << bytes;
        }
    }
}

// (n + 1) x rate fits into the links: 370.8 GB/s of a Hopper GPU, 721.8 of a Blackwell GPU.
TEST(LibraryTuner, NvlsStartsWithSoManyGpus) {
    const auto first = [](const char* architecture) {
        std::int32_t members = 2;
        while (choice_of(architecture, latest,
                         call_of(CollectiveKind::AllReduce, members, 8192 * mib)) !=
               "NVLS Simple") {
            ++members;
        }
        return members;
    };
    EXPECT_EQ(first("hopper"), 5);
    EXPECT_EQ(first("blackwell"), 7);
    EXPECT_EQ(GpuArchitecture::named("hopper")->nvls_rate(8), 40);
    EXPECT_EQ(GpuArchitecture::named("hopper")->nvls_rate(6), 50);
    EXPECT_EQ(GpuArchitecture::named("hopper")->nvls_rate(4), 60);
    EXPECT_EQ(GpuArchitecture::named("blackwell")->nvls_rate(8), 80);
    EXPECT_EQ(GpuArchitecture::named("ampere")->nvls_rate(8), 0);
}

// LL128 of Blackwell's rings was rated higher before 2.29.2, and is again since 2.29.7.
TEST(LibraryTuner, ConstantsChangeWithTheVersion) {
    const LibraryCall call = call_of(CollectiveKind::AllGather, 8, 16 * mib);
    EXPECT_EQ(choice_of("blackwell", {2, 28, 9}, call), "Ring LL128");
    EXPECT_EQ(choice_of("blackwell", patched, call), "Ring Simple");
    EXPECT_EQ(GpuArchitecture::named("hopper")->as_of({2, 20, 3}).ll_most[0], 87.7);
    EXPECT_EQ(GpuArchitecture::named("blackwell")->as_of({2, 30, 0}).nvls_tree_most[2], 80);
}

TEST(LibraryTuner, OverridesLeaveWhatTheyName) {
    const LibraryTuner tuner(*GpuArchitecture::named("hopper"), latest);
    const LibraryCall call = call_of(CollectiveKind::AllReduce, 8, 64 * mib);
    const auto ring = tuner.choose(call, {}, {{LibraryAlgorithm::Ring}, {LibraryProtocol::LL}});
    ASSERT_TRUE(ring.has_value());
    EXPECT_EQ(ring->algorithm, LibraryAlgorithm::Ring);
    EXPECT_EQ(ring->protocol, LibraryProtocol::LL);
    EXPECT_FALSE(tuner.choose(call, {}, {{LibraryAlgorithm::NvlsTree}, {}}).has_value());
    EXPECT_FALSE(
        tuner.choose(call, {}, {{LibraryAlgorithm::Nvls}, {LibraryProtocol::LL}}).has_value());
}

// 512 threads want 64 bytes each of an all-reduce of 8 in LL: 32 KiB a channel.
TEST(LibraryChannels, AreUsedAsThereIsData) {
    const auto used = [](std::int64_t bytes) {
        return channels_used(call_of(CollectiveKind::AllReduce, 8, bytes),
                             {LibraryAlgorithm::Ring, LibraryProtocol::LL}, 24)
            .channels;
    };
    EXPECT_EQ(used(2 * kib), 1);
    EXPECT_EQ(used(32 * kib), 1);
    EXPECT_EQ(used(64 * kib), 2);
    EXPECT_EQ(used(512 * kib), 16);
    EXPECT_EQ(used(mib), 24);
}

TEST(LibraryChannels, ChunksOfNvlsShrinkWithTheData) {
    EXPECT_EQ(nvls_chunk(512 * mib, 8), 128 * kib);
    EXPECT_EQ(nvls_chunk(32 * mib, 8), 64 * kib);
    EXPECT_EQ(nvls_chunk(mib, 8), 32 * kib);
    EXPECT_EQ(nvls_chunk(256 * kib, 8), 16 * kib);
}

TEST(LibraryVersion, ReadsTwoOrThreeNumbers) {
    EXPECT_EQ(LibraryVersion::named("2.29")->text(), "2.29.0");
    EXPECT_EQ(LibraryVersion::named("2.29.7")->text(), "2.29.7");
    for (const char* const bad :
         {"", "2", "2.", "2.x", "2.29.7.1", "2.29.", "-2.29", "2.1000000"}) {
        EXPECT_FALSE(LibraryVersion::named(bad).has_value()) << bad;
    }
}

}  // namespace
}  // namespace npunet::engine::library_tuner_test
