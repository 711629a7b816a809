#include "engine/collective/remembered_collectives.h"

#include <algorithm>
#include <utility>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

/// After the end of a collective its links are looked at again, as credits are under way for some
/// time: first so long afterwards, then each time twice as long, but for so long only.
constexpr Time first_wait = Time::ns(100);
constexpr Time longest_wait = Time::ns(200'000);

/// What a link has carried since.
LinkUse difference(const LinkUse& now, const LinkUse& before) {
    LinkUse use;
    use.payload = now.payload - before.payload;
    use.wire = now.wire - before.wire;
    use.busy = now.busy - before.busy;
    use.packets = now.packets - before.packets;
    use.retransmissions = now.retransmissions - before.retransmissions;
    use.credit_stall = now.credit_stall - before.credit_stall;
    use.pauses = now.pauses - before.pauses;
    use.marked = now.marked - before.marked;
    use.drops = now.drops - before.drops;
    use.notifications = now.notifications - before.notifications;
    use.queue_times = now.queue_times;
    for (std::size_t i = 0; i < before.queue_times.size(); ++i) {
        use.queue_times[i] = use.queue_times[i] - before.queue_times[i];
    }
    use.classes_wire = now.classes_wire;
    for (std::size_t i = 0; i < before.classes_wire.size(); ++i) {
        use.classes_wire[i] -= before.classes_wire[i];
    }
    return use;
}

void add(LinkUse& sum, const LinkUse& use, std::uint64_t times) {
    const auto count = static_cast<std::int64_t>(times);
    sum.payload += count * use.payload;
    sum.wire += count * use.wire;
    sum.busy = later(sum.busy, count * use.busy);
    sum.packets += use.packets * times;
    sum.retransmissions += use.retransmissions * times;
    sum.credit_stall = later(sum.credit_stall, count * use.credit_stall);
    sum.pauses += use.pauses * times;
    sum.marked += use.marked * times;
    sum.drops += use.drops * times;
    sum.notifications += use.notifications * times;
    sum.queue_times.resize(std::max(sum.queue_times.size(), use.queue_times.size()));
    for (std::size_t i = 0; i < use.queue_times.size(); ++i) {
        sum.queue_times[i] = later(sum.queue_times[i], count * use.queue_times[i]);
    }
    sum.classes_wire.resize(std::max(sum.classes_wire.size(), use.classes_wire.size()));
    for (std::size_t i = 0; i < use.classes_wire.size(); ++i) {
        sum.classes_wire[i] += count * use.classes_wire[i];
    }
}

}  // namespace

bool RememberedCollectives::can_on(const topology::NetworkDescription& network) {
    return network.multipath == nullptr && network.faults.empty() &&
           network.packet.injection == Rate() && network.packet.error_rate == 0;
}

RememberedCollectives::RememberedCollectives(const Workload& workload,
                                             const topology::NetworkDescription& description,
                                             EventQueue& queue, Network& network,
                                             LinkLoadRecorder* load,
                                             std::vector<std::size_t> except)
    : workload_(workload),
      queue_(queue),
      network_(network),
      load_(load),
      except_(std::move(except)),
      links_(workload, description),
      users_(links_.size()) {}

std::vector<std::uint32_t> RememberedCollectives::links_of(std::size_t group) {
    const std::vector<std::uint32_t>& all = links_.of(group);
    return {all.begin(), std::lower_bound(all.begin(), all.end(), links_.links())};
}

RememberedCollectives::Memory* RememberedCollectives::memory_of(
    Kind& kind, const std::vector<std::uint64_t>& state) {
    const auto memory = std::find_if(kind.memories.begin(), kind.memories.end(),
                                     [&](const Memory& each) { return each.before == state; });
    return memory == kind.memories.end() ? nullptr : &*memory;
}

bool RememberedCollectives::begin(std::uint32_t instance, std::size_t group, const Likeness* like) {
    auto [place, first] = calls_.try_emplace(instance);
    Call& call = place->second;
    if (first) {
        call.instance = instance;
        call.group = group;
        call.begun = queue_.now();
        bool alone = true;
        for (const std::uint32_t number : links_.of(group)) {
            alone = users_[number]++ == 0 && alone;
        }
        if (!alone || settling_ > 0) {
            meet(group);
        }
        if (alone && like != nullptr) {
            look_forward(call, *like);
        }
    }
    ++call.begun_members;
    if (call.state == State::Observed && queue_.now() != call.begun) {
        forget(call);
    }
    return call.state == State::Held;
}

void RememberedCollectives::meet(std::size_t group) {
    for (auto& [instance, other] : calls_) {
        if (other.state == State::Simulated) {
            continue;
        }
        const std::vector<std::uint32_t>& a = links_.of(group);
        const std::vector<std::uint32_t>& b = links_.of(other.group);
        if (std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) == a.end()) {
            continue;
        }
        if (other.state == State::Recalled) {
            throw CollectivesMet(workload_.groups[other.group].ranks.size());
        }
        forget(other);
    }
}

void RememberedCollectives::look_forward(Call& call, const Likeness& like) {
    const std::size_t members = workload_.groups[call.group].ranks.size();
    if (std::find(except_.begin(), except_.end(), members) != except_.end() ||
        !links_.rarely_shared(call.group)) {
        return;
    }
    std::vector<std::uint64_t> state;
    if (!network_.idle_state(links_of(call.group), state)) {
        return;
    }
    call.kind = &kinds_[{call.group, like}];
    call.memory.before = std::move(state);
    if (memory_of(*call.kind, call.memory.before) != nullptr) {
        call.state = State::Held;
    } else if (intervals_ < most_intervals && call.kind->memories.size() < most_states &&
               call.kind->observed < most_observed) {
        observe(call);
    }
}

