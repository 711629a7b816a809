// One channel of a ring, of a tree, of CollNet and of PAT in closed form against an event
// simulation of all its members, to the picosecond.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include "engine/collective_library/channel_collnet.h"
#include "engine/collective_library/channel_ring.h"
#include "engine/collective_library/channel_tree.h"
#include "engine/collective_library/node_trees.h"
#include "engine/collective_library/pat_schedule.h"

namespace npunet::engine {
namespace {

/// Every slice that a member makes, in order.
struct Slice {
    bool receives;
    bool sends;
    Time takes;
};

std::vector<Slice> slices_of(const RingChannel& channel) {
    std::vector<Slice> slices;
    for (const RingLoops& like : channel.work) {
        for (std::int64_t loop = 0; loop < like.loops; ++loop) {
            for (std::int32_t call = 0; call < channel.calls; ++call) {
                const bool sends = call + 1 < channel.calls;
                slices.insert(slices.end(), static_cast<std::size_t>(like.slices),
                              {call > 0, sends, sends ? like.send : like.receive});
            }
        }
    }
    return slices;
}

/// Members, each with a FIFO of `slots` slices to the next one.
class RingSimulation {
public:
    RingSimulation(const RingChannel& channel, std::size_t members, std::int64_t slots)
        : channel_(channel), slots_(slots), slices_(slices_of(channel)), members_(members) {}

    Time run() {
        for (std::size_t member = 0; member < members_.size(); ++member) {
            start(member);
        }
        Time now;
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.at;
            if (event.arrives) {
                ++members_[event.member].arrived;
            } else {
                end_slice(event.member);
                now = now_;
            }
            start(event.member);
            start(before(event.member));  // it may have waited for a slot
        }
        return now;
    }

    [[nodiscard]] bool all_done() const {
        for (const Member& member : members_) {
            if (member.next != slices_.size() || member.busy) {
                return false;
            }
        }
        return true;
    }

private:
    struct Member {
        std::size_t next = 0;  ///< slice
        bool busy = false;
        std::int64_t arrived = 0;
        std::int64_t received = 0;  ///< and used: their slots are free
        std::int64_t sent = 0;
    };
    struct Event {
        Time at;
        std::size_t member;
        bool arrives;
        friend bool operator>(const Event& a, const Event& b) { return a.at > b.at; }
    };

    [[nodiscard]] std::size_t before(std::size_t member) const {
        return (member + members_.size() - 1) % members_.size();
    }
    [[nodiscard]] std::size_t after(std::size_t member) const {
        return (member + 1) % members_.size();
    }

    void start(std::size_t number) {
        Member& member = members_[number];
        if (member.busy || member.next == slices_.size()) {
            return;
        }
        const Slice& slice = slices_[member.next];
        const bool has_data = !slice.receives || member.arrived > member.received;
        const bool has_slot =
            !slice.sends || member.sent - members_[after(number)].received < slots_;
        if (has_data && has_slot) {
            member.busy = true;
            events_.push({now_ + slice.takes, number, false});
        }
    }

    void end_slice(std::size_t number) {
        Member& member = members_[number];
        const Slice& slice = slices_[member.next++];
        member.busy = false;
        member.received += slice.receives ? 1 : 0;
        if (slice.sends) {
            ++member.sent;
            events_.push({now_ + channel_.hop, after(number), true});
        }
    }

    const RingChannel& channel_;
    std::int64_t slots_;  ///< slices that a connection has room for
    std::vector<Slice> slices_;
    std::vector<Member> members_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    Time now_;
};

// Hops longer and shorter than slices, few slots and many, one slice a call or two, several loops
// of which the last is smaller, all-gathers (n calls) and all-reduces (2 n - 1).
TEST(LibraryChannel, EqualsAnEventSimulation) {
    std::mt19937_64 random(35);
    const auto below = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(random() % most);
    };
    for (int number = 0; number < 1000; ++number) {
        RingChannel channel;
        const auto members = static_cast<std::int32_t>(2 + below(9));
        channel.calls = below(2) == 0 ? members : 2 * members - 1;
        channel.hop = Time::ps(below(4) == 0 ? 0 : below(5'000'000));
        std::int32_t slices = 1;
        for (std::int64_t kind = 0, kinds = 1 + below(3); kind < kinds; ++kind) {
            RingLoops loops;
            loops.loops = 1 + below(4);
            loops.slices = static_cast<std::int32_t>(1 + below(2));
            loops.send = Time::ps(1 + below(3'000'000));
            loops.receive = Time::ps(1 + below(3'000'000));
            slices = std::max(slices, loops.slices);
            channel.work.push_back(loops);
        }
        const std::int64_t slots = slices + 1 + below(6);
        RingSimulation simulation(channel, static_cast<std::size_t>(members), slots);
        ASSERT_EQ(ring_channel_time(channel).ps(), simulation.run().ps()) << number;
        ASSERT_TRUE(simulation.all_done()) << number;
    }
}

