// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-application.h"

#include "npu-datagram-port.h"
#include "npu-socket-network.h"
#include "npu-stream-port.h"

#include <ns3/abort.h>
#include <ns3/inet-socket-address.h>
#include <ns3/inet6-socket-address.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/trace-source-accessor.h>

#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NpuSocketApplication");

NS_OBJECT_ENSURE_REGISTERED(NpuSocketApplication);

TypeId
NpuSocketApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuSocketApplication")
            .SetParent<Application>()
            .SetGroupName("Npunet")
            .AddConstructor<NpuSocketApplication>()
            .AddAttribute("Network",
                          "That the NPU belongs to.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&NpuSocketApplication::GetNetwork),
                          MakePointerChecker<NpuSocketNetwork>())
            .AddTraceSource("Tx",
                            "A socket has taken a part of a message, with its header.",
                            MakeTraceSourceAccessor(&NpuSocketApplication::m_tx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Rx",
                            "A packet has come in.",
                            MakeTraceSourceAccessor(&NpuSocketApplication::m_rx),
                            "ns3::Packet::AddressTracedCallback");
    return tid;
}

NpuSocketApplication::NpuSocketApplication() = default;
NpuSocketApplication::~NpuSocketApplication() = default;

void
NpuSocketApplication::SetNetwork(Ptr<NpuSocketNetwork> network, uint32_t npu)
{
    m_network = network;
    m_npu = npu;
}

Ptr<NpuSocketNetwork>
NpuSocketApplication::GetNetwork() const
{
    return m_network;
}

bool
NpuSocketApplication::IsRunning() const
{
    return m_port != nullptr;
}

void
NpuSocketApplication::Send(const NpuMessageKey& key, uint64_t bytes)
{
    NS_LOG_FUNCTION(this << key.destination << key.number << bytes);
    if (m_port)
    {
        m_port->Send(key, bytes);
    }
    else
    {
        m_waiting.emplace_back(key, bytes);
    }
}

Ptr<Socket>
NpuSocketApplication::MakeSocket(bool listening) const
{
    const Ptr<Socket> socket = Socket::CreateSocket(GetNode(), m_network->GetProtocol());
    const bool six = Inet6SocketAddress::IsMatchingType(m_network->GetAddress(m_npu));
    const uint16_t port = m_network->GetPort();
    int failed = 0;
    if (listening)
    {
        failed = six ? socket->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                     : socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    }
    else
    {
        failed = six ? socket->Bind6() : socket->Bind();
    }
    NS_ABORT_MSG_IF(failed != 0 && listening && socket->GetErrno() == Socket::ERROR_ADDRINUSE,
                    "port " << port << " of node " << GetNode()->GetId()
                            << " is in use: give the NPUs another one by "
                               "NpuSocketHelper::SetAttribute(\"Port\", ...)");
    NS_ABORT_MSG_IF(failed != 0,
                    "no socket of " << m_network->GetProtocol().GetName() << " could be bound to "
                                    << (listening ? "port " + std::to_string(port) : "a free port")
                                    << " of node " << GetNode()->GetId() << " (Socket::SocketErrno "
                                    << socket->GetErrno() << "): does it have "
                                    << (six ? "IPv6" : "IPv4") << ", as NPU " << m_npu
                                    << "'s address says?");
    return socket;
}

void
NpuSocketApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    const Ptr<Socket> listening = MakeSocket(true);
    const Socket::SocketType type = listening->GetSocketType();
    if (type == Socket::NS3_SOCK_STREAM || type == Socket::NS3_SOCK_SEQPACKET)
    {
        m_port = std::make_unique<NpuStreamPort>(*this);
    }
    else
    {
        m_port = std::make_unique<NpuDatagramPort>(*this);
    }
    m_port->Start(listening);
    for (const auto& [key, bytes] : std::exchange(m_waiting, {}))
    {
        m_port->Send(key, bytes);
    }
}

void
NpuSocketApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_port)
    {
        m_port->Stop();
        m_port.reset();
    }
}

void
NpuSocketApplication::DoDispose()
{
    m_port.reset();
    m_network = nullptr;
    Application::DoDispose();
}

} // namespace ns3
