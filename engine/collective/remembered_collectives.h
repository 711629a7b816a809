// Collectives that have been simulated once and take as long again: what happens to one that has
// its links to itself is simulated, and the next one like it, under the same circumstances, takes
// its times from there. A step has thousands of equal collectives in its tensor-parallel groups.
//
// A collective is remembered where
// - all members began at one instant,
// - nothing was under way on the links of its communicator (communicator_links.h) when it began, or
//   soon after its last member was done, and no other collective on any of them in between, and
// - nobody's messages met contention that results tell of (Network::contention()).
// One like it, of the same communicator, takes as long, and its links carry as much, if again all
// members begin at one instant, the links are idle and in the same state, and no other collective
// is under way on any of them. Whether all begin together is known at the end of the instant: until
// then it is held. If another collective begins on its links before it ends, its end is not known
// any more: begin() throws CollectivesMet, and the run is to be made again without remembering
// those of that size.
//
// The engine says what happens:
//
//     if (remembered.begin({instance, group, member, key}, now)) { ... }   // held until decide()
//     remembered.decide(instance);         // null: it is to be simulated
//     remembered.member_done(instance, member, now);
//     remembered.done(instance, now);
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/collective/communicator_links.h"
#include "engine/network/link_load.h"
#include "engine/network/network.h"

namespace npunet::engine {

/// A collective has begun on links of one whose end was taken for known.
class CollectivesMet : public std::exception {
public:
    explicit CollectivesMet(std::size_t members) : members_(members) {}
    [[nodiscard]] const char* what() const noexcept override {
        return "a collective meets one that was not simulated";
    }
    /// Of the one that was not simulated.
    [[nodiscard]] std::size_t members() const { return members_; }

private:
    std::size_t members_;
};

class RememberedCollectives final : private EventHandler {
public:
    /// What makes collectives of a communicator alike: in all that decides about their messages.
    using Likeness = std::vector<std::int64_t>;

    /// Whether collectives can be remembered on such a network: nothing there depends on the time
    /// or on draws, every pair of NPUs has its routes, and NPUs have no port that all links share.
    [[nodiscard]] static bool can_on(const topology::NetworkDescription& network);

    /// `load` is what the network tells of busy links, and may be null. Communicators of `except`
    /// many members are not remembered. The references must outlive this.
    RememberedCollectives(const Workload& workload, const topology::NetworkDescription& description,
                          EventQueue& queue, Network& network, LinkLoadRecorder* load,
                          std::vector<std::size_t> except);

    /// How long each member took.
    struct Memory {
        std::vector<Time> takes;           ///< by member
        Time settles;                      ///< from the end until the links are idle, at the latest
        std::vector<std::uint32_t> links;  ///< of the communicator
        std::vector<std::uint64_t> before;  ///< of the links: Network::idle_state()
        std::vector<std::uint64_t> after;
        std::vector<LinkUse> use;                      ///< of the links, without the longest queue
        std::vector<LinkLoadRecorder::Interval> load;  ///< link by link
        /// Of each link: from the first interval to the last, busy as they are together.
        std::vector<LinkLoadRecorder::Interval> load_of_link;
        std::vector<std::size_t> load_ends;  ///< of each link: behind its intervals
        std::uint64_t recalled = 0;          ///< how often
    };

    /// A member begins. `like`: null where such a collective is not to be remembered. True: all
    /// that begin in this instant are held until decide().
    [[nodiscard]] bool begin(std::uint32_t instance, std::size_t group, const Likeness* like);
    /// A collective that is held: what is to happen to it; null where it is to be simulated.
    [[nodiscard]] const Memory* decide(std::uint32_t instance);
    void member_done(std::uint32_t instance, std::size_t member);
    /// The last member is done.
    void done(std::uint32_t instance);

    /// Adds what the collectives have carried that were not simulated.
    void add_to(std::vector<LinkUse>& use) const;
    /// Collectives that were not simulated.
    [[nodiscard]] std::uint64_t recalled() const { return recalled_; }

private:
    /// Observed and recalled ones stay until their links are idle.
    enum class State : std::uint8_t { Simulated, Observed, Settling, Held, Recalled };

    /// Collectives that are alike.
    struct Kind {
        std::vector<Memory> memories;  ///< they differ in the state of the links before
        std::size_t observed = 0;      ///< since one was remembered or recalled
    };
    static constexpr std::size_t most_states = 16;
    /// So many in a row were not to be remembered: the next ones are not observed.
    static constexpr std::size_t most_observed = 4;

    /// A collective under way.
    struct Call {
        std::uint32_t instance = 0;
        std::size_t group = 0;
        State state = State::Simulated;
        Time begun;
        Time ended;
        std::size_t begun_members = 0;
        Kind* kind = nullptr;  ///< unless simulated
        // Observed:
        Time contention;
        std::vector<LinkUse> use;
        Memory memory;
    };
    using Calls = std::map<std::uint32_t, Call>;

    /// Intervals of busy links, of all memories.
    static constexpr std::size_t most_intervals = std::size_t{1} << 22;

    /// Some time after a call.
    void handle(std::uint64_t instance) override;
    void look_again(const Call& call, Time wait);
    void leave_links(std::size_t group);
    /// Another one begins on links of calls that are under way or settle.
    void meet(std::size_t group);
    /// Its links are idle, and nobody else has them.
    void look_forward(Call& call, const Likeness& like);
    void observe(Call& call);
    void forget(Call& call);
    /// After it. False: the links are not idle yet.
    [[nodiscard]] bool keep(Call& call);
    /// What was heard of busy links since `begun`.
    static void keep_load(Memory& memory, Time begun);
    void add_load(const Memory& memory, Time begun) const;
    [[nodiscard]] std::vector<std::uint32_t> links_of(std::size_t group);
    [[nodiscard]] static Memory* memory_of(Kind& kind, const std::vector<std::uint64_t>& state);

    const Workload& workload_;
    EventQueue& queue_;
    Network& network_;
    LinkLoadRecorder* load_;
    std::vector<std::size_t> except_;
    CommunicatorLinks links_;
    std::vector<std::uint32_t> users_;  ///< by link or node: calls under way
    Calls calls_;
    std::size_t settling_ = 0;                                ///< of them
    std::map<std::pair<std::size_t, Likeness>, Kind> kinds_;  ///< by communicator
    std::size_t intervals_ = 0;
    std::uint64_t recalled_ = 0;
};

}  // namespace npunet::engine
