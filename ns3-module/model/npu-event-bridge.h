// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_EVENT_BRIDGE_H
#define NPU_EVENT_BRIDGE_H

#include "engine/clock/event_queue.h"

#include <ns3/event-impl.h>
#include <ns3/ptr.h>

#include <cstdint>

namespace ns3
{

/**
 * @ingroup npunet
 * Lets ns-3's Simulator drive an npunet::engine::EventQueue: it keeps one ns-3 event pending, at
 * the time of the queue's earliest event, and handles one instant of the queue each time it fires.
 * One picosecond of the queue is one step of ns-3's clock, so ns-3 must run in picoseconds.
 *
 *     npunet::engine::EventQueue queue;
 *     NpuEventBridge bridge(queue);
 *     // ... schedule on the queue, and on the Simulator
 *     Simulator::Run();
 *
 * Events of ns-3 that are pending for an instant when its turn comes, by whomever they were
 * scheduled, run before the queue's, so that messages they send take part in the choices of that
 * instant. What ns-3 code schedules later for the same instant finds those choices made.
 *
 * Code that runs in an ns-3 event calls Synchronize() before it schedules on the queue.
 */
class NpuEventBridge final : private npunet::engine::EventHandler
{
  public:
    /// How far one ns-3 event takes the queue.
    enum class Stride
    {
        /// One instant: whoever is called from the queue finds ns-3's clock right.
        INSTANT,
        /// While ns-3 has no other event, on and on, with ns-3's clock standing still: for a queue
        /// whose events call no ns-3 code.
        UNTIL_OTHERS
    };

    /**
     * @param queue to be driven; must outlive the bridge
     * @param stride how far one ns-3 event takes it
     *
     * Stops the program when ns-3 does not run in picoseconds.
     */
    explicit NpuEventBridge(npunet::engine::EventQueue& queue, Stride stride = Stride::INSTANT);
    ~NpuEventBridge();
    NpuEventBridge(const NpuEventBridge&) = delete;
    NpuEventBridge& operator=(const NpuEventBridge&) = delete;

    /// Makes picoseconds the step of ns-3's clock. Possible once in a program, before any run.
    static void UsePicoseconds();

    /// Moves the queue's clock to ns-3's.
    void Synchronize();

  private:
    class Wake;

    /// The queue has a new earliest event.
    void handle(std::uint64_t payload) override;

    /// The pending ns-3 event is due.
    void Fire();

    /// Sees to it that an ns-3 event is pending for the queue's earliest.
    void Arm();

    npunet::engine::EventQueue& m_queue; ///< what is driven
    Stride m_stride;                     ///< how far one ns-3 event takes it
    Ptr<Wake> m_wake;                    ///< the ns-3 event, used again and again
    std::int64_t m_armedFor;             ///< earliest pending use of it, in picoseconds
    bool m_letOthersGo = false;          ///< it is pending behind the other events of this instant
};

} // namespace ns3

#endif /* NPU_EVENT_BRIDGE_H */
