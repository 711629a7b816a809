#include "engine/collective/library_traffic.h"

#include <map>
#include <memory>
#include <utility>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

/// Bytes of messages between members of one group, or to and from switches.
class GroupTraffic {
public:
    GroupTraffic(const topology::NetworkDescription& network, const std::vector<Rank>& ranks,
                 std::vector<std::int64_t>& bytes_of_link)
        : network_(network), ranks_(ranks), bytes_of_link_(bytes_of_link) {}

    /// What a member sends in a collective that runs `times` times.
    void add(const LibraryEstimate& estimate, std::size_t member, std::int64_t times) {
        times_ = times;
        if (estimate.nvls != nullptr) {
            add_nvls(*estimate.nvls, member);
        } else {
            add_schedule(*estimate.schedule, member);
        }
    }

    /// Puts the messages on their routes.
    void route() {
        for (const auto& [pair, bytes] : messages_) {
            const NodeId from(static_cast<std::size_t>(pair >> 32));
            const NodeId to(static_cast<std::size_t>(pair & 0xffffffff));
            const topology::PlaneRoutes planes = network_.routes(from, to);
            const auto count = static_cast<std::int64_t>(planes.size());
            for (std::int64_t plane = 0; plane < count; ++plane) {
                const std::int64_t part = bytes / count + (plane < bytes % count ? 1 : 0);
                for (const topology::Hop& hop : planes[static_cast<std::size_t>(plane)]) {
                    bytes_of_link_[hop.link.index()] += part;
                }
            }
        }
    }

private:
    [[nodiscard]] NodeId npu(std::size_t member) const {
        return network_.npu_of_rank[ranks_[member].index()];
    }
    [[nodiscard]] NodeId switch_at(std::uint32_t place) const {
        return network_.reducing_switches[place].node;
    }

    void send(NodeId from, NodeId to, std::int64_t bytes) {
        if (bytes > 0) {
            messages_[(static_cast<std::uint64_t>(from.index()) << 32) | to.index()] +=
                times_ * bytes;
        }
    }

    void add_schedule(const LibrarySchedule& schedule, std::size_t member) {
        for (std::int32_t block = 0; block < schedule.blocks(); ++block) {
            const std::vector<BlockEnd> ends = schedule.sends_to(member, block);
            const std::vector<std::int64_t> bytes = schedule.bytes_sent(member, block);
            for (std::size_t i = 0; i < ends.size(); ++i) {
                if (ends[i].member == BlockEnd::switches) {
                    push(schedule, member, block, bytes[i]);
                } else {
                    send(npu(member), npu(ends[i].member), bytes[i]);
                }
            }
        }
    }

    void push(const LibrarySchedule& schedule, std::size_t member, std::int32_t block,
              std::int64_t bytes) {
        std::size_t place = 0;
        while (schedule.member_of_tree(block, place) != member) {
            ++place;
        }
        if (schedule.has_trees()) {
            push_through(schedule.tree(block), place, bytes);
        } else {
            const std::size_t next = (place + 1) % schedule.nodes();
            send(npu(member), npu(schedule.member_of_tree(block, next)), bytes);
        }
    }

    /// Up to the root and back; the first member counts what is between switches.
    void push_through(const topology::ReductionTree& tree, std::size_t place, std::int64_t bytes) {
        const auto both = [&](NodeId below, NodeId above) {
            send(below, above, bytes);
            send(above, below, bytes);
        };
        both(tree.npus[place], switch_at(tree.switches[tree.switch_of_member[place]].place));
        for (const topology::ReductionTree::Switch& one : tree.switches) {
            if (place == 0 && one.parent != topology::ReductionTree::none) {
                both(switch_at(one.place), switch_at(tree.switches[one.parent].place));
            }
        }
    }

    void add_nvls(const NvlsPlan& plan, std::size_t member) {
        const NvlsSchedule& schedule = plan.schedule;
        if (plan.switches.empty()) {
            pass_round_node(schedule, member);
        } else {
            for (const std::size_t head : schedule.members_of(schedule.node_of(member))) {
                add_head(plan, member, head);
            }
        }
        if (schedule.nodes() > 1) {
            add_between_nodes(plan, member);
        }
    }

    /// What a member has to do with the part of a head: answers, sums, copies.
    void add_head(const NvlsPlan& plan, std::size_t member, std::size_t head) {
        const NvlsSchedule& schedule = plan.schedule;
        for (const auto& [place, bytes] : bytes_of_head(plan, head)) {
            const bool own = head == member;
            const std::int64_t answers = schedule.reduces() ? bytes : 0;
            const std::int64_t copies = schedule.multicasts() ? bytes : 0;
            send(npu(member), switch_at(place), answers + (own ? copies : 0));
            send(switch_at(place), npu(member), copies + (own ? answers : 0));
        }
    }

    /// Of all requests of a head, by the place of the switch that has them.
    const std::map<std::uint32_t, std::int64_t>& bytes_of_head(const NvlsPlan& plan,
                                                               std::size_t head) {
        const auto [found, is_new] = of_head_.try_emplace({&plan, head});
        const NvlsSchedule& schedule = plan.schedule;
        for (std::int32_t channel = 0; is_new && channel < schedule.channels(); ++channel) {
            for (std::int64_t loop = 0; loop < schedule.loops(); ++loop) {
                for (std::int64_t unit = 0; unit < schedule.units(head, channel, loop); ++unit) {
                    found->second[plan.switch_of(head, channel, loop * schedule.stride() + unit)] +=
                        schedule.bytes(head, channel, loop, unit).value();
                }
            }
        }
        return found->second;
    }

