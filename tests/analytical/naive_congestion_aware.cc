#include "tests/analytical/naive_congestion_aware.h"

#include <algorithm>
#include <tuple>

#include "engine/network/link_clock.h"

namespace npunet::test {

namespace {

constexpr Time no_time = Time::ps(-1);

struct Journey {
    std::vector<LinkId> links;
    std::size_t hop = 0;
    Time waits_since = no_time;  ///< for links[hop]
    Time arrives = no_time;      ///< at the end of links[hop - 1]
};

class NaiveNetwork {
public:
    NaiveNetwork(const packet_test::Plan& plan, const topology::NetworkDescription& description)
        : plan_(plan),
          description_(description),
          clock_(description),
          journeys_(plan.size()),
          free_at_(description.graph.links()) {
        run.outcomes.resize(plan.size());
        run.links.resize(description.graph.links());
        for (std::size_t i = 0; i < plan.size(); ++i) {
            for (const topology::Hop& hop :
                 description.route(plan[i].source, plan[i].destination)) {
                journeys_[i].links.push_back(hop.link);
            }
        }
    }

    /// When something can happen after `now` (or at it, for `now` -1 ps); -1 ps: never.
    [[nodiscard]] Time next_after(Time now) const {
        Time next = no_time;
        const auto offer = [&](Time time) {
            if (time > now && (next == no_time || time < next)) {
                next = time;
            }
        };
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            if (plan_[i].after < 0) {
                offer(plan_[i].start);
            }
            offer(journeys_[i].arrives);
            if (journeys_[i].waits_since != no_time) {
                offer(free_at_[journeys_[i].links[journeys_[i].hop].index()]);
            }
        }
        return next;
    }

    void happen(Time now) {
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            Journey& journey = journeys_[i];
            if (journey.arrives == now) {
                journey.arrives = no_time;
                arrive(i, now);
            }
            if (plan_[i].after < 0 && plan_[i].start == now) {
                journey.waits_since = now;
            }
        }
        for (std::size_t link = 0; link < free_at_.size(); ++link) {
            while (free_at_[link] <= now && start_first(LinkId(link), now)) {
            }
            engine::LinkUse& use = run.links[link];
            use.max_queue = std::max(use.max_queue, waiting_for(LinkId(link)));
        }
    }

    NaiveRun run;

private:
    void arrive(std::size_t i, Time now) {
        if (journeys_[i].hop < journeys_[i].links.size()) {
            journeys_[i].waits_since = now;
            return;
        }
        run.outcomes[i].delivered = now;
        ++run.outcomes[i].deliveries;
        for (std::size_t j = 0; j < plan_.size(); ++j) {
            if (plan_[j].after == static_cast<int>(i)) {
                journeys_[j].waits_since = now;
            }
        }
    }

    [[nodiscard]] bool waits_for(std::size_t i, LinkId link) const {
        const Journey& journey = journeys_[i];
        return journey.waits_since != no_time && journey.links[journey.hop] == link;
    }

    [[nodiscard]] Bytes waiting_for(LinkId link) const {
        Bytes bytes;
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            bytes += waits_for(i, link) ? plan_[i].bytes : Bytes(0);
        }
        return bytes;
    }

    bool start_first(LinkId link, Time now) {
        std::size_t first = plan_.size();
        const auto order = [&](std::size_t i) {
            return std::make_tuple(journeys_[i].waits_since, plan_[i].source, i);
        };
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            if (waits_for(i, link) && (first == plan_.size() || order(i) < order(first))) {
                first = i;
            }
        }
        if (first == plan_.size()) {
            return false;
        }
        start(first, link, now);
        return true;
    }

    void start(std::size_t i, LinkId link, Time now) {
        __extension__ using Wide = __int128;
        Journey& journey = journeys_[i];
        const topology::Link& description = description_.graph.link(link);
        const Wide work = static_cast<Wide>(plan_[i].bytes.value()) * 1'000'000'000'000;
        const Wide rate = description.rate.bytes_per_second();
        const Wide exact = work / rate;
        Time end =
            now + Time::ps(static_cast<std::int64_t>(exact * rate < work ? exact + 1 : exact));
        Time latency = description.latency;
        if (!description_.faults.links.empty()) {
            // The clock has a brute force of its own.
            end = clock_.end(link, now, plan_[i].bytes);
            latency = clock_.latency(link, end);
        }
        if (journey.hop == 0) {
            run.outcomes[i].first_byte_left = now;
            run.outcomes[i].sent = plan_[i].wants_sent ? end : no_time;
        }
        engine::LinkUse& use = run.links[link.index()];
        use.payload += plan_[i].bytes;
        use.wire += plan_[i].bytes;
        use.busy += end - now;
        free_at_[link.index()] = end;
        journey.waits_since = no_time;
        journey.arrives = end + latency;
        ++journey.hop;
    }

    const packet_test::Plan& plan_;
    const topology::NetworkDescription& description_;
    engine::LinkClock clock_;
    std::vector<Journey> journeys_;
    std::vector<Time> free_at_;
};

}  // namespace

NaiveRun run_naively(const packet_test::Plan& plan,
                     const topology::NetworkDescription& description) {
    NaiveNetwork network(plan, description);
    for (Time now = network.next_after(no_time); now != no_time; now = network.next_after(now)) {
        network.happen(now);
    }
    return network.run;
}

std::string transcript(const std::vector<packet_test::Outcome>& outcomes,
                       const std::vector<engine::LinkUse>& links) {
    std::string text;
    const auto number = [&text](std::int64_t value) { text += ' ' + std::to_string(value); };
    for (const packet_test::Outcome& outcome : outcomes) {
        text += "message";
        number(outcome.sent.ps());
        number(outcome.delivered.ps());
        number(outcome.first_byte_left.ps());
        number(outcome.deliveries);
        text += '\n';
    }
    for (const engine::LinkUse& use : links) {
        text += "link";
        number(use.payload.value());
        number(use.wire.value());
        number(use.busy.ps());
        number(use.max_queue.value());
        text += '\n';
    }
    return text;
}

}  // namespace npunet::test
