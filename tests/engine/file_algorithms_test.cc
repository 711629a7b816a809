// Collectives that follow MSCCL files and traces. T(b) = ceil(b / rate), L a link's latency, E the
// endpoint delay, R(b) = ceil(3 b / memory bandwidth).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "engine/collective_files/fifo_protocol.h"
#include "engine/program/fold.h"
#include "engine/simulation/fold_finder.h"
#include "tests/engine/algorithm_files.h"
#include "tests/support/refusals.h"

namespace npunet::file_algorithms_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;
using engine::FifoMessage;
using engine::FifoProtocol;
using test::AlgorithmFolder;
using test::file_run;
using test::FileRunResult;
using test::message_of;
using test::SentMessage;
using test::TestMachine;
using test::XmlAlgorithm;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

Time ser(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), rate);
}

TestMachine all_linked(std::int64_t npus) {
    return test::line_machine(DimensionKind::FullyConnected, npus, rate, latency);
}

std::vector<std::pair<std::int64_t, std::int32_t>> call_of(const char* protocol,
                                                           std::int64_t bytes) {
    std::vector<FifoMessage> messages;
    FifoProtocol::named(protocol)->add_call(Bytes(bytes), messages);
    std::vector<std::pair<std::int64_t, std::int32_t>> list;
    for (const FifoMessage& message : messages) {
        list.emplace_back(message.bytes.value(), message.slots);
    }
    return list;
}

// A call of Simple takes 4 of the 8 slots in two slices, of which the first is half of it, rounded
// up to 16 bytes and at least 32 KiB; calls of the other protocols take one.
TEST(FifoProtocol, SlotsOfACall) {
    using Slots = std::vector<std::pair<std::int64_t, std::int32_t>>;
    EXPECT_EQ(call_of("Simple", 2 << 20), (Slots{{1 << 20, 2}, {1 << 20, 2}}));
    EXPECT_EQ(call_of("Simple", 100'001), (Slots{{50'016, 2}, {49'985, 2}}));
    EXPECT_EQ(call_of("Simple", 40'000), (Slots{{32'768, 2}, {7232, 2}}));
    EXPECT_EQ(call_of("Simple", 32'768), (Slots{{32'768, 4}}));
    EXPECT_EQ(call_of("Simple", 0), (Slots{{0, 4}}));
    EXPECT_EQ(call_of("LL", 32'768), (Slots{{32'768, 1}}));
    EXPECT_EQ(call_of("LL128", 576'000), (Slots{{576'000, 1}}));
    EXPECT_EQ(FifoProtocol::named("ll"), nullptr);
}

// The same order, bytes and times as the built-in ring, whatever the size is divided into: fused
// steps, and receives and sends as steps of their own.
TEST(FileAlgorithms, ARingIsTheBuiltInRing) {
    const AlgorithmFolder folder;
    for (const std::int32_t n : {2, 3, 8}) {
        for (const std::int64_t size :
             {std::int64_t{1}, std::int64_t{99'991}, n * std::int64_t{576'000}}) {
            for (const bool costs : {false, true}) {
                TestMachine machine = test::ring_machine(n, rate, latency);
                if (costs) {
                    machine.system.endpoint_delay = Time::ns(30);
                    machine.system.compute.memory_bandwidth = 100;
                }
                const FileRunResult built_in = file_run(CollectiveType::AllReduce, size, machine);
                for (const XmlAlgorithm& ring : {test::ring_all_reduce(n), test::unfused_ring(n)}) {
                    folder.use(machine, ring);
                    const FileRunResult file = file_run(CollectiveType::AllReduce, size, machine);
                    EXPECT_THAT(file.messages, ElementsAreArray(built_in.messages))
                        << n << " " << size;
                    EXPECT_EQ(file.results.finish, built_in.results.finish);
                    EXPECT_EQ(file.results.collectives.at(0).algorithm, ring.name);
                }
            }
        }
    }
}

