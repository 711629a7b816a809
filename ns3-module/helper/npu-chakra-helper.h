// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_CHAKRA_HELPER_H
#define NPU_CHAKRA_HELPER_H

#include "ns3/npu-chakra-workload.h"
#include "ns3/npu-network.h"

#include <ns3/nstime.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Puts a training workload on a network of NPUs: a fabric, or sockets.
 *
 *     NpuChakraHelper helper;
 *     helper.SetSystemFile("system.json");
 *     Ptr<NpuChakraWorkload> training = helper.Install(network, "traces/step", "groups.json");
 *     Simulator::Run();
 *     npunet::engine::Results results = training->GetResults();
 *
 * Several workloads share a network, each with NPUs of its own:
 *
 *     helper.SetNpus({0, 1, 2, 3});
 *     Ptr<NpuChakraWorkload> first = helper.Install(network, "traces/a");
 *     helper.SetNpus({8, 9, 10, 11});
 *     helper.SetStartTime(MilliSeconds(2));
 *     Ptr<NpuChakraWorkload> second = helper.Install(network, "traces/b");
 */
class NpuChakraHelper
{
  public:
    /**
     * @param path of a system.json; without one: collectives chosen by cost, no endpoint delay and
     *             the compute times of the traces
     *
     * Throws npunet::InputError for what it cannot understand.
     */
    void SetSystemFile(const std::string& path);
    /**
     * @param system how the NPUs compute and run collectives; one that says nothing,
     *               npunet::engine::SystemConfig(), stands for rings in one chunk
     */
    void SetSystem(const npunet::engine::SystemConfig& system);

    /**
     * @param start how long after Install() the NPUs begin, not negative; 0 until told otherwise
     */
    void SetStartTime(Time start);

    /**
     * @param npus of the workloads that are installed from now on, by rank: the number of its NPU
     * in the network; empty, as it is until told otherwise: all of them
     *
     * The NPUs of a workload belong to it until it is finished or disposed of.
     */
    void SetNpus(const std::vector<uint32_t>& npus);

    /**
     * @param network one NPU per rank
     * @param prefix rank r executes the trace PREFIX.r.et
     * @param groupFile communicator groups; may be empty
     * @return the workload, which begins at the start time
     *
     * Throws npunet::InputError for traces that are missing, damaged or contradictory, and for NPUs
     * that do not exist or belong to another workload.
     */
    Ptr<NpuChakraWorkload> Install(Ptr<NpuNetwork> network,
                                   const std::string& prefix,
                                   const std::string& groupFile = "") const;

    /**
     * @param network one NPU per rank
     * @param nodes gives the trace of a rank from memory
     * @param groups communicator groups
     * @return the workload, which begins at the start time
     */
    Ptr<NpuChakraWorkload> Install(Ptr<NpuNetwork> network,
                                   const npunet::engine::NodeSource& nodes,
                                   const std::vector<npunet::engine::Group>& groups = {}) const;

  private:
    /**
     * @param network one NPU per rank
     * @param workload one program per rank
     * @return the workload on the network
     */
    Ptr<NpuChakraWorkload> Install(Ptr<NpuNetwork> network,
                                   npunet::engine::Workload workload) const;

    /**
     * @param network of the workload; stops the program where there is none
     * @return how many ranks it has there
     */
    std::size_t CountRanks(const Ptr<NpuNetwork>& network) const;

    /**
     * @return how traces are laid out
     */
    npunet::engine::WorkloadOptions Options() const;

    /// How the NPUs compute.
    npunet::engine::SystemConfig m_system =
        npunet::engine::default_system_config(npunet::engine::Dialect::named("npunet"));
    Time m_start;                       //!< when they begin
    std::vector<npunet::NodeId> m_npus; //!< by rank; empty: all
};

} // namespace ns3

#endif /* NPU_CHAKRA_HELPER_H */
