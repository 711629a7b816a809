// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-compat.h"
#include "npu-test-networks.h"

#include "ns3/npu-random-flow-helper.h"

#include "topology/yaml/network_reader.h"

#include <ns3/rng-seed-manager.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * Flows at random: their load and sizes are as asked for, none is faster than alone, and files have
 * all of them.
 */
class NpuRandomFlowTestCase : public TestCase
{
  public:
    NpuRandomFlowTestCase() : TestCase("flows by size and load")
    {
    }

  private:
    /// @return a file of sizes that are spread evenly from 0 to 20000 bytes
    std::string
    Sizes()
    {
        const std::string path = CreateTempDirFilename("even.txt");
        std::ofstream(path) << "0 0\n20000 100\n";
        return path;
    }

    /**
     * @param run for RngSeedManager
     * @param stream to be assigned; negative: none
     * @return the flows of 8 NPUs at 800 Gb/s for 200 us, after their end
     */
    Ptr<NpuRandomFlows>
    Run(uint64_t run, int64_t stream = -1)
    {
        RngSeedManager::SetRun(run);
        const Ptr<NpuFabric> fabric = Install(TenNanosecondPackets(
            "Switch", {8}, {{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}}));
        NpuRandomFlowHelper helper(Sizes());
        helper.SetLoad(0.4);
        helper.SetDuration(MicroSeconds(200));
        if (stream >= 0)
        {
            helper.AssignStreams(stream);
        }
        const Ptr<NpuRandomFlows> flows = helper.Install(fabric);
        Simulator::Run();
        return flows;
    }

    /**
     * @param flows of a run
     * @return bytes of all, as a digest
     */
    static uint64_t
    BytesOf(const Ptr<NpuRandomFlows>& flows)
    {
        uint64_t bytes = 0;
        for (const NpuRandomFlows::Flow& flow : flows->GetFlows())
        {
            bytes += flow.bytes;
        }
        return bytes;
    }

    void
    DoRun() override
    {
        const Ptr<NpuRandomFlows> flows = Run(1);
        // 8 NPUs offer 0.4 x 100 GB/s for 200 us: 64 MB, some 6400 flows of 10 kB. The deviation of
        // the sum of n sizes with mean m and deviation s is sqrt(n (s^2 + m^2)), 1.4 % here.
        const auto count = static_cast<double>(flows->GetFlows().size());
        NS_TEST_EXPECT_MSG_EQ_TOL(count, 6400, 5 * 80, "flows");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(BytesOf(flows)), 64e6, 5e6, "bytes");
        NS_TEST_EXPECT_MSG_EQ(flows->GetCompleted(), flows->GetFlows().size(), "all arrive");
        Time last;
        for (const NpuRandomFlows::Flow& flow : flows->GetFlows())
        {
            NS_TEST_ASSERT_MSG_GT_OR_EQ(flow.slowdown, 1, "not faster than alone");
            NS_TEST_ASSERT_MSG_GT_OR_EQ(flow.start, last, "in order");
            NS_TEST_ASSERT_MSG_NE(flow.source, flow.destination, "to another");
            last = flow.start;
        }
        NS_TEST_EXPECT_MSG_LT(last, MicroSeconds(200), "begin before");

        const npunet::engine::FlowResults results = flows->GetResults();
        uint64_t sum = 0;
        for (const npunet::engine::SizeResult& size : results.sizes)
        {
            sum += size.result.messages;
            NS_TEST_EXPECT_MSG_EQ(
                (size.result.slowdown.p99 >= size.result.slowdown.median), true, "percentiles");
        }
        NS_TEST_EXPECT_MSG_EQ(sum, flows->GetFlows().size(), "every flow has a size");

        const std::string each = CreateTempDirFilename("flows.csv");
        const std::string bySize = CreateTempDirFilename("sizes.csv");
        flows->Write(each);
        flows->WriteBySize(bySize);
        const std::vector<std::string> lines = LinesOf(each);
        NS_TEST_EXPECT_MSG_EQ(lines.size(), flows->GetFlows().size() + 1, "a line each");
        NS_TEST_EXPECT_MSG_EQ(lines[0], "start_ns,from,to,bytes,completion_ns,slowdown", "columns");
        NS_TEST_EXPECT_MSG_EQ(LinesOf(bySize).size(), results.sizes.size() + 1, "a line each");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * What is random follows RngRun and the stream; a single flow takes as long as alone.
 */
class NpuRandomFlowStreamTestCase : public TestCase
{
  public:
    NpuRandomFlowStreamTestCase() : TestCase("streams, patterns and refusals")
    {
    }

