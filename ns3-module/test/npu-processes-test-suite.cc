// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-fabric-helper.h"
#include "ns3/npu-processes.h"

#include <ns3/node.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * A program that mpirun has not started is the one process there is: nothing is split, and what all
 * processes know is what it knows.
 */
class NpuOneProcessTestCase : public TestCase
{
  public:
    NpuOneProcessTestCase() : TestCase("alone, a process has the whole fabric")
    {
    }

  private:
    void
    DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(NpuProcesses::GetId(), 0, "the first");
        NS_TEST_EXPECT_MSG_EQ(NpuProcesses::GetCount(), 1, "and only one");
        const std::vector<int64_t> values{3, -1, 4};
        NS_TEST_EXPECT_MSG_EQ((NpuProcesses::Max(values) == values), true, "the only values");

        NpuFabricHelper helper = TenNanosecondPackets("Ring", {4});
        const NodeContainer npus = helper.CreateNpus();
        NS_TEST_ASSERT_MSG_EQ(npus.GetN(), 4, "a node for each NPU");
        for (auto npu = npus.Begin(); npu != npus.End(); ++npu)
        {
            NS_TEST_EXPECT_MSG_EQ((*npu)->GetSystemId(), 0, "of the only process");
        }
        helper.Install(npus);
        Ptr<NpuFabric> fabric = helper.GetFabric();
        // Two hops of 10 ns and 5 ns.
        NS_TEST_EXPECT_MSG_EQ(DeliveryTime(fabric, 0, 2, 936), NanoSeconds(30), "as always");
        NS_TEST_EXPECT_MSG_EQ(fabric->IsHere(3), true, "so is every node");
        // A packet of 1000 bytes, 10 ns, on each of the two links of its way.
        const auto uses = fabric->GatherLinkUse();
        const auto& graph = fabric->GetDescription().graph;
        NS_TEST_ASSERT_MSG_EQ(uses.size(), 8, "four cables");
        for (std::size_t i = 0; i < uses.size(); ++i)
        {
            const npunet::topology::Link& link = graph.link(npunet::LinkId(i));
            const bool onWay = link.from.index() < 2 && link.to.index() == link.from.index() + 1;
            NS_TEST_EXPECT_MSG_EQ(uses[i].wire.value(), (onWay ? 1000 : 0), "link " << i);
            NS_TEST_EXPECT_MSG_EQ(uses[i].busy.ps(), (onWay ? 10'000 : 0), "link " << i);
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * A fat tree of radix 4 has four NPUs in each of four pods. Where the NPUs of two pods are meant
 * for one process and those of the others for another, so are the switches of the pods: two leaves
 * and two of the next level in each, and half of the four cores.
 */
class NpuSystemIdTestCase : public TestCase
{
  public:
    NpuSystemIdTestCase() : TestCase("switches are with their NPUs")
    {
    }

  private:
    void
    DoRun() override
    {
        NpuTopologyHelper::FatTree tree;
        tree.levels = 3;
        tree.radix = 4;
        tree.npus = 16;
        NpuTopologyHelper topology;
        topology.SetFatTree(tree);
        NpuFabricHelper helper;
        helper.SetTopology(topology);
        helper.Install(NodeContainer(NodeContainer(8, 0), NodeContainer(8, 1)));
        const NodeContainer switches = helper.GetSwitches();
        NS_TEST_ASSERT_MSG_EQ(switches.GetN(), 20, "8 leaves, 8 above them, 4 cores");
        uint32_t ofSecond = 0;
        for (auto node = switches.Begin(); node != switches.End(); ++node)
        {
            ofSecond += (*node)->GetSystemId();
        }
        NS_TEST_EXPECT_MSG_EQ(ofSecond, 10, "half of them");
        Simulator::Destroy();
    }
};

/// The suite. Several processes: scripts/test-in-tree.
NpuTestSuite g_npuProcessesTestSuite("npu-processes",
                                     {new NpuOneProcessTestCase, new NpuSystemIdTestCase});

} // namespace
