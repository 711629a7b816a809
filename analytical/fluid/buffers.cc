#include "analytical/fluid/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

using engine::later;

namespace {

/// Links that full buffers slow for a 50th of the run or longer are worth a note.
constexpr std::int64_t one_in = 50;

/// Changes up to this part of a budget, 2^-4, are not told.
constexpr int untold_budget_bits = 4;

/// Others are told at once, a few in a row, and then once in a number of latencies of the link: a
/// buffer in front of a mixture that changes all the time would make rates swing by every latency.
constexpr std::int64_t latencies_a_change = 16;
constexpr std::int64_t changes_in_a_row = 4;

}  // namespace

void FluidNetwork::check_buffer(std::uint32_t number) {
    Buffer& buffer = buffers_[number];
    const Time now = queue_.now();
    buffer.advance(now);
    const Work limit = work_of(buffer.limit);
    const Work open =
        limit / 4 * 3;  // not at once, so that it does not open and close all the time
    if (buffer.waiting == 0) {
        buffer.filled = 0;
        buffer.closed = false;
    } else if (!buffer.closed && buffer.growth > 0 && buffer.filled >= limit) {
        buffer.closed = !windows_fit(number);
    } else if (buffer.closed && buffer.filled <= open) {
        buffer.closed = false;
    }
    Time next = set_budget(number);
    if (!buffer.closed && buffer.growth > 0) {
        const Work room = buffer.filled < limit ? limit - buffer.filled : limit;
        next = std::min(next, std::max(done_at(now, room, capped_share(buffer.growth)),
                                       later(now, Time::ps(1))));
    } else if (buffer.closed && buffer.growth < 0) {
        next = std::min(next,
                        std::max(done_at(now, buffer.filled - open, capped_share(-buffer.growth)),
                                 later(now, Time::ps(1))));
    }
    if (next != buffer.next) {
        buffer.next = next;
        if (next != Time::max()) {
            schedule(next, Happening::level, number, number);
        }
    }
}

bool FluidNetwork::windows_fit(std::uint32_t number) const {
    if (!queue_pairs_) {
        return false;
    }
    std::vector<std::uint32_t> stages;
    for (const Buffer::Place& place : buffers_[number].places) {
        const Port& port = ports_[place.link];
        port.queues[port.feeds[place.feed].queue].stages(stages);
    }
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    const Rate rate =
        description_.graph.link(LinkId(static_cast<std::int32_t>(number / channels_))).rate;
    Time sum;
    for (const std::uint32_t stage : stages) {
        if (stages_[stage].input == number) {
            const Path& path = paths_[flows_[stages_[stage].flow].path];
            sum = later(sum, transfer_time(std::min(path.queueing, path.wire), rate));
        }
    }
    return sum <= buffers_[number].limit;
}

std::vector<std::string> FluidNetwork::notes(Time finish) const {
    const Time held = held_.until(finish);
    if (finish == Time() || held.ps() < finish.ps() / one_in) {
        return {};
    }
    return {
        fmt::format("full buffers slowed links for {:.1f} % of the time: finite buffers may have "
                    "decided the finish",
                    100.0 * static_cast<double>(held.ps()) / static_cast<double>(finish.ps()))};
}

std::optional<engine::CongestionTimes> FluidNetwork::congestion_times(Time finish) const {
    engine::CongestionTimes times;
    times.back_pressure = held_.until(finish);
    times.incast = crowded_.until(finish);
    for (const Port& port : ports_) {
        times.marks = std::max(times.marks, port.marking);
    }
    return times;
}

std::string FluidNetwork::explain_stall() const {
    const auto full = std::find_if(buffers_.begin(), buffers_.end(),
                                   [](const Buffer& buffer) { return buffer.closed; });
    if (full == buffers_.end()) {
        return {};
    }
    const auto link = static_cast<std::int32_t>((full - buffers_.begin()) / channels_);
    const topology::Link& before = description_.graph.link(LinkId(link));
    return fmt::format("full buffers wait for each other, that behind the link {} -> {} among them",
                       description_.graph.name(before.from), description_.graph.name(before.to));
}

Time FluidNetwork::set_budget(std::uint32_t number) {
    Buffer& buffer = buffers_[number];
    const std::uint32_t link = number / channels_;
    const Share share = buffer.closed ? capped_share(buffer.leaving) : no_limit;
    if (share == buffer.budget) {
        return Time::max();
    }
    if (share != no_limit && buffer.budget != no_limit) {
        if (!differs(share, buffer.budget, untold_budget_bits)) {
            return Time::max();
        }
        const Time now = queue_.now();
        const Time each = latencies_a_change * ports_[link].latency;
        const Time ahead = (changes_in_a_row - 1) * each;
        if (buffer.changed_until > later(now, ahead)) {
            return buffer.changed_until - ahead;
        }
        buffer.changed_until = later(std::max(buffer.changed_until, now), each);
    }
    buffer.budget = share;
    const std::uint32_t change = budget_changes_.take();
    budget_changes_[change].buffer = number;
    budget_changes_[change].budget = share;
    (void)keep_speed(ports_[link], link);
    buffer.told = std::max(buffer.told, later(queue_.now(), ports_[link].latency));
    schedule(buffer.told, Happening::budget, number, change, ++buffer.changes);
    return Time::max();
}

}  // namespace npunet::analytical
