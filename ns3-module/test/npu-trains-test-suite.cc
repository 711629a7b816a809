// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-fabric-helper.h"
#include "ns3/npu-net-device.h"

#include <ns3/boolean.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Draws numbers that depend on the seed alone.
class Draw
{
  public:
    /**
     * @param seed any number
     */
    explicit Draw(uint64_t seed) : m_state(seed * 2 + 1)
    {
    }

    /**
     * @param end at least 1
     * @return a number from 0 to end - 1
     */
    uint64_t
    Below(uint64_t end)
    {
        m_state = m_state * 6364136223846793005U + 1442695040888963407U;
        return (m_state >> 33) % end;
    }

  private:
    uint64_t m_state; ///< of the generator
};

/**
 * @ingroup npunet-test
 * Long messages, whose times are multiples of the 10 ns of a packet, while code of ns-3 sends,
 * looks and listens: from its own events, and where messages are delivered.
 */
class NpuTrainsTestCase : public TestCase
{
  public:
    NpuTrainsTestCase() : TestCase("with and without packet trains ns-3's code finds the same")
    {
    }

  private:
    void
    DoRun() override
    {
        for (uint64_t seed = 0; seed < 120; ++seed)
        {
            const std::string expected = Record(seed, false);
            NS_TEST_ASSERT_MSG_EQ(Record(seed, true), expected, "seed " << seed);
        }
    }

    /**
     * @param seed decides about everything but the trains
     * @param trains whether packets are moved together
     * @return all that was found
     */
    std::string
    Record(uint64_t seed, bool trains)
    {
        Draw draw(seed);
        m_record.str("");
        m_fabric = nullptr;
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {4});
        helper.SetFabricAttribute("Trains", BooleanValue(trains));
        if (seed % 2 == 1)
        {
            const bool drops = seed % 8 == 7;
            helper.SetFabricAttribute("FlowControl", StringValue(drops ? "None" : "Pfc"));
            helper.SetFabricAttribute("Transport",
                                      StringValue(drops           ? "SelectiveRepeat"
                                                  : seed % 4 == 1 ? "GoBackN"
                                                                  : "None"));
            helper.SetFabricAttribute("BufferSize", UintegerValue(drops ? 20'000 : 0));
        }
        m_fabric = Install(helper);
        for (uint64_t i = 0; i < 3; ++i)
        {
            Plan(draw, 936 * (40 + draw.Below(400)), draw.Below(4) == 0);
        }
        for (uint64_t i = draw.Below(4); i > 0; --i)
        {
            Plan(draw, 936 * (1 + draw.Below(3)), draw.Below(2) == 0);
        }
        for (uint64_t i = draw.Below(4); i > 0; --i)
        {
            Simulator::Schedule(When(draw), &NpuTrainsTestCase::Look, this);
        }
        if (draw.Below(3) == 0)
        {
            Simulator::Schedule(When(draw), &NpuTrainsTestCase::Listen, this);
        }
        if (draw.Below(5) == 0)
        {
            Simulator::Stop(When(draw));
        }
        for (uint64_t i = draw.Below(4); i > 0; --i)
        {
            Packets(draw);
        }
        Simulator::Run();
        Look();
        Simulator::Destroy();
        m_fabric = nullptr;
        return m_record.str();
    }

    /**
     * @param draw numbers
     * @return a time, mostly a multiple of that of a packet
     */
    Time
    When(Draw& draw)
    {
        const uint64_t odd = draw.Below(3) == 0 ? 1 + draw.Below(9'999) : 0;
        return NanoSeconds(10 * draw.Below(500)) + PicoSeconds(odd);
    }

    /**
     * A message that starts at some time.
     * @param draw numbers
     * @param bytes of the message
     * @param answered whether another one starts when it is delivered
     */
    void
    Plan(Draw& draw, uint64_t bytes, bool answered)
    {
        const auto from = static_cast<uint32_t>(draw.Below(4));
        const auto to = static_cast<uint32_t>((from + 1 + draw.Below(3)) % 4);
        Simulator::Schedule(When(draw), [this, from, to, bytes, answered]() {
            m_fabric->Send(from, to, bytes, Sink([this, from, to, bytes, answered](Time left) {
                               m_record << from << " to " << to << " at " << Simulator::Now()
                                        << ", from " << left << '\n';
                               if (answered)
                               {
                                   m_fabric->Send(to, from, bytes, Sink([this](Time) { Look(); }));
                               }
                           }));
        });
    }

    /**
     * A burst of ns3::Packets at some time.
     * @param draw numbers
     */
    void
    Packets(Draw& draw)
    {
        const auto from = static_cast<uint32_t>(draw.Below(4));
        const auto to = static_cast<uint32_t>((from + 1 + draw.Below(3)) % 4);
        const uint64_t count = 1 + draw.Below(90);
        const auto bytes = static_cast<uint32_t>(draw.Below(2) == 0 ? 936 : 1 + draw.Below(936));
        const Ptr<NpuNetDevice> device = m_fabric->GetDevice(from);
        device->TraceConnectWithoutContext("DatagramLost", Sink([this, from](Ptr<const Packet>) {
                                               m_record << "one of " << from << " lost at "
                                                        << Simulator::Now() << '\n';
                                           }));
        m_fabric->GetDevice(to)->SetReceiveCallback(
            Sink([this, to](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                m_record << to << " has " << packet->GetSize() << " at " << Simulator::Now()
                         << '\n';
                return true;
            }));
        Simulator::Schedule(When(draw), [this, device, to, count, bytes]() {
            for (uint64_t i = 0; i < count; ++i)
            {
                device->Send(Create<Packet>(bytes), m_fabric->GetDevice(to)->GetAddress(), 0x88b5);
            }
        });
    }

    /// Notes what the links have carried so far.
    void
    Look()
    {
        m_record << "at " << Simulator::Now() << ' ' << m_fabric->GetPacketHops() << ':';
        for (const npunet::engine::LinkUse& use : m_fabric->GetLinkUse())
        {
            m_record << ' ' << use.wire.value() << '/' << use.busy.ps() << '/'
                     << use.max_queue.value() << '/' << use.credit_stall.ps();
        }
        m_record << '\n';
    }

    /// From now on hears of the packets that leave the NPUs.
    void
    Listen()
    {
        for (uint32_t npu = 0; npu < 4; ++npu)
        {
            m_fabric->GetDevice(npu)->TraceConnectWithoutContext(
                "PacketSent", Sink([this, npu](uint32_t far, uint32_t bytes) {
                    m_record << npu << " sends " << bytes << " to " << far << " at "
                             << Simulator::Now() << '\n';
                }));
        }
    }

    Ptr<NpuFabric> m_fabric;     //!< of the present run
    std::ostringstream m_record; //!< all that was found
};

/// The suite.
NpuTestSuite g_npuTrainsTestSuite("npu-trains", {new NpuTrainsTestCase});

} // namespace
