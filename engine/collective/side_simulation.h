// One collective at a time on a network of its own, with nothing else there: how long its members
// take that begin at certain times, and what its links carry.
//
//     SideSimulation side({workload, network, system, dialect, planner}, make_network, true);
//     const CollectiveMemory memory = side.run(call, links);
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
    void on_operation_done(Rank rank, std::uint32_t operation) override;
    void on_receive_done(Rank, std::uint32_t, Time) override {}
    /// A member begins.
    void handle(std::uint64_t member) override;
    /// Lets all members of a call begin, from `begun` on.
    void begin(const CollectiveCall& call, Time begun);
    /// Until all members are done. False: they will not be.
    [[nodiscard]] bool run_members();
    /// The calls of a path, up to the beginning of the next one, when the links are described in
    /// `rest`. False: there is no such state.
    [[nodiscard]] bool go(const CollectivePath& path, const CollectiveCall& next,
                          const IdleLinks::Links& links, IdleLinks::State& rest);
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
    std::unique_ptr<LinkLoadRecorder> load_;  ///< null: none
    const CollectiveCall* call_ = nullptr;    ///< under way
    Time begun_;
    std::vector<Time> takes_;                       ///< of call_
    std::size_t under_way_ = 0;                     ///< members of call_
    const IdleLinks::Links* rest_links_ = nullptr;  ///< valid with rest_
    IdleLinks::State* rest_ = nullptr;  ///< where the first member to begin has these described
};

}  // namespace npunet::engine
