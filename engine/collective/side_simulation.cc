#include "engine/collective/side_simulation.h"

#include <algorithm>

#include "engine/clock/clock_limit.h"
#include "engine/network/link_use_difference.h"

namespace npunet::engine {

namespace {

/// Credits and acknowledgements are under way for some time: after a collective its links are
/// looked at again and again, each time after this share of the time since.
constexpr std::int64_t waits_in_past = 8;
constexpr Time least_wait = Time::ns(50);
constexpr Time longest_wait = Time::ns(100'000'000);

/// When links were busy, from `begun` on.
void keep_load(CollectiveMemory& memory, const IdleLinks::Links& links, LinkLoadRecorder& load,
               Time begun) {
    for (std::uint32_t place = 0; place < links.size(); ++place) {
        std::vector<LinkLoadRecorder::Interval> notes = load.take_notes(links[place]);
        if (notes.empty()) {
            continue;
        }
        LinkLoadRecorder::Interval all = notes.front();
        all.busy = 0;
        for (const LinkLoadRecorder::Interval& interval : notes) {
            all.from = std::min(all.from, interval.from);
            all.to = std::max(all.to, interval.to);
            all.busy += interval.busy;
            memory.load.push_back(
                {place, interval.from - begun.ps(), interval.to - begun.ps(), interval.busy});
        }
        memory.load_of_link.push_back(
            {place, all.from - begun.ps(), all.to - begun.ps(), all.busy});
        memory.load_ends.push_back(memory.load.size());
    }
    memory.load.shrink_to_fit();
}

/// Leaves what precedes a collective out of its memory.
void leave_out(const CollectivePath& path, CollectiveMemory& memory) {
    memory.packet_hops -= path.packet_hops;
    for (std::size_t i = 0; i < memory.use.size(); ++i) {
        memory.use[i] = difference(memory.use[i], path.use[i]);
    }
    for (std::size_t i = 0; i < memory.packets.size(); ++i) {
        memory.packets[i] -= path.packets[i];
    }
}

}  // namespace

SideSimulation::SideSimulation(const CollectiveSetting& setting, const NetworkFactory& make_network,
                               bool load)
    : setting_(setting),
      network_(make_network(queue_)),
      timers_(queue_, setting.workload.ranks()),
      transport_(*network_, setting.network, queue_),
      engine_(setting.workload, setting.network, setting.system, setting.dialect, fold_, share_,
              queue_, timers_, transport_, *this, true, &setting.planner) {
    if (load) {
        load_ = std::make_unique<LinkLoadRecorder>(setting.network.graph.links(), true);
        network_->record_load(load_.get());
    }
}

CollectiveMemory SideSimulation::run(const CollectiveCall& call, const IdleLinks::Links& links,
                                     const CollectivePath* path, IdleLinks::State& rest,
                                     QueueWatch* watch) {
    CollectiveMemory memory;
    queue_.set_watch(watch);
    queue_.run();  // timers of the one before
    IdleLinks& idle = *network_->idle_links();
    idle.set_idle_state(links, path != nullptr ? path->calls.front().state : call.state, nullptr);
    idle.forget_longest_queues(links);
    const std::vector<LinkUse> before = idle.use_of(links);
    const std::vector<std::uint64_t> numbers = idle.packet_numbers(links);
    const Time contention = idle.contention(links);
    const std::uint64_t hops = network_->packet_hops();
    plan(call, path);
    links_ = &links;
    rest_ = path != nullptr ? &rest : nullptr;
    memory.usable = run_calls() && settle(links, memory) && idle.contention(links) == contention;
    memory.takes = takes_;
    if (load_ != nullptr) {
        keep_load(memory, links, *load_, begun_);
    }
    memory.packet_hops = network_->packet_hops() - hops;
    const std::vector<LinkUse> after = idle.use_of(links);
    for (std::size_t i = 0; i < links.size(); ++i) {
        memory.use.push_back(difference(after[i], before[i]));
    }
    memory.packets = idle.packet_numbers(links);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        memory.packets[i] -= numbers[i];
    }
    if (path != nullptr) {
        leave_out(*path, memory);
    }
    return memory;
}

