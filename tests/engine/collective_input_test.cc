// Collectives that cannot be: each ends in an error that says where and what to do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/collectives.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::collective_input_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;
using test::collective_node;
using test::collective_time;
using test::message_of;
using test::TestMachine;
using ::testing::AllOf;
using ::testing::HasSubstr;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

/// What is said of a workload of 4 ranks on a 2 x 2 torus that all run this node, with a group "1"
/// of the ranks 0 and 1.
std::string refusal(const chakra::Node& node) {
    const TestMachine machine = test::torus_machine(2, 2, rate, latency);
    engine::WorkloadOptions options;
    options.network = &machine.network;
    return message_of<InputError>([&] {
        static_cast<void>(engine::make_workload(
            4,
            [&](Rank rank) {
                return rank.value() < 2 ? std::vector{node} : std::vector<chakra::Node>();
            },
            [](Rank) { return "trace.et"; }, {{"1", {Rank(0), Rank(1)}}}, options));
    });
}

template <class Value>
std::string refusal_of(CollectiveType type, const char* attribute, Value value,
                       const std::string& group = "") {
    chakra::Node node = collective_node(1, type, 100, group);
    node.set(attribute, std::move(value));
    return refusal(node);
}

TEST(CollectiveInput, SizesOfAnUnequalAllToAll) {
    using Sizes = std::vector<std::int64_t>;
    const auto sizes = [](Sizes list) {
        return refusal_of(CollectiveType::AllToAll, "comm_sizes", std::move(list));
    };
    EXPECT_THAT(sizes({25, 25, 25, 24}), AllOf(HasSubstr("trace.et"), HasSubstr("the sum 100")));
    EXPECT_THAT(sizes({25, 25, 25, 26}), HasSubstr("do not sum"));
    EXPECT_THAT(sizes({-100, 100, 50, 50}), HasSubstr("do not sum"));
    EXPECT_THAT(sizes({50, 50}), HasSubstr("2 entries"));
    EXPECT_EQ(sizes({0, 0, 100, 0}), "no error");
    EXPECT_THAT(refusal_of(CollectiveType::AllReduce, "comm_sizes", Sizes{25, 25, 25, 25}),
                HasSubstr("ALL_TO_ALL"));
}

TEST(CollectiveInput, Roots) {
    const auto root = [](std::int64_t rank, const char* group) {
        return refusal_of(CollectiveType::Broadcast, "comm_root", rank, group);
    };
    EXPECT_THAT(root(4, ""), HasSubstr("0 to 3"));
    EXPECT_THAT(root(-2, ""), HasSubstr("comm_root -2"));
    EXPECT_THAT(root(3, "1"), HasSubstr("no member of communicator '1'"));
    EXPECT_EQ(root(1, "1"), "no error");
}

TEST(CollectiveInput, InvolvedDimensions) {
    const auto involved = [](std::vector<bool> flags) {
        return refusal_of(CollectiveType::AllReduce, "involve_dims", std::move(flags));
    };
    EXPECT_THAT(involved({true}), HasSubstr("with 1 entries"));
    EXPECT_THAT(involved({true, true, true}), HasSubstr("with 3 entries"));
    EXPECT_THAT(involved({false, false}), HasSubstr("one of them true"));
    EXPECT_THAT(refusal_of(CollectiveType::AllReduce, "involve_dims", std::int64_t{1}),
                HasSubstr("no list of booleans"));
}

class AlgorithmNames : public ::testing::Test {
protected:
    static std::string refusal(const std::string& text, const char* dialect = "npunet") {
        const test::TemporaryFolder folder;
        const std::string file = folder.write("system.json", text).string();
        return message_of<InputError>([&] {
            std::vector<std::string> warnings;
            static_cast<void>(
                engine::read_system_config(file, engine::Dialect::named(dialect), warnings));
        });
    }
};

TEST_F(AlgorithmNames, MustBeKnownAndFit) {
    EXPECT_THAT(refusal(R"({"all-reduce-implementation": ["rign"]})"),
                AllOf(HasSubstr("rign"), HasSubstr("ring, bidirectionalRing")));
    for (const char* name : {"direct0", "direct-1", "directs", "oneMultiRing", "onering", ""}) {
        EXPECT_THAT(refusal(std::string(R"({"all-reduce-implementation": [")") + name + "\"]}"),
                    HasSubstr("all-reduce-implementation"))
            << name;
    }
    for (const char* key : {"reduce-scatter", "all-gather", "all-to-all", "broadcast", "gather"}) {
        const std::string text =
            std::string("{\"") + key + R"(-implementation": ["doubleBinaryTree"]})";
        EXPECT_THAT(refusal(text), HasSubstr("doubleBinaryTree")) << key;
    }
    EXPECT_THAT(refusal(R"({"gather-implementation": ["ring"]})"), HasSubstr("binomialTree"));
    EXPECT_THAT(refusal(R"({"broadcast-implementation": ["ring", "ring"]})"),
                HasSubstr("a list with one algorithm"));
    EXPECT_EQ(refusal(R"({"reduce-scatter-implementation": ["doubleBinaryTree"]})", "astra-sim"),
              "no error");
}

TEST_F(AlgorithmNames, MultiRingStandsAlone) {
    for (const char* list : {R"(["multiRing", "ring"])", R"(["ring", "multiRing"])"}) {
        EXPECT_THAT(refusal(std::string(R"({"all-reduce-implementation": )") + list + "}"),
                    HasSubstr("multiRing alone"));
    }
}

