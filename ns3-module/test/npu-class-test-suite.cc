// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-link-statistics.h"
#include "ns3/npu-net-device.h"

#include <ns3/socket.h>
#include <ns3/string.h>

#include <array>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * Packets of 10 ns from NPU 0 to NPU 1 over a link of 5 ns, with traffic classes.
 * @param classes how many
 * @param arbitration attribute ClassArbitration
 * @param classOf attribute ClassOf
 * @return a helper
 */
NpuFabricHelper
WithClasses(uint32_t classes, const std::string& arbitration, const std::string& classOf = "")
{
    return TenNanosecondPackets("Mesh1D",
                                {2},
                                {{"Classes", std::to_string(classes)},
                                 {"ClassArbitration", arbitration},
                                 {"ClassOf", classOf}});
}

/**
 * @ingroup npunet-test
 * Messages of several classes share a link as the attributes say.
 */
class NpuClassTestCase : public TestCase
{
  public:
    NpuClassTestCase() : TestCase("traffic classes share links")
    {
    }

  private:
    void
    DoRun() override
    {
        // 8 packets of class 1 and 6 of class 0, all at 0. Strict: class 0 has the first 6 slots.
        // Weights 3 and 1: 0 1 0 0, 0 1 0 0, ...: its sixth packet is the eighth of the link.
        // Weights 1 and 1: 0 1 0 1 ...: the eleventh.
        CheckClasses("strict", {1, 0}, 6);
        CheckClasses("3 1", {1, 0}, 8);
        CheckClasses("1 1", {1, 0}, 11);
        // The same class: messages take turns, beginning with the first: the twelfth.
        CheckClasses("strict", {1, 1}, 12);
        // A message without a class is a send_recv.
        CheckClasses("strict", {1, NpuFabric::CLASS_OF_KIND}, 6);
        CheckClasses("strict", {NpuFabric::CLASS_OF_KIND, 0}, 6, "send_recv 1");
        CheckRefusals();
        CheckStatistics();
    }

    /**
     * @param arbitration attribute ClassArbitration
     * @param classes of a message of 8 packets and one of 6
     * @param slot of the last packet of the second message on the link, from 1
     * @param classOf attribute ClassOf
     */
    void
    CheckClasses(const std::string& arbitration,
                 const std::array<uint8_t, 2>& classes,
                 int64_t slot,
                 const std::string& classOf = "")
    {
        NpuFabricHelper helper = WithClasses(2, arbitration, classOf);
        const Ptr<NpuFabric> fabric = Install(helper);
        Time delivered;
        fabric->Send(0, 1, 8 * 936, NpuFabric::DeliveredCallback(), classes[0]);
        fabric->Send(0, 1, 6 * 936, NoteTime(delivered), classes[1]);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(delivered, NanoSeconds(10 * slot + 5), arbitration);
        Simulator::Destroy();
    }

    /// What cannot work is refused by its attribute.
    void
    CheckRefusals()
    {
        const auto refused = [](NpuFabricHelper helper, const std::string& what) {
            const std::string refusal = RefusalOf([&]() { Install(helper); });
            Simulator::Destroy();
            return refusal.find(what) != std::string::npos;
        };
        NS_TEST_EXPECT_MSG_EQ(
            refused(WithClasses(3, "3 1"), "NpuFabric::ClassArbitration"), true, "two of three");
        NS_TEST_EXPECT_MSG_EQ(
            refused(WithClasses(2, "fair"), "NpuFabric::ClassArbitration"), true, "a word");
        NS_TEST_EXPECT_MSG_EQ(
            refused(WithClasses(2, "strict", "all_to_all 2"), "NpuFabric::ClassOf"),
            true,
            "no such class");
        NpuFabricHelper many = WithClasses(8, "strict");
        many.SetFabricAttribute("VirtualChannels", UintegerValue(5));
        NS_TEST_EXPECT_MSG_EQ(
            refused(many, "40 in all traffic classes"), true, "more than 32 channels");
    }

    /// A column for each class.
    void
    CheckStatistics()
    {
        NpuFabricHelper helper = WithClasses(2, "strict");
        const Ptr<NpuFabric> fabric = Install(helper);
        fabric->Send(0, 1, 2 * 936, NpuFabric::DeliveredCallback(), 1);
        fabric->Send(0, 1, 936, NpuFabric::DeliveredCallback(), 0);
        Simulator::Run();
        std::ostringstream text;
        WriteNpuLinkStatistics(text, fabric, Simulator::Now());
        NS_TEST_EXPECT_MSG_NE(text.str().find(",class_0_wire_bytes,class_1_wire_bytes\n"),
                              std::string::npos,
                              "columns");
        NS_TEST_EXPECT_MSG_NE(text.str().find(",1000,2000\n"), std::string::npos, "bytes");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * The priority of an ns3::Packet is its traffic class.
 */
class NpuPriorityTestCase : public TestCase
{
  public:
    NpuPriorityTestCase() : TestCase("socket priorities are traffic classes")
    {
    }

  private:
    void
    DoRun() override
    {
        // Three ns3::Packets of one packet each at 0: the classes are 1 (priority 1), 2 (priority 6
        // where there are three classes) and 0 (no tag), so they arrive last one first.
        NpuFabricHelper helper = WithClasses(3, "strict");
        const NetDeviceContainer devices = helper.Install(NodeContainer(2));
        std::string sizes;
        devices.Get(1)->SetReceiveCallback(
            Sink([&](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                sizes += ' ';
                sizes += std::to_string(packet->GetSize());
                return true;
            }));
        for (const int priority : {1, 6, -1})
        {
            const Ptr<Packet> packet = Create<Packet>(static_cast<uint32_t>(900 + priority));
            if (priority >= 0)
            {
                SocketPriorityTag tag;
                tag.SetPriority(static_cast<uint8_t>(priority));
                packet->AddPacketTag(tag);
            }
            devices.Get(0)->Send(packet, devices.Get(1)->GetAddress(), 0x0800);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sizes, " 899 901 906", "order");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * A network.yml sets the attributes.
 */
class NpuClassFileTestCase : public TestCase
{
  public:
    NpuClassFileTestCase() : TestCase("a description sets the attributes of classes")
    {
    }

  private:
    void
    DoRun() override
    {
        NpuFabricHelper first = WithClasses(3, "3 1 7", "all_to_all 2 barrier 1");
        const auto description = Install(first)->GetDescription();
        NpuFabricHelper second;
        second.SetNetwork(description);
        const auto& classes = Install(second)->GetDescription().packet.classes;
        NS_TEST_EXPECT_MSG_EQ(uint32_t{classes.count}, 3, "classes");
        NS_TEST_EXPECT_MSG_EQ(
            npunet::topology::arbitration_text(classes), "3 1 7", "class arbitration");
        NS_TEST_EXPECT_MSG_EQ(
            npunet::topology::class_of_text(classes), "all_to_all 2 barrier 1", "class of");
        Simulator::Destroy();
    }
};

/// The suite.
NpuTestSuite g_npuClassTestSuite(
    "npu-class", {new NpuClassTestCase, new NpuPriorityTestCase, new NpuClassFileTestCase});

} // namespace
