#include "engine/results/flow_statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

/// Position of the p-th percentile among `count` values in ascending order; count > 0.
std::size_t percentile(std::size_t count, std::size_t p) {
    return (count * p + 99) / 100 - 1;
}

/// As one number; nodes are below 2^22.
std::uint64_t packed(const FlowKey& key) {
    return static_cast<std::uint64_t>(key.source.value()) << 30 |
           static_cast<std::uint64_t>(key.destination.value()) << 8 | key.traffic_class;
}

/// Of what takes no time on an idle network only that which takes none here has one.
double ratio(Time completion, Time idle) {
    if (idle == Time()) {
        return completion == Time() ? 1.0 : no_slowdown;
    }
    return static_cast<double>(completion.ps()) / static_cast<double>(idle.ps());
}

/// SizeResult::up_to of a message's bytes.
std::int64_t up_to(std::int64_t bytes) {
    std::int64_t most = 1024;
    while (most < bytes) {
        most *= 4;
    }
    return most;
}

/// Sums of times without bound.
class WideTime {
public:
    void add(std::int64_t ps) { sum_ += ps; }

    [[nodiscard]] Time clamped() const {
        return sum_ > static_cast<Wide>(Time::max().ps())
                   ? Time::max()
                   : Time::ps(static_cast<std::int64_t>(sum_));
    }
    [[nodiscard]] Time over(std::uint64_t count) const {
        const auto divisor = static_cast<Wide>(count);
        return Time::ps(static_cast<std::int64_t>((2 * sum_ + divisor) / (2 * divisor)));
    }

private:
    __extension__ using Wide = __int128;
    Wide sum_ = 0;
};

}  // namespace

std::uint32_t FlowStatistics::number_of(const FlowKey& key) {
    const auto [place, is_new] =
        numbers_.emplace(packed(key), static_cast<std::uint32_t>(flows_.size()));
    if (is_new) {
        flows_.emplace_back();
        flows_.back().result.flow = key;
    }
    return place->second;
}

std::uint32_t FlowStatistics::idle_time_of(std::uint32_t flow, Bytes bytes) {
    Flow& known = flows_[flow];
    if (known.any && known.latest_size == bytes) {
        return known.latest_idle;
    }
    const auto [place, is_new] = known_.emplace(std::pair(flow, bytes.value()),
                                                static_cast<std::uint32_t>(idle_times_.size()));
    if (is_new) {
        idle_times_.push_back(idle_(known.result.flow, bytes));
        sizes_.push_back(bytes.value());
        up_to_.push_back(up_to(bytes.value()));
    }
    known.latest_size = bytes;
    known.latest_idle = place->second;
    return place->second;
}

double FlowStatistics::slowdown_of(const Sample& sample) const {
    return ratio(Time::ps(sample.completion), idle_times_[sample.idle]);
}

double FlowStatistics::add(const CompletedMessage& message) {
    const std::uint32_t number = number_of(message.flow);
    const std::uint32_t idle = idle_ ? idle_time_of(number, message.bytes) : 0;
    Flow& flow = flows_[number];
    FlowResult& result = flow.result;
    result.first_start = flow.any ? std::min(result.first_start, message.start) : message.start;
    result.last_end = std::max(result.last_end, message.end);
    result.bytes += message.bytes;
    ++result.messages;
    flow.any = true;
    samples_.push_back({number, idle, message.completion().ps()});
    return idle_ ? slowdown_of(samples_.back()) : no_slowdown;
}

void FlowStatistics::summarize(Samples::iterator begin, Samples::iterator end,
                               FlowResult& result) const {
    const auto count = static_cast<std::size_t>(end - begin);
    const auto at = [&](std::size_t place) {
        return Time::ps(begin[static_cast<std::ptrdiff_t>(place)].completion);
    };
    WideTime sum;
    std::vector<double> slowdowns;
    for (auto sample = begin; sample != end; ++sample) {
        sum.add(sample->completion);
        const double slowdown = idle_ ? slowdown_of(*sample) : no_slowdown;
        if (!std::isnan(slowdown)) {
            slowdowns.push_back(slowdown);
        }
    }
    result.completion = {
        sum.clamped(), at(0), sum.over(count), at(percentile(count, 50)), at(percentile(count, 99)),
        at(count - 1)};
    if (slowdowns.empty()) {
        return;
    }
    std::sort(slowdowns.begin(), slowdowns.end());
    double total = 0;
    for (const double slowdown : slowdowns) {
        total += slowdown;
    }
    const std::size_t known = slowdowns.size();
    result.slowdown = {total / static_cast<double>(known), slowdowns[percentile(known, 50)],
                       slowdowns[percentile(known, 99)], slowdowns.back()};
}

void FlowStatistics::summarize_all(FlowResults& results) {
    FlowResult& all = results.all;
    all.messages = samples_.size();
    for (const FlowResult& flow : results.flows) {
        all.bytes += flow.bytes;
        all.first_start = &flow == &results.flows.front()
                              ? flow.first_start
                              : std::min(all.first_start, flow.first_start);
        all.last_end = std::max(all.last_end, flow.last_end);
        all.counts.add(flow.counts);
    }
    std::sort(samples_.begin(), samples_.end(),
              [](const Sample& a, const Sample& b) { return a.completion < b.completion; });
    if (!samples_.empty()) {
        summarize(samples_.begin(), samples_.end(), all);
    }
}

void FlowStatistics::summarize_sizes(FlowResults& results) {
    if (!idle_) {
        return;
    }
    std::sort(samples_.begin(), samples_.end(), [this](const Sample& a, const Sample& b) {
        return std::pair(up_to_of(a), a.completion) < std::pair(up_to_of(b), b.completion);
    });
    for (auto begin = samples_.begin(); begin != samples_.end();) {
        SizeResult size;
        size.up_to = Bytes(up_to_of(*begin));
        auto end = begin;
        for (; end != samples_.end() && up_to_of(*end) == size.up_to.value(); ++end) {
            ++size.result.messages;
            size.result.bytes += Bytes(sizes_[end->idle]);
        }
        summarize(begin, end, size.result);
        results.sizes.push_back(size);
        begin = end;
    }
}

FlowResults FlowStatistics::results(const std::vector<FlowUse>& use) {
    std::sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
        return std::tie(a.flow, a.completion) < std::tie(b.flow, b.completion);
    });
    FlowResults results;
    auto begin = samples_.begin();
    for (const Flow& flow : flows_) {
        results.flows.push_back(flow.result);
        const auto end = begin + static_cast<std::ptrdiff_t>(flow.result.messages);
        summarize(begin, end, results.flows.back());
        begin = end;
    }
    for (const FlowUse& each : use) {
        const auto number = numbers_.find(packed(each.flow));
        if (number != numbers_.end()) {
            results.flows[number->second].counts = each.counts;
        }
    }
    std::sort(results.flows.begin(), results.flows.end(),
              [](const FlowResult& a, const FlowResult& b) { return a.flow < b.flow; });
    summarize_all(results);
    summarize_sizes(results);
    return results;
}

}  // namespace npunet::engine
