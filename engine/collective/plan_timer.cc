#include "engine/collective/plan_timer.h"

#include <algorithm>
#include <cmath>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

PlanTimer::PlanTimer(const topology::NetworkDescription& network, const SystemConfig& system,
                     std::size_t ranks)
    : network_(network), endpoint_delay_(system.endpoint_delay), actor_of_rank_(ranks) {
    for (const ComputeRate& rate : system.compute_rates(ranks)) {
        memory_bandwidth_.push_back(std::llround(rate.memory_bandwidth * 1e9));
    }
}

std::uint32_t PlanTimer::port_of(LinkId link) {
    const auto [found, is_new] =
        port_of_link_.try_emplace(link.value(), static_cast<std::uint32_t>(ports_.size()));
    if (is_new) {
        ports_.emplace_back();
    }
    return found->second;
}

const PlanTimer::RouteCost& PlanTimer::route(Rank from, Rank to) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(from.value()) << 32 | static_cast<std::uint64_t>(to.value());
    const auto [found, is_new] = routes_.try_emplace(key);
    RouteCost& cost = found->second;
    if (is_new) {
        const topology::PlaneRoutes planes =
            network_.routes(network_.npu_of_rank[from.index()], network_.npu_of_rank[to.index()]);
        const std::vector<topology::Hop>& hops = planes.front();
        cost.planes = static_cast<std::int64_t>(planes.size());
        cost.first = hops.front().link;
        cost.last = hops.back().link;
        cost.first_port = port_of(cost.first);
        cost.last_port = port_of(cost.last);
        cost.first_rate = network_.graph.link(cost.first).rate;
        cost.last_rate = network_.graph.link(cost.last).rate;
        cost.slowest = cost.first_rate;
        for (const topology::Hop& hop : hops) {
            const topology::Link& link = network_.graph.link(hop.link);
            cost.latency = later(cost.latency, link.latency);
            cost.slowest = std::min(cost.slowest, link.rate);
        }
    }
    return cost;
}

std::int64_t PlanTimer::messages(const std::vector<CollectivePlan>& plans) {
    std::int64_t exchanges = 0;
    const CollectivePlan& first = plans.front();
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(first.lanes); ++lane) {
        for (std::size_t i = 0; i < first.phases_per_stream(); ++i) {
            exchanges += exchange_count(first.phase(lane, i).shape);
        }
    }
    return exchanges * first.chunks * static_cast<std::int64_t>(plans.size());
}

Time PlanTimer::busiest_link(const std::vector<CollectivePlan>& plans,
                             const std::vector<Rank>& ranks) const {
    std::vector<Bytes> loads(network_.graph.links());
    const auto send = [&](Rank from, const PlannedPhase& phase, const Exchange& next) {
        if (next.send_to == Exchange::no_rank) {
            return;
        }
        const Rank to = (*phase.members)[static_cast<std::size_t>(next.send_to)];
        const topology::PlaneRoutes planes =
            network_.routes(network_.npu_of_rank[from.index()], network_.npu_of_rank[to.index()]);
        const auto count = static_cast<std::int64_t>(planes.size());
        for (const std::vector<topology::Hop>& plane : planes) {
            for (const topology::Hop& hop : plane) {
                loads[hop.link.index()] += Bytes((next.bytes.value() + count - 1) / count);
            }
        }
    };
    for (std::size_t member = 0; member < plans.size(); ++member) {
        const CollectivePlan& plan = plans[member];
        for (std::size_t stream = 0; stream < plan.streams(); ++stream) {
            for (std::size_t i = 0; i < plan.phases_per_stream(); ++i) {
                const PlannedPhase& phase = plan.phase(stream, i);
                const PhaseShape shape = plan.shape(stream, i);
                for (std::int32_t e = 0; !phase.idle && e < exchange_count(shape); ++e) {
                    send(ranks[member], phase, exchange(shape, e));
                }
            }
        }
    }
    Time most;
    for (std::size_t link = 0; link < loads.size(); ++link) {
        if (loads[link] > Bytes()) {
            most =
                std::max(most, transfer_time(loads[link], network_.graph.link(LinkId(link)).rate));
        }
    }
    return most;
}

