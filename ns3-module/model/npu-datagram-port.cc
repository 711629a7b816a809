// SPDX-License-Identifier: GPL-2.0-only

#include "npu-datagram-port.h"

#include "npu-socket-application.h"
#include "npu-socket-network.h"

#include <ns3/data-rate.h>
#include <ns3/simulator.h>

#include <algorithm>

namespace ns3
{

NpuDatagramPort::~NpuDatagramPort()
{
    m_next.Cancel();
    m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
}

void
NpuDatagramPort::Start(Ptr<Socket> listening)
{
    m_socket = listening;
    m_socket->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket> in) { Read(in); }));
}

void
NpuDatagramPort::Stop()
{
    m_socket->Close();
}

void
NpuDatagramPort::Send(const NpuMessageKey& key, uint64_t bytes)
{
    m_waiting.push_back({key, bytes});
    if (m_next.IsExpired())
    {
        SendWaiting();
    }
}

uint32_t
NpuDatagramPort::GetPart() const
{
    return m_application.GetNetwork()->GetDatagramSize() - NpuMessageHeader::SIZE;
}

void
NpuDatagramPort::SendWaiting()
{
    const DataRate rate = m_application.GetNetwork()->GetDatagramRate();
    while (!m_waiting.empty())
    {
        const uint32_t size = SendOne();
        if (rate.GetBitRate() > 0)
        {
            m_next = Simulator::Schedule(
                rate.CalculateBytesTxTime(size), &NpuDatagramPort::SendWaiting, this);
            return;
        }
    }
}

uint32_t
NpuDatagramPort::SendOne()
{
    Outgoing& message = m_waiting.front();
    const auto part =
        static_cast<uint32_t>(std::min<uint64_t>(message.bytes - message.offset, GetPart()));
    const NpuMessageHeader header(message.key, message.bytes, message.offset);
    const uint32_t size = NpuMessageHeader::SIZE + part;
    const Ptr<Packet> datagram = MakePart(header, 0, size);
    const Ptr<NpuSocketNetwork> network = m_application.GetNetwork();
    if (m_socket->SendTo(datagram, 0, network->GetAddress(message.key.destination)) < 0)
    {
        network->Failed(message.key.source,
                        message.key.destination,
                        "has no way for its datagrams, or they are too large,");
    }
    else
    {
        m_application.NotifyTx(datagram);
    }
    if (message.offset == 0)
    {
        network->FirstByteAccepted(message.key);
    }
    message.offset += part;
    if (message.offset == message.bytes)
    {
        network->LastByteAccepted(message.key);
        network->LastByteAcknowledged(message.key);
        m_waiting.pop_front();
    }
    return size;
}

void
NpuDatagramPort::Read(Ptr<Socket> socket)
{
    Address from;
    while (const Ptr<Packet> packet = socket->RecvFrom(from))
    {
        m_application.NotifyRx(packet, from);
        if (packet->GetSize() < NpuMessageHeader::SIZE)
        {
            continue; // of another sender
        }
        NpuMessageHeader header;
        const Ptr<Packet> part = packet->Copy();
        part->RemoveHeader(header);
        const NpuMessageKey key{header.source, m_application.GetNpu(), header.number};
        const Ptr<NpuSocketNetwork> network = m_application.GetNetwork();
        if (!network->IsComing(key, header.bytes))
        {
            continue; // a late duplicate
        }
        const auto coming = m_coming.try_emplace(key, header.bytes, GetPart()).first;
        if (coming->second.Insert(header.offset, part->GetSize()))
        {
            network->BytesArrived(key, part->GetSize());
        }
        if (!network->IsComing(key, header.bytes))
        {
            m_coming.erase(coming);
        }
    }
}

} // namespace ns3
