#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/flows/random_flows.h"
#include "base/flows/size_distribution.h"
#include "tests/support/refusals.h"

namespace npunet::random_flows_test {
namespace {

using ::testing::HasSubstr;

FlowTraffic traffic_of(std::int32_t npus, const std::string& sizes, double load, Time duration) {
    FlowTraffic traffic{npus, load_sizes(sizes, "--sizes")};
    traffic.load = load;
    traffic.rate = Rate(12'500'000'000);
    traffic.duration = duration;
    return traffic;
}

// Means of random numbers, with a fixed seed: within about three standard errors.
TEST(RandomFlows, BeginsByAPoissonProcessOfTheLoad) {
    const FlowTraffic traffic = traffic_of(32, "storage", 0.6, Time::ns(20'000'000));
    const std::vector<RandomFlow> flows = flows_of(traffic, "--");
    const double gap = traffic.sizes.mean() / (0.6 * 12.5);
    std::int64_t bytes = 0;
    double sum = 0;
    double squares = 0;
    std::map<std::int32_t, std::int64_t> latest;
    for (const RandomFlow& flow : flows) {
        bytes += flow.bytes;
        const auto passed = static_cast<double>(flow.start_ns - latest[flow.source.value()]);
        EXPECT_GE(passed, 0);
        latest[flow.source.value()] = flow.start_ns;
        sum += passed;
        squares += passed * passed;
    }
    const auto count = static_cast<double>(flows.size());
    const double tolerance = 3 / std::sqrt(count);
    EXPECT_NEAR(count, 32 * 20e6 / gap, tolerance * count);
    EXPECT_NEAR(sum / count, gap, tolerance * gap);
    // The square of an exponential time has the mean 2, and a standard deviation of sqrt(20).
    EXPECT_NEAR(squares / count / (gap * gap), 2, 3 * std::sqrt(20 / count));
    EXPECT_NEAR(static_cast<double>(bytes) / 32 / 20e6 / 12.5, 0.6, 0.05 * 0.6);
}

TEST(RandomFlows, GoesToOthersOrToOne) {
    FlowTraffic traffic = traffic_of(5, "hadoop", 0.5, Time::ns(10'000'000));
    std::map<std::pair<std::int32_t, std::int32_t>, double> pairs;
    const std::vector<RandomFlow> uniform = flows_of(traffic, "--");
    for (const RandomFlow& flow : uniform) {
        pairs[{flow.source.value(), flow.destination.value()}] += 1;
    }
    ASSERT_EQ(pairs.size(), 20U);
    for (const auto& [pair, count] : pairs) {
        EXPECT_NE(pair.first, pair.second);
        const double mean = static_cast<double>(uniform.size()) / 20;
        EXPECT_NEAR(count, mean, 4 * std::sqrt(mean));
    }
    for (traffic.pattern = FlowPattern::Permutation; traffic.seed <= 20; ++traffic.seed) {
        std::map<std::int32_t, std::set<std::int32_t>> sources;
        for (const RandomFlow& flow : flows_of(traffic, "--")) {
            EXPECT_NE(flow.source, flow.destination);
            sources[flow.destination.value()].insert(flow.source.value());
        }
        ASSERT_EQ(sources.size(), 5U);
        for (const auto& [destination, from] : sources) {
            EXPECT_EQ(from.size(), 1U);
        }
    }
}

TEST(RandomFlows, RefusesWhatCannotBe) {
    const auto refusal = [](const FlowTraffic& traffic, const std::string& prefix) {
        return test::message_of<InputError>([&] { static_cast<void>(flows_of(traffic, prefix)); });
    };
    EXPECT_THAT(refusal(traffic_of(2, "web-search", 0.5, Time::ns(1)), "--"),
                HasSubstr("Lengthen --duration"));
    EXPECT_THAT(refusal(traffic_of(1024, "hadoop", 10, Time::ns(1000'000'000)), "--"),
                HasSubstr("Shorten --duration"));
    EXPECT_THAT(refusal(traffic_of(2, "hadoop", 0, Time::ns(1'000'000)), "a script: "),
                HasSubstr("a script: load"));
    FlowTraffic still = traffic_of(2, "hadoop", 0.5, Time::ns(1'000'000));
    still.rate = Rate();
    EXPECT_THAT(refusal(still, "--"), HasSubstr("--rate: found 0; expected a rate above 0"));
}

}  // namespace
}  // namespace npunet::random_flows_test
