// The choice of algorithm and chunks by cost, against everything that system.json could name.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "base/units.h"
#include "study/collective_times.h"
#include "tests/packet/random_networks.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "tests/support/temporary_folder.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::collective_choice_test {
namespace {

using engine::CollectiveKind;
using report::CollectiveSeries;
using test::DrawFrom;

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce,     CollectiveKind::AllGather,
                                    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                    CollectiveKind::Broadcast,     CollectiveKind::Reduce,
                                    CollectiveKind::Gather,        CollectiveKind::Scatter};

/// Networks with more NPUs than the tests of single packets have.
std::string large_network(DrawFrom& draw) {
    const auto latency = draw.any_of<int>({100, 500, 2000});
    const auto slow = draw.any_of<int>({25, 50, 100, 400});
    const auto fast = draw.any_of<int>({100, 450, 900});
    const std::int64_t few = draw.from_to(2, 8);
    const std::int64_t more = draw.from_to(2, 9);
    switch (draw.from_to(0, 3)) {
        case 0: {
            const char* kind = draw.any_of({"switch", "fully-connected"});
            return fmt::format(
                "Rail: {{servers: {}, npus_per_server: {}, scale_up: {{kind: {}, bandwidth: {}, "
                "latency: {}}}, scale_out: {{levels: 2, radix: 32, bandwidth: {}, latency: "
                "{}}}}}\n",
                2 * few, few < 5 ? 8 : 4, kind, fast, latency, slow, 2 * latency);
        }
        case 1:
            return fmt::format(
                "FatTree: {{levels: {}, radix: 16, npus: {}, bandwidth: {}, latency: {}}}\n",
                few < 5 ? 2 : 3, 7 * more + 1, slow, latency);
        case 2: {
            const char* inner = draw.any_of({"Switch", "FullyConnected", "Ring"});
            const char* outer = draw.any_of({"Switch", "Ring", "Mesh1D"});
            return fmt::format(
                "topology: [{}, {}]\nnpus_count: [{}, {}]\nbandwidth: [{}, {}]\n"
                "latency: [{}, {}]\n",
                inner, outer, few, more, fast, slow, latency, 2 * latency);
        }
        default:
            return fmt::format(
                "Dragonfly: {{a: 4, p: 2, h: 2, groups: {}, bandwidth: {}, latency: {}}}\n", more,
                slow, latency);
    }
}

/// All, a block, every k-th, or any.
std::vector<Rank> random_group(DrawFrom& draw, std::int64_t ranks) {
    std::vector<Rank> group;
    const std::int64_t form = draw.from_to(0, 4);
    if (form < 2 || ranks < 4) {
        return group;
    }
    const std::int64_t size = draw.from_to(2, ranks / 2);
    const std::int64_t stride = form == 2 ? 1 : ranks / size;
    for (std::int64_t i = 0; i < size; ++i) {
        group.push_back(Rank(static_cast<std::int32_t>(i * stride)));
    }
    if (form == 4) {
        std::vector<Rank> all;
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            all.push_back(Rank(rank));
        }
        draw.shuffle(all);
        group.assign(all.begin(), all.begin() + size);
    }
    return group;
}

struct Outcome {
    double ratio = 0;  ///< auto over the best
    std::string text;
};

Outcome compare(DrawFrom& draw, const std::string& network, Fidelity fidelity) {
    const test::TemporaryFolder folder;
    const Machine machine =
        load_machine(folder.write("network.yml", network).string(), "", "npunet", "");
    CollectiveTimesRequest request;
    request.kind = kinds[draw.from_to(0, 7)];
    const auto ranks = static_cast<std::int64_t>(machine.network.npu_of_rank.size());
    request.group = random_group(draw, ranks);
    request.sizes = {Bytes(std::int64_t{1} << draw.from_to(10, 28))};
    const report::CollectiveTimes times = collective_times(machine, request, fidelity, {});
    Outcome outcome;
    if (times.series.front().times.empty()) {
        ADD_FAILURE() << network << times.series.front().refusal;
        return outcome;
    }
    const report::CollectiveTime& automatic = times.series.front().times.front();
    Time least = Time::max();
    std::string best;
    for (const CollectiveSeries& series : times.series) {
        if (series.refusal.empty() && series.times.front().time < least) {
            least = series.times.front().time;
            best = series.algorithm + " (" + series.times.front().algorithm + ")";
        }
    }
    outcome.ratio = static_cast<double>(automatic.time.ps()) / static_cast<double>(least.ps());
    outcome.text = fmt::format(
        "{:.3f}: {} of {} among {} on {}: {} {} ns, best {} {} ns", outcome.ratio,
        engine::name_of(request.kind), format_bytes(request.sizes.front()), times.members, network,
        automatic.algorithm, automatic.time.ps() / 1000, best, least.ps() / 1000);
    return outcome;
}

std::vector<Outcome> outcomes(std::uint64_t seed, std::uint64_t cases, Fidelity fidelity) {
    std::mt19937_64 random(seed);
    std::vector<Outcome> result;
    for (std::uint64_t i = 0; i < cases; ++i) {
        DrawFrom draw(random);
        const std::string network = i % 2 == 0 && fidelity != Fidelity::Packet
                                        ? large_network(draw)
                                        : packet_test::random_network_text(
                                              static_cast<unsigned>(draw.from_to(0, 4)), random);
        result.push_back(compare(draw, network, fidelity));
    }
    std::sort(result.begin(), result.end(),
              [](const Outcome& a, const Outcome& b) { return a.ratio > b.ratio; });
    return result;
}

void print_worst(const std::vector<Outcome>& sorted) {
    for (std::size_t i = 0; i < std::min<std::size_t>(10, sorted.size()); ++i) {
        std::cout << sorted[i].text << '\n';
    }
}

TEST(CollectiveChoice, IsNotWorseThanAnythingOfferedAtTheEstimate) {
    const std::uint64_t cases = test::random_cases(60, 300);
    test::count_cases(cases);
    const std::vector<Outcome> sorted = outcomes(33, cases, Fidelity::Analytical);
    print_worst(sorted);
    EXPECT_LE(sorted.front().ratio, 1.03) << sorted.front().text;
}

TEST(CollectiveChoice, IsMostlyTheBestAtPacketLevel) {
    const std::uint64_t cases = test::random_cases(20, 300);
    test::count_cases(cases);
    const std::vector<Outcome> sorted = outcomes(34, cases, Fidelity::Packet);
    print_worst(sorted);
    EXPECT_LE(sorted[sorted.size() / 2].ratio, 1.05);
}

}  // namespace
}  // namespace npunet::study::collective_choice_test