void SideSimulation::plan(const CollectiveCall& call, const CollectivePath* path) {
    calls_.clear();
    for (std::size_t i = 0; path != nullptr && i < path->calls.size(); ++i) {
        calls_.push_back(&path->calls[i]);
    }
    calls_.push_back(&call);
    current_ = none;
    unfinished_ = 0;
    failed_ = false;
    Time begun = queue_.now();
    for (std::size_t number = 0; number < calls_.size(); ++number) {
        const CollectiveCall& one = *calls_[number];
        if (number > 0) {
            begun = later(begun, number + 1 == calls_.size() ? path->gap : one.gap);
        }
        const std::vector<Rank>& ranks = setting_.workload.groups[one.group].ranks;
        for (std::size_t member = 0; member < ranks.size(); ++member) {
            queue_.schedule(later(begun, one.offsets[member]),
                            EventKey::of(Phase::Issue, event_kind::issue,
                                         static_cast<std::uint64_t>(ranks[member].value())),
                            *this, static_cast<std::uint64_t>(number) << number_shift | member);
        }
    }
}

bool SideSimulation::run_calls() {
    while (!failed_ && !queue_.empty() && (current_ + 1 != calls_.size() || unfinished_ > 0)) {
        queue_.run_instant();
    }
    return !failed_ && current_ + 1 == calls_.size() && unfinished_ == 0;
}

bool SideSimulation::begin(std::size_t number) {
    const CollectiveCall& call = *calls_[number];
    if (unfinished_ > 0) {
        return false;
    }
    if (number + 1 == calls_.size()) {
        // What has arrived by then has arrived, and no member has done anything.
        if (rest_ != nullptr && !network_->idle_links()->rest_state(*links_, *rest_)) {
            return false;
        }
        for (const std::uint32_t link : *links_) {
            if (load_ != nullptr) {
                (void)load_->take_notes(link);
            }
        }
    }
    current_ = number;
    begun_ = queue_.now();
    takes_.assign(call.operations.size(), Time());
    unfinished_ = takes_.size();
    engine_.skip_to(static_cast<std::int32_t>(call.group), call.number);
    return true;
}

bool SideSimulation::settle(const IdleLinks::Links& links, CollectiveMemory& memory) {
    struct Nothing final : EventHandler {
        void handle(std::uint64_t /* payload */) override {}
    } nothing;
    const Time ended = queue_.now();
    while (!network_->idle_links()->idle_state(links, memory.after)) {
        const Time since = queue_.now() - ended;
        if (since > longest_wait) {
            return false;
        }
        memory.after.clear();
        const Time wait = std::max(least_wait, Time::ps(since.ps() / waits_in_past));
        const Time next = later(queue_.now(), wait);
        // No network runs ahead of it.
        queue_.schedule(next, EventKey(), nothing);
        while (queue_.next_time() <= next) {
            queue_.run_instant();
        }
        queue_.advance(next);
    }
    memory.settles = queue_.now() - ended;
    return true;
}

void SideSimulation::handle(std::uint64_t payload) {
    const auto number = static_cast<std::size_t>(payload >> number_shift);
    const auto member =
        static_cast<std::size_t>(payload & ((std::uint64_t{1} << number_shift) - 1));
    if (failed_ || (number != current_ && !begin(number))) {
        failed_ = true;
        return;
    }
    const CollectiveCall& call = *calls_[number];
    const std::vector<Rank>& ranks = setting_.workload.groups[call.group].ranks;
    if (engine_.start(ranks[member], call.operations[member])) {
        on_operation_done(ranks[member], call.operations[member]);
    }
}

void SideSimulation::on_operation_done(Rank rank, std::uint32_t /*operation*/) {
    const std::vector<Rank>& ranks = setting_.workload.groups[calls_[current_]->group].ranks;
    const auto member = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
    takes_[static_cast<std::size_t>(member)] = queue_.now() - begun_;
    --unfinished_;
}

}  // namespace npunet::engine
