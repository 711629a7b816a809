// Several jobs at random on one network: neither the order in which simultaneous events were
// scheduled, nor that in which the jobs were added, nor splitting the network changes anything.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/network/shared_network.h"
#include "engine/simulation/simulation.h"
#include "network_run.h"
#include "packet/make_packet_network.h"
#include "random_parameters.h"
#include "random_training.h"
#include "split_network.h"
#include "tests/support/machines.h"
#include "tests/support/random_faults.h"

namespace npunet::packet_test {
namespace {

/// A job without a network.
struct RandomJob {
    engine::Workload workload;
    topology::NetworkDescription network;  ///< with its NPUs
    engine::SystemConfig system;
    Time start;
};

/// Two or three jobs on NPUs drawn at random, of which some may be left over. `rooted`: of
/// collectives with a root in chunks.
std::vector<RandomJob> random_jobs(const topology::NetworkDescription& network,
                                   std::mt19937_64& random, bool rooted = false) {
    std::vector<NodeId> npus(network.graph.npus());
    for (std::size_t i = 0; i < npus.size(); ++i) {
        npus[i] = NodeId(i);
    }
    std::shuffle(npus.begin(), npus.end(), random);
    std::vector<RandomJob> jobs;
    auto next = npus.begin();
    while (jobs.size() < 3 && npus.end() - next >= 2) {
        const auto most = static_cast<std::size_t>(std::min<std::ptrdiff_t>(npus.end() - next, 8));
        const auto size = static_cast<std::ptrdiff_t>(2 + random() % (most - 1));
        jobs.push_back({rooted ? random_rooted_workload(static_cast<int>(size), random)
                               : random_workload(static_cast<int>(size), random),
                        network.with_placement({next, next + size}),
                        rooted ? random_system_of_chunks(random) : random_system(random),
                        Time::ns(static_cast<std::int64_t>(random() % 3) * 1000)});
        next += size;
    }
    return jobs;
}

/// A job on its share; starts when its time has come.
class RunningJob final : private engine::EventHandler {
public:
    RunningJob(const RandomJob& job, engine::EventQueue& queue, engine::SharedNetwork& network,
               engine::RankShare share = engine::RankShare())
        : simulation_(job.workload, job.network, job.system, dialect(), queue, network.add(),
                      engine::Fold::everyone_for_itself(), std::move(share)) {
        const auto npu = static_cast<std::uint64_t>(job.network.npu_of_rank.front().value());
        queue.schedule(job.start,
                       engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::begin, npu),
                       *this);
    }
    [[nodiscard]] engine::Simulation& simulation() { return simulation_; }

private:
    static const engine::Dialect& dialect() {
        static const engine::Dialect npunet = engine::Dialect::named("npunet");
        return npunet;
    }
    void handle(std::uint64_t) override { simulation_.start(); }

