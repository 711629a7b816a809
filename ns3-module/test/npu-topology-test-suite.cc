// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-networks.h"

#include "ns3/npu-topology-helper.h"

#include "topology/yaml/network_reader.h"

#include <ns3/string.h>

#include <fstream>

using namespace ns3;

namespace
{

using Link = NpuTopologyHelper::Link;

/**
 * @ingroup npunet-test
 * NpuTopologyHelper makes the network that the same network.yml makes: equal nodes, links, routes.
 */
class NpuTopologyTestCase : public TestCase
{
  public:
    NpuTopologyTestCase() : TestCase("topologies from C++ are those of network.yml")
    {
    }

  private:
    void
    DoRun() override
    {
        const Link fast(DataRate("800Gbps"), NanoSeconds(100));
        const Link slow(DataRate("200Gbps"), PicoSeconds(500'500));
        const Link middle(DataRate("400Gbps"), NanoSeconds(300));

        NpuTopologyHelper product;
        product.SetProduct({{"FullyConnected", 3, fast}, {"Ring", 4, middle}, {"Switch", 2, slow}});
        Expect(product,
               "{topology: [FullyConnected, Ring, Switch], npus_count: [3, 4, 2],"
               " bandwidth: [100, 50, 25], latency: [100, 300, 500.5]}",
               24);
        NpuTopologyHelper torus;
        torus.SetTorus({3, 2, 2, 3}, middle);
        Expect(torus,
               "{topology: [Ring, Ring, Ring, Ring], npus_count: [3, 2, 2, 3],"
               " bandwidth: [50, 50, 50, 50], latency: [300, 300, 300, 300]}",
               36);
        NpuTopologyHelper mesh;
        mesh.SetMesh({3, 2, 4}, slow);
        Expect(mesh,
               "{topology: [Mesh1D, Mesh1D, Mesh1D], npus_count: [3, 2, 4],"
               " bandwidth: [25, 25, 25], latency: [500.5, 500.5, 500.5]}",
               24);

        NpuTopologyHelper::FatTree tree;
        tree.levels = 3;
        tree.radix = 6;
        tree.npus = 30;
        tree.oversubscription = {2, 1};
        tree.links = {fast, middle, slow};
        NpuTopologyHelper fatTree;
        fatTree.SetFatTree(tree);
        Expect(fatTree,
               "FatTree: {levels: 3, radix: 6, npus: 30, oversubscription: [2, 1],"
               " bandwidth: [100, 50, 25], latency: [100, 300, 500.5]}",
               30);
        NpuTopologyHelper dragonfly;
        dragonfly.SetDragonfly(4, 2, 2, 9, {fast, middle, slow});
        Expect(dragonfly,
               "Dragonfly: {a: 4, p: 2, h: 2, groups: 9, bandwidth: [100, 50, 25],"
               " latency: [100, 300, 500.5]}",
               72);
        tree.levels = 2;
        tree.radix = 4;
        tree.npus = 0;
        tree.oversubscription.clear();
        tree.links = {slow};
        NpuTopologyHelper rail;
        rail.SetRail(6, 4, "switch", fast, tree);
        Expect(rail,
               "Rail: {servers: 6, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 100,"
               " latency: 100}, scale_out: {levels: 2, radix: 4, bandwidth: 25, latency: 500.5}}",
               24);
        NpuTopologyHelper custom;
        custom.AddSwitch("top");
        custom.AddNpu("a");
        custom.AddNpu("b:\"{");
        custom.AddNpu("c");
        custom.AddLink("a", "top", fast, 2);
        custom.AddLink("b:\"{", "top", middle);
        custom.AddLink("c", "top", slow);
        custom.AddLink("a", "c", slow, 1, false);
        Expect(custom,
               "Custom: {nodes: [{name: top, kind: switch}, {name: a, kind: npu},"
               " {name: 'b:\"{', kind: npu}, {name: c, kind: npu}], links: ["
               "{from: a, to: top, bandwidth: 100, latency: 100, count: 2},"
               "{from: 'b:\"{', to: top, bandwidth: 50, latency: 300},"
               "{from: c, to: top, bandwidth: 25, latency: 500.5},"
               "{from: a, to: c, bandwidth: 25, latency: 500.5, both: false}]}",
               3);
    }

    /**
     * @param topology from C++
     * @param text the same as a network.yml
     * @param npus how many it has
     */
    void
    Expect(const NpuTopologyHelper& topology, const std::string& text, uint32_t npus)
    {
        const std::string path = CreateTempDirFilename("network.yml");
        std::ofstream(path) << text << "\n";
        const auto expected =
            npunet::topology::read_network(path, npunet::topology::GigaByte::Decimal);
        NpuFabricHelper helper;
        helper.SetTopology(topology);
        helper.SetFabricAttribute("Seed", UintegerValue(1)); // as that of files
        const Ptr<NpuFabric> fabric = Install(helper);
        const auto& network = fabric->GetDescription();
        NS_TEST_ASSERT_MSG_EQ(network.graph.nodes(), expected.graph.nodes(), text);
        NS_TEST_ASSERT_MSG_EQ(network.graph.links(), expected.graph.links(), text);
        NS_TEST_EXPECT_MSG_EQ(network.graph.npus(), npus, text);
        NS_TEST_EXPECT_MSG_EQ(network.name, expected.name, text);
        for (std::size_t i = 0; i < network.graph.nodes(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(network.graph.name(npunet::NodeId(i)),
                                  expected.graph.name(npunet::NodeId(i)),
                                  text);
        }
        for (std::size_t i = 0; i < network.graph.links(); ++i)
        {
            const auto& one = network.graph.link(npunet::LinkId(i));
            const auto& other = expected.graph.link(npunet::LinkId(i));
            const bool same = one.from == other.from && one.to == other.to &&
                              one.rate == other.rate && one.latency == other.latency;
            NS_TEST_EXPECT_MSG_EQ(same, true, text << ", link " << i);
        }
        for (uint32_t a = 0; a < npus; ++a)
        {
            for (uint32_t b = 0; b < npus; ++b)
            {
                const npunet::NodeId from(std::size_t{a});
                const npunet::NodeId to(std::size_t{b});
                const auto one = network.route(from, to);
                const auto other = expected.route(from, to);
                bool same = one.size() == other.size();
                for (std::size_t i = 0; same && i < one.size(); ++i)
                {
                    same = one[i].link == other[i].link;
                }
                NS_TEST_EXPECT_MSG_EQ(same, true, text << ", route " << a << " to " << b);
            }
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup npunet-test
 * Routings by name, and the seed of hashed ones.
 */
class NpuRoutingTestCase : public TestCase
{
  public:
    NpuRoutingTestCase() : TestCase("routings are chosen by name")
    {
    }

  private:
    void
    DoRun() override
    {
        NpuTopologyHelper::FatTree tree;
        tree.radix = 8;
        tree.npus = 32;
        NpuTopologyHelper topology;
        topology.SetFatTree(tree);
        NpuFabricHelper helper;
        helper.SetTopology(topology);
        NS_TEST_EXPECT_MSG_EQ(RoutesOf(helper, "auto", 1).first, "up-down", "of its own");
        NS_TEST_EXPECT_MSG_EQ(RoutesOf(helper, "ecmp", 1).first, "ecmp", "as asked for");
        const auto hashed = RoutesOf(helper, "ecmp", 1).second;
        NS_TEST_EXPECT_MSG_EQ((RoutesOf(helper, "ecmp", 1).second == hashed), true, "same seed");
        NS_TEST_EXPECT_MSG_EQ((RoutesOf(helper, "ecmp", 2).second == hashed), false, "other seed");
        NS_TEST_EXPECT_MSG_EQ(
            (RoutesOf(helper, "up-down", 1).second == hashed), false, "other routing");

        for (const char* routing : {"spray", "adaptive"})
        {
            NS_TEST_EXPECT_MSG_EQ(RoutesOf(helper, routing, 1).first, routing, "on a tree");
        }

        NpuFabricHelper mesh;
        mesh.SetTopology("Mesh2D", {8, 4});
        for (const char* routing : {"auto", "xy", "dimension-order"})
        {
            NS_TEST_EXPECT_MSG_EQ(RoutesOf(mesh, routing, 1).first, "dimension-order", routing);
        }
        NS_TEST_EXPECT_MSG_EQ(
            RoutesOf(mesh, "shortest-path", 1).first, "shortest-path", "on a mesh");
        NS_TEST_EXPECT_MSG_EQ(RoutesOf(mesh, "adaptive", 1).first, "adaptive", "on a mesh");
        NpuTopologyHelper groups;
        groups.SetDragonfly(4, 2, 2, 4);
        NpuFabricHelper dragonfly;
        dragonfly.SetTopology(groups);
        NS_TEST_EXPECT_MSG_EQ(RoutesOf(dragonfly, "ugal", 1).first, "ugal", "on a dragonfly");
        for (const auto& [offering, routing] :
             {std::pair(&mesh, "spray"), {&mesh, "ugal"}, {&dragonfly, "spray"}, {&helper, "ugal"}})
        {
            offering->SetFabricAttribute("Routing", StringValue(routing));
            NpuFabricHelper& other = *offering;
            NS_TEST_EXPECT_MSG_EQ(
                RefusalOf([&]() { Install(other); }).empty(), false, "not offered");
        }
        CheckBothPorts();
    }

    /**
     * Ten packets of 10 ns to the NPU diagonally next door, 2 links of 5 ns: by one port 10 + 1
     * times 10 ns and 2 x 5 ns; by both ports 5 + 1 times, from C++ and from a file alike.
     */
    void
    CheckBothPorts()
    {
        for (const bool adaptive : {false, true})
        {
            const char* routing = adaptive ? "adaptive" : "dimension-order";
            const Time expected = NanoSeconds(adaptive ? 70 : 120);
            NpuFabricHelper helper =
                TenNanosecondPackets("Torus2D", {4, 4}, {{"Routing", routing}});
            NS_TEST_EXPECT_MSG_EQ(DeliveryTime(Install(helper), 0, 5, 9360), expected, routing);
            Simulator::Destroy();
            const std::string path = CreateTempDirFilename(std::string(routing) + ".yml");
            std::ofstream(path) << "topology: [Torus2D]\nnpus_count: [16]\nbandwidth: [100]\n"
                                   "latency: [5]\npacket: {mtu: 936, header: 64, routing: "
                                << routing << "}\n";
            NpuFabricHelper reader;
            reader.SetNetworkFile(path);
            NS_TEST_EXPECT_MSG_EQ(
                DeliveryTime(Install(reader), 0, 5, 9360), expected, "from a file");
            Simulator::Destroy();
        }
    }

    /// Name of the routing and all its routes, one after the other.
    using Routes = std::pair<std::string, std::vector<int64_t>>;

    /**
     * @param helper with a network of 32 NPUs
     * @param routing its name
     * @param seed of hashes
     * @return what comes of it
     */
    static Routes
    RoutesOf(NpuFabricHelper& helper, const std::string& routing, uint64_t seed)
    {
        helper.SetFabricAttribute("Routing", StringValue(routing));
        helper.SetFabricAttribute("Seed", UintegerValue(seed));
        const auto& network = Install(helper)->GetDescription();
        Routes routes{network.routing_name(), {}};
        for (std::size_t pair = 0; pair < 32 * 32; ++pair)
        {
            for (const auto& hop :
                 network.route(npunet::NodeId(pair / 32), npunet::NodeId(pair % 32)))
            {
                routes.second.push_back(static_cast<int64_t>(hop.link.index()));
            }
        }
        Simulator::Destroy();
        return routes;
    }
};

/**
 * @ingroup npunet-test
 * Faults of links and NPUs, and links and networks that cannot be.
 */
class NpuFaultTestCase : public TestCase
{
  public:
    NpuFaultTestCase() : TestCase("faults take effect, and bad networks are refused")
    {
    }

  private:
    void
    DoRun() override
    {
        // Two packets of 10 ns over a link of 5 ns: 25 ns. At half the rate: 45 ns. Down from 10 to
        // 100 ns: the second starts at 100. 7 ns later: 32 ns. The way back is not concerned.
        NS_TEST_EXPECT_MSG_EQ(WithFault(0, 1, 0, 1000, 0.5, 0, 0, 1), NanoSeconds(45), "slow");
        NS_TEST_EXPECT_MSG_EQ(WithFault(0, 1, 10, 100, 0, 0, 0, 1), NanoSeconds(115), "down");
        // On a ring of four the second goes round at 10: 10 + 3 x 15 ns.
        NpuFabricHelper ring = TenNanosecondPackets("Ring", {4});
        ring.AddLinkFault(0, 1, NanoSeconds(10), Time::Max(), 0);
        NS_TEST_EXPECT_MSG_EQ(DeliveryTime(Install(ring), 0, 1, 2 * 936), NanoSeconds(55), "round");
        Simulator::Destroy();
        ring.SetFabricAttribute("VirtualChannels", UintegerValue(2));
        NS_TEST_EXPECT_MSG_EQ(RefusalOf([&]() { Install(ring); }).empty(),
                              false,
                              "reroutes have a channel of their own");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(WithFault(0, 1, 0, 1000, 1, 7, 0, 1), NanoSeconds(32), "late");
        NS_TEST_EXPECT_MSG_EQ(WithFault(0, 1, 0, 1000, 0.5, 0, 1, 0), NanoSeconds(25), "back");

        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {3});
        const auto refuses = [&](double factor, Time at, Time until) {
            return !RefusalOf([&]() { helper.AddLinkFault(0, 1, at, until, factor); }).empty();
        };
        NS_TEST_EXPECT_MSG_EQ(refuses(-0.1, Time(0), Seconds(1)), true, "negative");
        NS_TEST_EXPECT_MSG_EQ(refuses(1001, Time(0), Seconds(1)), true, "too large");
        NS_TEST_EXPECT_MSG_EQ(refuses(1e-12, Time(0), Seconds(1)), true, "almost down");
        NS_TEST_EXPECT_MSG_EQ(refuses(0.5, Seconds(1), Seconds(1)), true, "for no time");
        helper.AddNpuSlowdown(2, 1.5);
        NS_TEST_EXPECT_MSG_EQ(
            RefusalOf([&]() { helper.AddNpuSlowdown(2, 2); }).empty(), false, "twice");
        NS_TEST_EXPECT_MSG_EQ(
            RefusalOf([&]() { helper.AddNpuSlowdown(1, 0); }).empty(), false, "for ever");
        Install(helper);
        NS_TEST_EXPECT_MSG_EQ(
            RefusalOf([&]() { helper.AddNpuSlowdown(3, 2); }).empty(), false, "no such NPU");
        NS_TEST_EXPECT_MSG_EQ(
            RefusalOf([&]() { Install(helper); }), "", "what was refused is forgotten");
        NpuFabricHelper far = TenNanosecondPackets("Mesh1D", {3});
        far.AddLinkFault(0, 2, Time(0), Time::Max(), 0.5);
        NS_TEST_EXPECT_MSG_EQ(RefusalOf([&]() { Install(far); }).empty(), false, "no neighbors");
        Simulator::Destroy();

        CheckSlowdown();
        CheckLinks();
    }

    /**
     * @param from end of the faulty link
     * @param to end of the faulty link
     * @param at begin in ns
     * @param until end in ns
     * @param factor of the rate
     * @param extra delay in ns
     * @param source of two packets
     * @param destination of two packets
     * @return when they are in, with a fault of that direction
     */
    static Time
    WithFault(uint32_t from,
              uint32_t to,
              int at,
              int until,
              double factor,
              int extra,
              uint32_t source,
              uint32_t destination)
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {2});
        helper.AddLinkFault(
            from, to, NanoSeconds(at), NanoSeconds(until), factor, NanoSeconds(extra), false);
        const Time delivered = DeliveryTime(Install(helper), source, destination, 2 * 936);
        Simulator::Destroy();
        return delivered;
    }

    /// A compute of 1 us, on an NPU that takes one and a half times as long.
    void
    CheckSlowdown()
    {
        NpuFabricHelper helper = TenNanosecondPackets("Mesh1D", {2});
        helper.AddNpuSlowdown(1, 1.5);
        NpuChakraHelper chakra;
        Ptr<NpuChakraWorkload> work = chakra.Install(
            Install(helper), [](npunet::Rank) { return std::vector{ComputeNode(1)}; });
        Simulator::Run();
        const auto results = work->GetResults();
        NS_TEST_EXPECT_MSG_EQ(results.npus[0].compute.ps(), 1'000'000, "NPU 0");
        NS_TEST_EXPECT_MSG_EQ(results.npus[1].compute.ps(), 1'500'000, "NPU 1");
        Simulator::Destroy();
    }

    /// Links are checked when they are set.
    void
    CheckLinks()
    {
        NpuFabricHelper helper;
        const auto refuses = [&](const char* name, const AttributeValue& value) {
            return !RefusalOf([&]() { helper.SetLinkAttribute(name, value); }).empty();
        };
        NS_TEST_EXPECT_MSG_EQ(refuses("DataRate", DataRateValue(DataRate(7))), true, "too slow");
        NS_TEST_EXPECT_MSG_EQ(refuses("DataRate", StringValue("8bps")), false, "a text");
        NS_TEST_EXPECT_MSG_EQ(refuses("DataRate", StringValue("fast")), true, "no rate");
        NS_TEST_EXPECT_MSG_EQ(refuses("DataRate", UintegerValue(8)), true, "no rate");
        NS_TEST_EXPECT_MSG_EQ(refuses("Delay", TimeValue(NanoSeconds(-1))), true, "negative");
        NS_TEST_EXPECT_MSG_EQ(refuses("Delay", TimeValue(Seconds(1001))), true, "too long");
        NS_TEST_EXPECT_MSG_EQ(refuses("Delay", StringValue("0ns")), false, "none");
        NS_TEST_EXPECT_MSG_EQ(refuses("Color", StringValue("red")), true, "no attribute");

        NpuTopologyHelper topology;
        const Link slow(DataRate(7), NanoSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(RefusalOf([&]() {
                                  topology.SetTorus({4, 4}, slow);
                              }).empty(),
                              false,
                              "too slow");
        topology.SetProduct({{"Rign", 4, Link()}});
        NS_TEST_EXPECT_MSG_NE(RefusalOf([&]() { topology.Describe(); }).find("Did you mean Ring?"),
                              std::string::npos,
                              "a typing error");
        topology.SetDragonfly(2, 1, 1, 9);
        NS_TEST_EXPECT_MSG_NE(RefusalOf([&]() { topology.Describe(); }).find("at most 3"),
                              std::string::npos,
                              "too many groups");
        NpuTopologyHelper lonely;
        lonely.AddNpu("a");
        lonely.AddNpu("b");
        lonely.AddLink("a", "c");
        NS_TEST_EXPECT_MSG_NE(RefusalOf([&]() { lonely.Describe(); }).find("unknown node"),
                              std::string::npos,
                              "an unknown end");
    }
};

/**
 * @ingroup npunet-test
 * A network made link by link gets routes that suit pauses where the attribute asks for them.
 */
class NpuPauseRoutesTestCase : public TestCase
{
  public:
    NpuPauseRoutesTestCase() : TestCase("routes of networks from C++ with FlowControl Pfc")
    {
    }

  private:
    void
    DoRun() override
    {
        NpuTopologyHelper ring;
        const auto name = [](const char* kind, int i) {
            return std::string(kind).append(std::to_string(i % 6));
        };
        for (int i = 0; i < 6; ++i)
        {
            ring.AddNpu(name("n", i));
            ring.AddSwitch(name("s", i));
        }
        for (int i = 0; i < 6; ++i)
        {
            ring.AddLink(name("s", i), name("s", i + 1));
            ring.AddLink(name("s", i), name("n", i));
        }
        NpuFabricHelper helper;
        helper.SetTopology(ring);
        const auto channels = [&helper]() {
            const Ptr<NpuFabric> fabric = Install(helper);
            return uint32_t{fabric->GetDescription().virtual_channels_needed()};
        };
        NS_TEST_EXPECT_MSG_GT(channels(), 1, "credits have virtual channels");
        helper.SetFabricAttribute("FlowControl", StringValue("Pfc"));
        NS_TEST_EXPECT_MSG_EQ(channels(), 1, "pauses have none");
    }
};

/// The suite.
NpuTestSuite g_npuTopologyTestSuite("npu-topology",
                                    {new NpuTopologyTestCase,
                                     new NpuRoutingTestCase,
                                     new NpuFaultTestCase,
                                     new NpuPauseRoutesTestCase});

} // namespace
