// A whole training step at packet level: the sanity workload of the exercise, 16 NPUs, 1.1 TB of
// messages.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "generators/stage/stage_workload.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"

namespace npunet::study {
namespace {

struct Recorded {
    std::string network;
    std::int64_t finish_ps;
    std::uint64_t packet_hops;
    std::uint64_t digest;
};

/// FNV-1a over everything that the run has found of NPUs, collectives and links.
std::uint64_t digest_of(const engine::Results& results) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto mix = [&hash](std::int64_t value) {
        for (int byte = 0; byte < 8; ++byte) {
            hash = (hash ^ (static_cast<std::uint64_t>(value) >> (8 * byte) & 0xff)) *
                   0x100000001b3ULL;
        }
    };
    for (const engine::NpuResult& npu : results.npus) {
        mix(npu.finish.ps());
        mix(npu.exposed_communication.ps());
    }
    for (const engine::CollectiveResult& collective : results.collectives) {
        mix(collective.first_start.ps());
        mix(collective.end.ps());
    }
    for (const engine::LinkResult& link : results.links) {
        mix(link.payload.value());
        mix(link.wire.value());
        mix(link.busy.ps());
        mix(link.max_queue.value());
        mix(link.credit_stall.ps());
    }
    return hash;
}

engine::Results run(const std::string& network, bool trains) {
    generators::StageArguments arguments;
    arguments.dp = arguments.tp = arguments.pp = arguments.sp = 2;
    arguments.activation_recompute = true;
    arguments.din = arguments.dout = 32000;
    arguments.dmodel = 8192;
    arguments.dff = 28672;
    arguments.head = 64;
    arguments.batch = 512;
    arguments.num_stacks = 8;
    const Machine machine =
        load_machine(fmt::format("{}/configs/networks/{}.yml", NPUNET_SOURCE_DIR, network),
                     fmt::format("{}/configs/systems/sanity.json", NPUNET_SOURCE_DIR), "npunet");
    const engine::Workload workload =
        workload_from(generators::generate(arguments), workload_options(machine));
    RunOptions options;
    options.packet.fast_forward = trains;
    options.timeline = false;
    return simulate(workload, machine, Fidelity::Packet, options);
}

const Recorded recorded_runs[] = {
    {"mesh-4x4", 4940685848346, 459907072, 0x8ec752974901bf35},
    {"torus-4x4", 4940686104346, 459907072, 0xb038fe26a23ce739},
    {"nvlink-8x2", 2905773471756, 289185792, 0xbe5d5f1355708dfd},
};

// Recorded from runs packet by packet (the disabled test below), which took half a minute each.
TEST(PacketStep, TheSanityWorkloadEqualsItsRecordedRun) {
    for (const Recorded& recorded : recorded_runs) {
        SCOPED_TRACE(recorded.network);
        const engine::Results results = run(recorded.network, true);
        EXPECT_EQ(results.finish.ps(), recorded.finish_ps);
        EXPECT_EQ(results.packet_hops, recorded.packet_hops);
        EXPECT_EQ(digest_of(results), recorded.digest);
        EXPECT_LT(results.events, results.packet_hops / 100);
    }
}

// Run it with --gtest_also_run_disabled_tests to record them anew.
TEST(PacketStep, DISABLED_RecordPacketByPacket) {
    for (const Recorded& recorded : recorded_runs) {
        const engine::Results results = run(recorded.network, false);
        fmt::print("    {{\"{}\", {}, {}, {:#x}}},\n", recorded.network, results.finish.ps(),
                   results.packet_hops, digest_of(results));
    }
}

}  // namespace
}  // namespace npunet::study
