// Collectives of a communication library on simulated networks: times of idle networks against the
// closed forms, bytes of every link, contention.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "library_machines.h"
#include "study/gap.h"
#include "study/jobs.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::library_simulation_test {
namespace {

using engine::CollectiveKind;
using testing::HasSubstr;

constexpr std::int64_t mib = 1 << 20;

/// Of the algorithm that the tuner takes.
Time tuners_choice(const char* gpu, CollectiveKind kind, std::int32_t members, std::int64_t bytes) {
    engine::LibraryCall call;
    call.kind = kind;
    call.members = members;
    call.bytes = bytes;
    return library_of(gpu)->model.time(call, {}, {})->time;
}

/// Of the ring alone.
const engine::LibraryOverride ring{{engine::LibraryAlgorithm::Ring}, {}};

/// Of the ring, or of sends and receives.
Time closed_form(const char* gpu, CollectiveKind kind, std::int32_t members, std::int64_t bytes) {
    engine::LibraryCall call;
    call.kind = kind;
    call.members = members;
    call.bytes = bytes;
    return library_of(gpu)->model.channel_timing(call, {}, ring)->timing.time;
}

struct Case {
    CollectiveKind kind;
    std::int64_t bytes;  ///< as the library counts them
};

// A switch as fast as NVLink: the endpoints decide, so that every fidelity has the closed form's
// time, to the picosecond where channels are equally long; the estimate that of the tuner's choice.
TEST(LibrarySimulation, IdleNetworksTakeTheClosedForm) {
    const std::vector<Case> cases{
        {CollectiveKind::AllReduce, 2048},     {CollectiveKind::AllReduce, 8 * mib},
        {CollectiveKind::AllGather, 16 * mib}, {CollectiveKind::ReduceScatter, mib},
        {CollectiveKind::AllToAll, 16384},     {CollectiveKind::AllToAll, 4 * mib}};
    for (const Case& one : cases) {
        const std::int64_t parts = one.kind == CollectiveKind::AllGather ? 8 : 1;
        for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid, Fidelity::Packet}) {
            const Time expected = fidelity == Fidelity::Analytical
                                      ? tuners_choice("h100", one.kind, 8, one.bytes)
                                      : closed_form("h100", one.kind, 8, one.bytes);
            const engine::Results results =
                run_of(switch_of(8, Rate(450'000'000'000), Time::ns(250)), "h100", one.kind,
                       one.bytes / parts, fidelity);
            EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                        static_cast<double>(expected.ps()),
                        0.02 * static_cast<double>(expected.ps()))
                << engine::name_of(one.kind) << ' ' << one.bytes << ' ' << name_of(fidelity);
            EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("nccl-2.29.2"));
        }
    }
}

