/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-network.h"

#include "npu-chakra-workload.h"

#include "base/errors.h"

#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuNetwork);

TypeId
NpuNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuNetwork")
            .SetParent<Object>()
            .SetGroupName("Npunet")
            .AddTraceSource("MessageSent",
                            "The last byte of a message has left its source.",
                            MakeTraceSourceAccessor(&NpuNetwork::m_messageSent),
                            "ns3::NpuNetwork::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "The last byte of a message has arrived.",
                            MakeTraceSourceAccessor(&NpuNetwork::m_messageDelivered),
                            "ns3::NpuNetwork::MessageTracedCallback");
    return tid;
}

bool
NpuNetwork::IsHere(std::size_t /* position */) const
{
    return true;
}

void
NpuNetwork::Carry(NpuChakraWorkload* workload)
{
    if (m_workload != nullptr && !m_workload->IsFinished())
    {
        throw npunet::InputError({"",
                                  "NpuChakraWorkload::Install",
                                  "a workload on a network whose other workload is not finished",
                                  "one workload at a time",
                                  "use a network for each, or install it when the other is done"});
    }
    m_workload = workload;
}

void
NpuNetwork::Drop(NpuChakraWorkload* workload)
{
    m_workload = m_workload == workload ? nullptr : m_workload;
}

void
NpuNetwork::Keep(std::shared_ptr<void> parts)
{
    m_kept.push_back(std::move(parts));
}

void
NpuNetwork::DoDispose()
{
    m_kept.clear();
    Object::DoDispose();
}

bool
NpuNetwork::HasSentListeners() const
{
    return !m_messageSent.IsEmpty();
}

void
NpuNetwork::NotifySent(const npunet::engine::Message& message) const
{
    m_messageSent(GetNodeId(message.source.index()),
                  GetNodeId(message.destination.index()),
                  static_cast<uint64_t>(message.bytes.value()),
                  Simulator::Now());
}

void
NpuNetwork::NotifyDelivered(const npunet::engine::Message& message) const
{
    m_messageDelivered(GetNodeId(message.source.index()),
                       GetNodeId(message.destination.index()),
                       static_cast<uint64_t>(message.bytes.value()),
                       Simulator::Now());
}

} // namespace ns3
