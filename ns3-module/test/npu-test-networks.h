// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TEST_NETWORKS_H
#define NPU_TEST_NETWORKS_H

#include "npu-test-compat.h"

#include "ns3/npu-chakra-helper.h"
#include "ns3/npu-fabric-helper.h"

#include "base/errors.h"

#include <ns3/data-rate.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// What the suites share: networks of round numbers, callbacks, refusals, traces.

namespace ns3
{

/**
 * @ingroup npunet
 * @defgroup npunet-test Tests of networks of NPUs
 */

/// A callback as Sink() makes it.
template <class Result, class... Arguments>
Callback<Result, Arguments...>
MakeSink(std::function<Result(Arguments...)> function)
{
    return Callback<Result, Arguments...>(std::move(function));
}

/**
 * @ingroup npunet-test
 * @param function a lambda whose parameters are those of a trace source
 * @return the callback
 */
template <class Function>
auto
Sink(Function function)
{
    return MakeSink(std::function(std::move(function)));
}

/**
 * @ingroup npunet-test
 * @param when is set to the time of the call
 * @return the callback of a delivery
 */
inline NpuFabric::DeliveredCallback
NoteTime(Time& when)
{
    return Sink([&when](Time) { when = Simulator::Now(); });
}

/**
 * @ingroup npunet-test
 * Packets of 936 + 64 bytes at 800 Gb/s: 10 ns each. Links of 5 ns.
 * @param name of a topology
 * @param sizes of its dimensions
 * @param attributes further ones of the fabric, with their values
 * @return a helper with a network of these
 */
inline NpuFabricHelper
TenNanosecondPackets(const std::string& name,
                     const std::vector<uint32_t>& sizes,
                     const std::vector<std::pair<std::string, std::string>>& attributes = {})
{
    NpuFabricHelper helper;
    helper.SetTopology(name, sizes);
    helper.SetLinkAttribute("DataRate", DataRateValue(DataRate("800Gbps")));
    helper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(5)));
    helper.SetFabricAttribute("Mtu", UintegerValue(936));
    helper.SetFabricAttribute("HeaderSize", UintegerValue(64));
    for (const auto& [attribute, value] : attributes)
    {
        helper.SetFabricAttribute(attribute, StringValue(value));
    }
    return helper;
}

/**
 * @ingroup npunet-test
 * Three NPUs, "a" to "c", around the switch "top": links of 100 Gb/s and 1 us.
 * @param attributes of the fabric, with their values
 * @return a helper with it
 */
inline NpuFabricHelper
StarOfThree(const std::vector<std::pair<std::string, std::string>>& attributes)
{
    NpuTopologyHelper topology;
    topology.AddSwitch("top");
    for (const std::string name : {"a", "b", "c"})
    {
        topology.AddNpu(name);
        topology.AddLink(
            name, "top", NpuTopologyHelper::Link(DataRate("100Gbps"), MicroSeconds(1)));
    }
    NpuFabricHelper helper;
    helper.SetTopology(topology);
    for (const auto& [attribute, value] : attributes)
    {
        helper.SetFabricAttribute(attribute, StringValue(value));
    }
    return helper;
}

/**
 * @ingroup npunet-test
 * @tparam Error that is expected
 * @param function to be called
 * @return the text of the error that it throws; empty when it throws none
 */
template <class Error = npunet::InputError, class Function>
std::string
RefusalOf(Function function)
{
    try
    {
        function();
    }
    catch (const Error& error)
    {
        return error.what();
    }
    return "";
}

/**
 * @ingroup npunet-test
 * @param workload that may not be done
 * @return why it has no results; empty when it has
 */
inline std::string
StallOf(const Ptr<NpuChakraWorkload>& workload)
{
    return RefusalOf<npunet::StallError>([&]() { workload->GetResults(); });
}

/**
 * @ingroup npunet-test
 * Installs the network on new nodes.
 * @param helper with a network
 * @return the fabric
 */
inline Ptr<NpuFabric>
Install(NpuFabricHelper& helper)
{
    helper.Install(helper.CreateNpus());
    return helper.GetFabric();
}

/// The same, of a helper that is not needed any more.
inline Ptr<NpuFabric>
Install(NpuFabricHelper&& helper)
{
    return Install(helper);
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
    fabric->Send(source, destination, bytes, NoteTime(delivered));
    Simulator::Run();
    return delivered;
}

/**
 * @ingroup npunet-test
 * @param path of a file
 * @return its lines
 */
inline std::vector<std::string>
LinesOf(const std::string& path)
{
    std::vector<std::string> lines;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/**
 * @ingroup npunet-test
 * @param micros how long it lasts
 * @return a node of a trace, of id 1
 */
inline npunet::chakra::Node
ComputeNode(uint64_t micros)
{
    npunet::chakra::Node node;
    node.id = 1;
    node.name = "compute";
    node.type = npunet::chakra::NodeType::Compute;
    node.duration_micros = micros;
    return node;
}

/**
 * @ingroup npunet-test
 * @param type of the collective
 * @param bytes its size, as in traces
 * @return a node of a trace, of id 2
 */
inline npunet::chakra::Node
CollectiveNode(npunet::chakra::CollectiveType type, int64_t bytes)
{
    npunet::chakra::Node node;
    node.id = 2;
    node.name = "collective";
    node.type = npunet::chakra::NodeType::CommCollective;
    node.attributes = {{"comm_type", static_cast<int64_t>(type)}, {"comm_size", bytes}};
    return node;
}

/**
 * @ingroup npunet-test
 * @param type of the collective
 * @param bytes its size, as in traces
 * @return a source of traces in which every rank takes part in one collective of all
 */
inline npunet::engine::NodeSource
OneCollective(npunet::chakra::CollectiveType type, int64_t bytes)
{
    return [=](npunet::Rank) { return std::vector{CollectiveNode(type, bytes)}; };
}

/**
 * @ingroup npunet-test
 * @param bytes that rank 0 sends to rank 1
 * @param micros how long rank 0 computes before; 0: not at all
 * @param receives whether rank 1 waits for them
 * @return a source of traces; further ranks have nothing to do
 */
inline npunet::engine::NodeSource
OneMessage(int64_t bytes, uint64_t micros = 0, bool receives = true)
{
    return [=](npunet::Rank rank) {
        const bool sends = rank == npunet::Rank(0);
        npunet::chakra::Node transfer;
        transfer.id = 2;
        transfer.name = sends ? "send" : "receive";
        transfer.type =
            sends ? npunet::chakra::NodeType::CommSend : npunet::chakra::NodeType::CommReceive;
        transfer.attributes = {{"comm_size", bytes},
                               {"comm_tag", int32_t{0}},
                               {"comm_src", int32_t{0}},
                               {"comm_dst", int32_t{1}}};
        std::vector<npunet::chakra::Node> nodes;
        if (sends && micros > 0)
        {
            nodes.push_back(ComputeNode(micros));
            transfer.data_deps = {1};
        }
        if (sends || (receives && rank == npunet::Rank(1)))
        {
            nodes.push_back(transfer);
        }
        return nodes;
    };
}

} // namespace ns3

#endif /* NPU_TEST_NETWORKS_H */
