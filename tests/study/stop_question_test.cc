// The watch that can stop a run is called often enough on every kind of network, and obeyed: there
// are at most 2^16 events (including packets moved) between two calls, between the last one and the
// end, and between a false and the end.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulation/simulation.h"
#include "study/fidelity_network.h"
#include "study/simulation_run.h"
#include "tests/support/counted_cases.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::stop_question_test {
namespace {

using chakra::CollectiveType;

/// Returns true this many times.
class CountingWatch final : public engine::QueueWatch {
public:
    CountingWatch(const engine::EventQueue& queue, std::uint64_t yes) : queue_(queue), yes_(yes) {}

    bool goes_on() override {
        note();
        return ++questions_ <= yes_;
    }
    /// Called at each check and at the end of the run.
    void note() {
        longest_ = std::max(longest_, queue_.handled() - seen_);
        seen_ = queue_.handled();
    }
    [[nodiscard]] std::uint64_t questions() const { return questions_; }
    [[nodiscard]] std::uint64_t longest() const { return longest_; }

private:
    const engine::EventQueue& queue_;
    std::uint64_t yes_;
    std::uint64_t questions_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t longest_ = 0;
};

struct Seen {
    std::uint64_t questions = 0;
    std::uint64_t longest = 0;
    engine::Results results;
};

constexpr std::uint64_t always = ~std::uint64_t{0};

struct Case {
    std::string network;
    std::string packet;
    Fidelity fidelity = Fidelity::Packet;
    bool trains = false;
    std::size_t threads = 1;
    CollectiveType collective = CollectiveType::AllReduce;
    std::int64_t bytes = 0;

    [[nodiscard]] std::string text() const {
        return fmt::format("{}packet: {{{}}}, {}, trains {}, threads {}, collective {} of {} bytes",
                           network, packet, name_of(fidelity), trains, threads,
                           static_cast<int>(collective), bytes);
    }
};

Seen run(const Case& drawn, std::uint64_t yes) {
    const test::TemporaryFolder folder;
    const std::string network = drawn.network + "packet: {" + drawn.packet + "}\n";
    Machine machine = load_machine(folder.write("network.yml", network).string(), "", "npunet");
    machine.system = engine::SystemConfig();  // how long a step is counts, not which is chosen
    const engine::Workload workload = test::workload_of(machine.network.graph.npus(), [&](Rank) {
        return std::vector{test::collective_node(1, drawn.collective, drawn.bytes)};
    });
    engine::EventQueue queue(machine.dialect.event_order);
    RunOptions options;
    options.packet.fast_forward = drawn.trains;
    options.packet.threads = drawn.threads;
    const std::unique_ptr<engine::Network> models =
        make_network(machine, drawn.fidelity, queue, options);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  *models);
    CountingWatch watch(queue, yes);
    queue.set_watch(&watch);
    Seen seen;
    seen.results = simulation.run();
    watch.note();
    queue.set_watch(nullptr);
    seen.questions = watch.questions();
    seen.longest = watch.longest();
    return seen;
}

/// Two runs: one to the end, and one that is stopped at a check of the first.
void check(const Case& drawn, std::mt19937_64& random) {
    SCOPED_TRACE(drawn.text());
    const Seen whole = run(drawn, always);
    EXPECT_FALSE(whole.results.partial);
    EXPECT_LE(whole.longest, engine::EventQueue::most_between_questions);
    if (whole.questions == 0) {
        return;
    }
    const std::uint64_t yes = random() % whole.questions;
    const Seen stopped = run(drawn, yes);
    EXPECT_EQ(stopped.questions, yes + 1) << "one no is enough";
    EXPECT_LE(stopped.longest, engine::EventQueue::most_between_questions);
    if (stopped.results.partial) {
        EXPECT_LE(stopped.results.partial->at, whole.results.finish);
    } else {
        // Only acknowledgements were in flight.
        EXPECT_EQ(stopped.results.finish, whole.results.finish);
    }
    EXPECT_LE(stopped.results.events, whole.results.events);
}

constexpr const char* ring = "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n";