/// A part of a member that handles every chunk once: receives it from all of `from`, then sends it
/// to all of `to`.
struct TreeHalf {
    std::vector<std::size_t> from;
    std::vector<std::size_t> to;
    std::vector<Time> hop;         ///< from each of `from`
    std::vector<Time> back_there;  ///< from each of `to`
};

/// Chains in nodes, a tree between them; halves 2 m and 2 m + 1 of member m go up and down, half 2
/// m of the root does both.
std::vector<TreeHalf> tree_of(std::int32_t nodes, std::int32_t per_node, std::size_t tree,
                              const TreeChannel& channel) {
    const NodeTrees trees(nodes);
    std::vector<TreeHalf> halves(static_cast<std::size_t>(2 * nodes * per_node));
    const auto connect = [&](std::size_t from, std::size_t to, Time hop) {
        halves[from].to.push_back(to);
        halves[from].back_there.push_back(hop);
        halves[to].from.push_back(from);
        halves[to].hop.push_back(hop);
    };
    for (std::int32_t node = 0; node < nodes; ++node) {
        for (std::int32_t place = 0; place < per_node; ++place) {
            const auto member = static_cast<std::size_t>(node * per_node + place);
            const std::int32_t parent = trees.parent(tree, static_cast<std::size_t>(node));
            if (place == 0 && parent == NodeTrees::none) {
                continue;
            }
            const std::size_t above =
                place > 0 ? member - 1 : static_cast<std::size_t>(parent * per_node);
            const bool root =
                static_cast<std::int32_t>(above) % per_node == 0 &&
                trees.parent(tree, above / static_cast<std::size_t>(per_node)) == NodeTrees::none;
            const Time hop = place > 0 ? channel.near_hop : channel.far_hop;
            connect(2 * member, 2 * above, hop);
            connect(2 * above + (root ? 0 : 1), 2 * member + 1, hop);
        }
    }
    return halves;
}

/// Chunk by chunk: when each half has ended each of them. A slot is free one hop after its use.
Time run_tree(const std::vector<TreeHalf>& halves, const TreeChannel& channel, std::int64_t slots) {
    const auto chunks = static_cast<std::size_t>(channel.chunks);
    std::vector<std::vector<Time>> ended(halves.size());
    Time last;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t h = 0; h < halves.size(); ++h) {
            const TreeHalf& half = halves[h];
            const std::size_t chunk = ended[h].size();
            if (chunk == chunks || (half.from.empty() && half.to.empty())) {
                continue;
            }
            Time start = chunk > 0 ? ended[h].back() : Time();
            bool can = true;
            for (std::size_t i = 0; i < half.from.size(); ++i) {
                can = can && ended[half.from[i]].size() > chunk;
                start = can ? std::max(start, ended[half.from[i]][chunk] + half.hop[i]) : start;
            }
            const auto slot = static_cast<std::int64_t>(chunk) - slots;
            for (std::size_t i = 0; can && slot >= 0 && i < half.to.size(); ++i) {
                const auto used = static_cast<std::size_t>(slot);
                can = ended[half.to[i]].size() > used;
                start = can ? std::max(start, ended[half.to[i]][used] + half.back_there[i]) : start;
            }
            if (can) {
                ended[h].push_back(start + channel.each);
                last = std::max(last, ended[h].back());
                moved = true;
            }
        }
    }
    for (std::size_t h = 0; h < halves.size(); ++h) {
        EXPECT_TRUE(ended[h].size() == chunks || halves[h].from.empty()) << h;
    }
    return last;
}