// XML and traces of one ring: the same messages at the same times.
TEST(FileAlgorithms, XmlAndTracesOfOneRing) {
    const AlgorithmFolder folder;
    constexpr std::int64_t size = 1'048'573;
    for (const bool costs : {false, true}) {
        TestMachine machine = test::ring_machine(8, rate, latency);
        if (costs) {
            machine.system.endpoint_delay = Time::ns(30);
            machine.system.compute.memory_bandwidth = 100;
        }
        folder.use(machine, test::unfused_ring(8));
        const FileRunResult xml = file_run(CollectiveType::AllReduce, size, machine);
        const std::string prefix = (folder.folder() / "ring").string();
        test::write_ring_traces(prefix, 8, size);
        machine.system.files(CollectiveKind::AllReduce).list.front().algorithm =
            engine::read_algorithm(prefix, CollectiveKind::AllReduce);
        const FileRunResult traces = file_run(CollectiveType::AllReduce, size, machine);
        EXPECT_THAT(traces.messages, ElementsAreArray(xml.messages));
        EXPECT_EQ(traces.results.finish, xml.results.finish);
        EXPECT_EQ(traces.results.collectives.at(0).algorithm, "ring");
        EXPECT_EQ(traces.bytes(), 14 * size);
    }
}

// All bytes arrive, none more, for sizes that nothing divides, in one piece of the chunks and in
// many. A ring moves each chunk 2 (n-1) times, or n-1 times; so do all pairs; a server of two each
// of its halves twice within and once across.
TEST(FileAlgorithms, ConserveBytes) {
    const AlgorithmFolder folder;
    struct Case {
        XmlAlgorithm algorithm;
        CollectiveType type;
        CollectiveKind kind;
        std::int64_t moved;  ///< times the whole buffer
        std::int64_t shards = 1;
    };
    const std::vector<Case> cases{
        {test::ring_all_reduce(4, "Simple", 3), CollectiveType::AllReduce,
         CollectiveKind::AllReduce, 6},
        {test::ring_all_reduce(4, "LL"), CollectiveType::AllReduce, CollectiveKind::AllReduce, 6},
        {test::all_pairs_all_reduce(4), CollectiveType::AllReduce, CollectiveKind::AllReduce, 6},
        {test::hierarchical_all_reduce(), CollectiveType::AllReduce, CollectiveKind::AllReduce, 6},
        {test::ring_all_gather(4), CollectiveType::AllGather, CollectiveKind::AllGather, 3, 4},
        {test::ring_reduce_scatter(4), CollectiveType::ReduceScatter, CollectiveKind::ReduceScatter,
         3},
        {test::gather_from_input(4), CollectiveType::AllGather, CollectiveKind::AllGather, 3, 4},
        {test::all_to_all(4, "LL", 4), CollectiveType::AllToAll, CollectiveKind::AllToAll, 3},
        {test::all_to_all(4), CollectiveType::AllToAll, CollectiveKind::AllToAll, 3},
        {test::chain_broadcast(4, 7), CollectiveType::Broadcast, CollectiveKind::Broadcast, 3},
    };
    for (const Case& one : cases) {
        for (const std::int64_t size :
             {std::int64_t{1}, std::int64_t{1013}, std::int64_t{20'000'003}}) {
            TestMachine machine = all_linked(4);
            folder.use(machine, one.algorithm, one.kind);
            const std::int64_t root = one.kind == CollectiveKind::Broadcast ? 2 : -1;
            const FileRunResult run = file_run(one.type, size, machine, root);
            EXPECT_EQ(run.bytes(), one.moved * one.shards * size) << one.algorithm.name << size;
            EXPECT_GE(run.results.finish, run.results.collectives.at(0).least);
            // The order in which the events of an instant are inserted does not matter.
            const FileRunResult again = file_run(one.type, size, machine, root, 7);
            EXPECT_THAT(again.messages, ElementsAreArray(run.messages)) << one.algorithm.name;
        }
    }
}

