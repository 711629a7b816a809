// Carries out collectives by NVLS on networks whose switches reduce and multicast: the three stages
// of every loop of every channel, and the trees between nodes: of heads, or of switches.
//
// A stage takes its time at the endpoint. In the second one the head of a part asks for sums, unit
// by unit, the next one when the last one is in, and writes each to all members at once, or sends
// it up the tree, or pushes it. What is in may be used when the stage is over and the hops behind
// it, or when the network has delivered it, whichever is later.
//
//     steps.start(run);                         // the rank is there
//     if (steps.act(run, place, number, bytes)) { ... }    // what arrive() was told; true: done
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "engine/clock/event_queue.h"
#include "engine/collective/run.h"
#include "engine/network/push_reductions.h"
#include "engine/network/switch_operations.h"
#include "engine/network/transport.h"

namespace npunet::engine {

/// The collective engine, as this sees it.
class NvlsHost {
public:
    /// Another member's part in the same collective, which may not have started.
    [[nodiscard]] virtual CollectiveRun& part_of_member(const CollectiveRun& run,
                                                        std::size_t member) = 0;
    [[nodiscard]] virtual CollectiveRun& part_number(std::uint32_t run) = 0;
    [[nodiscard]] virtual Rank rank_of_member(const CollectiveRun& run,
                                              std::size_t member) const = 0;
    /// act() in this instant's turn, in the order of content.
    virtual void arrive_at(CollectiveRun& run, std::uint32_t place, std::uint32_t number,
                           Bytes bytes) = 0;

protected:
    ~NvlsHost() = default;
};

class NvlsSteps final : private MessageOwner,
                        private SwitchOperationListener,
                        private PushListener,
                        private EventHandler {
public:
    NvlsSteps(const topology::NetworkDescription& description, EventQueue& queue,
              Transport& transport, PushReductions& pushes, NvlsHost& host)
        : queue_(queue),
          transport_(transport),
          pushes_(pushes),
          host_(host),
          operations_(description, queue, transport, *this) {}

    /// `run.plan` has an NvlsPlan.
    void start(CollectiveRun& run);
    /// True when the member has nothing more to do.
    [[nodiscard]] bool act(CollectiveRun& run, std::uint32_t place, std::uint32_t number,
                           Bytes bytes);

private:
    enum What : std::uint32_t {
        begins,        ///< the kernel
        request,       ///< for the sum of a unit: `bytes` is the operation
        part_is_in,    ///< of a unit: from the own node or from a child
        sum_is_in,     ///< of a unit, of the own node
        result_is_in,  ///< of a unit, from the parent or the switches
        copy_is_in,    ///< of a unit, of a head of the node
        scatter_ends,
        stage_ends,
        gather_ends,
    };
    struct Timer {
        std::uint32_t run = 0;
        std::uint32_t place = 0;
        std::uint32_t next = 0xffffffff;
    };

    void on_sent(const MessageNote& /*note*/) override {}
    void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) override;
    [[nodiscard]] MessageLabel label_of(const MessageNote& /*note*/) const override { return {}; }
    [[nodiscard]] MessageNote note_of(const MessageLabel& /*label*/) override { return {}; }
    [[nodiscard]] std::uint64_t operation_of(const SwitchOperation& what,
                                             std::size_t member) override;
    void on_request(std::uint32_t operation, const SwitchOperation& what,
                    std::size_t member) override;
    void on_sum(const SwitchOperation& what) override;
    void on_copy(const SwitchOperation& what, std::size_t member) override;
    [[nodiscard]] std::uint64_t operation_of(const PushedSlice& slice, std::size_t node) override;
    void on_result(const PushedSlice& slice, std::size_t node, Time due) override;
    void handle(std::uint64_t timer) override;

    NvlsRun& part(CollectiveRun& run, const std::shared_ptr<const NvlsPlan>& plan);
    NvlsRun& part_of(const CollectiveRun& run, std::size_t member);
    /// Of a member of the asker's node.
    CollectiveRun& part_of_other(const SwitchOperation& what, std::size_t member);
    void wait(const CollectiveRun& run, std::uint32_t channel, What what, Time until);
    void scatter(CollectiveRun& run, std::uint32_t channel);
    void end_scatter(CollectiveRun& run, std::uint32_t channel);
    void reduce(CollectiveRun& run, std::uint32_t channel);
    void ask(CollectiveRun& run, std::uint32_t channel);
    void end_stage(CollectiveRun& run, std::uint32_t channel);
    void add_part(CollectiveRun& run, std::uint32_t channel, std::uint32_t unit);
    void send(CollectiveRun& run, std::uint32_t channel, std::uint32_t unit, std::size_t to,
              What what);
    void push(const CollectiveRun& run, std::uint32_t channel, std::uint32_t unit);
    /// The head of a node for which that was pushed.
    CollectiveRun& head_of(const PushedSlice& slice, std::size_t node);
    void spread(CollectiveRun& run, std::uint32_t channel, std::uint32_t unit);
    void take_in(CollectiveRun& run, std::uint32_t channel, std::int64_t loop, Time due);
    void gather(CollectiveRun& run, std::uint32_t channel);
    [[nodiscard]] SwitchOperation operation(const CollectiveRun& run, std::uint32_t channel,
                                            std::uint32_t unit) const;

    EventQueue& queue_;
    Transport& transport_;
    PushReductions& pushes_;
    NvlsHost& host_;
    SwitchOperations operations_;
    Pool<Timer> timers_;
};

}  // namespace npunet::engine