TEST(LibraryChannel, TreesEqualAnEventSimulation) {
    std::mt19937_64 random(36);
    const auto below = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(random() % most);
    };
    for (int number = 0; number < 1000; ++number) {
        const auto nodes = static_cast<std::int32_t>(1 + below(12));
        const auto per_node = static_cast<std::int32_t>(nodes == 1 ? 2 + below(7) : 1 + below(8));
        TreeChannel channel;
        channel.near_steps = per_node - 1;
        while ((1 << channel.far_steps) < nodes) {
            ++channel.far_steps;
        }
        channel.near_hop = Time::ps(below(4) == 0 ? 0 : below(3'000'000));
        channel.far_hop = Time::ps(channel.near_hop.ps() + below(3'000'000));
        channel.each = Time::ps(1 + below(3'000'000));
        channel.chunks = 1 + below(20);
        // There and back, and the use at both ends.
        const std::int64_t slots =
            2 + (2 * channel.far_hop.ps() + channel.each.ps() - 1) / channel.each.ps();
        const auto tree = static_cast<std::size_t>(below(2));
        const Time time = run_tree(tree_of(nodes, per_node, tree, channel), channel,
                                   std::min<std::int64_t>(slots, 64));
        if (slots <= 64) {
            ASSERT_EQ(tree_channel_time(channel).ps(), time.ps())
                << number << ": " << nodes << " x " << per_node;
        }
    }
}

// Every chunk goes up a chain of `near_steps` members to the one that pushes it, through the
// network, and down again: 2 near_steps + 2 blocks, of which the middle two have `slots` chunks
// between them; a slot is free when the second of them has used its chunk. Inside a node there is
// no limit to chunks under way.
Time run_collnet(const CollNetChannel& channel) {
    const auto blocks = static_cast<std::size_t>(2 * channel.near_steps + 2);
    const auto pushes = static_cast<std::size_t>(channel.near_steps);
    std::vector<std::vector<Time>> ended(blocks);
    for (std::int64_t chunk = 0; chunk < channel.chunks; ++chunk) {
        for (std::size_t block = 0; block < blocks; ++block) {
            Time start = chunk > 0 ? ended[block].back() : Time();
            if (block > 0) {
                const Time hop = block == pushes + 1 ? channel.network : channel.near_hop;
                start = std::max(start, ended[block - 1].back() + hop);
            }
            if (block == pushes && chunk >= channel.slots) {
                start = std::max(
                    start, ended[pushes + 1][static_cast<std::size_t>(chunk - channel.slots)]);
            }
            ended[block].push_back(start + channel.each);
        }
    }
    return ended.back().back();
}

TEST(LibraryChannel, CollNetEqualsAnEventSimulation) {
    std::mt19937_64 random(37);
    const auto below = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(random() % most);
    };
    for (int number = 0; number < 1000; ++number) {
        CollNetChannel channel;
        channel.near_steps = below(8);
        channel.near_hop = Time::ps(below(4) == 0 ? 0 : below(3'000'000));
        channel.network = Time::ps(below(30'000'000));
        channel.each = Time::ps(1 + below(3'000'000));
        channel.chunks = 1 + below(60);
        channel.slots = 1 + below(10);
        ASSERT_EQ(collnet_channel_time(channel).ps(), run_collnet(channel).ps()) << number;
    }
}

/// Exchange by exchange; each member sends to the one at the distance of the call and waits for
/// what the one at the distance of the last call has sent.
Time run_pat(const RingChannel& channel, CollectiveKind kind, std::int32_t members) {
    const std::vector<std::int32_t> distances = pat_distances(kind, members);
    const auto all = static_cast<std::size_t>(members);
    std::vector<Time> now(all);
    std::vector<Time> sent(all);  // when the last exchange of each has ended
    for (const RingLoops& like : channel.work) {
        for (std::int64_t loop = 0; loop < like.loops; ++loop) {
            for (std::size_t call = 0; call <= distances.size(); ++call) {
                const std::vector<Time> before = sent;
                for (std::size_t member = 0; member < all; ++member) {
                    if (call > 0) {
                        const auto distance = static_cast<std::size_t>(distances[call - 1]);
                        const std::size_t from = kind == CollectiveKind::AllGather
                                                     ? (member + all - distance) % all
                                                     : (member + distance) % all;
                        now[member] = std::max(now[member], before[from] + channel.hop);
                    }
                    now[member] += like.by_call[call];
                    sent[member] = now[member];
                }
            }
        }
    }
    return *std::max_element(now.begin(), now.end());
}

