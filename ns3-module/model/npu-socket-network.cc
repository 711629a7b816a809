// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-network.h"

#include "npu-compat.h"
#include "npu-quantities.h"
#include "npu-socket-application.h"

#include "base/units.h"

#include <ns3/abort.h>
#include <ns3/inet-socket-address.h>
#include <ns3/inet6-socket-address.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/simulator.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/uinteger.h>

#include <fmt/format.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NpuSocketNetwork");

NS_OBJECT_ENSURE_REGISTERED(NpuSocketNetwork);

namespace event_kind = npunet::engine::event_kind;

TypeId
NpuSocketNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuSocketNetwork")
            .SetParent<NpuNetwork>()
            .SetGroupName("Npunet")
            .AddConstructor<NpuSocketNetwork>()
            .AddAttribute("Protocol",
                          "Makes the sockets: ns3::TcpSocketFactory, ns3::UdpSocketFactory, or "
                          "another whose sockets are streams or datagrams.",
                          TypeIdValue(TcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&NpuSocketNetwork::m_protocol),
                          MakeTypeIdChecker())
            .AddAttribute("Port",
                          "Where the NPUs listen.",
                          UintegerValue(4791),
                          MakeUintegerAccessor(&NpuSocketNetwork::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("DatagramSize",
                          "Of full datagrams (UDP), with the 24 bytes of the message's header and "
                          "without those of lower layers, in bytes.",
                          UintegerValue(1472),
                          MakeUintegerAccessor(&NpuSocketNetwork::m_datagramSize),
                          MakeUintegerChecker<uint32_t>(NpuMessageHeader::SIZE + 1, 65507))
            .AddAttribute("DatagramRate",
                          "The datagrams of an NPU leave so far apart as they last at this rate, "
                          "headers of lower layers not counted. 0: those of a message all at once.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&NpuSocketNetwork::m_datagramRate),
                          MakeDataRateChecker())
            .AddAttribute("SendEnds",
                          "When a message counts as sent: when the other end has acknowledged its "
                          "last byte, or when the socket has taken it.",
                          EnumValue(ACKNOWLEDGED),
                          NpuMakeEnumAccessor<SendEnd>(&NpuSocketNetwork::m_sendEnds),
                          MakeEnumChecker(ACKNOWLEDGED, "Acknowledged", ACCEPTED, "Accepted"));
    return tid;
}

NpuSocketNetwork::NpuSocketNetwork() = default;
NpuSocketNetwork::~NpuSocketNetwork() = default;

void
NpuSocketNetwork::SetNetwork(npunet::topology::NetworkDescription network)
{
    NS_ABORT_MSG_IF(m_bridge, "an NpuSocketNetwork has one topology");
    m_description = std::move(network);
    // Its switches have no sockets to which requests could be sent.
    m_description.reducing_switches.clear();
    m_bridge = std::make_unique<NpuEventBridge>(m_queue);
}

void
NpuSocketNetwork::AddApplication(Ptr<NpuSocketApplication> application, const Address& address)
{
    application->SetNetwork(this, static_cast<uint32_t>(m_applications.size()));
    m_applications.push_back(application);
    m_addresses.push_back(
        Ipv6Address::IsMatchingType(address)
            ? Address(Inet6SocketAddress(Ipv6Address::ConvertFrom(address), m_port))
            : Address(InetSocketAddress(Ipv4Address::ConvertFrom(address), m_port)));
}

ApplicationContainer
NpuSocketNetwork::GetApplications() const
{
    ApplicationContainer applications;
    for (const Ptr<NpuSocketApplication>& application : m_applications)
    {
        applications.Add(application);
    }
    return applications;
}

Address
NpuSocketNetwork::GetAddress(uint32_t npu) const
{
    return m_addresses.at(npu);
}

void
NpuSocketNetwork::Synchronize()
{
    if (m_bridge)
    {
        m_bridge->Synchronize();
    }
}

uint32_t
NpuSocketNetwork::GetNodeId(std::size_t position) const
{
    // The switches of the topology are no nodes of ns-3.
    const Ptr<Node> node =
        position < m_applications.size() ? m_applications[position]->GetNode() : nullptr;
    return node ? node->GetId() : static_cast<uint32_t>(position);
}

void
NpuSocketNetwork::send(const npunet::engine::Message& message)
{
    NS_ABORT_MSG_IF(m_applications.size() != m_description.graph.npus(),
                    "the topology has " << m_description.graph.npus() << " NPUs, but "
                                        << m_applications.size() << " have sockets");
    uint32_t place = static_cast<uint32_t>(m_records.size());
    if (m_free.empty())
    {
        m_records.emplace_back();
    }
    else
    {
        place = m_free.back();
        m_free.pop_back();
    }
    Record& record = m_records[place];
    record = Record();
    record.key.source = static_cast<uint32_t>(message.source.value());
    record.key.destination = static_cast<uint32_t>(message.destination.value());
    record.key.number = m_count[{record.key.source, record.key.destination}]++;
    record.message = message;
    record.begun = m_queue.now();
    m_places[record.key] = place;
    // Sockets are used in the context of their node.
    const Ptr<NpuSocketApplication> application = m_applications[message.source.index()];
    Simulator::ScheduleWithContext(GetNodeId(message.source.index()),
                                   Time(0),
                                   &NpuSocketApplication::Send,
                                   application,
                                   record.key,
                                   static_cast<uint64_t>(message.bytes.value()));
}

uint32_t
NpuSocketNetwork::Find(const NpuMessageKey& key) const
{
    const auto found = m_places.find(key);
    return found == m_places.end() ? NOWHERE : found->second;
}

void
NpuSocketNetwork::FirstByteAccepted(const NpuMessageKey& key)
{
    Synchronize();
    m_records[Find(key)].firstByteLeft = m_queue.now();
}

void
NpuSocketNetwork::LastByteAccepted(const NpuMessageKey& key)
{
    if (m_sendEnds == ACCEPTED)
    {
        Tell(Find(key), event_kind::message_sent);
    }
}

void
NpuSocketNetwork::LastByteAcknowledged(const NpuMessageKey& key)
{
    if (m_sendEnds == ACKNOWLEDGED)
    {
        Tell(Find(key), event_kind::message_sent);
    }
}

bool
NpuSocketNetwork::IsComing(const NpuMessageKey& key, uint64_t bytes) const
{
    const uint32_t place = Find(key);
    return place != NOWHERE && !m_records[place].delivered &&
           static_cast<uint64_t>(m_records[place].message.bytes.value()) == bytes;
}

void
NpuSocketNetwork::BytesArrived(const NpuMessageKey& key, uint64_t bytes)
{
    const uint32_t place = Find(key);
    if (place == NOWHERE || m_records[place].delivered)
    {
        return;
    }
    m_lastArrival = TimeOf(Simulator::Now());
    Record& record = m_records[place];
    record.arrived += npunet::Bytes(static_cast<int64_t>(bytes));
    if (record.arrived >= record.message.bytes)
    {
        record.delivered = true;
        Tell(place, event_kind::message_delivered);
    }
}

void
NpuSocketNetwork::Tell(uint32_t place, unsigned kind)
{
    NS_LOG_FUNCTION(this << place << kind);
    Synchronize();
    m_queue.schedule(m_queue.now(),
                     npunet::engine::EventKey::of(
                         npunet::engine::Phase::Arrival, kind, m_records[place].message.id.value()),
                     *this,
                     (std::uint64_t{place} << 4) | kind);
}

void
NpuSocketNetwork::handle(std::uint64_t payload)
{
    const auto place = static_cast<uint32_t>(payload >> 4);
    // The listener may send, which moves the records.
    Record& record = m_records[place];
    const npunet::engine::Message message = record.message;
    const npunet::Time begun = record.begun;
    const npunet::Time firstByteLeft = record.firstByteLeft;
    const bool delivery = (payload & 15) == event_kind::message_delivered;
    (delivery ? record.told : record.sent) = true;
    if (record.told && record.sent)
    {
        m_places.erase(record.key);
        m_free.push_back(place);
    }
    if (delivery)
    {
        NotifyDelivered(message, begun);
        listener_->on_delivered(message.handle, firstByteLeft);
        return;
    }
    NotifySent(message);
    if (message.wants_sent)
    {
        listener_->on_sent(message.handle);
    }
}

void
NpuSocketNetwork::run(npunet::engine::EventQueue& /* queue */)
{
    Simulator::Run();
}

void
NpuSocketNetwork::Failed(uint32_t source, uint32_t destination, const std::string& what)
{
    NS_LOG_WARN("NPU " << source << " " << what << " to NPU " << destination);
    m_failures.emplace(std::make_pair(source, destination), what);
}

std::string
NpuSocketNetwork::Explain(const Record& record) const
{
    const auto [source, destination, number] = record.key;
    std::string text =
        fmt::format("message {} from NPU {} to NPU {}, sent at {}: {} of {} bytes are in",
                    number,
                    source,
                    destination,
                    npunet::format_time(record.begun),
                    record.arrived.value(),
                    record.message.bytes.value());
    const auto failure = m_failures.find({source, destination});
    if (failure != m_failures.end())
    {
        text += fmt::format("; NPU {} {} to NPU {}", source, failure->second, destination);
    }
    for (const uint32_t npu : {source, destination})
    {
        if (!m_applications[npu]->IsRunning())
        {
            text += fmt::format("; the application of NPU {} is not running", npu);
        }
    }
    return text;
}

std::string
NpuSocketNetwork::explain_stall() const
{
    constexpr std::size_t MOST = 4;
    std::string text;
    std::size_t missing = 0;
    for (const auto& [key, place] : m_places)
    {
        if (!m_records[place].delivered && ++missing <= MOST)
        {
            text += "\n  " + Explain(m_records[place]);
        }
    }
    if (missing == 0)
    {
        return "";
    }
    if (missing > MOST)
    {
        text += fmt::format("\n  ... and {} more", missing - MOST);
    }
    const npunet::Time now = TimeOf(Simulator::Now());
    return fmt::format(
        "{} messages have not arrived over {}:{}\nThe simulation ended at {}, the last "
        "bytes came at {}. If it was stopped before they all could arrive, let it go "
        "on (Simulator::Stop()). Otherwise something is lost for good: sockets of "
        "datagrams do not send again what a queue or a link drops, or what waits for "
        "an answer of ARP (a DatagramRate helps, a NeighborCacheHelper, or TCP), and "
        "connections need a route there and back",
        missing,
        m_protocol.GetName(),
        text,
        npunet::format_time(now),
        npunet::format_time(m_lastArrival));
}

void
NpuSocketNetwork::DoDispose()
{
    m_bridge.reset();
    m_applications.clear();
    NpuNetwork::DoDispose();
}

} // namespace ns3
