// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SOCKET_HELPER_H
#define NPU_SOCKET_HELPER_H

#include "ns3/npu-socket-network.h"
#include "ns3/npu-topology-helper.h"
#include "topology/network/network_description.h"

#include <ns3/address.h>
#include <ns3/attribute.h>
#include <ns3/node-container.h>
#include <ns3/object-factory.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Lets the nodes of any ns-3 scenario be the NPUs of a workload, which talk over its sockets.
 *
 *     NpuFabricHelper::UsePicoseconds();        // first of all
 *     // ... nodes with links, InternetStackHelper, addresses, routes
 *     NpuSocketHelper helper("ns3::TcpSocketFactory");
 *     Ptr<NpuSocketNetwork> network = helper.Install(nodes);
 *     NpuChakraHelper().Install(network, "traces/step");
 */
class NpuSocketHelper
{
  public:
    /**
     * @param protocol "ns3::TcpSocketFactory", "ns3::UdpSocketFactory", or another whose sockets
     *                 are streams or datagrams
     */
    explicit NpuSocketHelper(const std::string& protocol = "ns3::TcpSocketFactory");

    /**
     * @param name of an attribute of NpuSocketNetwork
     * @param value of the attribute
     */
    void
    SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_networkFactory.Set(name, value);
    }

    /**
     * @param name of an attribute of NpuSocketApplication, such as StartTime
     * @param value of the attribute
     */
    void
    SetApplicationAttribute(const std::string& name, const AttributeValue& value)
    {
        m_applicationFactory.Set(name, value);
    }

    /**
     * What the algorithms of collectives go by; without one, all NPUs are connected with each
     * other.
     * @param topology with as many NPUs as there will be nodes; its links carry nothing, so their
     *                 rates and delays do not matter
     */
    void SetTopology(const NpuTopologyHelper& topology);

    /**
     * Likewise; faults of NPUs slow their compute.
     * @param path of a network.yml
     *
     * Throws npunet::InputError for what it cannot understand.
     */
    void SetNetworkFile(const std::string& path);

    /**
     * Likewise.
     * @param network the network
     */
    void SetNetwork(const npunet::topology::NetworkDescription& network);

    /**
     * Puts an NpuSocketApplication on every node.
     * @param npus different nodes, in the order of the NPUs' numbers. Others reach each by the
     * first address of its first interface that has one, loopback aside: IPv4 or, on a node
     *             without, a global one of IPv6.
     * @return the network
     *
     * Throws npunet::InputError for nodes without an Internet stack or an address, for a
     * topology with another number of NPUs, where NPUs of another network have the port, and where
     * MPI has more than one process.
     */
    Ptr<NpuSocketNetwork> Install(const NodeContainer& npus) const;

    /**
     * @param npus as above
     * @param addresses of the nodes, in the same order: an Ipv4Address or an Ipv6Address each
     * @return the network
     *
     * Throws npunet::InputError as above.
     */
    Ptr<NpuSocketNetwork> Install(const NodeContainer& npus,
                                  const std::vector<Address>& addresses) const;

  private:
    ObjectFactory m_networkFactory;                 //!< makes the network
    ObjectFactory m_applicationFactory;             //!< makes the applications
    bool m_given{false};                            //!< there is an m_network
    npunet::topology::NetworkDescription m_network; //!< the topology, when it was given
};

} // namespace ns3

#endif /* NPU_SOCKET_HELPER_H */
