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

/// Full buffers that hold back for a 50th of the run or longer are worth a note.
constexpr std::int64_t one_in = 50;

/// Changes up to this part of a budget, 2^-4, are not told.
constexpr int untold_budget_bits = 4;

}  // namespace

void FluidNetwork::check_buffer(std::uint32_t number) {
    Buffer& buffer = buffers_[number];
    const Time now = queue_.now();
    buffer.advance(now);
    const bool waits =
        std::any_of(buffer.places.begin(), buffer.places.end(), [&](const Buffer::Place& place) {
            const Port& port = ports_[place.link];
            return port.queues[port.feeds[place.feed].queue].waiting();
        });
    const Work limit = work_of(buffer.limit);
    const Work open =
        limit / 4 * 3;  // not at once, so that it does not open and close all the time
    if (!waits) {
        buffer.filled = 0;
        buffer.closed = false;
    } else if (!buffer.closed && buffer.growth > 0 && buffer.filled >= limit) {
        buffer.closed = !windows_fit(number);
    } else if (buffer.closed && buffer.filled <= open) {
        buffer.closed = false;
    }
    set_budget(number);
    Time next = Time::max();
    if (!buffer.closed && buffer.growth > 0) {
        const Work room = buffer.filled < limit ? limit - buffer.filled : limit;
        next = std::max(done_at(now, room, capped_share(buffer.growth)), later(now, Time::ps(1)));
    } else if (buffer.closed && buffer.growth < 0) {
        next = std::max(done_at(now, buffer.filled - open, capped_share(-buffer.growth)),
                        later(now, Time::ps(1)));
    }
    if (next != buffer.next) {
        buffer.next = next;
        if (next != Time::max()) {
            schedule(next, level, number, number);
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
    const Time held =
        held_ > 0 ? later(held_time_, finish - std::min(finish, held_since_)) : held_time_;
    if (finish == Time() || held.ps() < finish.ps() / one_in) {
        return {};
    }
    return {
        fmt::format("full buffers held back messages that went elsewhere for {:.1f} % of the "
                    "time: finite buffers may have decided the finish",
                    100.0 * static_cast<double>(held.ps()) / static_cast<double>(finish.ps()))};
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

void FluidNetwork::set_budget(std::uint32_t number) {
    Buffer& buffer = buffers_[number];
    Share share = no_limit;
    if (buffer.closed) {
        share = 0;
        const Time full = ports_[number / channels_].full;
        for (const Buffer::Place& place : buffer.places) {
            const Port& port = ports_[place.link];
            const Feed& feed = port.feeds[place.feed];
            if (port.queues[feed.queue].waiting()) {
                share += converted(feed.out, port.full, full);
            }
        }
    }
    if (share == buffer.budget) {
        return;
    }
    if (share != no_limit && buffer.budget != no_limit &&
        !differs(share, buffer.budget, untold_budget_bits)) {
        return;
    }
    buffer.budget = share;
    const std::uint32_t change = budget_changes_.take();
    budget_changes_[change].buffer = number;
    budget_changes_[change].budget = share;
    const std::uint32_t link = number / channels_;
    (void)keep_speed(ports_[link], link);
    buffer.told = std::max(buffer.told, later(queue_.now(), ports_[link].latency));
    schedule(buffer.told, budget, number, change, ++buffer.changes);
}

}  // namespace npunet::analytical
