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

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuNetwork);

NpuNetwork::NpuNetwork() = default;
NpuNetwork::~NpuNetwork() = default;

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

npunet::engine::Network&
NpuNetwork::Carry(NpuChakraWorkload* workload, const std::vector<npunet::NodeId>& npus)
{
    std::vector<bool> taken(GetDescription().graph.npus(), false);
    for (const npunet::NodeId npu : npus)
    {
        const bool exists = npu.valid() && npu.index() < taken.size();
        if (!exists || taken[npu.index()])
        {
            Refuse(npu, exists ? "a second time" : "which does not exist");
        }
        taken[npu.index()] = true;
    }
    for (const Carried& other : m_carried)
    {
        for (const npunet::NodeId npu : other.npus)
        {
            if (taken[npu.index()] && !other.workload->IsFinished())
            {
                Refuse(npu, "which another workload has that is not finished");
            }
        }
    }
    if (!m_shared)
    {
        m_shared = std::make_unique<npunet::engine::SharedNetwork>(GetNetwork());
    }
    npunet::engine::Network& share = m_shared->add();
    m_carried.push_back({workload, npus, &share});
    return share;
}

void
NpuNetwork::Refuse(npunet::NodeId npu, const std::string& why)
{
    throw npunet::InputError({"",
                              "NpuChakraWorkload::Install",
                              "NPU " + std::to_string(npu.value()) + ", " + why,
                              "an NPU of the network for each rank, and for one workload at a time",
                              "Place the workload on other NPUs (NpuChakraHelper::SetNpus()), or "
                              "install it when the other is done"});
}

void
NpuNetwork::Drop(NpuChakraWorkload* workload)
{
    const auto dropped =
        std::find_if(m_carried.begin(), m_carried.end(), [workload](const Carried& carried) {
            return carried.workload == workload;
        });
    if (dropped != m_carried.end())
    {
        m_shared->close(*dropped->share);
        m_carried.erase(dropped);
    }
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
