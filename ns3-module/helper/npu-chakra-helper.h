/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

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
 */
class NpuChakraHelper
{
  public:
    /**
     * @param path of a system.json; without one: ring collectives, one chunk, no endpoint delay and
     *             the compute times of the traces
     *
     * Throws npunet::InputError for what it cannot understand.
     */
    void SetSystemFile(const std::string& path);

    /**
     * @param start how long after Install() the NPUs begin, not negative; 0 until told otherwise
     */
    void SetStartTime(Time start);

    /**
     * @param network one NPU per rank
     * @param prefix rank r executes the trace PREFIX.r.et
     * @param groupFile communicator groups; may be empty
     * @return the workload, which begins at the start time
     *
     * Throws npunet::InputError for traces that are missing, damaged or contradictory.
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
     * @return how traces are laid out
     */
    npunet::engine::WorkloadOptions Options() const;

    npunet::engine::SystemConfig m_system; //!< how the NPUs compute
    Time m_start;                          //!< when they begin
};

} // namespace ns3

#endif /* NPU_CHAKRA_HELPER_H */
