#include "base/flows/random_flows.h"

#include <fmt/format.h>

#include <numeric>

#include "base/draw.h"
#include "base/errors.h"

namespace npunet {

namespace {

/// Numbers from 0 to below 1, one after the other.
class Draws {
public:
    explicit Draws(std::initializer_list<std::uint64_t> key) : state_(draw(key)) {}

    double next() {
        // 53 bits are exact in a double.
        constexpr double unit = 1.0 / 9007199254740992.0;
        return static_cast<double>(splitmix64(state_ ^ count_++) >> 11U) * unit;
    }

    /// Exponentially distributed, of mean 1. By comparisons alone, as logarithms differ between
    /// libraries (J. von Neumann, "Various techniques used in connection with random digits",
    /// 1951).
    double exponential() {
        for (double whole = 0;; whole += 1) {
            const double first = next();
            double last = first;
            bool odd = true;  // numbers that descend from the first on, itself included
            for (double number = next(); number < last; number = next()) {
                last = number;
                odd = !odd;
            }
            if (odd) {
                return whole + first;
            }
        }
    }

private:
    std::uint64_t state_;
    std::uint64_t count_ = 0;
};

/// A permutation of one cycle, so that none stays (S. Sattolo, 1986).
std::vector<std::int32_t> cycle_of(std::int32_t npus, std::uint64_t seed) {
    std::vector<std::int32_t> next(static_cast<std::size_t>(npus));
    std::iota(next.begin(), next.end(), 0);
    for (std::size_t i = next.size() - 1; i > 0; --i) {
        std::swap(next[i], next[draw_below(i, {seed, 1, i})]);
    }
    return next;
}

/// Mean time between two beginnings at an NPU, in ns.
double mean_gap(const FlowTraffic& traffic) {
    const auto rate = static_cast<double>(traffic.rate.bytes_per_second());
    return traffic.sizes.mean() / (traffic.load * rate) * 1e9;
}

void check(const FlowTraffic& traffic, const std::string& prefix) {
    if (traffic.npus < 2 || traffic.npus > FlowTraffic::most_npus) {
        throw InputError({prefix + "npus", "", fmt::format("{}", traffic.npus),
                          fmt::format("a whole number from 2 to {}", FlowTraffic::most_npus), ""});
    }
    if (!(traffic.load > 0 && traffic.load <= 10)) {
        throw InputError({prefix + "load", "", fmt::format("{}", traffic.load),
                          "a number above 0, up to 10; 1 is all that the links carry", ""});
    }
    if (!(Rate() < traffic.rate)) {
        throw InputError(
            {prefix + "rate", "", "0", "a rate above 0: that of the links of an NPU", ""});
    }
    if (traffic.duration <= Time()) {
        throw InputError({prefix + "duration", "", fmt::format("{} ps", traffic.duration.ps()),
                          "a time above 0", ""});
    }
    const double expected =
        static_cast<double>(traffic.duration.ps()) / 1000 / mean_gap(traffic) * traffic.npus;
    if (expected > static_cast<double>(FlowTraffic::most_flows)) {
        throw InputError({prefix + "duration", "", fmt::format("about {:.3g} flows", expected),
                          fmt::format("at most {}", FlowTraffic::most_flows),
                          fmt::format("Shorten {0}duration, or lower {0}load or {0}npus", prefix)});
    }
}

}  // namespace

const std::vector<std::pair<std::string, FlowPattern>>& flow_patterns() {
    static const std::vector<std::pair<std::string, FlowPattern>> list{
        {"uniform", FlowPattern::Uniform}, {"permutation", FlowPattern::Permutation}};
    return list;
}

std::vector<RandomFlow> flows_of(const FlowTraffic& traffic, const std::string& prefix) {
    check(traffic, prefix);
    const double gap = mean_gap(traffic);
    const double end = static_cast<double>(traffic.duration.ps()) / 1000;
    const std::vector<std::int32_t> cycle = cycle_of(traffic.npus, traffic.seed);
    std::vector<RandomFlow> flows;
    for (std::int32_t source = 0; source < traffic.npus; ++source) {
        const auto key = static_cast<std::uint64_t>(source);
        Draws draws({traffic.seed, 2, key});
        std::uint64_t count = 0;
        for (double now = gap * draws.exponential(); now < end; now += gap * draws.exponential()) {
            std::int32_t destination = cycle[static_cast<std::size_t>(source)];
            if (traffic.pattern == FlowPattern::Uniform) {
                const auto others = static_cast<std::uint64_t>(traffic.npus - 1);
                const auto other =
                    static_cast<std::int32_t>(draw_below(others, {traffic.seed, 3, key, count}));
                destination = other < source ? other : other + 1;
            }
            flows.push_back({static_cast<std::int64_t>(now), Rank(source), Rank(destination),
                             traffic.sizes.at(draws.next())});
            ++count;
        }
    }
    if (flows.empty()) {
        throw InputError(
            {prefix + "duration", "", "a time in which no flow begins",
             fmt::format("more than the {:.3g} us that pass on average between two flows of an NPU",
                         gap / 1000),
             "Lengthen " + prefix + "duration"});
    }
    return flows;
}

}  // namespace npunet