// Two GPUs: 0 copies, then sends; 1 receives, adds, and adds once more. Copies read and write, sums
// read both and write, and a sum that goes on reads one more.
TEST(FileAlgorithms, StepsWithinAGpu) {
    const AlgorithmFolder folder;
    XmlAlgorithm made;
    made.gpus = {{1, 1, 0, {{1, -1, 0, {{"cpy", 'i', 0, 'o', 0}, {"s", 'o', 0, 'i', 0}}}}},
                 {1,
                  1,
                  2,
                  {{-1,
                    0,
                    0,
                    {{"r", 'i', 0, 's', 0},
                     {"re", 's', 0, 'o', 0},
                     {"re", 's', 1, 'o', 0},
                     {"nop", 'i', -1, 'o', -1, 0}}}}}};
    TestMachine machine = all_linked(2);
    machine.system.compute.memory_bandwidth = 100;
    folder.use(machine, made);
    constexpr std::int64_t size = 100'000;  // 1 us an access
    EXPECT_EQ(file_run(CollectiveType::AllReduce, size, machine).results.finish,
              Time::ns(2000) + ser(size) + latency + Time::ns(3000 + 1000));
    machine.system.endpoint_delay = Time::ns(40);
    EXPECT_EQ(file_run(CollectiveType::AllReduce, size, machine).results.finish,
              Time::ns(2000) + ser(size) + latency + Time::ns(40 + 3000 + 1000));
}

/// GPU 0 sends chunks, which GPU 1 adds one by one.
XmlAlgorithm many_chunks(const std::string& protocol, std::int32_t chunks) {
    XmlAlgorithm made;
    made.protocol = protocol;
    made.chunks = chunks;
    made.gpus = {{chunks, 0, 0, {{1, -1, 0, {}}}}, {chunks, 0, 0, {{-1, 0, 0, {}}}}};
    for (std::int32_t i = 0; i < chunks; ++i) {
        made.gpus[0].blocks[0].steps.push_back({"s", 'i', i, 'i', i});
        made.gpus[1].blocks[0].steps.push_back({"rrc", 'i', i, 'i', i});
    }
    return made;
}

