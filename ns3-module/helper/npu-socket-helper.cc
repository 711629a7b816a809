// SPDX-License-Identifier: GPL-2.0-only

#include "npu-socket-helper.h"

#include "ns3/npu-processes.h"
#include "ns3/npu-socket-application.h"

#include "base/errors.h"
#include "topology/yaml/network_reader.h"

#include <ns3/ipv4.h>
#include <ns3/ipv6.h>
#include <ns3/node.h>
#include <ns3/socket-factory.h>
#include <ns3/string.h>

#include <fmt/format.h>

#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Where errors are found.
constexpr const char* INSTALL = "NpuSocketHelper::Install";

/**
 * @param node the node of an NPU
 * @return its address; an invalid one where it has none
 */
Address
AddressOf(const Ptr<Node>& node)
{
    if (const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>())
    {
        for (uint32_t interface = 1; interface < ipv4->GetNInterfaces(); ++interface)
        {
            if (ipv4->GetNAddresses(interface) > 0)
            {
                return ipv4->GetAddress(interface, 0).GetLocal();
            }
        }
    }
    if (const Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>())
    {
        for (uint32_t interface = 1; interface < ipv6->GetNInterfaces(); ++interface)
        {
            for (uint32_t i = 0; i < ipv6->GetNAddresses(interface); ++i)
            {
                const Ipv6InterfaceAddress address = ipv6->GetAddress(interface, i);
                if (address.GetScope() == Ipv6InterfaceAddress::GLOBAL)
                {
                    return address.GetAddress();
                }
            }
        }
    }
    return Address();
}

/**
 * Throws npunet::InputError for a node that cannot be an NPU.
 * @param node the node
 * @param npu number that the NPU would have
 * @param address that the NPU would have
 * @param network that the NPU would belong to
 */
void
Check(const Ptr<Node>& node, uint32_t npu, const Address& address, const NpuSocketNetwork& network)
{
    const std::string what = fmt::format("node {} (NPU {})", node->GetId(), npu);
    if (!node->GetObject<SocketFactory>(network.GetProtocol()))
    {
        throw npunet::InputError(
            {"",
             INSTALL,
             fmt::format("{} without {}", what, network.GetProtocol().GetName()),
             "nodes with an Internet stack",
             "call InternetStackHelper().Install() for the nodes first, and assign addresses"});
    }
    if (address.IsInvalid())
    {
        throw npunet::InputError({"",
                                  INSTALL,
                                  what + " without an address",
                                  "an address on an interface other than the loopback",
                                  "assign one (Ipv4AddressHelper::Assign()) before Install()"});
    }
    if (!Ipv4Address::IsMatchingType(address) && !Ipv6Address::IsMatchingType(address))
    {
        throw npunet::InputError({"",
                                  INSTALL,
                                  what + " with an address of another kind",
                                  "an Ipv4Address or an Ipv6Address",
                                  "give the address alone, without a port"});
    }
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        const auto other = DynamicCast<NpuSocketApplication>(node->GetApplication(i));
        const Ptr<NpuSocketNetwork> others = other ? other->GetNetwork() : nullptr;
        if (others && others->GetPort() == network.GetPort() &&
            others->GetProtocol() == network.GetProtocol())
        {
            throw npunet::InputError(
                {"",
                 INSTALL,
                 fmt::format(
                     "{} of whose sockets port {} is another NPU's", what, network.GetPort()),
                 "different nodes, or a port for each network",
                 "give another one by SetAttribute(\"Port\", ...), or put the workload on "
                 "the network that is there"});
        }
    }
}

} // namespace

NpuSocketHelper::NpuSocketHelper(const std::string& protocol)
{
    m_networkFactory.SetTypeId(NpuSocketNetwork::GetTypeId());
    m_networkFactory.Set("Protocol", StringValue(protocol));
    m_applicationFactory.SetTypeId(NpuSocketApplication::GetTypeId());
}

void
NpuSocketHelper::SetTopology(const NpuTopologyHelper& topology)
{
    SetNetwork(topology.Describe());
}

void
NpuSocketHelper::SetNetworkFile(const std::string& path)
{
    SetNetwork(npunet::topology::read_network(path, npunet::topology::GigaByte::Decimal));
}

void
NpuSocketHelper::SetNetwork(const npunet::topology::NetworkDescription& network)
{
    m_given = true;
    m_network = network;
}

Ptr<NpuSocketNetwork>
NpuSocketHelper::Install(const NodeContainer& npus) const
{
    std::vector<Address> addresses;
    for (uint32_t i = 0; i < npus.GetN(); ++i)
    {
        addresses.push_back(AddressOf(npus.Get(i)));
    }
    return Install(npus, addresses);
}

Ptr<NpuSocketNetwork>
NpuSocketHelper::Install(const NodeContainer& npus, const std::vector<Address>& addresses) const
{
    if (NpuProcesses::GetCount() > 1)
    {
        throw npunet::InputError({"",
                                  INSTALL,
                                  fmt::format("{} processes of MPI", NpuProcesses::GetCount()),
                                  "one: of a message the process of its source alone would know",
                                  "run the script without mpirun, or use an NpuFabric"});
    }
    npunet::topology::NetworkDescription topology = m_network;
    if (!m_given)
    {
        NpuTopologyHelper all;
        all.SetProduct({{"FullyConnected", npus.GetN(), NpuTopologyHelper::Link()}});
        topology = all.Describe();
    }
    if (topology.graph.npus() != npus.GetN() || addresses.size() != npus.GetN())
    {
        throw npunet::InputError(
            {"",
             INSTALL,
             fmt::format("{} nodes and {} addresses", npus.GetN(), addresses.size()),
             fmt::format("{}, the NPUs of the topology", topology.graph.npus()),
             ""});
    }
    const Ptr<NpuSocketNetwork> network = m_networkFactory.Create<NpuSocketNetwork>();
    network->SetNetwork(std::move(topology));
    std::set<uint32_t> nodes;
    for (uint32_t i = 0; i < npus.GetN(); ++i)
    {
        Check(npus.Get(i), i, addresses[i], *network);
        if (Ipv4Address::IsMatchingType(addresses[i]) != Ipv4Address::IsMatchingType(addresses[0]))
        {
            throw npunet::InputError(
                {"",
                 INSTALL,
                 fmt::format("NPU {} and NPU 0 with addresses of two kinds", i),
                 "IPv4 for all NPUs, or IPv6 for all",
                 "give the addresses to Install(), all of one kind"});
        }
        if (!nodes.insert(npus.Get(i)->GetId()).second)
        {
            throw npunet::InputError({"",
                                      INSTALL,
                                      fmt::format("node {} twice", npus.Get(i)->GetId()),
                                      "a node for each NPU",
                                      ""});
        }
    }
    for (uint32_t i = 0; i < npus.GetN(); ++i)
    {
        const auto application = m_applicationFactory.Create<NpuSocketApplication>();
        npus.Get(i)->AddApplication(application);
        network->AddApplication(application, addresses[i]);
    }
    return network;
}

} // namespace ns3
