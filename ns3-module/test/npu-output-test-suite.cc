// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-anim-writer.h"

#include <ns3/boolean.h>
#include <ns3/global-value.h>
#include <ns3/string.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @ingroup npunet-test
 * The lines of the ascii trace, against a schedule that was computed by hand.
 */
class NpuAsciiTestCase : public TestCase
{
  public:
    NpuAsciiTestCase() : TestCase("ascii traces")
    {
    }

  private:
    void
    DoRun() override
    {
        // A packet of 10 ns over two links of 5 ns: starts at 0 and 15 ns, is in at 15 and 30 ns.
        const std::string all = CreateTempDirFilename("all.tr");
        const std::string own = CreateTempDirFilename("own");
        uint32_t first = 0;
        {
            const NodeContainer npus(3);
            first = npus.Get(0)->GetId();
            NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
            const NetDeviceContainer devices = helper.Install(npus);
            AsciiTraceHelper files;
            helper.EnableAsciiAll(files.CreateFileStream(all));
            helper.EnableAscii(own, NetDeviceContainer(devices.Get(1)));
            DeliveryTime(helper.GetFabric(), 0, 2, 936);
            Simulator::Destroy();
        }
        const auto node = [&](uint32_t npu) {
            return "/NodeList/" + std::to_string(first + npu) + "/DeviceList/0/$ns3::NpuNetDevice/";
        };
        const auto id = [&](uint32_t npu) { return std::to_string(first + npu); };
        std::vector<std::string> lines = LinesOf(all);
        std::vector<std::string> expected{
            "- 0.000000000000 " + node(0) + "PacketSent to " + id(1) + " 1000",
            "r 0.000000015000 " + node(1) + "PacketReceived link 0 1000",
            "+ 0.000000015000 " + node(1) + "QueueLength link 2 1000",
            "- 0.000000015000 " + node(1) + "PacketSent to " + id(2) + " 1000",
            "r 0.000000030000 " + node(2) + "PacketReceived link 2 1000"};
        NS_TEST_ASSERT_MSG_EQ(lines.size(), expected.size(), "a line of each");
        NS_TEST_EXPECT_MSG_EQ(lines[3], expected[3], "sent after it has come in");
        std::sort(lines.begin(), lines.end());
        std::sort(expected.begin(), expected.end());
        for (std::size_t i = 0; i < lines.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(lines[i], expected[i], "line " << i);
        }
        // The file of one device is named and has no column for it.
        lines = LinesOf(own + "-" + id(1) + "-0.tr");
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 3, "of the node in between");
        NS_TEST_EXPECT_MSG_EQ(lines.back(), "- 0.000000015000 to " + id(2) + " 1000", "sent");
    }
};

/**
 * @ingroup npunet-test
 * The CSV of the links.
 */
class NpuStatisticsTestCase : public TestCase
{
  public:
    NpuStatisticsTestCase() : TestCase("statistics of links")
    {
    }

