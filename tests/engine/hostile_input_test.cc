// Inputs at and beyond the limits: every one ends in a result or in an error with a name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "base/errors.h"
#include "engine/npu/memory_tracker.h"
#include "engine/simulation/simulation.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::hostile_input_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::message_of;
using test::receive_node;
using test::run;
using test::send_node;
using ::testing::HasSubstr;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

test::TestMachine astra_ring(std::int64_t npus) {
    test::TestMachine machine = test::ring_machine(npus, rate, latency);
    machine.dialect = engine::Dialect::named("astra-sim");
    machine.system.endpoint_delay = Time::ns(10);
    return machine;
}

// Two recorded durations of 9 x 10^18 ps add up to more than 2^63 - 1 ps = 9.22 x 10^18 ps.
TEST(HostileInput, TheClockEndsWithAnError) {
    const test::TestMachine machine = test::ring_machine(1, rate, latency);
    const std::uint64_t longest = 9'000'000'000'000;
    const engine::Workload workload = test::workload_of(1, [=](Rank) {
        return std::vector{compute_node(1, longest), compute_node(2, longest, {1})};
    });
    EXPECT_THAT(message_of<StallError>([&] { static_cast<void>(run(workload, machine)); }),
                HasSubstr("beyond the end of the clock"));
}

// 2^56 bytes at 1000 bytes a second last 7.2 x 10^25 ps, whatever the dialect's arithmetic.
TEST(HostileInput, TransfersBeyondTheClock) {
    for (const char* dialect : {"npunet", "astra-sim"}) {
        test::TestMachine machine = test::ring_machine(2, Rate(1000), latency);
        machine.dialect = engine::Dialect::named(dialect);
        const engine::Workload workload = test::workload_of(2, [](Rank rank) {
            return std::vector{rank == Rank(0) ? send_node(1, 1, std::int64_t{1} << 56)
                                               : receive_node(1, 0, std::int64_t{1} << 56)};
        });
        EXPECT_THAT(message_of<StallError>([&] { static_cast<void>(run(workload, machine)); }),
                    HasSubstr("beyond the end of the clock"));
    }
}

// The result of an all-gather is n times the shard: 4 x 2^56 bytes are refused.
TEST(HostileInput, AllGatherBeyondCounting) {
    const auto build = [] {
        static_cast<void>(test::workload_of(4, [](Rank) {
            return std::vector{
                collective_node(1, CollectiveType::AllGather, std::int64_t{1} << 56)};
        }));
    };
    EXPECT_THAT(message_of<InputError>(build), HasSubstr("from each of 4 ranks"));
}

TEST(HostileInput, NumbersThatDoNotFitAreNotTakenAsAbsent) {
    for (const char* attribute : {"num_ops", "tensor_size", "duration_ns"}) {
        const auto build = [attribute] {
            static_cast<void>(test::workload_of(1, [attribute](Rank) {
                chakra::Node node = compute_node(1, 1);
                node.set(attribute, std::numeric_limits<std::uint64_t>::max());
                return std::vector{node};
            }));
        };
        EXPECT_THAT(message_of<InputError>(build), HasSubstr(attribute));
    }
}

TEST(HostileInput, GroupsInMemoryAreChecked) {
    const auto build = [](std::vector<Rank> ranks) {
        static_cast<void>(test::workload_of(2, [](Rank) { return std::vector<chakra::Node>(); },
                                            {{"1", std::move(ranks)}}));
    };
    EXPECT_THAT(message_of<InputError>([&] {
                    build({Rank(0), Rank(0)});
                }),
                HasSubstr("a rank twice"));
    EXPECT_THAT(message_of<InputError>([&] {
                    build({Rank(0), Rank(2)});
                }),
                HasSubstr("does not exist"));
}