// The receiver takes R(b) for each message, much more than the network. Message k leaves when the
// one that held its slots has been added and the word of it is back: L later. Ahead are 8 messages
// of LL and LL128; with Simple 2 up to 32 KiB a call, 4 slices of larger ones.
TEST(FileAlgorithms, SlotsBoundTheSender) {
    const AlgorithmFolder folder;
    struct Case {
        const char* protocol;
        std::int64_t chunk;
        std::int64_t messages_a_chunk;
        std::size_t ahead;
    };
    for (const Case& one : {Case{"LL", 32'768, 1, 8}, Case{"LL128", 100'000, 1, 8},
                            Case{"Simple", 32'768, 1, 2}, Case{"Simple", 2 << 20, 2, 4}}) {
        constexpr std::int32_t chunks = 12;
        TestMachine machine = all_linked(2);
        machine.system.compute.memory_bandwidth = 10;
        folder.use(machine, many_chunks(one.protocol, chunks));
        const FileRunResult run = file_run(CollectiveType::AllReduce, chunks * one.chunk, machine);
        const std::int64_t bytes = one.chunk / one.messages_a_chunk;
        const Time reduction = time_for(3 * bytes, 10'000'000'000);
        const Time first = ser(bytes) + latency + reduction;
        ASSERT_EQ(run.messages.size(), static_cast<std::size_t>(chunks * one.messages_a_chunk));
        for (std::size_t k = 0; k < run.messages.size(); ++k) {
            const Time used =
                k < one.ahead
                    ? Time()
                    : first + static_cast<std::int64_t>(k - one.ahead) * reduction + latency;
            EXPECT_EQ(run.messages[k].start, used) << one.protocol << " " << k;
        }
    }
}

// 9 chunks in one step are one call while they fit into one: both GPUs send before they receive. In
// 9 calls of LL the ninth finds no slot, and both would wait for ever.
TEST(FileAlgorithms, SlotsThatRunOutAreRefused) {
    const AlgorithmFolder folder;
    XmlAlgorithm made;
    made.protocol = "LL";
    made.chunks = 9;
    for (std::int32_t g = 0; g < 2; ++g) {
        made.gpus.push_back(
            {9, 0, 9, {{1 - g, 1 - g, 0, {{"s", 'i', 0, 's', 0, 9}, {"r", 'i', 0, 's', 0, 9}}}}});
    }
    TestMachine machine = all_linked(2);
    folder.use(machine, made);
    EXPECT_EQ(file_run(CollectiveType::AllReduce, 9000, machine).messages.size(), 2u);
    EXPECT_THAT(message_of<InputError>([&] {
                    static_cast<void>(file_run(CollectiveType::AllReduce, 9 * 32'768, machine));
                }),
                testing::AllOf(HasSubstr("gpu 0, thread block 0, step 0"), HasSubstr("8 slots"),
                               HasSubstr("gpu 1, thread block 0, step 0")));
}

// The root plays GPU 0 of the file, and the others follow in order.
TEST(FileAlgorithms, TheRootIsGpu0) {
    const AlgorithmFolder folder;
    TestMachine machine = all_linked(3);
    folder.use(machine, test::chain_broadcast(3, 1), CollectiveKind::Broadcast);
    const FileRunResult run = file_run(CollectiveType::Broadcast, 5000, machine, 2);
    const Time step = ser(5000) + latency;
    EXPECT_THAT(run.messages, ElementsAreArray({SentMessage{Time(), 2, 0, Bytes(5000), step},
                                                SentMessage{step, 0, 1, Bytes(5000), 2 * step}}));
}

// Collectives by a file and built-in ones at once between the same NPUs, and a member that comes
// late: all come to their end.
TEST(FileAlgorithms, BesideOthersAndWithLateMembers) {
    const AlgorithmFolder folder;
    TestMachine machine = all_linked(4);
    folder.use(machine, test::ring_all_reduce(4));
    const std::vector<engine::Group> groups{{"1", {Rank(0), Rank(1), Rank(2), Rank(3)}},
                                            {"2", {Rank(3), Rank(2), Rank(1), Rank(0)}}};
    const auto finish = [&](std::uint64_t late) {
        return test::run(test::workload_of(
                             4,
                             [&](Rank rank) {
                                 std::vector<chakra::Node> nodes{
                                     test::compute_node(1, rank == Rank(2) ? late : 0)};
                                 for (std::uint64_t id = 2; id < 8; ++id) {
                                     nodes.push_back(test::collective_node(
                                         id,
                                         id % 3 == 0 ? CollectiveType::AllToAll
                                                     : CollectiveType::AllReduce,
                                         40'000, id % 2 == 0 ? "1" : "2", {1}));
                                 }
                                 return nodes;
                             },
                             groups),
                         machine)
            .finish;
    };
    EXPECT_GT(finish(0), Time());
    EXPECT_GT(finish(1000), Time::ns(1'000'000));
}

// A member that never comes: the others say for whom they wait.
TEST(FileAlgorithms, StallsAreExplained) {
    const AlgorithmFolder folder;
    TestMachine machine = all_linked(4);
    folder.use(machine, test::ring_all_reduce(4));
    const engine::Workload workload = test::workload_of(4, [](Rank rank) {
        return rank == Rank(3)
                   ? std::vector{test::compute_node(1, 1)}
                   : std::vector{test::collective_node(1, CollectiveType::AllReduce, 4000)};
    });
    EXPECT_THAT(message_of<StallError>([&] { static_cast<void>(test::run(workload, machine)); }),
                testing::AllOf(HasSubstr("rank 0"), HasSubstr("waits for rank 3 of communicator")));
}

// Slots are given back within a process.
TEST(FileAlgorithms, AreForOneProcess) {
    const AlgorithmFolder folder;
    TestMachine machine = all_linked(4);
    folder.use(machine, test::ring_all_reduce(4));
    const engine::Workload workload = test::workload_of(4, [](Rank) {
        return std::vector{test::collective_node(1, CollectiveType::AllReduce, 4000)};
    });
    EXPECT_THAT(message_of<InputError>([&] {
                    engine::EventQueue queue;
                    analytical::CongestionUnaware network(machine.network, queue, machine.dialect);
                    const engine::Simulation simulation(
                        workload, machine.network, machine.system, machine.dialect, queue, network,
                        engine::Fold::everyone_for_itself(),
                        engine::RankShare({true, true, false, false}));
                }),
                testing::AllOf(HasSubstr("made.xml"), HasSubstr("in one process")));
}

// Nothing is folded: a file may treat each member in a manner of its own.
TEST(FileAlgorithms, AreNotFolded) {
    const AlgorithmFolder folder;
    TestMachine machine = test::ring_machine(8, rate, latency);
    const engine::Workload workload = test::workload_of(8, [](Rank) {
        return std::vector{test::collective_node(1, CollectiveType::AllReduce, 80'000)};
    });
    EXPECT_FALSE(find_fold(workload, machine.network, machine.system, machine.dialect).trivial());
    folder.use(machine, test::ring_all_reduce(8));
    EXPECT_TRUE(find_fold(workload, machine.network, machine.system, machine.dialect).trivial());
}

// "all-reduce-implementation-custom" in ASTRA-sim's dialect: messages of trunc(L + S/rate) ns (GB =
// 2^30), the reduction's recorded 2 us, no endpoint delay; sends end when they arrive. Sizes are
// those of the traces, whatever the collective's is.
TEST(FileAlgorithms, CustomTracesInTheReference) {
    const AlgorithmFolder folder;
    TestMachine machine = test::ring_machine(4, rate, latency);
    machine.dialect = engine::Dialect::named("astra-sim");
    machine.system.endpoint_delay = Time::ns(10);
    const std::string prefix = (folder.folder() / "custom").string();
    test::write_ring_traces(prefix, 4, 400'000, 2);
    std::vector<std::string> warnings;
    const std::string text = R"({"all-reduce-implementation": ["ring"],
                                 "all-reduce-implementation-custom": [")" +
                             prefix + "\"]}";
    machine.system = engine::read_system_config(folder.folder().write("system.json", text).string(),
                                                machine.dialect, warnings);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0], HasSubstr("whatever its size"));
    const Time message =
        Time::ns(static_cast<std::int64_t>(500 + 100'000 / (50.0 * (1 << 30) / 1e9)));
    for (const std::int64_t size : {1000, 1'000'000}) {
        const FileRunResult run = file_run(CollectiveType::AllReduce, size, machine);
        EXPECT_EQ(run.results.finish, 6 * message + 3 * Time::ns(2000));
        EXPECT_EQ(run.bytes(), 6 * 400'000);
    }
    // In the dialect npunet the form is another one, which also scales.
    EXPECT_THAT(
        message_of<InputError>([&] {
            static_cast<void>(engine::read_system_config((folder.folder() / "system.json").string(),
                                                         engine::Dialect::named("npunet"),
                                                         warnings));
        }),
        testing::AllOf(HasSubstr("all-reduce-implementation-custom"), HasSubstr("\"file\"")));
    machine = test::ring_machine(4, rate, latency);
    machine.system = engine::read_system_config(
        folder.folder()
            .write("own.json",
                   R"({"all-reduce-implementation": {"file": "custom", "made-for": "400KB"}})")
            .string(),
        machine.dialect, warnings);
    EXPECT_EQ(file_run(CollectiveType::AllReduce, 1'000'000, machine).bytes(), 6 * 1'000'000);
}

}  // namespace
}  // namespace npunet::file_algorithms_test
