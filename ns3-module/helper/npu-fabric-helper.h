// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_FABRIC_HELPER_H
#define NPU_FABRIC_HELPER_H

#include "ns3/npu-fabric.h"
#include "ns3/npu-fault-list.h"
#include "ns3/npu-topology-helper.h"
#include "topology/network/network_description.h"

#include <ns3/attribute.h>
#include <ns3/data-rate.h>
#include <ns3/net-device-container.h>
#include <ns3/node-container.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/trace-helper.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Builds a fabric and attaches nodes to it.
 *
 *     NpuFabricHelper::UsePicoseconds();
 *     NodeContainer npus;
 *     npus.Create(16);
 *     NpuFabricHelper helper;
 *     helper.SetTopology("Mesh2D", {4, 4});
 *     helper.SetLinkAttribute("DataRate", DataRateValue(DataRate("400Gbps")));
 *     helper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(500)));
 *     NetDeviceContainer devices = helper.Install(npus);
 *     helper.GetFabric()->Send(0, 5, 1 << 20);
 */
class NpuFabricHelper : public AsciiTraceHelperForDevice, public PcapHelperForDevice
{
  public:
    /// Links of 400 Gb/s and 500 ns until told otherwise.
    NpuFabricHelper();

    /**
     * Makes picoseconds the step of ns-3's clock: before anything else in main(). Packets on fast
     * links last few nanoseconds, so ns-3's usual nanoseconds are too coarse; Install() refuses
     * them.
     */
    static void UsePicoseconds();

    /**
     * UsePicoseconds(), and the scheduler of ns-3's events that is fastest with a fabric, unless
     * another than ns-3's default has been chosen: before anything else in main(). The command
     * line, parsed later, can still choose (--SchedulerType=ns3::MapScheduler).
     */
    static void UseRecommendedSettings();

    /**
     * @param name "Ring", "Torus", "Mesh1D", "Mesh", "FullyConnected" or "Switch" (products of as
     *             many of them as there are sizes), "Mesh2D", "Torus2D", "Mesh3D" or "Torus3D"
     * @param sizes of the dimensions, the innermost first
     *
     * Throws npunet::InputError for other names and sizes.
     */
    void SetTopology(const std::string& name, const std::vector<uint32_t>& sizes);

    /**
     * @param topology any other network, with its links; Install() throws npunet::InputError for
     *                 one that cannot be
     */
    void SetTopology(const NpuTopologyHelper& topology);

    /**
     * @param network the network; its packet parameters become the fabric's attributes
     */
    void SetNetwork(const npunet::topology::NetworkDescription& network);

    /**
     * @param path of a network.yml (GB/s are 10^9 bytes per second); its packet parameters become
     *             the fabric's attributes
     *
     * Throws npunet::InputError for what it cannot understand.
     */
    void SetNetworkFile(const std::string& path);

    /**
     * For the networks of SetTopology() by name, before or after it.
     * @param name "DataRate", at least 8 bit/s, or "Delay", 0 to 1000 s
     * @param value of every link; a StringValue will do
     *
     * Throws npunet::InputError for other names and values.
     */
    void SetLinkAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Settings of deployed networks (docs/transport.md, "Presets"), which SetFabricAttribute() and
     * SetNetworkFile() afterwards can change.
     * @param name "roce-2025" or "ethernet-lossy"
     *
     * Throws npunet::InputError for other names.
     */
    void SetPreset(const std::string& name);

    /**
     * @param name of an attribute of NpuFabric
     * @param value of the attribute
     */
    void
    SetFabricAttribute(const std::string& name, const AttributeValue& value)
    {
        m_fabricFactory.Set(name, value);
    }

    /**
     * @param name of an attribute of NpuNetDevice
     * @param value of the attribute
     */
    void
    SetDeviceAttribute(const std::string& name, const AttributeValue& value)
    {
        m_deviceFactory.Set(name, value);
    }

    /**
     * Adds a fault of the links from one node to another to the network that the last Install() has
     * built, as long as nothing uses it, and to those that are installed later. Devices tell of
     * links that go down and come up by AddLinkChangeCallback(). What GetDescription() of the
     * fabric returned before is not valid any more. Faults of a link that overlap multiply their
     * factors and add their delays.
     * @param from number of a node: NPUs first, then switches
     * @param to number of a neighbour
     * @param at when the fault begins
     * @param until when it ends; Time::Max(): never
     * @param rateFactor of the link's rate, 0 (it is down) to 1000
     * @param extraDelay added to its delay, 0 to 1000 s
     * @param both directions
     *
     * Throws npunet::InputError for what cannot be, and, or Install() does, where there is no such
     * link. Stops the program after the first message or workload of the network.
     */
    void
    AddLinkFault(uint32_t from,
                 uint32_t to,
                 Time at,
                 Time until,
                 double rateFactor,
                 Time extraDelay = Time(0),
                 bool both = true)
    {
        NpuFaultList faults = m_faults;
        faults.AddLinkFault(from, to, at, until, rateFactor, extraDelay, both);
        BuildAgain(faults);
    }

    /**
     * Lets an NPU compute slowly, in the same networks as AddLinkFault().
     * @param npu its number; each at most once
     * @param slowdown factor of every compute time, 0.001 to 1000000
     *
     * Throws npunet::InputError for what cannot be, and, or Install() does, where there is no such
     * NPU. Stops the program after the first message or workload of the network.
     */
    void
    AddNpuSlowdown(uint32_t npu, double slowdown)
    {
        NpuFaultList faults = m_faults;
        faults.AddNpuSlowdown(npu, slowdown);
        BuildAgain(faults);
    }

