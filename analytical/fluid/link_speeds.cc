#include "analytical/fluid/link_speeds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/clock/clock_limit.h"
#include "engine/network/link_clock.h"

namespace npunet::analytical {

using engine::later;

namespace {

/// A factor of 1000, the largest, and somewhat more.
constexpr Share most_speed = whole_link * 1000;

/// What a link needs for each of many packets, of which one takes `packet` on it.
class PacketTimes {
public:
    explicit PacketTimes(const topology::NetworkDescription& description)
        : description_(description),
          full_(std::max(description.packet.mtu + description.packet.header, Bytes(1))) {}

    [[nodiscard]] Bytes full() const { return full_; }

    /// With the time for what has to be sent again, in the mean.
    [[nodiscard]] Time with_errors(LinkId link, Time packet, Time latency) const {
        const double rate = description_.packet_of(link).error_rate;
        if (!has_credits(link) || rate <= 0) {
            return packet;
        }
        const auto again = static_cast<double>(later(packet, later(latency, latency)).ps());
        return later(packet, Time::ps(static_cast<std::int64_t>(again * rate / (1 - rate) + 0.5)));
    }

    /// The packets for which there is credit.
    [[nodiscard]] std::int64_t credit(LinkId link) const {
        return std::max<std::int64_t>(description_.buffer_of(link).value() / full_.value(), 1);
    }

    /// The time between two packets where each needs the credit of an earlier one.
    [[nodiscard]] Time with_credit(LinkId link, Time packet, Time latency) const {
        if (!has_credits(link)) {
            return packet;
        }
        const NodeId to = description_.graph.link(link).to;
        const bool consumed = description_.graph.kind(to) == topology::NodeKind::Npu;
        const Time round =
            later(later(packet, consumed ? Time() : packet), later(latency, latency));
        return Time::ps(round.ps() / credit(link));
    }

private:
    [[nodiscard]] bool has_credits(LinkId link) const {
        return description_.packet_of(link).flow_control == topology::FlowControl::Credit;
    }

    const topology::NetworkDescription& description_;
    Bytes full_;
};

}  // namespace

LinkSpeeds::LinkSpeeds(const topology::NetworkDescription& description) {
    const engine::LinkClock clock(description);
    const PacketTimes times(description);
    std::vector<std::size_t> first_of{0};
    for (std::size_t i = 0; i < description.graph.links(); ++i) {
        const LinkId link(i);
        const Time own = transfer_time(times.full(), description.graph.link(link).rate);
        const auto speed_of = [&](Time packet) {
            return packet == own ? whole_link
                                 : static_cast<Share>(std::min(work_of(own) / packet.ps(),
                                                               static_cast<Work>(most_speed)));
        };
        const std::size_t first = spans_.size();
        for (Time from; from < Time::max(); from = spans_.back().until) {
            Span span{from, clock.unchanged_until(link, from), 0, clock.latency(link, from)};
            const std::int64_t rate = clock.rate(link, from);
            if (rate > 0) {
                const Time packet =
                    times.with_errors(link, transfer_time(times.full(), Rate(rate)), span.latency);
                const Time credit = times.with_credit(link, packet, span.latency);
                const Time burst = Time::ps(capped_product(times.credit(link), packet.ps()));
                span.speed = speed_of(packet);
                if (credit > packet && from > Time()) {
                    // At first there is credit.
                    spans_.push_back(span);
                    spans_.back().until = span.from = std::min(span.until, later(from, burst));
                }
                span.speed = speed_of(std::max(packet, credit));
                if (span.from == span.until) {
                    continue;
                }
            }
            spans_.push_back(span);
        }
        if (spans_.size() == first + 1 && !clock.faulty(link) &&
            spans_.back().speed == whole_link) {
            spans_.pop_back();
        }
        first_of.push_back(spans_.size());
    }
    if (!spans_.empty()) {
        first_of_ = std::move(first_of);
    }
}

const LinkSpeeds::Span& LinkSpeeds::at(std::uint32_t link, Time time) const {
    const auto first = spans_.begin() + static_cast<std::ptrdiff_t>(first_of_[link]);
    const auto last =
        spans_.begin() + static_cast<std::ptrdiff_t>(first_of_[link + std::size_t{1}]);
    return *std::prev(std::upper_bound(
        first, last, time, [](Time value, const Span& span) { return value < span.from; }));
}

Time LinkSpeeds::end(std::uint32_t link, Time start, Time time) const {
    if (!varied(link)) {
        return later(start, time);
    }
    Work left = work_of(time);
    const Time healthy = later(start, time);
    while (start < Time::max()) {
        const Span& span = at(link, start);
        const Time end = done_at(start, left, span.speed);
        if (end <= span.until) {
            return end;
        }
        left -= work_in(span.speed, span.until - start);
        start = span.until;
    }
    return healthy;
}

}  // namespace npunet::analytical
