// Collectives whose course is known: one that has its links to itself is not simulated with the
// others; it takes as long as one like it alone (collective_memory.h). A step has thousands of
// equal collectives in its tensor-parallel groups.
//
// A collective is held from when its first member begins until all have, if nothing is under way on
// the links of its communicator (communicator_links.h) and the communicator rarely shares them.
// When all have begun, its circumstances are known: what it is, how long after the first each
// member has begun, and the state of the links. That decides when each member is done; no member of
// an all-reduce, all-gather, reduce-scatter or all-to-all is done before all have begun, so that it
// is early enough to say so. What the links carry is counted then.
//
// A collective of the same communicator may follow before credits and acknowledgements are back: it
// is then simulated behind the one before. If another one begins on any of its links, or results
// tell of contention in it, it has to be simulated with the others from its beginning on, which is
// past: at the end of that instant CollectivesMet is thrown, and the run is to be made again; the
// memories know what is to be left out then.
//
// Packets of collectives that share no links may share the buffer of a node. As long as all that
// waits at its ports, most of each at any time, would fit there at once below every threshold, they
// have no effect on each other; when that is no longer so, the run is made again, in which nodes
// count like links.
//
//     if (remembered.begin(beginning) && remembered.have_begun(instance)) {  // held
//         remembered.decide(instance, call);                                 // null: stopped
//     }
//     remembered.done(instance);                                             // at all members
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/collective/collective_memory.h"
#include "engine/collective/mirrored_collectives.h"
#include "engine/network/idle_links.h"
#include "engine/network/link_load.h"
#include "engine/network/network.h"

namespace npunet::engine {

/// The run is to be made again with the same memories.
class CollectivesMet : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override {
        return "a collective meets one that was not simulated";
    }
};

class RememberedCollectives final : private EventHandler {
public:
    /// Whether collectives can be remembered on such a network: nothing there depends on the time
    /// or on draws, every pair of NPUs has its routes, and NPUs have no port that all links share.
    [[nodiscard]] static bool can_on(const topology::NetworkDescription& network);

    /// `idle`: of the network. `load` is what that tells of busy links, and may be null. All must
    /// outlive this.
    RememberedCollectives(CollectiveMemories& memories, EventQueue& queue, IdleLinks& idle,
                          LinkLoadRecorder* load);

    /// True: it is held, or is_mirrored(); of its first member when `may_be`.
    [[nodiscard]] bool begin(const CollectiveBeginning& beginning, bool may_be);

    /// A Send begins.
    void message_begins(Rank from, Rank to);

    /// Whether all members of a collective that is held have begun.
    [[nodiscard]] bool have_begun(std::uint32_t instance) const {
        const Call& call = calls_.at(instance);
        return call.begun_members == call.offsets.size();
    }
    /// What becomes of a collective that is held, as all members have begun; null when the run is
    /// stopped. `call` has what it is and the operations.
    [[nodiscard]] std::shared_ptr<const CollectiveMemory> decide(std::uint32_t instance,
                                                                 CollectiveCall call);
    /// When the first member of a collective that is under way has begun.
    [[nodiscard]] Time begun(std::uint32_t instance) const { return calls_.at(instance).begun; }

    /// Whether a collective under way is not simulated, as it follows another one.
    [[nodiscard]] bool is_mirrored(std::uint32_t instance) const {
        return calls_.at(instance).state == State::Mirrored;
    }
    /// Of a collective of which a member is done: the communicators whose collectives of the same
    /// number follow it.
    [[nodiscard]] std::vector<std::size_t> followers_of(std::uint32_t instance);
    /// A communicator does not do as the one that it follows.
    void differs(std::size_t group);

    /// The run has ended: what is not simulated is counted to here. One that `is_whole` may throw
    /// CollectivesMet.
    void complete(bool is_whole);

    /// The last member of a collective is done.
    void done(std::uint32_t instance);

