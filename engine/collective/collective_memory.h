// How collectives fare that have their links to themselves: simulated when they are first asked
// for (side_simulation.h), and kept. Outlives a run that has to be made again.
//
//     CollectiveMemories memories({workload, network, system, dialect, planner}, make_network,
//     true); const std::shared_ptr<const CollectiveMemory> memory = memories.of(call,
//     queue.watch());
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/collective/alike_communicators.h"
#include "engine/collective/communicator_links.h"
#include "engine/collective/planner.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/network/idle_links.h"
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

/// A member of a collective begins.
struct CollectiveBeginning {
    std::uint32_t instance = 0;  ///< of CollectiveInstances
    std::size_t group = 0;
    std::uint64_t number = 0;  ///< among those of the group
    std::size_t member = 0;
    CollectiveKind kind = CollectiveKind::AllReduce;
    Bytes bytes;
};

struct CollectiveMemory;

/// A collective, and the circumstances in which it begins.
struct CollectiveCall {
    std::size_t group = 0;
    std::uint64_t number = 0;               ///< among those of the group
    std::vector<std::uint32_t> operations;  ///< by member
    /// In all that decides about its messages, but for what follows; equal ones are alike.
    std::vector<std::int64_t> like;
    std::vector<Time> offsets;  ///< by member: begins so long after the first
    IdleLinks::State state;     ///< of its links, if it does not follow another one
    /// One of the same communicator that was done when this one began, while credits or
    /// acknowledgements of it were under way; null: the links were idle.
    std::shared_ptr<const CollectiveMemory> previous;
    Time gap;  ///< begins so long after that one has begun
};

/// Calls that follow each other before the links are idle again, and lead to a state of rest.
struct CollectivePath {
    std::vector<CollectiveCall> calls;  ///< previous: null; gap: to the one before in this path
    Time gap;                           ///< from the beginning of the last one to that state
    // What their memories have together:
    std::vector<LinkUse> use;
    std::vector<std::uint64_t> packets;
    std::uint64_t packet_hops = 0;
};

struct CollectiveMemory {
    CollectiveCall call;                         ///< the first like it; previous: null
    std::shared_ptr<const CollectivePath> path;  ///< that leads to it; null: the links were idle
    std::vector<Time> takes;                     ///< by member, from the beginning of the first
    Time settles;        ///< from the end of the last until the links are idle, at most
    bool usable = true;  ///< no contention that results tell of, and then idle links
    std::uint64_t packet_hops = 0;
    // Of the links of its communicator:
    IdleLinks::State after;
    std::vector<LinkUse> use;
    std::vector<std::uint64_t> packets;  ///< IdleLinks::packet_numbers()
    /// When they were busy, link by link (here by its place among them), from the beginning of the
    /// collective on.
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

    /// `watch` may end the simulation of one that is not known; then null. It may itself be null.
    [[nodiscard]] std::shared_ptr<const CollectiveMemory> of(CollectiveCall call,
                                                             QueueWatch* watch);

    [[nodiscard]] const CollectiveSetting& setting() const { return setting_; }
    [[nodiscard]] CommunicatorLinks& links() { return links_; }
    /// Of a communicator, without the nodes. Memories of those that are alike are the same, link by
    /// link.
    [[nodiscard]] const IdleLinks::Links& links_of(std::size_t group);
    /// Of the queue pairs that have been used here.
    [[nodiscard]] QueuePairLimits queue_pair_limits() const;

    /// Whether the collective may be remembered, as far as is known.
    [[nodiscard]] bool allows(const CollectiveBeginning& which);
    /// It was asked for, and this number were simulated here for it: none or one.
    void count(const CollectiveBeginning& which, std::uint64_t simulated);
    /// The collective meets one of the communicator `other`: it is to be simulated with the others.
    /// If communicators share links that often do, all such ones will be.
    void meets(const CollectiveBeginning& which, std::size_t other);
    /// The communicator whose memories it has: itself, or one that is like it.
    [[nodiscard]] std::size_t first_like(std::size_t group) {
        return alike_.first_like(group, links_of(group));
    }
    /// Whether there are such communicators, of which collectives may lead and follow each other
    /// (mirrored_collectives.h), as far as is known.
    [[nodiscard]] bool may_mirror(std::size_t group);
    /// They do not follow those that are like them: of such communicators none will.
    void leave_out_mirrors(std::size_t group) {
        unlike_.insert(shape_of(group));
        lost_mirror_ = true;
    }
    /// All that are like it in kind, size and communicator are to be.
    void leave_out(const CollectiveBeginning& which) { left_out_.insert(category_of(which)); }
    /// A run of this number of events has ended in which collectives have met; the next one begins.
    /// Those like one that has done so in two runs are left out; after a long run all of such
    /// communicators.
    void run_again(std::uint64_t events);
    /// A run begins, in which nodes whose buffers are shared count like links if they may matter
    /// on such a network, or have in a run before.
    void begin_run(const IdleLinks& idle);
    /// In this run collectives that share no links may have affected each other in the buffers of
    /// nodes.
    void let_buffers_matter() { buffers_matter_ = true; }
    /// What is simulated apart in this run is so because buffers do not matter.
    void rely_on_buffers() { relies_on_buffers_ = !links_.counts_buffers(); }
    [[nodiscard]] bool relies_on_buffers() const { return relies_on_buffers_; }
    /// Collectives of the communicator have met a message of a Send: those of such communicators
    /// that may are simulated with the others in the next runs.
    void meets_message(std::size_t group) { meet_messages_.insert(shape_of(group)); }
    /// How many collectives have been simulated here.
    [[nodiscard]] std::uint64_t simulated() const { return simulated_; }

private:
    /// Of a communicator, number of members and how far the first two are apart: what those of
    /// tensor parallelism have in common, or of data parallelism.
    using Shape = std::pair<std::size_t, std::int32_t>;
    /// What is decided together for collectives.
    struct Category {
        CollectiveKind kind;
        Bytes bytes;
        Shape shape;
        friend bool operator<(const Category& a, const Category& b) {
            return std::tie(a.kind, a.bytes, a.shape) < std::tie(b.kind, b.bytes, b.shape);
        }
    };
    [[nodiscard]] Shape shape_of(std::size_t group) const;
    [[nodiscard]] Category category_of(const CollectiveBeginning& which) const;
    /// Whether no message of a Send is expected to meet those of the communicator.
    [[nodiscard]] bool is_without_messages(std::size_t group);
    /// How many collectives of the workload there are of each.
    void count_categories();

