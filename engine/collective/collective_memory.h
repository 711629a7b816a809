// How collectives fare that have their links to themselves: simulated when they are first asked
// for (side_simulation.h), and kept. Outlives a run that has to be made again.
//
//     CollectiveMemories memories({workload, network, system, dialect, planner}, make_network,
//     true); const CollectiveMemory& memory = memories.of(call);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/collective/communicator_links.h"
#include "engine/collective/planner.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/network/link_load.h"
#include "engine/network/network.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class SideSimulation;

/// What a run is made of; all outlive who is given it.
struct CollectiveSetting {
    const Workload& workload;
    const topology::NetworkDescription& network;
    const SystemConfig& system;
    const Dialect& dialect;
    CollectivePlanner& planner;
};

/// Another network of the run's kind, on a queue of its own.
using NetworkFactory = std::function<std::unique_ptr<Network>(EventQueue& queue)>;

/// A collective, and the circumstances in which it begins.
struct CollectiveCall {
    std::size_t group = 0;
    std::uint64_t number = 0;               ///< among those of the group
    std::vector<std::uint32_t> operations;  ///< by member
    /// In all that decides about its messages, but for what follows; equal ones are alike.
    std::vector<std::int64_t> like;
    std::vector<Time> offsets;         ///< by member: begins so long after the first
    std::vector<std::uint64_t> state;  ///< of its links: Network::idle_state()
};

struct CollectiveMemory {
    std::vector<Time> takes;  ///< by member, from the beginning of the first
    Time settles;             ///< from the end of the last until the links are idle, at most
    bool usable = true;       ///< no contention that results tell of, and then idle links
    std::uint64_t packet_hops = 0;
    std::vector<std::uint32_t> links;  ///< of the communicator
    // Of these links:
    std::vector<std::uint64_t> after;  ///< Network::idle_state()
    std::vector<LinkUse> use;
    /// When they were busy, link by link, from the beginning of the collective on.
    std::vector<LinkLoadRecorder::Interval> load;
    /// Of each link: from the first interval to the last, busy as they are together.
    std::vector<LinkLoadRecorder::Interval> load_of_link;
    std::vector<std::size_t> load_ends;  ///< of each link: behind its intervals
};

class CollectiveMemories {
public:
    /// `load`: memories hold when links were busy.
    CollectiveMemories(const CollectiveSetting& setting, NetworkFactory make_network, bool load);
    ~CollectiveMemories();
    CollectiveMemories(const CollectiveMemories&) = delete;
    CollectiveMemories& operator=(const CollectiveMemories&) = delete;

    /// Valid until the next call.
    [[nodiscard]] const CollectiveMemory& of(const CollectiveCall& call);

    [[nodiscard]] const CollectiveSetting& setting() const { return setting_; }
    [[nodiscard]] CommunicatorLinks& links() { return links_; }
    /// Without the nodes.
    [[nodiscard]] std::vector<std::uint32_t> links_of(std::size_t group);

    /// That collective of a group is to be simulated with the others.
    void leave_out(std::size_t group, std::uint64_t number) { calls_.emplace(group, number); }
    /// All of that kind and number of members are.
    void leave_out(CollectiveKind kind, std::size_t members) { kinds_.emplace(kind, members); }
    void leave_out_all() { all_ = true; }
    [[nodiscard]] bool leaves_out(std::size_t group, std::uint64_t number,
                                  CollectiveKind kind) const;
    /// How many collectives have been simulated here.
    [[nodiscard]] std::uint64_t simulated() const { return simulated_; }

private:
    /// Beyond this number of words (keys, intervals, links) what is kept is forgotten.
    static constexpr std::size_t most_kept = std::size_t{1} << 22;

    CollectiveSetting setting_;
    NetworkFactory make_network_;
    bool load_;
    CommunicatorLinks links_;
    std::unique_ptr<SideSimulation> side_;  ///< null before the first call
    /// By group, likeness, offsets and state of the links.
    std::map<std::vector<std::int64_t>, CollectiveMemory> memories_;
    std::size_t kept_ = 0;
    std::uint64_t simulated_ = 0;
    std::set<std::pair<std::size_t, std::uint64_t>> calls_;   ///< left out
    std::set<std::pair<CollectiveKind, std::size_t>> kinds_;  ///< left out
    bool all_ = false;                                        ///< left out
};

}  // namespace npunet::engine
