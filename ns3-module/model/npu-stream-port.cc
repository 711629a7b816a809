// SPDX-License-Identifier: GPL-2.0-only

#include "npu-stream-port.h"

#include "npu-socket-application.h"
#include "npu-socket-network.h"

#include <ns3/log.h>

#include <algorithm>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NpuStreamPort");

namespace
{

/**
 * @param socket is left without callbacks
 */
void
Silence(const Ptr<Socket>& socket)
{
    socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                               MakeNullCallback<void, Ptr<Socket>>());
    socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                              MakeNullCallback<void, Ptr<Socket>>());
    socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                              MakeNullCallback<void, Ptr<Socket>, const Address&>());
    socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
    socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
}

} // namespace

NpuStreamPort::~NpuStreamPort()
{
    for (const Ptr<Socket>& socket : GetSockets())
    {
        Silence(socket);
    }
}

std::vector<Ptr<Socket>>
NpuStreamPort::GetSockets() const
{
    std::vector<Ptr<Socket>> sockets{m_listening};
    for (const auto& [destination, connection] : m_connections)
    {
        sockets.push_back(connection.socket);
    }
    for (const Inlet& inlet : m_inlets)
    {
        sockets.push_back(inlet.socket);
    }
    return sockets;
}

void
NpuStreamPort::Start(Ptr<Socket> listening)
{
    m_listening = listening;
    m_listening->SetAcceptCallback(
        Callback<bool, Ptr<Socket>, const Address&>(
            [](Ptr<Socket>, const Address&) { return true; }),
        Callback<void, Ptr<Socket>, const Address&>(
            [this](Ptr<Socket> socket, const Address&) { Accepted(socket); }));
    m_listening->Listen();
}

void
NpuStreamPort::Stop()
{
    for (const Ptr<Socket>& socket : GetSockets())
    {
        Silence(socket);
        socket->Close();
    }
}

void
NpuStreamPort::Send(const NpuMessageKey& key, uint64_t bytes)
{
    Connection& connection = m_connections[key.destination];
    connection.waiting.push_back({key, bytes});
    if (!connection.socket)
    {
        Connect(key.destination);
    }
    Progress(key.destination);
}

void
NpuStreamPort::Connect(uint32_t destination)
{
    NS_LOG_FUNCTION(this << destination);
    Connection& connection = m_connections[destination];
    connection.socket = m_application.MakeSocket(false);
    connection.room = connection.socket->GetTxAvailable();
    const auto failed =
        Callback<void, Ptr<Socket>>([this, destination](Ptr<Socket>) { Failed(destination); });
    connection.socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, destination](Ptr<Socket>) { Opened(destination); }),
        failed);
    connection.socket->SetCloseCallbacks(failed, failed);
    connection.socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(
        [this, destination](Ptr<Socket>, uint32_t) { Progress(destination); }));
    if (connection.socket->Connect(m_application.GetNetwork()->GetAddress(destination)) != 0)
    {
        Failed(destination);
    }
}

void
NpuStreamPort::Opened(uint32_t destination)
{
    m_connections[destination].open = true;
    Progress(destination);
}

void
NpuStreamPort::Failed(uint32_t destination)
{
    Connection& connection = m_connections[destination];
    const std::string what = connection.open ? "has lost its connection" : "could not connect";
    connection.open = false;
    m_application.GetNetwork()->Failed(m_application.GetNpu(), destination, what);
}

void
NpuStreamPort::Progress(uint32_t destination)
{
    Connection& connection = m_connections[destination];
    if (!connection.open)
    {
        return;
    }
    Write(connection);
    // What the socket holds is not acknowledged. Other sockets than TCP's hold nothing.
    const uint32_t available = std::min(connection.socket->GetTxAvailable(), connection.room);
    const uint64_t acknowledged = connection.accepted - (connection.room - available);
    while (!connection.unacknowledged.empty() &&
           connection.unacknowledged.front().end <= acknowledged)
    {
        m_application.GetNetwork()->LastByteAcknowledged(connection.unacknowledged.front().key);
        connection.unacknowledged.pop_front();
    }
}

void
NpuStreamPort::Write(Connection& connection)
{
    while (!connection.waiting.empty())
    {
        const Outgoing& message = connection.waiting.front();
        const uint64_t whole = NpuMessageHeader::SIZE + message.bytes;
        const auto length = static_cast<uint32_t>(
            std::min<uint64_t>(whole - connection.written, connection.socket->GetTxAvailable()));
        if (length == 0)
        {
            return;
        }
        const Ptr<Packet> part =
            MakePart(NpuMessageHeader(message.key, message.bytes), connection.written, length);
        const int taken = connection.socket->Send(part);
        if (taken <= 0)
        {
            return;
        }
        m_application.NotifyTx(part);
        if (connection.written == 0)
        {
            m_application.GetNetwork()->FirstByteAccepted(message.key);
        }
        connection.written += static_cast<uint64_t>(taken);
        connection.accepted += static_cast<uint64_t>(taken);
        if (connection.written == whole)
        {
            m_application.GetNetwork()->LastByteAccepted(message.key);
            connection.unacknowledged.push_back({message.key, connection.accepted});
            connection.waiting.pop_front();
            connection.written = 0;
        }
    }
}

void
NpuStreamPort::Accepted(Ptr<Socket> socket)
{
    // Places in a deque stay where they are.
    Inlet& inlet = m_inlets.emplace_back(
        Inlet{socket, NpuStreamReader([this](const NpuMessageHeader& header, uint64_t bytes) {
                  Arrived(header, bytes);
              })});
    socket->SetRecvCallback(
        Callback<void, Ptr<Socket>>([this, &inlet](Ptr<Socket>) { Read(inlet); }));
}

void
NpuStreamPort::Arrived(const NpuMessageHeader& header, uint64_t bytes) const
{
    const Ptr<NpuSocketNetwork> network = m_application.GetNetwork();
    const NpuMessageKey key{header.source, m_application.GetNpu(), header.number};
    if (network->IsComing(key, header.bytes))
    {
        network->BytesArrived(key, bytes);
    }
}

void
NpuStreamPort::Read(Inlet& inlet)
{
    Address from;
    while (const Ptr<Packet> packet = inlet.socket->RecvFrom(from))
    {
        if (packet->GetSize() == 0)
        {
            return; // the other end has closed
        }
        m_application.NotifyRx(packet, from);
        inlet.reader.Read(packet);
    }
}

} // namespace ns3
