// All-gathers and reduce-scatters by PAT among nodes of one GPU on simulated networks: times of
// idle networks against the closed form, bytes of every link against hand counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "library_machines.h"

namespace npunet::study::library_pat_test {
namespace {

using engine::CollectiveKind;
using engine::LibraryAlgorithm;
using testing::HasSubstr;

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

Machine single_gpus(std::int32_t nodes, std::vector<LibraryAlgorithm> algorithms) {
    Machine machine = switch_of(nodes, Rate(50'000'000'000), Time::ns(500));
    auto library =
        std::make_shared<engine::LibraryInUse>(*library_of("h100", {std::move(algorithms), {}}));
    library->gpus_per_node = 1;
    machine.system.library = library;
    return machine;
}

// One chunk of every node, chunks of several loops, a last loop that is smaller.
TEST(LibraryPat, IdleNetworksTakeTheClosedForm) {
    for (const std::int32_t nodes : {2, 3, 5, 8, 13, 16}) {
        for (const std::int64_t bytes : {2 * kib, 256 * kib, 5 * mib, 48 * mib}) {
            for (const CollectiveKind kind :
                 {CollectiveKind::AllGather, CollectiveKind::ReduceScatter}) {
                const Machine machine = single_gpus(nodes, {LibraryAlgorithm::Pat});
                const engine::Results expected = run_on(machine, kind, bytes, Fidelity::Analytical);
                ASSERT_THAT(expected.collectives.at(0).algorithm, HasSubstr("PAT Simple"));
                for (const Fidelity fidelity :
                     {Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
                    const engine::Results results = run_on(machine, kind, bytes, fidelity);
                    EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                                static_cast<double>(expected.finish.ps()),
                                0.02 * static_cast<double>(expected.finish.ps()))
                        << nodes << ' ' << bytes << ' ' << name_of(fidelity);
                    EXPECT_EQ(results.collectives.at(0).algorithm,
                              expected.collectives.at(0).algorithm);
                }
            }
        }
    }
}

// Every node sends n - 1 parts of S / n, as with a ring, and receives as many. Over the longest
// distance goes one part, over distance 1 half of all: of 6 nodes 3 parts.
TEST(LibraryPat, BytesOfEveryLink) {
    const std::int64_t part = 1'000'000;
    for (const std::int32_t nodes : {2, 6, 9}) {
        for (const CollectiveKind kind :
             {CollectiveKind::AllGather, CollectiveKind::ReduceScatter}) {
            const Machine machine = single_gpus(nodes, {LibraryAlgorithm::Pat});
            // An all-gather's size is that of a node's part.
            const std::int64_t size = kind == CollectiveKind::AllGather ? part : nodes * part;
            const engine::Results results = run_on(machine, kind, size, Fidelity::Packet);
            for (const engine::LinkResult& link : results.links) {
                EXPECT_EQ(link.payload.value(), (nodes - 1) * part) << nodes;
            }
        }
    }
}

// The tuner's rule: log2 n short hops against n - 1 long ones; with much data the ring's bandwidth.
TEST(LibraryPat, TheTunerTakesItForSmallSizes) {
    const auto algorithm = [&](CollectiveKind kind, std::int64_t bytes, std::int32_t per_node) {
        Machine machine = single_gpus(16, {});
        auto library = std::make_shared<engine::LibraryInUse>(*machine.system.library);
        library->gpus_per_node = per_node;
        machine.system.library = library;
        return run_on(machine, kind, bytes, Fidelity::Fluid).collectives.at(0).algorithm;
    };
    EXPECT_THAT(algorithm(CollectiveKind::AllGather, 64 * kib, 1), HasSubstr("PAT Simple"));
    EXPECT_THAT(algorithm(CollectiveKind::ReduceScatter, 1 * mib, 1), HasSubstr("PAT Simple"));
    EXPECT_THAT(algorithm(CollectiveKind::AllGather, 64 * mib, 1), HasSubstr("Ring Simple"));
    EXPECT_THAT(algorithm(CollectiveKind::AllGather, 64 * kib, 2), HasSubstr("Ring"));
}

// A tenth of the NICs' rate: the wire decides.
TEST(LibraryPat, SlowNetworksTakeLonger) {
    const Machine fast = single_gpus(8, {LibraryAlgorithm::Pat});
    Machine slow = switch_of(8, Rate(5'000'000'000), Time::ns(500));
    slow.system = fast.system;
    const double wire = 7.0 * 4 * mib / 5e9 * 1e12;
    const engine::Results results =
        run_on(slow, CollectiveKind::AllGather, 4 * mib, Fidelity::Packet);
    EXPECT_GT(static_cast<double>(results.finish.ps()), wire);
    EXPECT_LT(static_cast<double>(results.finish.ps()), 1.6 * wire);
}

}  // namespace
}  // namespace npunet::study::library_pat_test