    engine::Simulation simulation_;
};

struct Outcomes {
    std::vector<std::string> jobs;
    std::string links;
};

/// All jobs on one network, added in this order; seed 0: events in the order of insertion.
/// `in_turn`: adds up how many lines of messages in turn there are after each instant.
Outcomes run_whole(const std::vector<RandomJob>& jobs, const topology::NetworkDescription& network,
                   const std::vector<std::size_t>& order, std::uint64_t seed,
                   std::size_t* in_turn = nullptr) {
    engine::EventQueue queue;
    const std::unique_ptr<packet::PacketNetwork> level =
        packet::make_network(network, shuffled(queue, seed));
    engine::SharedNetwork shared(*level);
    std::vector<std::unique_ptr<RunningJob>> runs(jobs.size());
    for (const std::size_t place : order) {
        runs[place] = std::make_unique<RunningJob>(jobs[place], queue, shared);
    }
    while (in_turn != nullptr && !queue.empty()) {
        queue.run_instant();
        for (const std::unique_ptr<RunningJob>& run : runs) {
            *in_turn += run->simulation().transport().lines();
        }
    }
    queue.run();
    Outcomes outcomes;
    for (const std::unique_ptr<RunningJob>& run : runs) {
        outcomes.jobs.push_back(described(run->simulation().finish()));
    }
    outcomes.links = transcript({}, level->link_use(), 0);
    return outcomes;
}

std::vector<std::size_t> as_listed(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

topology::NetworkDescription draw_network(std::mt19937_64& random) {
    topology::NetworkDescription network = test::random_network(
        test::offered_routings[random() % std::size(test::offered_routings)], random);
    network.packet.switching =
        random() % 2 == 0 ? topology::Switching::CutThrough : topology::Switching::StoreAndForward;
    return network;
}

class JobsOnBothNetworks : public testing::TestWithParam<bool> {};

// Jobs have NPUs of their own, so events of several jobs with equal keys (timers and turns of equal
// ranks, delays) commute: shuffled insertions and any order of the jobs give equal results, with
// credits and with Ethernet-like switches.
TEST_P(JobsOnBothNetworks, OrderDoesNotMatter) {
    const bool ethernet = GetParam();
    constexpr unsigned count = 60;
    std::size_t several = 0;
    for (unsigned seed = 1; seed <= count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        topology::NetworkDescription network = draw_network(random);
        if (ethernet) {
            draw_ethernet(network, seed % 2 == 0, random);
        }
        const std::vector<RandomJob> jobs = random_jobs(network, random);
        several += jobs.size() > 1 ? 1 : 0;
        std::vector<std::size_t> order = as_listed(jobs.size());
        const Outcomes expected = run_whole(jobs, network, order, 0);
        for (int again = 0; again < 3; ++again) {
            std::shuffle(order.begin(), order.end(), random);
            const Outcomes shuffled = run_whole(jobs, network, order, random() | 1);
            ASSERT_EQ(shuffled.jobs, expected.jobs);
            ASSERT_EQ(shuffled.links, expected.links);
        }
    }
    EXPECT_GT(several, count / 2);
}

INSTANTIATE_TEST_SUITE_P(, JobsOnBothNetworks, testing::Bool(), [](const auto& ethernet) {
    return std::string(ethernet.param ? "Ethernet" : "Credits");
});

// Chunks that only leave a member go one after the other, each job's for itself: neither the order
// of simultaneous events nor that of the jobs changes anything.
TEST(Jobs, MessagesInTurnDoNotDependOnOrder) {
    std::size_t in_turn = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const topology::NetworkDescription network = draw_network(random);
        const std::vector<RandomJob> jobs = random_jobs(network, random, true);
        std::vector<std::size_t> order = as_listed(jobs.size());
        const Outcomes expected = run_whole(jobs, network, order, 0, &in_turn);
        for (int again = 0; again < 3; ++again) {
            std::shuffle(order.begin(), order.end(), random);
            const Outcomes shuffled = run_whole(jobs, network, order, random() | 1);
            ASSERT_EQ(shuffled.jobs, expected.jobs);
            ASSERT_EQ(shuffled.links, expected.links);
        }
    }
    EXPECT_GT(in_turn, 10000U);
}

// At one switch, whose ports jobs do not share, a message in turn waits for its own job only: every
// job takes as long as alone. Both are broadcasts between the same ranks of their jobs.
TEST(Jobs, MessagesInTurnWaitForTheirOwnJobOnly) {
    const topology::NetworkDescription network =
        test::line_machine(topology::DimensionKind::Switch, 8, Rate(50'000'000'000), Time::ns(500))
            .network;
    std::mt19937_64 random(5);
    for (int again = 0; again < 10; ++again) {
        const engine::SystemConfig system = random_system_of_chunks(random);
        std::vector<RandomJob> jobs;
        for (const int first : {0, 4}) {
            std::vector<NodeId> npus;
            for (int npu = first; npu < first + 4; ++npu) {
                npus.emplace_back(npu);
            }
            jobs.push_back(
                {random_rooted_workload(4, random), network.with_placement(npus), system, Time()});
        }
        std::size_t in_turn = 0;
        const Outcomes together = run_whole(jobs, network, {0, 1}, 0, &in_turn);
        EXPECT_GT(in_turn, 0U);
        for (std::size_t job = 0; job < jobs.size(); ++job) {
            EXPECT_EQ(run_whole({jobs[job]}, network, {0}, 0).jobs.front(), together.jobs[job]);
        }
    }
}

/// Expects that the parts of a split network, each with its share of every job, find together what
/// one network finds that carries all of them. Returns what went from part to part.
std::uint64_t compare_split(const std::vector<RandomJob>& jobs,
                            const topology::NetworkDescription& network, std::mt19937_64& random) {
    const Outcomes expected = run_whole(jobs, network, as_listed(jobs.size()), 0);
    SplitNetwork split(network, random_parts(network.graph, 4, random), random());
    std::vector<std::unique_ptr<engine::SharedNetwork>> shared;
    std::vector<std::vector<std::unique_ptr<RunningJob>>> runs(jobs.size());
    for (std::uint32_t part = 0; part < split.parts(); ++part) {
        shared.push_back(std::make_unique<engine::SharedNetwork>(split.network(part)));
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            std::vector<bool> here;
            for (const NodeId npu : jobs[i].network.npu_of_rank) {
                here.push_back(split.owns(part, npu));
            }
            runs[i].push_back(std::make_unique<RunningJob>(
                jobs[i], split.queue(part), *shared.back(), engine::RankShare(here)));
        }
    }
    split.run();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        std::vector<engine::Simulation*> parts;
        for (const std::unique_ptr<RunningJob>& run : runs[i]) {
            parts.push_back(&run->simulation());
        }
        for (const std::string& text : finish_together(parts)) {
            EXPECT_EQ(text, expected.jobs[i]) << "job " << i;
        }
    }
    EXPECT_EQ(transcript({}, split.link_use(), 0), expected.links);
    return split.crossings();
}

/// The same for random jobs; `rooted`: collectives with a root.
void compare_split_jobs(bool rooted) {
    std::uint64_t crossings = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const topology::NetworkDescription network = draw_network(random);
        const std::vector<RandomJob> jobs = random_jobs(network, random, rooted);
        crossings += compare_split(jobs, network, random);
    }
    EXPECT_GT(crossings, 1000U);
}

TEST(Jobs, SplitNetworksEqualTheWhole) {
    compare_split_jobs(false);
}

// Chunks go one after the other to members of the same part and of others.
TEST(Jobs, MessagesInTurnEqualTheWholeWhereNetworksAreSplit) {
    compare_split_jobs(true);
}

}  // namespace
}  // namespace npunet::packet_test
