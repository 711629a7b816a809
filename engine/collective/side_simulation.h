// One collective at a time on a network of its own, with nothing else there: how long its members
// take that begin at certain times, and what its links carry.
//
//     SideSimulation side({workload, network, system, dialect, planner}, make_network, true);
//     const CollectiveMemory memory = side.run(call, links, nullptr, rest, watch);
//
// Its clock goes on from call to call; networks behave the same at any time.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/collective/collective_engine.h"
#include "engine/collective/collective_memory.h"
#include "engine/network/idle_links.h"
#include "engine/network/link_load.h"
#include "engine/network/network.h"
#include "engine/network/rank_timers.h"
#include "engine/network/transport.h"
#include "engine/program/fold.h"
#include "engine/program/operation_listener.h"
#include "engine/program/rank_share.h"

namespace npunet::engine {

class SideSimulation final : private OperationListener, private EventHandler {
public:
    /// The references must outlive this. `load`: memories hold when links were busy.
    SideSimulation(const CollectiveSetting& setting, const NetworkFactory& make_network, bool load);

    /// `links`: those of the communicator. `path`: what precedes it; null: nothing. `rest` becomes
    /// the links' state behind the path. `watch` may end it (EventQueue::set_watch()), and may be
    /// null.
    [[nodiscard]] CollectiveMemory run(const CollectiveCall& call, const IdleLinks::Links& links,
                                       const CollectivePath* path, IdleLinks::State& rest,
                                       QueueWatch* watch);
    /// It has been ended, and is of no more use.
    [[nodiscard]] bool stopped() const { return queue_.stopped(); }
    [[nodiscard]] const Network& network() const { return *network_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr unsigned number_shift = 32;  ///< of a call, in the payload of events

    void on_operation_done(Rank rank, std::uint32_t operation) override;
    void on_receive_done(Rank, std::uint32_t, Time) override {}
    /// A member begins: number of the call, and the member.
    void handle(std::uint64_t payload) override;
    /// Schedules when the members of all calls begin.
    void plan(const CollectiveCall& call, const CollectivePath* path);
    /// Until all members of the last call are done. False: they will not be, or one call begins
    /// before the one before is done.
    [[nodiscard]] bool run_calls();
    /// The first member of a call is about to begin. False: it cannot.
    [[nodiscard]] bool begin(std::size_t number);
    /// Lets time pass until the links are idle. False: they do not become so.
    [[nodiscard]] bool settle(const IdleLinks::Links& links, CollectiveMemory& memory);

    const CollectiveSetting setting_;
    Fold fold_;
    RankShare share_;
    EventQueue queue_;
    std::unique_ptr<Network> network_;
    RankTimers timers_;
    Transport transport_;
    CollectiveEngine engine_;
    std::unique_ptr<LinkLoadRecorder> load_;    ///< null: none
    std::vector<const CollectiveCall*> calls_;  ///< those of the path, and the last one
    std::size_t current_ = none;                ///< of calls_
    Time begun_;                                ///< the current one
    std::vector<Time> takes_;                   ///< of the current one
    std::size_t unfinished_ = 0;                ///< members of the current one
    bool failed_ = false;
    const IdleLinks::Links* links_ = nullptr;
    IdleLinks::State* rest_ = nullptr;  ///< becomes that before the last call; null: not wanted
};

}  // namespace npunet::engine
