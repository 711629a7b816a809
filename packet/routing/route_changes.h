// Changes of routes where faults take links down: begins the epochs of topology::Reroutes, and lets
// the network deal with links that never recover. The beginning of an epoch is an event only while
// something is under way.
//
//     RouteChanges changes(queue, links, host);
//     changes.use(reroutes);
//     changes.await();  // before a message starts
#pragma once

#include "packet/base/member_event.h"

#include "engine/clock/event_queue.h"
#include "topology/network/reroutes.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// The network whose routes change.
class RouteChangesHost {
public:
    /// The link will never recover: nothing may wait for it.
    virtual void leave_dead_link(std::uint32_t link) = 0;

    /// After leave_dead_link() for all such links: packets that have chosen but not started choose
    /// again.
    virtual void choose_again() = 0;

    /// Whether anything is under way that failed links could affect.
    virtual bool is_busy() const = 0;

protected:
    ~RouteChangesHost() = default;
};

class RouteChanges {
public:
    /// `links`: how many the network has. Queue and host must outlive this.
    RouteChanges(engine::EventQueue& queue, std::size_t links, RouteChangesHost& host)
        : queue_(queue), links_(links), host_(host) {}

    /// Null if no link ever fails: then nothing here has an effect.
    void use(topology::Reroutes* reroutes) { reroutes_ = reroutes; }

    /// A message is about to start or to enter: makes the next epoch an event.
    void await() {
        if (reroutes_ != nullptr && !is_awaited_) {
            await_next();
        }
    }

    /// This is a partition that cannot know what is under way elsewhere: it goes through all
    /// epochs.
    void go_through_all() {
        all_ = true;
        await();
    }

private:
    void await_next();

    /// The event of an epoch: other links are down from now on.
    void begin(std::uint32_t epoch);

    engine::EventQueue& queue_;
    std::size_t links_;
    RouteChangesHost& host_;
    topology::Reroutes* reroutes_ = nullptr;
    std::size_t epoch_ = 0;    ///< index into Reroutes::epochs()
    bool is_awaited_ = false;  ///< the next epoch is an event
    bool all_ = false;         ///< all epochs are events
    MemberEvent<&RouteChanges::begin> begin_event_{*this};
};

}  // namespace npunet::packet
