#include "engine/network/link_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/errors.h"
#include "base/units.h"
#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

LinkClock::LinkClock(const topology::NetworkDescription& description) : graph_(description.graph) {
    if (description.faults.links.empty()) {
        return;
    }
    std::vector<std::vector<topology::LinkFault>> by_link(graph_.links());
    for (const topology::LinkFault& fault : description.faults.links) {
        by_link[fault.link.index()].push_back(fault);
    }
    first_of_.push_back(0);
    for (const std::vector<topology::LinkFault>& faults : by_link) {
        if (!faults.empty()) {
            const std::vector<Piece> pieces = pieces_of(faults);
            pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
        }
        first_of_.push_back(pieces_.size());
    }
}

std::vector<LinkClock::Piece> LinkClock::pieces_of(
    const std::vector<topology::LinkFault>& faults) const {
    std::vector<Time> changes{Time(), Time::max()};
    for (const topology::LinkFault& fault : faults) {
        changes.push_back(fault.at);
        changes.push_back(fault.until);
    }
    std::sort(changes.begin(), changes.end());
    changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
    const topology::Link& link = graph_.link(faults.front().link);
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
        Piece piece{changes[i], changes[i + 1], link.rate.bytes_per_second(), link.latency};
        for (const topology::LinkFault& fault : faults) {
            if (fault.at <= piece.from && piece.from < fault.until) {
                piece.rate = topology::scaled_rate(piece.rate, fault.bandwidth);
                piece.latency = later(piece.latency, fault.latency_add);
            }
        }
        pieces.push_back(piece);
    }
    return pieces;
}

LinkClock::Piece LinkClock::at(LinkId link, Time time) const {
    if (!faulty(link)) {
        const topology::Link& described = graph_.link(link);
        return {Time(), Time::max(), described.rate.bytes_per_second(), described.latency};
    }
    const std::size_t begin = first_of_[link.index()];
    const std::size_t end = first_of_[link.index() + 1];
    // The first piece begins at 0, so there is always one that has begun.
    const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = pieces_.begin() + static_cast<std::ptrdiff_t>(end);
    return *std::prev(std::upper_bound(
        first, last, time, [](Time value, const Piece& piece) { return value < piece.from; }));
}

Time LinkClock::integrate(LinkSpan links, Time start, Bytes bytes, bool refuses_dead_links) const {
    // In bytes per second times picoseconds: below 2^126, for a rate is below 2^62.
    Wide work = static_cast<Wide>(bytes.value()) * 1'000'000'000'000ULL;
    Time time = start;
    while (time < Time::max()) {
        LinkId slowest;
        std::int64_t rate = 0;
        Time until = Time::max();
        for (const LinkId link : links) {
            const Piece piece = at(link, time);
            if (!slowest.valid() || piece.rate < rate) {
                slowest = link;
                rate = piece.rate;
            }
            until = std::min(until, piece.until);
        }
        const auto span = static_cast<Wide>((until - time).ps());
        if (rate > 0) {
            const auto per_ps = static_cast<Wide>(rate);
            const Wide needed = (work + per_ps - 1) / per_ps;
            if (needed <= span) {
                return time + Time::ps(static_cast<std::int64_t>(needed));
            }
            work -= per_ps * span;
        } else if (until == Time::max() && refuses_dead_links) {
            refuse(slowest, time, bytes, start);
        }
        time = until;
    }
    return Time::max();
}

Time LinkClock::end(LinkId link, Time start, Bytes bytes) const {
    return integrate(LinkSpan(&link, 1), start, bytes, true);
}

Time LinkClock::end_if_ever(LinkId link, Time start, Bytes bytes) const {
    return integrate(LinkSpan(&link, 1), start, bytes, false);
}

Time LinkClock::end(LinkSpan route, Time start, Bytes bytes) const {
    return integrate(route, start, bytes, true);
}

void LinkClock::refuse(LinkId link, Time time, Bytes bytes, Time start) const {
    const topology::Link& cable = graph_.link(link);
    throw StallError(
        fmt::format("the link {} -> {} is down from {} on and never comes back, and a message of "
                    "{} that started at {} has to cross it",
                    graph_.name(cable.from), graph_.name(cable.to),
                    format_time(at(link, time).from), format_bytes(bytes), format_time(start)));
}

bool LinkClock::faulty(LinkId link) const {
    return faulty() && first_of_[link.index()] != first_of_[link.index() + 1];
}

std::int64_t LinkClock::rate(LinkId link, Time time) const {
    return at(link, time).rate;
}

Time LinkClock::unchanged_until(LinkId link, Time time) const {
    return at(link, time).until;
}

Time LinkClock::up_at(LinkId link, Time time) const {
    while (time < Time::max()) {
        const Piece piece = at(link, time);
        if (piece.rate > 0) {
            return time;
        }
        time = piece.until;
    }
    return Time::max();
}

Time LinkClock::down_at(LinkId link, Time time) const {
    while (time < Time::max()) {
        const Piece piece = at(link, time);
        if (piece.rate == 0) {
            return time;
        }
        time = piece.until;
    }
    return Time::max();
}

Time LinkClock::up_between(LinkId link, Time from, Time to) const {
    Time sum;
    while (from < to) {
        const Piece piece = at(link, from);
        const Time until = std::min(piece.until, to);
        if (piece.rate > 0) {
            sum += until - from;
        }
        from = until;
    }
    return sum;
}

bool LinkClock::steady(LinkId link, Time from, Time to) const {
    const std::int64_t rate = at(link, from).rate;
    while (from < to) {
        const Piece piece = at(link, from);
        if (piece.rate != rate) {
            return false;
        }
        from = piece.until;
    }
    return true;
}

std::int64_t LinkClock::highest_rate(LinkId link) const {
    std::int64_t highest = 0;
    for (Time time; time < Time::max();) {
        const Piece piece = at(link, time);
        highest = std::max(highest, piece.rate);
        time = piece.until;
    }
    return highest;
}

Time LinkClock::latency(LinkId link, Time time) const {
    return at(link, time).latency;
}

Time LinkClock::latency(LinkSpan route, Time time) const {
    Time sum;
    for (const LinkId link : route) {
        sum = later(sum, latency(link, time));
    }
    return sum;
}

}  // namespace npunet::engine