// Out of and into every GPU: 2 S (n - 1) / n of an all-reduce, S (n - 1) / n of the others.
TEST(LibrarySimulation, BytesOfEveryLinkAreThoseOfTheRing) {
    for (const auto kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                            CollectiveKind::ReduceScatter, CollectiveKind::AllToAll}) {
        const std::int64_t bytes = 8 * 24 * 40'000;  // in equal parts
        const std::int64_t parts = kind == CollectiveKind::AllGather ? 8 : 1;
        const engine::Results results = run_of(switch_of(8, Rate(450'000'000'000), Time::ns(250)),
                                               "h100", kind, bytes / parts, Fidelity::Packet);
        const std::int64_t expected = (kind == CollectiveKind::AllReduce ? 2 : 1) * bytes / 8 * 7;
        ASSERT_FALSE(results.links.empty());
        for (const auto& link : results.links) {
            EXPECT_EQ(link.payload.value(), expected) << engine::name_of(kind);
        }
    }
}

// Two nodes of four: the closed form takes the mean of hops in nodes and between them, where the
// longest of all paths round the ring decides, which crosses one more border.
TEST(LibrarySimulation, SeveralNodesTakeTheClosedForm) {
    engine::LibraryCall call;
    call.kind = CollectiveKind::AllReduce;
    call.members = 8;
    call.nodes = 2;
    engine::LibraryMachine nodes;
    nodes.nics = 4;
    nodes.nic_rate = 450;
    for (const std::int64_t bytes : {4096 * std::int64_t{1}, 16 * mib}) {
        call.bytes = bytes;
        const Time expected =
            library_of("h100")->model.channel_timing(call, nodes, ring)->timing.time;
        Machine machine = as_machine(test::grid_machine(topology::DimensionKind::Switch, 4, 2,
                                                        Rate(450'000'000'000), Time::ns(250)));
        machine.system.library = library_of("h100", ring);
        const engine::Results results =
            run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::CongestionAware);
        EXPECT_NEAR(static_cast<double>(results.finish.ps()), static_cast<double>(expected.ps()),
                    0.03 * static_cast<double>(expected.ps()))
            << bytes;
    }
}

// A network of a tenth of the rate: the wire decides, and no data is used before it has come.
TEST(LibrarySimulation, SlowNetworksTakeLonger) {
    const std::int64_t bytes = 64 * mib;
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Packet}) {
        const engine::Results results =
            run_of(switch_of(8, Rate(36'000'000'000), Time::ns(250)), "h100",
                   CollectiveKind::AllGather, bytes / 8, fidelity);
        const double wire = static_cast<double>(bytes) * 7 / 8 / 36e9 * 1e12;
        EXPECT_GT(static_cast<double>(results.finish.ps()), wire);
        EXPECT_LT(static_cast<double>(results.finish.ps()), 1.3 * wire);
    }
}

// A machine that names it in system.json, and one that names an algorithm, too, which wins.
TEST(LibrarySimulation, SystemJsonNamesIt) {
    const test::TemporaryFolder folder;
    const auto read = [&](const std::string& text) {
        std::vector<std::string> warnings;
        return engine::read_system_config(folder.write("system.json", text).string(),
                                          engine::Dialect::named("npunet"), warnings);
    };
    const engine::SystemConfig plain = read(R"({"collectives": "nccl-2.29", "gpu": "h200"})");
    ASSERT_NE(plain.library, nullptr);
    EXPECT_EQ(plain.library->name, "nccl-2.29.2");
    EXPECT_TRUE(plain.library->carries_out(CollectiveKind::AllReduce));
    EXPECT_FALSE(plain.library->carries_out(CollectiveKind::Broadcast));
    const engine::SystemConfig mixed = read(
        R"({"collectives": "nccl-2.29", "gpu": "h200", "all-reduce-implementation": ["auto"]})");
    EXPECT_FALSE(mixed.library->carries_out(CollectiveKind::AllReduce));
    EXPECT_TRUE(mixed.library->carries_out(CollectiveKind::AllGather));
    EXPECT_EQ(read("{}").library, nullptr);
    EXPECT_EQ(plain.library->element_bytes, 2);
    EXPECT_TRUE(plain.library->override.algorithms.empty());
    const engine::SystemConfig less = read(
        R"({"collectives": "nccl-2.29", "gpu": "h200", "nccl-algo": "tree,NVLSTree",
            "nccl-proto": "^LL128", "data-type-bytes": 1, "nccl-collnet": true,
            "gpus-per-node": 4, "gpu-sms": 132})");
    EXPECT_EQ(less.library->element_bytes, 1);
    EXPECT_TRUE(less.library->collnet);
    EXPECT_EQ(less.library->gpus_per_node, 4);
    EXPECT_EQ(less.library->gpu_sms, 132);
    EXPECT_FALSE(plain.library->collnet);
    for (const char* const bad :
         {R"("nccl-collnet": "yes")", R"("gpus-per-node": 0)", R"("gpu-sms": 1)"}) {
        EXPECT_THROW(
            read(std::string(R"({"collectives": "nccl-2.29", "gpu": "h200", )") + bad + "}"),
            InputError)
            << bad;
    }
    EXPECT_THAT(
        less.library->override.algorithms,
        testing::ElementsAre(engine::LibraryAlgorithm::Tree, engine::LibraryAlgorithm::NvlsTree));
    EXPECT_THAT(less.library->override.protocols,
                testing::ElementsAre(engine::LibraryProtocol::LL, engine::LibraryProtocol::Simple));
    EXPECT_THROW(read(R"({"collectives": "nccl-2.29", "gpu": "h200", "nccl-algo": "rings"})"),
                 InputError);
    EXPECT_THROW(
        read(R"({"collectives": "nccl-2.29", "gpu": "h200", "nccl-proto": "^LL,LL128,Simple"})"),
        InputError);
    EXPECT_THROW(read(R"({"collectives": "nccl-2.29"})"), InputError);
    EXPECT_THROW(read(R"({"collectives": "nccl-2.29", "gpu": "l40s"})"), InputError);
    EXPECT_THROW(read(R"({"collectives": 3, "gpu": "h100"})"), InputError);
}

// Each refusal names its key, and what it may be.
TEST(LibrarySimulation, NamesOfAlgorithmsAndProtocolsAreChecked) {
    const test::TemporaryFolder folder;
    const auto refused = [&](const std::string& pair) {
        return test::message_of<InputError>([&] {
            std::vector<std::string> warnings;
            return engine::read_system_config(
                folder
                    .write("system.json",
                           R"({"collectives": "nccl-2.29", "gpu": "h100", )" + pair + "}")
                    .string(),
                engine::Dialect::named("npunet"), warnings);
        });
    };
    EXPECT_EQ(refused(R"("nccl-algo": "^Ring,Tree")"), "no error");
    for (const char* const bad :
         {R"("nccl-algo": "Ring,Rings")", R"("nccl-algo": "Ring, Tree")", R"("nccl-algo": "")",
          R"("nccl-algo": 3)", R"("nccl-algo": ["Ring"])",
          R"("nccl-algo": "^Tree,Ring,CollNetDirect,CollNetChain,NVLS,NVLSTree,PAT")"}) {
        EXPECT_THAT(refused(bad), testing::AllOf(HasSubstr("system.json"), HasSubstr("nccl-algo")))
            << bad;
    }
    EXPECT_THAT(refused(R"("nccl-algo": "Rings")"),
                testing::AllOf(HasSubstr("Rings"), HasSubstr("Tree, Ring, CollNetDirect")));
    EXPECT_THAT(refused(R"("nccl-proto": "LL64")"),
                testing::AllOf(HasSubstr("LL64"), HasSubstr("LL, LL128, Simple")));
}

// A computation that begins beside a collective has the multiprocessors that its thread blocks
// leave: of 132, 24 channels leave 108. One that begins later, or without the key, has all.
TEST(LibrarySimulation, ThreadBlocksTakeMultiprocessors) {
    const engine::Workload workload = test::workload_of(8, [](Rank) {
        return std::vector{
            test::collective_node(1, chakra::CollectiveType::AllReduce, 64 * mib),
            test::compute_node(2, 108),
            test::compute_node(3, 108, {1, 2}),
        };
    });
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        for (const std::int32_t sms : {0, 132}) {
            Machine machine = switch_of(8, Rate(450'000'000'000), Time::ns(250));
            auto library = std::make_shared<engine::LibraryInUse>(*library_of(
                "h100", {{engine::LibraryAlgorithm::Ring}, {engine::LibraryProtocol::Simple}}));
            library->gpu_sms = sms;
            machine.system.library = library;
            const engine::Results results = simulate(workload, machine, fidelity, {});
            EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("24 channels"));
            const Time first = Time::ns(sms == 0 ? 108'000 : 132'000);
            EXPECT_EQ(results.npus.at(0).compute, first + Time::ns(108'000)) << name_of(fidelity);
        }
    }
}

// What NCCL_ALGO and NCCL_PROTO leave is what is carried out; of nothing there is an error.
TEST(LibrarySimulation, OverridesLeaveLess) {
    Machine machine = switch_of(8, Rate(450'000'000'000), Time::ns(250));
    machine.system.library =
        library_of("h100", {{engine::LibraryAlgorithm::Ring}, {engine::LibraryProtocol::LL}});
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
        EXPECT_THAT(run_on(machine, CollectiveKind::AllReduce, 8 * mib, fidelity)
                        .collectives.at(0)
                        .algorithm,
                    HasSubstr("Ring LL,"));
    }
    machine.system.library = library_of("h100", {{engine::LibraryAlgorithm::Tree}, {}});
    EXPECT_THROW(
        static_cast<void>(run_on(machine, CollectiveKind::AllGather, mib, Fidelity::Analytical)),
        InputError);
}

// The estimate has what the tuner chooses, where packets have the ring in its place.
TEST(LibrarySimulation, TheEstimateIsTheClosedFormOfTheTunersChoice) {
    const std::int64_t bytes = 256 * mib;
    engine::LibraryCall call;
    call.kind = CollectiveKind::AllReduce;
    call.members = 8;
    call.bytes = bytes;
    const auto chosen = library_of("h100")->model.time(call, {}, {});
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->choice.algorithm, engine::LibraryAlgorithm::Nvls);
    const engine::Results results =
        run_of(switch_of(8, Rate(450'000'000'000), Time::ns(250)), "h100",
               CollectiveKind::AllReduce, bytes, Fidelity::Analytical);
    EXPECT_EQ(results.finish, chosen->time);
    EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("NVLS"));
}

// The step from the closed form to messages is part of contention, so that headers and latency are
// what they are for messages: nothing without headers, their share of the bytes where the wire
// decides.
TEST(LibrarySimulation, ContentionHoldsTheStepFromTheClosedForm) {
    const auto gap_of = [](Machine machine, Fidelity fidelity) {
        machine.system.library = library_of("h100");
        generators::CollectiveBenchmark benchmark;
        benchmark.npus = 8;
        benchmark.size = Bytes(8 * mib);
        const engine::Workload workload =
            workload_from(generators::generate(benchmark), workload_options(machine));
        const std::vector<engine::Results> runs{
            simulate(workload, machine, Fidelity::Analytical, {}),
            simulate(workload, machine, fidelity, {})};
        const report::GapExplanation why = explain_gap(runs, workload, machine, {});
        EXPECT_EQ(why.total.total(), runs[1].finish - runs[0].finish) << name_of(fidelity);
        Time sum = runs[0].finish;
        for (const report::EffectLevelResult& level : why.effect_levels) {
            sum += level.direct + level.dependency;
            EXPECT_EQ(level.finish, sum);
        }
        EXPECT_EQ(why.effect_levels.at(1).step, "contention");
        return why.total;
    };
    Machine fast = switch_of(8, Rate(450'000'000'000), Time::ns(250));
    fast.network.packet.header = Bytes(0);
    Machine slow = switch_of(8, Rate(36'000'000'000), Time::ns(250));
    for (const Fidelity fidelity : {Fidelity::Fluid, Fidelity::Packet}) {
        EXPECT_EQ(gap_of(fast, fidelity).header, Time()) << name_of(fidelity);
        EXPECT_NE(gap_of(fast, fidelity).contention, Time()) << "NVLS, and the ring";
        const report::Gap wire = gap_of(slow, fidelity);
        const double headers = 2.0 * 7 / 8 * static_cast<double>(8 * mib) / 36e9 * 64 / 4096 * 1e12;
        EXPECT_NEAR(static_cast<double>(wire.header.ps()), headers, 0.2 * headers);
    }
    EXPECT_EQ(gap_of(fast, Fidelity::CongestionAware).header, Time());
}

TEST(LibrarySimulation, AJobByItselfTakesTheEstimate) {
    Machine machine = switch_of(8, Rate(450'000'000'000), Time::ns(250));
    machine.system.library = library_of("h100");
    generators::CollectiveBenchmark benchmark;
    benchmark.npus = 8;
    benchmark.size = Bytes(8 * mib);
    const engine::Workload workload =
        workload_from(generators::generate(benchmark), workload_options(machine));
    const engine::Results alone = simulate(workload, machine, Fidelity::Analytical, {});
    EXPECT_THAT(alone.collectives.at(0).algorithm, HasSubstr("NVLS"));
    const engine::JobsResults jobs = simulate_jobs(
        {{"a", workload, machine.network.npu_of_rank, Time()}}, machine, Fidelity::Analytical);
    EXPECT_EQ(jobs.jobs.at(0).results.finish, alone.finish);
}

}  // namespace
}  // namespace npunet::study::library_simulation_test