TestMachine tree_first(const char* dialect) {
    TestMachine machine = test::grid_machine(DimensionKind::FullyConnected, 4, 4, rate, latency);
    machine.dialect = engine::Dialect::named(dialect);
    machine.system.endpoint_delay = Time::ns(10);
    machine.system.implementations(CollectiveKind::AllReduce) = {
        test::implementation("doubleBinaryTree"), test::implementation("ring")};
    return machine;
}

// A double binary tree cannot reduce-scatter. As the last of several dimensions, alone in a group
// of one dimension, flat, or with "baseline" there is nothing for it to scatter.
TEST(CollectiveInput, TreeBeforeTheLastDimension) {
    TestMachine machine = tree_first("npunet");
    const auto attempt = [&machine] {
        return message_of<InputError>([&] {
            static_cast<void>(collective_time(CollectiveType::AllReduce, 16'000, machine));
        });
    };
    EXPECT_THAT(attempt(), AllOf(HasSubstr("system.json"), HasSubstr("all-reduce-implementation"),
                                 HasSubstr("oneDoubleBinaryTree")));
    machine.system.optimization = engine::CollectiveOptimization::Baseline;
    EXPECT_EQ(attempt(), "no error");
    machine = tree_first("npunet");
    std::swap(machine.system.implementations(CollectiveKind::AllReduce)[0],
              machine.system.implementations(CollectiveKind::AllReduce)[1]);
    EXPECT_EQ(attempt(), "no error");
    machine.system.implementations(CollectiveKind::AllReduce) = {
        test::implementation("oneDoubleBinaryTree")};
    EXPECT_EQ(attempt(), "no error");
}

// astra-sim dialect: there the tree's all-reduce of all S bytes stands in for the reduce-scatter
// and for the all-gather. Over 4 x 4: tree 0, two levels of E + trunc(L + S/rate) up and down, each
// twice, and between them a ring of 4 with parts of S/4. With the 10 ns of E before each first send
// and GB = 2^30; 21475 bytes take 400 ns at 50 of them.
TEST(CollectiveInput, TreeBeforeTheLastDimensionInTheReference) {
    const TestMachine machine = tree_first("astra-sim");
    const auto message = [](double bytes) {
        return Time::ns(static_cast<std::int64_t>(500 + bytes / (50.0 * (1 << 30) / 1e9)));
    };
    constexpr std::int64_t size = 16'000;
    const Time delay = Time::ns(10);
    const Time tree = delay + 4 * (message(size) + delay);
    const Time ring = delay + 6 * (message(size / 4) + delay);
    EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine), 2 * tree + ring);
}

// The reference has no halving all-to-all: it ends its process.
TEST(CollectiveInput, HalvingAllToAllInTheReference) {
    TestMachine machine = test::ring_machine(4, rate, latency);
    machine.use(engine::Algorithm::HalvingDoubling);
    const auto attempt = [&machine] {
        return message_of<InputError>(
            [&] { static_cast<void>(collective_time(CollectiveType::AllToAll, 16'000, machine)); });
    };
    EXPECT_EQ(attempt(), "no error");
    machine.dialect = engine::Dialect::named("astra-sim");
    EXPECT_THAT(attempt(), AllOf(HasSubstr("all-to-all-implementation"), HasSubstr("it exits"),
                                 HasSubstr("--dialect npunet")));
}

// One more NPU, and the n (n - 1) / 2 blocks of the reference's ring would not fit into 31 bits.
TEST(CollectiveInput, RingAllToAllOfManyInTheReference) {
    TestMachine machine = test::ring_machine(65537, rate, latency);
    machine.dialect = engine::Dialect::named("astra-sim");
    EXPECT_THAT(message_of<InputError>([&] {
                    static_cast<void>(collective_time(CollectiveType::AllToAll, 65537, machine));
                }),
                AllOf(HasSubstr("all-to-all-implementation: found ring among 65537 NPUs"),
                      HasSubstr("at most 65536 NPUs"), HasSubstr("--dialect npunet")));
}

// astra-sim dialect, part of the system: the fixed ring is for the collectives that the reference
// has; the others keep an algorithm that can do them, and come to their end.
TEST(CollectiveInput, RootsOnPartOfTheSystemInTheReference) {
    TestMachine machine = test::ring_machine(6, rate, latency);
    machine.dialect = engine::Dialect::named("astra-sim");
    machine.system.endpoint_delay = Time::ns(10);
    const std::vector<engine::Group> groups{{"1", {Rank(4), Rank(0), Rank(1)}}};
    for (const CollectiveType type :
         {CollectiveType::Broadcast, CollectiveType::Reduce, CollectiveType::Gather,
          CollectiveType::Scatter, CollectiveType::Barrier}) {
        const engine::Results results =
            test::run(test::workload_of(
                          6,
                          [type](Rank rank) {
                              const bool member = rank.value() == 4 || rank.value() < 2;
                              return member ? std::vector{collective_node(1, type, 9000, "1")}
                                            : std::vector<chakra::Node>();
                          },
                          groups),
                      machine);
        EXPECT_GT(results.finish, latency);
    }
}

}  // namespace
}  // namespace npunet::collective_input_test
