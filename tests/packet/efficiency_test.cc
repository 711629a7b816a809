// How much of what the links could carry the packet machine gets through them. Simulated time, not
// wall time: the results are exact. What is lost is named and recorded with every case.

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "channel_load.h"
#include "packet/credit/credit_network.h"
#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"
#include "traffic.h"

namespace npunet::packet_test::efficiency_test {
namespace {

using topology::NetworkDescription;

const Rate rate(50'000'000'000);
const Time latency = Time::ns(500);

/// Bound / finish of a run, and its account: busy, credit, before, starved and after sum to finish,
/// none of them negative.
double efficiency(const std::string& name, const NetworkDescription& description,
                  const Plan& plan) {
    const ChannelLoad load(description, plan);
    engine::EventQueue queue;
    packet::CreditNetwork machine(description, queue);
    LinkWatch watch(description, load.bottleneck(), queue);
    machine.set_observer(&watch);
    const Traffic traffic(plan, queue, machine);
    queue.run();
    EXPECT_TRUE(all_came_once(traffic.outcomes()));
    const Time finish = latest_delivery(traffic.outcomes());
    const std::vector<engine::LinkUse> uses = machine.link_use();
    for (std::size_t link = 0; link < uses.size(); ++link) {
        EXPECT_EQ(uses[link].wire, load.wire()[link]);
    }
    const engine::LinkUse& use = uses[load.bottleneck().index()];
    const Losses losses = watch.losses(finish, use);
    EXPECT_EQ(losses.busy, use.busy);
    EXPECT_EQ(losses.busy + losses.credit + losses.before + losses.between + losses.after, finish);
    EXPECT_GE(losses.before, Time());
    EXPECT_GE(losses.between, Time());
    EXPECT_GE(losses.after, Time());
    EXPECT_GE(finish, load.bound());
    const double result = static_cast<double>(load.bound().ps()) / static_cast<double>(finish.ps());
    const topology::Link& link = description.graph.link(load.bottleneck());
    std::cout << name << ": " << 100 * result << " % of the bound; "
              << description.graph.name(link.from) << " -> " << description.graph.name(link.to)
              << " with " << load.messages() << " messages: " << losses.text() << '\n';
    return result;
}

struct Tree {
    std::string name;
    topology::FatTreeShape shape;
};

std::vector<Tree> trees() {
    return {{"2 levels, 16", {2, 8, 16, {4, 0}, {4, 0}}},
            {"2 levels, 32", {2, 8, 32, {4, 0}, {4, 0}}},
            {"2 levels, 128", {2, 16, 128, {8, 0}, {8, 0}}},
            {"3 levels, 16", {3, 4, 16, {2, 2}, {2, 2}}},
            {"3 levels, 54", {3, 6, 54, {3, 3}, {3, 3}}},
            {"3 levels, 128", {3, 8, 128, {4, 4}, {4, 4}}}};
}

NetworkDescription tree_of(const Tree& tree, topology::UpLinks up_links, std::uint64_t seed) {
    const topology::LinkSpeed speed{rate, latency};
    NetworkDescription network = topology::make_fat_tree(
        tree.shape,
        std::vector<topology::LinkSpeed>(static_cast<std::size_t>(tree.shape.levels), speed));
    network.router = std::make_shared<topology::FatTreeRouter>(tree.shape, up_links, seed);
    return network;
}

Plan permutation(int npus, std::int64_t bytes, std::mt19937_64& random) {
    const std::vector<int> target = random_cycle(npus, random);
    Plan plan;
    for (int npu = 0; npu < npus; ++npu) {
        plan.push_back(message(npu, target[static_cast<std::size_t>(npu)], bytes));
    }
    return plan;
}

Plan shift(int npus, int by, std::int64_t bytes) {
    Plan plan;
    for (int npu = 0; npu < npus; ++npu) {
        plan.push_back(message(npu, (npu + by) % npus, bytes));
    }
    return plan;
}

/// All at once, each to the next in number first.
Plan all_to_all(int npus, std::int64_t bytes) {
    Plan plan;
    for (int npu = 0; npu < npus; ++npu) {
        for (int step = 1; step < npus; ++step) {
            plan.push_back(message(npu, (npu + step) % npus, bytes));
        }
    }
    return plan;
}

constexpr std::int64_t mebibyte = 1 << 20;

// Permutations on trees without oversubscription: oldest first at least 90 % of what the routes
// taken allow, every one; round robin 90 % on average over permutations. Where several messages
// share an up-link that is the bound, not the rate of an NPU. What single permutations lose is
// starvation of the bottleneck: a message that shares another link before it gets its fair share of
// that one only, so that it still goes on, alone, when the others of the bottleneck are done. With
// D-mod-k routes and two levels that cannot happen, as no flow shares more than one link: 99 %
// each. So it is for shifts, which share none.
TEST(Efficiency, PermutationsOnFatTrees) {
    std::mt19937_64 random(5);
    constexpr int rounds = 10;
    for (const Tree& tree : trees()) {
        const auto npus = static_cast<int>(tree.shape.npus);
        for (const auto up_links : {topology::UpLinks::ByDestination, topology::UpLinks::ByHash}) {
            const std::string name =
                tree.name + (up_links == topology::UpLinks::ByHash ? ", ecmp" : ", up-down");
            const bool by_destination = up_links == topology::UpLinks::ByDestination;
            const auto run = [&](const std::string& what, const Plan& plan) {
                NetworkDescription network = tree_of(tree, up_links, random());
                network.packet.arbitration = topology::Arbitration::Oldest;
                EXPECT_GE(efficiency(name + ", oldest, " + what, network, plan), 0.9);
                network.packet.arbitration = topology::Arbitration::RoundRobin;
                return efficiency(name + ", " + what, network, plan);
            };
            double sum = 0;
            for (int round = 0; round < rounds; ++round) {
                const double one = run("random", permutation(npus, mebibyte, random));
                sum += one;
                EXPECT_GE(one, by_destination && tree.shape.levels == 2 ? 0.99 : 0.75);
            }
            EXPECT_GE(sum / rounds, 0.9) << name;
            sum = 0;
            for (const int by : {1, npus / 2, npus - 3}) {
                const double one = run("shift by " + std::to_string(by), shift(npus, by, mebibyte));
                sum += one;
                EXPECT_GE(one, by_destination ? 0.99 : 0.75);
            }
            EXPECT_GE(sum / 3, 0.9) << name;
        }
    }
}

struct Torus {
    std::vector<int> sizes;
    std::int64_t bytes;  ///< of a message
    double oldest;       ///< what is reached at least, oldest first
    double round_robin;
};

// All-to-all on tori, every message sent at once, buffers of the automatic size, 256 KiB: oldest
// first at least 80 % of what the links must carry, 95 % where messages are long enough for the
// start and the end not to count.
//
// Round robin does as well only as long as the buffers hold most of what is on its way. Once they
// are full, links before the dateline of a ring wait for those behind it, and a merge gives what
// starts at the node as much as what has come a long way: the bottleneck waits for credit.
TEST(Efficiency, AllToAllOnTori) {
    const std::vector<Torus> tori{{{8}, 32'768, 0.8, 0.8},        {{4, 4}, 32'768, 0.8, 0.8},
                                  {{5, 3}, 32'768, 0.8, 0.8},     {{8, 8}, 16'384, 0.8, 0.8},
                                  {{4, 4, 4}, 16'384, 0.8, 0.8},  {{3, 4, 5}, 16'384, 0.8, 0.8},
                                  {{16, 4}, 4096, 0.8, 0.8},      {{5, 3}, 1'048'576, 0.95, 0.9},
                                  {{4, 4}, 1'048'576, 0.95, 0.5}, {{8, 8}, 131'072, 0.95, 0.3}};
    for (const Torus& torus : tori) {
        std::vector<topology::Dimension> dimensions;
        std::string name = "torus";
        for (const int size : torus.sizes) {
            dimensions.push_back(
                topology::make_dimension(topology::DimensionKind::Ring, size, rate, latency));
            name += ' ' + std::to_string(size);
        }
        name += ", " + std::to_string(torus.bytes) + " bytes";
        NetworkDescription network = topology::make_network(dimensions);
        const Plan plan = all_to_all(static_cast<int>(network.graph.npus()), torus.bytes);
        EXPECT_GE(efficiency(name + ", round robin", network, plan), torus.round_robin);
        network.packet.arbitration = topology::Arbitration::Oldest;
        EXPECT_GE(efficiency(name + ", oldest", network, plan), torus.oldest);
    }
}

}  // namespace
}  // namespace npunet::packet_test::efficiency_test