    static constexpr int most_runs = 10;               ///< then nothing is remembered
    static constexpr int most_runs_of_a_category = 2;  ///< that collectives of a kind may cost
    /// Of fewer than this number there is little to remember, and a run to lose.
    static constexpr std::uint64_t fewest_of_a_category = 4;
    /// A run of more events is not risked again for other collectives of such communicators, nor
    /// for mirrors.
    static constexpr std::uint64_t most_events_lost = 1'000'000;
    /// Collectives that follow each other lead to the same states of rest over and over; where they
    /// do not after this number of them, they are simulated with the others.
    static constexpr std::size_t longest_path = 6;
    /// What stands for the one before, and how long after it the next one begins.
    using Following = std::pair<std::shared_ptr<const CollectiveMemory>, Time>;
    using Key = std::vector<std::int64_t>;

    [[nodiscard]] static Key key_of(const CollectiveCall& call);
    [[nodiscard]] std::shared_ptr<const CollectiveMemory> of_following(const CollectiveCall& call,
                                                                       QueueWatch* watch);
    /// Simulates a call behind its path; `rest`: state of the links where that ends. Null: stopped.
    [[nodiscard]] std::shared_ptr<const CollectiveMemory> simulate(
        const CollectiveCall& call, const std::shared_ptr<const CollectivePath>& path,
        IdleLinks::State& rest, QueueWatch* watch);
    /// That begins with the path to a memory, and ends `gap` after its call has begun.
    [[nodiscard]] static std::shared_ptr<const CollectivePath> path_after(
        const CollectiveMemory& memory, Time gap);
    [[nodiscard]] std::int64_t number_of_rest(std::size_t group, IdleLinks::State state,
                                              const std::shared_ptr<const CollectivePath>& path);
    void keep(const Key& key, const std::shared_ptr<const CollectiveMemory>& memory);
    /// Whether those of a communicator, kind and size are mostly known, as far as they are counted.
    [[nodiscard]] bool repeats(const CollectiveBeginning& which) const;

    /// Beyond this number of words (keys, intervals, links) what is kept is forgotten.
    static constexpr std::size_t most_kept = std::size_t{1} << 22;

    CollectiveSetting setting_;
    NetworkFactory make_network_;
    bool load_;
    CommunicatorLinks links_;
    std::vector<std::optional<IdleLinks::Links>> links_of_;  ///< by group
    AlikeCommunicators alike_;
    std::unique_ptr<SideSimulation> side_;  ///< null before the first call
    /// By communicator (the first of those that are alike), likeness, offsets and state of the
    /// links, or -1 and number of the state of rest.
    std::map<Key, std::shared_ptr<const CollectiveMemory>> memories_;
    /// Numbers of states of rest: by communicator and state, and by what led to them.
    std::map<std::pair<std::size_t, IdleLinks::State>, std::int64_t> rests_;
    std::map<Following, std::int64_t> rest_after_;
    /// By state of rest: that lead there. Numbers are never used again.
    std::map<std::int64_t, std::shared_ptr<const CollectivePath>> paths_;
    std::int64_t next_rest_ = 0;
    std::size_t kept_ = 0;
    std::uint64_t simulated_ = 0;
    QueuePairLimits limits_;                                 ///< of simulations that are gone
    std::set<std::pair<std::size_t, std::uint64_t>> calls_;  ///< left out
    std::map<Category, std::uint64_t> numbers_;  ///< of collectives; empty before they are counted
    std::set<Category> left_out_;
    std::set<Shape> left_out_shapes_;
    std::set<Shape> unlike_;                 ///< leave_out_mirrors()
    bool lost_mirror_ = false;               ///< in this run
    bool mirrors_ = true;                    ///< they may be tried
    std::vector<std::uint32_t> alike_ones_;  ///< by first_like(): how many; empty: not counted yet
    bool buffers_matter_ = false;            ///< let_buffers_matter()
    bool relies_on_buffers_ = false;         ///< in this run
    bool tells_of_messages_ = true;          ///< IdleLinks::has_quiet_messages()
    std::set<Shape> meet_messages_;          ///< meets_message()
    bool shares_ = true;            ///< collectives whose links are shared may be remembered
    std::set<Category> met_;        ///< in this run
    std::map<Category, int> runs_;  ///< in which they met
    int runs_again_ = 0;
    struct Tally {
        std::uint64_t calls = 0;
        std::uint64_t simulated = 0;
    };
    std::map<std::tuple<std::size_t, CollectiveKind, Bytes>, Tally> tallies_;
};

}  // namespace npunet::engine
