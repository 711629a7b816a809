#include "engine/collective/remembered_collectives.h"

#include <algorithm>
#include <utility>

#include "engine/clock/clock_limit.h"
#include "engine/network/link_use_difference.h"

namespace npunet::engine {

namespace {

/// Whether two ascending lists have a number in common.
bool have_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (*i == *j) {
            return true;
        }
        *i < *j ? ++i : ++j;
    }
    return false;
}

/// No member is done before all have begun.
bool waits_for_all(CollectiveKind kind) {
    return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
           kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll;
}

}  // namespace

bool RememberedCollectives::can_on(const topology::NetworkDescription& network) {
    for (std::size_t link = 0; link < network.graph.links(); ++link) {
        if (network.graph.link(LinkId(link)).latency == Time()) {
            return false;
        }
    }
    return network.multipath == nullptr && network.faults.empty() &&
           network.packet.injection == Rate() && network.packet.error_rate == 0;
}

RememberedCollectives::RememberedCollectives(CollectiveMemories& memories, EventQueue& queue,
                                             IdleLinks& idle, LinkLoadRecorder* load)
    : memories_(memories),
      queue_(queue),
      idle_(idle),
      load_(load),
      mirrors_(memories, queue, idle, load),
      users_(memories.links().size()),
      carried_(memories.links().links()) {
    memories_.begin_run(idle_);
}

bool RememberedCollectives::buffers_mattered() {
    if (!memories_.relies_on_buffers() || !idle_.nodes_matter(carried_)) {
        return false;
    }
    memories_.let_buffers_matter();
    return true;
}

void RememberedCollectives::look_at_buffers_at_times() {
    constexpr std::uint64_t events_of_a_link = 16;
    if (queue_.handled() >= next_look_ && !lost_) {
        next_look_ = queue_.handled() + events_of_a_link * carried_.size();
        if (buffers_mattered()) {
            lose();
        }
    }
}

bool RememberedCollectives::take_links(std::size_t group) {
    bool alone = true;
    for (const std::uint32_t number : memories_.links().of(group)) {
        alone = users_[number]++ == 0 && alone;
    }
    return alone;
}

void RememberedCollectives::leave_links(std::size_t group) {
    for (const std::uint32_t number : memories_.links().of(group)) {
        --users_[number];
    }
}

bool RememberedCollectives::begin(const CollectiveBeginning& beginning, bool may_be) {
    auto [place, is_first] = calls_.try_emplace(beginning.instance);
    Call& call = place->second;
    const std::size_t group = beginning.group;
    if (is_first) {
        call.first = beginning;
        call.begun = queue_.now();
        look_at_buffers_at_times();
        const bool may_be_held = may_be && waits_for_all(beginning.kind) &&
                                 memories_.allows(beginning) && is_free_of_messages(group);
        if (may_be_held && idle_.has_rest_state()) {
            follow(call);
        }
        close_mirrors(group);
        choose_state(call, may_be, may_be_held, take_links(group));
    }
    if (call.state == State::Held) {
        call.offsets[beginning.member] = queue_.now() - call.begun;
    } else if (call.in_mirror && mirrors_.of(group) != nullptr &&
               !mirrors_.begins(group, beginning.number, beginning.member)) {
        differs(group);
    }
    ++call.begun_members;
    return call.state != State::Simulated;
}

void RememberedCollectives::choose_state(Call& call, bool may_be, bool may_be_held, bool alone) {
    const std::size_t group = call.first.group;
    if (MirroredCollectives::Mirror* const mirror = mirrors_.of(group)) {
        call.in_mirror = true;
        call.state = mirror->leader == group ? State::Simulated : State::Mirrored;
        ++mirror->in_progress;
        if (!may_be && !mirror->followers.empty()) {
            differs(group);
        }
        meet(group);
    } else if (!alone) {
        meet(group);
    } else if (may_be_held && (call.previous != nullptr ||
                               idle_.idle_state(memories_.links_of(group), call.state_of_links))) {
        call.state = State::Held;
        memories_.rely_on_buffers();
        call.offsets.resize(memories_.setting().workload.groups[group].ranks.size());
    } else if (may_be && waits_for_all(call.first.kind) && memories_.may_mirror(group) &&
               is_free_of_messages(group)) {
        if (mirrors_.join(group, call.first.number, call.first.member)) {
            call.state = State::Mirrored;
            memories_.rely_on_buffers();
        } else {
            mirrors_.open(group, call.first.number);
        }
        if (MirroredCollectives::Mirror* const begun = mirrors_.of(group)) {
            call.in_mirror = true;
            ++begun->in_progress;
            (void)take_links(group);
        }
    }
}

bool RememberedCollectives::is_taken(const std::vector<std::uint32_t>& links) const {
    return std::any_of(links.begin(), links.end(),
                       [&](std::uint32_t number) { return users_[number] > 0; });
}