TEST(LibraryChannel, PatEqualsAnEventSimulation) {
    std::mt19937_64 random(38);
    const auto below = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(random() % most);
    };
    for (int number = 0; number < 1000; ++number) {
        const auto members = static_cast<std::int32_t>(2 + below(40));
        const CollectiveKind kind =
            below(2) == 0 ? CollectiveKind::AllGather : CollectiveKind::ReduceScatter;
        RingChannel channel;
        channel.calls = static_cast<std::int32_t>(pat_distances(kind, members).size()) + 1;
        channel.hop = Time::ps(below(4) == 0 ? 0 : below(5'000'000));
        for (std::int64_t like = 0, likes = 1 + below(2); like < likes; ++like) {
            RingLoops loops;
            loops.loops = 1 + below(4);
            for (std::int32_t call = 0; call < channel.calls; ++call) {
                loops.by_call.push_back(Time::ps(below(3'000'000)));
            }
            channel.work.push_back(loops);
        }
        ASSERT_EQ(ring_channel_time(channel).ps(), run_pat(channel, kind, members).ps()) << number;
    }
}

// Whose chunks a member has: over distance d of a gather it sends those of less than n - d members
// before it, which the other one lacks, and in the end all have all. A reduce-scatter goes the same
// paths backwards, with as many chunks.
TEST(LibraryChannel, PatGathersAllChunks) {
    for (std::int32_t members = 2; members <= 70; ++members) {
        const auto all = static_cast<std::size_t>(members);
        std::vector<std::set<std::size_t>> has(all);
        for (std::size_t member = 0; member < all; ++member) {
            has[member] = {member};
        }
        for (const std::int32_t distance : pat_distances(CollectiveKind::AllGather, members)) {
            const std::vector<std::set<std::size_t>> before = has;
            for (std::size_t member = 0; member < all; ++member) {
                const std::size_t to = (member + static_cast<std::size_t>(distance)) % all;
                for (const std::size_t owner : before[member]) {
                    const std::size_t offset = (member + all - owner) % all;
                    if (offset + static_cast<std::size_t>(distance) < all) {
                        has[to].insert(owner);
                    }
                }
                EXPECT_EQ(has[to].size() - before[to].size(),
                          static_cast<std::size_t>(pat_chunks(distance, members)));
            }
        }
        for (const std::set<std::size_t>& one : has) {
            EXPECT_EQ(one.size(), all);
        }
    }
}

// Node 0 is the root of one tree and the last node, or node 1 of an odd number, of the other; no
// node has children in both, but for the root's, and none has more than two.
TEST(LibraryChannel, NodesHaveChildrenInOneTree) {
    EXPECT_EQ(NodeTrees(4).parent(0, 0), NodeTrees::none);
    EXPECT_EQ(NodeTrees(4).parent(0, 3), 2);
    EXPECT_EQ(NodeTrees(4).parent(1, 3), NodeTrees::none);
    EXPECT_EQ(NodeTrees(5).parent(1, 1), NodeTrees::none);
    for (std::int32_t nodes = 1; nodes <= 40; ++nodes) {
        const NodeTrees trees(nodes);
        for (std::size_t node = 0; node < static_cast<std::size_t>(nodes); ++node) {
            EXPECT_LE(trees.children(0, node).size(), 2U);
            EXPECT_LE(trees.children(1, node).size(), 2U);
            if (nodes % 2 == 0) {
                EXPECT_TRUE(trees.children(0, node).size() < 2 ||
                            trees.children(1, node).size() < 2);
            }
        }
    }
}

// Two members, one loop in one slice: send, hop, receive.
TEST(LibraryChannel, OneLoopOfTwoMembers) {
    RingChannel channel;
    channel.hop = Time::ns(3);
    channel.work = {{1, 1, Time::ns(10), Time::ns(4)}};
    EXPECT_EQ(ring_channel_time(channel), Time::ns(10 + 3 + 4));
    // The second slice of the send hides the hop of the first, and the first that of the second.
    channel.work = {{1, 2, Time::ns(10), Time::ns(4)}};
    EXPECT_EQ(ring_channel_time(channel), Time::ns(20 + 4 + 4));
}

}  // namespace
}  // namespace npunet::engine
