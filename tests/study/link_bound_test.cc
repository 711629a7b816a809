// A run's link bound is what its busiest link needs for its bytes, against an integral of the rates
// written in a plainer way; no run in which messages share links beats it, and an estimate that
// does says so.

#include "study/run_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "packet/make_packet_network.h"
#include "report/results/csv.h"
#include "report/results/results_json.h"
#include "report/tables.h"
#include "study/fidelity_notes.h"
#include "study/jobs.h"
#include "study/simulation_run.h"
#include "tests/study/jobs_cases.h"
#include "tests/study/two_switches.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"

namespace npunet::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using topology::DimensionKind;

constexpr std::int64_t megabyte = 1'000'000;

nlohmann::json json_of(const engine::Results& results) {
    return nlohmann::json::parse(report::results_json(results));
}

// Each message takes 3 latencies and 20 us at 50 GB/s: 21.5 us. The link between the switches
// carries both and needs 40 us.
TEST(LinkBound, AnEstimateThatBeatsItSaysSo) {
    const Machine machine = two_switches();
    const engine::Workload workload = messages_across(megabyte);
    const engine::Results estimate = simulate(workload, machine, Fidelity::Analytical);
    EXPECT_EQ(estimate.finish, Time::ns(21'500));
    EXPECT_EQ(estimate.link_bound.time, Time::ns(40'000));
    EXPECT_TRUE(beats_link_bound(estimate));
    const std::string table = report::summary_table(estimate);
    EXPECT_THAT(table, AllOf(HasSubstr("note: the estimate finishes after 21.50 us"),
                             HasSubstr("its busiest link a -> b"), HasSubstr("40.00 us"),
                             HasSubstr("use fluid or packet")));
    const nlohmann::json json = json_of(estimate);
    EXPECT_EQ(json["link_bound_ns"], 40'000);
    EXPECT_THAT(json["notes"][0].get<std::string>(), HasSubstr("a -> b"));
    EXPECT_THAT(report::links_csv(estimate),
                AllOf(HasSubstr(",link_bound_ns,"), HasSubstr("\na,b,2000000,2000000,40000,"),
                      HasSubstr(",0,40000,a-b,")));

    const engine::Results shared = simulate(workload, machine, Fidelity::CongestionAware);
    EXPECT_EQ(shared.link_bound.time, Time::ns(40'000));
    EXPECT_GE(shared.finish, shared.link_bound.time);
    EXPECT_THAT(shared.notes,
                testing::ElementsAre(fidelity_note(machine, Fidelity::CongestionAware)));
}

// Half the rate for 20 us carries 0.5 MB, the other 1.5 MB take 30 us: 50 us.
TEST(LinkBound, KnowsSlowLinks) {
    const Machine machine =
        two_switches("faults: [{link: [a, b], bandwidth_factor: 0.5, until: 20us}]\n");
    const engine::Results results =
        simulate(messages_across(megabyte), machine, Fidelity::Analytical);
    EXPECT_EQ(results.link_bound.time, Time::ns(50'000));
    EXPECT_TRUE(beats_link_bound(results));
}

// A link that goes down for good after 30 us can never carry what takes 40.
TEST(LinkBound, IsNeverReachedWhereALinkGoesDown) {
    const Machine machine =
        two_switches("faults: [{link: [a, b], bandwidth_factor: 0, at: 30us}]\n");
    const engine::Results results =
        simulate(messages_across(megabyte), machine, Fidelity::Analytical);
    EXPECT_EQ(results.link_bound.time, Time::max());
    EXPECT_THAT(results.notes, testing::Contains(HasSubstr("a -> b could carry its bytes, which it "
                                                           "never could")));
    EXPECT_TRUE(json_of(results)["link_bound_ns"].is_null());
    EXPECT_THAT(report::links_csv(results), HasSubstr(",0,inf,a-b,"));
}

// Two jobs that do not know of each other; the link between the switches carries what both send.
TEST(LinkBound, OfSeveralJobs) {
    const Machine machine = two_switches();
    const std::vector<Job> jobs{{"first", message(megabyte), npus({0, 2}), Time()},
                                {"second", message(megabyte), npus({1, 3}), Time::ns(1'000)}};
    const engine::JobsResults results = simulate_jobs(jobs, machine, Fidelity::Analytical);
    EXPECT_EQ(results.all.finish, Time::ns(22'500));
    EXPECT_EQ(results.all.link_bound.time, Time::ns(40'000));
    EXPECT_THAT(report::jobs_table(results),
                HasSubstr("note: the estimate finishes after 22.50 us"));
    EXPECT_THAT(simulate_jobs(jobs, machine, Fidelity::CongestionAware).all.notes,
                testing::ElementsAre(fidelity_note(machine, Fidelity::CongestionAware)));
}

// In the astra-sim dialects times are whole nanoseconds, and so is the bound.
TEST(LinkBound, IsWholeWhereTimesAre) {
    Machine machine;
    machine.dialect = engine::Dialect::named("astra-sim");
    machine.network = topology::make_network(
        {topology::make_dimension(DimensionKind::Mesh1D, 4, Rate(53'687'091'200), Time::ns(500))});
    machine.network.dimensions[0].bandwidth_gbps = 50;
    machine.network.dimensions[0].latency_ns = 500;
    const engine::Results results =
        simulate(messages_across(megabyte), machine, Fidelity::Analytical);
    // 2 MB / 53.6870912 GB/s = 37252.9 ns, where each message takes 1000 + 18626 ns.
    EXPECT_EQ(results.link_bound.time, Time::ns(37'252));
    EXPECT_EQ(results.finish, Time::ns(19'626));
    EXPECT_THAT(results.notes, testing::Contains(HasSubstr("--dialect npunet")));
}

/// When a link that sends without a pause from 0 on has sent so much, picosecond sums in floating
/// point: right to a few parts in 10^15, Time::max() for never.
double plain_bound_ps(const topology::NetworkDescription& network, LinkId link, Bytes bytes) {
    std::vector<Time> changes{Time()};
    for (const topology::LinkFault& fault : network.faults.links) {
        if (fault.link == link) {
            changes.push_back(fault.at);
            changes.push_back(fault.until);
        }
    }
    std::sort(changes.begin(), changes.end());
    long double left = static_cast<long double>(bytes.value());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        long double rate =
            static_cast<long double>(network.graph.link(link).rate.bytes_per_second());
        for (const topology::LinkFault& fault : network.faults.links) {
            if (fault.link == link && fault.at <= changes[i] && changes[i] < fault.until) {
                rate *= static_cast<long double>(fault.bandwidth.billionths) / 1e9L;
            }
        }
        const long double begin = static_cast<long double>(changes[i].ps());
        const bool last = i + 1 == changes.size();
        const long double span = last ? 0 : static_cast<long double>(changes[i + 1].ps()) - begin;
        const long double sent = rate * span / 1e12L;
        if (rate > 0 && (last || sent >= left)) {
            return static_cast<double>(begin + left / rate * 1e12L);
        }
        left -= sent;
    }
    return static_cast<double>(Time::max().ps());
}

topology::Dimension any_dimension(test::Draw& draw) {
    const Time latency = draw.from_to(0, 2) * Time::ns(250);
    const Rate rate(draw.any_of<std::int64_t>({1'000'000'000, 25'000'000'000, 50'000'000'000}));
    const auto npus = static_cast<std::int32_t>(draw.from_to(2, 5));
    const DimensionKind kind = draw.any_of({DimensionKind::Ring, DimensionKind::FullyConnected,
                                            DimensionKind::Switch, DimensionKind::Mesh1D});
    return topology::make_dimension(kind, npus, rate, latency);
}

Machine random_machine(test::Draw& draw) {
    Machine machine;
    machine.dialect = engine::Dialect::named("npunet");
    std::vector<topology::Dimension> dimensions{any_dimension(draw)};
    if (draw.one_in(2)) {
        dimensions.push_back(any_dimension(draw));
    }
    machine.network = topology::make_network(std::move(dimensions));
    return machine;
}

/// Slow, fast and dead for a while; no link is dead for good.
void add_faults(topology::NetworkDescription& network, test::Draw& draw) {
    const auto links = static_cast<std::int64_t>(network.graph.links());
    for (std::int64_t i = draw.from_to(1, 6); i > 0; --i) {
        topology::LinkFault fault;
        fault.link = LinkId(static_cast<std::size_t>(draw.from_to(0, links - 1)));
        fault.at = Time::ns(draw.from_to(0, 19'999));
        fault.until = fault.at + Time::ns(draw.from_to(1, 50'000));
        fault.bandwidth.billionths =
            draw.any_of<std::int64_t>({0, 100'000'000, 500'000'000, 2'000'000'000});
        if (fault.bandwidth.billionths > 0 && draw.one_in(4)) {
            fault.until = Time::max();
        }
        network.faults.links.push_back(fault);
    }
}

engine::Workload random_work(std::size_t ranks, test::Draw& draw) {
    using chakra::CollectiveType;
    std::vector<std::pair<CollectiveType, std::int64_t>> steps;
    for (std::int64_t i = draw.from_to(1, 3); i > 0; --i) {
        const std::int64_t bytes = draw.from_to(1, 400'000);
        const CollectiveType type =
            draw.any_of({CollectiveType::AllReduce, CollectiveType::AllGather,
                         CollectiveType::ReduceScatter, CollectiveType::AllToAll});
        steps.emplace_back(type, bytes);
    }
    const auto all = static_cast<std::int32_t>(ranks);
    const auto stride = static_cast<std::int32_t>(draw.from_to(1, all - 1));
    return test::workload_of(ranks, [&](Rank rank) {
        std::vector<chakra::Node> nodes{
            test::send_node(1, (rank.value() + stride) % all, 50'000),
            test::receive_node(2, (rank.value() + all - stride) % all, 50'000)};
        for (const auto& [type, bytes] : steps) {
            nodes.push_back(test::collective_node(nodes.back().id + 1, type, bytes));
        }
        return nodes;
    });
}

void expect_plain_bound(const engine::Results& results,
                        const topology::NetworkDescription& network) {
    double most = 0;
    for (std::size_t link = 0; link < results.links.size(); ++link) {
        const Bytes wire = results.links[link].wire;
        const double bound = wire > Bytes() ? plain_bound_ps(network, LinkId(link), wire) : 0;
        EXPECT_NEAR(static_cast<double>(results.links[link].bound.ps()), bound, 1 + bound * 1e-12);
        most = std::max(most, bound);
    }
    EXPECT_NEAR(static_cast<double>(results.link_bound.time.ps()), most, 1 + most * 1e-12);
    EXPECT_EQ(results.links[results.link_bound.link].bound, results.link_bound.time);
}

TEST(LinkBound, OfRandomRunsOnRandomNetworks) {
    const std::uint64_t cases = test::random_cases(300, 5000);
    std::uint64_t beaten = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        SCOPED_TRACE(seed);
        test::Draw draw(seed);
        Machine machine = random_machine(draw);
        const bool faulty = draw.one_in(2);
        if (faulty) {
            add_faults(machine.network, draw);
        }
        const engine::Workload workload = random_work(machine.network.graph.npus(), draw);
        const engine::Results estimate = simulate(workload, machine, Fidelity::Analytical);
        expect_plain_bound(estimate, machine.network);
        const bool beats = estimate.finish < estimate.link_bound.time;
        EXPECT_EQ(std::any_of(estimate.notes.begin(), estimate.notes.end(),
                              [](const std::string& note) {
                                  return note.find("busiest link") != std::string::npos;
                              }),
                  beats);
        beaten += beats ? 1 : 0;
        const engine::Results shared = simulate(workload, machine, Fidelity::CongestionAware);
        expect_plain_bound(shared, machine.network);
        EXPECT_GE(shared.finish, shared.link_bound.time);
        if (!faulty && seed % 8 == 0) {
            const engine::Results packets = simulate(workload, machine, Fidelity::Packet);
            expect_plain_bound(packets, machine.network);
            EXPECT_GE(packets.finish, packets.link_bound.time);
        }
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(beaten, cases / 50);
    test::count_cases(cases);
}

}  // namespace
}  // namespace npunet::study
