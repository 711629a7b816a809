// SPDX-License-Identifier: GPL-2.0-only

#include "npu-event-bridge.h"

#include <ns3/abort.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{
/// No ns-3 event is pending.
constexpr std::int64_t NOT_ARMED = std::numeric_limits<std::int64_t>::max();
} // namespace

/// The ns-3 event. It may outlive the bridge in ns-3's list of events.
class NpuEventBridge::Wake final : public EventImpl
{
  public:
    /**
     * @param bridge to be woken
     */
    explicit Wake(NpuEventBridge* bridge) : m_bridge(bridge)
    {
    }

    /// Forgets the bridge.
    void
    Disconnect()
    {
        m_bridge = nullptr;
    }

  private:
    void
    Notify() override
    {
        if (m_bridge == nullptr)
        {
            return;
        }
        try
        {
            m_bridge->Fire();
        }
        catch (...)
        {
            // ns-3 lets go of an event only after it has come back.
            Unref();
            throw;
        }
    }

    NpuEventBridge* m_bridge; ///< to be woken
};

NpuEventBridge::NpuEventBridge(npunet::engine::EventQueue& queue, Stride stride)
    : m_queue(queue), m_stride(stride), m_wake(Create<Wake>(this)), m_armedFor(NOT_ARMED)
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "the NPU fabric needs ns-3 to run in picoseconds: call "
                    "NpuFabricHelper::UsePicoseconds() (or Time::SetResolution(Time::PS)) at the "
                    "start of main()");
    m_queue.set_waker(this);
    Arm();
}

NpuEventBridge::~NpuEventBridge()
{
    m_queue.set_waker(nullptr);
    m_wake->Disconnect();
}

void
NpuEventBridge::UsePicoseconds()
{
    NS_ABORT_MSG_IF(Time::GetResolution() == Time::FS,
                    "the NPU fabric needs ns-3 to run in picoseconds, not in femtoseconds");
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

void
NpuEventBridge::Synchronize()
{
    const npunet::Time now = npunet::Time::ps(Simulator::Now().GetTimeStep());
    // After Simulator::Destroy() ns-3's clock is at 0 again.
    m_queue.advance(std::max(now, m_queue.now()));
}

void
NpuEventBridge::handle(std::uint64_t /* payload */)
{
    Arm();
}

void
NpuEventBridge::Arm()
{
    const std::int64_t next = m_queue.next_time().ps();
    if (m_queue.empty() || next >= m_armedFor)
    {
        return;
    }
    if (m_armedFor != NOT_ARMED)
    {
        // ns-3 cannot take a wake back that is pending for later: it shall come to nothing.
        m_wake->Disconnect();
        m_wake = Create<Wake>(this);
    }
    m_armedFor = next;
    m_wake->Ref(); // ns-3 lets go of it after the event
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   TimeStep(static_cast<std::uint64_t>(next)) - Simulator::Now(),
                                   PeekPointer(m_wake));
}

void
NpuEventBridge::Fire()
{
    const std::int64_t now = Simulator::Now().GetTimeStep();
    m_armedFor = NOT_ARMED;
    if (m_queue.next_time().ps() == now)
    {
        // Alone in ns-3's list there is nothing to wait for.
        if (!m_letOthersGo && !Simulator::IsFinished())
        {
            m_letOthersGo = true;
        }
        else
        {
            m_letOthersGo = false;
            m_queue.set_alone(m_stride == Stride::UNTIL_OTHERS && Simulator::IsFinished());
            do
            {
                m_queue.run_instant();
            } while (m_stride == Stride::UNTIL_OTHERS && !m_queue.empty() &&
                     Simulator::IsFinished());
        }
    }
    Arm();
}

} // namespace ns3