bool PlanTimer::alike(const std::vector<CollectivePlan>& plans, const std::vector<Rank>& ranks) {
    const CollectivePlan& first = plans.front();
    const auto peer = [](const PlannedPhase& phase, std::int32_t e) {
        const std::int32_t to = exchange(phase.shape, e).send_to;
        return to == Exchange::no_rank ? Rank() : (*phase.members)[static_cast<std::size_t>(to)];
    };
    for (std::size_t p = 0; p < first.phases.size(); ++p) {
        const PlannedPhase& own = first.phases[p];
        if (own.idle || has_root(own.shape.kind) ||
            own.shape.algorithm == Algorithm::DoubleBinaryTree) {
            return false;
        }
        const std::int32_t count = exchange_count(own.shape);
        for (std::size_t i = 1; i < plans.size(); ++i) {
            const PlannedPhase& other = plans[i].phases[p];
            if (exchange_count(other.shape) != count) {
                return false;
            }
            for (std::int32_t e = 0; e < (exchanges_alike(own.shape) ? 1 : count); ++e) {
                const Rank to = peer(own, e);
                const Rank its = peer(other, e);
                if (to.valid() != its.valid()) {
                    return false;
                }
                if (!to.valid()) {
                    continue;
                }
                const RouteCost a = route(ranks[0], to);
                const RouteCost b = route(ranks[i], its);
                if (a.latency != b.latency || a.slowest != b.slowest ||
                    a.first_rate != b.first_rate || a.last_rate != b.last_rate ||
                    a.planes != b.planes) {
                    return false;
                }
            }
        }
    }
    return true;
}

PlanTimer::Timing PlanTimer::time_all(const std::vector<CollectivePlan>& plans,
                                      const std::vector<Rank>& ranks) {
    one_for_all_ = false;
    return run(plans, ranks);
}

PlanTimer::Timing PlanTimer::time_one(const std::vector<CollectivePlan>& plans,
                                      const std::vector<Rank>& ranks) {
    one_for_all_ = true;
    return run(plans, ranks);
}

PlanTimer::Timing PlanTimer::run(const std::vector<CollectivePlan>& plans,
                                 const std::vector<Rank>& ranks) {
    plans_ = &plans;
    ranks_ = &ranks;
    ring_costs_.clear();
    std::fill(ports_.begin(), ports_.end(), Port());
    flights_.clear();
    free_flights_.clear();
    numbers_ = 0;
    now_ = Time();
    const std::size_t actors = one_for_all_ ? 1 : plans.size();
    actors_.clear();
    actors_.resize(actors);
    for (std::uint32_t actor = 0; actor < actors; ++actor) {
        actor_of_rank_[ranks[actor].index()] = actor;
    }
    for (std::uint32_t actor = 0; actor < actors; ++actor) {
        start(actor, plans[actor], ranks[actor]);
    }
    Time end;
    for (std::uint32_t actor = 0; actor < actors; ++actor) {
        fill_queues(actor);
    }
    while (!events_.empty()) {
        const Event event = events_.top();
        events_.pop();
        now_ = event.at;
        if (event.kind == Event::Flies) {
            fly(event.what);
        } else {
            Stream& stream = actors_[event.actor].streams[event.what];
            stream.completed += event.kind == Event::Completes ? 1 : 0;
            advance(event.actor, stream);
        }
        end = std::max(end, now_);
    }
    Time busiest;
    for (const Port& port : ports_) {
        busiest = std::max(busiest, port.busy);
    }
    return {end, busiest};
}

void PlanTimer::start(std::uint32_t actor, const CollectivePlan& plan, Rank rank) {
    CollectiveRun& run = actors_[actor];
    run.rank = rank;
    run.plan = plan;
    run.make_streams();
}

void PlanTimer::fill_queues(std::uint32_t actor) {
    CollectiveRun& run = actors_[actor];
    if (run.filling) {
        return;
    }
    run.filling = true;
    for (std::size_t next = 0; next < run.to_fill.size(); ++next) {
        const std::int32_t queue = run.to_fill[next];
        std::uint32_t stream = 0;
        while (run.take_next(queue, stream)) {
            start_phase(actor, run.streams[stream]);
        }
    }
    run.to_fill.clear();
    run.filling = false;
}

void PlanTimer::start_phase(std::uint32_t actor, Stream& stream) {
    const CollectiveRun& run = actors_[actor];
    if (stream.enter_phase(run.plan) && endpoint_delay_ > Time()) {
        schedule(later(now_, endpoint_delay_), Event::Opens, actor, stream.index);
    } else {
        advance(actor, stream);
    }
}

void PlanTimer::advance(std::uint32_t actor, Stream& stream) {
    bool again = true;
    while (again) {
        while (stream.next_may_start()) {
            const Exchange next = exchange(stream.shape, stream.started++);
            if (next.receive_from == Exchange::no_rank) {
                ++stream.received;
                ++stream.completed;
            }
            if (next.send_to != Exchange::no_rank) {
                send(actor, stream, next);
            }
        }
        again = false;
        while (stream.early_message_is_due()) {
            const EarlyMessage message = stream.take_early();
            again = complete(actor, stream, message.exchange, message.bytes) || again;
        }
    }
    if (stream.completed == stream.count) {
        end_phase(actor, stream);
    }
}

void PlanTimer::end_phase(std::uint32_t actor, Stream& stream) {
    actors_[actor].leave_phase(stream);
    fill_queues(actor);
}