void RememberedCollectives::close_mirrors(std::size_t group) {
    const std::vector<std::uint32_t>& links = memories_.links().of(group);
    if (mirrors_.empty() || !is_taken(links)) {
        return;
    }
    for (const std::size_t leader : mirrors_on(links)) {
        if (mirrors_.is_over(*mirrors_.of(leader))) {
            close_mirror(leader);
        }
    }
}

std::vector<std::size_t> RememberedCollectives::mirrors_on(
    const std::vector<std::uint32_t>& links) {
    const auto uses = [&](std::size_t other) {
        return have_common(links, memories_.links().of(other));
    };
    std::vector<std::size_t> leaders;
    for (const auto& [leader, mirror] : mirrors_.all()) {
        if (uses(leader) || std::any_of(mirror.followers.begin(), mirror.followers.end(), uses)) {
            leaders.push_back(leader);
        }
    }
    return leaders;
}

void RememberedCollectives::close_mirror(std::size_t leader) {
    const MirroredCollectives::Mirror& mirror = *mirrors_.of(leader);
    for (const std::size_t follower : mirror.followers) {
        leave_links(follower);
    }
    leave_links(leader);
    if (!mirror.followers.empty() && !mirrors_.is_even(mirror)) {
        differs(leader);
    }
    mirrored_packets_ += mirrors_.close(leader, carried_);
}

std::vector<std::size_t> RememberedCollectives::followers_of(std::uint32_t instance) {
    const auto call = calls_.find(instance);
    if (call == calls_.end() || !call->second.in_mirror) {
        return {};
    }
    MirroredCollectives::Mirror* const mirror = mirrors_.of(call->second.first.group);
    if (mirror == nullptr || mirror->leader != call->second.first.group) {
        return {};
    }
    mirror->ends = true;
    if (!mirror->followers.empty() && !mirrors_.is_even(*mirror)) {
        differs(mirror->leader);
    }
    return mirror->followers;
}

void RememberedCollectives::differs(std::size_t group) {
    memories_.leave_out_mirrors(group);
    lose();
}

void RememberedCollectives::complete(bool is_whole) {
    std::vector<std::size_t> leaders;
    for (const auto& [leader, mirror] : mirrors_.all()) {
        leaders.push_back(leader);
    }
    for (const std::size_t leader : leaders) {
        close_mirror(leader);
    }
    lost_ = buffers_mattered() || lost_;
    if (lost_ && is_whole) {
        throw CollectivesMet();
    }
}

void RememberedCollectives::follow(Call& call) {
    const std::size_t group = call.first.group;
    const std::vector<std::uint32_t>& links = memories_.links().of(group);
    if (!std::all_of(links.begin(), links.end(),
                     [&](std::uint32_t number) { return users_[number] == 1; })) {
        return;
    }
    const auto before = at_rest_.find(group);
    if (before != at_rest_.end()) {
        const Call& one = calls_.at(before->second);
        call.previous = one.memory;
        call.gap = call.begun - one.begun;
        leave(before->second);
    }
}

void RememberedCollectives::leave(std::uint32_t instance) {
    const std::size_t group = calls_.at(instance).first.group;
    leave_links(group);
    at_rest_.erase(group);
    calls_.erase(instance);
}

void RememberedCollectives::meet(std::size_t group) {
    const std::vector<std::uint32_t>& links = memories_.links().of(group);
    for (const std::size_t leader : mirrors_on(links)) {
        if (mirrors_.of(leader) == mirrors_.of(group)) {
            continue;
        }
        if (!mirrors_.of(leader)->followers.empty()) {
            differs(leader);
        }
        close_mirror(leader);
    }
    for (auto& [instance, other] : calls_) {
        if (other.state == State::Simulated || other.state == State::Mirrored) {
            continue;
        }
        if (have_common(links, memories_.links().of(other.first.group))) {
            memories_.meets(other.first, group);
            lose();
        }
    }
}

bool RememberedCollectives::is_free_of_messages(std::size_t group) {
    if (!memories_.links().may_meet_messages(group)) {
        return true;
    }
    bool is_free = true;
    for (auto messages = loud_.begin(); messages != loud_.end();) {
        const auto& [from, to, numbers, links] = **messages;
        if (idle_.is_quiet(from, to, links)) {
            messages = loud_.erase(messages);
            continue;
        }
        is_free = is_free && !have_common(numbers, memories_.links().of(group));
        ++messages;
    }
    return is_free;
}

