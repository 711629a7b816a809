// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-compat.h"

#include "ns3/npu-chakra-helper.h"
#include "ns3/npu-fabric-helper.h"

#include "base/errors.h"

#include <ns3/data-rate.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * A send and a receive, and where their time goes.
 */
class NpuChakraTestCase : public TestCase
{
  public:
    NpuChakraTestCase() : TestCase("NPUs execute their traces on the fabric")
    {
    }

  private:
    void
    DoRun() override
    {
        // Two NPUs, packets of 936 + 64 bytes in 10 ns, links of 5 ns. From 7 us on NPU 0 computes
        // for 1 us and sends three packets, which are in 3 x 10 + 5 = 35 ns later; its send ends at
        // 30 ns, when the last byte has left. NPU 1 only receives.
        NodeContainer npus;
        npus.Create(2);
        NpuFabricHelper fabricHelper;
        fabricHelper.SetTopology("Mesh1D", {2});
        fabricHelper.SetLinkAttribute("DataRate", DataRateValue(DataRate("800Gbps")));
        fabricHelper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(5)));
        fabricHelper.SetFabricAttribute("Mtu", UintegerValue(936));
        fabricHelper.Install(npus);

        NpuChakraHelper helper;
        helper.SetStartTime(MicroSeconds(7));
        Ptr<NpuChakraWorkload> training = helper.Install(
            fabricHelper.GetFabric(), [](npunet::Rank rank) { return Trace(rank.value()); });
        training->TraceConnectWithoutContext("OperationStart",
                                             MakeCallback(&NpuChakraTestCase::Started, this));
        training->TraceConnectWithoutContext("OperationEnd",
                                             MakeCallback(&NpuChakraTestCase::Ended, this));
        Simulator::Run();

        const std::vector<std::string> expected{"receive begins at 7000000",
                                                "compute begins at 7000000",
                                                "compute ends at 8000000",
                                                "send begins at 8000000",
                                                "send ends at 8030000",
                                                "receive ends at 8035000"};
        NS_TEST_ASSERT_MSG_EQ(m_seen.size(), expected.size(), "three operations");
        for (const std::string& line : expected)
        {
            bool found = false;
            for (const std::string& seen : m_seen)
            {
                found = found || seen == line;
            }
            NS_TEST_EXPECT_MSG_EQ(found, true, line);
        }
        NS_TEST_EXPECT_MSG_EQ(training->GetResults().finish.ps(), 8'035'000, "the end");
        Simulator::Destroy();
    }

    /**
     * @param rank 0 or 1
     * @return its trace
     */
    static std::vector<npunet::chakra::Node>
    Trace(int rank)
    {
        namespace chakra = npunet::chakra;
        std::vector<chakra::Node> nodes;
        chakra::Node transfer;
        transfer.id = 2;
        transfer.name = rank == 0 ? "send" : "receive";
        transfer.type = rank == 0 ? chakra::NodeType::CommSend : chakra::NodeType::CommReceive;
        transfer.attributes = {{"comm_size", int64_t{3 * 936}},
                               {"comm_tag", int32_t{0}},
                               {"comm_src", int32_t{0}},
                               {"comm_dst", int32_t{1}}};
        if (rank == 0)
        {
            chakra::Node compute;
            compute.id = 1;
            compute.name = "compute";
            compute.type = chakra::NodeType::Compute;
            compute.duration_micros = 1;
            transfer.data_deps = {1};
            nodes.push_back(compute);
        }
        nodes.push_back(transfer);
        return nodes;
    }

    /**
     * Trace sink.
     * @param rank whose operation
     * @param node its id
     * @param name its name
     * @param time when
     */
    void
    Started(uint32_t /* rank */, uint64_t /* node */, const std::string& name, Time time)
    {
        m_seen.push_back(name + " begins at " + std::to_string(time.GetPicoSeconds()));
    }

    /// @copydoc Started
    void
    Ended(uint32_t /* rank */, uint64_t /* node */, const std::string& name, Time time)
    {
        m_seen.push_back(name + " ends at " + std::to_string(time.GetPicoSeconds()));
    }

    std::vector<std::string> m_seen; ///< by the traces
};

/**
 * @ingroup npunet-test
 * A workload lives as long as the simulation, has results when it is done only, and has a fabric to
 * itself until then.
 */
class NpuChakraLifeTestCase : public TestCase
{
  public:
    NpuChakraLifeTestCase() : TestCase("the life of a workload")
    {
    }

  private:
    void
    DoRun() override
    {
        NodeContainer npus;
        npus.Create(4);
        NpuFabricHelper fabrics;
        fabrics.SetTopology("Ring", {4});
        fabrics.Install(npus);
        const Ptr<NpuFabric> fabric = fabrics.GetFabric();
        npunet::chakra::Node sum;
        sum.id = 1;
        sum.name = "sum";
        sum.type = npunet::chakra::NodeType::CommCollective;
        sum.attributes = {{"comm_type", int64_t(npunet::chakra::CollectiveType::AllReduce)},
                          {"comm_size", int64_t{1} << 20}};
        const auto nodes = [&](npunet::Rank) { return std::vector{sum}; };
        const NpuChakraHelper helper;

        // Nobody keeps this one.
        uint64_t finished = 0;
        helper.Install(fabric, nodes)
            ->TraceConnectWithoutContext(
                "OperationEnd",
                Callback<void, uint32_t, uint64_t, const std::string&, Time>(
                    [&](uint32_t, uint64_t, const std::string&, Time) { ++finished; }));
        bool refused = false;
        try
        {
            helper.Install(fabric, nodes);
        }
        catch (const npunet::InputError&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "one workload at a time");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(finished, 4, "it runs all the same");

        const Ptr<NpuChakraWorkload> next = helper.Install(fabric, nodes);
        NS_TEST_EXPECT_MSG_NE(
            Explanation(next).find("not begun"), std::string::npos, Explanation(next));
        Simulator::Stop(MicroSeconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_NE(
            Explanation(next).find("was stopped"), std::string::npos, Explanation(next));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Explanation(next), "", "done");
        NS_TEST_EXPECT_MSG_EQ(next->IsFinished(), true, "done");
        Simulator::Destroy();
    }

    /**
     * @param workload that may not be done
     * @return why it has no results; empty when it has
     */
    static std::string
    Explanation(Ptr<NpuChakraWorkload> workload)
    {
        try
        {
            workload->GetResults();
        }
        catch (const npunet::StallError& error)
        {
            return error.what();
        }
        return "";
    }
};

/**
 * @ingroup npunet-test
 * The suite "npu-chakra".
 */
class NpuChakraTestSuite : public NpuTestSuite
{
  public:
    NpuChakraTestSuite() : NpuTestSuite("npu-chakra")
    {
        AddTestCase(new NpuChakraTestCase, NPU_TEST_QUICK);
        AddTestCase(new NpuChakraLifeTestCase, NPU_TEST_QUICK);
    }
};

NpuChakraTestSuite g_npuChakraTestSuite; ///< the suite

} // namespace