PlanTimer::RouteCost PlanTimer::mean_of_ring(const Stream& stream) {
    const auto [found, is_new] = ring_costs_.try_emplace(
        {stream.index % static_cast<std::uint32_t>(plans_->front().lanes), stream.phase});
    RouteCost& mean = found->second;
    if (!is_new) {
        return mean;
    }
    std::int64_t latencies = 0;
    for (std::size_t i = 0; i < plans_->size(); ++i) {
        const PlannedPhase& phase = (*plans_)[i].phase(stream.index, stream.phase);
        const std::int32_t to = exchange(phase.shape, 0).send_to;
        const RouteCost cost = route((*ranks_)[i], (*phase.members)[static_cast<std::size_t>(to)]);
        if (i == 0) {
            mean = cost;
        }
        latencies += cost.latency.ps();
        mean.slowest = std::min(mean.slowest, cost.slowest);
    }
    mean.latency = Time::ps(latencies / static_cast<std::int64_t>(plans_->size()));
    mean.first_rate = std::max(mean.first_rate, mean.slowest);
    return mean;
}

PlanTimer::RouteCost PlanTimer::cost_of(std::uint32_t actor, const Stream& stream,
                                        const Exchange& next) {
    const Rank own = actors_[actor].rank;
    RouteCost cost = one_for_all_ && exchanges_alike(stream.shape)
                         ? mean_of_ring(stream)
                         : route(own, stream.line[next.send_to]);
    if (one_for_all_) {
        // What it receives in that exchange comes over this port of its own.
        const Exchange same = exchange(stream.shape, next.arrives_in);
        if (same.receive_from != Exchange::no_rank) {
            const RouteCost& into = route(stream.line[same.receive_from], own);
            cost.last = into.last;
            cost.last_port = into.last_port;
        }
    }
    return cost;
}

void PlanTimer::send(std::uint32_t actor, Stream& stream, const Exchange& next) {
    std::uint32_t number = 0;
    if (free_flights_.empty()) {
        number = static_cast<std::uint32_t>(flights_.size());
        flights_.emplace_back();
    } else {
        number = free_flights_.back();
        free_flights_.pop_back();
    }
    Flight& flight = flights_[number];
    flight.cost = cost_of(actor, stream, next);
    flight.bytes = next.bytes;
    flight.to = one_for_all_ ? actor : actor_of_rank_[stream.line[next.send_to].index()];
    flight.stream = stream.index;
    flight.phase = stream.phase;
    flight.exchange = next.arrives_in;
    flight.head_is_in = false;
    Port& port = ports_[flight.cost.first_port];
    Time& free = port.source_free;
    const Time started = std::max(now_, free);
    const Time sending = transfer_time(flight.cost.share(next.bytes), flight.cost.first_rate);
    free = later(started, sending);
    port.busy = later(port.busy, sending);
    schedule(later(started, flight.cost.latency), Event::Flies, flight.to, number);
}

void PlanTimer::fly(std::uint32_t number) {
    Flight& flight = flights_[number];
    if (!flight.head_is_in) {
        flight.head_is_in = true;
        Time& free = ports_[flight.cost.last_port].sink_free;
        const Time taken_in =
            later(free, transfer_time(flight.cost.share(flight.bytes), flight.cost.last_rate));
        free = std::max(
            later(now_, transfer_time(flight.cost.share(flight.bytes), flight.cost.slowest)),
            taken_in);
        schedule(free, Event::Flies, flight.to, number);
        return;
    }
    const Flight arrived = flight;
    free_flights_.push_back(number);
    receive(arrived.to, arrived.stream, arrived.phase, arrived.exchange, arrived.bytes);
}

void PlanTimer::receive(std::uint32_t actor, std::uint32_t stream_number, std::uint32_t phase,
                        std::int32_t exchange_number, Bytes bytes) {
    Stream& stream = actors_[actor].streams[stream_number];
    if (!stream.active || stream.phase != phase || exchange_number >= stream.started) {
        stream.keep({stream_number, phase, exchange_number, bytes});
        return;
    }
    if (complete(actor, stream, exchange_number, bytes)) {
        advance(actor, stream);
    }
}

bool PlanTimer::complete(std::uint32_t actor, Stream& stream, std::int32_t exchange_number,
                         Bytes bytes) {
    ++stream.received;
    Time delay = endpoint_delay_;
    const std::int64_t bandwidth = memory_bandwidth_[actors_[actor].rank.index()];
    if (bandwidth > 0 && exchange_number < stream.reductions) {
        delay = later(delay, time_for(3 * bytes.value(), bandwidth));
    }
    if (delay == Time()) {
        ++stream.completed;
        return true;
    }
    schedule(later(now_, delay), Event::Completes, actor, stream.index);
    return false;
}

void PlanTimer::schedule(Time at, Event::Kind kind, std::uint32_t actor, std::uint32_t what) {
    events_.push({at, numbers_++, kind, actor, what});
}

}  // namespace npunet::engine
