// Several jobs on one machine: what they share, what they do not, and what their times mean.

#include "study/jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "packet/make_packet_network.h"
#include "tests/study/jobs_cases.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::jobs_test {
namespace {

using test::compute_node;
using test::receive_node;
using test::send_node;

std::vector<Fidelity> fidelities() {
    std::vector<Fidelity> list{Fidelity::Analytical, Fidelity::CongestionAware};
    list.push_back(Fidelity::Packet);
    return list;
}

void append(std::string& text, const std::string& name, std::initializer_list<Time> times) {
    text += '\n' + name;
    for (const Time time : times) {
        text += ' ' + std::to_string(time.ps());
    }
}

/// Everything that results say of a job, with `shift` taken off what is a point in time, and off
/// the idle times.
std::string described(const engine::Results& results, Time shift = Time()) {
    std::string text;
    append(text, "finish", {results.finish - shift});
    for (const engine::NpuResult& npu : results.npus) {
        append(text, "npu",
               {npu.finish - shift, npu.compute, npu.communication, npu.exposed_communication,
                npu.exposed_memory, npu.idle - shift});
        EXPECT_EQ(npu.finish,
                  npu.compute + npu.exposed_communication + npu.exposed_memory + npu.idle);
    }
    for (const engine::CollectiveResult& collective : results.collectives) {
        append(text, collective.name + ' ' + collective.algorithm,
               {collective.first_start - shift, collective.last_start - shift,
                collective.end - shift, collective.least});
    }
    for (const engine::Operation& operation : results.operations) {
        append(text, operation.name + ' ' + std::to_string(operation.rank.value()),
               {operation.start - shift, operation.end - shift});
    }
    return text;
}

/// By name.
std::string described(const engine::JobsResults& results, const std::string& name) {
    for (const engine::JobResult& job : results.jobs) {
        if (job.name == name) {
            return described(job.results);
        }
    }
    return "no job " + name;
}

// Two jobs on two rows of a torus: dimension-ordered routes within a row use links of the row
// only, so both are as alone, bit for bit, whatever the fidelity.
TEST(Jobs, OnDisjointLinksAreAsAlone) {
    const Machine machine = torus();
    const std::vector<Job> jobs{{"a", training(4, 100'000), npus({0, 1, 2, 3}), Time()},
                                {"b", training(4, 300'000), npus({7, 6, 5, 4}), Time::ns(1234)}};
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::JobsResults both = simulate_jobs(jobs, machine, fidelity);
        for (const Job& job : jobs) {
            EXPECT_EQ(described(both, job.name),
                      described(simulate_jobs({job}, machine, fidelity), job.name));
        }
        EXPECT_EQ(both.all.finish, std::max(both.jobs[0].finish(), both.jobs[1].finish()));
        EXPECT_EQ(both.jobs[1].duration(), both.jobs[1].results.finish - Time::ns(1234));
    }
}

// Jobs all over a torus share its links; the quick estimate knows of no shared links but the ports
// of NPUs, which belong to one job: there both are as alone. Elsewhere they take longer together.
TEST(Jobs, DisturbEachOtherWhereLinksQueue) {
    const Machine machine = torus();
    const std::vector<Job> jobs{{"a", training(4, 1'000'000), npus({0, 2, 8, 10}), Time()},
                                {"b", training(4, 1'000'000), npus({1, 3, 9, 11}), Time::ns(3000)}};
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::JobsResults both = simulate_jobs(jobs, machine, fidelity);
        Time together;
        Time apart;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const engine::JobsResults alone = simulate_jobs({jobs[i]}, machine, fidelity);
            together += both.jobs[i].duration();
            apart += alone.jobs[0].duration();
            if (fidelity == Fidelity::Analytical) {
                EXPECT_EQ(described(both, jobs[i].name), described(alone, jobs[i].name));
            }
        }
        if (fidelity != Fidelity::Analytical) {
            EXPECT_GT(together, apart);
        }
    }
}

// One job on all NPUs is a simulation without jobs; its links are those of the network.
TEST(Jobs, OneJobOnAllNpusIsTheWorkload) {
    Machine machine = torus();
    machine.system.preferred_dataset_splits = 3;
    std::vector<NodeId> all;
    for (std::size_t npu = 0; npu < 16; ++npu) {
        all.emplace_back(npu);
    }
    const engine::Workload workload = training(16, 1'000'000);
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        RunOptions options;
        options.fold = false;
        const engine::Results plain = simulate(workload, machine, fidelity, options);
        const engine::JobsResults job =
            simulate_jobs({{"one", workload, all, Time()}}, machine, fidelity);
        EXPECT_EQ(described(job.jobs[0].results), described(plain));
        ASSERT_EQ(job.all.links.size(), plain.links.size());
        for (std::size_t i = 0; i < plain.links.size(); ++i) {
            EXPECT_EQ(job.all.links[i].wire, plain.links[i].wire);
            EXPECT_EQ(job.all.links[i].busy, plain.links[i].busy);
            EXPECT_EQ(job.all.links[i].utilization_percent, plain.links[i].utilization_percent);
        }
        EXPECT_TRUE(job.jobs[0].results.links.empty()) << "links belong to no job";
    }
}

// A lone job that starts t later ends t later, and so does all that it does; its NPUs are idle for
// t longer.
TEST(Jobs, AStartTimeShiftsALoneJob) {
    const Machine machine = torus();
    const Time shift = Time::ps(7'654'321);
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const Job job{"a", training(4, 100'000), npus({0, 5, 10, 15}), Time()};
        Job later = job;
        later.start = shift;
        const engine::JobsResults first = simulate_jobs({job}, machine, fidelity);
        const engine::JobsResults second = simulate_jobs({later}, machine, fidelity);
        EXPECT_EQ(described(second.jobs[0].results, shift), described(first.jobs[0].results));
        EXPECT_EQ(second.jobs[0].duration(), first.jobs[0].duration());
        EXPECT_EQ(second.all.finish, first.all.finish + shift);
    }
}

// On the line 0 - 1 - 2 - 3 with links of T for the message and latency a, store and forward, the
// message from 0 to 2 would be on the link 1 -> 2 from T + a on. The message from 1 to 3 begins
// there at T + a - d, 0 < d < T, so that the other one waits until 2 T + a - d:
//     0 -> 2 ends at (2 T + a - d) + T + a, 1 -> 3 at (T + a - d) + 2 (T + a).
TEST(Jobs, MessagesQueueForASharedLink) {
    const Machine machine =
        as_machine(test::line_machine(topology::DimensionKind::Mesh1D, 4, rate, latency));
    const Time t = transfer_time(Bytes(1'000'000), rate);
    for (const Time d : {Time::ps(1), Time::ps(t.ps() / 2), t - Time::ps(1)}) {
        const engine::JobsResults results =
            simulate_jobs({{"a", message(1'000'000), npus({0, 2}), Time()},
                           {"b", message(1'000'000), npus({1, 3}), t + latency - d}},
                          machine, Fidelity::CongestionAware);
        EXPECT_EQ(results.jobs[0].finish(), 3 * t + 2 * latency - d);
        EXPECT_EQ(results.jobs[1].duration(), 2 * (t + latency));
    }
}

// The same line at packet level, n packets of s each way, a = k s, both from 0 on. The link 1 -> 2
// has the k + 1 first packets of 1 -> 3 before the first one of 0 -> 2 has come; from then on the
// two take turns, the newcomer first, until 1 -> 3 has sent its n - k - 1 others: with as many of
// the other one the link is busy until (k + 1) s + 2 (n - k - 1) s = (2 n - k - 1) s. Then it has
// the k + 1 packets that are left of 0 -> 2, until 2 n s.
//     0 -> 2 ends at 2 n s + a; 1 -> 3, one link further, at (2 n - k - 1) s + a + s + a.
TEST(Jobs, PacketsOfASharedLinkTakeTurns) {
    constexpr std::int64_t mtu = 936;
    const Time s = transfer_time(Bytes(1000), rate);
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{3}, std::int64_t{10}}) {
        Machine machine =
            as_machine(test::line_machine(topology::DimensionKind::Mesh1D, 4, rate, k * s));
        machine.network.packet.mtu = Bytes(mtu);
        machine.network.packet.header = Bytes(1000 - mtu);
        for (const std::int64_t n : {k + 2, 5 * k, std::int64_t{200}}) {
            SCOPED_TRACE(testing::Message() << n << " packets, latency of " << k);
            const Job a{"a", message(n * mtu), npus({0, 2}), Time()};
            const Job b{"b", message(n * mtu), npus({1, 3}), Time()};
            const engine::JobsResults results = simulate_jobs({a, b}, machine, Fidelity::Packet);
            EXPECT_EQ(results.jobs[0].finish(), (2 * n + k) * s);
            EXPECT_EQ(results.jobs[1].finish(), (2 * n + k) * s);
            for (const Job& alone : {a, b}) {
                EXPECT_EQ(simulate_jobs({alone}, machine, Fidelity::Packet).all.finish,
                          (n + 1 + 2 * k) * s);
            }
        }
    }
}

// The list may have any order: results of a job are found under its name. Also in the astra-sim
// dialect, where events that were scheduled first come first.
TEST(Jobs, OrderInTheListDoesNotMatter) {
    std::vector<Job> jobs{{"a", training(3, 100'000), npus({0, 4, 2}), Time()},
                          {"b", training(2, 300'000), npus({3, 1}), Time()},
                          {"c", training(3, 200'000), npus({7, 5, 6}), Time::ns(9000)}};
    for (const char* dialect : {"npunet", "astra-sim"}) {
        Machine machine = as_machine(test::ring_machine(8, rate, latency));
        machine.dialect = engine::Dialect::named(dialect);
        for (const Fidelity fidelity : fidelities()) {
            if (fidelity == Fidelity::Packet && machine.dialect.whole_nanoseconds) {
                continue;
            }
            SCOPED_TRACE(std::string(dialect) + ' ' + name_of(fidelity));
            std::sort(jobs.begin(), jobs.end(),
                      [](const Job& x, const Job& y) { return x.name < y.name; });
            const engine::JobsResults first = simulate_jobs(jobs, machine, fidelity);
            for (int turn = 0; turn < 5; ++turn) {
                std::next_permutation(jobs.begin(), jobs.end(),
                                      [](const Job& x, const Job& y) { return x.name < y.name; });
                const engine::JobsResults again = simulate_jobs(jobs, machine, fidelity);
                EXPECT_EQ(again.jobs[0].name, jobs[0].name);
                EXPECT_EQ(again.all.finish, first.all.finish);
                for (const Job& job : jobs) {
                    EXPECT_EQ(described(again, job.name), described(first, job.name));
                }
            }
        }
    }
}

// On a ring, the message of job a from 0 to 2 reaches the link 1 -> 2 at 1 us, at the same instant
// as the one that rank 0 of job b, on NPU 1, sends after computing for 1 us: 26 870 bytes take 500
// ns at 50 x 2^30 bytes per second, the latency is 500 ns. Where events are ordered by insertion,
// who began first is first; and that is not the list's business either.
TEST(Jobs, OrderInTheListDoesNotMatterForContention) {
    Machine machine = as_machine(test::ring_machine(8, rate, latency));
    machine.dialect = engine::Dialect::named("astra-sim");
    const engine::Workload late = test::workload_of(
        2,
        [](Rank rank) {
            return rank == Rank(0)
                       ? std::vector{compute_node(1, 1), send_node(2, 1, 26'870, 0, {1})}
                       : std::vector{receive_node(2, 0, 26'870)};
        },
        {}, test::options_of(machine.dialect));
    std::vector<Job> jobs{{"a", message(26'870), npus({0, 2}), Time()},
                          {"b", late, npus({1, 3}), Time()}};
    const engine::JobsResults first = simulate_jobs(jobs, machine, Fidelity::CongestionAware);
    std::swap(jobs[0], jobs[1]);
    const engine::JobsResults second = simulate_jobs(jobs, machine, Fidelity::CongestionAware);
    for (const char* name : {"a", "b"}) {
        EXPECT_EQ(described(first, name), described(second, name));
    }
    EXPECT_EQ(first.jobs[0].finish(), Time::ns(2000)) << "it does not wait";
    EXPECT_EQ(first.jobs[1].finish(), Time::ns(3500)) << "it waits for 500 ns";
}

// Ranks of different jobs have equal numbers, and so their events have equal keys: whichever comes
// first, results are equal.
TEST(Jobs, ShuffledInsertionsChangeNothing) {
    const Machine machine = torus();
    const std::vector<Job> jobs{{"a", training(6, 100'000), npus({0, 2, 8, 10, 5, 7}), Time()},
                                {"b", training(6, 100'000), npus({1, 3, 9, 11, 4, 6}), Time()}};
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::JobsResults expected = simulate_jobs(jobs, machine, fidelity);
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            RunOptions options;
            options.shuffle_seed = seed;
            const engine::JobsResults shuffled = simulate_jobs(jobs, machine, fidelity, options);
            for (const Job& job : jobs) {
                EXPECT_EQ(described(shuffled, job.name), described(expected, job.name));
            }
        }
    }
}

// Sum of the exposed times in ASTRA-sim's accounts: what is not compute is exposed communication,
// from the start of the job on.
TEST(Jobs, ReferenceAccountsBeginAtTheStart) {
    Machine machine = as_machine(test::ring_machine(8, rate, latency));
    machine.dialect = engine::Dialect::named("astra-sim");
    const Job job{"a", training(4, 100'000), npus({0, 1, 2, 3}), Time()};
    Job later = job;
    later.start = Time::ns(5000);
    const engine::JobsResults first = simulate_jobs({job}, machine, Fidelity::Analytical);
    const engine::JobsResults second = simulate_jobs({later}, machine, Fidelity::Analytical);
    EXPECT_EQ(second.jobs[0].results.npus[0].exposed_communication,
              first.jobs[0].results.npus[0].exposed_communication);
    EXPECT_EQ(second.jobs[0].finish(), first.jobs[0].finish() + Time::ns(5000));
}

}  // namespace
}  // namespace npunet::study::jobs_test