void RememberedCollectives::message_begins(Rank from, Rank to) {
    if (!idle_.has_quiet_messages() || lost_) {
        return;
    }
    const std::vector<NodeId>& npus = memories_.setting().network.npu_of_rank;
    const CommunicatorLinks::Messages& messages =
        memories_.links().of_messages(npus[from.index()], npus[to.index()]);
    loud_.insert(&messages);
    if (!is_taken(messages.numbers)) {
        return;
    }
    for (const std::size_t leader : mirrors_on(messages.numbers)) {
        const MirroredCollectives::Mirror& mirror = *mirrors_.of(leader);
        if (!mirror.followers.empty() && !mirrors_.is_over(mirror)) {
            memories_.meets_message(leader);
            lose();
            return;
        }
        close_mirror(leader);
    }
    for (const auto& [instance, call] : calls_) {
        if ((call.state == State::Held || call.state == State::Recalled) &&
            have_common(messages.numbers, memories_.links().of(call.first.group))) {
            memories_.meets_message(call.first.group);
            lose();
        }
    }
}

void RememberedCollectives::lose() {
    // All that are lost in this instant are left out the next time.
    if (!std::exchange(lost_, true)) {
        queue_.schedule(queue_.now(), EventKey::of(Phase::Arbitration, event_kind::instant_ends, 0),
                        *this, none);
    }
}

std::shared_ptr<const CollectiveMemory> RememberedCollectives::decide(std::uint32_t instance,
                                                                      CollectiveCall call_made) {
    Call& call = calls_.at(instance);
    call_made.group = call.first.group;
    call_made.number = call.first.number;
    call_made.offsets = call.offsets;
    call_made.state = call.state_of_links;
    call_made.previous = std::move(call.previous);
    call_made.gap = call.gap;
    const std::uint64_t simulated = memories_.simulated();
    call.memory = memories_.of(std::move(call_made), queue_.watch());
    if (call.memory == nullptr) {
        queue_.stop();
        return nullptr;
    }
    memories_.count(call.first, memories_.simulated() - simulated);
    const CollectiveMemory& memory = *call.memory;
    const bool is_over = std::any_of(memory.takes.begin(), memory.takes.end(), [&](Time takes) {
        return takes <= queue_.now() - call.begun;
    });
    call.state = State::Recalled;
    if (!memory.usable || is_over) {
        if (memory.usable) {
            memories_.meets(call.first, call.first.group);
        } else {
            memories_.leave_out(call.first);
        }
        lose();
        return call.memory;
    }
    call.settles = memory.settles;
    ++recalled_;
    packet_hops_ += memory.packet_hops;
    const IdleLinks::Links& links = memories_.links_of(call.first.group);
    idle_.set_idle_state(links, memory.after, &memory.use);
    idle_.skip_packet_numbers(links, memory.packets);
    bool longer_queue = false;
    for (std::size_t i = 0; i < links.size(); ++i) {
        LinkUse& carried = carried_[links[i]];
        longer_queue = longer_queue || carried.max_queue < memory.use[i].max_queue;
        add(carried, memory.use[i]);
    }
    // Often at first, seldom in the end.
    longer_queues_ += longer_queue ? 1 : 0;
    if (longer_queue && (longer_queues_ & (longer_queues_ - 1)) == 0 && buffers_mattered()) {
        lose();
    }
    if (load_ != nullptr) {
        add_load(memory, links, call.begun);
    }
    return call.memory;
}

void RememberedCollectives::add_load(const CollectiveMemory& memory, const IdleLinks::Links& links,
                                     Time begun) const {
    const LinkLoadRecorder::Interval* const intervals = memory.load.data();
    std::size_t first = 0;
    for (std::size_t i = 0; i < memory.load_of_link.size(); ++i) {
        const std::size_t end = memory.load_ends[i];
        LinkLoadRecorder::Interval all = memory.load_of_link[i];
        all.link = links[all.link];
        load_->add_later(all, intervals + first, intervals + end, begun.ps());
        first = end;
    }
}

void RememberedCollectives::done(std::uint32_t instance) {
    look_at_buffers_at_times();
    Call& call = calls_.at(instance);
    if (MirroredCollectives::Mirror* const mirror =
            call.in_mirror ? mirrors_.of(call.first.group) : nullptr) {
        --mirror->in_progress;
        recalled_ += call.state == State::Mirrored ? 1 : 0;
        mirrored_ += call.state == State::Mirrored ? 1 : 0;
    }
    if (call.state == State::Recalled && call.settles > Time()) {
        call.rests_until = later(queue_.now(), call.settles);
        at_rest_[call.first.group] = instance;
        queue_.schedule(call.rests_until,
                        EventKey::of(Phase::Arrival, event_kind::settled, instance), *this,
                        instance);
        return;
    }
    leave(instance);
}

void RememberedCollectives::handle(std::uint64_t payload) {
    if (payload == none) {
        (void)buffers_mattered();
        throw CollectivesMet();
    }
    // One that another one has followed is gone.
    const auto call = calls_.find(static_cast<std::uint32_t>(payload));
    if (call != calls_.end() && call->second.rests_until == queue_.now()) {
        leave(call->first);
    }
}

void RememberedCollectives::add_to(std::vector<LinkUse>& use) const {
    for (std::size_t link = 0; link < carried_.size(); ++link) {
        add(use[link], carried_[link]);
    }
}

}  // namespace npunet::engine
