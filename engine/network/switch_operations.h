// What switches that reduce and multicast do for collectives, as messages to and from them.
//
// A read of a sum: the NPU that asks sends a request to the switch, which asks every member of the
// group; each answers with its data, and when all have, the switch sends one sum to the NPU that
// asked. Requests carry no data. A switch has entries for some reductions at a time; further
// requests wait there in the order in which they came, and hold up nothing else. A write to all:
// the data go to the switch once, and from there to every member, the sender among them.
//
// Whatever reaches a switch or an NPU is taken in at once, so that requests cannot keep answers
// from arriving, and no cycle of waiting messages can form.
//
//     operations.read_sum(operation);      // on_request() at every member, then on_sum()
//     operations.answer(number, member);
//     operations.write_to_all(operation);  // on_copy() of every member
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/ids.h"
#include "base/pool.h"
#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/network/switch_adder.h"
#include "engine/network/transport.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// Whether messages to and from switches that reduce are carried at every fidelity: by links that
/// stay up, with credits and no queue pairs, on routes that are given.
[[nodiscard]] bool can_address_switches(const topology::NetworkDescription& network);

/// One request to a switch.
struct SwitchOperation {
    std::uint32_t of_switch = 0;  ///< place in NetworkDescription::reducing_switches
    Rank asker;
    /// Each with links to and from the switch; outlives the operation.
    const std::vector<Rank>* members = nullptr;
    Bytes bytes;
    Communication kind = Communication::AllReduce;
    MessageOrder order;  ///< its `major` is the asker's operation
    MessageNote note{};  ///< for the one who asks
};

class SwitchOperationListener {
public:
    /// The same work of a member: `major` of messages to and from it.
    [[nodiscard]] virtual std::uint64_t operation_of(const SwitchOperation& what,
                                                     std::size_t member) = 0;
    /// A member is to answer, by answer().
    virtual void on_request(std::uint32_t operation, const SwitchOperation& what,
                            std::size_t member) = 0;
    virtual void on_sum(const SwitchOperation& what) = 0;
    virtual void on_copy(const SwitchOperation& what, std::size_t member) = 0;

protected:
    ~SwitchOperationListener() = default;
};

class SwitchOperations final : private MessageOwner, private EventHandler {
public:
    /// The references must outlive this.
    SwitchOperations(const topology::NetworkDescription& description, EventQueue& queue,
                     Transport& transport, SwitchOperationListener& listener);

    void read_sum(const SwitchOperation& operation);
    void write_to_all(const SwitchOperation& operation);
    void answer(std::uint32_t operation, std::size_t member);

private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// What a message is, or that a switch has added up, or that a sum has left it; in the order in
    /// which what comes to a switch in one instant is acted upon.
    enum Part : std::uint32_t { left, reduced, given_answer, written, asked, request, sum, copy };

    struct Operation {
        SwitchOperation what;
        /// Answers, or copies; of a sum, that it leaves and that it arrives.
        std::size_t missing = 0;
        std::uint32_t next = none;
    };
    /// Something that has come to a switch in this instant.
    struct Arrival {
        MessageOrder order;
        Rank asker;
        std::uint32_t operation;
        Part part;
        [[nodiscard]] bool before(const Arrival& other) const;
    };
    struct Entries {
        std::int32_t used = 0;
        std::deque<std::uint32_t> waiting;
        SwitchAdder adder;
    };

    /// Of sums: the entry is free.
    void on_sent(const MessageNote& note) override { arrive(note[0], left); }
    void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) override;
    [[nodiscard]] MessageLabel label_of(const MessageNote& /*note*/) const override { return {}; }
    [[nodiscard]] MessageNote note_of(const MessageLabel& /*label*/) override { return {}; }
    /// Acts on what has come to switches in this instant; of a number from 1, ends a reduction.
    void handle(std::uint64_t payload) override;

    std::uint32_t open(const SwitchOperation& operation);
    void arrive(std::uint32_t number, Part part);
    /// One of the missing is there; true: the last one.
    bool is_last(std::uint32_t number) { return --operations_[number].missing == 0; }
    void act(const Arrival& arrival);
    void start_reduction(std::uint32_t number);
    void end_reduction(std::uint32_t number);
    void free_entry(std::uint32_t of_switch);
    void send_to_members(std::uint32_t number, Part part, Bytes bytes);
    void send(NodeId from, NodeId to, std::uint32_t number, Part part, std::size_t member,
              Bytes bytes);
    [[nodiscard]] NodeId switch_of(const SwitchOperation& operation) const {
        return description_.reducing_switches[operation.of_switch].node;
    }
    [[nodiscard]] NodeId npu_of(Rank rank) const { return description_.npu_of_rank[rank.index()]; }

    const topology::NetworkDescription& description_;
    EventQueue& queue_;
    Transport& transport_;
    SwitchOperationListener& listener_;
    Pool<Operation> operations_;
    std::vector<Entries> entries_;  ///< by switch
    std::vector<Arrival> arrivals_;
    std::vector<Arrival> acting_;
};

}  // namespace npunet::engine
