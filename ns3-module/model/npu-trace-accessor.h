// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TRACE_ACCESSOR_H
#define NPU_TRACE_ACCESSOR_H

#include <ns3/callback.h>
#include <ns3/object-base.h>
#include <ns3/ptr.h>
#include <ns3/trace-source-accessor.h>

#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * Gives access to a trace source and tells its object whenever a sink is connected or disconnected:
 * for what is worth working out only while there are sinks.
 *
 *     MakeNpuTraceAccessor(&NpuNetDevice::m_packetSent, &NpuNetDevice::ListenersChanged)
 *
 * @tparam Owner class of the object
 */
template <class Owner> class NpuTraceAccessor final : public TraceSourceAccessor
{
  public:
    /**
     * @param source the trace source
     * @param changed to be called
     */
    NpuTraceAccessor(Ptr<const TraceSourceAccessor> source, void (Owner::*changed)())
        : m_source(source), m_changed(changed)
    {
    }

    bool
    ConnectWithoutContext(ObjectBase* object, const CallbackBase& callback) const override
    {
        return Tell(object, m_source->ConnectWithoutContext(object, callback));
    }

    bool
    Connect(ObjectBase* object, std::string context, const CallbackBase& callback) const override
    {
        return Tell(object, m_source->Connect(object, context, callback));
    }

    bool
    DisconnectWithoutContext(ObjectBase* object, const CallbackBase& callback) const override
    {
        return Tell(object, m_source->DisconnectWithoutContext(object, callback));
    }

    bool
    Disconnect(ObjectBase* object, std::string context, const CallbackBase& callback) const override
    {
        return Tell(object, m_source->Disconnect(object, context, callback));
    }

  private:
    /**
     * @param object of the trace source
     * @param done whether something has changed
     * @return the same
     */
    bool
    Tell(ObjectBase* object, bool done) const
    {
        auto* owner = dynamic_cast<Owner*>(object);
        if (done && owner != nullptr)
        {
            (owner->*m_changed)();
        }
        return done;
    }

    Ptr<const TraceSourceAccessor> m_source; //!< the trace source
    void (Owner::*m_changed)();              //!< to be called
};

/**
 * @ingroup npunet
 * @param source the trace source
 * @param changed called when a sink is connected or disconnected
 * @return the accessor
 */
template <class Owner, class Source>
Ptr<const TraceSourceAccessor>
MakeNpuTraceAccessor(Source Owner::*source, void (Owner::*changed)())
{
    return Create<NpuTraceAccessor<Owner>>(MakeTraceSourceAccessor(source), changed);
}

} // namespace ns3

#endif /* NPU_TRACE_ACCESSOR_H */
