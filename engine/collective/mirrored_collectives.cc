#include "engine/collective/mirrored_collectives.h"

#include <algorithm>
#include <utility>

#include "engine/network/link_use_difference.h"

namespace npunet::engine {

namespace {

/// A member that has not begun.
constexpr Time never = Time::max();

}  // namespace

MirroredCollectives::MirroredCollectives(CollectiveMemories& memories, const EventQueue& queue,
                                         IdleLinks& idle, LinkLoadRecorder* load)
    : memories_(memories), queue_(queue), idle_(idle), load_(load) {}

MirroredCollectives::Mirror* MirroredCollectives::of(std::size_t group) {
    const auto leader = leader_of_.find(group);
    const auto found = mirrors_.find(leader == leader_of_.end() ? group : leader->second);
    return found == mirrors_.end() ? nullptr : &found->second;
}

void MirroredCollectives::open(std::size_t leader, std::uint64_t number) {
    const IdleLinks::Links& links = links_of(leader);
    const std::size_t first = memories_.first_like(leader);
    Led& led = led_[first];
    Mirror mirror;
    if ((led.in_vain >= most_in_vain && leader != first) ||
        !idle_.idle_state(links, mirror.state)) {
        return;
    }
    mirror.leader = leader;
    mirror.first = number;
    mirror.begun = queue_.now();
    mirror.use = idle_.use_of(links);
    idle_.forget_longest_queues(links);
    mirror.packets = idle_.packet_numbers(links);
    mirror.contention = idle_.contention(links);
    for (const std::uint32_t link : links) {
        if (load_ != nullptr) {
            mirror.load.push_back(load_->recorded(link));
        }
    }
    mirrors_.emplace(leader, std::move(mirror));
    led.leader = leader;
}

bool MirroredCollectives::join(std::size_t group, std::uint64_t number, std::size_t member) {
    const auto led = led_.find(memories_.first_like(group));
    const auto found = led == led_.end() ? mirrors_.end() : mirrors_.find(led->second.leader);
    if (found == mirrors_.end() || found->first == group) {
        return false;
    }
    Mirror& mirror = found->second;
    IdleLinks::State state;
    // Of those that begin at one instant the lower ranks do first: the leader's.
    const std::vector<Group>& groups = memories_.setting().workload.groups;
    if (groups[group].ranks.front() < groups[mirror.leader].ranks.front() || mirror.ends ||
        mirror.begun != queue_.now() || mirror.first != number || mirror.begins.size() != 1 ||
        mirror.begins.front()[member] != queue_.now() ||
        !idle_.idle_state(links_of(group), state) || state != mirror.state) {
        return false;
    }
    mirror.followers.push_back(group);
    leader_of_.emplace(group, mirror.leader);
    return true;
}

bool MirroredCollectives::begins(std::size_t group, std::uint64_t number, std::size_t member) {
    Mirror& mirror = *of(group);
    const auto place = static_cast<std::size_t>(number - mirror.first);
    if (mirror.leader != group) {
        return place < mirror.begins.size() && mirror.begins[place][member] == queue_.now();
    }
    const std::size_t members = memories_.setting().workload.groups[group].ranks.size();
    if (mirror.begins.size() <= place) {
        mirror.begins.resize(place + 1, std::vector<Time>(members, never));
    }
    mirror.begins[place][member] = queue_.now();
    return true;
}

bool MirroredCollectives::is_over(const Mirror& mirror) {
    IdleLinks::State state;
    return mirror.in_progress == 0 && idle_.idle_state(links_of(mirror.leader), state);
}

std::uint64_t MirroredCollectives::close(std::size_t leader, std::vector<LinkUse>& carried) {
    const auto node = mirrors_.extract(leader);
    const Mirror& mirror = node.mapped();
    std::uint32_t& in_vain = led_[memories_.first_like(leader)].in_vain;
    in_vain = mirror.followers.empty() ? in_vain + 1 : 0;
    const IdleLinks::Links& links = links_of(leader);
    IdleLinks::State after;
    const bool idle = idle_.idle_state(links, after);
    std::vector<LinkUse> use = idle_.use_of(links);
    std::vector<std::uint64_t> packets = idle_.packet_numbers(links);
    for (std::size_t i = 0; i < links.size(); ++i) {
        use[i] = difference(use[i], mirror.use[i]);
        LinkUse& own = carried[links[i]];
        own.max_queue = std::max(own.max_queue, mirror.use[i].max_queue);
    }
    for (std::size_t i = 0; i < packets.size(); ++i) {
        packets[i] -= mirror.packets[i];
    }
    std::uint64_t packet_hops = 0;
    for (const std::size_t follower : mirror.followers) {
        const IdleLinks::Links& own = links_of(follower);
        leader_of_.erase(follower);
        if (idle) {
            idle_.set_idle_state(own, after, &use);
        }
        idle_.skip_packet_numbers(own, packets);
        for (std::size_t i = 0; i < own.size(); ++i) {
            add(carried[own[i]], use[i]);
            packet_hops += use[i].packets;
            if (load_ != nullptr) {
                load_->add_since(mirror.load[i], links[i], own[i]);
            }
        }
    }
    return packet_hops;
}

}  // namespace npunet::engine