  private:
    void
    DoRun() override
    {
        const std::string path = CreateTempDirFilename("one.txt");
        std::ofstream(path) << "0 0\n1000 100\n";
        const auto flowsOf = [&](uint64_t run, int64_t stream, const std::string& pattern) {
            RngSeedManager::SetRun(run);
            NpuRandomFlowHelper helper(path);
            helper.SetDuration(MicroSeconds(1));
            helper.SetRate(DataRate("8Gbps"));
            helper.SetPattern(pattern);
            helper.AssignStreams(stream);
            const auto flows = helper.Install(Install(TenNanosecondPackets("Switch", {64})));
            Simulator::Run();
            std::vector<std::pair<uint32_t, uint64_t>> result;
            for (const NpuRandomFlows::Flow& flow : flows->GetFlows())
            {
                result.emplace_back(flow.destination, flow.bytes);
            }
            Simulator::Destroy();
            return result;
        };
        const auto flows = flowsOf(1, 5, "uniform");
        NS_TEST_EXPECT_MSG_EQ((flows == flowsOf(1, 5, "uniform")), true, "the same");
        NS_TEST_EXPECT_MSG_EQ((flows != flowsOf(2, 5, "uniform")), true, "another run");
        NS_TEST_EXPECT_MSG_EQ((flows != flowsOf(1, 6, "uniform")), true, "another stream");
        NS_TEST_EXPECT_MSG_EQ((flows != flowsOf(1, 5, "permutation")), true, "another pattern");
        RngSeedManager::SetRun(1);

        const auto refusal = [&](const auto& change) {
            return RefusalOf([&]() {
                NpuRandomFlowHelper helper(path);
                change(helper);
                helper.Install(Install(TenNanosecondPackets("Switch", {4})));
            });
        };
        NS_TEST_EXPECT_MSG_NE(refusal([](auto& helper) { helper.SetPattern("any"); }).find("'any'"),
                              std::string::npos,
                              "pattern");
        NS_TEST_EXPECT_MSG_NE(refusal([](auto& helper) { helper.SetLoad(0); }).find("load"),
                              std::string::npos,
                              "load");
        NS_TEST_EXPECT_MSG_NE(
            refusal([](auto& helper) { helper.SetRate(DataRate("0bps")); }).find("rate: found 0"),
            std::string::npos,
            "no rate");
        NS_TEST_EXPECT_MSG_NE(
            refusal([](auto& helper) { helper.SetRate(DataRate("7bps")); }).find("at least 8bps"),
            std::string::npos,
            "less than a byte/s");
        NS_TEST_EXPECT_MSG_NE(
            refusal([](auto& helper) { helper.SetDuration(PicoSeconds(1)); }).find("duration"),
            std::string::npos,
            "no flow begins");
        NS_TEST_EXPECT_MSG_NE(RefusalOf([]() { NpuRandomFlowHelper("none"); }).find("web-search"),
                              std::string::npos,
                              "sizes");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * The rate that the load is of, where scripts do not give one: of two servers of two NPUs each,
 * NPUs 1 and 3 have a NIC of 100 GB/s, so that NPUs have 50 GB/s on average.
 */
class NpuRandomFlowRateTestCase : public TestCase
{
  public:
    NpuRandomFlowRateTestCase() : TestCase("NPUs without a NIC")
    {
    }

  private:
    void
    DoRun() override
    {
        const std::string path = CreateTempDirFilename("small.txt");
        std::ofstream(path) << "0 0\n2000 100\n";
        const auto flowsAt = [&](const char* rate) {
            Ptr<NpuFabric> fabric;
            {
                NpuFabricHelper fabricHelper;
                fabricHelper.SetNetwork(npunet::topology::parse_network(
                    "Custom:\n"
                    "    nodes: [{name: a0, kind: npu}, {name: a1, kind: npu}, {name: b0, kind: "
                    "npu},\n"
                    "            {name: b1, kind: npu}, {name: leaf, kind: switch}]\n"
                    "    links:\n"
                    "        - {from: a0, to: a1, bandwidth: 400, latency: 1}\n"
                    "        - {from: b0, to: b1, bandwidth: 400, latency: 1}\n"
                    "        - {from: a1, to: leaf, bandwidth: 100, latency: 5}\n"
                    "        - {from: b1, to: leaf, bandwidth: 100, latency: 5}\n"
                    "    tiers: [{name: server, size: 2}]\n"
                    "packet: {flow_control: pfc, transport: go-back-n,\n"
                    "         scale_up: {flow_control: credit}}\n",
                    "two.yml"));
                fabric = Install(fabricHelper);
            }
            NpuRandomFlowHelper helper(path);
            helper.SetDuration(MicroSeconds(10));
            if (rate != nullptr)
            {
                helper.SetRate(DataRate(rate));
            }
            std::vector<std::pair<Time, uint64_t>> starts;
            for (const NpuRandomFlows::Flow& flow : helper.Install(fabric)->GetFlows())
            {
                starts.emplace_back(flow.start, flow.bytes);
            }
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_EQ(fabric->GetReferenceCount(), 1, "flows to come let go of it");
            return starts;
        };
        const auto flows = flowsAt(nullptr);
        NS_TEST_EXPECT_MSG_EQ((flows == flowsAt("400Gbps")), true, "50 GB/s");
        NS_TEST_EXPECT_MSG_EQ((flows != flowsAt("800Gbps")), true, "not 100 GB/s");
    }
};

/// The suite.
NpuTestSuite g_npuRandomFlowTestSuite("npu-random-flow",
                                      {new NpuRandomFlowTestCase,
                                       new NpuRandomFlowStreamTestCase,
                                       new NpuRandomFlowRateTestCase});

} // namespace