// The all-reduce of 8 GB sends messages of a quarter of a million packets without any other event:
// a whole step is the work of one event.
TEST(StopQuestion, IsAskedInTheMiddleOfHugeMessages) {
    for (const bool trains : {false, true}) {
        Case drawn{ring, "", Fidelity::Packet, trains, 1, CollectiveType::AllReduce, 8'000'000'000};
        SCOPED_TRACE(drawn.text());
        const Seen seen = run(drawn, 3);
        ASSERT_TRUE(seen.results.partial || trains);
        EXPECT_LE(seen.longest, engine::EventQueue::most_between_questions);
        EXPECT_LE(seen.questions, 4U);
        if (seen.results.partial) {
            EXPECT_GT(seen.results.partial->at, Time()) << "when the packets were moved";
        }
    }
}

// With a latency of 10 ms all packets of a message are in one lookahead window.
TEST(StopQuestion, IsAskedInTheMiddleOfLongWindows) {
    std::mt19937_64 random(4);
    for (const std::size_t threads : {1, 3}) {
        check({"topology: [Ring]\nnpus_count: [32]\nbandwidth: [50]\nlatency: [10000000]\n", "",
               Fidelity::Packet, false, threads, CollectiveType::AllToAll, 400'000'000},
              random);
    }
}

// All starts of 512 NPUs happen in one instant: 261,632 messages.
TEST(StopQuestion, IsAskedInTheMiddleOfAnInstant) {
    std::mt19937_64 random(5);
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        check({"topology: [Switch]\nnpus_count: [512]\nbandwidth: [50]\nlatency: [0]\n", "",
               fidelity, true, 1, CollectiveType::AllToAll, 512 * 64},
              random);
    }
}

/// Variants of the section packet for a network of switches.
constexpr const char* packets[] = {
    "",
    "switching: cut-through",
    "arbitration: oldest",
    "routing: adaptive",
    "routing: ecmp",
    "error_rate: 0.001",
    "speedup: 1",
    "flow_control: pfc",
    "flow_control: pfc, routing: adaptive",
    "flow_control: pfc, transport: go-back-n",
    "flow_control: pfc, transport: selective-repeat, congestion_control: dcqcn",
    "flow_control: none, transport: go-back-n",
    "flow_control: none, transport: selective-repeat, error_rate: 0.001",
    "flow_control: none, transport: selective-repeat, congestion_control: dcqcn",
    "flow_control: pfc, transport: selective-repeat, congestion_control: hpcc",
    "flow_control: pfc, transport: selective-repeat, congestion_control: timely",
    "flow_control: pfc, transport: selective-repeat, congestion_control: swift",
    "flow_control: pfc, transport: selective-repeat, congestion_control: dctcp",
    "flow_control: none, transport: selective-repeat, congestion_control: receiver-credit",
};

constexpr const char* networks[] = {
    ring,
    "topology: [Ring]\nnpus_count: [6]\nbandwidth: [400]\nlatency: [0]\n",
    "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [1000000]\n",
    "topology: [Torus2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n",
    "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 300}\n",
    "Dragonfly: {a: 4, p: 2, h: 1, groups: 4, bandwidth: 50, latency: 500}\n",
};

TEST(StopQuestion, IsAskedAndHeardOnEveryNetwork) {
    std::mt19937_64 random(15);
    std::size_t cases = 0;
    for (const char* const packet : packets) {
        for (const bool trains : {false, true}) {
            Case drawn;
            drawn.packet = packet;
            // Adaptive routes exist on switches only.
            const bool switches = drawn.packet.find("routing") != std::string::npos;
            drawn.network = networks[switches ? 4 : random() % std::size(networks)];
            drawn.trains = trains;
            drawn.threads = random() % 3 == 0 ? 2 : 1;
            drawn.collective =
                random() % 2 == 0 ? CollectiveType::AllReduce : CollectiveType::AllToAll;
            drawn.bytes = static_cast<std::int64_t>(5'000'000 + random() % 15'000'000);
            check(drawn, random);
            ++cases;
        }
    }
    for (const char* const network : networks) {
        for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
            Case drawn{network, "", fidelity, true, 1, CollectiveType::AllToAll, 1'000'000};
            check(drawn, random);
            ++cases;
        }
    }
    test::count_cases(cases);
}

}  // namespace
}  // namespace npunet::study::stop_question_test
