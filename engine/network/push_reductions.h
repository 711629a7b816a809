// Reductions that all members push through a tree of switches, as SHARP does them: each member
// sends its data to the switch that it is below; a switch adds up what comes from all that are
// below it and sends one sum to its parent; the root copies the result to those below it, and so on
// to the members. Over every link of the tree the data go once up and once down.
//
// A slice goes in units, each a reduction of its own. A switch keeps an entry for a unit from the
// first part that comes until the sum has left (at the root: all copies). Where no entry is free,
// parts wait there in the order in which their units came; the last free entry goes only to a unit
// of which all parts are there, so that units of which parts are missing cannot keep those from
// coming: a member may send them only after others are through. Who pushes bounds what is under
// way. Whatever reaches a switch is taken in at once.
//
//     pushes.push(slice, member, due);    // by every member; then on_result() of every member
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "base/pool.h"
#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/switch_adder.h"
#include "engine/network/transport.h"
#include "topology/network/network_description.h"
#include "topology/network/reduction_tree.h"

namespace npunet::engine {

class PushListener;

/// One slice that all members of a tree push.
struct PushedSlice {
    // Which it is; unique among those under way.
    std::uint32_t collective = 0;
    std::uint32_t part = 0;  ///< of the collective, below 2^16
    std::uint32_t number = 0;
    PushListener* listener = nullptr;
    std::uint32_t run = 0;                          ///< of one of its members, for the listener
    const topology::ReductionTree* tree = nullptr;  ///< outlives the slice
    Bytes bytes;
    Communication kind = Communication::AllReduce;
};

class PushListener {
public:
    /// The work of a member in which it pushes (MessageOrder).
    [[nodiscard]] virtual std::uint64_t operation_of(const PushedSlice& slice,
                                                     std::size_t member) = 0;
    /// The result is at a member. `due`: the latest that was given with push().
    virtual void on_result(const PushedSlice& slice, std::size_t member, Time due) = 0;

protected:
    ~PushListener() = default;
};

class PushReductions final : private MessageOwner, private EventHandler {
public:
    /// The references must outlive this.
    PushReductions(const topology::NetworkDescription& description, EventQueue& queue,
                   Transport& transport);

    /// `slice.run` is that of the first member that pushes it.
    void push(const PushedSlice& slice, std::size_t member, Time due);

private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// What a message is, or what happens at a switch; in the order in which a switch acts upon
    /// what comes in one instant.
    enum What : std::uint32_t { left, reduced, given, copied, result };

    /// Of a unit at a switch.
    struct Place {
        std::uint32_t arrived = 0;
        std::uint32_t to_leave = 0;  ///< of the sum: messages that have not left
        bool open = false;           ///< it has an entry
    };
    struct Slice {
        PushedSlice what;
        Time due;
        std::uint64_t operation = 0;  ///< of the first member
        std::uint32_t units = 0;
        std::vector<Place> places;           ///< unit by unit, each by switch
        std::vector<std::uint32_t> missing;  ///< by member: units of the result
        std::size_t members_left = 0;        ///< without the result
        std::size_t entries_left = 0;        ///< units times switches whose sum has not left
        std::uint32_t next = none;
    };
    struct Arrival {
        std::uint32_t slice;
        std::uint32_t unit;
        std::uint32_t at;  ///< in the tree
        What what;
    };
    struct Entries {
        std::int32_t used = 0;
        /// Units that have none, in the order in which their first part came.
        std::deque<Arrival> waiting;
        SwitchAdder adder;
    };
    struct Timer {
        Arrival arrival{};
        std::uint32_t next = none;
    };

    void on_sent(const MessageNote& note) override;
    void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) override;
    [[nodiscard]] MessageLabel label_of(const MessageNote& /*note*/) const override { return {}; }
    [[nodiscard]] MessageNote note_of(const MessageLabel& /*label*/) override { return {}; }
    /// Acts on what has come in this instant; of a number from 1, ends a reduction.
    void handle(std::uint64_t payload) override;

    std::uint32_t slice_of(const PushedSlice& slice);
    void arrive(const Arrival& arrival);
    [[nodiscard]] bool is_before(const Arrival& a, const Arrival& b) const;
    void act(const Arrival& arrival);
    void add(const Arrival& arrival);
    /// Gives entries of a switch to units that wait.
    void admit(std::uint32_t of_switch);
    void complete(const Arrival& arrival);
    void send_sum(const Arrival& arrival);
    void send_copies(const Arrival& arrival);
    void leave(const Arrival& arrival);
    void send(NodeId from, NodeId to, const Arrival& arrival, std::uint32_t end, bool wants_sent,
              std::uint64_t operation);
    void forget_if_done(std::uint32_t slice);
    [[nodiscard]] Bytes unit_bytes(const Slice& slice, std::uint32_t unit) const;
    [[nodiscard]] std::int64_t unit_of(const topology::ReductionTree& tree) const;
    [[nodiscard]] Place& place_of(const Arrival& arrival);
    [[nodiscard]] const topology::ReductionTree::Switch& switch_of(const Arrival& arrival) const;
    [[nodiscard]] bool has_all(const Arrival& arrival);
    [[nodiscard]] NodeId node_of(const topology::ReductionTree& tree, std::uint32_t at) const;

    const topology::NetworkDescription& description_;
    EventQueue& queue_;
    Transport& transport_;
    Pool<Slice> slices_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> known_;
    std::vector<Entries> entries_;  ///< by place among the switches that reduce
    Pool<Timer> timers_;
    std::vector<Arrival> arrivals_;
    std::vector<Arrival> acting_;
};

}  // namespace npunet::engine