    /**
     * Lets the next Install() draw the fabric's seed from a stream of ns-3's random numbers.
     * @param stream number of the stream
     * @return how many streams are used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * The same for the network that the last Install() has built. Stops the program after its first
     * message or workload.
     * @param devices as Install() gave them
     * @param stream number of the stream
     * @return how many streams are used: 1
     */
    int64_t AssignStreams(const NetDeviceContainer& devices, int64_t stream);

    /**
     * Makes nodes for the NPUs of the network, split over processes so that neighbouring numbers
     * are together (topology/graph/graph_partition.h).
     * @return the nodes, with the system ids of the processes that have them
     */
    NodeContainer CreateNpus() const;

    /**
     * Builds the fabric, a device on every node and a channel for every cable. Where there are
     * several processes (NpuProcesses) it is split as the system ids of the nodes say; a switch is
     * in the process of most of its neighbours.
     * @param npus the nodes that are the NPUs, in the order of the network's numbers; as many as
     *             the network has. Nodes for its switches are made.
     * @return the devices of the NPUs
     */
    NetDeviceContainer Install(const NodeContainer& npus);

    /**
     * Lets Simulator::Destroy() write what every link of the fabric that the last Install() has
     * built has carried, in all processes (npu-link-statistics.h).
     * @param path of a CSV file, which is written whole or not at all
     */
    void EnableStatistics(const std::string& path) const;

    /**
     * Counts the messages of the fabric that the last Install() has built by their flows, and lets
     * Simulator::Destroy() write what became of them, in all processes (npu-flow-writer.h).
     * @param path of a CSV file, which is written whole or not at all
     */
    void EnableFlowStatistics(const std::string& path) const;

    /**
     * Writes every packet of the fabric that the last Install() has built, at each link
     * (npu-trace-log.h). Of several processes each has a file of its own nodes: give each its path.
     * @param path of a CSV file
     */
    void EnablePacketLog(const std::string& path) const;

    /**
     * Writes what the senders of the fabric that the last Install() has built hear, and their rates
     * and windows (npu-trace-log.h). Of several processes each has a file of its own nodes.
     * @param path of a CSV file
     * @param plot of a file for gnuplot, which Simulator::Destroy() writes; empty: none
     */
    void EnableSenderLog(const std::string& path, const std::string& plot = "") const;

    /**
     * Writes the packets of a link of the fabric that the last Install() has built to a pcap file,
     * PREFIX-FROM-TO.pcap, as frames of RoCEv2 (npu-pcap-link.h). Of parallel links the first.
     * @param prefix of the file's name
     * @param from name of the node that the link leaves, such as "npu0"
     * @param to name of the node that it leads to, such as "switch0"
     * @param explicitFilename whether the prefix is the whole name
     *
     * Throws npunet::InputError where there is no such link.
     */
    void EnablePcapLink(const std::string& prefix,
                        const std::string& from,
                        const std::string& to,
                        bool explicitFilename = false) const;

    /**
     * Writes the topology of the fabric that the last Install() has built for NetAnim
     * (NpuAnimWriter). Of several processes the first does.
     * @param path of an XML file, which is written whole or not at all
     */
    void WriteAnimation(const std::string& path) const;

    /**
     * @return the fabric that the last Install() has built
     */
    Ptr<NpuFabric>
    GetFabric() const
    {
        return m_fabric;
    }

    /**
     * @return the nodes that the last Install() has made for the switches
     */
    NodeContainer
    GetSwitches() const
    {
        return m_switches;
    }

  private:
    // Inherited from AsciiTraceHelperForDevice; the lines are described in npu-ascii-trace.h
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

    // Inherited from PcapHelperForDevice: files of the link type Ethernet (DLT_EN10MB), without a
    // trailer, of the ns3::Packets that the device takes and hands up; promiscuous or not, it sees
    // those of its own node only
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    /**
     * @param fabric whose attributes are set
     * @return the network to be built
     */
    npunet::topology::NetworkDescription DescribeFor(const NpuFabric& fabric) const;

    /**
     * @param routing of the networks of SetTopology(), by name
     * @param seed of hashes that spread routes, likewise
     * @param pauses whether FlowControl is Pfc
     * @return the network to be built
     */
    npunet::topology::NetworkDescription Describe(const std::string& routing,
                                                  uint64_t seed,
                                                  bool pauses) const;

    /**
     * Builds the network of m_fabric.
     * @param faults of the network
     */
    void Build(const NpuFaultList& faults);

    /**
     * The same after Install(), if there was one, and keeps the faults unless that throws.
     * @param faults of this network and later ones
     */
    void BuildAgain(const NpuFaultList& faults);

    bool m_whole{true};                             //!< the network was given whole: m_network
    npunet::topology::NetworkDescription m_network; //!< when it was given whole
    std::string m_path;                             //!< of the file that it was read from, or empty
    std::string m_name;                             //!< of the topology; empty: m_topology
    std::vector<uint32_t> m_sizes;                  //!< of its dimensions
    NpuTopologyHelper::Link m_link;                 //!< of all its links
    NpuTopologyHelper m_topology;                   //!< when the topology has no name here
    NpuFaultList m_faults;                          //!< to be added
    int64_t m_stream{-1};                           //!< for the seed; negative: none
    ObjectFactory m_fabricFactory;                  //!< makes the fabric
    ObjectFactory m_deviceFactory;                  //!< makes the devices
    Ptr<NpuFabric> m_fabric;                        //!< of the last Install()
    NodeContainer m_switches;                       //!< of the last Install()
};

} // namespace ns3

#endif /* NPU_FABRIC_HELPER_H */