void RememberedCollectives::observe(Call& call) {
    call.state = State::Observed;
    call.contention = network_.contention();
    call.use = network_.use_of(links_of(call.group));
    ++call.kind->observed;
    call.memory.takes.resize(workload_.groups[call.group].ranks.size());
    if (load_ != nullptr) {
        load_->listen(links_of(call.group), &call.memory.load);
    }
}

void RememberedCollectives::forget(Call& call) {
    if (load_ != nullptr && (call.state == State::Observed || call.state == State::Settling)) {
        load_->listen(links_of(call.group), nullptr);
    }
    settling_ -= call.state == State::Settling ? 1 : 0;
    call.state = State::Simulated;
    call.memory = {};
}

const RememberedCollectives::Memory* RememberedCollectives::decide(std::uint32_t instance) {
    Call& call = calls_.at(instance);
    const bool together = call.begun_members == workload_.groups[call.group].ranks.size();
    if (call.state != State::Held || !together) {
        call.state = State::Simulated;
        return nullptr;
    }
    Memory& memory = *memory_of(*call.kind, call.memory.before);
    call.kind->observed = 0;
    call.state = State::Recalled;
    call.memory.settles = memory.settles;
    ++memory.recalled;
    ++recalled_;
    network_.set_idle_state(links_of(call.group), memory.after);
    add_load(memory, call.begun);
    return &memory;
}

void RememberedCollectives::member_done(std::uint32_t instance, std::size_t member) {
    Call& call = calls_.at(instance);
    if (call.state == State::Observed) {
        call.memory.takes[member] = queue_.now() - call.begun;
    }
}

void RememberedCollectives::done(std::uint32_t instance) {
    Call& call = calls_.at(instance);
    call.ended = queue_.now();
    if (call.state == State::Recalled && call.memory.settles > Time()) {
        look_again(call, call.memory.settles);
        return;
    }
    leave_links(call.group);
    if (call.state == State::Observed && !keep(call)) {
        call.state = State::Settling;
        ++settling_;
        look_again(call, first_wait);
    } else {
        calls_.erase(instance);
    }
}

void RememberedCollectives::leave_links(std::size_t group) {
    for (const std::uint32_t number : links_.of(group)) {
        --users_[number];
    }
}

void RememberedCollectives::look_again(const Call& call, Time wait) {
    queue_.schedule(later(queue_.now(), wait),
                    EventKey::of(Phase::Arrival, event_kind::settled, call.instance), *this,
                    call.instance);
}

void RememberedCollectives::handle(std::uint64_t instance) {
    const auto place = calls_.find(static_cast<std::uint32_t>(instance));
    Call& call = place->second;
    if (call.state == State::Recalled) {
        leave_links(call.group);
    } else if (call.state == State::Settling) {
        const Time waited = queue_.now() - call.ended;
        if (!keep(call) && waited < longest_wait) {
            look_again(call, waited);
            return;
        }
        forget(call);
    }
    calls_.erase(place);
}

bool RememberedCollectives::keep(Call& call) {
    call.memory.after.clear();
    if (!network_.idle_state(links_of(call.group), call.memory.after)) {
        return false;
    }
    if (load_ != nullptr) {
        load_->listen(links_of(call.group), nullptr);
    }
    if (network_.contention() != call.contention) {
        return true;
    }
    call.memory.settles = queue_.now() - call.ended;
    call.memory.links = links_of(call.group);
    const std::vector<LinkUse> now = network_.use_of(call.memory.links);
    for (std::size_t i = 0; i < now.size(); ++i) {
        call.memory.use.push_back(difference(now[i], call.use[i]));
    }
    keep_load(call.memory, call.begun);
    intervals_ += call.memory.load.size();
    call.kind->memories.push_back(std::move(call.memory));
    call.kind->observed = 0;
    return true;
}

void RememberedCollectives::keep_load(Memory& memory, Time begun) {
    std::stable_sort(memory.load.begin(), memory.load.end(),
                     [](const auto& a, const auto& b) { return a.link < b.link; });
    memory.load.shrink_to_fit();
    for (std::size_t i = 0; i < memory.load.size(); ++i) {
        LinkLoadRecorder::Interval& interval = memory.load[i];
        interval.from -= begun.ps();
        interval.to -= begun.ps();
        if (memory.load_of_link.empty() || memory.load_of_link.back().link != interval.link) {
            memory.load_of_link.push_back(interval);
            memory.load_ends.push_back(i + 1);
            continue;
        }
        memory.load_ends.back() = i + 1;
        LinkLoadRecorder::Interval& all = memory.load_of_link.back();
        all.from = std::min(all.from, interval.from);
        all.to = std::max(all.to, interval.to);
        all.busy += interval.busy;
    }
}

void RememberedCollectives::add_load(const Memory& memory, Time begun) const {
    const LinkLoadRecorder::Interval* const intervals = memory.load.data();
    std::size_t first = 0;
    for (std::size_t i = 0; i < memory.load_of_link.size(); ++i) {
        const std::size_t end = memory.load_ends[i];
        load_->add_later(memory.load_of_link[i], intervals + first, intervals + end, begun.ps());
        first = end;
    }
}

void RememberedCollectives::add_to(std::vector<LinkUse>& use) const {
    for (const auto& [key, kind] : kinds_) {
        for (const Memory& memory : kind.memories) {
            for (std::size_t i = 0; i < memory.links.size() && memory.recalled > 0; ++i) {
                add(use[memory.links[i]], memory.use[i], memory.recalled);
            }
        }
    }
}

}  // namespace npunet::engine