  private:
    void
    DoRun() override
    {
        // Two packets of 10 ns each over a link of 5 ns: busy 20 of 25 ns.
        for (const bool histogram : {false, true})
        {
            const std::string path = CreateTempDirFilename("links.csv");
            NpuFabricHelper helper;
            NpuTopologyHelper topology;
            topology.AddNpu("a,\"b\"");
            topology.AddNpu("c");
            topology.AddLink(
                "a,\"b\"", "c", NpuTopologyHelper::Link(DataRate("800Gbps"), NanoSeconds(5)));
            helper.SetTopology(topology);
            helper.SetFabricAttribute("Mtu", UintegerValue(936));
            helper.SetFabricAttribute("QueueHistogram", BooleanValue(histogram));
            const Ptr<NpuFabric> fabric = Install(helper);
            helper.EnableStatistics(path);
            DeliveryTime(fabric, 0, 1, 2 * 936);
            NS_TEST_EXPECT_MSG_EQ(LinesOf(path).size(), 0, "not before the end");
            Simulator::Destroy();
            const std::vector<std::string> lines = LinesOf(path);
            NS_TEST_ASSERT_MSG_EQ(lines.size(), 3, "a line a link");
            NS_TEST_EXPECT_MSG_EQ(lines[0].substr(0, 20), "link,from,to,payload", "names");
            NS_TEST_EXPECT_MSG_EQ(
                lines[1], "0,\"a,\"\"b\"\"\",c,1872,2000,20,80.000000,0,2,0,0", "there");
            NS_TEST_EXPECT_MSG_EQ(
                lines[2], "1,c,\"a,\"\"b\"\"\",0,0,0,0.000000,0,0,0,0", "and back");
            std::remove(path.c_str());
        }

        // With a histogram there is a column for each power of two up to the longest queue.
        const std::string path = CreateTempDirFilename("histogram.csv");
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
        helper.SetFabricAttribute("QueueHistogram", BooleanValue(true));
        const Ptr<NpuFabric> fabric = Install(helper);
        helper.EnableStatistics(path);
        fabric->Send(1, 2, 8 * 936);
        DeliveryTime(fabric, 0, 2, 8 * 936);
        std::size_t powers = 0;
        for (const auto& use : fabric->GetLinkUse())
        {
            powers = std::max(powers, use.queue_times.size());
        }
        Simulator::Destroy();
        const std::string header = LinesOf(path).at(0);
        NS_TEST_ASSERT_MSG_GT(powers, 0, "something waits");
        const std::string last = ",queue_ns_" + std::to_string(uint64_t{1} << (powers - 1));
        NS_TEST_EXPECT_MSG_EQ(header.substr(header.size() - last.size()), last, "the last column");

        // Where the file cannot be, the end says so.
        NpuFabricHelper lost = TenNanosecondPackets("Mesh1D", {2});
        Install(lost);
        lost.EnableStatistics(path + "/no-folder.csv");
        NS_TEST_EXPECT_MSG_NE(RefusalOf<npunet::MachineError>([]() { Simulator::Destroy(); }),
                              "",
                              "a file is no folder");
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * The XML for NetAnim, read strictly, has the nodes and the cables of the graph.
 */
class NpuAnimationTestCase : public TestCase
{
  public:
    NpuAnimationTestCase() : TestCase("topologies for NetAnim")
    {
    }

  private:
    /// An element without content.
    struct Element
    {
        std::string name;                              //!< of the element
        std::map<std::string, std::string> attributes; //!< unescaped
    };

    void
    DoRun() override
    {
        const NpuTopologyHelper::Link link(DataRate("400Gbps"), PicoSeconds(500'500));
        NpuTopologyHelper topology;
        topology.SetTorus({4, 3}, link);
        Expect(topology, 12, 24);
        topology.SetMesh({3, 2, 4, 2}, link);
        Expect(topology, 48, 16 * 2 + 24 + 12 * 3 + 24);
        topology.SetProduct({{"Switch", 5, link}});
        Expect(topology, 5, 5);
        topology.SetProduct({{"Switch", 4, link}, {"Switch", 4, link}});
        Expect(topology, 16, 32);
        NpuTopologyHelper::FatTree tree;
        tree.levels = 3;
        tree.radix = 4;
        tree.npus = 16;
        tree.links = {link};
        topology.SetFatTree(tree);
        Expect(topology, 16, 16 * 3);
        topology.SetDragonfly(4, 2, 2, 9, {link});
        Expect(topology, 72, 72 + 9 * 6 + 36);
        NpuTopologyHelper own;
        own.AddNpu("<a&b>");
        own.AddNpu("\"it's\"");
        own.AddLink("<a&b>", "\"it's\"", link, 3);
        Expect(own, 2, 3);
    }

    /**
     * @param topology whose links all have the same rate and delay
     * @param npus how many it has
     * @param cables how many it has
     */
    void
    Expect(const NpuTopologyHelper& topology, uint32_t npus, std::size_t cables)
    {
        NpuFabricHelper helper;
        helper.SetTopology(topology);
        const Ptr<NpuFabric> fabric = Install(helper);
        const std::string path = CreateTempDirFilename("topology.xml");
        helper.WriteAnimation(path);
        const auto& graph = fabric->GetDescription().graph;
        std::map<std::string, std::string> names;
        std::set<std::pair<std::string, std::string>> places;
        std::set<std::string> nodes;
        std::multiset<std::pair<uint32_t, uint32_t>> ends;
        const std::vector<std::string> lines = LinesOf(path);
        NS_TEST_ASSERT_MSG_GT(lines.size(), 3, "a document");
        NS_TEST_EXPECT_MSG_EQ(lines[0], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "begins");
        NS_TEST_EXPECT_MSG_EQ(lines[1].substr(0, 25), "<anim ver=\"netanim-3.108\"", "root");
        NS_TEST_EXPECT_MSG_EQ(lines.back(), "</anim>", "ends");
        for (std::size_t i = 2; i + 1 < lines.size(); ++i)
        {
            Element element = Parse(lines[i]);
            auto& attributes = element.attributes;
            if (element.name == "node")
            {
                nodes.insert(attributes["id"]);
                places.emplace(attributes["locX"], attributes["locY"]);
            }
            else if (element.name == "nu")
            {
                NS_TEST_EXPECT_MSG_EQ(attributes["p"], "d", "a description");
                names[attributes["id"]] = attributes["descr"];
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(element.name, "link", "nothing else");
                NS_TEST_EXPECT_MSG_EQ(attributes["ld"], "400 Gbps, 500.5 ns", "rate and delay");
                ends.emplace(std::stoul(attributes["fromId"]), std::stoul(attributes["toId"]));
            }
        }
        NS_TEST_EXPECT_MSG_EQ(graph.npus(), npus, "all NPUs");
        NS_TEST_EXPECT_MSG_EQ(nodes.size(), graph.nodes(), "all nodes");
        NS_TEST_EXPECT_MSG_EQ(places.size(), graph.nodes(), "each at its own place");
        NS_TEST_EXPECT_MSG_EQ(ends.size(), cables, "all cables");
        for (std::size_t node = 0; node < graph.nodes(); ++node)
        {
            NS_TEST_EXPECT_MSG_EQ(names[std::to_string(fabric->GetNodeId(node))],
                                  graph.name(npunet::NodeId(node)),
                                  "name");
        }
        // Both directions of every cable are the links of the graph.
        std::multiset<std::pair<uint32_t, uint32_t>> directed;
        for (const auto& [from, to] : ends)
        {
            directed.emplace(from, to);
            directed.emplace(to, from);
        }
        std::multiset<std::pair<uint32_t, uint32_t>> expected;
        for (std::size_t i = 0; i < graph.links(); ++i)
        {
            const auto& link = graph.link(npunet::LinkId(i));
            expected.emplace(fabric->GetNodeId(link.from.index()),
                             fabric->GetNodeId(link.to.index()));
        }
        NS_TEST_EXPECT_MSG_EQ((directed == expected), true, "the links of the graph");
        Simulator::Destroy();
    }

    /**
     * @param line with one element and nothing else
     * @return the element
     */
    Element
    Parse(const std::string& line)
    {
        Element element;
        std::size_t at = line.find(' ');
        NS_TEST_EXPECT_MSG_EQ(line.front(), '<', line);
        element.name = line.substr(1, at - 1);
        while (line.compare(at, 4, " />") != 0 && at + 3 < line.size())
        {
            const std::size_t equals = line.find("=\"", at);
            const std::size_t end =
                equals == std::string::npos ? equals : line.find('"', equals + 2);
            if (end == std::string::npos)
            {
                NS_TEST_EXPECT_MSG_EQ(line, "", "no attribute");
                return element;
            }
            const std::string name = line.substr(at + 1, equals - at - 1);
            const bool fresh =
                element.attributes
                    .emplace(name, Unescaped(line.substr(equals + 2, end - equals - 2)))
                    .second;
            NS_TEST_EXPECT_MSG_EQ(fresh, true, "twice: " << name);
            at = end + 1;
        }
        NS_TEST_EXPECT_MSG_EQ(line.substr(at), " />", "the end of the element");
        return element;
    }

    /**
     * @param text value of an attribute
     * @return what it stands for
     */
    std::string
    Unescaped(const std::string& text)
    {
        static const std::map<std::string, char> names{
            {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
        std::string plain;
        for (std::size_t i = 0; i < text.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((text[i] == '<' || text[i] == '>'), false, "bare bracket");
            if (text[i] != '&')
            {
                plain += text[i];
                continue;
            }
            const std::size_t end = text.find(';', i);
            const auto name = names.find(text.substr(i + 1, end - i - 1));
            if (name == names.end())
            {
                NS_TEST_EXPECT_MSG_EQ(text, "", "bare ampersand");
                return plain;
            }
            plain += name->second;
            i = end;
        }
        return plain;
    }
};

/**
 * @ingroup npunet-test
 * The recommended scheduler gives way to one that has been chosen.
 */
class NpuSettingsTestCase : public TestCase
{
  public:
    NpuSettingsTestCase() : TestCase("recommended settings")
    {
    }

  private:
    void
    DoRun() override
    {
        const auto scheduler = [](const char* chosen) {
            GlobalValue::Bind("SchedulerType", StringValue(chosen));
            NpuFabricHelper::UseRecommendedSettings();
            StringValue used;
            GlobalValue::GetValueByName("SchedulerType", used);
            return used.Get();
        };
        NS_TEST_EXPECT_MSG_EQ(
            scheduler("ns3::MapScheduler"), "ns3::PriorityQueueScheduler", "recommended");
        NS_TEST_EXPECT_MSG_EQ(scheduler("ns3::HeapScheduler"), "ns3::HeapScheduler", "chosen");
        NS_TEST_EXPECT_MSG_EQ((Time::GetResolution() == Time::PS), true, "picoseconds");
        GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
    }
};

/// The suite.
NpuTestSuite g_npuOutputTestSuite("npu-output",
                                  {new NpuAsciiTestCase,
                                   new NpuStatisticsTestCase,
                                   new NpuAnimationTestCase,
                                   new NpuSettingsTestCase});

} // namespace
