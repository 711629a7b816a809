// One channel of a ring in closed form against an event simulation of all its members, to the
// picosecond.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <queue>
#include <random>
#include <vector>

#include "engine/collective_library/channel_ring.h"

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
