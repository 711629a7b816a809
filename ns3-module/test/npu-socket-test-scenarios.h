// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SOCKET_TEST_SCENARIOS_H
#define NPU_SOCKET_TEST_SCENARIOS_H

#include "npu-test-networks.h"

#include "ns3/npu-socket-helper.h"

#include <ns3/config.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet-test
 * @return links of 8 Gb/s, a byte in a nanosecond, and 10 us
 */
inline PointToPointHelper
NanosecondBytes()
{
    PointToPointHelper links;
    links.SetDeviceAttribute("DataRate", StringValue("8Gbps"));
    links.SetChannelAttribute("Delay", StringValue("10us"));
    return links;
}

/**
 * @ingroup npunet-test
 * Nodes around a router, on links of 8 Gb/s and 10 us, with addresses and routes.
 * @param count how many
 * @return the nodes, without the router
 */
inline NodeContainer
MakeStar(uint32_t count)
{
    NodeContainer nodes(count);
    const NodeContainer router(1);
    InternetStackHelper stack;
    stack.Install(nodes);
    stack.Install(router);
    PointToPointHelper links = NanosecondBytes();
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < count; ++i)
    {
        addresses.Assign(links.Install(nodes.Get(i), router.Get(0)));
        addresses.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return nodes;
}

/**
 * @ingroup npunet-test
 * Two nodes on such a link, with addresses 10.0.0.1 and 10.0.0.2.
 * @param devices of the link; may be null
 * @return the nodes
 */
inline NodeContainer
MakePair(NetDeviceContainer* devices = nullptr)
{
    const NodeContainer nodes(2);
    InternetStackHelper().Install(nodes);
    const NetDeviceContainer link = NanosecondBytes().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(link);
    if (devices)
    {
        *devices = link;
    }
    return nodes;
}

/**
 * @ingroup npunet-test
 * Counts what the trace sources of messages tell.
 */
struct NpuMessageLog
{
    /**
     * @param network to listen to
     */
    explicit NpuMessageLog(const Ptr<NpuNetwork>& network)
    {
        network->TraceConnectWithoutContext(
            "MessageSent", Sink([this](uint32_t, uint32_t, uint64_t, Time) { ++sent; }));
        network->TraceConnectWithoutContext("MessageDelivered",
                                            Sink([this](uint32_t, uint32_t, uint64_t size, Time) {
                                                ++delivered;
                                                bytes += size;
                                            }));
    }

    uint64_t sent{0};      ///< messages
    uint64_t delivered{0}; ///< messages
    uint64_t bytes{0};     ///< payload of those delivered
};

/**
 * @ingroup npunet-test
 * Sends messages of the test's own over a network.
 */
class NpuTestSender final : private npunet::engine::MessageListener
{
  public:
    /**
     * @param network without a workload
     */
    explicit NpuTestSender(const Ptr<NpuNetwork>& network) : m_network(network)
    {
        m_network->GetNetwork().set_listener(*this);
    }

    /**
     * Sends a message now.
     * @param source number of an NPU
     * @param destination number of another
     * @param bytes payload
     * @return its number here
     */
    std::size_t
    Send(uint32_t source, uint32_t destination, int64_t bytes)
    {
        npunet::engine::Message message;
        message.source = npunet::NodeId(static_cast<int32_t>(source));
        message.destination = npunet::NodeId(static_cast<int32_t>(destination));
        message.bytes = npunet::Bytes(bytes);
        message.handle = static_cast<uint32_t>(delivered.size());
        message.id = npunet::engine::MessageId(message.source, message.handle);
        message.wants_sent = true;
        sent.emplace_back(-1);
        delivered.emplace_back(-1);
        left.emplace_back(-1);
        m_network->Synchronize();
        m_network->GetNetwork().send(message);
        return message.handle;
    }

    std::vector<int64_t> sent;      ///< when, by message, in picoseconds; -1: not
    std::vector<int64_t> delivered; ///< likewise
    std::vector<int64_t> left;      ///< when the first byte left, likewise

  private:
    void
    on_sent(std::uint32_t handle) override
    {
        sent[handle] = Simulator::Now().GetPicoSeconds();
    }

    void
    on_delivered(std::uint32_t handle, npunet::Time first) override
    {
        // Twice would be wrong.
        delivered[handle] = delivered[handle] < 0 ? Simulator::Now().GetPicoSeconds() : -2;
        left[handle] = first.ps();
    }

    Ptr<NpuNetwork> m_network; ///< carries the messages
};

} // namespace ns3

#endif /* NPU_SOCKET_TEST_SCENARIOS_H */