    static std::int64_t all_of_head(const NvlsSchedule& schedule, std::size_t head) {
        std::int64_t all = 0;
        for (std::int32_t channel = 0; channel < schedule.channels(); ++channel) {
            all += schedule.part(head, channel);
        }
        return all;
    }

    /// Without switches: out of the member, and into the next one.
    void pass_round_node(const NvlsSchedule& schedule, std::size_t member) {
        const std::vector<std::size_t>& node = schedule.members_of(schedule.node_of(member));
        const std::size_t next = node[(schedule.place_in_node(member) + 1) % node.size()];
        std::int64_t all = 0;
        for (const std::size_t head : node) {
            all += all_of_head(schedule, head);
        }
        const std::int64_t answers = schedule.reduces() ? all : 0;
        const std::int64_t copies = schedule.multicasts() ? all : 0;
        const std::int64_t out =
            answers + (schedule.multicasts() ? all_of_head(schedule, member) : 0);
        const std::int64_t in = copies + (schedule.reduces() ? all_of_head(schedule, next) : 0);
        const topology::PlaneRoutes planes = network_.routes(npu(member), npu(next));
        const auto count = static_cast<std::int64_t>(planes.size());
        for (const std::vector<topology::Hop>& plane : planes) {
            for (std::size_t hop = 0; hop < plane.size(); ++hop) {
                const bool enters = hop > 0 && hop + 1 == plane.size();
                bytes_of_link_[plane[hop].link.index()] += times_ * (enters ? in : out) / count;
            }
        }
    }

    void add_between_nodes(const NvlsPlan& plan, std::size_t member) {
        const NvlsSchedule& schedule = plan.schedule;
        const std::size_t place = schedule.place_in_node(member);
        const std::size_t node = schedule.node_of(member);
        if (!plan.trees.empty()) {
            push_through(plan.trees[place], node, all_of_head(schedule, member));
            return;
        }
        if (plan.by_unknown_trees) {
            const std::size_t next = schedule.members_of((node + 1) % schedule.nodes())[place];
            send(npu(member), npu(next), all_of_head(schedule, member));
            return;
        }
        for (std::int32_t channel = 0; channel < schedule.channels(); ++channel) {
            const std::int64_t bytes = schedule.part(member, channel);
            std::vector<std::size_t> others = schedule.children(member, channel);
            if (const std::size_t up = schedule.parent(member, channel); up != NvlsSchedule::none) {
                others.push_back(up);
            }
            for (const std::size_t other : others) {
                send(npu(member), npu(other), bytes);
            }
        }
    }

    const topology::NetworkDescription& network_;
    const std::vector<Rank>& ranks_;
    std::vector<std::int64_t>& bytes_of_link_;
    std::int64_t times_ = 1;
    std::unordered_map<std::uint64_t, std::int64_t> messages_;  ///< by source and destination
    /// By plan and head, then by switch.
    std::map<std::pair<const NvlsPlan*, std::size_t>, std::map<std::uint32_t, std::int64_t>>
        of_head_;
};

}  // namespace

LibraryTraffic::LibraryTraffic(const topology::NetworkDescription& network,
                               const Workload& workload, const Fold& fold)
    : network_(network), workload_(workload), fold_(fold) {}

void LibraryTraffic::count(Rank rank, std::uint32_t operation, const LibraryEstimate& estimate) {
    parts_.resize(workload_.ranks());
    Part& part = parts_[rank.index()][&estimate];
    part.operation = operation;
    ++part.times;
}

void LibraryTraffic::add_to(std::vector<LinkUse>& use, CollectivePlanner& planner,
                            const CollectiveInstances& instances) const {
    if (parts_.empty()) {
        return;
    }
    struct Share {
        std::size_t member;
        std::shared_ptr<const LibraryEstimate> estimate;
        std::int64_t times;
    };
    std::map<std::size_t, std::vector<Share>> of_group;
    const auto share = [&](Rank rank, const Part& part) {
        const ProgramOperation& operation = workload_.program(rank).operations[part.operation];
        const std::size_t group = workload_.group_of(rank, operation);
        const std::size_t member = instances.member_of(static_cast<std::int32_t>(group), rank);
        of_group[group].push_back(
            {member, planner.plan(rank, member, operation).estimate, part.times});
    };
    for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
        for (const auto& [estimate, part] : parts_[rank]) {
            if (fold_.trivial()) {
                share(Rank(rank), part);
                continue;
            }
            for (const Rank other : fold_.like(Rank(rank))) {
                share(other, part);
            }
        }
    }
    std::vector<std::int64_t> bytes(network_.graph.links(), 0);
    for (const auto& [group, shares] : of_group) {
        GroupTraffic traffic(network_, workload_.groups[group].ranks, bytes);
        for (const Share& one : shares) {
            traffic.add(*one.estimate, one.member, one.times);
        }
        traffic.route();
    }
    for (std::size_t link = 0; link < bytes.size(); ++link) {
        const Bytes carried(bytes[link]);
        use[link].payload += carried;
        use[link].wire += carried;
        use[link].busy =
            later(use[link].busy, transfer_time(carried, network_.graph.link(LinkId(link)).rate));
    }
}

}  // namespace npunet::engine
