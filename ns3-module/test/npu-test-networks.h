// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TEST_NETWORKS_H
#define NPU_TEST_NETWORKS_H

#include "ns3/npu-fabric-helper.h"

#include "base/errors.h"

#include <ns3/data-rate.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * @defgroup npunet-test Tests of networks of NPUs
 */

/**
 * @ingroup npunet-test
 * Packets of 936 + 64 bytes at 800 Gb/s: 10 ns each. Links of 5 ns.
 * @param name of a topology
 * @param sizes of its dimensions
 * @return a helper with a network of these
 */
inline NpuFabricHelper
TenNanosecondPackets(const std::string& name, const std::vector<uint32_t>& sizes)
{
    NpuFabricHelper helper;
    helper.SetTopology(name, sizes);
    helper.SetLinkAttribute("DataRate", DataRateValue(DataRate("800Gbps")));
    helper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(5)));
    helper.SetFabricAttribute("Mtu", UintegerValue(936));
    helper.SetFabricAttribute("HeaderSize", UintegerValue(64));
    return helper;
}

/**
 * @ingroup npunet-test
 * @param function to be called
 * @return the text of the npunet::InputError that it throws; empty when it throws none
 */
template <class Function>
std::string
RefusalOf(Function function)
{
    try
    {
        function();
    }
    catch (const npunet::InputError& error)
    {
        return error.what();
    }
    return "";
}

/**
 * @ingroup npunet-test
 * Installs the network on new nodes.
 * @param helper with a network
 * @param npus as many as it has
 * @return the fabric
 */
inline Ptr<NpuFabric>
InstallOn(NpuFabricHelper& helper, uint32_t npus)
{
    NodeContainer nodes;
    nodes.Create(npus);
    helper.Install(nodes);
    return helper.GetFabric();
}

/**
 * @ingroup npunet-test
 * Sends a message on an idle network and runs.
 * @param fabric the network
 * @param source an NPU
 * @param destination another
 * @param bytes payload
 * @return when it was in
 */
inline Time
DeliveryTime(Ptr<NpuFabric> fabric, uint32_t source, uint32_t destination, uint64_t bytes)
{
    Time delivered;
    fabric->Send(source, destination, bytes, Callback<void, Time>([&](Time) {
                     delivered = Simulator::Now();
                 }));
    Simulator::Run();
    return delivered;
}

} // namespace ns3

#endif /* NPU_TEST_NETWORKS_H */