// A trace without nodes finishes at 0.
TEST(HostileInput, EmptyTraces) {
    for (const char* dialect : {"npunet", "astra-sim"}) {
        test::TestMachine machine = test::ring_machine(2, rate, latency);
        machine.dialect = engine::Dialect::named(dialect);
        const engine::Results results =
            run(test::workload_of(2, [](Rank) { return std::vector<chakra::Node>(); }), machine);
        EXPECT_EQ(results.finish, Time());
    }
}

// A run of 0 ns says so, whatever its traces hold; a run of a microsecond has nothing to say.
TEST(HostileInput, RunsThatTakeNoTimeSaySo) {
    const auto notes_of = [](std::uint64_t micros) {
        const auto compute = [micros](Rank) { return std::vector{compute_node(1, micros)}; };
        return run(test::workload_of(2, compute), test::ring_machine(2, rate, latency)).notes;
    };
    ASSERT_EQ(notes_of(0).size(), 1U);
    EXPECT_THAT(notes_of(0)[0], HasSubstr("nothing took any time"));
    EXPECT_TRUE(notes_of(1).empty());
}

// Two ranks all-gather S bytes each in c chunks, all in flight at once; rank 0 comes T late. By
// then everything from rank 1 is there, so rank 0 is done at T; its own S bytes take S / rate and
// the latency. Nothing may nest as deep as there are chunks, nor look at all chunks for each of
// them.
TEST(HostileInput, ManyChunksThatAreThereAlready) {
    constexpr std::int32_t chunks = 300'000;
    constexpr std::int64_t bytes = std::int64_t{50} * chunks;  // 1 ns a chunk
    test::TestMachine machine = test::ring_machine(2, rate, latency);
    machine.system.preferred_dataset_splits = chunks;
    machine.system.active_chunks_per_dimension = chunks;
    const engine::Results results = run(
        test::workload_of(2,
                          [](Rank rank) {
                              return std::vector{
                                  compute_node(1, rank == Rank(0) ? 1000 : 0),
                                  collective_node(2, CollectiveType::AllGather, bytes, "", {1})};
                          }),
        machine);
    EXPECT_EQ(results.npus[0].finish, Time::ns(1'000'000));
    EXPECT_EQ(results.npus[1].finish, Time::ns(1'000'000) + Time::ns(chunks) + latency);
}

// One chunk at a time, many of them: the queue of the second one starts from within the end of the
// first. n = 2: a step of all-gather per chunk of 50 bytes, 1 ns and the latency each.
TEST(HostileInput, OneChunkAfterTheOther) {
    constexpr std::int32_t chunks = 1000;
    test::TestMachine machine = test::torus_machine(2, 2, rate, latency);
    machine.system.preferred_dataset_splits = chunks;
    const engine::Results results =
        run(test::workload_of(4,
                              [](Rank) {
                                  return std::vector{collective_node(1, CollectiveType::AllGather,
                                                                     std::int64_t{50} * chunks)};
                              }),
            machine);
    // Dimension 1 moves 50 bytes, then dimension 0 moves 100; the longer one sets the pace.
    EXPECT_EQ(results.finish, Time::ns(1) + latency + chunks * (Time::ns(2) + latency));
}

