// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-net-device.h"

#include <ns3/data-rate.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * ns3::Packets cross the fabric whole, to the node that owns the address.
 */
class NpuSendReceiveTestCase : public TestCase
{
  public:
    NpuSendReceiveTestCase() : TestCase("ns3::Packets cross the fabric")
    {
    }

  private:
    void
    DoRun() override
    {
        const NodeContainer npus(3);
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
        const NetDeviceContainer devices = helper.Install(npus);
        uint32_t packets = 0;
        uint32_t wire = 0;
        uint32_t drops = 0;
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            devices.Get(i)->SetReceiveCallback(
                MakeCallback(&NpuSendReceiveTestCase::Receive, this));
            devices.Get(i)->TraceConnectWithoutContext("PacketSent",
                                                       Sink([&](uint32_t, uint32_t bytes) {
                                                           ++packets;
                                                           wire += bytes;
                                                       }));
            devices.Get(i)->TraceConnectWithoutContext("MacTxDrop",
                                                       Sink([&](Ptr<const Packet>) { ++drops; }));
        }

        // 2000 bytes are packets of 1000, 1000 and 192 bytes on the wire: 10, 10 and 1.92 ns. Over
        // two links: (3 + 2 - 2) 10 + 1.92 + 2 x 5 = 41.92 ns.
        const std::string text(2000, 'x');
        Ptr<Packet> packet =
            Create<Packet>(reinterpret_cast<const uint8_t*>(text.data()), text.size());
        NS_TEST_EXPECT_MSG_EQ(
            devices.Get(0)->Send(packet, devices.Get(2)->GetAddress(), 0x0800), true, "accepted");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 1, "one receiver");
        const Received& received = m_received.front();
        NS_TEST_EXPECT_MSG_EQ(received.node, npus.Get(2)->GetId(), "the owner of the address");
        NS_TEST_EXPECT_MSG_EQ(received.context, npus.Get(2)->GetId(), "in its node's context");
        NS_TEST_EXPECT_MSG_EQ(received.time, PicoSeconds(41'920), "closed form");
        NS_TEST_EXPECT_MSG_EQ(received.protocol, 0x0800, "protocol");
        NS_TEST_EXPECT_MSG_EQ(received.from, devices.Get(0)->GetAddress(), "sender");
        std::vector<uint8_t> bytes(received.packet->GetSize());
        received.packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
        NS_TEST_EXPECT_MSG_EQ(std::string(bytes.begin(), bytes.end()), text, "content");
        NS_TEST_EXPECT_MSG_EQ(packets, 6, "three packets over two links");
        NS_TEST_EXPECT_MSG_EQ(wire, 2 * 2192, "with their headers");

        // A broadcast reaches everybody else.
        m_received.clear();
        devices.Get(1)->Send(packet, devices.Get(1)->GetBroadcast(), 0x0806);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received.size(), 2, "everybody else");

        // No device has this address, and no device takes packets beyond its Mtu.
        NS_TEST_EXPECT_MSG_EQ(
            devices.Get(0)->Send(packet, Mac48Address("00:00:00:00:be:ef"), 0x0800),
            false,
            "unknown address");
        devices.Get(0)->SetMtu(1999);
        NS_TEST_EXPECT_MSG_EQ(
            devices.Get(0)->Send(packet, devices.Get(2)->GetAddress(), 0x0800), false, "too large");
        NS_TEST_EXPECT_MSG_EQ(drops, 2, "both traced");
        Simulator::Destroy();
    }

    /// A call of the receive callback.
    struct Received
    {
        uint32_t node;            ///< whose device
        uint32_t context;         ///< ns-3's context
        Time time;                ///< when
        uint16_t protocol;        ///< protocol number
        Address from;             ///< sender
        Ptr<const Packet> packet; ///< the packet
    };

    /**
     * Receive callback.
     * @param device that received
     * @param packet the packet
     * @param protocol protocol number
     * @param from sender
     * @return true
     */
    bool
    Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address& from)
    {
        m_received.push_back({device->GetNode()->GetId(),
                              Simulator::GetContext(),
                              Simulator::Now(),
                              protocol,
                              from,
                              packet});
        return true;
    }

    std::vector<Received> m_received; ///< by the callback
};

/**
 * @ingroup npunet-test
 * Messages that other ns-3 events send take part in the choices of their instant, whether these
 * events were scheduled before or after the fabric's own.
 */
class NpuForeignEventTestCase : public TestCase
{
  public:
    NpuForeignEventTestCase() : TestCase("messages of foreign events take part in their instant")
    {
    }

  private:
    void
    DoRun() override
    {
        // Two packets from 0 to 1 and at 10 ns, when the first has left, one from 0 to 1 by a
        // foreign event: its turn is next, so it is in at 25 ns and the first message at 35 ns.
        for (const bool early : {true, false})
        {
            const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets("Mesh1D", {2}));
            Time first;
            Time second;
            const auto foreign = [&]() { fabric->Send(0, 1, 936, NoteTime(second)); };
            if (early)
            {
                Simulator::Schedule(NanoSeconds(10), foreign);
            }
            else
            {
                Simulator::Schedule(NanoSeconds(5),
                                    [&]() { Simulator::Schedule(NanoSeconds(5), foreign); });
            }
            fabric->Send(0, 1, 2 * 936, NoteTime(first));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(second, NanoSeconds(25), "foreign message");
            NS_TEST_EXPECT_MSG_EQ(first, NanoSeconds(35), "first message");
            Simulator::Destroy();
        }
    }
};

/// The suite.
NpuTestSuite g_npuNetDeviceTestSuite("npu-net-device",
                                     {new NpuSendReceiveTestCase, new NpuForeignEventTestCase});

} // namespace