    /// Adds what the collectives have carried that were not simulated with the others.
    void add_to(std::vector<LinkUse>& use) const;
    /// Packets times links crossed in them; `of_network`: in the others, 0 where there are no
    /// packets.
    [[nodiscard]] std::uint64_t packet_hops(std::uint64_t of_network) const {
        return packet_hops_ + (of_network > 0 ? mirrored_packets_ : 0);
    }
    /// Collectives that were not simulated with the others.
    [[nodiscard]] std::uint64_t recalled() const { return recalled_; }
    /// Of those the ones that followed others.
    [[nodiscard]] std::uint64_t mirrored() const { return mirrored_; }

private:
    enum class State : std::uint8_t { Simulated, Held, Recalled, Mirrored };

    /// A collective under way, or one whose links are not idle yet.
    struct Call {
        CollectiveBeginning first;
        State state = State::Simulated;
        Time begun;
        Time settles;               ///< after its end
        std::vector<Time> offsets;  ///< by member
        IdleLinks::State state_of_links;
        /// The one before on these links, which was at rest then, and how long before it began.
        std::shared_ptr<const CollectiveMemory> previous;
        Time gap;
        /// What becomes of it, once that is known.
        std::shared_ptr<const CollectiveMemory> memory;
        Time rests_until;  ///< all members are done, and links settle until then; zero: no
        std::size_t begun_members = 0;
        bool in_mirror = false;  ///< it leads or follows
    };

    /// One whose end is known has settled; of none: throws.
    void handle(std::uint64_t payload) override;
    static constexpr std::uint64_t none = 0xffffffff;
    /// The first member of a collective begins, whose links are taken; `alone`: before by none.
    void choose_state(Call& call, bool may_be, bool may_be_held, bool alone);
    /// Closes mirrors whose links the communicator uses, if they are over.
    void close_mirrors(std::size_t group);
    void close_mirror(std::size_t leader);
    /// The leaders of those on these links.
    [[nodiscard]] std::vector<std::size_t> mirrors_on(const std::vector<std::uint32_t>& links);
    /// Whether any call or mirror is on these links.
    [[nodiscard]] bool is_taken(const std::vector<std::uint32_t>& links) const;
    /// Whether no other call is on its links.
    [[nodiscard]] bool take_links(std::size_t group);
    void leave_links(std::size_t group);
    /// A call is over.
    void leave(std::uint32_t instance);
    /// If only one of the same communicator is on its links, which is at rest: the call follows
    /// that one, which leaves them.
    void follow(Call& call);
    /// A collective of the group begins: those that are held or known on its links are lost.
    void meet(std::size_t group);
    /// Whether no message of a Send is under way that may come to its links.
    [[nodiscard]] bool is_free_of_messages(std::size_t group);
    /// At the end of this instant the run ends.
    void lose();
    /// Whether buffers that do not count may have mattered to anything; then they will count.
    bool buffers_mattered();
    /// If so, the run is lost. Not more often than there is much to look at.
    void look_at_buffers_at_times();
    void add_load(const CollectiveMemory& memory, const IdleLinks::Links& links, Time begun) const;

    CollectiveMemories& memories_;
    EventQueue& queue_;
    IdleLinks& idle_;
    LinkLoadRecorder* load_;
    MirroredCollectives mirrors_;
    std::vector<std::uint32_t> users_;  ///< by link or node: calls under way, and mirrors
    std::map<std::uint32_t, Call> calls_;
    std::map<std::size_t, std::uint32_t> at_rest_;  ///< by group: that call of it
    std::vector<LinkUse> carried_;                  ///< by link
    bool lost_ = false;                             ///< the run ends with this instant
    std::uint64_t next_look_ = 0;      ///< at buffers: when this number of events have been
    std::uint64_t longer_queues_ = 0;  ///< courses that have made a queue longer
    /// Messages of Sends that may be under way, or answers to them.
    std::set<const CommunicatorLinks::Messages*> loud_;
    std::uint64_t recalled_ = 0;
    std::uint64_t mirrored_ = 0;
    std::uint64_t packet_hops_ = 0;
    std::uint64_t mirrored_packets_ = 0;  ///< those of links; also where networks have none
};

}  // namespace npunet::engine