// astra-sim dialect: a receive posted after its message has come ends by an event of the same
// instant, and what waits for it runs: 100 us, the receive, 50 us.
TEST(HostileInput, ReceiveAfterArrivalGoesOn) {
    const engine::Results results = run(
        test::workload_of(2,
                          [](Rank rank) {
                              return rank == Rank(0) ? std::vector{send_node(1, 1, 1000)}
                                                     : std::vector{compute_node(1, 100),
                                                                   receive_node(2, 0, 1000, 0, {1}),
                                                                   compute_node(3, 50, {2})};
                          }),
        astra_ring(2));
    EXPECT_EQ(results.npus[1].finish, Time::ns(150'000));
    EXPECT_EQ(results.npus[1].communication, Time());
}

// astra-sim dialect: collectives of one rank are done at once, and free the one place that they
// take for each other and for what waits for them.
TEST(HostileInput, CollectivesOfOneRankGoOn) {
    const engine::Workload workload = test::workload_of(
        2,
        [](Rank rank) {
            const std::string own = rank == Rank(0) ? "0" : "1";
            return std::vector{collective_node(1, CollectiveType::AllReduce, 4096, own),
                               collective_node(2, CollectiveType::AllToAll, 4096, own),
                               compute_node(3, 50, {1, 2})};
        },
        {{"0", {Rank(0)}}, {"1", {Rank(1)}}});
    EXPECT_EQ(run(workload, astra_ring(2)).finish, Time::ns(50'000));
}

// A weight of 100 bytes, read at 0 and written by its optimizer at 20 us, and an activation of 10
// bytes from 0 to 20 us: the weight is there all the time, 110 bytes together.
TEST(HostileInput, UpdatedWeightsLiveFromTheBeginning) {
    engine::RankProgram program;
    program.operations.resize(2);
    program.tensor_bytes = {100, 10};
    engine::NameTable names;
    program.tensor_names = {names.number_of("weight"), names.number_of("activation")};
    program.tensor_uses = {{0, false}, {1, true}, {1, false}, {0, true}};
    program.tensor_begin = {0, 2, 4};
    const std::vector<Time> start{Time(), Time::ns(10'000)};
    const std::vector<Time> end{Time::ns(10'000), Time::ns(20'000)};
    engine::MemoryPeak peak;
    EXPECT_EQ(engine::peak_memory(program, names, start, end, peak), Bytes(110));
    EXPECT_EQ(peak.at, Time());
    ASSERT_EQ(peak.largest.size(), 2U);
    EXPECT_EQ(peak.largest[0].name, "weight");
}

class SystemFile : public ::testing::Test {
protected:
    std::string error_of(const std::string& text) {
        return message_of<InputError>([&] { static_cast<void>(read(text)); });
    }
    engine::SystemConfig read(const std::string& text) {
        std::vector<std::string> warnings;
        return engine::read_system_config(folder_.write("system.json", text).string(),
                                          engine::Dialect::named("npunet"), warnings);
    }

    test::TemporaryFolder folder_;
};

// A rate of 0, or one that rounds to 0 operations a second, would be divided by.
TEST_F(SystemFile, RatesAreInRange) {
    const std::string both = R"({"roofline-enabled": 1, "peak-perf": 1, "local-mem-bw": 1, )";
    EXPECT_THAT(error_of(both + R"("npus": [{"ranks": [0], "peak-perf": 0}]})"),
                HasSubstr("without both rates"));
    EXPECT_THAT(error_of(R"({"peak-perf": 1e-13})"), HasSubstr("peak-perf"));
    EXPECT_THAT(error_of(R"({"local-mem-bw": 1e300})"), HasSubstr("local-mem-bw"));
    EXPECT_THAT(error_of(R"({"local-mem-bw": 1e999})"), HasSubstr("cannot be read"));
}

// 2^32 is not rank 0.
TEST_F(SystemFile, RanksAreNotCutToTheirLowBits) {
    EXPECT_THAT(error_of(R"({"npus": [{"ranks": [4294967296], "peak-perf": 1}]})"),
                HasSubstr("4294967296"));
    const auto rates = read(R"({"npus": [{"ranks": [1], "peak-perf": 7}]})").compute_rates(3);
    EXPECT_EQ(rates[0].peak_tflops, 0);
    EXPECT_EQ(rates[1].peak_tflops, 7);
}

TEST_F(SystemFile, ChunksAreCountable) {
    EXPECT_THAT(error_of(R"({"preferred-dataset-splits": 1000001})"), HasSubstr("1 to 1000000"));
}

TEST_F(SystemFile, DeepNestingIsRefusedWithoutRecursion) {
    const std::string deep(200'000, '[');
    EXPECT_THAT(error_of("{\"npus\": {\"a\": " + deep + std::string(deep.size(), ']') + "}}"),
                HasSubstr("npus"));
}

}  // namespace
}  // namespace npunet::hostile_input_test
