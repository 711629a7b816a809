// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_CHAKRA_WORKLOAD_H
#define NPU_CHAKRA_WORKLOAD_H

#include "base/ids.h"
#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"

#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class NpuNetwork;

/**
 * @ingroup npunet
 * Training on a network of NPUs: each NPU executes its Chakra execution trace, whose collectives
 * and messages cross the network. NpuChakraHelper makes one.
 */
class NpuChakraWorkload : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuChakraWorkload();
    ~NpuChakraWorkload() override;

    /**
     * Lays the work out on a network. Once only.
     * @param network the network
     * @param workload one program per rank
     * @param system how the NPUs compute and run collectives; what it says of single ranks is about
     *               those of the workload
     * @param npus by rank: the number of its NPU in the network; empty: every NPU, in the placement
     *             of the network
     *
     * Throws npunet::InputError when the workload does not fit the network, and while another one
     * that has one of these NPUs is not finished.
     */
    void Install(Ptr<NpuNetwork> network,
                 npunet::engine::Workload workload,
                 npunet::engine::SystemConfig system,
                 const std::vector<npunet::NodeId>& npus = {});

    /**
     * Lets the NPUs begin now.
     */
    void Start();

    /**
     * @return what the run has found; times count from the start of the Simulator, and links,
     *         packet hops and events are those of the network, whatever else it carries
     *
     * To be called after Simulator::Run() and before Simulator::Destroy(); where the fabric is
     * split in every process, each of which gets the results of all. Throws npunet::StallError,
     * with an explanation, when NPUs still have work to do, and when the workload has not begun or
     * the simulation was stopped.
     */
    npunet::engine::Results GetResults() const;

    /**
     * @return whether every NPU of this process has done all its work
     */
    bool IsFinished() const;

    /**
     * TracedCallback signature of OperationStart and OperationEnd.
     *
     * @param [in] rank whose operation
     * @param [in] node its id in the trace
     * @param [in] name its name in the trace
     * @param [in] time now
     */
    typedef void (*OperationTracedCallback)(uint32_t rank,
                                            uint64_t node,
                                            const std::string& name,
                                            Time time);

    /**
     * TracedCallback signature of CollectiveStart and CollectiveEnd.
     *
     * @param [in] group name of the communicator; empty for a collective without messages
     * @param [in] type "all_reduce", "all_gather", ...
     * @param [in] bytes size as in the trace
     * @param [in] rank that begins or has finished its part
     * @param [in] time now
     */
    typedef void (*CollectiveTracedCallback)(const std::string& group,
                                             const std::string& type,
                                             uint64_t bytes,
                                             uint32_t rank,
                                             Time time);

  protected:
    void DoDispose() override;

  private:
    struct Parts;

    /// Of CollectiveStart and CollectiveEnd.
    using CollectiveTrace =
        TracedCallback<const std::string&, const std::string&, uint64_t, uint32_t, Time>;

    /**
     * @param trace to be told of an operation, should it be a collective
     * @param rank whose operation
     * @param operation of its program
     */
    void TellCollective(const CollectiveTrace& trace,
                        npunet::Rank rank,
                        const npunet::engine::ProgramOperation& operation) const;

    std::unique_ptr<Parts> m_parts; //!< workload, system and simulation
    Ptr<NpuNetwork> m_network;      //!< carries the messages
    bool m_begun{false};            //!< Start() was called

    /// An NPU has begun an operation of its trace.
    TracedCallback<uint32_t, uint64_t, const std::string&, Time> m_operationStart;
    /// An NPU has finished an operation of its trace.
    TracedCallback<uint32_t, uint64_t, const std::string&, Time> m_operationEnd;
    CollectiveTrace m_collectiveStart; //!< an NPU has begun its part of a collective
    CollectiveTrace m_collectiveEnd;   //!< an NPU has finished its part of a collective
};

} // namespace ns3

#endif /* NPU_CHAKRA_WORKLOAD_H */
