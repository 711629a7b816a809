// Remote memory: an access of b bytes lasts latency + b / bandwidth; who shares a memory takes
// turns.

#include "engine/machine/remote_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::remote_memory_test {
namespace {

using engine::RemoteMemoryConfig;
using test::compute_node;
using test::memory_node;
using test::message_of;
using test::send_node;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Kind = RemoteMemoryConfig::Kind;

// 1000 bytes at 3 GB/s last 333.33 ns.
constexpr Time access_time = Time::ps(100'000 + 333'334);

test::TestMachine machine_of(std::int64_t npus, Kind kind, const std::string& dialect = "npunet") {
    test::TestMachine machine = test::ring_machine(npus, Rate(50'000'000'000), Time::ns(500));
    machine.dialect = engine::Dialect::named(dialect);
    machine.system = engine::default_system_config(machine.dialect);
    machine.system.remote_memory = {kind, Time::ns(100), Rate(3'000'000'000), 2, 2};
    return machine;
}

engine::Results run(const test::TestMachine& machine, const test::NodesOf& nodes) {
    return test::run(test::workload_of(machine.network.graph.npus(), nodes, {},
                                       test::options_of(machine.dialect)),
                     machine);
}

// Two accesses of one NPU follow each other; beside them runs a compute of 10 us, which hides them.
// The store that waits for the compute is exposed.
TEST(RemoteMemory, OneAccessAtATimeBesideCompute) {
    chakra::Node store = memory_node(4, 1000, {3});
    store.type = chakra::NodeType::MemoryStore;
    const engine::Results results = run(machine_of(1, Kind::PerNpu), [&](Rank) {
        return std::vector{memory_node(1, 1000), memory_node(2, 1000), compute_node(3, 10), store};
    });
    EXPECT_EQ(results.operations[0].end, access_time);
    EXPECT_EQ(results.operations[2].start, access_time);
    EXPECT_EQ(results.operations[2].end, 2 * access_time);
    const engine::NpuResult& npu = results.npus[0];
    EXPECT_EQ(npu.finish, Time::ns(10'000) + access_time);
    EXPECT_EQ(npu.memory, 3 * access_time);
    EXPECT_EQ(npu.exposed_memory, access_time);
    EXPECT_EQ(npu.idle, Time());
    EXPECT_EQ(npu.finish, npu.compute + npu.exposed_communication + npu.exposed_memory + npu.idle);
}

// It runs beside communication too, which is what the time counts as: a send of 200 000 bytes
// leaves in 4 us.
TEST(RemoteMemory, CommunicationWinsOverMemory) {
    const engine::Results results = run(machine_of(2, Kind::PerNpu), [](Rank rank) {
        return rank == Rank(0) ? std::vector{memory_node(1, 1000), send_node(2, 1, 200'000)}
                               : std::vector<chakra::Node>{};
    });
    EXPECT_EQ(results.npus[0].finish, Time::ns(4000));
    EXPECT_EQ(results.npus[0].exposed_communication, Time::ns(4000));
    EXPECT_EQ(results.npus[0].memory, access_time);
    EXPECT_EQ(results.npus[0].exposed_memory, Time());
}

// Four NPUs access at once. Memory of their own: all are done after one access. Of nodes of two:
// the second of each node waits for the first. A pool: they are served in the order of the ranks.
TEST(RemoteMemory, SharedMemoryServesOneAccessAtATime) {
    const std::vector<std::pair<Kind, std::vector<std::int64_t>>> expected{
        {Kind::PerNpu, {1, 1, 1, 1}}, {Kind::PerNode, {1, 2, 1, 2}}, {Kind::Pool, {1, 2, 3, 4}}};
    for (const char* dialect : {"npunet", "astra-sim", "astra-sim-2025-03"}) {
        for (const auto& [kind, accesses] : expected) {
            const test::TestMachine machine = machine_of(4, kind, dialect);
            const Time time = machine.dialect.whole_nanoseconds ? Time::ns(433) : access_time;
            const engine::Results results =
                run(machine, [](Rank) { return std::vector{memory_node(1, 1000)}; });
            for (std::size_t rank = 0; rank < 4; ++rank) {
                EXPECT_EQ(results.npus[rank].finish, accesses[rank] * time)
                    << dialect << ", rank " << rank;
            }
        }
    }
}

// A pool serves requests in the order in which they come, whatever their rank: rank 1 asks at once,
// rank 0 after 100 ns, rank 1 again behind that one when its first access is done.
TEST(RemoteMemory, EarlierRequestsComeFirst) {
    chakra::Node soon = compute_node(1, 0);
    soon.set_integer("duration_ns", 100);
    const engine::Results results = run(machine_of(2, Kind::Pool), [&](Rank rank) {
        return rank == Rank(0) ? std::vector{soon, memory_node(2, 1000, {1})}
                               : std::vector{memory_node(1, 1000), memory_node(2, 1000, {1})};
    });
    EXPECT_EQ(results.npus[0].finish, 2 * access_time);
    EXPECT_EQ(results.npus[1].finish, 3 * access_time);
}

// Who is served first at one instant follows from the ranks, not from the order in which events
// were scheduled: 8 NPUs ask a pool at the same instants, and every shuffle gives the same.
TEST(RemoteMemory, OrderOfInsertionDoesNotMatter) {
    const test::TestMachine machine = machine_of(8, Kind::Pool);
    const engine::Workload workload = test::workload_of(8, [](Rank rank) {
        return std::vector{compute_node(1, 1), memory_node(2, 1000 + 10 * rank.value(), {1}),
                           memory_node(3, 1000, {1}), compute_node(4, 2, {2})};
    });
    const engine::Results plain = test::run(workload, machine);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        engine::EventQueue queue;
        queue.shuffle_insertions(seed);
        analytical::CongestionUnaware network(machine.network, queue, machine.dialect);
        engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect,
                                      queue, network);
        const engine::Results shuffled = simulation.run();
        for (std::size_t i = 0; i < plain.operations.size(); ++i) {
            ASSERT_EQ(plain.operations[i].end, shuffled.operations[i].end) << seed;
        }
    }
}

// In the astra-sim dialects an access takes the place of a communication: the send of 1000 bytes,
// ready at the same time, waits for it, and arrives trunc(500 + 1000 / 53.687) = 518 ns later.
TEST(RemoteMemory, TakesThePlaceOfACommunicationInAstraSim) {
    const engine::Results results = run(machine_of(2, Kind::PerNpu, "astra-sim"), [](Rank rank) {
        return rank == Rank(0) ? std::vector{memory_node(1, 1000), send_node(2, 1, 1000)}
                               : std::vector<chakra::Node>{};
    });
    EXPECT_EQ(results.operations[1].start, Time::ns(433));
    EXPECT_EQ(results.npus[0].memory, Time::ns(433));
    EXPECT_EQ(results.npus[0].communication,
              results.operations[1].end - results.operations[1].start);
}

TEST(RemoteMemory, NodesNeedTheMemory) {
    const auto nodes = [](Rank) { return std::vector{memory_node(7, 1000)}; };
    EXPECT_THAT(
        message_of<InputError>([&] { static_cast<void>(run(machine_of(2, Kind::None), nodes)); }),
        AllOf(HasSubstr("rank 0"), HasSubstr("node 7 ('memory_7')"), HasSubstr("--memory"),
              HasSubstr("NO_MEMORY_EXPANSION")));
    EXPECT_THAT(message_of<InputError>([&] {
                    static_cast<void>(run(machine_of(2, Kind::PerNpu), [](Rank) {
                        chakra::Node node = memory_node(7, 1000);
                        node.attributes.clear();
                        return std::vector{node};
                    }));
                }),
                HasSubstr("no integer attribute 'tensor_size'"));
}

TEST(RemoteMemory, NodesMustHoldAllNpus) {
    EXPECT_THAT(message_of<InputError>([&] {
                    static_cast<void>(run(machine_of(5, Kind::PerNode),
                                          [](Rank) { return std::vector{compute_node(1, 1)}; }));
                }),
                HasSubstr("2 nodes of 2 NPUs; expected room for the 5 NPUs"));
}

class RemoteMemoryFile : public ::testing::Test {
protected:
    RemoteMemoryConfig read(const std::string& text, const std::string& dialect = "npunet") {
        warnings_.clear();
        return engine::read_remote_memory(folder_.write("memory.json", text).string(),
                                          engine::Dialect::named(dialect), warnings_);
    }
    std::string error_of(const std::string& text) {
        return message_of<InputError>([&] { static_cast<void>(read(text)); });
    }

    test::TemporaryFolder folder_;
    std::vector<std::string> warnings_;
};

TEST_F(RemoteMemoryFile, IsReadAsItIs) {
    EXPECT_EQ(read(R"({"memory-type": "NO_MEMORY_EXPANSION"})").kind, Kind::None);
    const RemoteMemoryConfig node =
        read(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100,
                 "remote-mem-bw": 1.5, "num-nodes": 4, "num-npus-per-node": 8})");
    EXPECT_EQ(node.kind, Kind::PerNode);
    EXPECT_EQ(node.latency, Time::ns(100));
    EXPECT_EQ(node.bandwidth, Rate(1'500'000'000));
    EXPECT_EQ(node.nodes, 4);
    EXPECT_EQ(node.npus_per_node, 8);
    const RemoteMemoryConfig pool = read(R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 10})");
    EXPECT_EQ(pool.kind, Kind::Pool);
    EXPECT_EQ(pool.latency, Time()) << "where none is given";
    const RemoteMemoryConfig least =
        read(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-bw": 1.5,
                 "num-nodes": 1, "num-npus-per-node": 1})");
    EXPECT_EQ(least.nodes, 1);
    EXPECT_EQ(least.npus_per_node, 1);
}

// The reference keeps both numbers in integers, and so do its dialects.
TEST_F(RemoteMemoryFile, AstraSimCutsToWholeNumbers) {
    const std::string text = R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 10.5,
                                 "remote-mem-bw": 1.5})";
    EXPECT_EQ(read(text).latency, Time::ps(10'500));
    EXPECT_EQ(read(text, "astra-sim").latency, Time::ns(10));
    EXPECT_EQ(read(text, "astra-sim").bandwidth, Rate(1'000'000'000));
    EXPECT_THAT(message_of<InputError>([&] {
                    static_cast<void>(read(
                        R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 0.5})", "astra-sim"));
                }),
                HasSubstr("whole GB/s"));
}

// A latency of 0.001 ns to a second, and 1 kB/s to 1 PB/s.
TEST_F(RemoteMemoryFile, KeepsToItsLimits) {
    const auto pool = [](const char* latency, const char* bandwidth) {
        return std::string(R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": )") + latency +
               R"(, "remote-mem-bw": )" + bandwidth + "}";
    };
    EXPECT_EQ(read(pool("1e9", "1e6")).latency, Time::ns(1'000'000'000));
    EXPECT_EQ(read(pool("1e-3", "1e-6")).latency, Time::ps(1));
    EXPECT_EQ(read(pool("1e9", "1e6")).bandwidth, Rate(1'000'000'000'000'000));
    EXPECT_EQ(read(pool("1e-3", "1e-6")).bandwidth, Rate(1'000));
    EXPECT_THAT(error_of(pool("1.001e9", "1")), HasSubstr("remote-mem-latency"));
    EXPECT_THAT(error_of(pool("9e-4", "1")), HasSubstr("remote-mem-latency"));
    EXPECT_THAT(error_of(pool("1", "1.001e6")), HasSubstr("remote-mem-bw"));
    EXPECT_THAT(error_of(pool("1", "9e-7")), HasSubstr("remote-mem-bw"));
}

TEST_F(RemoteMemoryFile, SaysWhatIsWrong) {
    EXPECT_THAT(error_of("{}"), HasSubstr("memory-type"));
    EXPECT_THAT(error_of(R"({"memory-type": "POOL"})"), HasSubstr("or MEMORY_POOL"));
    EXPECT_THAT(error_of(R"({"memory-type": "MEMORY_POOL"})"), HasSubstr("remote-mem-bw"));
    EXPECT_THAT(error_of(R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": -1})"),
                HasSubstr("found -1"));
    EXPECT_THAT(error_of(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-bw": 1})"),
                HasSubstr("num-nodes"));
    EXPECT_THAT(error_of(R"({"memory-type": "MEMORY_POOL", "remote-mem-bandwidth": 1})"),
                HasSubstr("Did you mean"));
    EXPECT_THAT(error_of("[1]"), HasSubstr("not an object"));
    static_cast<void>(read(R"({"memory-type": "NO_MEMORY_EXPANSION", "colour": 1})", "astra-sim"));
    EXPECT_EQ(warnings_.size(), 1U);
}

}  // namespace
}  // namespace npunet::remote_memory_test
